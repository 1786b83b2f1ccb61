"""Which stored texts can be similar to fresh ones at all: the bags of a block that overlap enough with some query.

A wave of fresh texts asks only this of what is stored; the texts that are touched are then joined with the fresh ones
as if they were all there is. Whatever is similar overlaps enough (index/overlap.py), so no pair is missed.
kernels/touch says how a text is found once and then passed over.

Queries ask in batches: a few of all lengths first, which mark the large families, then more of them, by length.
Memory follows the block's places and the batch, never the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.limits import Share
from truecopy.index.overlap import lists_of, ordered_of, table_for
from truecopy.index.overlap_lists import Lists, Ordered, Prefixes, as_given, bags_of, least_shared, most_before
from truecopy.index.rounds import in_batches
from truecopy.index.rows import BAGS, Rows
from truecopy.kernels import touch
from truecopy.kernels.arrays import read_only
from truecopy.model import SHORTEST_PAIRED
from truecopy.threads import in_pieces
from truecopy.threshold import WHOLE

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
Bools = NDArray[np.bool_]

_LARGEST = 4096
"""Queries in a batch, at most."""
_TRIED_A_READ = 5
"""Reading a list entry costs about as much as trying this many texts of fitting length (measured)."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What finding the touched texts took."""

    read: int
    """Texts that were met in lists and compared."""
    tried: int
    """Pairs of fitting length that were tried."""


def touch_similar(
    block: Block,
    queries: Rows,
    limit: Share,
    known: Bools,
    threads: int,
    *,
    shortest: int = SHORTEST_PAIRED,
    by_lists: bool | None = None,
) -> Examined:
    """Mark in `known` every row of an overlap block that shares enough words with some query.

    `known` has a mark for each row; those that are marked already are passed over. Queries of fewer words than
    `shortest` ask nothing. Unless given, `by_lists` is decided for each query, by the cost.
    """
    BAGS.must_equal(queries.spec)
    if limit.of != "longer":
        raise BadSetting(
            f"Touched texts were asked for by the share of {limit.of!r}.", "Ask for the share of the longer."
        )
    if known.shape != (len(block),) or known.dtype != np.bool_:
        raise BadSetting("What is known was not given as a mark for each row of the block.", "Give as many as it has.")
    ordered = ordered_of(block)
    touching = _Touching(ordered, lists_of(block), int(block.arrays["floor"][0]), limit.least, threads, by_lists)
    touching.families[known[ordered.order]] = touch.KNOWN
    sizes = queries.sizes
    read = tried = 0
    for batch in in_batches(sizes, np.flatnonzero(sizes >= max(shortest, 1)), _LARGEST):
        some = touching.ask(queries.take(batch))
        read, tried = read + some.read, tried + some.tried
    known[ordered.order[touching.families == touch.KNOWN]] = True
    return Examined(read, tried)


class _Touching:
    """A block that is asked by one batch after the other."""

    def __init__(
        self, ordered: Ordered, lists: Lists, floor: int, least: int, threads: int, by_lists: bool | None
    ) -> None:
        self._ordered, self._lists = ordered, lists
        self._floor, self._least, self._threads, self._always = floor, least, threads, by_lists
        self.families: I32 = np.full(len(ordered), -1, np.int32)
        """By place: `touch.KNOWN` for those that are marked, -1 for the others."""

    def ask(self, queries: Rows) -> Examined:
        """Mark what some queries overlap enough with."""
        asking, lengths = as_given(queries), self._ordered.lengths
        left = np.flatnonzero(self.families != touch.KNOWN).astype(np.int32)
        if not len(left):
            return Examined(0, 0)
        left_lengths = lengths[left]
        low, high = self._windows(asking.lengths, left_lengths)
        everywhere = self._windows(asking.lengths, lengths)
        listed, prefixes, reads = self._by_lists(queries, asking.lengths, high - low, everywhere[1] - everywhere[0])
        read = self._read(asking, everywhere, prefixes, reads, np.flatnonzero(listed & (high > low)))
        tried = self._try(asking, (low, high), (left, left_lengths), np.flatnonzero(~listed & (high > low)))
        return Examined(read, tried)

    def _windows(self, asked: I64, lengths: I64) -> tuple[I64, I64]:
        """The first and last place of a fitting length."""
        low = np.searchsorted(lengths, least_shared(asked, self._least))
        high = np.searchsorted(lengths, asked * WHOLE // self._least, "right")
        return low, np.maximum(low, high)

    def _by_lists(self, queries: Rows, lengths: I64, left: I64, everywhere: I64) -> tuple[Bools, Prefixes, I64]:
        """Which queries had better ask the lists, by how much they would read; their prefixes; and the most they read.

        `left` are the texts of fitting length that would be tried, `everywhere` all of that length.
        """
        bags, lists = bags_of(queries), self._lists
        ranks, lost = np.empty(len(queries.values), np.int32), np.empty(len(queries.values), np.uint32)
        reads = np.zeros(len(queries), np.int64)
        prefixes = Prefixes(ranks, lost, bags[2][:-1], bags[2][1:])
        if self._least < self._floor:
            return np.zeros(len(queries), np.bool_), prefixes, reads
        given = read_only(lists.words), read_only(lists.ranks), read_only(lists.starts)
        most_lost = read_only(most_before(lengths, self._least))

        def fill(first: int, last: int) -> None:
            touch.fill_query_prefixes(bags, *given, most_lost, first, last, (ranks, lost, reads))

        in_pieces(fill, lengths, self._threads)
        # Lists are in order of length: a query reads the part of them that its window is of all texts.
        expected = reads * everywhere // max(len(self._ordered), 1)
        chosen = expected * _TRIED_A_READ < left
        if self._always is not None:
            chosen[:] = self._always
        return chosen, prefixes, reads

    def _read(self, asking: Ordered, windows: tuple[I64, I64], prefixes: Prefixes, reads: I64, which: I64) -> int:
        side, listed, lists = asking.side(), self._ordered.side(), self._lists.arrays()
        table = table_for(int(reads[which].max(initial=0)), len(self._ordered))
        given = (side, _read_only(*windows), prefixes.arrays(), listed, lists, self._least, self._floor, table)
        which = read_only(which)

        def some(first: int, last: int) -> int:
            return touch.touch_by_lists(*given, which, first, last, self.families)

        return sum(in_pieces(some, reads[which] + asking.lengths[which], self._threads))

    def _try(self, asking: Ordered, windows: tuple[I64, I64], left: tuple[I32, I64], which: I64) -> int:
        if not len(which):
            return 0
        places, lengths = left
        middle = np.searchsorted(lengths, asking.lengths)
        needed = least_shared(lengths, self._least)
        given = (
            asking.side(),
            _read_only(windows[0], middle, windows[1]),
            self._ordered.side(),
            self._least,
            read_only(which),
            _read_only(places, lengths, needed),
        )
        begin, end = int(windows[0][which].min()), int(windows[1][which].max())

        def some(first: int, last: int) -> int:
            return touch.touch_by_trying(*given, begin + first, begin + last, self.families)

        return sum(in_pieces(some, np.full(end - begin, len(which), np.int64), self._threads))


def _read_only(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    return tuple(map(read_only, arrays))
