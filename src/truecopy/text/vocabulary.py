"""Words as numbers: a vocabulary that grows.

Within a run a word is a number of 32 bits, and two words have the same number only if they are spelled the same. Here
words are numbered as they come. Afterwards `wave/fresh` numbers the new words of a wave by rarity, the rarest last: the
exact join depends on that order.
"""

from __future__ import annotations

import hashlib
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from truecopy.array_types import I64, U8, U32, U64
from truecopy.kernels.secret import SECRET
from truecopy.kernels.vocabulary import LONGEST, SPARE, fill_table, find_words, insert_words, word_keys
from truecopy.text.tokens import Tokens

S = TypeVar("S", bound=np.generic)


class Vocabulary:
    """Every word seen so far: its hash, its folded form, and its number."""

    def __init__(
        self,
        hashes: U64 | None = None,
        letters: U8 | None = None,
        letter_ends: I64 | None = None,
        room: int = 1 << 13,
    ) -> None:
        self._size = 0 if hashes is None else len(hashes)
        room = max(room, 256)
        self._hashes = _grown(hashes, np.uint64, room)
        self._letters = _grown(letters, np.uint8, 8 * room)
        self._letter_ends = _grown(letter_ends, np.int64, room)
        self._keys, self._heads = (np.zeros(len(self._hashes), np.uint64) for _ in range(2))
        word_keys(self._letters, self.letter_ends, SECRET, self._keys, self._heads)
        self.repeated = self._make_table(1 << (4 * max(self._size, room // 2)).bit_length())
        """The first of the words given that was there before, -1 if none was; who reads words from a file refuses
        them.
        """

    def _make_table(self, slots: int) -> int:
        self._table = np.zeros(slots, np.uint64)
        found = fill_table(self._keys[: self._size], self._letters, self._letter_ends, self._table)
        return int(found)

    def __len__(self) -> int:
        return self._size

    @property
    def hashes(self) -> U64:
        """The 64-bit hash of each word, by its number; unlike words can share one."""
        return self._hashes[: self._size]

    @property
    def letters(self) -> U8:
        """The folded words, UTF-8, one after the other; for one of more than `LONGEST` bytes # and its SHA-256."""
        return self._letters[: self._letter_ends[self._size - 1] if self._size else 0]

    @property
    def letter_ends(self) -> I64:
        """Where each word ends in `letters`."""
        return self._letter_ends[: self._size]

    @property
    def letter_starts(self) -> I64:
        """Where each word begins in `letters`, and where the last one ends."""
        return np.concatenate([np.zeros(1, np.int64), self.letter_ends])

    def number(self, tokens: Tokens) -> U32:
        """The numbers of a batch's words, which come with their spelling; words not seen before are added."""
        return self._insert(tokens.keys, tokens.hashes, tokens.spelling, tokens.spelling_ends, 1)

    def absorb(self, other: Vocabulary) -> U32:
        """The numbers here of another vocabulary's words, in its order; words not seen before are added."""
        return self._insert(other._keys[: len(other)], other.hashes, other._letters, other.letter_ends, 0)

    def find(self, other: Vocabulary) -> I64:
        """The same without adding: -1 for words not seen before."""
        out = np.empty(len(other), np.int64)
        words = other._keys[: len(other)], other.hashes, other._letters, other.letter_ends
        find_words(*words, self._table, self._hashes, self._heads, self._letters, self._letter_ends, out)
        return out

    def close(self) -> None:
        """Give up what words are looked up by, which takes more memory than the words: no more are added or found."""
        del self._table, self._keys, self._heads
        self._hashes, self._letters = self.hashes.copy(), self.letters.copy()  # without room for more
        self._letter_ends = self.letter_ends.copy()

    def _insert(self, keys: U64, hashes: U64, spelling: U8, spelling_ends: I64, gap: int) -> U32:
        out = np.empty(len(keys), np.uint32)
        position = 0
        while position < len(out):
            position, self._size = insert_words(
                keys, hashes, spelling, spelling_ends, gap, position, self._table, self._keys, self._hashes,
                self._heads, self._letters, self._letter_ends, self._size, out,
            )  # fmt: skip
            if position < 0:
                position = -1 - position
                keys, spelling, spelling_ends = _with_long_words_named(keys, spelling, spelling_ends)
            elif position < len(out):
                self._grow(LONGEST)
        return out

    def _grow(self, room: int) -> None:
        if 2 * self._size >= len(self._table):
            self._make_table(4 * len(self._table))
        if self._size >= len(self._letter_ends):
            self._hashes = _grown(self._hashes, np.uint64, 2 * self._size)
            self._keys = _grown(self._keys, np.uint64, 2 * self._size)
            self._heads = _grown(self._heads, np.uint64, 2 * self._size)
            self._letter_ends = _grown(self._letter_ends, np.int64, 2 * self._size)
        used = int(self._letter_ends[self._size - 1]) if self._size else 0
        if used + room + SPARE > len(self._letters):
            self._letters = _grown(self._letters, np.uint8, 2 * (used + room + SPARE))


def _with_long_words_named(keys: U64, spelling: U8, ends: I64) -> tuple[U64, U8, I64]:
    """The same with # and the SHA-256 in place of words of more than `LONGEST` bytes: a file of 50 MB can be one."""
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])
    long = np.flatnonzero(ends - starts > LONGEST)
    names = [
        b"#" + hashlib.sha256(spelling[starts[word] : ends[word]].data).hexdigest().encode() for word in long.tolist()
    ]
    parts, done = [], 0
    for word, name in zip(long.tolist(), names, strict=True):
        parts += [spelling[done : starts[word]], np.frombuffer(name, np.uint8)]
        done = int(ends[word])
    spare = np.zeros(SPARE, np.uint8)
    lengths = ends - starts
    lengths[long] = len(names[0])
    keys, named = keys.copy(), np.empty(len(long), np.uint64)
    letters = np.concatenate([np.frombuffer(b"".join(names), np.uint8), spare])
    word_keys(letters, np.cumsum(lengths[long]), SECRET, named, np.empty_like(named))
    keys[long] = named
    return keys, np.concatenate([*parts, spelling[done : ends[-1] + 1], spare]), np.cumsum(lengths + 1) - 1


def _grown(array: npt.NDArray[S] | None, dtype: type[S], room: int) -> npt.NDArray[S]:
    """A copy with room for more."""
    if array is None:
        return np.zeros(room, dtype)
    out = np.zeros(max(room, 2 * len(array)), dtype)
    out[: len(array)] = array
    return out
