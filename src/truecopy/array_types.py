"""The types of arrays: each by its dtype, or by what it holds where that has a name.

Kernels have no types of arrays: Numba infers them.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Flags: TypeAlias = NDArray[np.bool_]
U8: TypeAlias = NDArray[np.uint8]
U16: TypeAlias = NDArray[np.uint16]
U32: TypeAlias = NDArray[np.uint32]
U64: TypeAlias = NDArray[np.uint64]
I8: TypeAlias = NDArray[np.int8]
I16: TypeAlias = NDArray[np.int16]
I32: TypeAlias = NDArray[np.int32]
I64: TypeAlias = NDArray[np.int64]
F64: TypeAlias = NDArray[np.float64]

Places: TypeAlias = NDArray[np.signedinteger[Any]]
"""Places in another array, in 32 or 64 bits."""
Values: TypeAlias = NDArray[np.unsignedinteger[Any]]
"""What signatures hold: bytes, or numbers of 32 or 64 bits, as their method has it (`sign/families.py`)."""
Exact: TypeAlias = NDArray[np.int64] | NDArray[np.object_]
"""Whole numbers in 64 bits, or Python's own where those could overflow."""
Stored: TypeAlias = NDArray[Any]
"""One of the arrays of a file or of a block, which are known by name: whoever reads one checks its dtype."""
Argument: TypeAlias = NDArray[Any]
"""One of several arrays of different types that a kernel takes together."""
