"""Stored shingles against brute force: whatever contains a fresh text, or is inside one, is touched."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import streams_of
from touched_cases import Texts, edited, make_texts, split_collections

from truecopy.errors import BadSetting
from truecopy.index import shingle_lists
from truecopy.index.shingle_lists import ShingleLists, build, merge, sound, touch
from truecopy.kernels.secret import seeded_keys
from truecopy.pairing import find_contained
from truecopy.threshold import WHOLE, ten_thousandths

FLOORS = [5.0, 50.0, 80.0, 95.0, 100.0]
KEYS = seeded_keys(1 << 16, b"a seed")


def block_of(texts: Texts, floor: float, threads: int = 2) -> ShingleLists:
    streams = streams_of(texts)
    return build(streams.words, streams.offsets, KEYS, floor, threads)


def touched(block: ShingleLists, fresh: Texts, floor: float, threads: int = 2) -> list[bool]:
    known, streams = np.zeros(len(block), np.bool_), streams_of(fresh)
    touch(block, streams.words, streams.offsets, KEYS, floor, known, threads)
    return known.tolist()


def shingles(text: list[int]) -> set[tuple[int, ...]]:
    return {tuple(text[i : i + 3]) for i in range(len(text) - 2)}


def expected(stored: Texts, fresh: Texts, floor: float) -> list[bool]:
    """By comparing every two sets of shingles."""
    asking, least = [shingles(text) for text in fresh], ten_thousandths(floor)

    def matters(own: set[tuple[int, ...]], other: set[tuple[int, ...]]) -> bool:
        smaller = min(len(own), len(other))
        return smaller >= 50 and len(own & other) * WHOLE >= least * smaller

    return [any(matters(shingles(text), other) for other in asking) for text in stored]


def missed(wanted: list[bool], found: list[bool]) -> list[int]:
    return [i for i, (want, have) in enumerate(zip(wanted, found, strict=True)) if want and not have]


def same(one: ShingleLists, other: ShingleLists) -> bool:
    arrays = zip((one.entries, one.sizes, one.starts), (other.entries, other.sizes, other.starts), strict=True)
    return one.floor == other.floor and all(np.array_equal(x, y) for x, y in arrays)


@given(split_collections(longest=160), st.sampled_from(FLOORS), st.sampled_from(FLOORS))
@settings(max_examples=200)
def test_nothing_is_missed(collection: tuple[Texts, list[int]], floor: float, asked: float) -> None:
    """In one block or several, merged, or read from a file."""
    texts, places = collection
    floor, asked = min(floor, asked), max(floor, asked)
    fresh = [text for text, place in zip(texts, places, strict=True) if place < 0]
    blocks, order = [], []
    for number in range(max([-1, *places]) + 1):
        own = [text for text, place in zip(texts, places, strict=True) if place == number]
        block = block_of(own, floor)
        assert sound(block, len(own))
        assert same(block, block_of(own, floor, 1)), "threads change nothing"
        found = touched(block, fresh, asked)
        assert missed(expected(own, fresh, asked), found) == []
        stored = replace(block, **{name: getattr(block, name).copy() for name in ("entries", "sizes", "starts")})
        assert touched(stored, fresh, asked, 1) == found
        blocks.append(block)
        order += own
    if blocks:
        merged = merge(blocks, 2)
        assert sound(merged, len(order))
        assert missed(expected(order, fresh, asked), touched(merged, fresh, asked)) == []


def test_every_text_with_a_fresh_partner_is_touched(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole join finds no pair of a stored and a fresh text whose stored one is not touched, in any batches."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 500, 5000, 400)
    streams, fresh = streams_of(texts), random.random(500) < 0.3
    contained = find_contained(streams, 70, fresh, 2)
    mixed = fresh[contained.a] != fresh[contained.b]
    partners = np.where(fresh[contained.a], contained.b, contained.a)[mixed]
    assert len(partners) > 20
    stored = np.flatnonzero(~fresh)
    block = block_of([texts[i] for i in stored], 70)
    for largest in (1 << 14, 3):
        monkeypatch.setattr(shingle_lists, "_LARGEST", largest)
        known = np.zeros(500, np.bool_)
        known[stored] = touched(block, [texts[i] for i in np.flatnonzero(fresh)], 70)
        assert known[partners].all()
        assert known.sum() < 2 * len(np.unique(partners)) + 20, "few others"


@pytest.mark.parametrize("copies", [1 << 20, 500, -700])
def test_long_runs_lose_nothing(copies: int, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of the same few paragraphs share every shingle with hundreds of others, some of them marked already."""
    monkeypatch.setattr(shingle_lists, "_COPIES", copies)  # all long runs are copied, or some, or hardly any
    random = np.random.default_rng(seed)
    paragraphs = [random.integers(0, 2000, random.integers(30, 90)).tolist() for _ in range(6)]

    def some_text() -> list[int]:
        chosen = random.permutation(6)[: random.integers(1, 5)]
        return [word for one in chosen for word in edited(random, paragraphs[one], 2000)]

    stored, fresh = [some_text() for _ in range(400)], [some_text() for _ in range(60)]
    block = merge([block_of(stored[:150], 60), block_of(stored[150:], 60)], 2)
    for floor in (60, 80, 95):
        wanted = expected(stored, fresh, floor)
        assert any(wanted)
        assert missed(wanted, touched(block, fresh, floor)) == []


