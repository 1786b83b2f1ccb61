"""Work on many pairs, split over threads by cost; the result does not depend on the split."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

CHUNKS_A_THREAD = 16
"""Enough that the last chunk does not keep one thread busy alone, few enough to share set-up."""


def chunks(cost: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """At most `parts` contiguous ranges of about equal cost that cover every item."""
    if len(cost) == 0:
        return []
    done = np.cumsum(cost, dtype=np.float64)
    cuts = np.searchsorted(done, done[-1] * np.arange(1, parts) / parts, side="left") + 1
    edges = np.unique(np.concatenate(([0], np.minimum(cuts, len(cost)), [len(cost)])))
    return [(int(low), int(high)) for low, high in pairwise(edges)]


def run(
    work: Callable[[int, int], None],
    cost: NDArray[np.int64],
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> None:
    """Call `work(low, high)` for ranges of items, on `threads` threads; `advance` hears of each end."""
    ranges = chunks(cost, 1 if threads == 1 and advance is None else max(threads, 1) * CHUNKS_A_THREAD)
    if threads == 1 or len(ranges) == 1:
        for low, high in ranges:
            work(low, high)
            if advance is not None:
                advance(high - low)
        return
    with ThreadPoolExecutor(threads) as pool:
        waiting = [(pool.submit(work, low, high), high - low) for low, high in ranges]
        for future, items in waiting:
            future.result()
            if advance is not None:
                advance(items)
