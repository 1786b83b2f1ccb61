"""The join by pieces against brute force: every two texts that are similar are candidates."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import bags_of, streams_of
from rapidfuzz.distance import Levenshtein
from touched_cases import Texts, edited, make_texts

from truecopy.index import choose, near_one, pieces, run_lists, slots
from truecopy.index.choose import ExactJoin, choose_generator
from truecopy.index.pieces import PieceJoin
from truecopy.kernels import pieces as kernel
from truecopy.kernels import run_lists as listing
from truecopy.pairing import find_similar
from truecopy.threshold import WHOLE, ten_thousandths

THRESHOLDS = [5.0, 33.3333, 50.0, 70.0, 80.0, 90.0, 99.0, 100.0]
Pairs = set[tuple[int, int]]


def join_of(texts: Texts, threshold: float, threads: int = 2) -> PieceJoin:
    streams = streams_of(texts)
    return PieceJoin(streams, ExactJoin(bags_of(streams), threshold).ordered, threshold, threads)


def similar_pairs(texts: Texts, threshold: float) -> Pairs:
    """By the distance of every two texts."""
    least, found = ten_thousandths(threshold), set()
    for b, other in enumerate(texts):
        for a, one in enumerate(texts[:b]):
            longer = max(len(one), len(other))
            if (
                min(len(one), len(other)) >= 10
                and longer * WHOLE - Levenshtein.distance(one, other) * WHOLE >= least * longer
            ):
                found.add((a, b))
    return found


def collections() -> st.SearchStrategy[Texts]:
    def make(seed: int, count: int, words: int, longest: int) -> Texts:
        return make_texts(np.random.default_rng(seed), count, words, longest)

    return st.builds(
        make,
        st.integers(0, 2**32),
        st.integers(0, 40),
        st.sampled_from([2, 6, 60, 400]),
        st.sampled_from([14, 90, 160]),
    )


@given(collections(), st.sampled_from(THRESHOLDS))
@settings(max_examples=300)
def test_nothing_is_missed(texts: Texts, threshold: float) -> None:
    wanted = similar_pairs(texts, threshold)
    everything = np.ones(len(texts), np.bool_)
    a, b = join_of(texts, threshold).pairs(everything, 2)
    found = list(zip(a.tolist(), b.tolist(), strict=True))
    assert wanted - set(found) == set()
    assert found == sorted(set(found)), "each pair once, in order"
    assert all(one < other for one, other in found)
    again = join_of(texts, threshold, 1).pairs(everything, 1)
    assert (again[0].tolist(), again[1].tolist()) == (a.tolist(), b.tolist()), "threads change nothing"
    bags = ExactJoin(bags_of(streams_of(texts)), threshold).pairs(everything, 1)
    assert set(found) <= set(zip(bags[0].tolist(), bags[1].tolist(), strict=True)), "bags of candidates overlap enough"


@given(collections(), st.sampled_from([50.0, 70.0, 90.0]), st.integers(0, 2**32))
@settings(max_examples=150)
def test_pairs_without_a_fresh_text_and_those_of_one_family_are_passed_over(
    texts: Texts, threshold: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    fresh = random.random(len(texts)) < 0.5
    families = random.integers(-1, 3, len(texts)).astype(np.int32)
    wanted = {
        (a, b)
        for a, b in similar_pairs(texts, threshold)
        if (fresh[a] or fresh[b]) and (families[a] < 0 or families[a] != families[b])
    }
    found: Pairs = set()
    for a, b in join_of(texts, threshold).rounds(fresh, families, 2):
        found |= set(zip(a.tolist(), b.tolist(), strict=True))
    assert wanted - found == set()
    assert all(fresh[a] or fresh[b] for a, b in found)
    assert all(families[a] < 0 or families[a] != families[b] for a, b in found)


def test_counters_and_marks_that_many_runs_share_lose_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "_MOST_BITS", 3)
    monkeypatch.setattr(slots, "_MOST_MARKS", 10)
    texts = make_texts(np.random.default_rng(seed), 60, 200, 120)
    a, b = join_of(texts, 70).pairs(np.ones(60, np.bool_), 2)
    assert similar_pairs(texts, 70) <= set(zip(a.tolist(), b.tolist(), strict=True))


def test_similarity_of_just_the_threshold_is_in() -> None:
    """30 edits of 100 words leave 70 %, to the integer, wherever the edits are."""
    text = list(range(100))
    every_third = [1000 + i if i % 3 == 0 and i < 90 else i for i in text]
    longer = [word for i in range(70) for word in ([i, 1000 + i] if i % 7 < 3 else [i])]
    for one, other in ((text, every_third), (list(range(70)), longer), (text, text[30:])):
        assert similar_pairs([one, other], 70) == {(0, 1)}
        a, b = join_of([one, other], 70).pairs(np.ones(2, np.bool_), 1)
        assert (a.tolist(), b.tolist()) == ([0], [1])
        a, b = join_of([one, other], 70.0001).pairs(np.ones(2, np.bool_), 1)
        assert similar_pairs([one, other], 70.0001) == set()


def test_it_takes_over_where_trying_every_pair_costs_more(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The verified pairs are the same, with a dense family and without."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 2000, 60).tolist()
    texts = [random.integers(0, 5000, random.integers(10, 80)).tolist() for _ in range(2200)]
    texts += [edited(random, form, 5000) for _ in range(120)]
    streams, everything = streams_of(texts), np.ones(len(texts), np.bool_)
    bags = bags_of(streams)
    monkeypatch.setattr(pieces, "_READS_A_WORD", 10**9)
    assert str(choose_generator(streams, bags, 70, None)) == "overlap"
    before = find_similar(streams, bags, 70, None, everything, 2)
    monkeypatch.setattr(pieces, "_READS_A_WORD", 0)
    assert str(choose_generator(streams, bags, 70, None)) == "pieces"
    after = find_similar(streams, bags, 70, None, everything, 2)
    assert (before.generator, after.generator, after.recall) == ("overlap", "pieces", 1.0)
    assert len(before.pairs) > 5000
    for name in ("a", "b", "distance", "longer"):
        assert np.array_equal(getattr(before.pairs, name), getattr(after.pairs, name))
    monkeypatch.setattr(choose, "AFFORDABLE", 0)
    monkeypatch.setattr(choose, "AFFORDABLE_A_WORD", 0)
    assert str(choose_generator(streams, bags, 70, None)).startswith("bands")
    assert str(choose_generator(streams, bags, 70, 1)) == "pieces"


def test_a_family_is_put_last_and_read_by_others_only(seed: int) -> None:
    """Texts of the largest family do not read each other's entries, and miss no pair with the others."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 300, 60).tolist()
    texts = [edited(random, form, 300) for _ in range(80)] + make_texts(random, 40, 300, 60)
    families = np.array([0] * 80 + [-1] * 40, np.int32)
    families[random.integers(0, 80, 10)] = -1
    found: Pairs = set()
    for a, b in join_of(texts, 70).rounds(np.ones(120, np.bool_), families, 2):
        found |= set(zip(a.tolist(), b.tolist(), strict=True))
    wanted = {(a, b) for a, b in similar_pairs(texts, 70) if families[a] < 0 or families[a] != families[b]}
    assert wanted
    assert wanted <= found
    assert all(families[a] < 0 or families[a] != families[b] for a, b in found)


