"""Counting letters: how often each letter and digit occurs in a text, and how far counts are apart.

Text is mostly ASCII, where a character is a byte. Eight of them come from one load, and two at a time are counted in
one step, as a pair: the sums over all pairs with a character are the character's counts. Clearing and adding up the
pairs takes as long as counting some thousand characters. So short texts are counted character by character, in eight
histograms, so that no count waits for the one before it. Code points are decoded only where a byte is not ASCII.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.fold import read_point
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import load_8

Array = Any
LATIN = 62
"""A to Z, a to z, 0 to 9."""
PLACES = 256
"""Places of the extended alphabet; also the place of every code point that is not counted."""
HIGH = np.uint64(0x8080808080808080)
ASCII = 128
PAIRED = 1 << 13
"""Texts of this many bytes or more are counted by pairs."""
U127, U32767 = np.uint64(127), np.uint64(32767)


@part
def take_eight(eight: np.uint64, histograms: Array) -> None:
    """Count eight bytes of ASCII, each in a histogram of its own."""
    for byte in range(8):
        character = (eight >> np.uint64(8 * byte)) & U127
        histograms[np.uint64(byte * ASCII) + character] += np.uint32(1)


@part
def take_pairs(eight: np.uint64, pairs: Array) -> None:
    """Count eight bytes of ASCII as four pairs."""
    for pair in range(4):
        pairs[(eight >> np.uint64(16 * pair)) & U32767] += np.uint32(1)


@part
def add_up(pairs: Array, histograms: Array) -> None:
    """Add the characters of all pairs to the first two histograms, and clear the pairs."""
    for second in range(ASCII):
        total = np.uint32(0)
        for first in range(ASCII):
            count = pairs[256 * second + first]
            total += count
            histograms[first] += count
            pairs[256 * second + first] = 0
        histograms[ASCII + second] += total


@kernel
def count_letters(data: Array, offsets: Array, places: Array, counts: Array, reliable: Array) -> None:
    """The counts of every text: of 62 places, or of all 256 where `counts` has 256 columns.

    `places` gives each code point its place. A text is reliable if something in it is counted, and at least half of its
    letters and digits are.
    """
    histograms = np.zeros(8 * ASCII, np.uint32)
    pairs = np.zeros(256 * ASCII, np.uint32)
    others = np.zeros(PLACES + 1, np.uint32)
    width = counts.shape[1]
    for text in range(len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        by_pairs = end - at >= PAIRED
        while at < end:
            while at + 8 <= end:
                eight = load_8(data, at)
                if eight & HIGH:
                    break
                if by_pairs:
                    take_pairs(eight, pairs)
                else:
                    take_eight(eight, histograms)
                at += 8
            stop = at + 8 if at + 8 < end else end
            while at < stop:
                point, at = read_point(data, at, end)
                if point < ASCII:
                    histograms[point] += np.uint32(1)
                else:
                    others[places[point]] += np.uint32(1)
        if by_pairs:
            add_up(pairs, histograms)
        for place in range(width):
            counts[text, place] = others[place]
        for character in range(ASCII):
            place = places[character]
            if place < LATIN:
                total = np.uint32(0)
                for byte in range(8):
                    total += histograms[byte * ASCII + character]
                counts[text, place] = total
        latin: Any = np.int64(0)
        other: Any = np.int64(0)
        for place in range(LATIN):
            latin += np.int64(counts[text, place])
        for place in range(LATIN, PLACES):
            other += np.int64(others[place])
        reliable[text] = latin > 0 and latin >= other if width == LATIN else latin + other > 0
        histograms[:] = 0
        others[:] = 0


@kernel
def squared_distances(first: Array, second: Array, out: Array) -> None:
    """The sum of squared differences between every row of one and every row of the other.

    Of texts below 2^31 bytes it is below 2^63: counts are not negative, so it is at most the sum of both squared norms,
    and a norm is at most the number of characters.
    """
    for row in range(len(first)):
        for other in range(len(second)):
            total: Any = np.int64(0)
            for place in range(first.shape[1]):
                difference = np.int64(first[row, place]) - np.int64(second[other, place])
                total += difference * difference
            out[row, other] = total
