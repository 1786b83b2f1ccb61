"""Texts listed under hashes, for joins that look hashes up: entries in slots, by the first bits of the hash.

Within a slot, entries are in the order of their texts. The texts of one large family, the core, can be put last in
every slot: its own texts, whose pairs with each other are passed over, then need not read them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.array_types import I32, I64, U64, Flags
from truecopy.errors import BadSetting
from truecopy.kernels import slots
from truecopy.kernels.arrays import read_only

_MOST_BITS = 24
"""At most 2^24 slots: where there are more entries, slots are longer, which costs only time."""
_MARKS_AN_ENTRY = 8
_MOST_MARKS = 27
"""Bits that tell whether a hash has entries at all: about so many for each, and at most 2^27 (16 MB)."""
_CORE_GROWTH = 2
"""Entries are put in order again once the largest family has this many times as many texts."""


class Slots:
    """Entries of a hash and a text."""

    def __init__(self, lists: list[tuple[U64, I32]], texts: int) -> None:
        """Of hashes and texts, in parts in the order of the texts, of which there are so many in all.

        Parts are emptied: nothing is in memory three times.
        """
        if texts >= slots.OWNERS:
            raise BadSetting(f"{texts:,} texts do not fit into one join.", "Allow less memory, so that it has parts.")
        total = sum(len(hashes) for hashes, _ in lists)
        self.bits = min(_MOST_BITS, max(10, total.bit_length() - 2))
        self.starts: I64 = np.zeros((1 << self.bits) + 2, np.int64)
        """Where each slot begins."""
        for hashes, _ in lists:
            slots.count_entries(hashes, self.bits, self.starts)
        np.cumsum(self.starts, out=self.starts)
        self.mark_bits = max(10, min((_MARKS_AN_ENTRY * total).bit_length(), _MOST_MARKS))
        self.marks: U64 = np.zeros(1 << (self.mark_bits - 6), np.uint64)
        """A bit for the hashes that begin alike, if one of them has entries."""
        for hashes, _ in lists:
            slots.mark_hashes(hashes, self.mark_bits, self.marks)
        self.entries: U64 = np.empty(total, np.uint64)
        while lists:
            slots.place_entries(*lists.pop(0), self.bits, self.starts, self.entries)
        self.core: Flags = np.zeros(0, np.bool_)
        """Which texts are of the core; nothing if there is none."""
        self.inner: I64 = self.starts
        """Where the entries of the core begin, in each slot."""

    def set_core(self, families: I32) -> None:
        """Put the entries of the largest family last. `families` has a number for each text, -1 for none."""
        known = families[families >= 0]
        if not len(known):
            return
        sizes = np.bincount(known)
        largest, size = int(sizes.argmax()), int(sizes.max())
        if size < _CORE_GROWTH * max(int(self.core.sum()), 1):
            return
        self.core = families == largest
        slot = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        owners = self.entries & np.uint64(slots.OWNERS - 1)
        last = self.core[owners]
        # Within the two parts of a slot, texts stay in their order.
        self.entries = self.entries[np.lexsort((owners, last, slot))]
        outside = np.bincount(slot[~last], minlength=len(self.starts) - 1)
        self.inner = self.starts.copy()
        self.inner[:-1] += outside

    def listed(self) -> tuple[Any, ...]:
        """As the kernels take them: bits of marks, marks, bits of slots, where slots begin, where the core does in each
        slot, entries, and which texts are of the core, which do not look at its entries.
        """
        arrays = (read_only(self.starts), read_only(self.inner), read_only(self.entries))
        return self.mark_bits, read_only(self.marks), self.bits, *arrays, self.core
