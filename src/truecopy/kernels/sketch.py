"""Word hashes → one-permutation sketches of their shingles, densified.

Each shingle's hash picks one of `slots` places by its high bits and leaves the smallest of its low 32 bits
there (Li, Owen and Zhang: one permutation hashing). A place that no shingle picked borrows from a full one,
which a fixed sequence of hashes of the place chooses (Shrivastava's optimal densification). So the share of
equal places estimates resemblance without bias, for short texts too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.mix import mix, shingle_hash

Array = Any
EMPTY = 0xFFFFFFFF


@part
def densify(row: Array, filled: Array) -> None:
    """Fill empty places from full ones, the same way for every text."""
    slots = np.uint64(len(row))
    full, last = 0, 0
    for slot in range(len(row)):
        if filled[slot]:
            full += 1
            last = slot
    if full == 1:  # all would find it, after as many tries as there are places
        row[:] = row[last]
        return
    for slot in range(len(row)):
        if filled[slot]:
            continue
        attempt = np.uint64(1)
        while True:
            source = mix(np.uint64(slot) * np.uint64(0x9E3779B97F4A7C15) + attempt) % slots
            if filled[source]:
                row[slot] = row[source]
                break
            attempt += np.uint64(1)


@kernel
def sketch_words(hashes: Array, offsets: Array, out: Array) -> None:
    """The sketch of each text from the hashes of its words; one or two words are one shingle, led by zeros."""
    slots = np.uint64(out.shape[1])
    filled = np.zeros(out.shape[1], np.bool_)
    for text in range(len(offsets) - 1):
        row = out[text]
        row[:] = np.uint32(EMPTY)
        filled[:] = False
        begin, end = offsets[text], offsets[text + 1]
        if end == begin:
            continue
        first = second = np.uint64(0)
        if end - begin > 2:
            first, second = hashes[begin], hashes[begin + 1]
        elif end - begin == 2:
            second = hashes[begin]
        for i in range(min(begin + 2, end - 1), end):
            third = hashes[i]
            value = shingle_hash(first, second, third)
            slot = ((value >> np.uint64(32)) * slots) >> np.uint64(32)
            low = np.uint32(value & np.uint64(0xFFFFFFFF))
            filled[slot] = True
            if low < row[slot]:
                row[slot] = low
            first = second
            second = third
        densify(row, filled)
