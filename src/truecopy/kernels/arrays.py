"""Arrays as kernels take them.

Numba compiles a kernel again for every type of array, and whether an array is writable is part of its type. Stored
arrays are memory-mapped and read-only. So every input is made read-only, and each kernel is compiled once.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=np.generic)


def read_only(array: NDArray[T]) -> NDArray[T]:
    """The same array, contiguous and read-only; a contiguous one is not copied."""
    if type(array) is np.ndarray:  # not of a mapped file, which is a type of its own
        flags = array.flags
        if flags.c_contiguous and not flags.writeable:
            return array
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view
