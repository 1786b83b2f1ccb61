"""TopSig: sums of sparse vectors over {-1, 0, +1}, one for each n-gram, made from its hash whenever it is needed."""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import trailing_zeros
from truecopy.kernels.ngrams import first_gram, further, gram_hashes
from truecopy.kernels.simhash import CHUNK, bits_above, count_ones

Array = Any


@part
def mask_of(value: np.uint64, first: int, digits: int, draws: int) -> np.uint64:
    """64 entries, each present with the chance digits / 2**draws, from that many draws of 64 bits."""
    if draws == 0:
        return ~np.uint64(0)
    mask = further(value, np.uint64(first))
    for draw in range(1, draws):
        word = further(value, np.uint64(first + draw))
        if (digits >> draw) & 1:
            mask |= word
        else:
            mask &= word
    return mask


@kernel
def topsig_grams(data: Array, offsets: Array, n: int, seed: np.uint64, digits: int, draws: int, out: Array) -> None:
    """TopSigs of texts; every occurrence of an n-gram counts alike."""
    words = out.shape[1]
    hashes = np.zeros(CHUNK, np.uint64)
    plus = np.zeros(CHUNK, np.uint64)
    minus = np.zeros(CHUNK, np.uint64)
    above = np.zeros((words, 64), np.int64)
    below = np.zeros((words, 64), np.int64)
    place = np.zeros(2, np.int64)
    for text in range(len(offsets) - 1):
        end = offsets[text + 1]
        first_gram(data, offsets[text], end, n, place)
        above[:] = 0
        below[:] = 0
        while True:
            found = gram_hashes(data, end, n, place, hashes)
            if found == 0:
                break
            for j in range(words):
                first = j * (draws + 1)
                for i in range(found):
                    value = hashes[i] + seed
                    mask = mask_of(value, first, digits, draws)
                    sign = further(value, np.uint64(first + draws))
                    plus[i] = mask & sign
                    minus[i] = mask & ~sign
                plus[found:] = np.uint64(0)
                minus[found:] = np.uint64(0)
                count_ones(plus, above[j])
                count_ones(minus, below[j])
        for j in range(words):
            for bit in range(64):
                above[j, bit] -= below[j, bit]
            out[text, j] = bits_above(above[j], 0)


@kernel
def topsig_weighted(
    hashes: Array, weights: Array, offsets: Array, seed: np.uint64, digits: int, draws: int, out: Array
) -> None:
    """TopSigs of texts from their distinct n-grams and weights."""
    words = out.shape[1]
    sums = np.zeros((words, 64), np.int64)
    for text in range(len(offsets) - 1):
        sums[:] = 0
        for i in range(offsets[text], offsets[text + 1]):
            value = hashes[i] + seed
            for j in range(words):
                first = j * (draws + 1)
                mask = mask_of(value, first, digits, draws)
                sign = further(value, np.uint64(first + draws))
                while mask != np.uint64(0):
                    bit = trailing_zeros(mask)
                    mask &= mask - np.uint64(1)
                    # Without a branch: half of them would be mispredicted.
                    sums[j, bit] += weights[i] * (2 * np.int64((sign >> np.uint64(bit)) & np.uint64(1)) - 1)
        for j in range(words):
            out[text, j] = bits_above(sums[j], 0)
