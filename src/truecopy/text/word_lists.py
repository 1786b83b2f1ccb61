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

_TRIED = 4
"""Words of one hash that are tried one after the other, for all words at once; of more the place is searched."""


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

    def find(self, hashes: U64, letters: U8, begins: I64, ends: I64) -> I64:
        """The number of each of some words; -1 for words that are not in the list. `begins` and `ends` say where each
        is spelled in `letters`.
        """
        found = np.full(len(hashes), -1, np.int64)
        places = self.sorted_hashes.searchsorted(hashes)
        if not len(self) or not (self.sorted_hashes.take(places, mode="clip") == hashes).any():
            return found  # as a rule where few words are looked for in many lists
        wanted, lengths = np.arange(len(hashes)), ends - begins
        for step in range(_TRIED):
            here = places[wanted] + step
            near = np.flatnonzero(here < len(self))
            near = near[self.sorted_hashes[here[near]] == hashes[wanted[near]]]
            wanted = wanted[near]
            if not len(wanted):
                return found
            numbers = self.by_hash[here[near]].astype(np.int64)
            alike = self._are(numbers, letters, begins[wanted], lengths[wanted])
            found[wanted[alike]] = numbers[alike]
            wanted = wanted[~alike]
        lasts = np.searchsorted(self.sorted_hashes, hashes[wanted], "right")
        for word, end in zip(wanted.tolist(), lasts.tolist(), strict=True):
            spelled = letters[begins[word] : ends[word]].tobytes()
            found[word] = self._search(spelled, int(places[word]), end)
        return found

    def _search(self, spelled: bytes, first: int, last: int) -> int:
        """The word with a spelling, among those of one hash; -1 for none."""
        end = last
        while first < last:
            middle = (first + last) // 2
            if self.word(int(self.by_hash[middle])) < spelled:
                first = middle + 1
            else:
                last = middle
        return int(self.by_hash[first]) if first < end and self.word(int(self.by_hash[first])) == spelled else -1

    def _places(self, numbers: I64) -> tuple[I64, I64]:
        """Where some words begin, and how long they are."""
        begins = np.where(numbers > 0, self.letter_ends[numbers - 1], 0)
        return begins, self.letter_ends[numbers] - begins

    def _are(self, numbers: I64, letters: U8, begins: I64, lengths: I64) -> NDArray[np.bool_]:
        """Whether words here are spelled as others, given by their letters."""
        own, own_lengths = self._places(numbers)
        alike: NDArray[np.bool_] = own_lengths == lengths
        some = np.flatnonzero(alike)
        unlike = _taken(self.letters, own[some], lengths[some]) != _taken(letters, begins[some], lengths[some])
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(unlike)])[np.cumsum(lengths[some])]
        alike[some] = np.diff(ends, prepend=0) == 0
        return alike


def _taken(letters: U8, begins: I64, lengths: I64) -> U8:
    """The letters of some words, one after the other."""
    shift = begins - (np.cumsum(lengths) - lengths)
    return letters[np.repeat(shift, lengths) + np.arange(int(lengths.sum()))]
