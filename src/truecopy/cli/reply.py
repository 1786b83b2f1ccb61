"""What a command hands back: the object for `--json`, and how to show the same to a person.

Commands print nothing themselves, so that `--json` is one object and nothing else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ParamSpec

if TYPE_CHECKING:
    from rich.console import Console

P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Reply:
    """One command's answer."""

    data: dict[str, Any]
    show: Callable[[Console], None]
    as_json: bool
    exit_code: int = 0

    def envelope(self) -> dict[str, Any]:
        """The object that `--json` prints."""
        return {"ok": self.exit_code == 0, **self.data}


@dataclass(frozen=True, slots=True)
class Failure:
    """What a command raised."""

    error: BaseException


def guarded(command: Callable[P, Reply]) -> Callable[P, Reply | Failure]:
    """Hand back what a command raises, before Typer can act on it: Typer ends silently on a broken pipe."""

    @functools.wraps(command)
    def call(*args: P.args, **kwargs: P.kwargs) -> Reply | Failure:
        try:
            return command(*args, **kwargs)
        except (Exception, KeyboardInterrupt) as error:
            return Failure(error)

    return call
