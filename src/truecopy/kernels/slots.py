"""Entries of a hash and a text in 64 bits, in slots by the first bits of the hash; marks tell which hashes have none.

An entry holds the 36 bits of the hash that come after those of the slot, and the text. Two hashes that share these and
the slot are taken for one: that can only add to what is met, and costs time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part

Array = Any

OWNERS = 1 << 28
"""Texts are fewer than this."""
_REST = np.uint64(28)
_OWNER = np.uint64(OWNERS - 1)
_WORD = np.uint64(6)
_BIT = np.uint64(63)
_ONE = np.uint64(1)


@part
def owner_of(entry: np.uint64) -> int:
    """The text."""
    return np.int64(entry & _OWNER)


@part
def rest_of(entry: np.uint64) -> np.uint64:
    """What is told of the hash."""
    return entry >> _REST


@part
def rest_after(value: np.uint64, bits: int) -> np.uint64:
    """What an entry tells of a hash whose first bits choose the slot."""
    return (value << np.uint64(bits)) >> _REST


@part
def is_marked(marks: Array, slot: np.uint64) -> np.uint64:
    """1 if there may be entries of hashes that begin with these bits; most hashes have none."""
    return (marks[np.int64(slot >> _WORD)] >> (slot & _BIT)) & _ONE


@kernel
def mark_hashes(hashes: Array, bits: int, marks: Array) -> None:
    """Set a bit for the first `bits` of each hash."""
    shift = np.uint64(64 - bits)
    for i in range(len(hashes)):
        slot = hashes[i] >> shift
        marks[np.int64(slot >> _WORD)] |= _ONE << (slot & _BIT)


@kernel
def count_entries(hashes: Array, bits: int, starts: Array) -> None:
    """Count entries by slot, the first `bits` of the hash: slot s is counted in starts[s + 2]."""
    shift = np.uint64(64 - bits)
    for i in range(len(hashes)):
        starts[np.int64(hashes[i] >> shift) + 2] += 1


@kernel
def place_entries(hashes: Array, owners: Array, bits: int, starts: Array, entries: Array) -> None:
    """Put entries where their slot begins; starts[s + 1] moves on from there to where slot s ends."""
    shift = np.uint64(64 - bits)
    for i in range(len(hashes)):
        slot = np.int64(hashes[i] >> shift) + 1
        entries[starts[slot]] = (rest_after(hashes[i], bits) << _REST) | np.uint64(owners[i])
        starts[slot] += 1
