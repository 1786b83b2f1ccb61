"""The exact generator of candidates for `contains`: lists of each text's rarest shingles.

How it works, and why it misses nothing: kernels/contain.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels import contain
from truecopy.model import SHORTEST_CONTAINED
from truecopy.text.streams import Streams
from truecopy.threshold import WHOLE, ten_thousandths

Array = npt.NDArray[Any]

_MOST_BITS = 24
"""At most 2^24 counters (80 MB): in larger collections more shingles share one, which costs only time."""
_CHUNKS = 32


@dataclass(frozen=True, slots=True)
class Inside:
    """Pairs of which the first text may be contained in the second, in order of the second; and what was counted."""

    contained: Array
    containing: Array
    sizes: Array
    """Distinct shingles of each text."""
    firsts: Array
    """1 for each word at which a shingle stands first in its text."""


def containment_candidates(
    streams: Streams,
    floor: float,
    fresh: Array,
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> Inside:
    """Every pair of which the smaller text may be contained in the other at the floor."""
    texts = len(streams)
    words, offsets, hashes = streams.words, streams.offsets, streams.hashes
    bits = min(_MOST_BITS, max(10, len(words).bit_length() - 1))
    counts = _count_texts(streams, bits, threads)
    loss = WHOLE - ten_thousandths(floor, "floor")
    ranges = _ranges(texts)
    sizes = np.zeros(texts, np.int64)
    firsts = np.zeros(len(words), np.uint8)

    def list_rare(bounds: tuple[int, int]) -> tuple[Array, Array]:
        room = int(offsets[bounds[1]] - offsets[bounds[0]])
        keys, owners = np.empty(room, np.uint64), np.empty(room, np.int32)
        listed = contain.list_rare(
            words, offsets, hashes, bits, counts, loss, WHOLE, SHORTEST_CONTAINED, *bounds,
            sizes, firsts, keys, owners,
        )  # fmt: skip
        return keys[:listed].copy(), owners[:listed].copy()

    with ThreadPoolExecutor(threads) as pool:
        lists = list(pool.map(list_rare, ranges))
    keys, owners = _joined(lists, np.uint64)
    del lists
    list_bits = min(_MOST_BITS, max(10, len(keys).bit_length() - 1))
    starts = np.zeros((1 << list_bits) + 2, np.int64)
    list_keys, list_owners = np.empty_like(keys), np.empty_like(owners)
    contain.sort_lists(keys, owners, list_bits, starts, list_keys, list_owners)

    def find(bounds: tuple[int, int]) -> list[tuple[Array, Array]]:
        first, last = bounds
        contained, containing = np.empty(4 * texts + 1024, np.int32), np.empty(4 * texts + 1024, np.int32)
        out = []
        while first < last:
            first, found = contain.find_containing(
                words, offsets, hashes, sizes, firsts, loss, WHOLE, list_bits, starts, list_keys, list_owners,
                fresh, first, last, contained, containing,
            )  # fmt: skip
            out.append((contained[:found].copy(), containing[:found].copy()))
        if advance:
            advance(bounds[1] - bounds[0])
        return out

    with ThreadPoolExecutor(threads) as pool:
        found = [pair for part in pool.map(find, ranges) for pair in part]
    contained, containing = _joined(found, np.int32)
    return Inside(contained, containing, sizes, firsts)


def _ranges(texts: int) -> list[tuple[int, int]]:
    chunk = max(1, -(-texts // _CHUNKS))
    return [(first, min(first + chunk, texts)) for first in range(0, texts, chunk)]


def _joined(parts: list[tuple[Array, Array]], dtype: Any) -> tuple[Array, Array]:
    if not parts:
        return np.empty(0, dtype), np.empty(0, np.int32)
    return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])


def _count_texts(streams: Streams, bits: int, threads: int) -> Array:
    """For each slot, how many texts have a shingle there, at most `contain.MANY`: half of the texts at a time."""
    middle = int(np.searchsorted(streams.offsets, len(streams.words) // 2))
    halves = [(0, middle), (middle, len(streams))]

    def count(half: tuple[int, int]) -> Array:
        last = np.full(1 << bits, -1, np.int32)
        counts = np.zeros(1 << bits, np.uint8)
        contain.count_texts(streams.words, streams.offsets, streams.hashes, bits, *half, last, counts)
        return counts

    with ThreadPoolExecutor(min(threads, len(halves))) as pool:
        first, second = pool.map(count, halves)
    total: Array = np.minimum(first, contain.MANY - second) + second
    return total
