"""`character_similarity`: the Levenshtein distance over code points of the folded texts.

Runs of white space count as one space. Texts are long in code points and near copies are near in them too, so
a distance that can be reached is found first, by aligning what stands between spaces and comparing the rest
piece by piece; the exact distance is then looked for below it, in a band of that width.
"""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from truecopy.match.align import align
from truecopy.match.moves import gaps
from truecopy.match.verify import edit_distances
from truecopy.text import fold

_SPACE = re.compile(r"\s+")
_PIECES = re.compile(r" |[^ ]+")
LARGE_PIECE = 20_000
"""Code points between two equal pieces beyond which their distance is not looked for apart."""


def character_distance(a: str, b: str) -> tuple[int, int]:
    """The distance between two texts in code points, and the length of the longer."""
    x, y = (_SPACE.sub(" ", fold(text).text) for text in (a, b))
    longer = max(len(x), len(y))
    if x == y:
        return 0, longer
    words = np.concatenate((_code_points(x), _code_points(y)))
    offsets = np.array([0, len(x), len(x) + len(y)], np.int64)
    first, second = np.array([0], np.int32), np.array([1], np.int32)
    limit = np.array([_reachable(x, y)], np.int64)
    return int(edit_distances(words, offsets, first, second, limit, 1)[0]), longer


def _code_points(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def _reachable(x: str, y: str) -> int:
    """A distance that an alignment by pieces has: no less than the true one, and mostly near it."""
    pieces_x, pieces_y = _PIECES.findall(x), _PIECES.findall(y)
    numbers: dict[str, int] = {}
    streams = [
        np.array([numbers.setdefault(piece, len(numbers)) for piece in pieces], np.uint32)
        for pieces in (pieces_x, pieces_y)
    ]
    runs = align(*streams)
    edges_x, edges_y = (np.cumsum([0, *map(len, pieces)]).tolist() for pieces in (pieces_x, pieces_y))
    total = 0
    texts: list[str] = []
    for gap in gaps(runs, len(pieces_x), len(pieces_y)):
        part_x = x[edges_x[gap.x[0]] : edges_x[gap.x[1]]]
        part_y = y[edges_y[gap.y[0]] : edges_y[gap.y[1]]]
        if part_x and part_y and max(len(part_x), len(part_y)) <= LARGE_PIECE:
            texts += [part_x, part_y]
        else:
            total += max(len(part_x), len(part_y))
    if not texts:
        return total
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    limits = np.array([max(len(p), len(q)) for p, q in list(pairwise(texts))[::2]], np.int64)
    left = np.arange(0, len(texts), 2, dtype=np.int32)
    return total + int(edit_distances(_code_points("".join(texts)), offsets, left, left + 1, limits, 1).sum())
