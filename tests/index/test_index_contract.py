"""The contract of every index: what it answers is what `linear` answers, whatever was added, removed, saved and loaded.

Indexes that are not exact answer a part of it, with the same measures, and state how large that part is. Which part
is no matter of chance: rows that agree in a whole band are found.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from index_cases import CASES
from index_contract import Case

from truecopy.errors import BadSetting, DamagedSegment, NotFound, SpecMismatch
from truecopy.index.bands import Bands, _chosen, layout, stored_bands
from truecopy.index.cuts import aim, cut_for
from truecopy.index.equality import Equality
from truecopy.index.index import Index
from truecopy.index.limits import Limit, Share
from truecopy.index.linear import Linear
from truecopy.index.rows import Rows
from truecopy.spec import Spec

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
few = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def hits(index: Index, query: Rows, limit: Limit) -> dict[int, tuple[int, int]]:
    found = index.search(query, limit)
    assert len(set(found.numbers.tolist())) == len(found)
    measures = zip(found.value.tolist(), found.whole.tolist(), strict=True)
    return dict(zip(found.numbers.tolist(), measures, strict=True))


def pairs(index: Index, limit: Limit, **given: Any) -> dict[tuple[int, int], tuple[int, int]]:
    found = index.pairs(limit, **given)
    couples = list(zip(found.a.tolist(), found.b.tolist(), strict=True))
    assert couples == sorted(set(couples))
    assert all(a < b for a, b in couples)
    return dict(zip(couples, zip(found.value.tolist(), found.whole.tolist(), strict=True), strict=True))


class Meeting:
    """Which rows an index must find at a limit: all that are near, or those that agree in a whole band besides."""

    def __init__(self, case: Case, limit: Limit) -> None:
        index = case.make()
        self.ways: list[tuple[list[int], int]] = []
        if index.recall(limit) >= 1:
            return
        assert isinstance(index, Bands)
        assert isinstance(limit, Share)
        slots, recall = dict(case.spec.parameters)["slots"], case.options.get("recall", 0.999)
        joined = index.cut(limit)
        self.ways = [([band * joined.rows for band in range(joined.bands)], joined.rows)]
        looked = cut_for(slots, -(-slots * limit.percent // 100), aim(recall), stored_bands)
        if looked is not None:
            chosen = _chosen(slots, looked.rows)[: looked.bands] * layout(slots)[0]
            self.ways.append((chosen.tolist(), looked.rows))

    def sure(self, one: np.ndarray, other: np.ndarray) -> bool:
        """Whether two near rows are found, however they are looked for."""
        same = one == other
        return all(any(same[first : first + rows].all() for first in firsts) for firsts, rows in self.ways)

    def agree(self, answer: dict[Any, Any], truth: dict[Any, Any], values: dict[Any, tuple[Any, Any]]) -> int:
        """The answer is a part of the truth with all that is sure; how much that is."""
        sure = {key: truth[key] for key in truth if not self.ways or self.sure(*values[key])}
        assert sure.items() <= answer.items() <= truth.items()
        return len(sure)


Held = dict[int, Any]
"""The values of each row that is in an index, by its number."""


def check(index: Index, oracle: Linear, query: Rows, case: Case, fresh: list[int], held: Held) -> None:
    """Every limit, by search, by pairs, and by pairs of fresh rows."""
    assert len(index) == len(oracle) == len(held)
    beside = {number: (query.values[0], held[number]) for number in held} if query.offsets is None else {}
    for limit in case.limits:
        Meeting(case, limit).agree(hits(index, query, limit), hits(oracle, query, limit), beside)
    for limit in case.for_pairs:
        for way in ({"threads": 2}, {"fresh": fresh}):
            truth = pairs(oracle, limit, **way)
            both = {(a, b): (held[a], held[b]) for a, b in truth}
            Meeting(case, limit).agree(pairs(index, limit, **way), truth, both)


@cases
@few
@given(seed=st.integers(0, 2**32), operations=st.lists(st.integers(0, 40), min_size=1, max_size=6))
@example(seed=28, operations=[23, 32, 1])  # a query of projections-large whose norm alone leaves 64 bits
def test_answers_are_those_of_linear(case: Case, seed: int, operations: list[int], tmp_path_factory: Any) -> None:
    """Adds and removes in random order, then save and load."""
    random = np.random.default_rng(seed)
    index, oracle = case.make(), Linear(case.spec)
    fresh: list[int] = []
    held: Held = {}
    numbers = iter(random.permutation(5000).tolist())
    for many in operations:
        have = oracle.numbers
        if many % 4 == 3 and len(have):
            gone = random.choice(have, random.integers(1, len(have) + 1), replace=False)
            index.remove(gone)
            oracle.remove(gone)
            held = {number: row for number, row in held.items() if number not in gone}
            continue
        rows, fresh = case.rows(random, many), [next(numbers) for _ in range(many)]
        index.add(rows, fresh)
        oracle.add(rows, fresh)
        held |= {number: rows.slice(place, place + 1).values.ravel() for place, number in enumerate(fresh)}
    query = case.rows(random, 8).slice(3, 4)
    check(index, oracle, query, case, fresh, held)
    folder: Path = tmp_path_factory.mktemp("index")
    index.save(folder / "index")
    loaded = type(index).load(folder / "index")
    check(loaded, oracle, query, case, fresh, held)
    more = case.rows(random, 9)
    loaded.add(more, range(6000, 6009))
    oracle.add(more, range(6000, 6009))
    loaded.merge()
    held |= {6000 + place: more.slice(place, place + 1).values.ravel() for place in range(9)}
    check(loaded, oracle, query, case, [6003], held)


@cases
def test_larger_sets_than_one_block_of_queries(case: Case) -> None:
    """Seven hundred rows, all pairs, in one, two and three threads: the same answer, which is linear's."""
    rows = case.rows(np.random.default_rng(7), 700)
    index, oracle = case.make(), Linear(case.spec)
    index.add(rows)
    oracle.add(rows)
    for limit in case.for_pairs:
        answers = [pairs(index, limit, threads=threads) for threads in (1, 2, 3)]
        assert answers[0] == answers[1] == answers[2]
        truth_of_pairs = pairs(oracle, limit)
        both = {(a, b): (rows.values[a], rows.values[b]) for a, b in truth_of_pairs} if rows.offsets is None else {}
        sure = Meeting(case, limit).agree(answers[0], truth_of_pairs, both)
        assert sure >= (index.recall(limit) - 0.1) * len(truth_of_pairs) > 0
    queries = rows.slice(0, 300)
    for limit in case.limits:
        mine: set[tuple[int, int, int]] = set()
        truth: set[tuple[int, int, int]] = set()
        for query, (one, other) in enumerate(
            zip(index.search_all(queries, limit, 2), oracle.search_all(queries, limit), strict=True)
        ):
            mine |= {(query, *hit) for hit in zip(one.numbers.tolist(), one.value.tolist(), strict=True)}
            truth |= {(query, *hit) for hit in zip(other.numbers.tolist(), other.value.tolist(), strict=True)}
        meeting = Meeting(case, limit)
        sure = {hit for hit in truth if not meeting.ways or meeting.sure(rows.values[hit[0]], rows.values[hit[1]])}
        assert sure <= mine <= truth
        assert sure
        # Families are found or missed together, so that a share of few hits strays.
        assert len(mine) >= (index.recall(limit) - 0.05) * len(truth)


