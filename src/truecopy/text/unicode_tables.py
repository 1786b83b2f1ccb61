"""The shipped Unicode tables, loaded once, when first needed.

They decide what folding and words are, not Python's `unicodedata`: so results do not change with the Python
version. `tools/make_unicode_tables.py` makes them.
"""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import numpy.typing as npt

UNICODE = "15.0.0"
"""The Unicode version of the tables; it is part of every text profile's spec."""


@functools.lru_cache(maxsize=1)
def tables() -> npt.NDArray[np.int32]:
    """The tables that `truecopy.kernels.fold` reads; its head says what they hold."""
    with np.load(Path(__file__).with_name(f"unicode-{UNICODE}.npz"), allow_pickle=False) as stored:
        return np.ascontiguousarray(stored["tables"], np.int32)


def new_scratch(room: int) -> npt.NDArray[np.int64]:
    """Scratch for the kernels that fold: enough for segments of `room` decomposed code points."""
    return np.empty(4 * max(room, 1024), np.int64)


def word_classes(points: npt.NDArray[np.uint32]) -> npt.NDArray[np.int32]:
    """The word class of each folded code point."""
    from truecopy.kernels.fold import INFOS_AT, PAGES_AT, WORD_CLASS

    table = tables()
    entries: npt.NDArray[np.int32] = table[INFOS_AT + table[PAGES_AT + (points >> 7)] + (points & 127)]
    return entries & np.int32(WORD_CLASS)
