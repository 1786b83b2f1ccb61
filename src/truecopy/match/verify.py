"""Verification: the exact word-level distance of candidate pairs, on threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only
from truecopy.match.threads import run


def edit_distances(
    words: NDArray[np.uint32],
    offsets: NDArray[np.int64],
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    limits: NDArray[np.int64],
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> NDArray[np.int64]:
    """The distance of the texts a[i] and b[i]: exact where at most limits[i], else limits[i] + 1.

    Fastest when pairs with the same `a` are next to each other.
    """
    from truecopy.kernels.edit import edit_distances as kernel
    from truecopy.kernels.edit import scratch

    words, offsets, limits = read_only(words), read_only(offsets), read_only(limits)
    a, b = read_only(a), read_only(b)
    out = np.empty(len(a), np.int64)
    length = offsets[1:] - offsets[:-1]
    longer = np.maximum(length[a], length[b])
    vocabulary = 1 + _highest_word(words, offsets, a, b)
    # the area of the band in strips of 512 rows, and the words to look at
    cost = longer * np.minimum(np.maximum(limits, 0), longer) // 512 + longer + 64 if len(a) > 1 else longer

    def work(low: int, high: int) -> None:
        room = scratch(int(longer[low:high].max()), vocabulary)
        kernel(words, offsets, a[low:high], b[low:high], limits[low:high], out[low:high], *room)

    run(work, cost, threads, advance)
    return out


def _highest_word(
    words: NDArray[np.uint32], offsets: NDArray[np.int64], a: NDArray[np.int32], b: NDArray[np.int32]
) -> int:
    """The highest word number in these texts; of a large collection, only these texts are looked at."""
    if 16 * len(a) > len(offsets):
        return int(words.max(initial=0))
    texts = np.unique(np.concatenate((a, b)))
    if 8 * len(texts) > len(offsets):
        return int(words.max(initial=0))
    return max((int(words[offsets[t] : offsets[t + 1]].max(initial=0)) for t in texts), default=0)
