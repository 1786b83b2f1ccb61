"""Words as numbers: a vocabulary that grows, with an order of rarity that is frozen once it is set.

Within a run a word is a number of 32 bits. The exact join depends on the order of the numbers: the higher the
number, the rarer the word. Any fixed order is exact, so the first wave sets it, and later words are appended as
rarest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import WordCollision
from truecopy.kernels.vocabulary import LONGEST, insert_words, rehash
from truecopy.text import Tokens, word_texts

Array = npt.NDArray[Any]

_FOLDED_AT_ONCE = 1 << 20
"""How many bytes of words are folded at a time."""


class Vocabulary:
    """Every word seen so far: its hash, its check, its folded form, and its number."""

    def __init__(
        self,
        hashes: Array | None = None,
        checks: Array | None = None,
        letters: Array | None = None,
        letter_ends: Array | None = None,
        room: int = 1 << 13,
    ) -> None:
        self._size = 0 if hashes is None else len(hashes)
        self.frozen = self._size
        """Words below this number keep it; `set_order` sorts the others."""
        room = max(room, 256)
        self._hashes = _grown(hashes, np.uint64, room)
        self._checks = _grown(checks, np.uint32, room)
        self._letters = _grown(letters, np.uint8, 8 * room)
        self._letter_ends = _grown(letter_ends, np.int64, room)
        self._table(1 << (4 * max(self._size, room // 2)).bit_length(), hashes)

    def _table(self, slots: int, hashes: Array | None) -> None:
        self._keys = np.zeros(slots, np.uint64)
        self._numbers = np.zeros(slots, np.uint32)
        if hashes is not None and len(hashes):
            rehash(np.ascontiguousarray(hashes), self._keys, self._numbers)

    def __len__(self) -> int:
        return self._size

    @property
    def hashes(self) -> Array:
        """The 64-bit hash of each word, by its number."""
        return self._hashes[: self._size]

    @property
    def checks(self) -> Array:
        """The independent 32-bit hash of each word, by its number."""
        return self._checks[: self._size]

    @property
    def letters(self) -> Array:
        """The folded words, UTF-8, one after the other."""
        return self._letters[: self._letter_ends[self._size - 1] if self._size else 0]

    @property
    def letter_ends(self) -> Array:
        """Where each word ends in `letters`."""
        return self._letter_ends[: self._size]

    def number(self, data: Array, text_offsets: Array, tokens: Tokens) -> Array:
        """The numbers of a batch's words; words not seen before are added, in the spelling met first.

        Absorbing this one into a vocabulary that is kept folds the spelling.
        """
        return self._insert(data, text_offsets, tokens)

    def absorb(self, other: Vocabulary) -> Array:
        """The numbers here of another vocabulary's words, in its order; words not seen before are added."""
        ends = other.letter_ends.astype(np.uint32)
        starts = np.concatenate([np.zeros(1, np.uint32), ends[:-1]])
        places = np.array([0, len(other)], np.int64)
        words = Tokens(other.hashes, other.checks, starts, ends, places, np.ones(1, np.uint8))
        before = self._size
        out = self._insert(other._letters, places * 0, words)
        self._fold_letters(before)
        return out

    def _insert(self, data: Array, text_offsets: Array, tokens: Tokens) -> Array:
        out = np.empty(len(tokens.hashes), np.uint32)
        position = 0
        while position < len(out):
            position, self._size = insert_words(
                data, text_offsets, tokens.hashes, tokens.checks, tokens.starts, tokens.ends, tokens.offsets,
                position, self._keys, self._numbers, self._hashes, self._checks, self._letters, self._letter_ends,
                self._size, out,
            )  # fmt: skip
            if position < 0:
                raise WordCollision(
                    "Two different words of this collection share a 64-bit hash, so their texts cannot be told apart.",
                    "Please report this with the truecopy version; nothing was stored.",
                )
            if position < len(out):
                self._grow(LONGEST)
        return out

    def _grow(self, room: int) -> None:
        if 2 * self._size >= len(self._keys):
            self._table(4 * len(self._keys), self.hashes)
        if self._size >= len(self._letter_ends):
            self._hashes = _grown(self._hashes, np.uint64, 2 * self._size)
            self._checks = _grown(self._checks, np.uint32, 2 * self._size)
            self._letter_ends = _grown(self._letter_ends, np.int64, 2 * self._size)
        used = int(self._letter_ends[self._size - 1]) if self._size else 0
        if used + room > len(self._letters):
            self._letters = _grown(self._letters, np.uint8, 2 * (used + room))

    def _fold_letters(self, first: int) -> None:
        """Put the folded form in place of the spelling met first, for new words that are not ASCII."""
        if first == self._size:
            return
        begin = int(self._letter_ends[first - 1]) if first else 0
        fresh = self._letters[begin : self._letter_ends[self._size - 1]]
        if not (fresh >= 128).any():
            return
        ends = self._letter_ends[first : self._size] - begin
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
        foreign = np.flatnonzero(np.add.reduceat(fresh >= 128, starts))
        text, hashes = fresh.tobytes(), self.hashes[first:][foreign]
        lengths = ends - starts
        parts, done = [], 0
        # Some at a time: folding takes many times the room of the words.
        cuts = np.flatnonzero(np.diff(np.cumsum(lengths[foreign]) // _FOLDED_AT_ONCE)) + 1
        for some, known in zip(np.split(foreign, cuts), np.split(hashes, cuts), strict=True):
            folded = word_texts(text, starts[some], ends[some], known)
            for place, word in zip(some.tolist(), folded, strict=True):
                spelled = word.encode()
                parts += [text[done : starts[place]], spelled]
                lengths[place], done = len(spelled), ends[place]
        joined = np.frombuffer(b"".join([*parts, text[done:]]), np.uint8)
        if begin + len(joined) > len(self._letters):
            self._letters = _grown(self._letters, np.uint8, 2 * (begin + len(joined)))
        self._letters[begin : begin + len(joined)] = joined
        self._letter_ends[first : self._size] = begin + np.cumsum(lengths)

    def set_order(self, frequencies: Array) -> Array:
        """Put the words that are not frozen in order, most common first (ties by hash), and freeze them.

        Returns the new number of each word.
        """
        first, hashes = self.frozen, self.hashes
        order = np.lexsort((hashes[first:], -frequencies[first:])) + first
        renumbered = np.arange(self._size, dtype=np.uint32)
        renumbered[order] = np.arange(first, self._size, dtype=np.uint32)
        self._hashes[first : self._size] = self._hashes[order]
        self._checks[first : self._size] = self._checks[order]
        begins = np.concatenate([np.zeros(1, np.int64), self.letter_ends])[order]
        lengths = self._letter_ends[order] - begins
        start = int(self._letter_ends[first - 1]) if first else 0
        ends = start + np.cumsum(lengths)
        source = np.repeat(begins - (ends - lengths), lengths) + np.arange(start, start + int(lengths.sum()))
        self._letters[start : start + len(source)] = self._letters[source]
        self._letter_ends[first : self._size] = ends
        filled = self._keys != 0
        self._numbers[filled] = renumbered[self._numbers[filled]]
        self.frozen = self._size
        return renumbered


def _grown(array: Array | None, dtype: Any, room: int) -> Array:
    """A copy with room for more."""
    if array is None:
        return np.zeros(room, dtype)
    out = np.zeros(max(room, 2 * len(array)), dtype)
    out[: len(array)] = array
    return out
