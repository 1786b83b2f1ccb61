"""Texts listed under hashes, for joins that look hashes up: entries in slots, by the first bits of the hash.

Within a slot, entries are in the order of their texts. The texts of one large family, the core, can be put last in
every slot: its own texts, whose pairs with each other are passed over, then need not read them.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import I32, I64, U64, Flags
from truecopy.kernels import contain

_MOST_BITS = 24
"""At most 2^24 slots: where there are more entries, slots are longer, which costs only time."""
_CORE_GROWTH = 2
"""Entries are put in order again once the largest family has this many times as many texts."""


class Slots:
    """Entries of a hash and a text."""

    def __init__(self, lists: list[tuple[U64, I32]]) -> None:
        """Of parts in the order of their texts, which are emptied: nothing is in memory three times."""
        total = sum(len(keys) for keys, _ in lists)
        self.bits = min(_MOST_BITS, max(10, total.bit_length() - 1))
        self.starts: I64 = np.zeros((1 << self.bits) + 2, np.int64)
        """Where each slot begins."""
        for keys, _ in lists:
            contain.count_entries(keys, self.bits, self.starts)
        np.cumsum(self.starts, out=self.starts)
        self.keys: U64 = np.empty(total, np.uint64)
        self.owners: I32 = np.empty(total, np.int32)
        while lists:
            keys, owners = lists.pop(0)
            contain.place_entries(keys, owners, self.bits, self.starts, self.keys, self.owners)
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
        slots = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        last = self.core[self.owners]
        # Within the two parts of a slot, texts stay in their order.
        order = np.lexsort((self.owners, last, slots))
        self.keys, self.owners = self.keys[order], self.owners[order]
        outside = np.bincount(slots[~last], minlength=len(self.starts) - 1)
        self.inner = self.starts.copy()
        self.inner[:-1] += outside
