"""Memory that Python and NumPy have freed goes back to the system.

The allocator of Linux (glibc) keeps freed memory for the next request, and after a stage that worked on many texts at
once that is a quarter of the whole process. Elsewhere there is nothing to do: the call does nothing.
"""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return what is free to the system, where its allocator has to be told; takes a few milliseconds."""
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).malloc_trim(0)
    except (AttributeError, OSError):  # another C library
        return
