"""The exact join against the definition: every pair whose bags overlap enough, and no other."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import bags_of, streams_of

from truecopy.index.overlap import OverlapJoin
from truecopy.kernels import overlap
from truecopy.threshold import limits

THRESHOLDS = [5.0, 33.3333, 50.0, 70.0, 80.0, 90.0, 100.0]


def expected(texts: list[list[int]], threshold: float, fresh: list[bool]) -> set[tuple[int, int]]:
    out = set()
    for b in range(len(texts)):
        for a in range(b):
            longer = max(len(texts[a]), len(texts[b]))
            if min(len(texts[a]), len(texts[b])) < 10 or not (fresh[a] or fresh[b]):
                continue
            shared = sum((Counter(texts[a]) & Counter(texts[b])).values())
            if longer - shared <= int(limits(np.array([longer]), threshold)[0]):
                out.add((a, b))
    return out


def joined(
    texts: list[list[int]], threshold: float, fresh: list[bool], by_lists: bool, threads: int = 1
) -> set[tuple[int, int]]:
    streams = streams_of(texts)
    join = OverlapJoin(bags_of(streams), streams.lengths, threshold, len(streams.hashes))
    marked = np.ascontiguousarray(np.array(fresh, np.bool_)[join._order])
    a, b = join._sorted(join._probe(marked, by_lists, threads, None))
    pairs = list(zip(a.tolist(), b.tolist(), strict=True))
    assert pairs == sorted(set(pairs)), "sorted, and each pair once"
    return set(pairs)


@st.composite
def collections(draw: st.DrawFn) -> tuple[list[list[int]], list[bool]]:
    """Texts of which many are edited copies of others."""
    texts: list[list[int]] = []
    for _ in range(draw(st.integers(2, 9))):
        if texts and draw(st.booleans()):
            text = list(draw(st.sampled_from(texts)))
            for _ in range(draw(st.integers(0, 6))):
                place = draw(st.integers(0, len(text)))
                text[place : place + draw(st.integers(0, 3))] = draw(st.lists(st.integers(0, 40), max_size=3))
        else:
            text = draw(st.lists(st.integers(0, 40), min_size=0, max_size=40))
        texts.append(text)
    return texts, draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))


@given(collections(), st.sampled_from(THRESHOLDS), st.booleans())
@settings(max_examples=300, deadline=None)
def test_join_is_exact(collection: tuple[list[list[int]], list[bool]], threshold: float, by_lists: bool) -> None:
    """Both ways of joining give every pair whose bags overlap enough, and no other."""
    texts, fresh = collection
    assert joined(texts, threshold, fresh, by_lists) == expected(texts, threshold, fresh)


@pytest.mark.parametrize("by_lists", [False, True])
def test_join_does_not_depend_on_threads(by_lists: bool) -> None:
    """One thread and four find the same pairs in the same order."""
    random = np.random.default_rng(5)
    texts = [random.integers(0, 60, random.integers(10, 80)).tolist() for _ in range(200)]
    fresh = [True] * 200
    assert joined(texts, 40.0, fresh, by_lists, 1) == joined(texts, 40.0, fresh, by_lists, 4)


def test_full_histograms_drop_nothing() -> None:
    """A word that occurs more often than a counter can hold makes the histogram unusable, not wrong."""
    many = overlap.FULL + 10
    texts = [[3] * many + [1, 2], [3] * many + [4, 5], [7] * many]
    assert joined(texts, 99.0, [True] * 3, by_lists=False) == {(0, 1)}
    assert joined(texts, 99.0, [True] * 3, by_lists=True) == {(0, 1)}


def test_pair_exactly_at_the_threshold_is_in() -> None:
    """Two of ten words lost is 80 %, to the integer; one more is not."""
    base = list(range(10))
    assert joined([base, [*base[:8], 20, 21]], 80.0, [True, True], False) == {(0, 1)}
    assert joined([base, [*base[:7], 20, 21, 22]], 80.0, [True, True], False) == set()
    assert joined([base, [*base[:8], 20, 21]], 80.0001, [True, True], False) == set()


def test_empty_collection() -> None:
    """No texts, no pairs, no error."""
    assert joined([], 80.0, [], False) == set()
    assert joined([[]], 80.0, [True], True) == set()
