"""The exact generator of candidates for `contains`: lists of each text's rarest shingles.

kernels/contain says how it works, and why it misses nothing.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels import contain
from truecopy.model import SHORTEST_CONTAINED
from truecopy.progress import in_passes
from truecopy.stopping import check
from truecopy.text.streams import Streams
from truecopy.threads import Advance, Pool, in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

Array = npt.NDArray[Any]

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

    contained: Array
    containing: Array
    sizes: Array
    """Distinct shingles of each text."""
    firsts: Array
    """1 for each word at which a shingle comes first in its text."""


def containment_candidates(
    streams: Streams,
    floor: float,
    fresh: Array,
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> Inside:
    """Every pair whose larger text may contain the other at the floor."""
    texts = len(streams)
    words, offsets, word_keys = streams.words, streams.offsets, streams.keys
    bits = min(_MOST_BITS, max(10, len(words).bit_length() - 2))
    told = None if advance is None else in_passes(advance, _PASSES)
    counts = _count_texts(streams, bits, threads, told)
    loss = WHOLE - ten_thousandths(floor, "floor")
    cost = streams.lengths + 64
    sizes = np.zeros(texts, np.int64)
    firsts = np.zeros(len(words), np.uint8)

    def list_rare(first: int, last: int) -> tuple[Array, Array]:
        # As many as the kernel lists at most: what may be missing, one more, and one in HITS.
        room = int(offsets[last] - offsets[first]) * loss // WHOLE
        room += int(offsets[last] - offsets[first]) // contain.HITS + 2 * (last - first)
        keys, owners = np.empty(room, np.uint64), np.empty(room, np.int32)
        listed = contain.list_rare(
            words, offsets, word_keys, bits, counts, loss, WHOLE, SHORTEST_CONTAINED, first, last,
            sizes, firsts, keys, owners,
        )  # fmt: skip
        return keys[:listed].copy(), owners[:listed].copy()

    lists = in_pieces(list_rare, cost, threads, told)
    list_bits, starts, list_keys, list_owners = _sorted_lists(lists)

    def find(first: int, last: int) -> list[tuple[Array, Array]]:
        contained, containing = np.empty(4 * texts + 1024, np.int32), np.empty(4 * texts + 1024, np.int32)
        out = []
        while first < last:
            first, found = contain.find_containing(
                words, offsets, word_keys, sizes, firsts, loss, WHOLE, list_bits, starts, list_keys, list_owners,
                fresh, first, last, contained, containing,
            )  # fmt: skip
            out.append((contained[:found].copy(), containing[:found].copy()))
        return out

    found = [pair for part in in_pieces(find, cost, threads, told) for pair in part]
    contained, containing = _joined(found)
    return Inside(contained, containing, sizes, firsts)


def _joined(parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    if not parts:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _sorted_lists(lists: list[tuple[Array, Array]]) -> tuple[int, Array, Array, Array]:
    """Entries (key, owner) in order of the high bits of their keys: how many bits, where each slot begins, and the
    entries. The arguments are emptied, so that nothing is in memory three times.
    """
    total = sum(len(keys) for keys, _ in lists)
    bits = min(_MOST_BITS, max(10, total.bit_length() - 1))
    starts = np.zeros((1 << bits) + 2, np.int64)
    for keys, _ in lists:
        contain.count_entries(keys, bits, starts)
    np.cumsum(starts, out=starts)
    sorted_keys, sorted_owners = np.empty(total, np.uint64), np.empty(total, np.int32)
    while lists:
        keys, owners = lists.pop(0)
        contain.place_entries(keys, owners, bits, starts, sorted_keys, sorted_owners)
    return bits, starts, sorted_keys, sorted_owners


def _count_texts(streams: Streams, bits: int, threads: int, advance: Advance | None) -> Array:
    """For each slot, how many texts have a shingle there, at most `contain.MANY`."""
    words, offsets, word_keys = streams.words, streams.offsets, streams.keys
    slots, texts = 1 << bits, len(streams)

    telling = threading.Lock()

    def count(some_texts: Array, some_slots: Array, last: Array, counts: Array) -> None:
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
