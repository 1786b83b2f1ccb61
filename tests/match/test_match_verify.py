"""The edit-distance kernel equals rapidfuzz on every shape of pair, and its cutoff is a contract."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_streams import collect, numbered_texts
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from collections_data import collection
from truecopy.match.verify import edit_distances
from truecopy.threshold import limits as limits_of

Texts = list[list[int]]


def expected(x: list[int], y: list[int], limit: int) -> int:
    return min(Levenshtein.distance(x, y), limit + 1)


def distances(pairs: list[tuple[list[int], list[int]]], limits: list[int], threads: int = 1) -> list[int]:
    words, offsets = collect([text for pair in pairs for text in pair])
    a = np.arange(0, 2 * len(pairs), 2, dtype=np.int32)
    found = edit_distances(words, offsets, a, a + 1, np.array(limits, np.int64), threads)
    return [int(distance) for distance in found]


@given(
    st.lists(st.integers(0, 5), max_size=40),
    st.lists(st.integers(0, 5), max_size=40),
    st.integers(0, 60),
)
def test_short_texts_of_few_words_equal_the_oracle(x: list[int], y: list[int], limit: int) -> None:
    assert distances([(x, y)], [limit]) == [expected(x, y, limit)]


def edited(rng: np.random.Generator, text: list[int], edits: int, vocabulary: int) -> list[int]:
    text = list(text)
    for _ in range(edits):
        place = int(rng.integers(0, len(text) + 1))
        match int(rng.integers(0, 3)):
            case 0:
                text.insert(place, int(rng.integers(0, vocabulary)))
            case 1:
                del text[place : place + 1]
            case _:
                text[place : place + 1] = [int(rng.integers(0, vocabulary))]
    return text


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.sampled_from([2, 30, 3000]), st.integers(0, 1500))
def test_long_edited_texts_equal_the_oracle(seed: int, vocabulary: int, length: int) -> None:
    """Scattered edits, deleted, inserted and moved blocks; limits below, at and above the distance."""
    rng = np.random.default_rng(seed)
    x = [int(word) for word in rng.integers(0, vocabulary, length)]
    y = edited(rng, x, int(rng.integers(0, 1 + length // 2)), vocabulary)
    low, high = sorted(int(place) for place in rng.integers(0, len(y) + 1, 2))
    variants = [y, y[:low] + y[high:], y[high:] + y[:high], x[low:high] + y, []]
    pairs = [(x, other) for other in variants] + [(other, x) for other in variants]
    for share in (0.05, 0.3, 2.0):
        limits = [int(share * max(len(x), len(other))) for x, other in pairs]
        exact = [Levenshtein.distance(*pair) for pair in pairs]
        tight = [distance - int(rng.integers(0, 2)) for distance in exact]
        for tried in (limits, exact, [max(limit, 0) for limit in tight]):
            assert distances(pairs, tried) == [
                min(distance, limit + 1) for distance, limit in zip(exact, tried, strict=True)
            ]


def test_the_cutoff_gives_the_limit_and_one_beyond_it() -> None:
    x, y = list(range(300)), list(range(1000, 1300))
    assert distances([(x, y)] * 4, [300, 299, 10, 0]) == [300, 300, 11, 1]


def test_equal_and_empty_texts() -> None:
    assert distances([([], []), ([1], []), ([], [1, 2]), ([5] * 9, [5] * 9)], [0, 3, 1, 0]) == [0, 1, 2, 0]


def test_texts_of_one_repeated_word_are_told_apart_by_length_only() -> None:
    """Every word matches every other: the case in which anchors do not exist and bands are widest."""
    long, short = [7] * 20_000, [7] * 15_000
    mixed = [7] * 9_000 + [8] * 100 + [7] * 10_900
    assert distances([(long, short), (long, mixed)], [20_000, 20_000]) == [5_000, 100]


def test_pairs_that_share_a_text_and_pairs_in_any_order_give_the_same() -> None:
    rng = np.random.default_rng(11)
    texts = [[int(word) for word in rng.integers(0, 400, 700)]]
    texts += [edited(rng, texts[0], 40 * k, 400) for k in range(1, 8)]
    words, offsets = collect(texts)
    a, b = (places.astype(np.int32) for places in np.triu_indices(len(texts), 1))
    limits = np.full(len(a), 400, np.int64)
    straight = edit_distances(words, offsets, a, b, limits, 1)
    order = rng.permutation(len(a))
    shuffled = edit_distances(words, offsets, a[order], b[order], limits, 3)
    assert (straight[order] == shuffled).all()
    assert [expected(texts[i], texts[j], 400) for i, j in zip(a, b, strict=True)] == list(straight)


def test_progress_hears_of_every_pair_once() -> None:
    words, offsets = collect([[1, 2, 3], [1, 2, 4]] * 50)
    a = np.arange(0, 100, 2, dtype=np.int32)
    heard: list[int] = []
    edit_distances(words, offsets, a, a + 1, np.full(50, 3, np.int64), 2, heard.append)
    assert sum(heard) == 50


@pytest.mark.parametrize("name", ["licenses", "policies"])
def test_real_pairs_equal_the_oracle(name: str) -> None:
    """300 pairs of real texts of one collection that are near in length, at the floors 70 and 90."""
    texts = numbered_texts(collection(name), most=250)
    words, offsets = collect(texts)
    rng = np.random.default_rng(5)
    order = np.argsort(np.diff(offsets), kind="stable")
    first = rng.integers(0, len(order) - 4, 300)
    a = order[first].astype(np.int32)
    b = order[first + rng.integers(1, 4, 300)].astype(np.int32)
    lengths: NDArray[np.int64] = np.diff(offsets)
    for floor in (70, 90):
        limits = limits_of(np.maximum(lengths[a], lengths[b]), floor)
        found = edit_distances(words, offsets, a, b, limits, 2)
        wanted = [expected(texts[i], texts[j], int(limit)) for i, j, limit in zip(a, b, limits, strict=True)]
        assert wanted == list(found)
