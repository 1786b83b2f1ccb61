"""Which stored passages fresh texts can be paired with, found by the matter's indexes of runs and of bags of words.

No stored text is read for this, and no pair is made: `index.touched_runs` marks what matters.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from truecopy.array_types import I64, U32, U64
from truecopy.index.blocks import Block
from truecopy.index.overlap import ordered_of
from truecopy.index.overlap_lists import Ordered, put_in_order
from truecopy.index.rows import joined
from truecopy.index.runs import RunBlock, touched_numbers
from truecopy.match.relations import ALL_INDEXED, RELATION_NAMES
from truecopy.matter.indexing import TWINS, overlap_blocks, run_blocks
from truecopy.matter.signed import index_type
from truecopy.matter.state import State
from truecopy.matter.texts import STREAMS, shingle_keys
from truecopy.model import DOCUMENT
from truecopy.settings import MatterSettings
from truecopy.wave.fresh import FreshTexts, room_of
from truecopy.wave.touched import Touched


def touched(state: State, parts: Sequence[FreshTexts], settings: MatterSettings, threads: int) -> Touched:
    """The passages that may have a pair with a fresh text at a floor; and of families that are dense or may become so,
    all passages. Fresh texts are given in parts.
    """
    paired = [_paired(state, part, settings, threads) for part in parts]
    passages, fresh = np.unique(np.concatenate(paired)), sum(map(len, parts))
    families = {name: _families(state, name, passages, fresh, settings.dense) for name in RELATION_NAMES}
    every = np.unique(np.concatenate([passages, *(_keys(one) for one in families.values())]))
    return Touched(every, paired, families)


def _paired(state: State, fresh: FreshTexts, settings: MatterSettings, threads: int) -> I64:
    """Passages that may have a pair with a fresh text: those that the runs tell, or all where they do not tell."""
    if not ALL_INDEXED:
        return state.passages.every()[:, 0]
    blocks = run_blocks(state)
    if not blocks or not len(fresh):
        return np.empty(0, np.int64)
    texts = fresh.words, fresh.offsets, shingle_keys(state, room_of(fresh.words))
    floors = settings.contains_floor, settings.floor
    return touch_blocks(state, blocks, texts, threads, *floors)


def touch_blocks(
    state: State,
    blocks: Sequence[RunBlock],
    texts: tuple[U32, I64, U64],
    threads: int,
    contains: float | None,
    similar: float | None = None,
) -> I64:
    """The passages of some blocks that may be paired with texts, given by their words, offsets and keys."""
    bags = [_bags(state, block.numbers, threads) for block in blocks]
    return touched_numbers(blocks, bags, texts, threads, contains, similar)


def _bags(state: State, passages: I64, threads: int) -> Ordered:
    """The stored bags of some passages, which are in order: those of one block, as a rule (`indexing.TWINS`)."""
    blocks = overlap_blocks(state)
    for block in blocks:
        if np.array_equal(block.numbers, passages):
            return ordered_of(block)
    # Earlier versions rebuilt one of the two indexes without the other. What is put together is kept open like a block.
    files = [file for one in (*map(index_type, TWINS), STREAMS) for file in state.files.of(one, DOCUMENT)]
    good_for = state.good_for(files), len(passages)
    first = int(passages[0]) if len(passages) else 0
    return state.opened.get(f"bags from {first}", good_for, lambda: _gathered(blocks, passages, threads))


def _gathered(blocks: Sequence[Block], passages: I64, threads: int) -> Ordered:
    """The bags of some passages from the blocks that hold them."""
    blocks = [one for one in blocks if np.isin(one.numbers, passages, assume_unique=True).any()] or blocks[:1]
    numbers = np.concatenate([block.numbers for block in blocks])
    order = np.argsort(numbers, kind="stable")
    rows = joined([block.rows for block in blocks]).take(order[np.searchsorted(numbers[order], passages)])
    return put_in_order(rows, 1, threads)


def _families(state: State, relation: str, passages: I64, fresh: int, dense: int) -> dict[int, int]:
    """The families of touched passages, with all their passages where one may be dense."""
    found = state.families.of(relation, passages.tolist())
    families = set(found.values())
    if fresh + state.families.size(relation, families) <= dense:
        return found  # even together they would not be
    return state.families.of(relation, state.families.members(relation, families).tolist())


def _keys(families: dict[int, int]) -> I64:
    return np.fromiter(families, np.int64, len(families))
