"""Distinct 3-word shingles: how many a text has, and how many two texts share.

A shingle is known by a 64-bit hash of its three words' keys, which no text can foresee (`kernels.secret`). Sets are
open-addressing tables of twice the room they need; 0 marks a free slot, so a shingle whose hash is 0 counts as 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.jit import kernel, rare_part
from truecopy.kernels.mix import shingle_hash

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]


@rare_part
def _room(length: int) -> int:
    """Slots of a table for a text of this many words: a power of two, at least twice the shingles."""
    size = 16
    while size < 2 * length:
        size *= 2
    return size


@rare_part
def _collect(text: U32, keys: U64, table: U64) -> int:
    """Put a text's shingles into an empty table; returns how many are distinct."""
    if len(text) < 3:
        return 0
    zero = np.uint64(0)
    mask = np.uint64(len(table) - 1)
    distinct = 0
    first = keys[text[0]]
    second = keys[text[1]]
    for i in range(2, len(text)):
        third = keys[text[i]]
        key = shingle_hash(first, second, third)
        if key == zero:
            key = np.uint64(1)
        first = second
        second = third
        slot = key & mask
        while table[slot] != zero and table[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] == zero:
            table[slot] = key
            distinct += 1
    return distinct


@kernel
def distinct_shingles(words: U32, offsets: I64, keys: U64, texts: I32, out: I64) -> None:
    """out[i] = distinct shingles of texts[i]; a text of one or two words has none."""
    longest = np.int64(0)
    for text in texts:
        longest = max(longest, offsets[text + 1] - offsets[text])
    table = np.zeros(_room(longest), np.uint64)
    for i in range(len(texts)):
        text = words[offsets[texts[i]] : offsets[texts[i] + 1]]
        part = table[: _room(len(text))]
        part[:] = np.uint64(0)
        out[i] = _collect(text, keys, part)


@kernel
def shared_shingles(words: U32, offsets: I64, keys: U64, a: I32, b: I32, out: I64) -> None:
    """out[i] = distinct shingles that the texts a[i] and b[i] share; equal a in a row share a table."""
    zero = np.uint64(0)
    longest = np.int64(0)
    for text in a:
        longest = max(longest, offsets[text + 1] - offsets[text])
    table = np.zeros(_room(longest), np.uint64)
    seen = np.empty(len(table), np.int64)  # the last pair that met this slot's shingle
    part = table[:16]
    for i in range(len(a)):
        if i == 0 or a[i] != a[i - 1]:
            text = words[offsets[a[i]] : offsets[a[i] + 1]]
            part = table[: _room(len(text))]
            part[:] = zero
            seen[: len(part)] = -1
            _collect(text, keys, part)
        other = words[offsets[b[i]] : offsets[b[i] + 1]]
        shared = 0
        if len(other) > 2:
            mask = np.uint64(len(part) - 1)
            first = keys[other[0]]
            second = keys[other[1]]
            for j in range(2, len(other)):
                third = keys[other[j]]
                key = shingle_hash(first, second, third)
                if key == zero:
                    key = np.uint64(1)
                first = second
                second = third
                slot = key & mask
                while part[slot] != zero and part[slot] != key:
                    slot = (slot + np.uint64(1)) & mask
                if part[slot] == key and seen[slot] != i:
                    seen[slot] = i
                    shared += 1
        out[i] = shared
