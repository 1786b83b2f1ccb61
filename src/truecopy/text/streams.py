"""Texts as arrays: streams of word numbers, and the bags of words made from them.

A set of n texts is `words` (the word numbers of all texts, one after the other) and `offsets`
(n + 1 places in it). Every later stage takes these arrays and gives arrays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels.vocabulary import count_distinct, fill_bags

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Streams:
    """The word numbers of a set of texts."""

    words: Array
    offsets: Array
    hashes: Array
    """The 64-bit hash of each word number."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> Array:
        """Words in each text."""
        return np.diff(self.offsets)

    def __getitem__(self, text: int) -> Array:
        return self.words[self.offsets[text] : self.offsets[text + 1]]


@dataclass(frozen=True, slots=True)
class Bags:
    """The distinct words of each text, rarest first, and how often each occurs."""

    terms: Array
    counts: Array
    offsets: Array

    def __len__(self) -> int:
        return len(self.offsets) - 1


def frequencies(words: Array, offsets: Array, vocabulary: int) -> tuple[Array, Array]:
    """Distinct words of each text, and the number of texts that each word occurs in."""
    sizes = np.zeros(len(offsets) - 1, np.int64)
    texts = np.zeros(vocabulary, np.int64)
    count_distinct(words, offsets, sizes, texts)
    return sizes, texts


def bags(words: Array, offsets: Array, sizes: Array, texts: Array) -> Bags:
    """The bags of a set of texts, from what `frequencies` gave (for the same numbering)."""
    bag_offsets, lists = _offsets(sizes), _offsets(texts)
    terms = np.empty(int(bag_offsets[-1]), np.uint32)
    counts = np.empty(int(bag_offsets[-1]), np.uint32)
    fill_bags(words, offsets, bag_offsets, lists, terms, counts)
    return Bags(terms, counts, bag_offsets)


def _offsets(sizes: Array) -> Array:
    out = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=out[1:])
    return out
