"""Content words: words that are letters only, of three letters or more, not in the stop list, lightly stemmed.

A combining mark belongs to its letter: it neither counts as a letter nor excludes a word.
"""

from __future__ import annotations

import functools

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import SECRET
from truecopy.text.stopwords import FUNCTION_WORDS
from truecopy.text.unicode_tables import tables


def content_words(letters: NDArray[np.uint8], starts: NDArray[np.int64]) -> NDArray[np.int32]:
    """For each word of a vocabulary the number of its light stem, from 1; 0 where it is not a content word.

    Word i is letters[starts[i]:starts[i + 1]]: folded, UTF-8. Stems with the same number are spelled the same.
    """
    from truecopy.kernels.content import content_words as kernel

    stops, stop_starts = _stop_list()
    longest = int(np.diff(starts).max(initial=0))
    out = np.empty(len(starts) - 1, np.int32)
    word = np.empty(longest, np.uint8)
    table = np.zeros(1 << (2 * len(out) + 16).bit_length(), np.int32)
    kernel(read_only(letters), read_only(starts), tables(), stops, stop_starts, SECRET, word, table, out)
    return out


@functools.cache
def _stop_list() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """As the kernel takes it."""
    words, starts = arena(sorted(FUNCTION_WORDS))
    return read_only(words), read_only(starts)


def arena(words: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Words as one array of UTF-8 bytes, and where each begins."""
    encoded = [word.encode() for word in words]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(word) for word in encoded], out=starts[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), starts