def test_merging_is_building(seed: int) -> None:
    """Entries of merged blocks are those of all texts; what is listed was chosen in each block, and stays exact."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 300, 4000, 300)
    whole, parts = block_of(texts, 80), [block_of(texts[i : i + 100], 80) for i in (0, 100, 200)]
    room = np.empty(len(whole.entries), np.uint64)
    merged = merge(parts, 2, room)
    assert merged.entries is room
    others = np.uint64(1 << 31)
    assert np.array_equal(np.sort(merged.entries | others), np.sort(whole.entries | others))
    assert np.array_equal(merged.sizes, whole.sizes)
    assert np.array_equal(merged.starts, whole.starts)
    assert sound(merged, 300)
    assert same(merge(parts[:1], 1), parts[0])


@pytest.mark.parametrize("fresh_inside", [False, True])
def test_a_family_is_marked_by_few_texts(fresh_inside: bool, seed: int) -> None:
    """2,000 fresh copies of a form meet 4,000 stored ones, and nobody counts eight million pairs."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 3000, 300).tolist()
    more = random.integers(3000, 6000, 60).tolist()
    stored = [edited(random, form, 3000) + (more if fresh_inside else []) for _ in range(4_000)]
    fresh = streams_of([edited(random, form, 3000) + ([] if fresh_inside else more) for _ in range(2_000)])
    known = np.zeros(4_000, np.bool_)
    examined = touch(block_of(stored, 70), fresh.words, fresh.offsets, KEYS, 70, known, 2)
    assert known.mean() > 0.99
    assert examined.met < 40 * 4_000


def test_boilerplate_is_not_read_for_every_text(seed: int) -> None:
    """A notice that all 3,000 stored texts end with costs nothing: no text is listed under it, none asks for it."""
    random = np.random.default_rng(seed)
    notice = random.integers(0, 500, 100).tolist()
    texts = [random.integers(500, 60_000, 200).tolist() + notice for _ in range(4_000)]
    fresh = streams_of(texts[3_000:])
    known = np.zeros(3_000, np.bool_)
    examined = touch(block_of(texts[:3_000], 80), fresh.words, fresh.offsets, KEYS, 80, known, 2)
    assert not known.any()
    assert examined.read < 10 * 4_000


def test_what_is_known_is_passed_over() -> None:
    text = list(range(100))
    fresh, known = streams_of([text] * 3), np.ones(5, np.bool_)
    examined = touch(block_of([text] * 5, 80), fresh.words, fresh.offsets, KEYS, 80, known, 1)
    assert known.all()
    assert (examined.read, examined.met) == (0, 0)


