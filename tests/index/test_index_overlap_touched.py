"""What fresh bags touch, against the definition: every stored bag that overlaps enough with some of them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from index_texts import bags_of, streams_of
from touched_cases import Texts, edited, make_texts, split_collections

from truecopy.errors import BadSetting
from truecopy.index.blocks import Block, read_block
from truecopy.index.limits import Share
from truecopy.index.overlap import Overlap
from truecopy.index.overlap_touched import touch_similar
from truecopy.index.rows import BAGS, Rows, rows_of_bags
from truecopy.pairing import find_similar
from truecopy.threshold import WHOLE, ten_thousandths

FLOORS = [5.0, 33.3333, 50.0, 70.0, 80.0, 90.0, 100.0]


def rows_of(texts: Texts) -> Rows:
    return rows_of_bags(bags_of(streams_of(texts)))


def block_of(rows: Rows, floor: float) -> Block:
    return Overlap(BAGS, floor=floor, shortest=10).make_block(rows, np.arange(len(rows)))


def touched(block: Block, queries: Rows, share: float, threads: int = 2, by_lists: bool | None = None) -> list[bool]:
    known = np.zeros(len(block), np.bool_)
    touch_similar(block, queries, Share(share, of="longer"), known, threads, by_lists=by_lists)
    return known.tolist()


def expected(stored: Texts, fresh: Texts, share: float) -> list[bool]:
    """By comparing every two bags."""
    bags = [Counter(text) for text in fresh if len(text) >= 10]
    least = ten_thousandths(share)

    def overlaps(text: list[int]) -> bool:
        own = Counter(text)
        needed = ((least * max(len(text), bag.total()), bag) for bag in bags)
        return len(text) >= 10 and any((own & bag).total() * WHOLE >= need for need, bag in needed)

    return [overlaps(text) for text in stored]


@given(split_collections(), st.sampled_from(FLOORS), st.sampled_from(FLOORS), st.sampled_from([None, False, True]))
@settings(max_examples=300)
def test_what_overlaps_is_touched_and_nothing_else(
    collection: tuple[Texts, list[int]], floor: float, share: float, by_lists: bool | None
) -> None:
    """In one block or several, merged or read from a file, by lists and without them."""
    texts, places = collection
    rows = rows_of(texts)
    fresh = np.flatnonzero(np.array(places, np.int64) < 0)
    queries = rows.take(fresh)
    blocks, order = [], []
    for number in sorted(set(places) - {-1}):
        own = np.flatnonzero(np.array(places) == number)
        block = block_of(rows.take(own), floor)
        wanted = expected([texts[i] for i in own], [texts[i] for i in fresh], share)
        assert touched(block, queries, share, 2, by_lists) == wanted
        stored = read_block(BAGS, {name: array.copy() for name, array in block.stored().items()})
        assert stored is not None
        assert touched(stored, queries, share, 1, by_lists) == wanted
        blocks.append(block)
        order += own.tolist()
    if len(blocks) > 1:
        merged = Overlap(BAGS, floor=floor, shortest=10)._one(tuple(blocks))
        assert touched(merged, queries, share, 2, by_lists) == expected(
            [texts[i] for i in order], [texts[i] for i in fresh], share
        )


def test_every_text_with_a_similar_fresh_one_is_touched(seed: int) -> None:
    """The whole join finds no pair of a stored and a fresh text whose stored one is not touched."""
    random = np.random.default_rng(seed)
    texts = make_texts(random, 400, 500, 300)
    streams, fresh = streams_of(texts), random.random(400) < 0.3
    bags = bags_of(streams)
    similar = find_similar(streams, bags, 60, 1, fresh, 2)
    rows = rows_of_bags(bags)
    stored = np.flatnonzero(~fresh)
    known = np.zeros(400, np.bool_)
    known[stored] = touched(block_of(rows.take(stored), 50), rows.take(np.flatnonzero(fresh)), 60)
    mixed = fresh[similar.a] != fresh[similar.b]
    partners = np.where(fresh[similar.a], similar.b, similar.a)[mixed]
    assert len(partners) > 20
    assert known[partners].all()


@pytest.mark.parametrize("by_lists", [None, False, True])
def test_a_family_is_marked_by_few_queries(by_lists: bool | None, seed: int) -> None:
    """Each of 2,000 queries overlaps with each of 4,000 texts, and nobody looks at eight million pairs."""
    random = np.random.default_rng(seed)
    form = random.integers(0, 300, 200).tolist()
    rows = rows_of([edited(random, form, 300) for _ in range(6_000)])
    block, queries = block_of(rows.slice(0, 4_000), 70), rows.slice(4_000, 6_000)
    known = np.zeros(4_000, np.bool_)
    examined = touch_similar(block, queries, Share(70, of="longer"), known, 2, by_lists=by_lists)
    assert known.all()
    assert examined.read + examined.tried < 20 * 4_000


def test_what_is_known_is_passed_over() -> None:
    """Marked rows stay marked, and cost nothing."""
    rows = rows_of([[*range(40), i] for i in range(50)])
    known = np.ones(50, np.bool_)
    examined = touch_similar(block_of(rows, 70), rows, Share(70, of="longer"), known, 1)
    assert known.all()
    assert (examined.read, examined.tried) == (0, 0)


def test_short_queries_ask_nothing() -> None:
    """Texts of fewer than ten words are paired by equality only."""
    rows = rows_of([list(range(9)), list(range(10))])
    assert touched(block_of(rows, 50), rows.slice(0, 1), 50) == [False, False]
    assert touched(block_of(rows, 50), rows.slice(1, 2), 50) == [False, True]


def test_wrong_questions_are_refused() -> None:
    rows = rows_of([list(range(12))])
    block = block_of(rows, 50)
    with pytest.raises(BadSetting, match="share"):
        touch_similar(block, rows, Share(50, of="smaller"), np.zeros(1, np.bool_), 1)
    with pytest.raises(BadSetting, match="known"):
        touch_similar(block, rows, Share(50, of="longer"), np.zeros(2, np.bool_), 1)
