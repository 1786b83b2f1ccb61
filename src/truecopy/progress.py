"""How the library tells a caller how far it is, without knowing of terminals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Progress(Protocol):
    """One stage at a time: started, advanced, finished."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Begin a stage of `total` units (None where it is not known)."""

    def advance(self, units: int) -> None:
        """So much more is done."""

    def finish(self) -> None:
        """The stage is over."""


class Silent:
    """Tells nobody."""

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Say nothing."""

    def advance(self, units: int) -> None:
        """Say nothing."""

    def finish(self) -> None:
        """Say nothing."""


SILENT = Silent()


def in_passes(advance: Callable[[int], None], passes: int) -> Callable[[int], None]:
    """For work that goes through everything several times: a unit is told when that many parts of it are done.

    >>> told = []
    >>> part = in_passes(told.append, 3)
    >>> part(5), part(5), part(5), told
    (None, None, None, [1, 2, 2])
    """
    done = 0

    def part(units: int) -> None:
        nonlocal done
        before, done = done // passes, done + units
        if done // passes > before:
            advance(done // passes - before)

    return part
