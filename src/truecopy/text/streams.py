"""Texts as arrays: streams of word numbers, and the bags of words made from them.

A set of n texts is `words` (the word numbers of all texts, one after the other) and `offsets`
(n + 1 places in it). Every later stage takes these arrays and gives arrays.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U8, U32, U64, Places
from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import number_keys
from truecopy.kernels.vocabulary import count_distinct, fill_bags
from truecopy.threads import Pool

_AT_ONCE = 1 << 20
"""Words that are renumbered, or counted, at a time: NumPy makes them twice as wide on the way."""
_COUNTED_AT_ONCE = 1 << 22
"""Words that are counted at a time: about a tenth of a second."""
_MOST_COUNTERS = 1 << 25
"""Counters that all parts have together (256 MB): where the vocabulary is very large, parts are larger too."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The word numbers of a set of texts."""

    words: U32
    offsets: I64
    hashes: U64
    """The 64-bit hash of each word number, for signatures: unlike words can be made to share one."""

    @classmethod
    def from_hashes(cls, hashes: NDArray[np.uint64], offsets: NDArray[np.int64]) -> Streams:
        """Of texts given by the hash of each word, for engines that keep no vocabulary: words are numbered here.

        Words of one hash are one word. Whoever writes a text can make unlike words share the hash of kernels/tokenize;
        where that matters, give hashes that nobody can foresee.

        >>> Streams.from_hashes(np.array([7, 3, 7], np.uint64), np.array([0, 3])).words.tolist()
        [1, 0, 1]
        """
        distinct, numbers = np.unique(hashes, return_inverse=True)
        return cls(numbers.astype(np.uint32), offsets, distinct)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> I64:
        """Words in each text."""
        return np.diff(self.offsets)

    @property
    def keys(self) -> U64:
        """A value for each word number, for shingles: no two words share one, and nobody can foresee them."""
        return number_keys(len(self.hashes))

    def __getitem__(self, text: int) -> U32:
        return self.words[self.offsets[text] : self.offsets[text + 1]]


@dataclass(frozen=True, slots=True)
class Signs:
    """What is between the words of a set of texts, as far as it tells kinds apart."""

    breaks: U8
    """For each word: 1 where a paragraph begins, 2 where a sentence does."""
    marks: U64
    """The figure marks of all texts (`text.marks`), one text after the other."""
    mark_offsets: I64
    """Those of text i are at mark_offsets[i] up to mark_offsets[i + 1]."""


@dataclass(frozen=True, slots=True)
class Bags:
    """The distinct words of each text, rarest first, and how often each occurs."""

    terms: U32
    counts: U32
    offsets: I64

    def __len__(self) -> int:
        return len(self.offsets) - 1


def frequencies(words: U32, offsets: I64, vocabulary: int, threads: int = 1) -> I64:
    """The number of texts that each word occurs in."""
    sizes = np.zeros(len(offsets) - 1, np.int64)
    total = np.zeros(vocabulary, np.int64)
    with Pool(max(threads, 1)) as pool:
        for found in pool.map(
            partial(_count, words, offsets, sizes, vocabulary), _ranges(offsets, threads, vocabulary)
        ):
            total += found
    return total


def occurrences(words: U32, vocabulary: int) -> I64:
    """How often each word occurs in all texts together."""
    total, at_once = np.zeros(vocabulary, np.int64), max(_AT_ONCE, vocabulary)
    for first in range(0, len(words), at_once):
        total += np.bincount(words[first : first + at_once], minlength=vocabulary)
    return total


def renumber(words: U32, numbers: U32, threads: int = 1) -> None:
    """Give the words of streams their new numbers, in place."""

    def take(first: int) -> None:
        part = words[first : first + _AT_ONCE]
        part[:] = numbers[part]

    with Pool(max(threads, 1)) as pool:
        list(pool.map(take, range(0, len(words), _AT_ONCE)))


def make_bags(words: U32, offsets: I64, vocabulary: int, threads: int = 1) -> Bags:
    """The bags of a set of texts; each thread makes those of some of them."""
    sizes = np.zeros(len(offsets) - 1, np.int64)
    ranges = _ranges(offsets, threads, vocabulary)
    with Pool(max(threads, 1)) as pool:
        frequencies_of = list(pool.map(partial(_count, words, offsets, sizes, vocabulary), ranges))
        bag_offsets = _offsets(sizes)
        terms = np.empty(int(bag_offsets[-1]), np.uint32)
        counts = np.empty(int(bag_offsets[-1]), np.uint32)

        def fill(bounds: tuple[int, int], found: I64) -> None:
            first, last = bounds
            own, bags = read_only(offsets[first : last + 1]), read_only(bag_offsets[first : last + 1])
            fill_bags(read_only(words), own, bags, _offsets(found), terms, counts)

        list(pool.map(fill, ranges, frequencies_of))
    return Bags(terms, counts, bag_offsets)


def bag_of(words: U32) -> Bags:
    """The bag of one text: what `make_bags` makes of it, without a table for the whole vocabulary."""
    terms, counts = np.unique(words, return_counts=True)
    return Bags(terms[::-1].copy(), counts[::-1].astype(np.uint32), np.array([0, len(terms)], np.int64))


def _ranges(offsets: I64, threads: int, vocabulary: int) -> list[tuple[int, int]]:
    """Texts from, to: about as many words in each, and at least one range for each thread."""
    texts, words = len(offsets) - 1, int(offsets[-1])
    parts = max(threads, 1, min(-(-words // _COUNTED_AT_ONCE), _MOST_COUNTERS // max(vocabulary, 1)))
    ends = np.searchsorted(offsets, np.linspace(0, words, parts + 1)[1:-1])
    return list(itertools.pairwise([0, *np.minimum(ends, texts).tolist(), texts]))


def _count(words: U32, offsets: I64, sizes: I64, vocabulary: int, bounds: tuple[int, int]) -> I64:
    """Of some texts: how many have each word; and the distinct words of each, into `sizes`."""
    first, last = bounds
    found = np.zeros(vocabulary, np.int64)
    count_distinct(read_only(words), read_only(offsets[first : last + 1]), sizes[first:last], found)
    return found


def _offsets(sizes: I64) -> I64:
    out = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=out[1:])
    return out


def some_of(offsets: I64, places: Places) -> I64:
    """Where in the arrays of a set of texts the entries of some of them are, one text after the other."""
    counts = np.diff(offsets)[places]
    begins = np.cumsum(counts) - counts
    found: I64 = np.repeat(offsets[places] - begins, counts) + np.arange(int(counts.sum()))
    return found
