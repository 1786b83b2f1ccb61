"""The texts whose sketches agree in the most places: exact, among all texts of a family.

Every two sketches are compared, so this must be cheap. The lowest bytes of all places, eight in a word of 64 bits, are
compared first: places that are equal have equal bytes, so the equal bytes are an upper bound. Candidates come in
order of that bound, and whole places are compared until nobody that is left can be among the nearest.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part

Array = Any

_LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES = np.uint64(0x0101010101010101)
_EVEN = np.uint64(0x00FF00FF00FF00FF)
_SUM = np.uint64(0x0001000100010001)


@part
def _equal_bytes(bytes_of: Array, x: int, y: int) -> int:
    """How many bytes of two rows are equal; rows have up to 255 words."""
    total = np.uint64(0)
    for word in range(bytes_of.shape[1]):
        apart = bytes_of[x, word] ^ bytes_of[y, word]
        # The highest bit of each byte becomes 1 where the byte is not 0.
        total += (~(((apart & _LOW) + _LOW) | apart) >> np.uint64(7)) & _ONES
    return np.int64((((total & _EVEN) + ((total >> np.uint64(8)) & _EVEN)) * _SUM) >> np.uint64(48))


@part
def _equal_places(values: Array, x: int, y: int) -> int:
    equal = 0
    for place in range(values.shape[1]):
        equal += values[x, place] == values[y, place]
    return equal


@kernel
def nearest_sketches(values: Array, bytes_of: Array, asking: Array, first: int, last: int, out: Array) -> None:
    """For asking[first] to asking[last - 1]: the rows that have the most equal places, ties by row.

    `out` has a row for each of these, with as many columns as rows are wanted; -1 where there are no more.
    """
    rows, slots = values.shape
    wanted = out.shape[1]
    bound = np.empty(rows, np.int16)
    order = np.empty(rows, np.int32)
    starts = np.empty(slots + 2, np.int64)
    equal = np.empty(wanted, np.int64)
    for query in range(first, last):
        x = np.int64(asking[query])
        starts[:] = 0
        for y in range(rows):
            bound[y] = _equal_bytes(bytes_of, x, y)
            starts[slots - bound[y] + 1] += 1
        for level in range(slots + 1):
            starts[level + 1] += starts[level]
        for y in range(rows):
            level = slots - bound[y]
            order[starts[level]] = y
            starts[level] += 1
        found = out[query - first]
        have = 0
        for i in range(rows):
            y = np.int64(order[i])
            if y == x:
                continue
            if have == wanted and bound[y] < equal[wanted - 1]:
                break
            here = _equal_places(values, x, y)
            if have == wanted and (here < equal[have - 1] or (here == equal[have - 1] and y > found[have - 1])):
                continue
            at = have if have < wanted else have - 1
            while at > 0 and (equal[at - 1] < here or (equal[at - 1] == here and found[at - 1] > y)):
                equal[at] = equal[at - 1]
                found[at] = found[at - 1]
                at -= 1
            equal[at] = here
            found[at] = y
            have = min(have + 1, wanted)
        found[have:] = -1
