"""Writing the new rows of a large wave ahead of the wave itself, in short transactions, so that others can write too.

Nobody sees them before the wave has a row of its own (`sql/unseen.py`), which is written last and makes all of them
count at once. A process that is killed before that leaves rows which nobody sees. The next process that changes the
matter, or finds that it need not, removes them, unless somebody is adding documents at that moment; who adds documents
does so before computing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator

from truecopy.errors import MatterError
from truecopy.matter.change.rows import NewRows, Piece
from truecopy.matter.state import State
from truecopy.matter.store import Store

MANY = 2_000
"""New rows from which on it is worth more than one transaction: fewer are written while nobody minds."""
SHARE = 0.015
"""Seconds of writing in one transaction; its beginning and its end take about as long again."""
_GAP = 0.005
"""Seconds in which others may write that wait: they look every few milliseconds whether they may."""
_SWEPT_AT_ONCE = 250
"""Rows of each table that are removed in one step."""


def is_large(rows: NewRows) -> bool:
    """Whether rows are so many that others should be let in while they are written."""
    return len(rows) >= MANY


def write_ahead(store: Store, rows: NewRows) -> None:
    """Write all rows that are new. The caller holds the lock of those who add documents (`Store.adding`)."""
    _in_turns(store, rows.pieces())


def sweep_unseen(store: Store) -> None:
    """Remove what a killed process has left of a wave. The caller holds the same lock."""
    if _is_left(store):
        _in_turns(store, _sweeping())


def sweep_if_free(store: Store) -> None:
    """Remove the same if that lock is free: nobody has asked for it, so it neither waits nor fails."""
    with contextlib.suppress(MatterError):
        if _is_left(store):
            with store.adding(waits=False):
                _in_turns(store, _sweeping(), waits=False)


def _is_left(store: Store) -> bool:
    with store.reading() as state:
        return state.unseen.any()


def sweep_at_once(state: State) -> None:
    """The same in the one transaction of somebody who keeps all others waiting."""
    while state.unseen.sweep(_SWEPT_AT_ONCE):
        pass


def _sweeping() -> Iterator[Piece]:
    over: list[bool] = []

    def sweep(state: State) -> None:
        if not state.unseen.sweep(_SWEPT_AT_ONCE):
            over.append(True)

    while not over:
        yield sweep


def _in_turns(store: Store, pieces: Iterator[Callable[[State], None]], *, waits: bool = True) -> None:
    """Do one piece after the other, in transactions that are short, with gaps between them; `waits`: for other writers,
    as long as for what took long to compute.
    """
    going_on = True
    while going_on:
        with store.writing(longer=waits, unseen=True) as state:
            until = time.perf_counter() + SHARE
            going_on = False
            for piece in pieces:
                piece(state)
                if time.perf_counter() >= until:
                    going_on = True
                    break
        time.sleep(_GAP)
