"""How the library tells a caller how far it is, without knowing of terminals."""

from __future__ import annotations

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
