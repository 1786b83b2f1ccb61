"""The exact generator of candidates for `contains`: lists of each text's rarest shingles.

kernels/contain says how it works, and why it misses nothing.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from truecopy.array_types import I32, I64, U8, U32, U64, Flags, Places
from truecopy.index.rounds import Some, in_rounds
from truecopy.index.slots import Slots
from truecopy.kernels import contain
from truecopy.kernels.arrays import read_only
from truecopy.model import SHORTEST_CONTAINED
from truecopy.progress import in_passes
from truecopy.stopping import check
from truecopy.text.streams import Streams
from truecopy.threads import Advance, Pool, in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

_MOST_BITS = 24
"""At most 2^24 counters (80 MB): in larger collections more shingles share one, which costs only time."""
_SMALL_BITS = 22
"""Up to 2^22 counters, two tables of them are used."""
_HALVES = 2
_WORDS_AT_ONCE = 1 << 20
"""Words that are counted between two looks at whether to stop."""
_PASSES = 3
"""How many passes over all texts there are."""


@dataclass(frozen=True, slots=True)
class Inside:
    """Pairs whose second text may contain the first, in order of the second; and what was counted."""

    contained: Places
    containing: Places
    sizes: Places
    """Distinct shingles of each text."""
    firsts: U8
    """1 for each word at which a shingle comes first in its text."""


class RareShingles:
    """Each text's rarest shingles, listed; other texts look theirs up, some at a time."""

    def __init__(self, streams: Streams, floor: float, threads: int, advance: Callable[[int], None] | None = None):
        self._streams = streams
        self._loss = WHOLE - ten_thousandths(floor, "floor")
        self._told = None if advance is None else in_passes(advance, _PASSES)
        self._cost = streams.lengths + 64
        self.sizes = np.zeros(len(streams), np.int64)
        self.firsts = np.zeros(len(streams.words), np.uint8)
        self._slots = Slots(self._list_rare(threads), len(streams))
        # Those with the most shingles come last, and are asked first: each of them may contain a whole family.
        self._order = np.argsort(self.sizes, kind="stable").astype(np.int32)

    def inside(self, contained: Places, containing: Places) -> Inside:
        """Pairs as verification takes them: in order of the containing text."""
        return Inside(contained, containing, self.sizes, self.firsts)

    def _list_rare(self, threads: int) -> list[tuple[U64, I32]]:
        words, offsets, word_keys = _arrays(self._streams)
        bits = min(_MOST_BITS, max(10, len(words).bit_length() - 2))
        counts = _count_texts(self._streams, bits, threads, self._told)

        def list_rare(first: int, last: int) -> tuple[U64, I32]:
            # As many as the kernel lists at most: what may be missing, one more, and one in HITS.
            room = int(offsets[last] - offsets[first]) * self._loss // WHOLE
            room += int(offsets[last] - offsets[first]) // contain.HITS + 2 * (last - first)
            keys, owners = np.empty(room, np.uint64), np.empty(room, np.int32)
            listed = contain.list_rare(
                words, offsets, word_keys, bits, counts, self._loss, WHOLE, SHORTEST_CONTAINED, first, last,
                self.sizes, self.firsts, keys, owners,
            )  # fmt: skip
            return keys[:listed].copy(), owners[:listed].copy()

        return in_pieces(list_rare, self._cost, threads, self._told)

    def rounds(self, fresh: Flags, families: Places, threads: int) -> Iterator[tuple[Places, Places]]:
        """Contained and containing texts, some pairs at a time: few at first, then up to a million.

        `families` has a number for each text, or -1; pairs of one family are passed over. The caller may change it
        between two rounds.
        """

        def make(_: int) -> Some:
            self._slots.set_core(families)
            return partial(self._find, fresh, families)

        for parts in in_rounds(make, self._cost[self._order], threads, self._told, backwards=True):
            yield joined(parts)

    def _find(self, fresh: Flags, families: Places, first: int, last: int) -> tuple[int, tuple[Places, Places]]:
        streams, room = self._streams, 2 * len(self._streams) + 1024
        out = np.empty(room, np.int32), np.empty(room, np.int32)
        reached, found, _ = contain.find_containing(
            _arrays(streams), read_only(self.sizes), read_only(self.firsts), self._loss, WHOLE,
            self._slots.listed(), read_only(fresh), families, self._order, first, last, out,
        )  # fmt: skip
        return reached, (out[0][:found].copy(), out[1][:found].copy())


def joined(parts: Sequence[tuple[Places, ...]]) -> tuple[Places, Places]:
    """The columns of several parts."""
    if not parts:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _arrays(streams: Streams) -> tuple[U32, I64, U64]:
    """Words, offsets and the keys of words, as kernels take them."""
    return read_only(streams.words), read_only(streams.offsets), read_only(streams.keys)


def _count_texts(streams: Streams, bits: int, threads: int, advance: Advance | None) -> U8:
    """For each slot, how many texts have a shingle there, at most `contain.MANY`."""
    words, offsets, word_keys = _arrays(streams)
    slots, texts = 1 << bits, len(streams)

    telling = threading.Lock()

    def count(some_texts: Places, some_slots: Places, last: Places, counts: U8) -> None:
        ends = np.arange(offsets[some_texts[0]], offsets[some_texts[1]], _WORDS_AT_ONCE)[1:]
        cuts = np.searchsorted(offsets, ends).clip(some_texts[0], some_texts[1])
        for texts_here in itertools.pairwise([some_texts[0], *cuts, some_texts[1]]):
            check()
            contain.count_texts(words, offsets, word_keys, bits, np.array(texts_here), some_slots, last, counts)
            if advance and some_slots[0] == 0:  # of several threads that go through the same texts, the first tells
                with telling:
                    advance(int(texts_here[1] - texts_here[0]))

    if bits <= _SMALL_BITS:  # each thread some of the texts, in a table of its own
        edges = np.searchsorted(offsets, np.linspace(0, len(words), _HALVES + 1)).clip(0, texts)
        edges[0], edges[-1] = 0, texts
        tables = [(np.full(slots, -1, np.int32), np.zeros(slots, np.uint8)) for _ in range(_HALVES)]
        parts = [(edges[i : i + 2], np.array([0, slots]), *tables[i]) for i in range(_HALVES)]
    else:  # each thread some of the slots, in one table
        table = np.full(slots, -1, np.int32), np.zeros(slots, np.uint8)
        tables = [table]
        cuts = np.linspace(0, slots, threads + 1).astype(np.int64)
        parts = [(np.array([0, texts]), cuts[i : i + 2].copy(), *table) for i in range(threads)]
    with Pool(threads) as pool:
        list(pool.map(count, *zip(*parts, strict=True)))
    total = tables[0][1]
    for _, counts in tables[1:]:
        np.minimum(total, contain.MANY - counts, out=total)
        total += counts
    return total
