"""Containment candidates and their verification against plain sets of word triples."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import streams_of

from truecopy.index.rare_shingles import RareShingles, joined
from truecopy.match.contained import shared_of_contained

FLOORS = [5.0, 50.0, 80.0, 90.0, 100.0]


def triples(text: list[int]) -> set[tuple[int, ...]]:
    return {tuple(text[i : i + 3]) for i in range(len(text) - 2)}


def expected(texts: list[list[int]], floor: float) -> dict[tuple[int, int], int]:
    out = {}
    sets = [triples(text) for text in texts]
    for b in range(len(texts)):
        for a in range(b):
            smaller, shared = min(len(sets[a]), len(sets[b])), len(sets[a] & sets[b])
            if smaller >= 50 and shared * 1_000_000 >= round(floor * 10_000) * smaller:
                out[a, b] = shared
    return out


def found(texts: list[list[int]], floor: float, fresh: np.ndarray, threads: int = 1) -> dict[tuple[int, int], int]:
    streams = streams_of(texts)
    listed = RareShingles(streams, floor, threads)
    inside = listed.inside(*joined(list(listed.rounds(fresh, np.full(len(streams), -1, np.int32), threads))))
    shared = shared_of_contained(streams, inside, floor, threads)
    out = {}
    for a, b, count in zip(inside.contained.tolist(), inside.containing.tolist(), shared.tolist(), strict=True):
        if count >= 0:
            assert (min(a, b), max(a, b)) not in out, "each pair once"
            out[min(a, b), max(a, b)] = count
    return out


@st.composite
def texts_with_excerpts(draw: st.DrawFn) -> list[list[int]]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    words = draw(st.sampled_from([4, 30, 1000]))
    texts = [random.integers(0, words, random.integers(40, 300)).tolist() for _ in range(draw(st.integers(1, 4)))]
    for _ in range(draw(st.integers(0, 5))):
        source = texts[random.integers(len(texts))]
        start = int(random.integers(0, max(1, len(source) - 60)))
        part = source[start : start + int(random.integers(40, 200))]
        for _ in range(int(random.integers(0, 8))):
            part[int(random.integers(len(part)))] = int(random.integers(0, words))
        texts.append(part + random.integers(0, words, random.integers(0, 30)).tolist())
    return texts


@given(texts_with_excerpts(), st.sampled_from(FLOORS))
@settings(max_examples=150, deadline=None)
def test_containment_is_exact(texts: list[list[int]], floor: float) -> None:
    """Every pair whose greater containment reaches the floor is found, no other, with the exact count."""
    everything = np.ones(len(texts), np.bool_)
    assert found(texts, floor, everything) == expected(texts, floor)


@given(texts_with_excerpts(), st.integers(0, 2**16))
@settings(max_examples=40, deadline=None)
def test_only_pairs_with_a_fresh_text(texts: list[list[int]], marks: int) -> None:
    """Of texts that are there already only pairs with a new one are looked for, whatever the threads."""
    fresh = np.array([bool(marks >> i & 1) for i in range(len(texts))], np.bool_)
    wanted = {pair: count for pair, count in expected(texts, 80.0).items() if fresh[list(pair)].any()}
    assert found(texts, 80.0, fresh, 1) == wanted
    assert found(texts, 80.0, fresh, 3) == wanted


def test_short_texts_are_never_contained() -> None:
    """Fewer than 50 shingles: no relation, even where all of them are found."""
    base = list(range(200))
    assert found([base, base[:51]], 80.0, np.ones(2, np.bool_)) == {}
    assert found([base, base[:52]], 80.0, np.ones(2, np.bool_)) == {(0, 1): 50}
