"""Sorting inside of kernels: a few numbers by insertion, many by a heap; never more than n · log n."""

from __future__ import annotations

from typing import Any

from truecopy.kernels.jit import part, rare_part

Array = Any

_SMALL = 24
"""Arrays up to this size are sorted by insertion."""


@part
def _sift(heap: Array, at: int, size: int) -> None:
    """Let an entry of a heap sink to where none below it is smaller."""
    value = heap[at]
    child = 2 * at + 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[at] = heap[child]
        at = child
        child = 2 * at + 1
    heap[at] = value


@rare_part
def greatest_first(values: Array) -> None:
    """Sort numbers, the greatest first."""
    if len(values) > _SMALL:
        for at in range(len(values) // 2 - 1, -1, -1):
            _sift(values, at, len(values))
        for size in range(len(values) - 1, 0, -1):
            values[0], values[size] = values[size], values[0]
            _sift(values, 0, size)
        return
    for i in range(1, len(values)):
        value, at = values[i], i
        while at > 0 and values[at - 1] < value:
            values[at] = values[at - 1]
            at -= 1
        values[at] = value
