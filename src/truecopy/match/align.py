"""Two texts side by side: which words of one are where in the other, as runs that a person would point at."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only

LONGEST_MERGED = 4
"""An equal run of at most this many words between two larger replacements counts as part of them."""


class Run(NamedTuple):
    """x[i : i + length] equals y[j : j + length]."""

    i: int
    j: int
    length: int


def align(x: NDArray[np.uint32], y: NDArray[np.uint32]) -> list[Run]:
    """The equal runs of two streams of word numbers, rising in both."""
    from truecopy.kernels.align import align_texts, scratch

    if len(x) == 0 or len(y) == 0:
        return []
    partner = np.empty(len(x), np.int32)
    align_texts(read_only(x), read_only(y), partner, *scratch(max(len(x), len(y))))
    matched = np.flatnonzero(partner >= 0)
    places = partner[matched]
    # a run ends where the next matched word does not follow in both texts
    ends = np.flatnonzero((np.diff(matched) != 1) | (np.diff(places) != 1)) + 1
    starts = np.concatenate(([0], ends)) if len(matched) else ends
    lengths = np.diff(np.concatenate((starts, [len(matched)])))
    return [
        Run(int(matched[start]), int(places[start]), int(length)) for start, length in zip(starts, lengths, strict=True)
    ]


def without_crumbs(runs: list[Run], x_length: int, y_length: int) -> list[Run]:
    """Drop short equal runs between replacements that are at least as long: one change reads better than three.

    Additions and deletions alone are left as they are; they can be read around any word.
    """
    kept: list[Run] = []
    for place, run in enumerate(runs):
        before = kept[-1] if kept else Run(0, 0, 0)
        after = runs[place + 1] if place + 1 < len(runs) else Run(x_length, y_length, 0)
        left = (run.i - before.i - before.length, run.j - before.j - before.length)
        right = (after.i - run.i - run.length, after.j - run.j - run.length)
        replaced = min(left) > 0 or min(right) > 0 or (left[0] > 0) == (right[1] > 0)
        small = run.length <= min(LONGEST_MERGED, max(left), max(right))
        if not (small and replaced):
            kept.append(run)
    return kept