@cases
def test_hits_come_best_first(case: Case) -> None:
    most = 0
    for seed in range(4):
        rows = case.rows(np.random.default_rng(seed), 100)
        index = case.make()
        index.add(rows)
        for limit in (*case.limits, *case.pair_limits):
            for found in index.search_all(rows.slice(10, 25), limit):
                share = np.array(found.value / np.maximum(found.whole, 1))
                best = np.sort(share) if type(limit).__name__ != "Share" else -np.sort(-share)
                assert np.array_equal(share, best)
                most = max(most, len(set(share.tolist())))
    assert most > 1 or isinstance(index, Equality), "several measures are needed to see an order"


@cases
def test_bad_use_is_refused(case: Case) -> None:
    rows = case.rows(np.random.default_rng(1), 6)
    index = case.make()
    index.add(rows, [3, 1, 4, 10, 5, 9])
    with pytest.raises(BadSetting, match="number 4 already"):
        index.add(rows.slice(0, 1), [4])
    with pytest.raises(NotFound, match="number 2"):
        index.remove([1, 2])
    assert len(index) == 6
    with pytest.raises(BadSetting, match="2 queries"):
        index.search(rows.slice(0, 2), case.limits[0])
    with pytest.raises(SpecMismatch):
        index.add(Rows(Spec.make("other", 1), rows.values, rows.reliable, rows.offsets, rows.counts, rows.heads))
    with pytest.raises(BadSetting, match="numbers were given"):
        index.add(rows, [20, 20, 21, 22, 23, 24])


