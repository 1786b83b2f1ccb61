"""How the library tells a caller how far it is, without knowing about terminals."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from truecopy.stopping import check


class Progress(Protocol):
    """One stage at a time: started, advanced, finished. Advances come from several threads, but one after the other.

    A stage that finishes has advanced by its total, in the same units.
    """

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Begin a stage of `total` units (None where it is not known)."""

    def advance(self, units: int) -> None:
        """This much more is done."""

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


@contextlib.contextmanager
def during(progress: Progress, stage: str) -> Iterator[None]:
    """A stage whose progress is not known."""
    check()
    progress.start(stage, None, "")
    try:
        yield
    finally:
        progress.finish()


def in_passes(advance: Callable[[int], None], passes: int) -> Callable[[int], None]:
    """For work that passes over everything several times: a unit is reported when that many parts of it are done.

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


_on_compiling: list[Callable[[], None]] = []


def compiling() -> None:
    """A kernel is about to be compiled, which takes a second or so, once for each installation."""
    if _on_compiling:
        _on_compiling[-1]()


@contextlib.contextmanager
def hearing_of_compiling(hear: Callable[[], None]) -> Iterator[None]:
    """Be told of kernels that are compiled inside, whatever uses them first."""
    _on_compiling.append(hear)
    try:
        yield
    finally:
        _on_compiling.remove(hear)
