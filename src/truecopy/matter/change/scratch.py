"""Arrays of a wave that are out of memory for a while: one file in its spool, which ends with it.

They are read and not mapped: pages of a mapped file count as memory of the process for as long as nobody else wants the
memory. Nothing is hashed and nothing is flushed to the disk, because nobody but this process ever reads it.
"""

from __future__ import annotations

import errno
import threading
from dataclasses import dataclass
from typing import BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

S = TypeVar("S", bound=np.generic)


class Scratch:
    """A file of arrays, to which several threads may write, and which they may read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._end = 0
        self._lock = threading.Lock()

    def keep(self, array: NDArray[S]) -> Scratched[S]:
        """Write an array of one dimension."""
        whole = np.ascontiguousarray(array)
        with self._lock:
            begin = self._end
            self._file.seek(begin)
            self._file.write(whole.data.cast("B") if whole.nbytes else b"")
            self._end += whole.nbytes
        return Scratched(self, whole.dtype, begin, len(whole))

    def fill(self, begin: int, out: NDArray[S]) -> None:
        """Read the bytes that begin at a place into an array."""
        with self._lock:
            self._file.seek(begin)
            if out.nbytes and self._file.readinto(out.data.cast("B")) != out.nbytes:  # type: ignore[attr-defined]
                raise OSError(errno.EIO, "a file of the spool is cut off")

    def close(self) -> None:
        """Close the file."""
        self._file.close()


@dataclass(frozen=True, slots=True)
class Scratched(Generic[S]):
    """An array in the file."""

    scratch: Scratch
    dtype: np.dtype[S]
    begin: int
    length: int

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, some: slice, /) -> NDArray[S]:
        first, last, step = some.indices(self.length)
        assert step == 1
        out = np.empty(max(last - first, 0), self.dtype)
        self.scratch.fill(self.begin + first * self.dtype.itemsize, out)
        return out
