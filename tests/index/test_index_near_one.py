"""One text asks stored runs: whatever is similar to it is named, few others are, and nothing else is read."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import streams_of
from rapidfuzz.distance import Levenshtein
from touched_cases import Texts, edited, make_texts, split_collections

from truecopy.errors import BadSetting
from truecopy.index.near_one import near_one, share_enough
from truecopy.index.run_lists import build_lists, merge_lists
from truecopy.index.runs import RunBlock
from truecopy.kernels.secret import keys_of, seeded_keys
from truecopy.threshold import WHOLE, ten_thousandths

SEED = b"a seed"
KEYS = seeded_keys(1 << 17, SEED)
FLOORS = [5.0, 50.0, 72.5, 80.0, 95.0, 100.0]


def block_of(texts: Texts, similar: float, first: int = 0) -> RunBlock:
    streams = streams_of(texts)
    lists = build_lists(streams.words, streams.offsets, KEYS, 80, similar, 1)
    return RunBlock(lists, np.arange(first, first + len(texts)))


def asked(blocks: list[RunBlock], text: list[int], similar: float) -> list[int]:
    """As a question asks: with the values of the text's own words only."""
    words, places = np.unique(np.array(text, np.uint32), return_inverse=True)
    return near_one(blocks, places.astype(np.uint32), keys_of(words, SEED), similar).tolist()


def similar_to(stored: Texts, text: list[int], floor: float) -> list[int]:
    """By the distance to every text of ten words or more."""
    found = []
    for i, other in enumerate(stored):
        longer = max(len(text), len(other))
        if min(len(text), len(other)) >= 10:
            near = (longer - Levenshtein.distance(text, other)) * WHOLE >= ten_thousandths(floor) * longer
            found += [i] if near else []
    return found


@given(split_collections(longest=160), st.sampled_from(FLOORS), st.sampled_from(FLOORS))
@settings(max_examples=200, deadline=None)
def test_nothing_similar_is_missed(collection: tuple[Texts, list[int]], one: float, other: float) -> None:
    """In several blocks or in one that they are merged to, at the floor and above."""
    texts, places = collection
    floor, threshold = min(one, other), max(one, other)
    fresh = [text for text, place in zip(texts, places, strict=True) if place < 0]
    blocks: list[RunBlock] = []
    stored: Texts = []
    for number in range(max([-1, *places]) + 1):
        own = [text for text, place in zip(texts, places, strict=True) if place == number]
        blocks.append(block_of(own, floor, len(stored)))
        stored += own
    merged = [RunBlock(merge_lists([block.lists for block in blocks], 1), np.arange(len(stored)))] if blocks else []
    for text in fresh:
        wanted = set(similar_to(stored, text, threshold))
        assert wanted <= set(asked(blocks, text, threshold))
        assert wanted <= set(asked(merged, text, threshold))


def test_few_others_are_named(seed: int) -> None:
    """Of 2,000 texts of families and single ones, what is named is similar, as a rule, or nearly."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 2000, 5000, 300)
    stored, block = texts[:1900], [block_of(texts[:1900], 70)]
    wanted = named = 0
    for text in texts[1900:]:
        similar, found = similar_to(stored, text, 80), asked(block, text, 80)
        assert set(similar) <= set(found)
        assert found == sorted(set(found))
        wanted, named = wanted + len(similar), named + len(found)
    assert wanted > 20
    assert named < 3 * wanted + 100


def test_a_run_that_every_text_has_costs_little_memory(seed: int) -> None:
    """A family of 3,000 texts: all are named, though nearly every run leads to all of them."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 300, 200).tolist()
    texts = [edited(random, form, 300) for _ in range(3_001)]
    assert set(similar_to(texts[:3_000], texts[-1], 70)) <= set(asked([block_of(texts[:3_000], 70)], texts[-1], 70))


def test_just_the_floor_is_in() -> None:
    """30 edits of 100 words leave 70 %, to the integer; both ways round, wherever the edits are."""
    text = list(range(100))
    every_third = [1000 + i if i % 3 == 0 and i < 90 else i for i in text]
    longer = [word for i in range(70) for word in ([i, 1000 + i] if i % 7 < 3 else [i])]
    for one, other in ((text, every_third), (list(range(70)), longer), (text, text[30:])):
        for stored, fresh in ((one, other), (other, one)):
            assert asked([block_of([stored], 70)], fresh, 70) == [0]


def test_words_that_nobody_has_and_short_texts_find_nothing() -> None:
    """No text of fewer than ten words is asked about or found."""
    block = [block_of([list(range(9)), list(range(100))], 70)]
    assert asked(block, list(range(5000, 5100)), 70) == []
    assert asked(block, list(range(9)), 70) == []
    assert asked([], list(range(100)), 70) == []
    assert asked([block_of([], 70)], list(range(100)), 70) == []


def test_less_than_the_floor_is_refused() -> None:
    """What is stored cannot tell."""
    with pytest.raises(BadSetting, match="below the floor"):
        asked([block_of([list(range(100))], 80)], list(range(100)), 79)


@given(st.lists(st.lists(st.integers(0, 12), max_size=30), min_size=1, max_size=8), st.sampled_from(FLOORS))
@settings(deadline=None)
def test_words_in_common_are_counted_as_often_as_both_have_them(texts: Texts, floor: float) -> None:
    """By counters of Python."""
    from collections import Counter

    text, *stored = texts
    streams = streams_of(stored)
    words, counts = np.unique(np.array(text, np.uint32), return_counts=True)
    arrays = {"words": streams.words, "offsets": streams.offsets}
    given_texts = np.arange(len(stored), dtype=np.int64)
    found = share_enough((words, counts), arrays, given_texts, floor).tolist()
    shared = [(Counter(text) & Counter(other)).total() for other in stored]
    longer = [max(len(text), len(other)) for other in stored]
    least = ten_thousandths(floor)
    assert found == [s * WHOLE >= least * most for s, most in zip(shared, longer, strict=True)]


def test_values_of_some_words_are_those_of_all() -> None:
    """A question makes those of its own words, a wave all of them."""
    some = np.array([0, 5, 70_000, 131_071], np.uint32)
    assert keys_of(some, SEED).tolist() == KEYS[some].tolist()
