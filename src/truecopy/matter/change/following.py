"""Computing is not committing: what is written was computed from a snapshot, and still follows on what there is.

If somebody else was quicker, it is computed anew; after some tries the writers' lock is held while it is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from truecopy.matter.change.spool import sweep_spools
from truecopy.matter.state import State
from truecopy.matter.store import Store

Made = TypeVar("Made")

TRIES = 3
"""How often something is computed anew, because others came first, before it keeps them waiting."""


@contextlib.contextmanager
def following(
    store: Store, compute: Callable[[State], Made], still_follows: Callable[[State, Made], bool]
) -> Iterator[tuple[State, Made]]:
    """The writer's state, and what was computed for it; what killed processes have left is swept away."""
    tries = 0
    while True:
        with store.snapshot() as state:
            made = compute(state)
        with store.writing(longer=True) as state:
            if not still_follows(state, made):
                tries += 1
                if tries < TRIES:
                    continue
                made = compute(state)  # and now nobody else writes
            store.sweep(state)
            sweep_spools(store.folder)
            yield state, made
        return
