"""Content words: words that are letters only, of three letters or more, not in the stop list, lightly stemmed.

A combining mark belongs to its letter: it neither counts as a letter nor excludes a word.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only
from truecopy.text.stopwords import FUNCTION_WORDS
from truecopy.text.unicode_tables import tables


def content_words(letters: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.uint64]:
    """For each word of a vocabulary the hash of its light stem; 0 where it is not a content word.

    Word i is letters[starts[i]:starts[i + 1]]: folded, UTF-8.
    """
    from truecopy.kernels.content import content_words as kernel

    stops, stop_starts = arena(sorted(FUNCTION_WORDS))
    longest = int(np.diff(starts).max(initial=0))
    out = np.empty(len(starts) - 1, np.uint64)
    word = np.empty(longest, np.uint8)
    kernel(read_only(letters), read_only(starts), tables(), read_only(stops), read_only(stop_starts), word, out)
    return out


def stem_numbers(content: NDArray[np.uint64]) -> tuple[NDArray[np.int32], int]:
    """The stems of `content_words` as numbers from 1 (0: not a content word), and how many there are."""
    from truecopy.kernels.content import number_stems as kernel

    slots = 1 << (2 * len(content) + 16).bit_length()
    out = np.empty(len(content), np.int32)
    found = kernel(read_only(content), np.zeros(slots, np.uint64), np.empty(slots, np.int32), out)
    return out, int(found)


def arena(words: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Words as one array of UTF-8 bytes, and where each begins."""
    encoded = [word.encode() for word in words]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(word) for word in encoded], out=starts[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), starts
