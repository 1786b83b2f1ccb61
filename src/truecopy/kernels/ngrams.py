"""Character n-grams: hashes of every run of n code points, from UTF-8.

An n-gram is known by the hash of its UTF-8 bytes (`bytes_hash`, docs/reference/signatures.md). Texts are mostly
ASCII, where a code point is a byte: eight n-grams are then hashed from eight loads, without looking at a single byte.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import part
from truecopy.kernels.machine import load_8

Array = Any
GOLDEN = 0x9E3779B97F4A7C15
FACTOR = 0xD6E8FEB86659FD93
HIGH = 0x8080808080808080
LONGEST = 8
"""Code points in an n-gram, at most: eight of ASCII are one load."""


@part
def further(value: np.uint64, index: np.uint64) -> np.uint64:
    """`word(h, j)`: the j-th further hash of the thing that `value` is a hash of."""
    value += index * np.uint64(GOLDEN)
    value ^= value >> np.uint64(32)
    value *= np.uint64(FACTOR)
    value ^= value >> np.uint64(29)
    value *= np.uint64(FACTOR)
    return value ^ (value >> np.uint64(32))


@part
def lane(value: np.uint64, index: np.uint64) -> np.uint64:
    """`lane(h, j)`: another hash from one that is well mixed; of two such, no bit follows from one of the other."""
    value += index * np.uint64(GOLDEN)
    value ^= value >> np.uint64(32)
    value *= np.uint64(FACTOR)
    return value ^ (value >> np.uint64(32))


@part
def bytes_hash(data: Array, begin: int, end: int) -> np.uint64:
    """`bytes_hash`: the array must hold eight bytes from every place before `end`."""
    value = np.uint64(end - begin)
    at = begin
    while at < end:
        word = load_8(data, at)
        if end - at < 8:
            word &= (np.uint64(1) << np.uint64(8 * (end - at))) - np.uint64(1)
        value = (value ^ word) * np.uint64(GOLDEN)
        value ^= value >> np.uint64(32)
        at += 8
    value *= np.uint64(FACTOR)
    return value ^ (value >> np.uint64(32))


@part
def next_point(data: Array, at: int, end: int) -> int:
    """Where the code point after the one at `at` begins."""
    at += 1
    while at < end and data[at] & 0xC0 == 0x80:
        at += 1
    return at


@part
def gram_hashes(data: Array, end: int, n: int, place: Array, out: Array) -> int:
    """Hashes of the next n-grams of a text that ends at `end`, as many as `out` has room for; returns how many.

    `place` holds where the next n-gram begins and where it ends; the caller sets it by `first_gram`.
    """
    begin, stop = place[0], place[1]
    mask = ~np.uint64(0) if n == 8 else (np.uint64(1) << np.uint64(8 * n)) - np.uint64(1)
    start = np.uint64(n)
    room = len(out)
    found = 0
    while stop <= end and found < room:
        while (
            found + 8 <= room
            and stop - begin == n
            and begin + 16 <= end
            and (load_8(data, begin) | load_8(data, begin + 8)) & np.uint64(HIGH) == np.uint64(0)
        ):
            for i in range(8):
                value = (start ^ (load_8(data, begin + i) & mask)) * np.uint64(GOLDEN)
                value ^= value >> np.uint64(32)
                value *= np.uint64(FACTOR)
                out[found + i] = value ^ (value >> np.uint64(32))
            found += 8
            begin += 8
            stop += 8
        if found == room or stop > end:
            break
        out[found] = bytes_hash(data, begin, stop)
        found += 1
        begin = next_point(data, begin, end)
        stop = end + 1 if stop == end else next_point(data, stop, end)
    place[0], place[1] = begin, stop
    return found


@part
def first_gram(data: Array, begin: int, end: int, n: int, place: Array) -> None:
    """Set `place` to a text's first n-gram; a shorter text is one n-gram, an empty one has none."""
    stop = begin
    for _ in range(n):
        if stop < end:
            stop = next_point(data, stop, end)
    place[0], place[1] = begin, stop if end > begin else end + 1
