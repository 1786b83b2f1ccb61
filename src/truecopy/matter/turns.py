"""Questions that several threads ask at once take turns, first come, first served.

Python runs one thread at a time, and lets it go on for five milliseconds before another one may. With eight threads
that ask, one question in a few would wait for all others to have had their five milliseconds, though each question
needs less than one. So a question waits until it is its turn, is then answered without a break, and the next one
begins: all of them wait about as long, and none longer than the questions before it take.

A question that takes long, such as one about all documents, does not keep the others waiting: after some milliseconds
its turn has lapsed, and it goes on beside them, as threads do.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Iterator

AT_ONCE = 1
"""Questions that are answered at a time. With two, one could go on while the other one reads or computes outside of
Python; but each of the hundred short steps in which SQLite reads would wake the one that waits for Python, mostly for
nothing, and that costs a third more than it gains.
"""
LAPSE = 0.005
"""Seconds after which a turn has lapsed: whoever reads a slow disk, or computes for long, keeps nobody waiting."""


class Turns:
    """The turns of one matter's questions."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: dict[threading.Lock, float] = {}
        """Whose turn it is, and when each began."""
        self._waiting: deque[threading.Lock] = deque()
        """Who waits, each for its own lock to be freed."""
        self._thread = threading.local()

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Wait until it is this thread's turn; a question that asks another one has it already."""
        if getattr(self._thread, "has", False):
            yield
            return
        turn = self._take()
        self._thread.has = True
        try:
            yield
        finally:
            self._thread.has = False
            self._leave(turn)

    def _take(self) -> threading.Lock:
        own = threading.Lock()
        own.acquire()
        with self._lock:
            self._waiting.append(own)
            self._call()
        try:
            while not own.acquire(timeout=LAPSE):
                with self._lock:
                    self._call()
        except BaseException:
            self._leave(own)
            raise
        return own

    def _leave(self, own: threading.Lock) -> None:
        with self._lock:
            self._running.pop(own, None)
            with contextlib.suppress(ValueError):
                self._waiting.remove(own)
            self._call()

    def _call(self) -> None:
        """Give the turns that are free to those who have waited longest."""
        if not self._waiting:
            return
        now = time.monotonic()
        if len(self._running) >= AT_ONCE:
            for one in [one for one, begun in self._running.items() if now - begun >= LAPSE]:
                del self._running[one]
        while self._waiting and len(self._running) < AT_ONCE:
            first = self._waiting.popleft()
            self._running[first] = now
            first.release()
