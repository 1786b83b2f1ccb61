"""The distinct n-grams of each text with how often they occur, and their weights by collection statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import fold_product
from truecopy.kernels.ngrams import first_gram, gram_hashes, next_point

Array = Any
AT_ONCE = 256
SMALLEST = 1 << 14
"""How large the table is when a text begins: small enough to stay in the fast caches."""


@part
def slot_of(key: np.uint64, secret: Array, mask: np.uint64) -> np.uint64:
    """Where a key's search begins. It depends on a secret, so that nobody can write a text that fills one place.

    Both halves of the product count: in the lower one, keys that differ in their highest bits stay together.
    """
    return fold_product(key ^ secret[0], secret[1]) & mask


@part
def spread(
    keys: Array, tallies: Array, size: int, secret: Array,
    hashes: Array, counts: Array, slots: Array, first: int, last: int,
) -> None:  # fmt: skip
    """Enter the n-grams first … last - 1 found so far, with their counts, into the first `size` places of the table."""
    for i in range(first, last):
        counts[i] = tallies[slots[i]]
    keys[:size] = np.uint64(0)
    mask = np.uint64(size - 1)
    for i in range(first, last):
        key = hashes[i] if hashes[i] != np.uint64(0) else np.uint64(1)
        slot = slot_of(key, secret, mask)
        while keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        keys[slot] = key
        tallies[slot] = np.uint32(counts[i])
        slots[i] = np.int64(slot)


@kernel
def distinct_grams(
    data: Array, offsets: Array, n: int, keys: Array, tallies: Array, secret: Array,
    slots: Array, hashes: Array, counts: Array, starts: Array, out: Array,
) -> None:  # fmt: skip
    """Distinct n-grams of each text in order of first appearance: hash, occurrences, and where the first one begins.

    Those of text i are at out[i] up to out[i + 1]. `keys` and `tallies` are the room for the table of hashes and
    counts: a power of two, at least twice as many places as any of the texts has n-grams.
    """
    some = np.empty(AT_ONCE, np.uint64)
    homes = np.empty(AT_ONCE, np.uint64)
    there = np.empty(AT_ONCE, np.uint64)
    place = np.zeros(2, np.int64)
    total = 0
    out[0] = 0
    for text in range(len(offsets) - 1):
        end = offsets[text + 1]
        first_gram(data, offsets[text], end, n, place)
        base = total
        size = min(SMALLEST, len(keys))
        mask = np.uint64(size - 1)
        keys[:size] = np.uint64(0)
        while True:
            at = place[0]
            found = gram_hashes(data, end, n, place, some)
            if found == 0:
                break
            single = place[0] - at == found  # every code point is a byte: most texts, most of the time
            for i in range(found):  # start all loads before the first branch that may be mispredicted
                key = some[i] if some[i] != np.uint64(0) else np.uint64(1)  # 0 is an empty place
                homes[i] = slot_of(key, secret, mask)
                there[i] = keys[homes[i]]
            for i in range(found):
                key = some[i] if some[i] != np.uint64(0) else np.uint64(1)
                if there[i] == key:
                    tallies[homes[i]] += np.uint32(1)
                else:
                    slot = slot_of(key, secret, mask)
                    while keys[slot] != key and keys[slot] != np.uint64(0):
                        slot = (slot + np.uint64(1)) & mask
                    if keys[slot] == key:
                        tallies[slot] += np.uint32(1)
                    else:
                        keys[slot] = key
                        tallies[slot] = np.uint32(1)
                        hashes[total] = some[i]
                        starts[total] = at
                        slots[total] = np.int64(slot)
                        total += 1
                        if 4 * (total - base) > size and size < len(keys):
                            size *= 2
                            mask = np.uint64(size - 1)
                            spread(keys, tallies, size, secret, hashes, counts, slots, base, total)
                            there[i:] = np.uint64(0)  # they are elsewhere now
                at = at + 1 if single else next_point(data, at, end)
        for i in range(base, total):
            counts[i] = tallies[slots[i]]
        out[text + 1] = total


@kernel
def weigh_grams(
    hashes: Array, counts: Array, offsets: Array, keys: Array, logs: Array, secret: Array, of_counts: Array,
    log_total: float, drop: bool, weights: Array,
) -> None:  # fmt: skip
    """The weight of each distinct n-gram of each text: log of its share in the text over its share in the collection.

    `keys` and `logs` are one open-addressing table of the collection's n-grams, as whole numbers and as floats: 2 i
    holds a key, 2 i + 1 the logarithm of how often it occurs, side by side: one trip to memory fetches both.
    `of_counts` are the logarithms of small counts. Weights are in units of 1/65536: sums are exact in any order.
    """
    mask = np.uint64(len(keys) // 2 - 1)
    two = np.uint64(2)
    for text in range(len(offsets) - 1):
        size = 0
        for i in range(offsets[text], offsets[text + 1]):
            size += counts[i]
        rare = log_total - math.log(size) if size else 0.0
        for i in range(offsets[text], offsets[text + 1]):
            key = hashes[i] if hashes[i] != np.uint64(0) else np.uint64(1)
            slot = slot_of(key, secret, mask)
            while keys[two * slot] != key and keys[two * slot] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            log = rare  # not seen elsewhere: as often as here
            if keys[two * slot] == key:
                here = of_counts[counts[i]] if counts[i] < len(of_counts) else math.log(counts[i])
                log += here - logs[two * slot + np.uint64(1)]
            weight = np.int64(np.floor(65536.0 * log + 0.5))
            weights[i] = 0 if drop and weight < 0 else weight


@kernel
def gram_ends(data: Array, starts: Array, text_ends: Array, n: int, out: Array) -> None:
    """Where the n-gram that begins at each place ends, in a text that ends where `text_ends` says."""
    for i in range(len(starts)):
        at = starts[i]
        for _ in range(n):
            if at < text_ends[i]:
                at = next_point(data, at, text_ends[i])
        out[i] = at


@kernel
def enter_rows(hashes: Array, first: int, keys: Array, numbers: Array, secret: Array) -> None:
    """Enter new hashes, numbered from `first` on, into an open-addressing table that has room for all.

    Of equal ones, the first is found: the others are left out, or many of them would make every search long.
    """
    mask = np.uint64(len(keys) - 1)
    for i in range(len(hashes)):
        key = hashes[i]
        if key == np.uint64(0):
            key = np.uint64(1)
        slot = slot_of(key, secret, mask)
        while keys[slot] != key and keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] != key:
            keys[slot] = key
            numbers[slot] = np.uint32(first + i)


@kernel
def find_rows(hashes: Array, keys: Array, numbers: Array, secret: Array, out: Array) -> int:
    """The number of each hash in an open-addressing table, -1 where it is missing; returns how many are missing."""
    mask = np.uint64(len(keys) - 1)
    missing = 0
    for i in range(len(hashes)):
        key = hashes[i]
        if key == np.uint64(0):
            key = np.uint64(1)
        slot = slot_of(key, secret, mask)
        while keys[slot] != key and keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] == key:
            out[i] = numbers[slot]
        else:
            out[i] = -1
            missing += 1
    return missing