@cases
def test_an_empty_index_answers_nothing(case: Case, tmp_path: Path) -> None:
    index = case.make()
    rows = case.rows(np.random.default_rng(2), 3)
    index.add(rows.slice(0, 0))
    index.save(tmp_path / "empty")
    for each in (index, type(index).load(tmp_path / "empty")):
        assert len(each) == 0
        assert len(each.search(rows.slice(0, 1), case.limits[0])) == 0
        assert len(each.pairs(case.for_pairs[0])) == 0


@cases
def test_a_block_without_rows_is_a_block(case: Case) -> None:
    """A wave may bring no text: its block is made, stored, read and searched beside others, before or after them."""
    rows, numbers = case.rows(np.random.default_rng(4), 9), np.arange(9)
    alone = case.make()
    alone.append(alone.make_block(rows, numbers))
    for empty_first in (True, False):
        index = case.make()
        for some in (slice(0, 0), slice(0, 9)) if empty_first else (slice(0, 9), slice(0, 0)):
            made = index.make_block(rows.slice(some.start, some.stop), numbers[some])
            index.append(index.read_block(dict(made.stored())))
        for limit in case.limits:
            assert hits(index, rows.slice(2, 3), limit) == hits(alone, rows.slice(2, 3), limit)
        for limit in case.for_pairs:
            assert pairs(index, limit) == pairs(alone, limit)
        index.merge()
        assert hits(index, rows.slice(2, 3), case.limits[0]) == hits(alone, rows.slice(2, 3), case.limits[0])


@cases
def test_a_damaged_file_is_refused(case: Case, tmp_path: Path) -> None:
    """Every bit counts: wherever a file is changed or cut, it is refused, and named."""
    index = case.make()
    index.add(case.rows(np.random.default_rng(3), 40))
    path = tmp_path / "mine.index"
    index.save(path)
    whole = path.read_bytes()
    random = np.random.default_rng(4)
    for at in random.integers(0, len(whole), 20).tolist():
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << int(random.integers(0, 8))]) + whole[at + 1 :])
        with pytest.raises(DamagedSegment, match=r"mine\.index"):
            type(index).load(path)
    for at in (0, 1, 100, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:at])
        with pytest.raises(DamagedSegment, match=r"mine\.index"):
            type(index).load(path)


@cases
def test_forged_arrays_are_refused(case: Case, tmp_path: Path) -> None:
    """A file whose checksum agrees but whose arrays do not fit each other never reaches a kernel."""
    from truecopy.segments import read_file, save

    index = case.make()
    index.add(case.rows(np.random.default_rng(3), 40))
    index.save(tmp_path / "good")
    header, arrays = read_file(tmp_path / "good")
    for name in arrays:
        for forged in (arrays[name][: len(arrays[name]) // 2], arrays[name].astype(np.float32)):
            if forged.dtype == arrays[name].dtype and forged.shape == arrays[name].shape:
                continue
            save(tmp_path / "bad", header, {**arrays, name: forged})
            with pytest.raises(DamagedSegment, match="bad"):
                type(index).load(tmp_path / "bad")


@cases
def test_rows_that_are_not_as_the_spec_makes_them_are_refused(case: Case) -> None:
    """Another width, another type, heads that are missing: nothing of it reaches a kernel."""
    rows = case.rows(np.random.default_rng(3), 6)
    index = case.make()
    index.add(rows)
    wrong = [replace(rows, values=rows.values.astype(np.float64)), replace(rows, reliable=rows.reliable[:-1])]
    if rows.offsets is None:
        wrong.append(replace(rows, values=rows.values[:, :-1]))
    else:
        wrong += [replace(rows, offsets=rows.offsets[::-1].copy()), replace(rows, offsets=None)]
    if rows.heads is not None:
        wrong.append(replace(rows, heads=None))
    for each in wrong:
        with pytest.raises(BadSetting, match="not as"):
            index.add(each)
        with pytest.raises(BadSetting, match="not as"):
            index.search_all(each, case.limits[0])
    assert len(index) == 6


@cases
def test_a_number_is_given_once(case: Case) -> None:
    """A removed number does not come back by itself, merged or not, saved or not."""
    rows = case.rows(np.random.default_rng(6), 5)
    for merged in (False, True):
        index = case.make()
        index.add(rows.slice(0, 4))
        index.remove([3])
        if merged:
            index.merge()
        index.add(rows.slice(4, 5))
        assert index.numbers.tolist() == [0, 1, 2, 4]


@cases
def test_memory_is_counted(case: Case) -> None:
    index = case.make()
    rows = case.rows(np.random.default_rng(3), 50)
    index.add(rows)
    assert index.memory().rows == rows.nbytes
    assert index.memory().index >= 50 * 8
