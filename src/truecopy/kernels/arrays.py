"""Arrays as kernels take them.

Numba compiles a kernel anew for every type of array, and whether an array may be written is part of its type.
Stored arrays are memory-mapped and may not; so no input is, and each kernel is compiled once.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def read_only(array: NDArray[T]) -> NDArray[T]:
    """The same array, contiguous and not to be written; nothing is copied where it is contiguous already."""
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