def test_shares_of_just_the_floor_are_in() -> None:
    """80 of 100 shingles are 80 %, to the integer; both ways round."""
    inside = list(range(102))
    whole = [*range(82), *range(1000, 1100)]
    for stored, fresh in ((inside, whole), (whole, inside)):
        assert touched(block_of([stored], 80), [fresh], 80) == [True]
        assert touched(block_of([stored], 80), [fresh], 80) == expected([stored], [fresh], 80)


def test_shares_of_just_the_floor_are_in_among_hundreds() -> None:
    """The same where every shingle that counts is one that 200 texts have."""
    excerpt = list(range(102))
    wholes = [[*range(82), *range(1000 + 100 * i, 1100 + 100 * i)] for i in range(200)]
    assert touched(block_of(wholes, 80), [excerpt], 80) == [True] * 200
    assert touched(block_of([excerpt] * 200, 80), wholes[:1], 80) == [True] * 200


def test_wrong_questions_are_refused() -> None:
    block, fresh = block_of([list(range(90))], 80), streams_of([list(range(90))])
    with pytest.raises(BadSetting, match="listed for 80 and above"):
        touch(block, fresh.words, fresh.offsets, KEYS, 79.9999, np.zeros(1, np.bool_), 1)
    with pytest.raises(BadSetting, match="known"):
        touch(block, fresh.words, fresh.offsets, KEYS, 80, np.zeros(2, np.bool_), 1)
    with pytest.raises(BadSetting, match="floor"):
        merge([block, block_of([list(range(90))], 90)], 1)
    with pytest.raises(BadSetting, match="floor"):
        merge([], 1)
    with pytest.raises(BadSetting, match="entries"):
        merge([block], 1, np.empty(3, np.uint64))


def changed(array: Any, place: int, value: int) -> Any:
    out = array.copy()
    out[place] = value
    return out


HOSTILE = {
    "no floor": lambda b: replace(b, floor=0),
    "another floor": lambda b: replace(b, floor=500_000),
    "an owner that is not there": lambda b: replace(b, entries=changed(b.entries, -1, (1 << 64) - 1)),
    "entries out of order": lambda b: replace(b, entries=b.entries[::-1].copy()),
    "an entry less": lambda b: replace(b, entries=b.entries[:-1]),
    "another text's entry": lambda b: replace(b, entries=changed(b.entries, 5, int(b.entries[5]) ^ 1)),
    "entries of another type": lambda b: replace(b, entries=b.entries.astype(np.int64)),
    "sizes that do not fit": lambda b: replace(b, sizes=changed(b.sizes, 0, 1)),
    "a negative size": lambda b: replace(b, sizes=changed(b.sizes, 0, -1)),
    "wider sizes": lambda b: replace(b, sizes=b.sizes.astype(np.int64)),
    "a text less": lambda b: replace(b, sizes=b.sizes[:-1]),
    "starts beyond the end": lambda b: replace(b, starts=changed(b.starts, 3, 1 << 40)),
    "negative starts": lambda b: replace(b, starts=changed(b.starts, 0, -1)),
    "starts of other slots": lambda b: replace(b, starts=changed(b.starts, 3, int(b.starts[4]) + 1)),
    "a slot less": lambda b: replace(b, starts=np.delete(b.starts, 3)),
    "no starts": lambda b: replace(b, starts=b.starts[:0]),
    "a table of starts": lambda b: replace(b, starts=b.starts[:, None]),
}


@pytest.mark.parametrize("damage", HOSTILE)
def test_damaged_arrays_are_refused(damage: str) -> None:
    texts = make_texts(np.random.default_rng(3), 60, 900, 200)
    block = block_of(texts, 80)
    assert sound(block, 60)
    assert not sound(HOSTILE[damage](block), 60)
    assert not sound(block, 61)
