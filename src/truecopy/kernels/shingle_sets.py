"""The distinct shingles of each text, in order of their hashes.

Hashes are spread evenly. So they are put into as many buckets as a text has words, by their high bits, and each bucket
is sorted on its own. A text that says one thing over and over fills one bucket; sorting it costs n · log n, never more.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel
from truecopy.kernels.mix import shingle_hash
from truecopy.kernels.sorting import greatest_first

Array = Any


@kernel
def shingle_sets(words: Array, offsets: Array, keys: Array, first: int, last: int, out: Array, sizes: Array) -> int:
    """The shingles of texts from `first` to `last`, one text's after the other's; how many there are.

    `out` has room for as many entries as the texts have words.
    """
    longest, total = 0, 0
    for text in range(first, last):
        longest = max(longest, offsets[text + 1] - offsets[text])
    values = np.empty(longest, np.uint64)
    ends = np.empty(2 * longest + 3, np.int64)
    for text in range(first, last):
        begin, count = offsets[text], offsets[text + 1] - offsets[text] - 2
        sizes[text] = 0
        if count < 1:
            continue
        bits = 1
        while 1 << bits < count:
            bits += 1
        shift = np.uint64(64 - bits)
        ends[: (1 << bits) + 1] = 0
        for i in range(count):
            value = shingle_hash(keys[words[begin + i]], keys[words[begin + i + 1]], keys[words[begin + i + 2]])
            values[i] = value if value != np.uint64(0) else np.uint64(1)  # as wherever shingles are counted
            ends[np.int64(values[i] >> shift) + 1] += 1
        for bucket in range(1 << bits):
            ends[bucket + 1] += ends[bucket]
        own = out[total : total + count]
        for i in range(count):
            bucket = np.int64(values[i] >> shift)
            own[ends[bucket]] = values[i]
            ends[bucket] += 1
        distinct, start = 0, 0
        for bucket in range(1 << bits):
            greatest_first(own[start : ends[bucket]])
            for i in range(ends[bucket] - 1, start - 1, -1):
                if i == ends[bucket] - 1 or own[i] != own[i + 1]:
                    values[distinct] = own[i]
                    distinct += 1
            start = ends[bucket]
        own[:distinct] = values[:distinct]
        sizes[text] = distinct
        total += distinct
    return total
