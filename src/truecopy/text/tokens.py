"""Words of texts: hashes, spans and spelling in arrays, never an object for each word.

Tokens            the words of a batch of texts, spans in bytes
Words             the words of one str, spans in code points
tokenize          texts as bytes → Tokens
tokenize_buffer   texts in one buffer → Tokens
words             one str → Words
Tokenizer         the same, again and again in the same memory
spelled           one text → its folded words, each ended by a line feed
word_texts        spans of words → the folded words
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import UsageError
from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import SECRET
from truecopy.text.unicode_tables import new_scratch, tables

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

BYTES_A_WORD, BYTES_A_WORD_OF_MANY = 3, 5
"""First guess at the room that words need, the second for large texts; if it is too small, the kernel says how much is
needed."""
_LARGE = 1 << 20


@dataclass(frozen=True, slots=True)
class Tokens:
    """The words of a batch of texts, one after the other."""

    hashes: npt.NDArray[np.uint64]
    """64-bit hash of each folded word; `kernels.tokenize` defines it. Unlike words can be made to share one."""
    keys: npt.NDArray[np.uint64]
    """What tables are searched by in this process: nobody can foresee it."""
    starts: npt.NDArray[np.uint32]
    ends: npt.NDArray[np.uint32]
    """Where each word begins and ends in its own text, in bytes of the original."""
    offsets: npt.NDArray[np.int64]
    """Words of text i are at offsets[i] up to offsets[i + 1]."""
    letters: npt.NDArray[np.uint8]
    """1 for each text that has a letter."""
    spelling: npt.NDArray[np.uint8]
    """The folded words in UTF-8, each ended by a line feed; empty where it was not asked for."""
    spelling_ends: npt.NDArray[np.int64]
    """Where each word ends in `spelling`, its line feed not counted."""


@dataclass(frozen=True, slots=True)
class Words:
    """The words of one text; spans are code-point offsets into it."""

    hashes: npt.NDArray[np.uint64]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.hashes)


def tokenize_buffer(data: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]) -> Tokens:
    """Words of the texts data[offsets[i]:offsets[i + 1]], each valid UTF-8 of less than 4 GB."""
    data = np.ascontiguousarray(data, np.uint8)
    offsets = np.ascontiguousarray(offsets, np.int64)
    _check_offsets(offsets, len(data))
    found = Tokenizer()(data, offsets)
    # Copies give back the room that was not needed.
    words = found.hashes.copy(), found.keys.copy(), found.starts.copy(), found.ends.copy()
    return Tokens(*words, found.offsets, found.letters, found.spelling, found.spelling_ends)


class Tokenizer:
    """Tokenizes in the same memory again and again: a result is valid until the next call."""

    def __init__(self) -> None:
        self._room = 0
        self._scratch = new_scratch(1024)
        self._spelling, self._spelling_ends = _NO_SPELLING
        self._make_room(1 << 10)

    def _make_room(self, words: int) -> None:
        if words > self._room:
            self._room = words
            self._hashes, self._keys = (np.empty(words, np.uint64) for _ in range(2))
            self._starts, self._ends = (np.empty(words, np.uint32) for _ in range(2))

    def _make_spelling(self, letters: int) -> None:
        if letters > len(self._spelling):
            self._spelling = np.empty(letters, np.uint8)
        if self._room > len(self._spelling_ends):
            self._spelling_ends = np.empty(self._room, np.int64)

    def __call__(self, data: Bytes, offsets: Places, spelling: bool = False) -> Tokens:
        """Words of the texts in a buffer; with their spelling if it is asked for."""
        from truecopy.kernels.tokenize import NUMBERS, SPELLED
        from truecopy.kernels.tokenize import tokenize as run

        texts = len(offsets) - 1
        word_offsets, letters = np.empty(texts + 1, np.int64), np.empty(texts, np.uint8)
        size = int(offsets[-1] - offsets[0])
        self._make_room(size // (BYTES_A_WORD if size < _LARGE else BYTES_A_WORD_OF_MANY) + 64)
        word = np.empty(NUMBERS, np.uint64)
        spelled = size + (size >> 1) + 64  # room at first: Han and its like take four bytes for three
        while True:
            if spelling:
                self._make_spelling(spelled)
            words: tuple[Any, ...] = (self._hashes, self._keys, self._starts, self._ends)
            into = (self._spelling, self._spelling_ends) if spelling else _NO_SPELLING
            outputs = (*words, word_offsets, letters, *into)
            count = run(read_only(data), offsets, tables(), SECRET, word, self._scratch, *outputs)
            spelled = int(word[SPELLED]) + 8
            if count >= 0 and (not spelling or spelled <= len(self._spelling)):
                hashes, keys, starts, ends = (array[:count] for array in words)
                return Tokens(hashes, keys, starts, ends, word_offsets, letters, into[0], into[1][:count])
            if count == -1:
                self._scratch = new_scratch(2 * int(self._scratch[0]))
            if count < 0:
                self._make_room(-1 - count)


_NO_SPELLING: tuple[Bytes, Places] = np.empty(0, np.uint8), np.empty(0, np.int64)


def spelled(text: str) -> bytes:
    """The folded words of a text in UTF-8, each ended by a line feed: equal where the words are.

    >>> spelled("Große ½")
    b'grosse\\n1\\n2\\n'
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    found = Tokenizer()(data, np.array([0, len(data)], np.int64), spelling=True)
    return found.spelling[: found.spelling_ends[-1] + 1].tobytes() if len(found.hashes) else b""


