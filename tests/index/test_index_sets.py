"""`postings` against plain sets: every share of every kind, skewed collections, forged files; and shingles."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_contract import SHINGLES, sets_of
from index_texts import streams_of

from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.limits import Share
from truecopy.index.postings import Postings
from truecopy.index.rows import Rows
from truecopy.index.shingles import shingle_rows
from truecopy.sign import make_spec

MOD = make_spec("mod")
PERCENTS = [0.0001, 0.5, 10, 33.3333, 50, 66.6667, 80, 90, 99.9999, 100]
KINDS = ["either", "query", "row", "smaller", "longer"]


def wholes(of: str, query: set[int], row: set[int]) -> int:
    n, m = len(query), len(row)
    return {"either": len(query | row), "query": n, "row": m, "smaller": min(n, m), "longer": max(n, m)}[of]


def near(query: set[int], row: set[int], limit: Share) -> tuple[int, int] | None:
    """What two sets share, and what of; None where that is too little."""
    shared, whole = len(query & row), wholes(limit.of, query, row)
    if not shared or Fraction(shared, whole) < Fraction(str(limit.percent)) / 100:
        return None
    return shared, whole


def index_of(sets: list[set[int]]) -> Postings:
    index = Postings(MOD)
    index.add(rows_of(sets))
    return index


def rows_of(sets: list[set[int]]) -> Rows:
    return sets_of(MOD, [np.array(sorted(each), np.uint64) for each in sets])


def searched(index: Postings, query: set[int], limit: Share) -> dict[int, tuple[int, int]]:
    found = index.search(rows_of([query]), limit)
    measures = zip(found.value.tolist(), found.whole.tolist(), strict=True)
    return dict(zip(found.numbers.tolist(), measures, strict=True))


def paired(index: Postings, limit: Share, threads: int = 1) -> dict[tuple[int, int], tuple[int, int]]:
    found = index.pairs(limit, threads=threads)
    couples = list(zip(found.a.tolist(), found.b.tolist(), strict=True))
    assert len(set(couples)) == len(couples), "each pair once"
    return dict(zip(couples, zip(found.value.tolist(), found.whole.tolist(), strict=True), strict=True))


@st.composite
def collections(draw: st.DrawFn) -> list[set[int]]:
    """Sets of every size, subsets and mixtures of each other, of entries some of which nearly all have; 0 is one."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    universe = draw(st.sampled_from([3, 12, 200, 2**62]))
    sets: list[set[int]] = [set(), {0}]
    for _ in range(draw(st.integers(1, 25))):
        entries = set(random.integers(0, universe, int(2 ** (random.random() * 9))).tolist())
        other = list(sets[int(random.integers(len(sets)))])
        entries |= set(other[: int(random.integers(0, len(other) + 1))])
        sets.append(entries | ({0, 1, 2} if random.random() < 0.7 else set()))
    return sets


@given(collections(), st.sampled_from(PERCENTS), st.sampled_from(KINDS))
@settings(max_examples=250, deadline=None)
def test_search_and_pairs_are_those_of_plain_sets(sets: list[set[int]], percent: float, of: str) -> None:
    """Exactly the sets that share enough, with exact counts, for any share of anything."""
    limit, index = Share(percent, of), index_of(sets)
    for query in [*sets[:6], sets[-1] | {7}]:
        wanted = {row: measure for row, each in enumerate(sets) if (measure := near(query, each, limit))}
        assert searched(index, query, limit) == wanted
    if of not in ("query", "row"):
        every = {
            (a, b): measure
            for b in range(len(sets))
            for a in range(b)
            if (measure := near(sets[a], sets[b], limit)) is not None
        }
        assert paired(index, limit, 2) == every


def test_large_sets_and_small_ones_find_each_other() -> None:
    """A query of five entries against a row of thousands, and the other way round, exactly at the share."""
    large = set(range(0, 9000, 3))
    index = index_of([large, {0, 3, 6, 9, 1}, {1, 2, 4, 5, 3}])
    assert searched(index, {0, 3, 6, 9, 1}, Share(80, "query"))[0] == (4, 5)
    assert 0 not in searched(index, {0, 3, 6, 1, 2}, Share(80, "query"))
    assert searched(index, large, Share(80, "row")) == {0: (3000, 3000), 1: (4, 5)}
    assert searched(index, large, Share(20, "row")) == {0: (3000, 3000), 1: (4, 5), 2: (1, 5)}


