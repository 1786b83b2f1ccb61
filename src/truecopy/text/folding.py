"""Folded text: case, compatibility forms and ignorable code points taken away, with the way back.

Folded       folded text, and for each of its code points the span that it came from
fold         one str → Folded
word_starts  where words begin in folded code points
word_texts   spans of words → the folded words
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.text.tokens import code_point_places, tokenize
from truecopy.text.unicode_tables import new_scratch, tables, word_classes

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text; its code point i came from original[starts[i]:ends[i]]."""

    text: str
    starts: Offsets
    ends: Offsets


def fold(text: str) -> Folded:
    """Fold case, compatibility forms and canonical equivalents, and drop ignorable code points.

    >>> fold("Straße ½").text
    'strasse 1⁄2'
    """
    if text.isascii():
        places = np.arange(len(text) + 1, dtype=np.int64)
        return Folded(text.lower(), places[:-1], places[1:])
    data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
    points, starts, ends = fold_bytes(data)
    places = code_point_places(data)
    return Folded(points_text(points), places[starts], places[ends])


def fold_bytes(data: npt.NDArray[np.uint8]) -> tuple[npt.NDArray[np.uint32], ...]:
    """The folded code points of a UTF-8 text, and where each began and ended, in bytes."""
    from truecopy.kernels.fold import fold_text

    data = data.view()
    data.flags.writeable = False  # one type of array, so that the kernel is compiled once
    room = len(data) + 64
    scratch = new_scratch(1024)
    while True:
        arrays = tuple(np.empty(room, np.uint32) for _ in range(3))
        count = fold_text(data, tables(), scratch, *arrays)
        if count >= 0:
            return tuple(array[:count] for array in arrays)
        if count == -1:
            scratch = new_scratch(2 * int(scratch[0]))
        room = max(room, -1 - count)


def points_text(points: npt.NDArray[np.uint32]) -> str:
    """Code points as a str."""
    return points.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")


def word_starts(points: npt.NDArray[np.uint32]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """For each folded code point, whether it belongs to a word, and whether it begins one."""
    from truecopy.kernels.fold import MARK, SOLO

    classes = word_classes(points)
    inside = classes > 0
    base = inside & (classes != MARK)
    after_word = np.concatenate([[False], inside[:-1]])
    # The last base or separator up to each code point: its class says whether a word goes on behind it.
    last = np.maximum.accumulate(np.where(base | ~inside, np.arange(len(points)), 0))
    alone = np.concatenate([[False], ((classes[last] & SOLO) > 0)[:-1]]) if len(points) else inside
    begins = inside & (~after_word | (base & (((classes & SOLO) > 0) | alone)))
    return inside, begins


def word_texts(text: bytes, starts: Any, ends: Any, hashes: Any = None) -> list[str]:
    """The folded words at the given byte spans, each span taken by itself.

    One original character can hold several words (½ is 1 and 2), all with its span. `hashes` then tells
    which one is meant; without it, it is the first.

    >>> found = tokenize(["Große ½".encode()])
    >>> word_texts("Große ½".encode(), found.starts, found.ends, found.hashes)
    ['grosse', '1', '2']
    """
    pieces = [text[start:end] for start, end in zip(starts, ends, strict=True)]
    joined = b"\n".join(pieces)  # nothing folds or composes across a line end
    if joined.isascii():
        return joined.decode("ascii").lower().split("\n") if pieces else []
    tokens = tokenize([joined])
    points, _, _ = fold_bytes(np.frombuffer(joined, np.uint8))
    inside, begins = word_starts(points)
    folded = points_text(points[inside])
    cuts = [*np.flatnonzero(begins[inside]).tolist(), len(folded)]
    piece_starts = np.cumsum([0, *(len(piece) + 1 for piece in pieces[:-1])])
    piece_of = np.searchsorted(piece_starts, tokens.starts, side="right") - 1
    meant = np.ones(len(piece_of), bool) if hashes is None else tokens.hashes == np.asarray(hashes)[piece_of]
    result = [""] * len(pieces)
    # Backwards, so that the first one stays: first of all words, then of those that are meant.
    for chosen in (np.arange(len(piece_of)), np.flatnonzero(meant)):
        for word in chosen[::-1].tolist():
            result[piece_of[word]] = folded[cuts[word] : cuts[word + 1]]
    return result
