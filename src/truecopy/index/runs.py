"""The index of all words and shingles of texts, as blocks that a matter stores: it says which texts matter at all.

Unlike the other indexes it answers no question by itself: `mark_touched` marks texts, and whoever asks measures those.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U16, U32, U64
from truecopy.index.index import Memory
from truecopy.index.overlap_lists import Ordered, as_given
from truecopy.index.rows import SHINGLES, rows_of_bags
from truecopy.index.run_lists import (
    ARRAYS,
    Entries,
    Gathered,
    Merging,
    RunLists,
    build_lists,
    gather,
    merge_lists,
    sound,
)
from truecopy.index.touched_runs import BagsOf, mark_touched
from truecopy.streamed import AnyArray, Streamed
from truecopy.text.streams import make_bags
from truecopy.threshold import ten_thousandths


@dataclass(frozen=True, slots=True)
class RunBlock:
    """The runs of some texts, and their numbers."""

    lists: RunLists
    numbers: I64

    def __len__(self) -> int:
        return len(self.numbers)

    def stored(self) -> dict[str, NDArray[Any]]:
        """As a file holds it."""
        lists = self.lists
        floors = np.array([lists.contains, lists.similar], np.int64)
        return {"numbers": self.numbers, "floors": floors} | {name: getattr(lists, name) for name in ARRAYS}


@dataclass(frozen=True, slots=True)
class GatheredRuns:
    """The runs of some texts and their numbers, of which `Runs.merged` makes a block."""

    lists: Gathered
    numbers: I64


class Runs:
    """Blocks of runs, made for a floor of `contains` and one of `similar`, and everything above them."""

    name = "runs"
    spec = SHINGLES

    def __init__(self, contains: float, similar: float) -> None:
        self.options: dict[str, int | float | str] = {"contains": float(contains), "similar": float(similar)}
        self._floors = float(contains), float(similar)
        self.blocks: list[RunBlock] = []

    def append(self, block: RunBlock) -> None:
        """Put in a block that was built before."""
        self.blocks.append(block)

    def make_block(
        self, words: U32, offsets: I64, keys: U64, numbers: I64, threads: int = 1, counts: U16 | None = None
    ) -> RunBlock:
        """A block over some texts; `keys` has a value for each word number, `counts` says which runs are rare."""
        return RunBlock(build_lists(words, offsets, keys, *self._floors, threads, counts), numbers)

    def gather(
        self, words: U32, offsets: I64, keys: U64, numbers: I64, threads: int, keep: Callable[[U64], Entries]
    ) -> GatheredRuns:
        """The same for many texts, to be merged; `keep` takes entries out of memory."""
        return GatheredRuns(gather(words, offsets, keys, *self._floors, threads, keep), numbers)

    def merge(self, blocks: Sequence[RunBlock], threads: int = 1) -> RunBlock:
        """One block over the texts of several, in memory."""
        if len(blocks) == 1:
            return blocks[0]
        lists = merge_lists([block.lists for block in blocks], threads)
        return RunBlock(lists, np.concatenate([block.numbers for block in blocks]))

    def merged(self, blocks: Sequence[RunBlock | GatheredRuns], threads: int = 1) -> dict[str, AnyArray]:
        """The same as a file holds it, merged while it is written."""
        first = blocks[0]
        if len(blocks) == 1 and isinstance(first, RunBlock):
            return dict(first.stored())
        merging = Merging.of([block.lists for block in blocks], threads)
        return {
            "numbers": np.concatenate([block.numbers for block in blocks]),
            "floors": np.array([first.lists.contains, first.lists.similar], np.int64),
            "entries": Streamed(np.dtype(np.uint64), merging.total, merging.entries),
            **merging.of_texts(),
            "starts": Streamed(np.dtype(np.int64), merging.slots, lambda: [merging.starts()]),
        }

    def read_block(self, arrays: Mapping[str, NDArray[Any]], *, passed: bool = False) -> RunBlock:
        """A block from its stored arrays, checked before a kernel sees it, unless it has passed that check before."""
        numbers, floors = arrays["numbers"], arrays["floors"]
        if floors.shape != (2,) or floors.dtype != np.int64:
            raise ValueError("a block without floors")
        if floors.tolist() != [ten_thousandths(floor) for floor in self._floors]:
            raise ValueError("a block for other floors")
        lists = RunLists(*floors.tolist(), *(arrays[name] for name in ARRAYS))
        block = RunBlock(lists, numbers)
        if numbers.dtype != np.int64 or numbers.ndim != 1 or len(numbers) != len(lists):
            raise ValueError("a block that is not whole")
        if not passed and not (sound(lists, len(numbers)) and bool((numbers[1:] > numbers[:-1]).all())):
            raise ValueError("a block that is not whole")
        return block

    def memory(self) -> Memory:
        """Bytes of the runs, and of what finds them."""
        rows = sum(block.lists.entries.nbytes for block in self.blocks)
        return Memory(rows, sum(block.lists.nbytes + block.numbers.nbytes for block in self.blocks) - rows)


def touched_numbers(
    blocks: Sequence[RunBlock],
    stored: Sequence[Ordered],
    texts: tuple[U32, I64, U64],
    threads: int,
    contains: float | None,
    similar: float | None = None,
) -> I64:
    """The numbers of the texts of some blocks that may be paired at a floor with texts, given by their words, offsets
    and keys; in order. `stored` are the bags of each block.
    """
    known = [np.zeros(len(block), np.bool_) for block in blocks]
    words, offsets, _ = texts
    room = 1 + int(words.max()) if len(words) else 0
    rows = rows_of_bags(make_bags(words, offsets, room, threads))
    bags = BagsOf(as_given(rows, threads), stored)
    mark_touched([block.lists for block in blocks], texts, bags, known, threads, contains=contains, similar=similar)
    found = [np.empty(0, np.int64), *(block.numbers[marks] for block, marks in zip(blocks, known, strict=True))]
    return np.sort(np.concatenate(found))
