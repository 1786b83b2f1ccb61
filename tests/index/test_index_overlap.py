"""The overlap index against the definition: everything whose bags overlap enough, and nothing else."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from index_contract import bag_rows
from index_texts import bags_of, streams_of

from truecopy.errors import BadSetting, DamagedSegment, SpecMismatch
from truecopy.index import overlap as index_overlap
from truecopy.index import rows as index_rows
from truecopy.index.choose import ExactJoin, exact_join
from truecopy.index.index import Index
from truecopy.index.limits import Share
from truecopy.index.linear import Linear
from truecopy.index.overlap import Overlap, OverlapJoin
from truecopy.index.pieces import PieceJoin
from truecopy.index.rows import BAGS, Rows, rows_of_bags
from truecopy.kernels import overlap
from truecopy.segments import read_file, save
from truecopy.sign import make_spec
from truecopy.text import streams
from truecopy.threshold import limits, ten_thousandths

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
    join = ExactJoin(bags_of(streams), threshold)
    a, b = join.pairs(np.array(fresh, np.bool_), threads, by_lists=by_lists)
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
    alone = joined(texts, 40.0, fresh, by_lists, 1)
    assert len(alone) > 100
    assert joined(texts, 40.0, fresh, by_lists, 4) == alone


@pytest.mark.parametrize("word", [1, 9, 60, 300])
def test_full_counters_drop_nothing(word: int) -> None:
    """A word that occurs more often than its counters can hold makes the histogram weaker, not wrong."""
    many = 5 * overlap.FULL
    texts = [[word] * many + [500, 501], [word] * (many + 1) + [502, 503], [word + 1] * many]
    for by_lists in (False, True):
        assert joined(texts, 99.0, [True] * 3, by_lists) == {(0, 1)}
        assert joined(texts, 99.9, [True] * 3, by_lists) == set()


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


@pytest.fixture(params=["lists", "trying all"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Searches go one way, whatever they cost."""
    monkeypatch.setattr(index_overlap, "_LIST_READS_A_PAIR", 1 << 40 if request.param == "lists" else -1)
    return str(request.param)


def bags(texts: list[list[int]]) -> Rows:
    return rows_of_bags(bags_of(streams_of(texts)))


def found(index: Index, query: Rows, threshold: float) -> dict[int, tuple[int, int]]:
    hits = index.search(query, Share(threshold, "longer"))
    return {int(n): (int(v), int(w)) for n, v, w in zip(hits.numbers, hits.value, hits.whole, strict=True)}


@given(collections(), st.sampled_from(THRESHOLDS), st.sampled_from(THRESHOLDS))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_search_is_exact(
    way: str, collection: tuple[list[list[int]], list[bool]], floor: float, threshold: float
) -> None:
    """Both ways of searching find every bag that overlaps enough, with the words that it shares."""
    texts, _ = collection
    rows = bags(texts)
    index = Overlap(BAGS, floor=floor)
    index.add(rows.slice(1, len(rows)), range(1, len(rows)))
    expected_hits = {}
    for i, text in enumerate(texts[1:], 1):
        shared, longer = sum((Counter(text) & Counter(texts[0])).values()), max(len(text), len(texts[0]))
        if shared and longer - shared <= int(limits(np.array([longer]), threshold)[0]):
            expected_hits[i] = (shared, longer)
    assert found(index, rows.slice(0, 1), threshold) == expected_hits, way


@given(collections(), st.sampled_from(THRESHOLDS), st.permutations(range(41)))
@settings(max_examples=60, deadline=None)
def test_numbers_of_words_change_nothing(
    collection: tuple[list[list[int]], list[bool]], threshold: float, numbers: list[int]
) -> None:
    """Any order of words gives the same pairs: that of rarity, any other, and numbers near the greatest one."""
    texts, _ = collection
    often = Counter(word for text in texts for word in set(text))
    by_rarity = {word: place for place, (word, _) in enumerate(often.most_common())}
    answers = []
    for number in (by_rarity.__getitem__, numbers.__getitem__, lambda word: 2**32 - 1 - numbers[word]):
        renamed = [sorted((number(word) for word in text), reverse=True) for text in texts]
        terms = [np.unique(np.array(text, np.int64), return_counts=True) for text in renamed]
        offsets = np.concatenate([[0], np.cumsum([len(words) for words, _ in terms])]).astype(np.int64)
        values = np.concatenate([words[::-1] for words, _ in terms]).astype(np.uint32)
        counts = np.concatenate([many[::-1] for _, many in terms]).astype(np.uint32)
        index = Overlap(BAGS, floor=threshold)
        index.add(Rows(BAGS, values, np.diff(offsets) > 0, offsets, counts))
        for by_lists in (False, True):
            joining = OverlapJoin.of_block(index.blocks[0], ten_thousandths(threshold)) if len(index) else None
            if joining is not None:
                x, y, shared, _ = joining.run(1, None, by_lists=by_lists)
                one, other = joining.ordered.order[x], joining.ordered.order[y]
                pairs = zip(
                    np.minimum(one, other).tolist(), np.maximum(one, other).tolist(), shared.tolist(), strict=True
                )
                answers.append(sorted(pairs))
    assert all(answer == answers[0] for answer in answers)


