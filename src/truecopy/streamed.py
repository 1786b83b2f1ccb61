"""Arrays that may not fit into memory: made while they are written to a file, or read some entries at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import Stored

S_co = TypeVar("S_co", bound=np.generic, covariant=True)


@dataclass(frozen=True, slots=True)
class Streamed:
    """An array of one dimension that is made while it is written, and is never in memory as a whole."""

    dtype: np.dtype[Any]
    length: int
    pieces: Callable[[], Iterable[Stored]]
    """The pieces in order; called when all arrays before it are written."""

    @property
    def shape(self) -> tuple[int]:
        """As arrays have it."""
        return (self.length,)

    @property
    def nbytes(self) -> int:
        """Bytes of all pieces."""
        return self.length * self.dtype.itemsize


AnyArray = Stored | Streamed


class Sliceable(Protocol[S_co]):
    """An array of one dimension that may be out of memory, of which some is read at a time; or one in memory."""

    def __len__(self) -> int:
        """How many entries there are."""

    def __getitem__(self, some: slice, /) -> NDArray[S_co]:
        """The entries from one to another."""
