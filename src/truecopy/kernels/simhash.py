"""SimHash: for each bit, whether more n-grams have a 1 there than a 0.

Counting 64 bits of every hash one by one would take 64 additions. Carry-save adders count all 64 at once: three words
go in, their sum comes out as two words, bit for bit. The sums are added to counters only once in 240 n-grams (Harley
and Seal's population count, lengthwise).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.ngrams import first_gram, gram_hashes, lane

Array = Any
CHUNK = 240
"""Hashes that are added up before the counters are touched: 15 times 16, as many as eight planes of bits can count."""


@part
def carry_save(a: np.uint64, b: np.uint64, c: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The sum of three bits, for 64 bits at once: ones and twos."""
    either = a ^ b
    return either ^ c, (a & b) | (either & c)


@part
def count_ones(hashes: Array, counts: Array) -> None:
    """Add the ones of CHUNK hashes to 64 counters."""
    ones = twos = fours = eights = p0 = p1 = p2 = p3 = np.uint64(0)
    for at in range(0, CHUNK, 16):
        ones, a = carry_save(ones, hashes[at], hashes[at + 1])
        ones, b = carry_save(ones, hashes[at + 2], hashes[at + 3])
        twos, c = carry_save(twos, a, b)
        ones, a = carry_save(ones, hashes[at + 4], hashes[at + 5])
        ones, b = carry_save(ones, hashes[at + 6], hashes[at + 7])
        twos, d = carry_save(twos, a, b)
        fours, e = carry_save(fours, c, d)
        ones, a = carry_save(ones, hashes[at + 8], hashes[at + 9])
        ones, b = carry_save(ones, hashes[at + 10], hashes[at + 11])
        twos, c = carry_save(twos, a, b)
        ones, a = carry_save(ones, hashes[at + 12], hashes[at + 13])
        ones, b = carry_save(ones, hashes[at + 14], hashes[at + 15])
        twos, d = carry_save(twos, a, b)
        fours, f = carry_save(fours, c, d)
        eights, carry = carry_save(eights, e, f)
        p0, carry = p0 ^ carry, p0 & carry
        p1, carry = p1 ^ carry, p1 & carry
        p2, carry = p2 ^ carry, p2 & carry
        p3 ^= carry
    one = np.uint64(1)
    for bit in range(64):
        place = np.uint64(bit)
        low = ((ones >> place) & one) + (((twos >> place) & one) << one)
        low += ((fours >> place) & one) << np.uint64(2)
        low += ((eights >> place) & one) << np.uint64(3)
        high = ((p0 >> place) & one) + (((p1 >> place) & one) << one)
        high += ((p2 >> place) & one) << np.uint64(2)
        high += ((p3 >> place) & one) << np.uint64(3)
        counts[bit] += np.int64(low + (high << np.uint64(4)))


@part
def bits_above(sums: Array, limit: int) -> np.uint64:
    """64 bits, 1 where the sum is above the limit."""
    value = np.uint64(0)
    for bit in range(64):
        value |= np.uint64(sums[bit] > limit) << np.uint64(bit)
    return value


@part
def add_weighted(value: np.uint64, weight: int, sums: Array) -> None:
    """Add a weight to the sum of each bit that is 1, and subtract it where the bit is 0."""
    for bit in range(64):
        sums[bit] += weight * (2 * np.int64((value >> np.uint64(bit)) & np.uint64(1)) - 1)


@kernel
def simhash_fast(data: Array, offsets: Array, n: int, out: Array) -> None:
    """SimHashes of texts by `bytes_hash`, as many words of 64 bits each as `out` has columns."""
    words = out.shape[1]
    hashes = np.zeros(CHUNK, np.uint64)
    column = np.zeros(CHUNK, np.uint64)
    counts = np.zeros((words, 64), np.int64)
    place = np.zeros(2, np.int64)
    for text in range(len(offsets) - 1):
        end = offsets[text + 1]
        first_gram(data, offsets[text], end, n, place)
        counts[:] = 0
        grams = 0
        while True:
            found = gram_hashes(data, end, n, place, hashes)
            if found == 0:
                break
            grams += found
            hashes[found:] = np.uint64(0)
            count_ones(hashes, counts[0])
            for j in range(1, words):
                for i in range(CHUNK):
                    column[i] = lane(hashes[i], np.uint64(j))
                column[found:] = np.uint64(0)
                count_ones(column, counts[j])
        for j in range(words):
            out[text, j] = bits_above(counts[j], grams // 2)


@kernel
def simhash_weighted(hashes: Array, weights: Array, offsets: Array, out: Array) -> None:
    """SimHashes of texts from the hashes of their distinct n-grams, each counting its weight."""
    sums = np.zeros((out.shape[1], 64), np.int64)
    for text in range(len(offsets) - 1):
        sums[:] = 0
        for i in range(offsets[text], offsets[text + 1]):
            add_weighted(hashes[i], weights[i], sums[0])
            for j in range(1, out.shape[1]):
                add_weighted(lane(hashes[i], np.uint64(j)), weights[i], sums[j])
        for j in range(out.shape[1]):
            out[text, j] = bits_above(sums[j], 0)


@kernel
def simhash_rows(rows: Array, numbers: Array, weights: Array, offsets: Array, out: Array) -> None:
    """The same where row `numbers[i]` holds the bits of n-gram i."""
    sums = np.zeros((out.shape[1], 64), np.int64)
    for text in range(len(offsets) - 1):
        sums[:] = 0
        for i in range(offsets[text], offsets[text + 1]):
            for j in range(out.shape[1]):
                add_weighted(rows[numbers[i], j], weights[i], sums[j])
        for j in range(out.shape[1]):
            out[text, j] = bits_above(sums[j], 0)