def test_a_shorter_row_whose_prefix_ends_first_is_found(way: str) -> None:
    """The query's longer prefix shares two words with the row's bag, but only one of them is in the row's prefix.

    Of 39 words 7 may be lost, and the prefix is 8 long; of 40 words 8 may be, and the prefix is 10 long.
    """
    shared = list(range(32))
    index = Overlap(BAGS, floor=80)
    index.add(bags([[*shared, *range(40, 47)], shared, shared]))
    assert found(index, bags([[*shared, *range(60, 68)]]), 80) == dict.fromkeys(range(3), (32, 40)), way


def family(rows: int, template: list[int], fill: list[int], fills: int) -> list[list[int]]:
    """Forms with one wording, each filled in with other words."""
    random = np.random.default_rng(3)
    return [[*template, *random.choice(fill, fills, replace=False).tolist()] for _ in range(rows)]


@pytest.mark.parametrize("fill_is_common", [False, True])
def test_forms_with_unlike_contents_are_not_compared_pair_by_pair(fill_is_common: bool) -> None:
    """Fifteen hundred forms that share three quarters of their words: at 80 %, few of the million pairs are looked at.

    So too where the form's own words came later, and have the numbers of rare ones.
    """
    first, second = list(range(150)), list(range(150, 3150))
    template, fill = (list(range(3000, 3150)), list(range(3000))) if fill_is_common else (first, second)
    rows = bags(family(1500, template, fill, 50))
    index = Overlap(BAGS)
    index.add(rows)
    found = index.pairs(Share(80, "longer"))
    assert len(found) == 0
    assert found.examined < 1500 * 1499 // 2 // 100
    assert index.search(rows.slice(0, 1), Share(80, "longer")).examined < 50


