"""Fewer searches for cycles while many small objects are made that are all kept.

Python looks for unreachable cycles after every few hundred new objects. A wave of a hundred thousand documents makes
millions of objects without a cycle among them, and looking at them again and again takes a fifth of the time of
reading. So for that while it looks less often; never not at all, as some libraries do make cycles.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_SELDOM = (50_000, 20, 50)
"""New objects between two looks, looks at these between two at those before, and so on; Python has 700, 10 and 10, or
so. A look at all objects takes a fifth of a second even if there is nothing but imported modules.
"""
_LOCK = threading.Lock()
_inside: list[tuple[int, int, int]] = []
"""The thresholds of before, once for each that is inside: the last to leave puts back what the first has found."""


@contextlib.contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for cycles less often inside; in all threads, as Python has one collector."""
    with _LOCK:
        before = _inside[0] if _inside else gc.get_threshold()
        _inside.append(before)
        if 0 < before[0] < _SELDOM[0]:  # 0: somebody has turned it off
            gc.set_threshold(*_SELDOM)
    try:
        yield
    finally:
        with _LOCK:
            first = _inside.pop()
            if not _inside:
                gc.set_threshold(*first)
