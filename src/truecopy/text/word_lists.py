"""Words in a list that is searched by hash and spelling, and never read as a whole: stored ones are mapped from a file.

A vocabulary (`text.vocabulary`) is a table in memory; making it costs as much as there are words. A list is in order
of hash, then of spelling, so a word is found by halving. Hashes find words and spelling decides: many words that were
forged to share a hash are told apart by halving, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U8, U32, U64
from truecopy.kernels.arrays import read_only
from truecopy.kernels.word_lists import find_listed


@dataclass(frozen=True, slots=True)
class WordList:
    """Some words, numbered from 0."""

    hashes: U64
    letters: U8
    """Their folded forms, UTF-8, one after the other."""
    letter_ends: I64
    sorted_hashes: U64
    by_hash: U32
    """The words in order of hash, then of spelling."""

    def __len__(self) -> int:
        return len(self.hashes)

    @classmethod
    def of(cls, hashes: U64, letters: U8, letter_ends: I64) -> WordList:
        """A list of words, each of which is there once."""
        order = np.argsort(hashes, kind="stable")
        made = cls(hashes, letters, letter_ends, hashes[order], order.astype(np.uint32))
        for first, last in made.runs():
            made.by_hash[first:last] = sorted(made.by_hash[first:last].tolist(), key=made.word)
        return made

    @classmethod
    def unsorted(cls, hashes: U64, letters: U8, letter_ends: I64) -> WordList:
        """The same in which no word is looked for."""
        return cls(hashes, letters, letter_ends, hashes[:0], np.empty(0, np.uint32))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """As a file holds it."""
        return {name: getattr(self, name) for name in self.__slots__}

    def runs(self) -> Iterator[tuple[int, int]]:
        """The places, from and to, of words that share a hash."""
        same = np.concatenate([[False], self.sorted_hashes[1:] == self.sorted_hashes[:-1], [False]])
        begins, ends = np.flatnonzero(~same[:-1] & same[1:]), np.flatnonzero(same[:-1] & ~same[1:]) + 1
        yield from zip(begins.tolist(), ends.tolist(), strict=True)

    def word(self, number: int) -> bytes:
        """The spelling of a word."""
        begin = int(self.letter_ends[number - 1]) if number else 0
        return self.letters[begin : int(self.letter_ends[number])].tobytes()

    def spelled(self, numbers: I64) -> tuple[U8, I64]:
        """The letters of some words one after the other, and where each ends."""
        begins, lengths = self._places(numbers)
        return _taken(self.letters, begins, lengths), np.cumsum(lengths)

    def find(self, hashes: U64, letters: U8, begins: I64, ends: I64, first: int, found: I64) -> int:
        """Put the number of each of some words, counted from `first`, into `found`, where that is below 0 and the list
        has the word; returns how many are still missing. `begins` and `ends` say where each is spelled in `letters`.
        """
        wanted = read_only(hashes), read_only(letters), read_only(begins), read_only(ends)
        order = read_only(self.sorted_hashes), read_only(self.by_hash)
        spelled = read_only(self.letters), read_only(self.letter_ends)
        return find_listed(*wanted, *order, *spelled, first, found)

    def _places(self, numbers: I64) -> tuple[I64, I64]:
        """Where some words begin, and how long they are."""
        begins = np.where(numbers > 0, self.letter_ends[numbers - 1], 0)
        return begins, self.letter_ends[numbers] - begins


def _taken(letters: U8, begins: I64, lengths: I64) -> U8:
    """The letters of some words, one after the other."""
    shift = begins - (np.cumsum(lengths) - lengths)
    return letters[np.repeat(shift, lengths) + np.arange(int(lengths.sum()))]
