"""The edit-distance kernel equals rapidfuzz on every shape of pair, and its cutoff is a contract."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from match_streams import collect, numbered_texts
from numpy.typing import NDArray
from rapidfuzz.distance import Levenshtein

from collections_data import collection
from naive import naive_distance
from truecopy.kernels.edit import STRIP, edits_ahead, note_runs, scratch
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


def around(pairs: list[tuple[list[int], list[int]]]) -> None:
    """Distances of pairs at limits below, at and above each, and far above."""
    exact = [Levenshtein.distance(*pair) for pair in pairs]
    for change in (lambda d: d - 1, lambda d: d, lambda d: d + 1, lambda d: d // 2, lambda d: 3 * d + 9):
        limits = [max(int(change(distance)), 0) for distance in exact]
        assert distances(pairs, limits) == [
            min(distance, limit + 1) for distance, limit in zip(exact, limits, strict=True)
        ]


@given(st.data())
def test_every_alphabet_of_a_few_words_equals_the_plain_matrix(data: st.DataObject) -> None:
    words = st.lists(st.integers(1, data.draw(st.integers(1, 3))), max_size=30)
    x, y, limit = data.draw(words), data.draw(words), data.draw(st.integers(0, 40))
    assert distances([(x, y)], [limit]) == [min(naive_distance(x, y), limit + 1)]


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 50, 2000]), st.integers(600, 4000))
def test_moved_repeated_and_rewritten_parts_of_long_texts_equal_the_oracle(seed: int, words: int, length: int) -> None:
    """Long enough for the count of runs; common runs, moved blocks, parts of other texts, and very unlike lengths."""
    rng = np.random.default_rng(seed)
    # words as frequent as those of real texts: unlike texts have most of their words in common, and not their runs
    often = 1 / np.arange(1, words + 1)
    x, other = ([int(word) for word in rng.choice(words, length, p=often / often.sum())] for _ in range(2))
    low, high = sorted(int(place) for place in rng.integers(0, length + 1, 2))
    y = edited(rng, x, int(rng.integers(0, 1 + length // 5)), words)
    around([
        (x, other),
        (x, x[:low] + other[low:high] + x[high:]),
        (x, y[high:] + y[:high]),
        (y, x[:low] + x[low:high] * 2 + x[high:]),
        (x, y[low:high]),
        (x[:9], y),
        (x, [7] * length),
    ])  # fmt: skip


@pytest.mark.parametrize("length", [63, 64, 65, STRIP - 1, STRIP, STRIP + 1, 2 * STRIP, 2 * STRIP + 1])
def test_lengths_where_a_word_of_bits_or_a_strip_ends(length: int) -> None:
    rng = np.random.default_rng(length)
    x, other = ([int(word) for word in rng.integers(0, 60, length)] for _ in range(2))
    around([(x, edited(rng, x, length // 4, 60)), (x, other), (x, [*x[1:], 99]), ([99, *x[:-1]], [98, *x[:-1], 97])])


def test_unlike_texts_of_the_same_words_end_at_the_count_of_runs_whatever_the_limit() -> None:
    """What the filter rejects is over the limit; at the distance itself it rejects nothing."""
    rng = np.random.default_rng(3)
    x = [int(word) for word in rng.integers(0, 500, 6000)]
    shuffled = [int(word) for word in rng.permutation(x)]
    around([(x, shuffled), (shuffled, x)])
    assert distances([(x, shuffled)], [1800]) == [1801]


@numba.njit
def count_ahead(x, y, columns, limit, slots, codes, ahead):  # type: ignore[no-untyped-def]
    note_runs(x, slots)
    return edits_ahead(y, columns, len(y) - len(x), 0, len(x), limit, slots, codes, ahead)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 12), st.integers(1, 90), st.integers(1, 90))
def test_edits_ahead_are_no_more_than_any_alignment_needs(seed: int, words: int, rows: int, width: int) -> None:
    """From every column on, whatever row an alignment has come to; some are found."""
    rng = np.random.default_rng(seed)
    x, y = (rng.integers(0, words, size).astype(np.uint32) for size in (rows, width))
    if seed % 2:
        y[: min(rows, width) // 2] = x[: min(rows, width) // 2]
    room = scratch(max(rows, width, 64), words)
    ahead, slots = np.zeros(width + 1, np.int32), room[7]
    known = np.isin(y, x).astype(np.uint32)
    limit = 2 * max(rows, width)
    total = count_ahead(x, y, known, limit, slots, np.zeros(64, np.uint8), ahead)
    for j in range(width + 1):
        least = min(Levenshtein.distance(x[i:].tolist(), y[j:].tolist()) for i in range(rows + 1))
        assert ahead[j] <= least
    assert total == ahead[0] >= int((known == 0).sum() > 0)


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 8), st.integers(2, 400))
def test_at_the_distance_itself_no_more_edits_are_counted(seed: int, words: int, length: int) -> None:
    """The narrowest band that there can be."""
    rng = np.random.default_rng(seed)
    text = [int(word) for word in rng.integers(0, words, length)]
    x, y = (
        np.array([*edited(rng, text, int(rng.integers(0, length)), words), 0], np.uint32) for _ in range(2)
    )  # fmt: skip
    distance = Levenshtein.distance(x.tolist(), y.tolist())
    room = scratch(max(len(x), len(y), 64), words)
    known = np.isin(y, x).astype(np.uint32)
    ahead = np.zeros(len(y) + 1, np.int32)
    assert count_ahead(x, y, known, distance, room[7], np.zeros(64, np.uint8), ahead) <= distance


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
