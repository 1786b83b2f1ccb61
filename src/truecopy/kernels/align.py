"""Word-by-word alignment of two texts, for people to read: which word of x goes with which word of y.

1. Common ends are matched.
2. Runs of three words that occur once in each text are anchors (patience diff); the longest chain of
   anchors in the same order is matched, each as far as the words around it are equal. The gaps between
   them are treated alike: what is not unique in a whole text is often unique in a gap.
3. Where there is no such run: the same with single words; and in small gaps the longest common subsequence.
   What is left in a large gap stays unmatched: somebody rewrote that passage.

Time is near linear and memory linear: gaps are cut again at most `LEVELS` times.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.machine import fold_product
from truecopy.kernels.secret import SECRET

LEVELS = 12
RUN = 3
"""Words of an anchor, before single words are tried."""
SMALL = 1 << 10
"""A gap is solved exactly where its sides multiply to no more than this; `LARGE`: where there are no anchors."""
LARGE = 1 << 16
SEVERAL = -2

I32 = NDArray[np.int32]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]


@rare_part
def longest_chain(anchors: I32, met: int) -> int:
    """Keep the longest chain of anchors that rises in both texts; returns its length.

    anchors[0] are places in x, anchors[1] places in y, rising; the rows 2 and 3 are scratch.
    """
    length = 0
    ends, before = anchors[2], anchors[3]  # the last anchor of the best chain of each length; the one before it
    for k in range(met):
        place = anchors[0, k]
        low = 0
        high = length
        if length > 0 and anchors[0, ends[length - 1]] < place:
            low = length
        while low < high:
            middle = (low + high) // 2
            if anchors[0, ends[middle]] < place:
                low = middle + 1
            else:
                high = middle
        before[k] = ends[low - 1] if low > 0 else -1
        ends[low] = k
        if low == length:
            length += 1
    link = ends[length - 1] if length > 0 else -1
    for k in range(length - 1, -1, -1):
        ends[k] = link
        link = before[link]
    for k in range(length):  # ends[k] >= k: nothing is overwritten before it is read
        anchors[0, k] = anchors[0, ends[k]]
        anchors[1, k] = anchors[1, ends[k]]
    return length


@part
def _key(text: U32, i: int, run: int, keys: U64) -> np.uint64:
    """A hash of the words from i on, by the secret behind the slots: no text can make unlike runs share one."""
    value = keys[len(keys) - 2]
    for k in range(run):
        value = fold_product(value ^ np.uint64(text[i + k]), keys[len(keys) - 1])
    return value | np.uint64(1)


@rare_part
def _anchors(
    x: U32, i0: int, i1: int, y: U32, j0: int, j1: int, run: int,
    keys: U64, places: I32, slots: I32, anchors: I32,
) -> int:  # fmt: skip
    """The chain of runs of words that occur once in x[i0:i1] and once in y[j0:j1]."""
    size = 16
    while size < 2 * (i1 - i0):
        size *= 2
    mask = np.uint64(size - 1)
    for s in range(size):
        keys[s] = np.uint64(0)
        places[0, s] = -1
        places[1, s] = -1
    for i in range(i0, i1 - run + 1):
        key = _key(x, i, run, keys)
        slot = key & mask
        while keys[slot] != np.uint64(0) and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        places[0, slot] = i if keys[slot] == np.uint64(0) else SEVERAL
        keys[slot] = key
    for j in range(j0, j1 - run + 1):
        key = _key(y, j, run, keys)
        slot = key & mask
        while keys[slot] != np.uint64(0) and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        slots[j] = -1
        if keys[slot] == key:
            slots[j] = slot
            places[1, slot] = j if places[1, slot] == -1 else SEVERAL
    met = np.int64(0)
    for j in range(j0, j1 - run + 1):
        slot = slots[j]
        if slot >= 0 and places[1, slot] == j and places[0, slot] >= 0:
            anchors[0, met] = places[0, slot]
            anchors[1, met] = j
            met += 1
    return longest_chain(anchors, met)


@rare_part
def _common(x: U32, i0: int, i1: int, y: U32, j0: int, j1: int, table: U16, partner: I32) -> None:
    """Match the longest common subsequence of a small gap."""
    width = j1 - j0 + 1
    height = i1 - i0
    for j in range(width):
        table[height * width + j] = 0
    for i in range(height - 1, -1, -1):
        row = i * width
        table[row + width - 1] = 0
        for j in range(width - 2, -1, -1):
            if x[i0 + i] == y[j0 + j]:
                table[row + j] = table[row + width + j + 1] + np.uint16(1)
            else:
                table[row + j] = (
                    table[row + width + j] if table[row + width + j] > table[row + j + 1] else table[row + j + 1]
                )
    i = 0
    j = 0
    while i < height and j < width - 1:
        if x[i0 + i] == y[j0 + j]:
            partner[i0 + i] = j0 + j
            i += 1
            j += 1
        elif table[(i + 1) * width + j] >= table[i * width + j + 1]:
            i += 1
        else:
            j += 1


@rare_part
def align(
    x: U32, y: U32, partner: I32, gaps: I32, keys: U64, places: I32, slots: I32, anchors: I32, table: U16
) -> None:
    """partner[i] = the place in y of word i of x, rising; -1 where it has none. All else is scratch."""
    for i in range(len(x)):
        partner[i] = -1
    gaps[0, 0], gaps[0, 1], gaps[0, 2], gaps[0, 3], gaps[0, 4] = 0, len(x), 0, len(y), 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        i0, i1, j0, j1 = (
            np.int64(gaps[waiting, 0]), np.int64(gaps[waiting, 1]),
            np.int64(gaps[waiting, 2]), np.int64(gaps[waiting, 3]),
        )  # fmt: skip
        level = np.int64(gaps[waiting, 4])
        while i0 < i1 and j0 < j1 and x[i0] == y[j0]:
            partner[i0] = j0
            i0 += 1
            j0 += 1
        while i0 < i1 and j0 < j1 and x[i1 - 1] == y[j1 - 1]:
            i1 -= 1
            j1 -= 1
            partner[i1] = j1
        if i0 == i1 or j0 == j1:
            continue
        small = (i1 - i0 + 1) * (j1 - j0 + 1)
        length = 0
        if small > SMALL and level < LEVELS:
            run = np.int64(RUN)  # not a literal, for which Numba would compile the function twice
            while length == 0 and run > 0:
                length = _anchors(x, i0, i1, y, j0, j1, run, keys, places, slots, anchors)
                run -= 2
        if length == 0:
            if small <= LARGE:
                _common(x, i0, i1, y, j0, j1, table, partner)
            continue
        for k in range(length + 1):
            i = np.int64(anchors[0, k]) if k < length else i1
            j = np.int64(anchors[1, k]) if k < length else j1
            if i < i0 or j < j0:
                continue  # inside what the anchor before it matched
            if i > i0 and j > j0:
                gaps[waiting, 0], gaps[waiting, 1], gaps[waiting, 2], gaps[waiting, 3] = i0, i, j0, j
                gaps[waiting, 4] = level + 1
                waiting += 1
            while i < i1 and j < j1 and x[i] == y[j]:
                partner[i] = j
                i += 1
                j += 1
            i0 = i
            j0 = j


@kernel
def align_texts(
    x: U32, y: U32, partner: I32, gaps: I32, keys: U64, places: I32, slots: I32, anchors: I32, table: U16
) -> None:
    """`align`, to be called from Python; `scratch` makes the arrays from `gaps` on."""
    align(x, y, partner, gaps, keys, places, slots, anchors, table)


def scratch(longest: int) -> tuple[NDArray[Any], ...]:
    """Room to align texts of up to `longest` words."""
    slots = 16
    while slots < 2 * longest:
        slots *= 2
    return (
        np.empty((longest + 2, 5), np.int32),
        np.concatenate([np.empty(slots, np.uint64), SECRET]),
        np.empty((2, slots), np.int32),
        np.empty(longest, np.int32),
        np.empty((4, longest), np.int32),
        np.empty(LARGE, np.uint16),
    )
