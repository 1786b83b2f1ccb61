"""The stages of a join, run as an engine would run them, against the joins over everything; and the page about them."""

from __future__ import annotations

import doctest
import sys
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).with_name("index")))

from index_texts import bags_of, streams_of
from touched_cases import Texts, make_texts, split_collections

from truecopy import stages
from truecopy.pairing import find_contained, find_similar
from truecopy.text.streams import Streams

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "without-a-store.md"
FLOORS = [50.0, 70.0, 80.0, 100.0]


def local(streams: Streams, places: list[int]) -> Streams:
    """Some of the texts, with numbers of their own, by their hashes."""
    words = [streams.hashes[streams[place]] for place in places]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(part) for part in words], dtype=np.int64)])
    return Streams.from_hashes(np.concatenate([np.empty(0, np.uint64), *words]), offsets)


def parts_of(places: list[int]) -> list[list[int]]:
    return [[i for i, place in enumerate(places) if place == part] for part in sorted(set(places))]


@given(split_collections(longest=160), st.sampled_from(FLOORS), st.integers(0, 5))
@settings(max_examples=150)
def test_stages_find_what_the_joins_find(collection: tuple[Texts, list[int]], floor: float, common: int) -> None:
    """Parts that know nothing of each other make the entries; what is verified is what a join of all texts finds."""
    texts, places = collection
    streams = streams_of(texts)
    fresh, often = np.ones(len(texts), np.bool_), streams.hashes[:common]
    given = [(local(streams, part), np.array(part, np.int64)) for part in parts_of(places)]

    candidates = stages.join(stages.together([stages.prefix_entries(*one, floor, often) for one in given]))
    similar = stages.verify_similar(streams, *candidates, floor, 2)
    wanted = find_similar(streams, bags_of(streams), floor, 1, fresh, 2).pairs
    for name, column in wanted.columns().items():
        assert getattr(similar, name).tolist() == column.tolist()

    inside = stages.join(stages.together([stages.rare_entries(*one, floor) for one in given]))
    contained = stages.verify_contained(streams, *inside, floor, 2)
    expected = find_contained(streams, floor, fresh, 2).pairs
    for name, column in expected.columns().items():
        assert getattr(contained, name).tolist() == column.tolist()


def test_common_keys_come_last(seed: int) -> None:
    """What every text has is asked for only where nothing rarer is left; what is found stays the same."""
    random = np.random.default_rng(seed)
    notice = random.integers(0, 50, 60).tolist()
    texts = [random.integers(50, 5000, 60).tolist() + notice for _ in range(80)]
    streams, every = streams_of([*texts, *texts[:5]]), np.arange(85)
    shingles = stages.rare_entries(streams, every, 80).keys
    keys, often = np.unique(shingles, return_counts=True)
    for entries, common in (
        (stages.prefix_entries, streams.hashes[:50]),
        (stages.rare_entries, keys[often > 40]),
    ):
        a, b = stages.join(entries(streams, every, 80, common))
        assert {(i, 80 + i) for i in range(5)} <= set(zip(a.tolist(), b.tolist(), strict=True))
        assert len(a) < len(stages.join(entries(streams, every, 80))[0]) / 2


def test_bands_find_near_copies(seed: int) -> None:
    random = np.random.default_rng(seed)
    base = [random.integers(0, 5000, 300).tolist() for _ in range(40)]
    streams = streams_of([*base, *([*text[:-3], 1, 2, 3] for text in base)])
    a, b = stages.join(stages.band_entries(streams, np.arange(80), 80, 0.99))
    found = stages.verify_similar(streams, a, b, 80)
    assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(i, 40 + i) for i in range(40)]


def test_entries_can_be_joined_by_ranges_of_keys(seed: int) -> None:
    """What shares a key must come together, and nothing else."""
    texts = make_texts(np.random.default_rng(seed), 60, 300, 120)
    entries = stages.rare_entries(streams_of(texts), np.arange(60), 70)
    whole = set(zip(*(column.tolist() for column in stages.join(entries)), strict=True))
    apart = [stages.join(entries.take(entries.keys % np.uint64(3) == part)) for part in range(3)]
    assert set().union(*(zip(a.tolist(), b.tolist(), strict=True) for a, b in apart)) == whole
    assert all(a < b for a, b in whole)


def test_the_page_runs() -> None:
    failed, tried = doctest.testfile(str(PAGE), module_relative=False)
    assert failed == 0
    assert tried > 20
