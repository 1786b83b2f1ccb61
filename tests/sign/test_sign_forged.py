"""Chosen n-grams and words do not make tables slow: of counts, of distinct n-grams, of statistics, of entries."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from forged import colliding_grams, colliding_words, crowded_entries, crowded_grams
from truecopy.index.limits import Share
from truecopy.index.postings import Postings
from truecopy.index.rows import SHINGLES, Rows
from truecopy.kernels.distinct import enter_rows, find_rows
from truecopy.kernels.secret import SECRET
from truecopy.sign.counting import Counter, joined
from truecopy.sign.grams import distinct
from truecopy.sign.parts import buffer


def least_seconds(work: Callable[[], object]) -> float:
    """The processor's time that some work takes: the least of several."""
    taken = []
    for _ in range(3):
        begun = time.process_time()
        work()
        taken.append(time.process_time() - begun)
    return min(taken)


def random_text(length: int, letters: Sequence[str] = tuple(map(chr, range(128)))) -> str:
    return "".join(random.Random(7).choices(letters, k=length))


def counted(text: str, ngram: int) -> Counter:
    counter = Counter(ngram, "verbatim")
    counter.add([text])
    return counter


@pytest.mark.alone
def test_distinct_n_grams_of_one_slot_cost_no_more_than_others() -> None:
    """A thousand n-grams that were in one slot of the table, whatever the secret was."""
    grams = colliding_grams(1000)
    forged, ordinary = ([buffer([text])] * 100 for text in ("".join(grams), random_text(8000)))
    assert len(distinct(*forged[0], 8).hashes) > 7900
    distinct(*ordinary[0], 8)
    seconds = [least_seconds(lambda some=some: [distinct(*one, 8) for one in some]) for some in (forged, ordinary)]
    assert seconds[0] < 2 * seconds[1]


@pytest.mark.alone
def test_counting_crowded_n_grams_costs_no_more_than_others() -> None:
    """`stats build`: 8,000 n-grams whose search began at one slot."""
    forged, ordinary = "".join(crowded_grams(8000)), random_text(64_000)
    counted(ordinary, 8)
    assert least_seconds(lambda: counted(forged, 8)) < 3 * least_seconds(lambda: counted(ordinary, 8))


@pytest.mark.alone
@pytest.mark.parametrize("forge", [crowded_entries, colliding_words])
def test_adding_up_crowded_words_costs_no_more_than_others(forge: Callable[[int], list[str]]) -> None:
    """`stats build` and `stats merge`: 8,192 words that share one hash."""
    words = forge(1 << 13)
    forged = " ".join(words)
    dice = random.Random(11)
    ordinary = " ".join("".join(dice.choices("abcdefghij", k=len(words[0]))) for _ in words)

    def work(text: str) -> int:
        made = joined([counted(text, 4).words(), counted(text, 4).words()])
        assert made.occurrences.tolist() == [2] * len(words)
        return len(made)

    assert work(ordinary) == work(forged) == len(words)
    assert least_seconds(lambda: work(forged)) < 3 * least_seconds(lambda: work(ordinary))


def test_of_equal_hashes_the_first_is_found_and_the_table_stays_short() -> None:
    """Ten thousand entries of one hash take one slot; as before, the first of them answers."""
    hashes = np.full(10_000, 77, np.uint64)
    keys, numbers = np.zeros(1 << 15, np.uint64), np.zeros(1 << 15, np.uint32)
    enter_rows(hashes, 5, keys, numbers, SECRET)
    assert np.count_nonzero(keys) == 1
    out = np.empty(2, np.int64)
    assert find_rows(np.array([77, 78], np.uint64), keys, numbers, SECRET, out) == 1
    assert out.tolist() == [5, -1]


@pytest.mark.alone
def test_entries_of_one_slot_cost_a_search_no_more_than_others() -> None:
    """Sets of 20,000 entries whose product with the golden ratio began with the same bits."""
    inverse = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))
    crowded = np.sort(np.arange(1, 20_001, dtype=np.uint64) * inverse)
    others = np.sort(np.random.default_rng(3).integers(0, 1 << 64, 20_000, np.uint64))

    def work(values: np.ndarray) -> None:
        index = Postings(SHINGLES)
        places = np.array([0, len(values), 2 * len(values)], np.int64)
        index.add(Rows(SHINGLES, np.concatenate([values, values]), np.ones(2, np.bool_), places))
        found = index.search(Rows(SHINGLES, values, np.ones(1, np.bool_), places[:2]), Share(90, "either"))
        assert found.value.tolist() == [20_000, 20_000]

    work(others)
    assert least_seconds(lambda: work(crowded)) < 3 * least_seconds(lambda: work(others))