def skewed() -> tuple[Rows, int, int]:
    """20,000 rows with 50 entries that all have, 50 of their own each; and 2,000 that are truly alike."""
    random = np.random.default_rng(20)
    strangers, family = 20_000, 2_000
    own = random.integers(1000, 2**63, (strangers, 50), dtype=np.uint64)
    common = np.broadcast_to(np.arange(50, dtype=np.uint64), (strangers, 50))
    alike = np.broadcast_to(random.integers(1000, 2**63, 95, dtype=np.uint64), (family, 95))
    few = random.integers(1000, 2**63, (family, 5), dtype=np.uint64)
    values = np.concatenate([np.concatenate([common, own], axis=1), np.concatenate([alike, few], axis=1)])
    values.sort(axis=1)
    offsets = np.arange(strangers + family + 1, dtype=np.int64) * 100
    return Rows(MOD, values.ravel(), np.ones(strangers + family, np.bool_), offsets), strangers, family


def test_boilerplate_makes_no_candidates_and_a_dense_family_is_found_whole() -> None:
    """Two hundred million pairs share half of their entries, and hardly one of them is looked at."""
    rows, strangers, family = skewed()
    index = Postings(MOD)
    index.add(rows)
    true = family * (family - 1) // 2
    for of in ("either", "smaller"):
        found = index.pairs(Share(80, of), threads=2)
        assert len(found) == true
        assert int(found.a.min()) == strangers
        assert (found.value == 95).all()
        assert true <= found.examined < true + 1000
    hits = index.search(rows.slice(17, 18), Share(80, "either"))
    assert (len(hits), hits.examined) == (1, 1)
    assert len(index.search(rows.slice(17, 18), Share(50, "query"))) == strangers


def test_rows_of_boilerplate_only_are_found() -> None:
    """Where nothing rare is shared, the long lists decide, and are read."""
    random = np.random.default_rng(21)
    sets = [set(range(40)) | set(random.integers(1000, 2**40, 40).tolist()) for _ in range(3000)]
    index = index_of([*sets, set(range(40)), set(range(38))])
    assert searched(index, set(range(39)), Share(90, "either")) == {3000: (39, 40), 3001: (38, 39)}
    inside = searched(index, sets[5], Share(100, "row"))
    assert inside == {5: (80, 80), 3000: (40, 40), 3001: (38, 38)}
    assert len(searched(index, set(range(40)), Share(100, "query"))) == 3001


def test_filters_of_length_and_date_are_kept() -> None:
    """Exactly 20 % shorter is in, more is not; six weeks are in, a day more is not; unknown days are."""
    spec = make_spec("terms")
    heads = np.array([[100, 100], [80, 100], [79, 100], [100, 142], [100, 143], [100, 0]], np.int64)
    rows = sets_of(spec, [np.arange(5, dtype=np.uint64)] * 6, heads=heads)
    index = Postings(spec)
    index.add(rows)

    def found(limit: Share) -> list[int]:
        return sorted(index.search(rows.slice(0, 1), limit).numbers.tolist())

    assert found(Share(80, "longer", length=20)) == [0, 1, 3, 4, 5]
    assert found(Share(80, "longer", weeks=6)) == [0, 1, 2, 3, 5]
    assert found(Share(80, "longer", length=0, weeks=0)) == [0, 5]
    assert found(Share(80, "longer")) == [0, 1, 2, 3, 4, 5]
    couples = index.pairs(Share(80, "longer", length=20, weeks=0))
    assert {(1, 2), (0, 5), (4, 5)} <= set(zip(couples.a.tolist(), couples.b.tolist(), strict=True))
    assert (0, 2) not in set(zip(couples.a.tolist(), couples.b.tolist(), strict=True))


def test_bad_rows_and_limits_are_refused() -> None:
    """Rows out of order would be measured wrongly; slots are not entries of a set."""
    index = index_of([{1, 2, 3}])
    for entries in ([3, 1], [1, 1]):
        with pytest.raises(BadSetting, match="not in order"):
            index.add(Rows(MOD, np.array(entries, np.uint64), np.ones(1, np.bool_), np.array([0, 2])))
        with pytest.raises(BadSetting, match="not in order"):
            index.search(Rows(MOD, np.array(entries, np.uint64), np.ones(1, np.bool_), np.array([0, 2])), Share(80))
    with pytest.raises(BadSetting, match="slots"):
        index.search(rows_of([{1}]), Share(80, "slots"))