_choose_runs = kernel.choose_runs


@numba.njit
def runs_chosen(costs: Any, words: int, wanted: int, prices: Any, guess: int, chosen: Any) -> Any:
    """Parts of kernels have no way in from Python."""
    return _choose_runs(costs, words, wanted, prices, guess, chosen)


DEAREST = {
    # By index/pieces, by entries of run_lists, by who asks its blocks, by a single text: as their kernels count.
    "join": (pieces._PRICES, 2 * (kernel.MANY - 1), 0),
    "entries": (run_lists.PRICES, 2 * (listing._COUNTED * (listing.MANY - 1) + listing._MOST_COMMON), 2),
    "asking": (run_lists.PRICES, 2 * listing.MANY, 0),
    "one": (near_one._PRICES, 2 * listing.MANY, 0),
}
"""The prices, the greatest cost of a word, and the least of a run of three."""


@pytest.mark.parametrize("name", DEAREST)
def test_at_the_last_price_every_word_is_a_piece(name: str) -> None:
    """However dear all words are, and however cheap the runs: else a text could have too few pieces, and be missed."""
    prices, dearest, cheapest = DEAREST[name]
    last = int(prices[-1])
    assert (np.diff(prices) > 0).all()
    assert (prices % 2 == 1).all()
    assert 3 * dearest < cheapest + 2 * last
    for words in (1, 3, 10, 100):
        costs = np.array([[dearest] * words, [cheapest] * words], np.int64)
        costs[1, max(words - 2, 0) :] = 4 * last  # no run of three begins there
        chosen = np.zeros(words, np.uint8)
        total, _ = runs_chosen(costs, words, words, prices, len(prices) // 2, chosen)
        assert total == words
        assert chosen.tolist() == [1] * words


def test_no_word_is_expected_more_often_than_that() -> None:
    """Of the costs above, this part is computed."""
    words = np.arange(2000, dtype=np.uint32)
    assert max(listing._expected.py_func(words, i, 1) for i in range(1000)) == listing._MOST_COMMON
    assert min(listing._expected.py_func(words, i, 3) for i in range(1000)) >= 1
