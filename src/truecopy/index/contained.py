"""The index of all shingles of texts, as blocks that a matter stores: it says which texts matter to `contains` at all.

Unlike the other indexes it answers no question by itself: whoever asks marks what `touch` marks, and measures it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.index.index import Memory
from truecopy.index.rows import SHINGLES
from truecopy.index.shingle_lists import ShingleLists, build, merge, sound
from truecopy.threshold import ten_thousandths

I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

_LISTED = np.uint64(1 << 31)
"""The bit of an entry that says whether a text is listed under its shingle."""


@dataclass(frozen=True, slots=True)
class ContainedBlock:
    """The shingles of some texts, and their numbers."""

    lists: ShingleLists
    numbers: I64

    def __len__(self) -> int:
        return len(self.numbers)

    def stored(self) -> dict[str, NDArray[Any]]:
        """As a file holds it."""
        lists = self.lists
        return {
            "numbers": self.numbers, "floor": np.array([lists.floor], np.int64), "entries": lists.entries,
            "sizes": lists.sizes, "starts": lists.starts,
        }  # fmt: skip

    def content(self) -> dict[str, NDArray[Any]]:
        """What two blocks of the same texts have in common, however they were made: what is listed is a choice."""
        return {**self.stored(), "entries": np.sort(self.lists.entries & ~_LISTED)}


class Contained:
    """Blocks of shingles, made for a floor of `contains` and everything above it."""

    name = "contained"
    spec = SHINGLES

    def __init__(self, floor: float) -> None:
        self.options: dict[str, int | float | str] = {"floor": float(floor)}
        self._floor = float(floor)
        self.blocks: list[ContainedBlock] = []

    def append(self, block: ContainedBlock) -> None:
        """Put in a block that was built before."""
        self.blocks.append(block)

    def make_block(self, words: U32, offsets: I64, keys: U64, numbers: I64, threads: int = 1) -> ContainedBlock:
        """A block over some texts; `keys` has a value for each word number."""
        return ContainedBlock(build(words, offsets, keys, self._floor, threads), numbers)

    def merge(self, blocks: Sequence[ContainedBlock], threads: int = 1) -> ContainedBlock:
        """One block over the texts of several."""
        if len(blocks) == 1:
            return blocks[0]
        lists = merge([block.lists for block in blocks], threads)
        return ContainedBlock(lists, np.concatenate([block.numbers for block in blocks]))

    def read_block(self, arrays: Mapping[str, NDArray[Any]], *, passed: bool = False) -> ContainedBlock:
        """A block from its stored arrays, checked before a kernel sees it, unless it has passed that check before."""
        numbers, floor = arrays["numbers"], arrays["floor"]
        if floor.shape != (1,) or floor.dtype != np.int64 or int(floor[0]) != ten_thousandths(self._floor):
            raise ValueError("a block for another floor")
        lists = ShingleLists(int(floor[0]), arrays["entries"], arrays["sizes"], arrays["starts"])
        block = ContainedBlock(lists, numbers)
        if numbers.dtype != np.int64 or numbers.ndim != 1 or len(numbers) != len(lists):
            raise ValueError("a block that is not whole")
        if not passed and not (sound(lists, len(numbers)) and bool((numbers[1:] > numbers[:-1]).all())):
            raise ValueError("a block that is not whole")
        return block

    def memory(self) -> Memory:
        """Bytes of the shingles, and of what finds them."""
        rows = sum(block.lists.entries.nbytes for block in self.blocks)
        return Memory(rows, sum(block.lists.nbytes + block.numbers.nbytes for block in self.blocks) - rows)
