"""The smallest of the digests of a text's n-grams, for each of several hash functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel

Array = Any


@kernel
def smallest_digests(rows: Array, functions: int, numbers: Array, offsets: Array, out: Array) -> None:
    """Each row holds a digest of as many words for each function, most significant word first."""
    words = rows.shape[1] // functions
    for text in range(len(offsets) - 1):
        for function in range(functions):
            first = function * words
            best = np.int64(-1)
            for i in range(offsets[text], offsets[text + 1]):
                row = numbers[i]
                if best < 0:
                    best = row
                    continue
                for word in range(first, first + words):
                    if rows[row, word] != rows[best, word]:
                        if rows[row, word] < rows[best, word]:
                            best = row
                        break
            for word in range(first, first + words):
                out[text, word] = rows[best, word] if best >= 0 else np.uint64(0)