@pytest.mark.parametrize("noted", ["by place", "in a table"])
def test_a_search_notes_only_what_it_meets(noted: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among thousands of rows, what was met is noted in a table as long as what is read; that changes no answer."""
    tables = []

    def table(reads: int, places: int) -> int:
        tables.append(0 if noted == "by place" else table_for(reads, places))
        return tables[-1]

    table_for = index_overlap.table_for
    monkeypatch.setattr(index_overlap, "table_for", table)
    random = np.random.default_rng(8)
    texts = [random.integers(0, 4000, 30).tolist() for _ in range(3000)]
    for copy in range(0, 3000, 30):
        texts[copy + 1 : copy + 4] = [[*texts[copy][:27], 1, 2, 3], texts[copy][:28], [*texts[copy], 5]]
    rows = bags(texts)
    index, oracle = Overlap(BAGS), Linear(BAGS)
    index.add(rows)
    oracle.add(rows)
    queries = rows.slice(0, 61)
    for one, other in zip(*(each.search_all(queries, Share(80, "longer")) for each in (index, oracle)), strict=True):
        assert one.numbers.tolist() == other.numbers.tolist()
        assert one.value.tolist() == other.value.tolist()
    assert len(tables) == (way == "lists")
    assert not tables or (tables[0] == 0) == (noted == "by place")


def test_words_that_come_later_do_not_change_a_stored_block(tmp_path: Path) -> None:
    """A block answers for words that it has never seen, as it would have had it known them."""
    old = bags([[*range(20), 30 + i] for i in range(12)])
    index = Overlap(BAGS)
    index.add(old)
    index.save(tmp_path / "overlap")
    loaded = Overlap.load(tmp_path / "overlap")
    query = bags([[*range(20), 2000]])
    assert found(loaded, query, 95) == dict.fromkeys(range(12), (20, 21))
    assert found(loaded, query, 96) == {}
    assert found(loaded, bags([[*range(500, 520)]]), 5) == {}


def test_arrays_that_name_what_is_not_there_are_refused() -> None:
    index = Overlap(BAGS)
    index.add(bags([[*range(20), 30 + i] for i in range(12)]))
    stored = index.blocks[0].stored()
    assert index.read_block(stored).alive == 12
    for name, at, value in (
        ("order", 3, 12), ("order", 3, -1), ("texts", 0, 12), ("texts", 0, -1), ("ranks", 0, 99), ("ranks", 0, -1),
        ("starts", 2, 10_000), ("starts", 0, 1), ("starts", -1, 0), ("floor", 0, -5), ("lengths", 0, -1),
    ):  # fmt: skip
        forged = stored[f"index.{name}"].copy()
        forged[at] = value
        with pytest.raises(ValueError, match="not whole"):
            index.read_block(stored | {f"index.{name}": forged})


@given(st.lists(st.lists(st.integers(1, 5), max_size=9), max_size=12))
def test_sums_that_are_made_in_pieces_are_those_of_all(counts: list[list[int]]) -> None:
    """The words of bags, and how often each word occurs: nothing as long as all texts is made on the way."""
    offsets = np.cumsum([0, *map(len, counts)]).astype(np.int64)
    every = np.array([count for row in counts for count in row], np.uint32)
    rows = Rows(BAGS, np.arange(len(every), dtype=np.uint32), np.ones(len(counts), np.bool_), offsets, every)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_rows, "_SUMMED_AT_ONCE", 4)
        patch.setattr(streams, "_AT_ONCE", 4)
        assert rows.sizes.tolist() == [sum(row) for row in counts]
        assert streams.occurrences(every, 6).tolist() == [every.tolist().count(word) for word in range(6)]


def test_texts_are_put_in_order_once() -> None:
    """The join that a sample is looked for with takes the order that pieces were made with."""
    texts = streams_of([list(range(place, place + 20)) for place in range(10)])
    bags = bags_of(texts)
    pieces = PieceJoin(texts, ExactJoin(bags, 70).ordered, 70, 1)
    assert exact_join(pieces, bags, 70).ordered is pieces.ordered


def test_rows_that_are_too_short_are_never_found() -> None:
    rows = bags([list(range(9)), list(range(10)), list(range(9))])
    index = Overlap(BAGS, shortest=10)
    index.add(rows)
    assert found(index, rows.slice(0, 1), 90) == {1: (9, 10)}
    assert len(index.pairs(Share(90, "longer"))) == 0


def test_bad_settings_are_refused() -> None:
    for options in ({"floor": 0}, {"floor": 101}, {"shortest": 0}, {"shortest": True}):
        with pytest.raises(BadSetting):
            Overlap(BAGS, **options)
    with pytest.raises(SpecMismatch):
        Overlap(make_spec("letters"))
    index = Overlap(BAGS)
    index.add(bags([[1, 2]]))
    with pytest.raises(BadSetting, match="'either'"):
        index.search(bags([[1, 2]]), Share(80))
    long = Rows(BAGS, np.array([2, 1], np.uint32), np.ones(1, bool), np.array([0, 2]), np.full(2, 2**31, np.uint32))
    with pytest.raises(BadSetting, match="4,294,967,296 words"):
        Overlap(BAGS).add(long)


@pytest.mark.parametrize("name", ["lengths", "texts"])
def test_places_out_of_order_are_refused(name: str, tmp_path: Path) -> None:
    """Forged, with a checksum that agrees: a query would find more places than there are."""
    index = Overlap(BAGS, floor=50)
    index.add(bag_rows()[1](np.random.default_rng(3), 60))
    index.save(tmp_path / "good")
    header, arrays = read_file(tmp_path / "good")
    forged = arrays[f"0.index.{name}"].copy()
    if name == "lengths":
        forged[-1] = 0
    else:
        starts = arrays["0.index.starts"]
        long = int(np.argmax(np.diff(starts)))
        forged[starts[long] : starts[long + 1]] = forged[starts[long]]
    save(tmp_path / "bad", header, {**arrays, f"0.index.{name}": forged})
    with pytest.raises(DamagedSegment):
        Overlap.load(tmp_path / "bad")


@given(st.lists(st.lists(st.integers(1, 2**32 - 1), max_size=4), max_size=8))
def test_the_size_of_a_bag_is_the_sum_of_its_counts_in_64_bits_wherever_empty_bags_are(bags: list[list[int]]) -> None:
    counts = np.array([count for bag in bags for count in bag], np.uint32)
    offsets = np.concatenate([[0], np.cumsum([len(bag) for bag in bags], dtype=np.int64)]).astype(np.int64)
    rows = Rows(BAGS, np.arange(len(counts), dtype=np.uint32), np.ones(len(bags), np.bool_), offsets, counts)
    assert rows.sizes.tolist() == [sum(bag) for bag in bags]
    assert rows.sizes.dtype == np.int64
