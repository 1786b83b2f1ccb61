"""The fake matter, held to the real class: a call that `Matter` would refuse is refused."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import cli_fake

import truecopy as tc


def like(real: Callable[..., Any], stand_in: Callable[..., Any]) -> Callable[..., Any]:
    """A stand-in that takes what the real function takes, and nothing else."""
    taken = inspect.signature(real)

    @functools.wraps(stand_in)
    def call(*given: Any, **named: Any) -> Any:
        taken.bind(*given, **named)
        return stand_in(*given, **named)

    return call


class HeldMatter(cli_fake.Matter):
    """Answers as the fake does, to questions that the real class answers."""

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name.startswith("_") or not inspect.ismethod(found):
            return found
        return like(functools.partial(getattr(tc.Matter, name), self), found)