def word_texts(text: bytes, starts: Any, ends: Any, hashes: Any = None) -> list[str]:
    """The folded words at the given byte spans, each span taken by itself.

    One original character can hold several words (½ is 1 and 2), all with its span. `hashes` then tells
    which one is meant; without it, it is the first.

    >>> found = tokenize(["Große ½".encode()])
    >>> word_texts("Große ½".encode(), found.starts, found.ends, found.hashes)
    ['grosse', '1', '2']
    """
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    data = np.frombuffer(b"\n".join(pieces), np.uint8)  # nothing folds or composes across a line end
    tokens = Tokenizer()(data, np.array([0, len(data)], np.int64), spelling=True)
    piece_starts = np.cumsum([0, *(len(piece) + 1 for piece in pieces[:-1])])
    piece_of = np.searchsorted(piece_starts, tokens.starts, side="right") - 1
    meant = np.ones(len(piece_of), bool) if hashes is None else tokens.hashes == np.asarray(hashes)[piece_of]
    folded = tokens.spelling[: tokens.spelling_ends[-1] if len(piece_of) else 0].tobytes().decode().split("\n")
    result, chosen = [""] * len(pieces), np.full(len(pieces), -1)
    for word, piece in enumerate(piece_of.tolist()):
        if chosen[piece] < meant[word]:  # the first that is meant, else the first
            chosen[piece] = meant[word]
            result[piece] = folded[word]
    return result


def tokenize(texts: Sequence[bytes]) -> Tokens:
    """Words of several texts, each valid UTF-8.

    >>> found = tokenize([b"The Lessee shall pay.", "Der Mieter zahlt.".encode()])
    >>> found.offsets.tolist()
    [0, 4, 7]
    """
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return tokenize_buffer(np.frombuffer(b"".join(texts), np.uint8), offsets)


def words(text: str) -> Words:
    """Words of one text, with code-point offsets into it.

    >>> found = words("Miete: ½ Jahr")
    >>> found.starts.tolist(), found.ends.tolist()
    ([0, 7, 7, 9], [5, 8, 8, 13])
    """
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    found = tokenize_buffer(data, np.array([0, len(data)], np.int64))
    starts, ends = found.starts.astype(np.int64), found.ends.astype(np.int64)
    if len(data) != len(text):
        places = code_point_places(data)
        starts, ends = places[starts], places[ends]
    return Words(found.hashes, starts, ends)


def code_point_places(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """For every byte offset of a UTF-8 text (its end included), how many code points begin before it."""
    places = np.zeros(len(data) + 1, np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=places[1:])
    return places


def _check_offsets(offsets: npt.NDArray[np.int64], size: int) -> None:
    """Refuse offsets that would make the kernel read outside the buffer."""
    if len(offsets) == 0 or offsets[0] < 0 or offsets[-1] > size or np.any(np.diff(offsets) < 0):
        raise UsageError(
            f"The offsets do not cut a buffer of {size} bytes into texts.",
            "Give ascending offsets from 0 to the buffer's length, one more than there are texts.",
        )
    if len(offsets) > 1 and int(np.diff(offsets).max()) >= 1 << 32:
        raise UsageError("A text has 4 GB or more, and offsets are kept in 32 bits.", "Leave it out or split it.")
