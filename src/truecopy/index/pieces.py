"""The exact generator of candidates for `similar` in large collections: each text listed under its rarest pieces.

kernels/pieces says how it works, and why it misses nothing. In a small collection, or one whose texts are nearly all of
one form, comparing every two texts of fitting length (index/overlap) costs less: `work` tells.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from truecopy.array_types import I32, I64, U16, U64, Flags
from truecopy.index.overlap_lists import Ordered
from truecopy.index.rounds import Some, in_rounds
from truecopy.index.slots import Slots
from truecopy.kernels import pieces
from truecopy.kernels.arrays import read_only
from truecopy.stopping import check
from truecopy.text.streams import Streams, occurrences
from truecopy.threads import Pool, in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

Advance = Callable[[int], None]

_MOST_BITS = 23
"""At most 2^23 counters (16 MB for each thread) for runs of three words: where there are more, some share one."""
_MOST_COUNTED = 4
"""Threads that count at once, each in a table of its own."""
_WORDS_AT_ONCE = 1 << 21
_PRICES: I64 = np.unique((2 * np.geomspace(0.5, 2 * pieces.MANY, 40)).astype(np.int64) | 1)
"""What a piece may cost, twice: 1, 3, 5 …; a step of a third is near enough."""
_READS_A_WORD = 40
"""Choosing pieces and looking runs up costs as much as reading so many list entries, for each word (measured)."""
_AT_LEAST = 64
"""What a text costs beside its words, in words; it only says how work is split."""


def work_of(streams: Streams) -> int:
    """What joining costs at least, in list entries read."""
    return _READS_A_WORD * len(streams.words)


class PieceJoin:
    """Texts of one set joined with each other at a threshold; nothing is missed."""

    recall = 1.0

    def __init__(self, streams: Streams, ordered: Ordered, threshold: float, threads: int) -> None:
        """Of texts whose bags are given in order of length; texts that have no place there are left out."""
        self._streams = streams
        self._least = ten_thousandths(threshold)
        self._ordered = ordered
        self._needed: I64 = np.zeros(len(self._ordered), np.int64)
        lists, reads = self._choose(threads)
        self.work = work_of(streams) + reads // 2
        """What joining costs at most, in list entries read: of those that may be met, half are of fitting length."""
        self._slots = Slots(lists, len(self._ordered))

    @property
    def ordered(self) -> Ordered:
        """The texts that can be paired, by length."""
        return self._ordered

    def __str__(self) -> str:
        return "pieces"

    def pairs(self, fresh: Flags, threads: int, advance: Advance | None = None) -> tuple[I32, I32]:
        """Every pair with a fresh text that has enough pieces, and words, in common."""
        nobody = np.full(len(self._streams), -1, np.int32)
        found = list(self.rounds(fresh, nobody, threads, advance))
        a, b = (np.concatenate([np.empty(0, np.int32), *(part[i] for part in found)]) for i in (0, 1))
        order = np.lexsort((b, a))
        return a[order], b[order]

    def rounds(
        self, fresh: Flags, families: I32, threads: int, advance: Advance | None = None
    ) -> Iterator[tuple[I32, I32]]:
        """The same pairs, some at a time, without those of one family; the caller may change families meanwhile."""
        order, lengths = self._ordered.order, self._ordered.lengths
        by_place, fresh_by_place = families[order].astype(np.int32), fresh[order]
        high = np.searchsorted(lengths, lengths * WHOLE // self._least, "right")
        streams = self._streams
        texts = read_only(streams.words), read_only(streams.offsets), read_only(streams.keys)
        given = (texts, self._ordered.side(), read_only(high), read_only(self._needed))

        def some(listed: tuple[object, ...], first: int, last: int) -> tuple[int, tuple[I32, ...]]:
            room = 2 * len(order) + 1024
            out = np.empty(room, np.int32), np.empty(room, np.int32)
            reached, found, _ = pieces.probe_pieces(
                *given, listed, fresh_by_place, by_place, self._least, first, last, out
            )
            return reached, (out[0][:found].copy(), out[1][:found].copy())

        def make(_: int) -> Some:
            by_place[:] = families[order]
            self._slots.set_core(by_place)
            return partial(some, self._slots.listed())

        for parts in in_rounds(make, lengths + _AT_LEAST, threads, advance, backwards=True):
            x, y = (order[np.concatenate(column)] for column in zip(*parts, strict=True))
            yield np.minimum(x, y), np.maximum(x, y)
        if advance:
            advance(len(self._streams) - len(order))  # those that are too short ask nothing

    def _choose(self, threads: int) -> tuple[list[tuple[U64, I32]], int]:
        """The pieces that each text is listed under, and how many entries may have to be read in all."""
        streams, ordered = self._streams, self._ordered
        words, offsets, keys = (read_only(part) for part in (streams.words, streams.offsets, streams.keys))
        bits = min(_MOST_BITS, max(10, len(words).bit_length()))
        counted = _count(streams, bits, threads)
        often = read_only(occurrences(streams.words, len(keys)))
        order, prices = read_only(ordered.order), read_only(_PRICES)

        def choose(first: int, last: int) -> tuple[U64, I32, int]:
            room = int(ordered.lengths[first:last].sum())
            out = np.empty(room, np.uint64), np.empty(room, np.int32)
            listed, reads = pieces.choose_pieces(
                words, offsets, order, keys, often, bits, counted, prices, self._least, first, last, self._needed, out
            )
            return out[0][:listed].copy(), out[1][:listed].copy(), reads

        found = in_pieces(choose, ordered.lengths + _AT_LEAST, threads)
        return [(hashes, places) for hashes, places, _ in found], sum(reads for *_, reads in found)


def _count(streams: Streams, bits: int, threads: int) -> U16:
    """How often runs of three words occur; each thread counts those of some texts.

    A sum that stops at a limit does not depend on how they are split.
    """
    words, offsets, keys = (read_only(part) for part in (streams.words, streams.offsets, streams.keys))
    parts = min(max(threads, 1), _MOST_COUNTED)
    ends = np.searchsorted(offsets, np.arange(0, len(words), _WORDS_AT_ONCE)[1:])
    edges = [0, *ends.clip(0, len(streams)).tolist(), len(streams)]
    ranges = list(itertools.pairwise(edges))

    def count(thread: int) -> U16:
        counts = np.zeros(1 << bits, np.uint16)
        for first, last in ranges[thread::parts]:
            check()
            pieces.count_runs(words, offsets, keys, first, last, bits, counts)
        return counts

    with Pool(parts) as pool:
        total, *others = pool.map(count, range(parts))
    for counts in others:
        np.minimum(total, pieces.MANY - counts, out=total)
        total += counts
    return read_only(total)
