"""Seconds by stage."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from truecopy.heap import give_back

_LONG = 0.2
"""Seconds after which a stage has handled so much memory that returning it is worth a few milliseconds."""


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a stage; what a long one has freed goes back to the system."""
        start = time.perf_counter()
        try:
            yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + taken
            if taken > _LONG:
                give_back()
