"""What stays open between two questions: indexes, words and streams, mapped from their segments.

Each is kept with what shows that it is still good: the segments as the database names them, and their files as they
are. So a question finds what another process added a moment ago, and never uses a file that has changed since it was
checked. Any number of threads may ask.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

T = TypeVar("T")


class Opened:
    """What is open of one matter."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[Hashable, Any]] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._lock = threading.Lock()

    def get(self, name: str, good_for: Hashable, read: Callable[[], T]) -> T:
        """What is kept under a name, if it is good for this; else what is read now. Each name waits for itself only."""
        have = self._kept.get(name)
        if have is None or have[0] != good_for:
            with self._opening(name):
                have = self._kept.get(name)
                if have is None or have[0] != good_for:
                    have = (good_for, read())
                    self._kept[name] = have
        found: T = have[1]
        return found

    def _opening(self, name: str) -> threading.Lock:
        with self._lock:
            return self._locks.setdefault(name, threading.Lock())
