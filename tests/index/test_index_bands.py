"""Bands: parameters follow from threshold and recall, the recall is met, and common keys do no harm."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_contract import slot_rows
from index_texts import bags_of, streams_of

from truecopy.errors import BadSetting
from truecopy.index import bands as bands_module
from truecopy.index.bands import Bands, _chosen, band_candidates, layout, reach
from truecopy.index.choose import choose_generator
from truecopy.index.cuts import (
    LOST,
    Cut,
    chance_of_equal,
    curve,
    derive_bands,
    least_equal,
    least_resemblance,
    recall_at,
)
from truecopy.index.limits import Share
from truecopy.index.linear import Linear
from truecopy.index.rows import Rows
from truecopy.sign import make_spec
from truecopy.sign.signatures import Signatures, names

RECALLS = (0.9, 0.99, 0.999)
SPEC = make_spec("words", slots=64)


def twins(random: np.random.Generator, pairs: int, equal: int, slots: int = 64) -> np.ndarray:
    """Rows 2i and 2i + 1 have exactly so many slots equal, in places drawn by lot; no others have any."""
    values = random.permutation(np.arange(2 * pairs * slots, dtype=np.uint32)).reshape(2 * pairs, slots)
    places = np.argsort(random.random((pairs, slots)), axis=1)[:, :equal]
    row = np.arange(pairs)[:, None]
    values[2 * row + 1, places] = values[2 * row, places]
    return values


def signed(values: np.ndarray, reliable: np.ndarray | None = None) -> Signatures:
    spec = make_spec("words", slots=values.shape[1])
    return Signatures(
        spec, values, np.ones(len(values), np.bool_) if reliable is None else reliable, names(None, len(values))
    )


def index_of(values: np.ndarray, recall: float = 0.999, reliable: np.ndarray | None = None) -> Bands:
    made = signed(values, reliable)
    index = Bands(made.spec, recall=recall)
    index.add(made)
    return index


def everything(values: np.ndarray) -> np.ndarray:
    return np.ones(len(values), np.bool_)


def couples(found: Any) -> set[tuple[int, int]]:
    a, b = (found.a, found.b) if hasattr(found, "a") else found
    return set(zip(a.tolist(), b.tolist(), strict=True))


# --- the chances -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("slots", "bands", "rows"), [(6, 2, 3), (7, 3, 2), (8, 8, 1), (9, 2, 4), (10, 1, 3)])
def test_the_chance_of_meeting_is_counted(slots: int, bands: int, rows: int) -> None:
    """For every number of equal slots: the share of all ways to place them in which a band is whole."""
    runs = [set(range(band * rows, (band + 1) * rows)) for band in range(bands)]
    for equal in range(1, slots + 1):
        ways = [set(places) for places in itertools.combinations(range(slots), equal)]
        for beyond in range(bands):
            met = sum(sum(run <= places for run in runs) > beyond for places in ways)
            chance = chance_of_equal(slots, equal, bands, rows, beyond)
            assert chance == pytest.approx(met / len(ways), abs=1e-12)


def test_more_bands_than_unequal_slots_miss_nothing() -> None:
    assert chance_of_equal(256, 205, 52, 4) == 1
    assert chance_of_equal(256, 204, 52, 4) < 1


def test_a_curve_rises_with_resemblance_and_is_what_happens() -> None:
    """Sketches whose slots are equal each with a chance s meet as often as the curve says (five standard errors)."""
    seed = 20
    random = np.random.default_rng(seed)
    cut = Cut(10, 3, 1.0)
    made = curve(cut.bands, cut.rows, 11)
    assert made[0].tolist() == [0, 0]
    assert made[-1].tolist() == [100, 1]
    assert (np.diff(made[:, 1]) >= 0).all()
    for percent, chance in made[[3, 5, 7]].tolist():
        pairs = 2000
        values = twins(random, pairs, 0)
        equal = random.random((pairs, 64)) < percent / 100
        values[1::2] = np.where(equal, values[::2], values[1::2])
        found = couples(band_candidates(signed(values), cut, everything(values), everything(values)))
        error = 5 * math.sqrt(chance * (1 - chance) / pairs)
        assert abs(len(found) / pairs - chance) <= error, f"seed {seed}, resemblance {percent}"


@pytest.mark.parametrize("threshold", [70, 75, 80, 90, 95])
@pytest.mark.parametrize("recall", RECALLS)
def test_derived_bands_reach_their_recall(threshold: float, recall: float) -> None:
    """The stated recall is at least what was asked for, by the formula, with the places there are."""
    cut = derive_bands(threshold, recall)
    assert cut.bands * cut.rows <= 256
    resemblance = least_resemblance(threshold)
    assert recall <= cut.recall <= recall_at(resemblance, cut.bands, cut.rows) - LOST
    assert cut.recall <= recall_at(resemblance, 256 // cut.rows, cut.rows, cut.spare) - LOST
    more = recall_at(least_resemblance(threshold), 256 // (cut.rows + 1), cut.rows + 1)
    assert more - LOST < recall, "a band of more rows would have done"


def test_a_recall_that_no_cut_reaches_is_refused() -> None:
    """Under two thirds an edit may have touched every shingle: nothing can be promised, and that is said."""
    with pytest.raises(BadSetting, match="exact"):
        derive_bands(60, 0.9)


@pytest.mark.parametrize("resemblance", [0.05, 0.25, 0.5, 0.9])
def test_the_check_of_the_estimate_loses_one_in_a_million(resemblance: float) -> None:
    """By the exact binomial distribution, of which Chernoff's bound is on the safe side, but not far off.

    Where one equal slot is enough, nothing is lost: pairs without one do not meet.
    """
    slots = 256
    need = least_equal(resemblance, slots)

    def fewer(than: int) -> float:
        return sum(math.comb(slots, i) * resemblance**i * (1 - resemblance) ** (slots - i) for i in range(than))

    assert need == 1 or fewer(need) <= LOST
    assert fewer(need + 4) > LOST


# --- the recall that is met ----------------------------------------------------------------------------------


@pytest.mark.parametrize("recall", RECALLS)
@pytest.mark.parametrize("percent", [30, 50, 80])
def test_recall_at_the_very_threshold(recall: float, percent: int) -> None:
    """Search and pairs find the share that their cuts promise, and no less than was asked (five standard errors)."""
    slots, pairs = 64, 1500
    equal = math.ceil(slots * percent / 100)
    limit = Share(percent, "slots")
    met = {"pairs": 0, "search": 0}
    seeds = range(4)
    for seed in seeds:
        values = twins(np.random.default_rng([seed, percent]), pairs, equal)
        index = index_of(values, recall)
        truth = {(2 * i, 2 * i + 1) for i in range(pairs)}
        found = couples(index.pairs(limit))
        assert found <= truth
        met["pairs"] += len(found)
        asked = Rows(index.spec, values[::2], everything(values[::2]))
        met["search"] += sum(len(hits) == 2 for hits in index.search_all(asked, limit))
    tried = pairs * len(seeds)
    assert index.recall(limit) >= recall
    for way, many in met.items():
        stated = index.recall(limit)
        error = 5 * math.sqrt(stated * (1 - stated) / tried)
        assert many / tried >= stated - error, f"{way}: seeds {seeds}, error {error:.4f}"
    cut = index.cut(limit)
    chance = chance_of_equal(slots, equal, cut.bands, cut.rows)
    error = 5 * math.sqrt(chance * (1 - chance) / tried) + 1 / tried
    assert abs(met["pairs"] / tried - chance) <= error, f"seeds {seeds}"


@pytest.mark.parametrize("recall", RECALLS)
def test_measured_recall_of_texts(recall: float) -> None:
    """Of 400 pairs at 80 % with edits spread as badly as can be, the share found is at least the one asked for.

    Within three standard errors: the resemblance of these texts is the least that the threshold allows.
    """
    seed = 3
    random = np.random.default_rng(seed)
    texts = []
    for _ in range(400):
        text = random.integers(0, 50_000, 300)
        changed = text.copy()
        changed[::5] = random.integers(50_000, 99_999, 60)  # every fifth word: the most shingles are lost
        texts += [text.tolist(), changed.tolist()]
    streams = streams_of(texts)
    generator = choose_generator(streams, bags_of(streams), 80, recall)
    found = couples(generator.pairs(np.ones(len(texts), np.bool_), 2, None))
    met = sum((2 * i, 2 * i + 1) in found for i in range(400))
    assert met / 400 >= recall - 3 * math.sqrt(recall * (1 - recall) / 400), f"seed {seed}"


def test_a_recall_of_one_finds_what_linear_finds() -> None:
    """Bands of two rows, and no probability."""
    spec, rows = slot_rows(100)
    made = rows(np.random.default_rng(8), 400)
    index, oracle = Bands(spec, recall=1), Linear(spec)
    index.add(made)
    oracle.add(made)
    for percent in (1, 35, 60, 99):
        limit = Share(percent, "slots")
        assert index.recall(limit) == 1
        assert couples(index.pairs(limit)) == couples(oracle.pairs(limit))
        for one, other in zip(index.search_all(made, limit), oracle.search_all(made, limit), strict=True):
            assert one.numbers.tolist() == other.numbers.tolist()


def test_pairs_at_the_threshold_and_above_are_found_as_often_as_the_index_says() -> None:
    index = Bands(make_spec("sketch", n=100), recall=0.99)
    limit = Share(70, "slots")
    cut = index.cut(limit)
    chances = [chance_of_equal(100, equal, cut.bands, cut.rows) for equal in range(1, 101)]
    assert chances == sorted(chances)
    assert chances[69] >= cut.recall >= index.recall(limit) >= 0.99
    assert chances[-1] == 1


# --- the structure -------------------------------------------------------------------------------------------


@given(slots=st.integers(1, 5000), rows=st.integers(1, 32))
def test_stored_bands_never_overlap(slots: int, rows: int) -> None:
    """Those chosen for a number of rows lie apart, within the sketch, and are ordered as far as they reach."""
    stride, count = layout(slots)
    assert count <= 64
    assert count * stride <= slots
    firsts = _chosen(slots, rows) * stride
    assert (np.diff(firsts) >= rows).all()
    assert (firsts + rows <= slots).all()
    assert all(reach(band, stride, count) >= rows for band in _chosen(slots, rows).tolist())
    assert len(firsts) or rows > slots


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), count=st.integers(0, 150), greatest=st.sampled_from([1, 2, 3, 2**32]))
def test_orders_are_those_of_the_slots(seed: int, count: int, greatest: int) -> None:
    """Also where nearly all slots are equal: rows that agree in a beginning stand together."""
    random = np.random.default_rng(seed)
    values = random.integers(0, greatest, (count, 64), dtype=np.uint32)
    arrays = index_of(values).blocks[0].arrays if count else {"keys": np.empty((64, 0)), "order": np.empty((64, 0))}
    for band in range(len(arrays["order"]) if count else 0):
        order = arrays["order"][band]
        assert sorted(order.tolist()) == list(range(count))
        tuples = values[order][:, band : band + reach(band, 1, 64)].tolist()
        assert tuples == sorted(tuples)
        assert arrays["keys"][band].tolist() == [each[0] for each in tuples]


def test_small_buffers_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    spec, rows = slot_rows(64)
    made = rows(np.random.default_rng(9), 300)
    index = Bands(spec)
    index.add(made)
    limit = Share(50, "slots")
    pairs = couples(index.pairs(limit))
    hits = [found.numbers.tolist() for found in index.search_all(made, limit)]
    assert len(pairs) > 50
    monkeypatch.setattr(bands_module, "_PAIRS_AT_ONCE", 1)
    monkeypatch.setattr(bands_module, "_HITS_AT_ONCE", 1)
    assert couples(index.pairs(limit)) == pairs
    assert [found.numbers.tolist() for found in index.search_all(made, limit)] == hits


def test_the_recall_asked_for_is_kept_in_the_file(tmp_path: Path) -> None:
    index = index_of(twins(np.random.default_rng(1), 5, 40), 0.9)
    index.save(tmp_path / "bands")
    loaded = Bands.load(tmp_path / "bands")
    limits = [Share(percent, "slots") for percent in (30, 50, 80, 90)]
    stated = [index.recall(limit) for limit in limits]
    assert [loaded.recall(limit) for limit in limits] == stated
    assert [Bands(index.spec).recall(limit) for limit in limits] != stated


@pytest.mark.parametrize("recall", [0, 1.1, -1, True, "much", math.nan])
def test_a_recall_must_be_a_share(recall: Any) -> None:
    with pytest.raises(BadSetting, match="recall"):
        Bands(SPEC, recall=recall)


def test_other_shares_are_refused() -> None:
    index = Bands(SPEC)
    with pytest.raises(BadSetting, match="either"):
        index.pairs(Share(80, "either"))


# --- skew ----------------------------------------------------------------------------------------------------


def test_copies_are_looked_at_once() -> None:
    """Six hundred equal sketches and one near them: all pairs, though two rows are all that bands compare."""
    values = np.tile(np.arange(64, dtype=np.uint32), (601, 1))
    values[600, 60:] = 99
    found = index_of(values).pairs(Share(90, "slots"))
    assert couples(found) == {(i, j) for i in range(601) for j in range(i + 1, 601)}
    assert found.value.tolist() == [60 if b == 600 else 64 for b in found.b.tolist()]
    assert found.examined == 1


def test_sketches_of_nothing_match_nothing() -> None:
    """However many texts without a word there are, no one looks at them."""
    values = np.full((500, 64), 0xFFFFFFFF, np.uint32)
    values[:2] = np.arange(64)
    reliable = np.arange(500) < 2
    index = index_of(values, reliable=reliable)
    assert couples(index.pairs(Share(80, "slots"))) == {(0, 1)}
    hits = index.search(Rows(index.spec, values[:1], reliable[:1]), Share(80, "slots"))
    assert (hits.numbers.tolist(), hits.examined) == ([0, 1], 2)
    none = index.search(Rows(index.spec, values[9:10], reliable[9:10]), Share(80, "slots"))
    assert (len(none), none.examined) == (0, 0)
    assert couples(band_candidates(signed(values, reliable), Cut(64, 1, 1.0), reliable | True, reliable | True)) == {
        (0, 1)
    }


def test_a_key_that_all_have_makes_no_candidates() -> None:
    """All texts agree in a tenth of their slots, as boilerplate makes them: only the true pairs are candidates."""
    random = np.random.default_rng(11)
    values = twins(random, 500, 200, 256)
    values[:, :24] = np.arange(24)
    cut = derive_bands(80, 0.999)
    found = couples(band_candidates(signed(values), cut, everything(values), everything(values)))
    assert found == {(2 * i, 2 * i + 1) for i in range(500)}


@pytest.mark.parametrize("seed", range(3))
def test_dear_bands_are_left_out_and_nothing_with_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """All rows agree in two bands: these are not gone through, and pairs at the very threshold are still found."""
    monkeypatch.setattr(bands_module, "_MANY", 100)
    random = np.random.default_rng(seed)
    equal = 80
    values = twins(random, 1000, equal, 256)
    limit = Share(100 * equal / 256, "slots")
    common = 2 * index_of(values[:2]).cut(limit).rows
    values[:, :common] = np.arange(common)
    index = index_of(values, 0.99)
    assert index.cut(limit).spare >= 2
    found = index.pairs(limit)
    assert found.examined < 5 * 1000
    assert len(couples(found) & {(2 * i, 2 * i + 1) for i in range(1000)}) >= 970, f"seed {seed}"
    met = [recall_at(0.3, 100, 2, beyond) for beyond in range(3)]
    assert met[1] == pytest.approx(met[0] - 100 * 0.09 * 0.91**99)
    assert met == sorted(met, reverse=True)


def test_a_query_is_never_dearer_than_a_scan() -> None:
    """Rows that meet the query in every band but are not near it are each looked at once."""
    values = twins(np.random.default_rng(12), 200, 0)
    values[:, ::2] = np.arange(32)
    index = index_of(values)
    hits = index.search(Rows(index.spec, values[:1], np.ones(1, np.bool_)), Share(60, "slots"))
    assert hits.numbers.tolist() == [0]
    assert hits.examined <= 400


def test_candidates_do_not_depend_on_threads_and_follow_lengths_and_freshness() -> None:
    """What is left out is exactly what is too unlike in length, or old on both sides."""
    random = np.random.default_rng(13)
    _, rows = slot_rows(256)
    values = rows(random, 800).values
    made, cut = signed(values), derive_bands(80, 0.99)
    lengths, fresh = random.integers(10, 100, 800), random.random(800) < 0.1
    whole = couples(band_candidates(made, cut, everything(values), everything(values)))
    wanted = {
        (a, b)
        for a, b in whole
        if (fresh[a] or fresh[b]) and 10 * min(lengths[a], lengths[b]) >= 8 * max(lengths[a], lengths[b])
    }
    assert 20 < len(wanted) < len(whole) / 2
    for threads in (1, 2, 3):
        found = band_candidates(made, cut, everything(values), fresh, lengths=lengths, threshold=80, threads=threads)
        assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(wanted)


def test_recall_chooses_the_generator() -> None:
    """Exact unless a lower recall is asked for; both say what they are."""
    streams = streams_of([list(range(20)), list(range(20, 45))])
    bags = bags_of(streams)
    assert str(choose_generator(streams, bags, 80, None)) == "overlap"
    assert choose_generator(streams, bags, 80, 1.0).recall == 1.0
    bands = choose_generator(streams, bags, 80, 0.99)
    assert str(bands).startswith("bands(")
    assert 0.99 <= bands.recall < 1
