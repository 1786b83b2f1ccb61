"""Which stored passages fresh texts can be paired with, found by the matter's indexes of words.

No stored text is read for this, and no pair is made: `index.overlap_touched` and `index.shingle_lists` mark what
matters.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.index.limits import Share
from truecopy.index.overlap_touched import touch_similar
from truecopy.index.rows import rows_of_bags
from truecopy.index.shingle_lists import touch
from truecopy.match.relations import RELATION_NAMES
from truecopy.matter.indexing import contained_blocks, overlap_blocks
from truecopy.matter.state import State
from truecopy.matter.texts import shingle_keys
from truecopy.settings import MatterSettings
from truecopy.text.streams import make_bags
from truecopy.wave.fresh import FreshTexts, room_of
from truecopy.wave.touched import Touched

I64 = NDArray[np.int64]


def touched(state: State, fresh: FreshTexts, settings: MatterSettings, threads: int) -> Touched:
    """The passages that may have a pair with a fresh text at a floor; and of families that are dense or may become so,
    all passages.
    """
    found = [_similar(state, fresh, settings, threads), _contained(state, fresh, settings, threads)]
    passages = np.unique(np.concatenate(found))
    families = {name: _families(state, name, passages, len(fresh), settings.dense) for name in RELATION_NAMES}
    return Touched(np.unique(np.concatenate([passages, *(_keys(one) for one in families.values())])), families)


def _similar(state: State, fresh: FreshTexts, settings: MatterSettings, threads: int) -> I64:
    """Passages whose bags of words overlap enough with a fresh text's."""
    blocks = overlap_blocks(state)
    parts = [np.empty(0, np.int64)]
    if blocks and len(fresh):
        rows = rows_of_bags(make_bags(fresh.words, fresh.offsets, room_of(fresh.words), threads))
        for block in blocks:
            known = np.zeros(len(block), np.bool_)
            touch_similar(block, rows, Share(settings.floor, "longer"), known, threads)
            parts.append(block.numbers[known])
    return np.concatenate(parts)


def _contained(state: State, fresh: FreshTexts, settings: MatterSettings, threads: int) -> I64:
    """Passages that may contain a fresh text, or be contained in one."""
    blocks = contained_blocks(state)
    parts = [np.empty(0, np.int64)]
    if blocks and len(fresh):
        keys = shingle_keys(state, room_of(fresh.words))
        for block in blocks:
            known = np.zeros(len(block), np.bool_)
            touch(block.lists, fresh.words, fresh.offsets, keys, settings.contains_floor, known, threads)
            parts.append(block.numbers[known])
    return np.concatenate(parts)


def _families(state: State, relation: str, passages: I64, fresh: int, dense: int) -> dict[int, int]:
    """The families of touched passages, with all their passages where one may be dense."""
    found = state.families.of(relation, passages.tolist())
    families = set(found.values())
    if fresh + state.families.size(relation, families) <= dense:
        return found  # even together they would not be
    return state.families.of(relation, state.families.members(relation, families).tolist())


def _keys(families: dict[int, int]) -> I64:
    return np.fromiter(families, np.int64, len(families))
