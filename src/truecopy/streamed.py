"""Arrays that are made while they are written to a file, because they may not fit into memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Streamed:
    """An array of one dimension that is made while it is written, and is never in memory as a whole."""

    dtype: np.dtype[Any]
    length: int
    pieces: Callable[[], Iterable[Array]]
    """The pieces in order; called when all arrays before it are written."""

    @property
    def shape(self) -> tuple[int]:
        """As arrays have it."""
        return (self.length,)

    @property
    def nbytes(self) -> int:
        """Bytes of all pieces."""
        return self.length * self.dtype.itemsize


AnyArray = Array | Streamed
