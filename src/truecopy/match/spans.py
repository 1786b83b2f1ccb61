"""Two texts, read once: their words where they are written, with numbers that tell words with figure marks apart.

`compare` has tokenized both texts for their measures; the differences need the same words again, and where each is.
"""

from __future__ import annotations

import functools
import itertools
import secrets
from typing import NamedTuple

import numpy as np

from truecopy.array_types import I64, U8, U32, U64
from truecopy.text import Words, words
from truecopy.text.marks import marked_numbers
from truecopy.text.tokens import Tokens, code_point_places


class Spans(NamedTuple):
    """The words of two texts."""

    words: tuple[Words, Words]
    numbers: tuple[U32, U32]
    """A number for each word with its figure marks: equal only where both are; other ones in each process."""


def read_spans(a: str, b: str) -> Spans:
    """Of texts that nobody has read yet."""
    x, y = marked_numbers(a, b)
    return Spans((words(a), words(b)), (x, y))


def spans_of(
    texts: tuple[str, str], data: U8, offsets: I64, tokens: Tokens, numbers: U32, marks: tuple[U64, I64]
) -> Spans:
    """Of two texts in one buffer, from their tokens, the number of each, and their figure marks."""
    found, after = [], 1 + int(numbers.max(initial=0))
    shuffled = _dice().permutation(after).astype(np.uint32)[numbers]  # or texts could make tables of them slow
    known: dict[tuple[int, ...], int] = {}
    for place, text in enumerate(texts):
        part = slice(int(tokens.offsets[place]), int(tokens.offsets[place + 1]))
        starts, ends = tokens.starts[part].astype(np.int64), tokens.ends[part].astype(np.int64)
        own = data[offsets[place] : offsets[place + 1]]
        if len(own) != len(text):
            points = code_point_places(own)
            starts, ends = points[starts], points[ends]
        numbered = shuffled[part]
        signs = marks[0][marks[1][place] : marks[1][place + 1]].tolist()
        for word, of_word in itertools.groupby(signs, key=lambda mark: mark >> 32):
            marked = (int(numbered[word]), *(mark & 0xFFFFFFFF for mark in of_word))
            numbered[word] = known.setdefault(marked, after + len(known))
        found.append((Words(tokens.hashes[part], starts, ends), numbered))
    (x, numbers_x), (y, numbers_y) = found
    return Spans((x, y), (numbers_x, numbers_y))


@functools.lru_cache(maxsize=1)
def _dice() -> np.random.Generator:
    return np.random.default_rng(secrets.randbits(128))
