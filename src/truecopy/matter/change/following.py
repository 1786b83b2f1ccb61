"""Computing is not committing: what is written was computed from a snapshot, which must still be what there is.

If somebody else has written meanwhile, it is computed again; after some tries, under the writers' lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TypeVar

from truecopy.matter.change.ahead import sweep_if_free, sweep_unseen
from truecopy.matter.change.spool import sweep_spools
from truecopy.matter.state import State
from truecopy.matter.store import Store

Made = TypeVar("Made")

TRIES = 3
"""How often something is computed anew, because others came first, before it keeps them waiting."""


@contextlib.contextmanager
def following(
    store: Store, compute: Callable[[State], Made], *, signed: bool = True, alone: bool = False
) -> Iterator[tuple[State, Made]]:
    """The writer's state, and what was computed for it; what killed processes have left is swept away.

    `signed`: what is computed follows from signatures too. `alone`: it is written while nobody writes a wave.
    """
    tries = 0
    while True:
        with store.snapshot() as state:
            basis, made = state.basis(signed=signed), compute(state)
        with contextlib.ExitStack() as locks:
            if alone:
                locks.enter_context(store.adding())
                sweep_unseen(store)
            state = locks.enter_context(store.writing(longer=True))
            if state.basis(signed=signed) != basis:
                tries += 1
                if tries < TRIES:
                    continue
                made = compute(state)  # and now nobody else writes
            store.sweep(state)
            sweep_spools(store.folder)
            yield state, made
        if not alone:
            sweep_if_free(store)
        return
