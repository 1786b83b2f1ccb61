"""Blocks: the immutable parts of an index, each built once over some rows, and how they are stored.

A block holds its rows, the number of each, what its index derived from them, and which rows are gone. Nothing in it
ever changes: removing a row makes a block with another mask, and searches in other threads go on with the block that
they started with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I64, Flags, Places, Stored
from truecopy.index.rows import PARTS, Rows
from truecopy.spec import Spec

_DERIVED = "index."


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows and what finds them."""

    rows: Rows
    numbers: I64
    """The number of each row; hits are named by it."""
    arrays: Mapping[str, Stored]
    """What the index derived from the rows."""
    gone: Flags | None = None
    """True for each removed row; None where none was removed."""

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def alive(self) -> int:
        """Rows that are not gone."""
        return len(self) - (0 if self.gone is None else int(self.gone.sum()))

    def kept(self, places: Places) -> Flags:
        """Which of some places are not gone."""
        return np.ones(len(places), np.bool_) if self.gone is None else ~self.gone[places]

    def without(self, places: Places) -> Block:
        """The same block with some rows gone."""
        gone = np.zeros(len(self), np.bool_) if self.gone is None else self.gone.copy()
        gone[places] = True
        return replace(self, gone=gone)

    def stored(self) -> dict[str, Stored]:
        """As a file holds it."""
        arrays = {**self.rows.arrays(), "numbers": self.numbers}
        if self.gone is not None:
            arrays["gone"] = self.gone
        return arrays | {_DERIVED + name: array for name, array in self.arrays.items()}


def read_block(spec: Spec, arrays: Mapping[str, Stored], *, passed: bool = False) -> Block | None:
    """A block as a file held it; None where the arrays do not fit each other, unless they were seen to before."""
    if not {"values", "reliable", "numbers"} <= set(arrays):
        return None
    rows = Rows(spec, **{name: arrays[name] for name in PARTS if name in arrays})
    numbers, gone = arrays["numbers"], arrays.get("gone")
    derived = {name.removeprefix(_DERIVED): array for name, array in arrays.items() if name.startswith(_DERIVED)}
    if passed:
        return Block(rows, numbers, derived, gone)
    if not rows.whole() or numbers.shape != (len(rows),) or numbers.dtype != np.int64:
        return None
    if len(numbers) and int(numbers.min()) < 0:
        return None
    if gone is not None and (gone.shape != (len(rows),) or gone.dtype != np.bool_):
        return None
    return Block(rows, numbers, derived, gone)
