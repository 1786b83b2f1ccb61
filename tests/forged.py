"""Words and n-grams that are made to collide: what an author can do who knows the hashes that are not keyed.

ACCOUNTS          two account numbers with the same hash, and the same second hash of earlier versions
colliding_words   many words that share one hash
colliding_grams   many n-grams of eight ASCII characters whose hashes differ in their highest bits only
crowded_grams     many n-grams whose searches began at one slot of earlier tables of counts
crowded_entries   many long words that share one hash of bytes

The hash of a word can be undone, step by step (the head of kernels/tokenize.py): with s the state after the first eight
bytes, two words of sixteen have the same hash if s ^ (their second eight bytes) is the same. So for two beginnings
the second halves must differ by d = s ^ s'; in one of some thousand pairs of beginnings, letters and digits with such a
difference exist, byte for byte, and then hundreds of millions of them. The pair in ACCOUNTS was found by trying these
for one whose second hash agrees too: a matter of seconds.
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

WHOLE = (1 << 64) - 1
START, FACTOR = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
LETTERS = b"0123456789abcdefghijklmnopqrstuvwxyz"
ACCOUNTS = ("GB297252px70ipi1", "GB297707p1oyi91x")


def step(state: int, chunk: int) -> int:
    """One step of the hash of a word."""
    state = (state ^ chunk) * FACTOR & WHOLE
    return state ^ state >> 32


def bytes_step(state: int, chunk: int) -> int:
    """One step of `bytes_hash`."""
    state = (state ^ chunk) * START & WHOLE
    return state ^ state >> 32


@functools.cache
def _apart(difference: int) -> int:
    """A letter or digit that the difference makes another of, or 0."""
    return next((letter for letter in LETTERS if letter ^ difference in LETTERS), 0)


def _pairs(start: int, function: Callable[[int, int], int], dice: random.Random) -> Iterator[tuple[int, bytes, bytes]]:
    """Blocks of sixteen letters that lead from one state to another one alike."""
    seen: list[tuple[bytes, int]] = []
    while True:
        first = bytes(dice.choices(LETTERS, k=8))
        state = function(start, int.from_bytes(first, "little"))
        for other, reached in seen:
            difference = (state ^ reached).to_bytes(8, "little")
            second = bytes(map(_apart, difference))
            if first != other and 0 not in second:
                turned = bytes(a ^ b for a, b in zip(second, difference, strict=True))
                end = function(state, int.from_bytes(second, "little"))
                assert end == function(reached, int.from_bytes(turned, "little"))
                yield end, first + second, other + turned
                return
        seen.append((first, state))


def _multiplied(count: int, start: int, function: Callable[[int, int], int], seed: int) -> list[str]:
    """2, 4, 8 … words: blocks that lead to the same state, one after the other (Joux 2004)."""
    dice = random.Random(seed)
    blocks, state = [], start
    while 1 << len(blocks) < count:
        state, one, other = next(_pairs(state, function, dice))
        blocks.append((one, other))
    return ["".join(part.decode() for part in chosen) for chosen in itertools.islice(itertools.product(*blocks), count)]


def colliding_words(count: int, seed: int = 1) -> list[str]:
    """Words of the same hash: 16 letters and digits for each doubling."""
    return _multiplied(count, START, step, seed)


def crowded_entries(count: int, seed: int = 1) -> list[str]:
    """Words of the same length that share one `bytes_hash`, which begins with the length."""
    length = 16 * max(1, (count - 1).bit_length())
    return _multiplied(count, length, bytes_step, seed)


def _undone(values: Array, shift: int) -> Array:
    """x, from x ^ x >> shift."""
    result = values
    for _ in range(64 // shift):
        result = values ^ result >> np.uint64(shift)
    return result


def _divided(values: Array, factor: int) -> Array:
    """x, from x * factor."""
    return values * np.uint64(pow(factor, -1, 1 << 64))


def colliding_grams(count: int, seed: int = 1) -> list[str]:
    """N-grams of eight ASCII characters whose `bytes_hash` has the same lower 46 bits, about a thousand of each."""
    dice = random.Random(seed)
    found: list[str] = []
    while len(found) < count:
        hashes = (np.arange(1 << 18, dtype=np.uint64) << np.uint64(46)) | np.uint64(dice.getrandbits(46))
        grams = _divided(_undone(_divided(_undone(hashes, 32), FACTOR), 32), START) ^ np.uint64(8)
        ascii_only = grams[grams & np.uint64(0x8080808080808080) == 0]
        found += [int(gram).to_bytes(8, "little").decode() for gram in ascii_only]
    return found[:count]


def crowded_grams(count: int, seed: int = 1) -> list[str]:
    """N-grams of eight ASCII characters for which (k ^ k >> 29) · FACTOR has one upper half, k their packed key."""
    dice = np.random.default_rng(seed)
    products = (dice.integers(0, 1 << 32, 300 * count, np.uint64)) | np.uint64(0x9ABCDEF0 << 32)
    keys = np.unique(_undone(_divided(products, FACTOR), 29))
    keys = keys[keys >> np.uint64(56) == 8][:count]
    assert len(keys) == count
    return ["".join(chr(int(key) >> 7 * place & 127) for place in range(8)) for key in keys]
