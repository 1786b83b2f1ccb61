"""Texts → word numbers, a batch at a time, in memory that fits the processor's caches.

A word passes through hashes, spans and spelling (40 bytes) on its way to its number (4 bytes). Doing that for a few
texts at a time in the same small arrays is several times faster than writing it all out, and batches can be
worked on in threads: each has a vocabulary of its own, which the caller's absorbs in the order of the batches.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from truecopy.array_types import I64, U8, U32, U64
from truecopy.kernels.arrays import read_only
from truecopy.text.breaks import breaks
from truecopy.text.marks import figure_marks
from truecopy.text.streams import Signs
from truecopy.text.tokens import Tokenizer, Tokens
from truecopy.text.vocabulary import Vocabulary

S = TypeVar("S", bound=np.generic)


_OF_THREAD = threading.local()
_BYTES_A_NEW_WORD = 64
"""First guess of how many distinct words a batch has."""
_PIECE = 1 << 18
"""Bytes of text at a time; their words take about as much memory as a core's second cache holds."""


@dataclass(frozen=True, slots=True)
class NumberedTexts:
    """A batch of texts as word numbers of its own vocabulary."""

    vocabulary: Vocabulary
    words: U32
    offsets: I64
    letters: U8
    """1 for each text that has a letter."""
    breaks: U8
    """For each word: 1 where a paragraph begins, 2 where a sentence does; empty where it was not asked for."""
    marks: U64
    """The figure marks of every text; none where breaks were not asked for."""
    mark_offsets: I64
    """Those of text i are at mark_offsets[i] up to mark_offsets[i + 1]."""
    digests: list[str]
    """SHA-256 of each text's folded words, each ended by a line feed; empty where it was not asked for."""
    figure_digests: list[str]
    """SHA-256 of each text's words with their figure marks; empty where it was not asked for."""

    @property
    def signs(self) -> Signs:
        """What is between the words."""
        return Signs(self.breaks, self.marks, self.mark_offsets)


def number_texts(texts: Sequence[bytes], with_breaks: bool = True, with_digests: bool = True) -> NumberedTexts:
    """The word numbers of texts in UTF-8."""
    vocabulary = Vocabulary(room=sum(map(len, texts)) // _BYTES_A_NEW_WORD)
    words: list[U32] = []
    counts: list[I64] = []
    letters: list[U8] = []
    flags: list[U8] = []
    marks: list[U64] = []
    mark_counts: list[I64] = [np.zeros(1, np.int64)]
    digests: list[str] = []
    figure_digests: list[str] = []
    for data, offsets, tokens in tokenized(texts, spelling=True):
        words.append(vocabulary.number(tokens))
        counts.append(np.diff(tokens.offsets))
        letters.append(tokens.letters)
        if with_breaks:
            flags.append(breaks(data, offsets, tokens))
            found, places = figure_marks(data, offsets, tokens)
            marks.append(found)
            mark_counts.append(np.diff(places))
        if with_digests:
            digests += _digests(tokens)
            if with_breaks:
                figure_digests += _figure_digests(digests[-len(places) + 1 :], found, places)
    every = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(_joined(counts, np.int64), out=every[1:])
    mark_offsets = np.cumsum(np.concatenate(mark_counts)) if with_breaks else np.zeros(len(texts) + 1, np.int64)
    return NumberedTexts(
        vocabulary, _joined(words, np.uint32), every, _joined(letters, np.uint8), _joined(flags, np.uint8),
        _joined(marks, np.uint64), mark_offsets, digests, figure_digests,
    )  # fmt: skip


def tokenized(texts: Sequence[bytes], spelling: bool = False) -> Iterator[tuple[U8, I64, Tokens]]:
    """Texts in UTF-8, some at a time: their bytes in one buffer, where each begins, and their words.

    What it gives is good until the next is asked for: the memory is used again.
    """
    tokenizer = _tokenizer()
    for first, last in cuts(texts, _PIECE):
        piece = texts[first:last]
        data = np.frombuffer(bytearray().join(piece), np.uint8)
        offsets = np.zeros(len(piece) + 1, np.int64)
        np.cumsum([len(text) for text in piece], out=offsets[1:])
        yield data, offsets, tokenizer(data, offsets, spelling)


def is_utf8(data: bytes | U8) -> bool:
    """Whether bytes are valid UTF-8; other threads go on meanwhile."""
    from truecopy.kernels.utf8 import is_utf8 as kernel

    return bool(kernel(read_only(np.frombuffer(data, np.uint8))))


def _tokenizer() -> Tokenizer:
    """This thread's tokenizer: its memory is used again and again."""
    if not hasattr(_OF_THREAD, "tokenizer"):
        _OF_THREAD.tokenizer = Tokenizer()
    tokenizer: Tokenizer = _OF_THREAD.tokenizer
    return tokenizer


def cuts(texts: Sequence[str | bytes], size: int) -> Iterator[tuple[int, int]]:
    """From, to: texts in a row, in pieces of up to this size, or of one text that is larger."""
    first, held = 0, 0
    for place, text in enumerate(texts):
        if place > first and held + len(text) > size:
            yield first, place
            first, held = place, 0
        held += len(text)
    if first < len(texts):
        yield first, len(texts)


def _digests(tokens: Tokens) -> list[str]:
    """SHA-256 of the folded words of each text, each ended by a line feed."""
    stream, ends = tokens.spelling.data, tokens.spelling_ends
    places = [int(ends[words - 1]) + 1 if words else 0 for words in tokens.offsets.tolist()]
    return [hashlib.sha256(stream[begin:end]).hexdigest() for begin, end in itertools.pairwise(places)]


def _figure_digests(digests: list[str], marks: U64, offsets: I64) -> list[str]:
    """SHA-256 of the words' SHA-256 and the figure marks, little-endian, of each text."""
    stream = marks.astype("<u8", copy=False).data.cast("B")
    places = (8 * offsets).tolist()
    return [
        hashlib.sha256(bytes.fromhex(digest) + stream[begin:end]).hexdigest()
        for digest, (begin, end) in zip(digests, itertools.pairwise(places), strict=True)
    ]


def _joined(parts: list[npt.NDArray[S]], dtype: type[S]) -> npt.NDArray[S]:
    return np.concatenate(parts) if parts else np.empty(0, dtype)
