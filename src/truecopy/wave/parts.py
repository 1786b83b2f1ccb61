"""A wave in parts: what does not fit into memory together is joined part by part, with the same pairs.

Every pair of two texts of a wave is found once: in the part that the later of the two is in. For that, a part is joined
together with those texts of the parts before it that its own can be paired with at all. Indexes of words and shingles
tell which these are, as they do for texts of earlier waves (kernels/touch_runs says why nothing is missed).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U32, U64
from truecopy.index.index import Index
from truecopy.index.methods import index_for
from truecopy.index.overlap import ordered_of
from truecopy.index.overlap_lists import Ordered
from truecopy.index.rows import BAGS, rows_of_bags
from truecopy.index.runs import RunBlock, Runs, touched_numbers
from truecopy.kernels.secret import number_keys
from truecopy.settings import MatterSettings
from truecopy.text.streams import make_bags
from truecopy.wave.fresh import room_of


class PartWords(Protocol):
    """The words of some texts, one text after the other."""

    @property
    def words(self) -> U32:
        """Their numbers."""

    @property
    def offsets(self) -> I64:
        """Where each text begins."""

    def __len__(self) -> int:
        """How many texts there are."""


class PartedTexts(Protocol):
    """Texts of which some are taken at a time."""

    def __len__(self) -> int:
        """How many there are."""

    def some(self, first: int, last: int) -> PartWords:
        """Those from one to another."""


Keep = Callable[[Mapping[str, NDArray[Any]]], Mapping[str, NDArray[Any]]]


def cut_in_parts(offsets: I64, words: int) -> list[tuple[int, int]]:
    """Texts from, to: about as many words in each part, and no more than are given, unless one text has more."""
    total, words = int(offsets[-1]), max(words, 1)
    wanted = np.linspace(0, total, -(-total // words) + 1)[1:-1]
    # A text that is across an edge goes into the part before it, as long as that has room.
    edges = [0]
    for edge in wanted.tolist():
        here = int(np.searchsorted(offsets, edge, "right")) - 1
        edges.append(max(here, edges[-1]))
    edges.append(len(offsets) - 1)
    parts: list[tuple[int, int]] = []
    for first, last in pairwise(edges):
        while first < last:
            end = max(int(np.searchsorted(offsets, offsets[first] + words, "right")) - 1, first + 1)
            parts.append((first, min(end, last)))
            first = parts[-1][1]
    return parts or [(0, 0)]


def offsets_of(lengths: I64) -> I64:
    """Where each of some texts begins, and where the last one ends."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


class PartIndexes:
    """The words and shingles, and the bags, of the parts of a wave that were joined already; out of memory."""

    def __init__(self, settings: MatterSettings, keep: Keep, threads: int) -> None:
        self._keep, self._threads = keep, threads
        self._floors = settings.contains_floor, settings.floor
        self._runs = Runs(*self._floors)
        overlap = index_for(BAGS, floor=settings.floor, shortest=1)
        assert isinstance(overlap, Index)
        self._overlap = overlap
        self._blocks: list[RunBlock] = []
        self._bags: list[Ordered] = []

    def append(self, part: PartWords, first: int) -> None:
        """Take in a part that was joined; its texts have numbers from the first on."""
        numbers = np.arange(first, first + len(part), dtype=np.int64)
        made = self._runs.make_block(part.words, part.offsets, _keys(part), numbers, self._threads)
        self._blocks.append(self._runs.read_block(self._keep(made.stored()), passed=True))
        bags = make_bags(part.words, part.offsets, max(room_of(part.words), 1), self._threads)
        kept = self._keep(self._overlap.make_block(rows_of_bags(bags), numbers).stored())
        self._bags.append(ordered_of(self._overlap.read_block(kept, passed=True)))

    def touched_by(self, part: PartWords) -> I64:
        """The numbers of those texts that one of another part may be paired with."""
        texts = part.words, part.offsets, _keys(part)
        return touched_numbers(self._blocks, self._bags, texts, self._threads, *self._floors)


def _keys(part: PartWords) -> U64:
    """Values that shingles are made of; what is made here is gone with the process."""
    return number_keys(room_of(part.words))
