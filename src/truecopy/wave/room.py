"""How much of a wave may be in memory at once, and where the rest of it is kept meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from truecopy.streamed import Sliceable
from truecopy.wave.fresh import FreshTexts

Array = NDArray[Any]
S = TypeVar("S", bound=np.generic)


class Room(Protocol):
    """Where a wave is computed."""

    words: int
    """Words of texts that may be joined at once."""

    def texts(self, fresh: FreshTexts) -> FreshTexts:
        """The same texts, out of memory if they are more than may be joined at once."""

    def arrays(self, arrays: Mapping[str, Array]) -> Mapping[str, Array]:
        """The same arrays, out of memory."""

    def keep(self, array: NDArray[S]) -> Sliceable[S]:
        """The same array, out of memory."""


class InMemory:
    """There is room for everything."""

    words: int = np.iinfo(np.int64).max

    def texts(self, fresh: FreshTexts) -> FreshTexts:
        """The same."""
        return fresh

    def arrays(self, arrays: Mapping[str, Array]) -> Mapping[str, Array]:
        """The same."""
        return arrays

    def keep(self, array: NDArray[S]) -> Sliceable[S]:
        """The same."""
        return array


IN_MEMORY: Room = InMemory()
