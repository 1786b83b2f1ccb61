"""`character_similarity`: the Levenshtein distance over code points of the folded texts.

Runs of white space count as one space. Texts have many code points, and near copies are near in them too. So
an upper bound is found first: the words are aligned, and what differs is compared piece by
piece. The exact distance is then looked for below that bound, in a band of that width.

Memory is linear. Time is proportional to the band, the longer length times the distance. If that is beyond
`MOST_CELLS` (two dissimilar texts of more than some 2 million code points, minutes of work), the distance of the
alignment is used instead: the similarity given is then a lower bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truecopy.match.align import align
from truecopy.match.moves import gaps
from truecopy.match.verify import edit_distances
from truecopy.text import fold, words
from truecopy.text.numbers import numbered

SHORT = 4_000
"""Texts of up to so many code points are compared without a bound from their words, which would cost more."""
_NARROW = 16
LARGE_PIECE = 20_000
"""If more code points than this are between two equal words, their distance is not computed separately."""
MOST_CELLS = 4 * 10**12


def character_distance(a: str, b: str, *, near: bool = True) -> tuple[int, int]:
    """The distance between two texts in code points, and the length of the longer.

    `near` says whether they are likely to have most of their code points in common; it changes only the time.
    """
    x, y = (_with_single_spaces(fold(text).text) for text in (a, b))
    longer = max(len(x), len(y))
    if x == y:
        return 0, longer
    if longer <= SHORT:
        # The words of short texts need not be aligned: a band around the diagonal is tried, then all there is.
        limit = longer // _NARROW if near else longer
        distance = int(_distances([x, y], [limit])[0])
        return distance if distance <= limit else int(_distances([x, y], [longer])[0]), longer
    reachable = _reachable(x, y)
    if reachable * longer > MOST_CELLS:
        return reachable, longer
    return int(_distances([x, y], [reachable])[0]), longer


def _with_single_spaces(text: str) -> str:
    """A text with one space for each run of white space."""
    single = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    return f"{before}{single}{' ' if single and text[-1].isspace() else ''}"


def _distances(texts: list[str], limits: list[int]) -> NDArray[np.int64]:
    """The distances of texts[0] and texts[1], texts[2] and texts[3], …"""
    points = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    offsets = np.cumsum([0, *map(len, texts)]).astype(np.int64)
    left = np.arange(0, len(texts), 2, dtype=np.int32)
    return edit_distances(points, offsets, left, left + 1, np.array(limits, np.int64), 1)


def _reachable(x: str, y: str) -> int:
    """The distance of an alignment by words: no less than the true one, and mostly near it."""
    words_x, words_y = words(x), words(y)
    runs = align(*numbered(x, y))
    total = 0
    pieces: list[str] = []
    place_x = place_y = 0
    for run, gap in zip([*runs, None], gaps(runs, len(words_x), len(words_y)), strict=True):
        # from the end of the run before the gap to the start of the one after it
        end_x = int(words_x.starts[gap.x[1]]) if gap.x[1] < len(words_x) else len(x)
        end_y = int(words_y.starts[gap.y[1]]) if gap.y[1] < len(words_y) else len(y)
        end_x, end_y = max(place_x, end_x), max(place_y, end_y)
        part_x, part_y = x[place_x:end_x], y[place_y:end_y]
        if max(len(part_x), len(part_y)) > LARGE_PIECE:
            total += max(len(part_x), len(part_y))
        elif part_x != part_y:
            pieces += [part_x, part_y]
        place_x, place_y = end_x, end_y
        if run is not None:
            end_x, end_y = int(words_x.ends[run.i + run.length - 1]), int(words_y.ends[run.j + run.length - 1])
            if x[place_x:end_x] != y[place_y:end_y]:
                pieces += [x[place_x:end_x], y[place_y:end_y]]
            place_x, place_y = end_x, end_y
    if pieces:
        limits = [max(len(p), len(q)) for p, q in zip(pieces[::2], pieces[1::2], strict=True)]
        total += int(_distances(pieces, limits).sum())
    return min(total, max(len(x), len(y)))
