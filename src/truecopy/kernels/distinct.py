"""The distinct n-grams of each text with how often they occur, and their weights by collection statistics."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.ngrams import first_gram, gram_hashes, next_point

Array = Any
AT_ONCE = 256
SMALLEST = 1 << 12
"""Places of the table that a text begins with: it stays in the fastest cache for short texts."""


@part
def refill(places: Array, size: int, hashes: Array, begin: int, end: int) -> None:
    """Enter the n-grams found so far into the first `size` places of the table."""
    places[:size] = np.uint32(0)
    mask = np.uint64(size - 1)
    for i in range(begin, end):
        slot = hashes[i] & mask
        while places[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        places[slot] = np.uint32(i - begin + 1)


@kernel
def distinct_grams(
    data: Array, offsets: Array, n: int, places: Array, hashes: Array, counts: Array, starts: Array, out: Array
) -> None:
    """Distinct n-grams of each text in order of first appearance: hash, occurrences, and where the first one begins.

    Those of text i are at out[i] up to out[i + 1]. `places` is the room for the table: a power of two, at least twice
    as many as there are n-grams in any of the texts.
    """
    some = np.empty(AT_ONCE, np.uint64)
    place = np.zeros(2, np.int64)
    total = 0
    out[0] = 0
    for text in range(len(offsets) - 1):
        begin, end = offsets[text], offsets[text + 1]
        first_gram(data, begin, end, n, place)
        base = total
        size = min(SMALLEST, len(places))
        places[:size] = np.uint32(0)
        while True:
            at = place[0]
            found = gram_hashes(data, end, n, place, some)
            if found == 0:
                break
            for i in range(found):
                mask = np.uint64(size - 1)
                slot = some[i] & mask
                while places[slot] != 0 and hashes[base + np.int64(places[slot]) - 1] != some[i]:
                    slot = (slot + np.uint64(1)) & mask
                if places[slot] == 0:
                    hashes[total] = some[i]
                    counts[total] = 1
                    starts[total] = at
                    total += 1
                    places[slot] = np.uint32(total - base)
                    if 2 * (total - base) > size and size < len(places):
                        size = min(4 * size, len(places))
                        refill(places, size, hashes, base, total)
                else:
                    counts[base + np.int64(places[slot]) - 1] += 1
                at = next_point(data, at, end)
        out[text + 1] = total


@kernel
def weigh_grams(
    hashes: Array, counts: Array, offsets: Array, keys: Array, numbers: Array, seen: Array, total: int, drop: bool,
    weights: Array,
) -> None:  # fmt: skip
    """The weight of each distinct n-gram of each text: log of its share in the text over its share in the collection.

    `keys` and `numbers` are an open-addressing table of the collection's n-grams (`kernels/vocabulary.py`), `seen` how
    often each occurs there. In units of 1/65536, so that sums are exact in any order.
    """
    mask = np.uint64(len(keys) - 1)
    for text in range(len(offsets) - 1):
        size = 0
        for i in range(offsets[text], offsets[text + 1]):
            size += counts[i]
        for i in range(offsets[text], offsets[text + 1]):
            key = hashes[i]
            if key == np.uint64(0):
                key = np.uint64(1)
            slot = key & mask
            while keys[slot] != key and keys[slot] != np.uint64(0):
                slot = (slot + np.uint64(1)) & mask
            elsewhere = seen[numbers[slot]] if keys[slot] == key else counts[i]
            share = (np.float64(counts[i]) * np.float64(total)) / (np.float64(size) * np.float64(elsewhere))
            weight = np.int64(math.floor(65536.0 * math.log(share) + 0.5))
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
def enter_rows(hashes: Array, first: int, keys: Array, numbers: Array) -> None:
    """Enter hashes, numbered from `first` on, into an open-addressing table that has none of them and room for all."""
    mask = np.uint64(len(keys) - 1)
    for i in range(len(hashes)):
        key = hashes[i]
        if key == np.uint64(0):
            key = np.uint64(1)
        slot = key & mask
        while keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        keys[slot] = key
        numbers[slot] = np.uint32(first + i)


@kernel
def find_rows(hashes: Array, keys: Array, numbers: Array, out: Array) -> int:
    """The number of each hash in an open-addressing table, -1 where it is not there; returns how many are not."""
    mask = np.uint64(len(keys) - 1)
    missing = 0
    for i in range(len(hashes)):
        key = hashes[i]
        if key == np.uint64(0):
            key = np.uint64(1)
        slot = key & mask
        while keys[slot] != key and keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] == key:
            out[i] = numbers[slot]
        else:
            out[i] = -1
            missing += 1
    return missing
