"""Joins in rounds: they stop after some pairs, so that pairs never fill the memory, and what the first pairs tell
(which texts are of one family) can spare most of the others. How the work is split does not change what is found.

Batches are rounds of queries that mark what they find: the first ones are small, because what they mark is spared.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from truecopy.array_types import I64, Places
from truecopy.threads import Advance, in_pieces

Some = Callable[[int, int], tuple[int, tuple[Places, ...]]]
"""Given a range of texts, asks from the first on: the text reached, and the columns of pairs that were found."""

FIRST, GROWTH, LARGEST = 1 << 15, 4, 1 << 20
"""Pairs after which a round ends: the first one, how rounds grow, the largest."""

FIRST_BATCH, SPREAD_BATCH = 16, 1024
"""Queries in the first batch, and in the last one that takes them from all sizes."""


def in_batches(sizes: I64, asking: I64, largest: int) -> Iterator[I64]:
    """Queries in growing batches: the first ones of all sizes, so that they mark families of any; then neighbours."""
    by_size = asking[np.argsort(sizes[asking], kind="stable")]
    size = FIRST_BATCH
    while len(by_size) > size and size <= SPREAD_BATCH:
        chosen = np.zeros(len(by_size), np.bool_)
        chosen[np.linspace(0, len(by_size) - 1, size).astype(np.int64)] = True
        yield by_size[chosen]
        by_size, size = by_size[~chosen], GROWTH * size
    for first in range(0, len(by_size), largest):
        yield by_size[first : first + largest]


def in_rounds(
    make: Callable[[int], Some],
    cost: Places,
    threads: int,
    advance: Advance | None,
    *,
    backwards: bool = False,
) -> Iterator[list[tuple[Places, ...]]]:
    """All pairs, some at a time, as parts in the order of the texts; `make` is told how many pairs
    a round should find, and prepares what asks in it."""
    left, most = [(0, len(cost))] if len(cost) else [], FIRST
    while left:
        parts, left = _round(make(most), cost, left, most, threads, advance, backwards)
        most = min(GROWTH * most, LARGEST)
        if parts:
            yield parts


def _round(
    some: Some,
    cost: Places,
    ranges: list[tuple[int, int]],
    most: int,
    threads: int,
    advance: Advance | None,
    backwards: bool,
) -> tuple[list[tuple[Places, ...]], list[tuple[int, int]]]:
    """Ask for ranges of texts until about `most` pairs are found: the parts, and the ranges that are left."""
    parts: list[tuple[int, tuple[Places, ...]]] = []
    left: list[tuple[int, int]] = []
    total, lock = 0, threading.Lock()

    def ask(begin: int, first: int, last: int) -> None:
        nonlocal total
        first, last = begin + first, begin + last
        begun = first
        while first < last and total < most:
            place = first
            first, columns = some(first, last)
            with lock:
                total += len(columns[0])
                if len(columns[0]):
                    parts.append((place, columns))
        with lock:
            if first < last:
                left.append((first, last))
            if advance is not None:
                advance(first - begun)

    for begin, end in ranges:
        in_pieces(partial(ask, begin), cost[begin:end], threads, backwards=backwards)
    return [columns for _, columns in sorted(parts, key=lambda part: part[0])], _merged(left)


def _merged(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, those that touch as one."""
    out: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if out and out[-1][1] == first:
            out[-1] = out[-1][0], last
        else:
            out.append((first, last))
    return out