def forgeries(arrays: dict[str, Any]) -> list[tuple[str, Any]]:
    """Arrays of the right type and shape that say something impossible."""

    def changed(name: str, at: int, value: int) -> tuple[str, Any]:
        array = arrays[name].copy()
        array[at] = value
        return name, array

    return [
        changed("owners", 3, -1),
        changed("owners", 3, 30),
        changed("starts", 1, 2**31),
        changed("starts", 2, 0),
        changed("starts", -1, 5),
        changed("slots", 0, 1),
        changed("slots", 1, 2**31),
        changed("keys", 0, 2**64 - 1),
        ("depths", arrays["depths"][::-1].copy()),
        ("slots", np.zeros(0, np.uint32)),
        ("owners", arrays["owners"].astype(np.int64)),
    ]


def test_every_array_is_checked_before_a_kernel_sees_it() -> None:
    random = np.random.default_rng(22)
    index = index_of([set(random.integers(0, 50, 20).tolist()) for _ in range(30)])
    block = index.blocks[0]
    assert index.sound(block)
    arrays = dict(block.arrays)
    for name, forged in forgeries(arrays):
        assert not index.sound(Block(block.rows, block.numbers, {**arrays, name: forged})), name
    assert not index.sound(Block(block.rows, block.numbers, {**arrays, "more": arrays["keys"]}))
    backwards = Rows(MOD, block.rows.values[::-1].copy(), block.rows.reliable, block.rows.offsets)
    assert not index.sound(Block(backwards, block.numbers, arrays))


def test_lists_are_in_order_of_depth_and_memory_is_small() -> None:
    """Each list has its entry's rows, by how much of the row is rarer; 20 bytes an entry at most."""
    random = np.random.default_rng(23)
    sets = [set(random.integers(0, 3000, 200).tolist()) for _ in range(200)]
    index = index_of(sets)
    arrays, entries = index.blocks[0].arrays, sum(map(len, sets))
    assert sum(array.nbytes for array in arrays.values()) <= 20 * entries
    often = {entry: sum(entry in each for each in sets) for entry in set().union(*sets)}
    starts = arrays["starts"]
    assert sorted(np.diff(starts).tolist()) == sorted(often.values())
    for begin, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        for row, depth in zip(arrays["owners"][begin:end].tolist(), arrays["depths"][begin:end].tolist(), strict=True):
            before = depth * len(sets[row]) / 65536
            rarer = sum(often[entry] < end - begin for entry in sets[row])
            no_rarer = sum(often[entry] <= end - begin for entry in sets[row])
            assert rarer - 1 < before < no_rarer


# --- shingles ------------------------------------------------------------------------------------------------


@given(st.lists(st.lists(st.integers(0, 5), max_size=120), max_size=8), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_shingle_rows_have_each_distinct_shingle_once(texts: list[list[int]], threads: int) -> None:
    streams = streams_of(texts)
    rows = shingle_rows(streams.words, streams.offsets, streams.hashes, threads)
    triples = [{tuple(text[i : i + 3]) for i in range(len(text) - 2)} for text in texts]
    assert rows.spec == SHINGLES
    assert rows.whole()
    assert rows.sizes.tolist() == list(map(len, triples))
    assert rows.reliable.tolist() == [bool(each) for each in triples]
    named: dict[tuple[int, ...], set[int]] = {}
    for text in range(len(texts)):
        entries = rows.slice(text, text + 1).values.tolist()
        assert entries == sorted(set(entries))
        for triple in triples[text]:
            named[triple] = named.get(triple, set(entries)) & set(entries)
    assert all(named.values()), "texts with one shingle have one entry in common"


def test_shingles_are_counted_as_the_measures_count_them() -> None:
    """Also in long texts, in such that say one thing over and over, and where a hash is 0."""
    from truecopy.match.measures import distinct_shingles, shared_shingles

    random = np.random.default_rng(24)
    texts = [random.integers(0, 40, 5000).tolist(), [1] * 3000, [1, 2] * 700, [0, 0, 0, 0], [1, 1], []]
    streams = streams_of(texts)
    streams.hashes[0] = 0  # so that the shingle of three such words is 0
    rows = shingle_rows(streams.words, streams.offsets, streams.hashes)
    every = np.arange(len(texts), dtype=np.int32)
    arrays = streams.words, streams.offsets, streams.hashes
    assert rows.sizes.tolist() == distinct_shingles(*arrays, every, 1).tolist()
    assert rows.slice(3, 4).values.tolist() == [1]
    index = Postings(SHINGLES)
    index.add(rows)
    found = index.search(rows.slice(0, 1), Share(0.0001, "query"))
    assert dict(zip(found.numbers.tolist(), found.value.tolist(), strict=True)) == {
        other: shared for other, shared in enumerate(shared_shingles(*arrays, 0 * every, every, 1).tolist()) if shared
    }
