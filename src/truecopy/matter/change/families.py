"""Writing what becomes of the matter's families."""

from __future__ import annotations

from collections.abc import Sequence

from truecopy.matter.state import State
from truecopy.wave.dense import FamilyChanges


def put_families(state: State, changes: Sequence[FamilyChanges]) -> None:
    """Write the families that a wave, or another floor, has changed."""
    for one in changes:
        state.families.move(one.relation, one.gone)
        state.families.put(one.relation, one.families)
        state.families.put_dense(one.relation, one.left_out, one.gone)
