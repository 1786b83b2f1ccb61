"""Which stored texts one text can be similar to, by blocks of runs (`index.runs`): what a single question asks.

`touched_runs.mark_touched` answers the same for the texts of a wave, for `contains` too, with arrays as long as the
blocks. This reads what lies around the runs of one text, and nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U32, U64
from truecopy.errors import BadSetting
from truecopy.index.runs import RunBlock
from truecopy.kernels import one_text
from truecopy.kernels.arrays import read_only
from truecopy.model import SHORTEST_PAIRED
from truecopy.threshold import WHOLE, ten_thousandths

_PRICES: I64 = read_only(np.unique((2 * np.geomspace(0.5, 1 << 21, 48)).astype(np.int64) | 1))
"""What a piece may cost, twice; a step of a third is near enough."""


def near_one(blocks: Sequence[RunBlock], words: U32, keys: U64, similar: float) -> I64:
    """The numbers, in order, of all stored texts that a text may be similar to at a threshold, and of few others.

    `words` are places in `keys`, which has the values that the blocks were made with, each once. Texts that are too
    short to be paired are neither asked about nor found.
    """
    least = ten_thousandths(similar)
    if any(least < block.lists.similar for block in blocks):
        raise BadSetting("The threshold is below the floor that the blocks were made for.", "Ask for a higher one.")
    if len(words) < SHORTEST_PAIRED:
        return np.empty(0, np.int64)
    tags, places = np.empty(2 * len(words), np.uint32), np.empty((len(words), 2), np.int32)
    used = one_text.runs_of(read_only(words), read_only(keys), tags, places)
    runs, limits = (read_only(tags[:used]), read_only(places)), (least, WHOLE, SHORTEST_PAIRED)
    found = [np.empty(0, np.int64)]
    for block in blocks:
        lists = block.lists
        arrays = read_only(lists.entries), read_only(lists.starts), read_only(lists.lengths), read_only(lists.pieces)
        found.append(block.numbers[one_text.near_one(*runs, arrays, lists.slot_bits, limits, _PRICES)])
    return np.unique(np.concatenate(found))


def share_enough(asked: tuple[U32, I64], streams: Mapping[str, Any], texts: I64, similar: float) -> NDArray[np.bool_]:
    """Which of some texts of streams share enough words with one to be similar to it, whatever their order.

    `asked` are the words of that one in order of their numbers, each once, and how often it has each.
    """
    enough = np.empty(len(texts), np.bool_)
    words, counts = read_only(asked[0]), read_only(asked[1])
    given = read_only(streams["words"]), read_only(streams["offsets"]), read_only(texts)
    one_text.share_enough(words, counts, *given, ten_thousandths(similar), WHOLE, enough)
    return enough
