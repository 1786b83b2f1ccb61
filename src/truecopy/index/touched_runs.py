"""Which texts of blocks of runs (`run_lists`) can be paired with fresh texts, for `similar` and for `contains`.

kernels/touch_runs says why asking blocks misses nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I32, I64, U32, U64, Flags
from truecopy.errors import BadSetting
from truecopy.index.overlap_lists import Ordered
from truecopy.index.rounds import in_batches
from truecopy.index.run_lists import PRICES, RunLists, word_ranges
from truecopy.kernels import touch_runs
from truecopy.kernels.arrays import read_only
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED
from truecopy.stopping import check
from truecopy.threads import Pool
from truecopy.threshold import WHOLE, ten_thousandths

_ASKED_AT_ONCE = 1 << 19
"""Words of fresh texts whose runs are looked up together, in order of their tags: what is read is in order too."""
_NOTED = 1 << 24
"""What may be met at a time by fresh texts that ask together (64 MB for each thread)."""
_SAMPLE = 4096
"""Texts of a block whose lengths are looked at."""
_LARGEST = 1 << 14
"""Fresh texts in a batch, at most."""
_LEAST = 6
"""Where the limits have the least share of `similar`."""


@dataclass(frozen=True, slots=True)
class Examined:
    """What finding the touched texts took."""

    read: int
    """Entries that fitted a fresh text, and were counted for it."""
    met: int
    """Pairs of a fresh text and a stored one that shared one of the runs that count."""


@dataclass(frozen=True, slots=True)
class BagsOf:
    """The bags of fresh texts, and of the texts of each block: those that share too few words are not touched."""

    fresh: Ordered
    """Each text at its own place."""
    stored: Sequence[Ordered]
    """Of each block, whose texts are the rows."""

    @property
    def sizes(self) -> tuple[list[int], int]:
        """How many texts there are, of each block and fresh."""
        return [len(stored.rows) for stored in self.stored], len(self.fresh)

    def arrays(self, block: int) -> tuple[Any, ...]:
        """As the kernels take them."""
        stored = self.stored[block]
        place_of = np.zeros(len(stored.rows), np.int32)
        place_of[stored.order] = np.arange(len(stored), dtype=np.int32)
        return self.fresh.side(), stored.side(), read_only(place_of)


def mark_touched(
    blocks: Sequence[RunLists],
    texts: tuple[U32, I64, U64],
    bags: BagsOf,
    known: Sequence[Flags],
    threads: int,
    *,
    contains: float | None = None,
    similar: float | None = None,
) -> Examined:
    """Mark in `known` every text of the blocks that may be paired with a fresh text at a floor: as one that contains it
    or is contained in it, as one that is similar, or as either.

    `texts` are the words and offsets of fresh texts, and the keys that the blocks were made with. `known` has for each
    block a mark for each text; those that are marked already are passed over.
    """
    limits = _limits(blocks, contains, similar)
    for block, marks in zip(blocks, known, strict=True):
        if marks.shape != (len(block),) or marks.dtype != np.bool_:
            raise BadSetting(
                "What is known was not given as a mark for each text of the block.", "Give as many as it has."
            )
    words, offsets, keys = read_only(texts[0]), read_only(texts[1]), read_only(texts[2])
    lengths = np.diff(offsets)
    if bags.sizes != ([len(block) for block in blocks], len(lengths)):
        raise BadSetting("Bags of other texts were given.", "Give the bags of all texts, fresh and stored.")
    compared = [bags.arrays(block) for block in range(len(blocks))]
    arrays = [_arrays(block, limits[_LEAST]) for block in blocks]
    shortest = SHORTEST_CONTAINED + 2 if similar is None else SHORTEST_PAIRED
    examined, rooms = np.zeros(2, np.int64), list[tuple[Any, ...]]()
    for batch in in_batches(lengths, np.flatnonzero(lengths >= shortest), _LARGEST):
        if all(marks.all() for marks in known):
            break
        asking = _Asking(blocks, arrays, known, compared, (words, offsets, keys), read_only(batch), limits, rooms)
        words_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths[batch])])
        parts = max(threads, 1, -(-int(words_before[-1]) // _ASKED_AT_ONCE))
        with Pool(max(threads, 1)) as pool:
            for found in pool.map(asking.ask, *zip(*word_ranges(words_before, parts), strict=True)):
                examined += found
    return Examined(int(examined[0]), int(examined[1]))


def _limits(blocks: Sequence[RunLists], contains: float | None, similar: float | None) -> tuple[Any, ...]:
    """As the kernels take them."""
    asked = [None if floor is None else ten_thousandths(floor) for floor in (contains, similar)]
    for block in blocks:
        for floor, least in zip((block.contains, block.similar), asked, strict=True):
            if least is not None and least < floor:
                said = (
                    f"The floor is {least / 10_000:g}, but what is stored was listed for {floor / 10_000:g} and above."
                )
                raise BadSetting(said, "Ask for a higher floor, or build the block again for this one.")
    least, nearest = asked
    listed = blocks[0].contains if blocks else WHOLE
    return (
        least is not None, WHOLE - (least or WHOLE), WHOLE - listed, WHOLE, SHORTEST_CONTAINED,
        nearest is not None, nearest or WHOLE, SHORTEST_PAIRED, blocks[0].similar if blocks else WHOLE,
    )  # fmt: skip


AskingRuns = tuple[tuple[Any, ...], U64, I32, NDArray[np.uint8], I64]
"""Who asks, the runs by tag, what they and their tags are for, and how many must be met."""


@dataclass(frozen=True, slots=True)
class _Asking:
    """Some fresh texts that ask all blocks."""

    blocks: Sequence[RunLists]
    arrays: Sequence[tuple[Any, ...]]
    known: Sequence[Flags]
    bags: Sequence[tuple[Any, ...]]
    texts: tuple[U32, I64, U64]
    which: I64
    limits: tuple[Any, ...]
    rooms: list[tuple[Any, ...]]

    def ask(self, first: int, last: int) -> I64:
        """Mark what the texts which[first:last] can be paired with; returns entries counted and texts met."""
        check()
        examined = self._ask_together(first, last) if first < last else np.zeros(2, np.int64)
        if examined is not None:
            return examined
        # They meet more than there is room for: fewer of them, that pass over what the others have marked.
        middle = (first + last) // 2
        return self.ask(first, middle) + self.ask(middle, last)

    def _ask_together(self, first: int, last: int) -> I64 | None:
        """The same for all of them at a time; None if there is not enough room for what they meet."""
        words, offsets, keys = self.texts
        lengths = np.diff(offsets)[self.which[first:last]]
        room = int(lengths.sum())
        places, ends, order = (
            np.empty((room, 2), np.int32),
            np.empty((last - first, 3), np.int64),
            np.empty(2 * room, np.uint64),
        )
        turns, chosen, groups, run_of = (np.empty(2 * room + 1, np.int32) for _ in range(4))
        used_for = np.empty(2 * room, np.uint8)
        used, distinct = touch_runs.gather_runs(
            words, offsets, keys, self.which, first, last, places, ends, order, turns, chosen, groups, run_of, used_for
        )
        given, order, chosen, used_for = (
            (offsets, self.which, first, last, ends),
            order[:used],
            chosen[:used],
            used_for[:distinct],
        )
        asking = (*given, turns, groups[: distinct + 1], run_of)
        counts, needed = np.zeros(distinct, np.int64), np.zeros((last - first, 2), np.int64)
        found = [(np.empty(distinct, np.int64), np.empty((distinct, 4), np.int32), counts) for _ in self.blocks]
        runs = (asking, order, chosen, used_for, needed)
        with _rooms(self.rooms, last - first) as noted:
            shortest = int(lengths.min())
            examined = self._meet(runs, found, noted, shortest, listed=True)
            if examined is None:
                return None
            touch_runs.choose_own(
                *given, places, order, run_of, read_only(PRICES), self.limits, counts, chosen, used_for, needed
            )
            more = self._meet(runs, found, noted, shortest * self.limits[_LEAST] // WHOLE, listed=False)
        return None if more is None else examined + more

    def _meet(
        self,
        runs: AskingRuns,
        found: Sequence[tuple[I64, I32, I64]],
        noted: tuple[Any, ...],
        shortest: int,
        *,
        listed: bool,
    ) -> I64 | None:
        """Mark the texts of all blocks that are met often enough; None if there is not enough room."""
        examined = np.zeros(2, np.int64)
        asking, *_, needed = runs
        for block, arrays, bags, where, known in zip(
            self.blocks, self.arrays, self.bags, found, self.known, strict=True
        ):
            check()
            every = len(known)
            some = block.lengths[:: every // _SAMPLE + 1]
            share = int((some < shortest).sum()) * 1024 // max(len(some), 1)
            tallied = np.zeros((2, every), np.uint8), np.empty((2, every + 1), np.int32), np.zeros(2, np.int64)
            room = (*noted, *tallied)
            if not touch_runs.note_met(*runs, arrays, where, self.limits, listed, share, known, room):
                return None
            examined += touch_runs.judge_met(asking, needed, arrays, bags, where, self.limits, listed, known, room)
        return examined


@contextlib.contextmanager
def _rooms(kept: list[tuple[Any, ...]], texts: int) -> Iterator[tuple[Any, ...]]:
    """Room for what some fresh texts meet; the next ones take it over, because new memory costs as much as its use."""
    try:
        room = kept.pop()
    except IndexError:
        room = np.empty(_NOTED, np.int32), np.empty(_NOTED // touch_runs.PART, np.int32)
    firsts_and_lasts = np.empty((2, texts), np.int64), np.empty((2, texts), np.int64)
    yield (*room, *firsts_and_lasts, np.empty((2, texts), np.int64), np.zeros(1, np.int64))
    kept.append(room)


def _arrays(block: RunLists, least: int) -> tuple[Any, ...]:
    """A block as the kernels take it, for a least share."""
    asked = block.pieces - block.lengths.astype(np.int64) * (WHOLE - least) // WHOLE
    shift = np.uint64(32 - block.slot_bits)
    of_texts = (read_only(part) for part in (block.sizes, block.lengths, asked.astype(np.int32)))
    return (read_only(block.entries), read_only(block.starts), shift, *of_texts)
