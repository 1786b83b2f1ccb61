"""Memory that Python and NumPy have freed goes back to the system.

The allocator of Linux (glibc) keeps freed memory for the next request, and after a stage that worked on many texts at
once that is a quarter of the whole process. It also learns: after a large array was freed, it takes the next ones of
that size from its heap. Small things that live longer get between them, and what is free then cannot be returned.
Elsewhere there is nothing to do: the calls do nothing.
"""

from __future__ import annotations

import ctypes
import sys

_LARGE = 1 << 22
"""Bytes from which an array has memory of its own: getting it costs little beside filling it."""
_MMAP_THRESHOLD = -3
"""What glibc calls this limit; one that is set is no longer learned."""


def keep_large_apart() -> None:
    """From now on large arrays have memory of their own, which the system has back as soon as they are freed."""
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).mallopt(_MMAP_THRESHOLD, _LARGE)
    except (AttributeError, OSError):  # another C library
        return


def give_back() -> None:
    """Return what is free to the system, where its allocator has to be told; takes a few milliseconds."""
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):  # another C library
        return
