"""Families: all texts that chains of pairs connect. Those with more texts than a set number are dense.

Not every pair of a dense family can be stored, or even verified: ten thousand texts of one form make fifty million
pairs. So a family is known by joining texts as pairs are verified, and once it is dense, its other pairs are passed
over (`labels` tells the joins which). What is kept of it is in group/kept.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import Flags, Places
from truecopy.kernels.star import join_families


class Families:
    """The families of texts 0 … n-1 as far as pairs are known, and which of them are dense."""

    def __init__(self, texts: int, dense: int | None = None) -> None:
        """Families with more than `dense` texts are dense; None: none is."""
        self._parent = np.arange(texts, dtype=np.int64)
        self._dense = texts if dense is None else dense
        self.labels = np.full(texts, -1, np.int32)
        """For each text of a dense family the first text of the family; -1 for the others. Changed in place."""

    def __len__(self) -> int:
        return len(self._parent)

    @property
    def possible(self) -> bool:
        """Whether there are enough texts for a dense family."""
        return len(self) > self._dense

    @property
    def first(self) -> Places:
        """The first text of each text's family."""
        return self._parent

    def join(self, a: Places, b: Places) -> None:
        """Texts a[i] and b[i] are of one family."""
        join_families(a.astype(np.int64), b.astype(np.int64), self._parent)
        if not self.possible:
            return
        sizes = np.bincount(self._parent, minlength=len(self))
        self.labels[:] = np.where(sizes[self._parent] > self._dense, self._parent, -1)

    def inside(self, a: Places, b: Places) -> Flags:
        """Which pairs are inside one dense family."""
        both: Flags = (self.labels[a] >= 0) & (self.labels[a] == self.labels[b])
        return both

    def copy(self) -> Families:
        """The same with a life of its own."""
        made = Families(len(self), self._dense)
        made._parent[:], made.labels[:] = self._parent, self.labels
        return made

    @property
    def whole(self) -> Families:
        """Those of all texts, where these are of some of them."""
        return self

    def some(self, places: Places) -> Families:
        """Of some texts, which are numbered anew: what is joined there is joined here."""
        return _Some(self, places)

    def only(self, places: Places) -> Families:
        """The same families of some texts, among which are all those of families that are dense; with a life of their
        own.
        """
        only = Families(len(places), self._dense)
        _, first, which = np.unique(self._parent[places], return_index=True, return_inverse=True)
        only.join(np.arange(len(places)), first[which])
        return only

    def dense(self) -> list[Places]:
        """The texts of each dense family, in order."""
        members = np.flatnonzero(self.labels >= 0)
        order = np.argsort(self.labels[members], kind="stable")
        cuts = np.flatnonzero(np.diff(self.labels[members][order])) + 1
        return [part for part in np.split(members[order], cuts) if len(part)]


class _Some(Families):
    """Families as some texts are in them, whichever other texts they have."""

    def __init__(self, every: Families, places: Places) -> None:
        super().__init__(len(places))
        self._every, self._places = every, places
        self._update()

    @property
    def possible(self) -> bool:
        """Whether there are enough texts for a dense family."""
        return self._every.possible

    def copy(self) -> Families:
        """The same with a life of its own."""
        return _Some(self._every.copy(), self._places)

    @property
    def whole(self) -> Families:
        """Those of all texts, where these are of some of them."""
        return self._every

    def join(self, a: Places, b: Places) -> None:
        """Texts a[i] and b[i] are of one family."""
        self._every.join(self._places[a], self._places[b])
        self._update()

    def _update(self) -> None:
        """Labels are places, here as everywhere: the first text of those that are here."""
        labels = self._every.labels[self._places]
        _, first, which = np.unique(labels, return_index=True, return_inverse=True)
        self.labels[:] = np.where(labels >= 0, first[which], -1)
