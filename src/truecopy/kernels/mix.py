"""Hash mixing that sketches, shingles and joins share. Part of the stored formats: it never changes silently."""

from __future__ import annotations

import numpy as np

from truecopy.kernels.jit import part


@part
def mix(value: np.uint64) -> np.uint64:
    """Spread every bit of the input over every bit of the output (a bijection on 64 bits)."""
    value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    value ^= value >> np.uint64(32)
    return value


@part
def shingle_hash(first: np.uint64, second: np.uint64, third: np.uint64) -> np.uint64:
    """The hash of three words in their order; the words' hashes are well mixed already."""
    second = (second << np.uint64(21)) | (second >> np.uint64(43))
    third = (third << np.uint64(42)) | (third >> np.uint64(22))
    value = (first + second * np.uint64(3) + third * np.uint64(5)) * np.uint64(0x9E3779B97F4A7C15)
    value ^= value >> np.uint64(32)
    value *= np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))
