"""`mix` and `word` of docs/reference/signatures.md outside kernels: for tables and seeds, as numbers and as arrays."""

from __future__ import annotations

import numpy as np

from truecopy.array_types import U64

GOLDEN = 0x9E3779B97F4A7C15
FACTOR = 0xD6E8FEB86659FD93


def mixed(values: U64) -> U64:
    """mix of each value."""
    half = np.uint64(32)
    for _ in range(2):
        values = (values ^ (values >> half)) * np.uint64(FACTOR)
    made: U64 = values ^ (values >> half)
    return made


def mix(value: int) -> int:
    """mix of one value.

    >>> hex(mix(1))
    '0x4179b061e0c0e0d0'
    """
    return int(mixed(np.array([value], np.uint64))[0])


def words(value: int, many: int) -> U64:
    """word(value, 0), word(value, 1) …"""
    made = np.uint64(value) + np.arange(many, dtype=np.uint64) * np.uint64(GOLDEN)
    made ^= made >> np.uint64(32)
    made *= np.uint64(FACTOR)
    made ^= made >> np.uint64(29)
    made *= np.uint64(FACTOR)
    made ^= made >> np.uint64(32)
    return made
