"""The hamming index beyond the contract: every radius, both ways of searching, skew, forged files, threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_contract import bit_rows

from truecopy.errors import BadSetting, DamagedSegment
from truecopy.index.hamming import Hamming, equal_places
from truecopy.index.limits import Distance
from truecopy.index.linear import Linear
from truecopy.index.rows import Rows
from truecopy.kernels.hamming import AUTO, SCAN, TABLES
from truecopy.segments import read_file, save
from truecopy.sign import make_spec

Array = np.ndarray[Any, Any]


def rows_of(values: Array) -> Rows:
    """Rows of bytes, or of one 64-bit number each."""
    given = values.astype("<u8")[:, None].view(np.uint8) if values.ndim == 1 else values
    return Rows(make_spec("simhash", bits=8 * given.shape[1]), given, np.ones(len(given), np.bool_))


def index_of(rows: Rows, way: int = AUTO) -> Hamming:
    index = Hamming(rows.spec)
    index.way = way
    index.append(index.make_block(rows, np.arange(len(rows))))
    return index


def distances(rows: Rows, query: Array) -> Array:
    found: Array = np.bitwise_count(rows.values ^ query).sum(axis=1, dtype=np.int64)
    return found


def true_pairs(rows: Rows, most: int) -> set[tuple[int, int, int]]:
    found = set()
    for place in range(len(rows)):
        apart = distances(rows.slice(place + 1, len(rows)), rows.values[place])
        found |= {(place, place + 1 + int(at), int(apart[at])) for at in np.flatnonzero(apart <= most)}
    return found


def pairs(index: Hamming, most: int, **more: Any) -> set[tuple[int, int, int]]:
    found = index.pairs(Distance(most), **more)
    triples = set(zip(found.a.tolist(), found.b.tolist(), found.value.tolist(), strict=True))
    assert len(triples) == len(found)
    return triples


def hits(index: Hamming, query: Array, most: int) -> dict[int, int]:
    found = index.search(Rows(index.spec, query[None], np.ones(1, np.bool_)), Distance(most))
    assert len(set(found.numbers.tolist())) == len(found)
    return dict(zip(found.numbers.tolist(), found.value.tolist(), strict=True))


def expected(rows: Rows, query: Array, most: int) -> dict[int, int]:
    apart = distances(rows, query)
    return {int(at): int(apart[at]) for at in np.flatnonzero(apart <= most)}


@pytest.mark.parametrize("bits", [16, 32, 64, 128, 256, 512, 1024])
@pytest.mark.parametrize("way", [AUTO, TABLES, SCAN])
def test_every_radius(bits: int, way: int) -> None:
    """From none to all of the bits, by tables, by reading all rows, and by the cheaper one."""
    random = np.random.default_rng(bits)
    rows = bit_rows(bits)[1](random, 300)
    index = index_of(rows, way)
    queries = [rows.values[7], ~rows.values[7], bit_rows(bits)[1](random, 4).values[0]]
    for most in range(0, bits + 2, max(1, bits // 128)):
        for query in queries:
            assert hits(index, query, most) == expected(rows, query, most)
    assert hits(index, queries[0], 10**9) == expected(rows, queries[0], bits)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32), common=st.integers(0, 15), most=st.integers(0, 20))
def test_rows_that_share_chunks(seed: int, common: int, most: int) -> None:
    """Whichever chunks most rows share, every way of searching finds all there is, once."""
    random = np.random.default_rng(seed)
    values = random.integers(0, 2**16, (1500, 4), dtype=np.uint16)
    values[:, [chunk for chunk in range(4) if common >> chunk & 1]] = random.integers(0, 3)
    values[::3] = values[0]
    values[::3, random.integers(0, 4)] ^= random.integers(0, 2**16, 500, dtype=np.uint16) & 0x0421
    rows = rows_of(np.ascontiguousarray(values).view(np.uint8))
    query = rows.values[int(random.integers(0, 1500))] ^ random.choice(np.array([0, 0, 1, 2], np.uint8), 8)
    for way in (AUTO, TABLES, SCAN):
        assert hits(index_of(rows, way), query, most) == expected(rows, query, most)


def test_a_chunk_that_all_share_is_passed_over() -> None:
    """Three of four chunks are the same in all rows: a search looks at few rows, and all pairs at few each."""
    random = np.random.default_rng(5)
    rows = rows_of(np.uint64(0x1234_0000_5678_0000) + random.permutation(2**16)[:40_000].astype(np.uint64))
    index = index_of(rows)
    for most in (0, 1, 2):
        found = index.search(rows.slice(5, 6), Distance(most))
        assert dict(zip(found.numbers.tolist(), found.value.tolist(), strict=True)) == expected(
            rows, rows.values[5], most
        )
        assert found.examined < 4000
    every = index.pairs(Distance(1))
    numbers = rows.values.view("<u8")[:, 0].tolist()
    known = set(numbers)
    assert len(every) == sum((number ^ 1 << bit) in known for number in numbers for bit in range(16)) // 2
    assert every.examined < 40_000 * 500


def test_large_cells_are_divided() -> None:
    """Each chunk of the query is shared by a quarter of the rows, and no row is near: few of them are looked at."""
    random = np.random.default_rng(6)
    values = random.integers(0, 2**16, (80_000, 4), dtype=np.uint16)
    values[np.arange(80_000), np.arange(80_000) % 4] = 0
    near = np.zeros((3, 4), np.uint16)
    near[1, 2], near[2] = 5, (1, 0, 1, 1)
    values[[100, 30_001, 79_999]] = near
    rows = rows_of(values.view(np.uint8))
    for most in (0, 2, 3):
        index = index_of(rows, TABLES)
        query = Rows(index.spec, np.zeros((1, 8), np.uint8), np.ones(1, np.bool_))
        assert hits(index, query.values[0], most) == expected(rows, query.values[0], most)
        assert index.search(query, Distance(most)).examined < 40_000


@pytest.mark.parametrize("bits", [16, 64, 256])
def test_families_of_equal_rows(bits: int) -> None:
    """Equal rows are compared once, and every pair of them is given; unlike families cost next to nothing."""
    random = np.random.default_rng(8)
    heads = random.integers(0, 256, (6, bits // 8), dtype=np.uint8)
    heads[1] = heads[0]
    heads[1, 0] ^= 1
    heads[2:, :1] = heads[0, :1]
    values = np.repeat(heads, (150, 100, 50, 50, 1, 1), axis=0)[random.permutation(352)]
    rows = rows_of(values)
    index = index_of(rows)
    truth = true_pairs(rows, 1)
    assert pairs(index, 1) == truth
    assert index.pairs(Distance(1)).examined < 100
    gone = list(range(0, 352, 3))
    index.remove(gone)
    assert pairs(index, 1) == {pair for pair in truth if pair[0] % 3 and pair[1] % 3}


@pytest.mark.parametrize("value", [0, 2**64 - 1])
def test_all_rows_are_equal(value: int) -> None:
    """One signature, thousands of times: every search gives all, more than there is room for at first."""
    rows = rows_of(np.full(2000, value, np.uint64))
    index = index_of(rows)
    assert hits(index, rows.values[0], 0) == dict.fromkeys(range(2000), 0)
    assert hits(index, rows.values[0] ^ 1, 7) == {}
    assert hits(index, rows.values[0] ^ 1, 8) == dict.fromkeys(range(2000), 8)
    found = index.pairs(Distance(3))
    assert len(found) == 2000 * 1999 // 2
    assert not found.value.any()


def test_many_queries_at_once_with_more_hits_than_there_is_room_for() -> None:
    """What does not fit is asked for again, and nothing is given twice or counted twice."""
    random = np.random.default_rng(3)
    rows = rows_of(random.integers(0, 256, (700, 8), dtype=np.uint8))
    for way in (TABLES, SCAN):
        index = index_of(rows, way)
        found = index.look(index.blocks[0], rows.slice(0, 100), Distance(30), False)
        got = set(zip(found.query.tolist(), found.place.tolist(), found.value.tolist(), strict=True))
        assert len(got) == len(found.query)
        assert got == {(i, *hit) for i in range(100) for hit in expected(rows, rows.values[i], 30).items()}
        assert way == TABLES or found.examined == 700 * 100


def test_the_cheaper_way_is_taken() -> None:
    """At a small radius few rows are looked at, at a large one each row once; both give what the other gives."""
    random = np.random.default_rng(9)
    rows = rows_of(random.integers(0, 256, (20_000, 8), dtype=np.uint8))
    cheaper, tables, scan = (index_of(rows, way) for way in (AUTO, TABLES, SCAN))
    query = rows.slice(3, 4)
    assert cheaper.search(query, Distance(3)).examined < 200
    assert cheaper.search(query, Distance(28)).examined == 20_000
    for most in (3, 12, 20, 28):
        answers = [hits(index, query.values[0], most) for index in (cheaper, tables, scan)]
        assert answers[0] == answers[1] == answers[2]


def test_forged_tables_are_refused(tmp_path: Path) -> None:
    """Arrays of the right form that would lead a search astray, or out of the arrays, are not taken."""
    for bits in (32, 64):
        rows = bit_rows(bits)[1](np.random.default_rng(2), 500)
        index_of(rows).save(tmp_path / "good")
        header, arrays = read_file(tmp_path / "good")

        def changed(name: str, at: tuple[int, ...], value: int, arrays: dict[str, Array] = arrays) -> dict[str, Array]:
            forged = np.array(arrays[name])
            forged[at] = value
            return {**arrays, name: forged}

        bad = [
            changed("0.index.ids", (1, 7), 500),
            changed("0.index.ids", (0, 7), 2**32 - 1),
            changed("0.index.starts", (0, 1), 501),
            changed("0.index.starts", (1, 0), 1),
            changed("0.index.starts", (1, -1), 499),
            changed("0.index.keys", (0, 3), 2**64 - 1),
            {**arrays, "0.index.more": arrays["0.index.ids"]},
        ]
        if bits == 32:
            bad.append(changed("0.index.words", (4, 0), 1))
        for forged in bad:
            save(tmp_path / "bad", header, forged)
            with pytest.raises(DamagedSegment, match="bad"):
                Hamming.load(tmp_path / "bad")
        assert len(Hamming.load(tmp_path / "good")) == 500


def test_searches_in_threads_beside_one_that_adds_and_removes() -> None:
    """Rows that stay are found by every search, whatever else is put in and taken out meanwhile."""
    rows = bit_rows(64)[1](np.random.default_rng(4), 2000)
    index = Hamming(rows.spec)
    index.add(rows.slice(0, 1000), range(1000))
    truth = [{a for a, _ in expected(rows.slice(0, 1000), rows.values[i], 4).items()} for i in range(60)]

    def search(i: int) -> bool:
        found = set(hits(index, rows.values[i % 60], 4))
        return {number for number in found if number < 1000} == truth[i % 60]

    with ThreadPoolExecutor(3) as pool:
        answers = [pool.submit(search, i) for i in range(300)]
        for begin in range(1000, 2000, 50):
            index.add(rows.slice(begin, begin + 50), range(begin, begin + 50))
            index.remove(range(begin, begin + 25))
        assert all(answer.result() for answer in answers)
    assert len(index) == 1500


def test_equal_places_are_grouped() -> None:
    values = np.array([3, 1, 3, 2, 1, 3], np.uint64)
    groups = equal_places(rows_of(values), np.array([0, 1, 2, 3, 4]))
    assert groups.heads.tolist() == [0, 1, 3]
    assert groups.sizes.tolist() == [2, 2, 1]
    assert groups.members.tolist() == [0, 2, 1, 4, 3]


def test_only_bits_are_held() -> None:
    with pytest.raises(BadSetting, match="not bits"):
        Hamming(make_spec("letters"))


def test_tables_that_name_a_row_twice_are_refused(tmp_path: Path) -> None:
    """Forged, with a checksum that agrees: a kernel would write beyond its arrays."""
    rows = Rows(make_spec("simhash"), np.zeros((500, 8), np.uint8), np.ones(500, np.bool_))
    index = Hamming(rows.spec)
    index.add(rows)
    index.save(tmp_path / "good")
    header, arrays = read_file(tmp_path / "good")
    forged = arrays["0.index.ids"].copy()
    forged[0, :] = 0
    save(tmp_path / "bad", header, {**arrays, "0.index.ids": forged})
    with pytest.raises(DamagedSegment):
        Hamming.load(tmp_path / "bad")


def test_a_wide_family_costs_no_more_than_two_scans() -> None:
    """Rows around one center, of 1,024 bits: in every table nearly every key is near, which no plan can know."""
    random = np.random.default_rng(12)
    bits = np.repeat(random.integers(0, 2, (1, 1024), dtype=np.uint8), 4000, axis=0)
    for row in range(len(bits)):
        bits[row, random.choice(1024, 16, replace=False)] ^= 1
    rows = Rows(make_spec("simhash", bits=1024), np.packbits(bits, axis=1), np.ones(4000, np.bool_))
    index, oracle = Hamming(rows.spec), Linear(rows.spec)
    index.add(rows)
    oracle.add(rows)
    found = index.search_all(rows.slice(0, 20), Distance(24))
    truth = oracle.search_all(rows.slice(0, 20), Distance(24))
    assert [each.numbers.tolist() for each in found] == [each.numbers.tolist() for each in truth]
    assert found[0].examined <= 20 * 2.5 * 4000
