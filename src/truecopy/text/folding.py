"""Folded text: differences of case, compatibility forms and ignorable code points removed, with the way back.

Folded       folded text, and for each of its code points the span that it came from
fold         one str → Folded
word_starts  where words begin in folded code points
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from truecopy.text.tokens import code_point_places
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
    base = (classes > 0) & (classes != MARK)
    # The last base or separator up to each code point: marks belong to a word only behind a base, and its class says
    # whether a word goes on after it.
    last = np.maximum.accumulate(np.where(classes != MARK, np.arange(len(points)), 0))
    inside = base[last] if len(points) else base
    after_word = np.concatenate([[False], inside[:-1]])
    alone = np.concatenate([[False], ((classes[last] & SOLO) > 0)[:-1]]) if len(points) else inside
    begins = base & (~after_word | ((classes & SOLO) > 0) | alone)
    return inside, begins
