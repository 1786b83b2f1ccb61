"""Moved blocks: words that were taken out in one place and put in, unchanged, in another."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from truecopy.match.align import Run

SHORTEST_MOVE = 8
"""Fewer equal words in two places are coincidence or boilerplate."""
_SHORT = 4
"""Words that are looked for first, because most texts have none in two places."""


class Gap(NamedTuple):
    """Words of x and of y between two equal runs."""

    x: tuple[int, int]
    y: tuple[int, int]


def gaps(runs: list[Run], x_length: int, y_length: int) -> list[Gap]:
    """What is between the runs: one more gap than there are runs, empty ones included."""
    found = []
    i = j = 0
    for run in [*runs, Run(x_length, y_length, 0)]:
        found.append(Gap((i, run.i), (j, run.j)))
        i, j = run.i + run.length, run.j + run.length
    return found


def moves(x: list[int], y: list[int], between: list[Gap]) -> list[Run]:
    """Blocks of at least `SHORTEST_MOVE` words that left one gap and are now in another, each found once in either."""
    if not _may_move(x, y, between):
        return []
    in_x = _windows(x, (gap.x for gap in between))
    in_y = _windows(y, (gap.y for gap in between)) if in_x else {}
    if in_x.keys().isdisjoint(in_y):
        return []
    ends_x = {i: gap.x for gap in between for i in range(*gap.x)}
    ends_y = {j: gap.y for gap in between for j in range(*gap.y)}
    taken_x: set[int] = set()
    taken_y: set[int] = set()
    found = []
    for window, i in in_x.items():
        j = in_y.get(window, -1)
        if i < 0 or j < 0 or i in taken_x or j in taken_y:
            continue
        (low_i, high_i), (low_j, high_j) = ends_x[i], ends_y[j]
        while i > low_i and j > low_j and x[i - 1] == y[j - 1] and i - 1 not in taken_x and j - 1 not in taken_y:
            i, j = i - 1, j - 1
        length = 0
        while (
            i + length < high_i
            and j + length < high_j
            and x[i + length] == y[j + length]
            and i + length not in taken_x
            and j + length not in taken_y
        ):
            length += 1
        if length >= SHORTEST_MOVE:
            found.append(Run(i, j, length))
            taken_x.update(range(i, i + length))
            taken_y.update(range(j, j + length))
    return found


def _may_move(x: list[int], y: list[int], between: list[Gap]) -> bool:
    """Whether a block can have moved, at a fraction of the cost: of every `SHORTEST_MOVE` words in a row, there are
    `_SHORT` that begin at one of the places looked at here.
    """
    some = {
        tuple(x[i : i + _SHORT])
        for (low, high), _ in between
        if high - low >= SHORTEST_MOVE
        for i in range(low, high - _SHORT + 1, SHORTEST_MOVE - _SHORT + 1)
    }
    return bool(some) and not all(
        some.isdisjoint(zip(*(y[low + place : high] for place in range(_SHORT)), strict=False))
        for _, (low, high) in between
        if high - low >= SHORTEST_MOVE
    )


def _windows(text: list[int], spans: Iterable[tuple[int, int]]) -> dict[tuple[int, ...], int]:
    """Where each run of `SHORTEST_MOVE` words within one of the spans begins; -1 if it occurs again."""
    found: dict[tuple[int, ...], int] = {}
    for low, high in spans:
        shifted = (text[low + place : high] for place in range(SHORTEST_MOVE))
        for i, window in enumerate(zip(*shifted, strict=False), low):  # up to the last whole window
            found[window] = -1 if window in found else i
    return found
