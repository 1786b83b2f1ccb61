"""The secret of this process: what tables are searched by, so that nobody can write a text that is slow.

It is drawn anew for each process and never stored, and no result depends on it. Kernels take it as an argument: what
they read from a module becomes a part of their machine code, which is kept.

SECRET        two numbers that kernels key words and entries with
number_keys   word numbers → values that no text can foresee, another one for each number
seeded_keys   the same from a seed, for what is stored and must be found again
keys_of       those of some numbers only
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

SECRET: Array = np.array([secrets.randbits(64), secrets.randbits(64) | 1], np.uint64)
SECRET.flags.writeable = False
_SEED = secrets.token_bytes(32)
_ROUNDS = 3
_FACTOR = np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_LOCK = threading.Lock()
_MADE: list[Array] = [np.empty(0, np.uint64)]


def number_keys(size: int) -> Array:
    """A value for each word number below `size`, in this process: another one for each number, and always the same."""
    made = _MADE[0]
    if len(made) < size:
        with _LOCK:
            made = _MADE[0]
            if len(made) < size:
                made = _MADE[0] = seeded_keys(2 * size, _SEED)
    return made[:size]


def seeded_keys(size: int, seed: bytes) -> Array:
    """The same by a seed."""
    return keys_of(np.arange(size), seed)


def keys_of(numbers: Array, seed: bytes) -> Array:
    """Those of some numbers: rounds of a bijection of 64 bits, with a number from the seed before each."""
    drawn = np.frombuffer(hashlib.sha256(seed).digest(), "<u8").astype(np.uint64)
    values = numbers.astype(np.uint64)
    for number in drawn[:_ROUNDS]:
        values += number
        for _ in range(2):
            values ^= values >> _HALF
            values *= _FACTOR
    values ^= values >> _HALF
    values.flags.writeable = False
    return values
