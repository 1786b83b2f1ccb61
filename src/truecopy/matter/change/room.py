"""The room that a wave has: what does not fit into the memory that is allowed is kept in its spool meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import Stored
from truecopy.matter.change.spool import Spool
from truecopy.streamed import Sliceable
from truecopy.text.streams import Signs
from truecopy.wave.fresh import FreshTexts

S = TypeVar("S", bound=np.generic)

BYTES_A_WORD = 40
"""What joining texts takes for each of their words, at most: 18 are measured for texts of 2 KB, and shorter ones
take more (docs/explanation/measured/memory.md).
"""
FEWEST_WORDS = 1 << 16
"""A part has at least room for so many words: smaller ones would cost more than they save."""


class SpoolRoom:
    """Arrays that are kept in a wave's spool."""

    def __init__(self, spool: Spool, memory: int) -> None:
        """`memory` is in bytes."""
        self._spool = spool
        self.words = max(memory // BYTES_A_WORD, FEWEST_WORDS)

    def texts(self, fresh: FreshTexts) -> FreshTexts:
        """The same texts, out of memory if they are more than may be joined at once."""
        if len(fresh.words) <= self.words:
            return fresh
        kept = self.arrays(fresh.arrays())
        signs = Signs(kept["breaks"], kept["marks"], kept["mark_offsets"])
        return replace(fresh, words=kept["words"], offsets=kept["offsets"], signs=signs)

    def arrays(self, arrays: Mapping[str, Stored]) -> Mapping[str, Stored]:
        """The same arrays, mapped from a file in the spool."""
        return self._spool.read(*self._spool.write({}, arrays))

    def keep(self, array: NDArray[S]) -> Sliceable[S]:
        """The same array, of which some is read from the spool at a time."""
        return self._spool.keep(array)
