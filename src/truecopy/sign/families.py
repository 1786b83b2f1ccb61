"""The list of signature families, and specs from parameters by name."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from truecopy.errors import BadSetting, NotFound
from truecopy.sign.family import Description

if TYPE_CHECKING:
    from truecopy.sign.statistics import Statistics
    from truecopy.spec import Spec

METHODS = (
    "words", "simhash", "topsig", "minhash4", "mod", "min", "sketch", "bsw", "terms", "fingerprint", "letters",
)  # fmt: skip


def family(method: str) -> Any:
    """The module of a family."""
    if method not in METHODS:
        raise NotFound(f"There is no signature method {method!r}.", f"Choose one of: {', '.join(METHODS)}.")
    return import_module(f"truecopy.sign.{method}")


def methods() -> list[Description]:
    """What every family is, costs and can tell."""
    return [family(method).describe() for method in METHODS]


def make_spec(method: str, statistics: Statistics | None = None, **parameters: int | float | str) -> Spec:
    """The spec of a method with the given parameters; one that the method does not have is refused."""
    make = family(method).spec
    accepted = inspect.signature(make).parameters
    known = [name for name in accepted if name not in ("statistics", "mean_length")]
    if "mean_length" not in accepted:
        parameters.pop("mean_length", None)  # of the texts; not of a user
    for name in parameters:
        if name not in accepted:
            raise BadSetting(f"The method {method} has no parameter {name}.", f"It has: {', '.join(known)}.")
    if statistics is not None:
        if "statistics" not in accepted:
            raise BadSetting(f"The method {method} does not use statistics.", "Leave them out.")
        made: Spec = make(statistics=statistics, **parameters)
        return made
    plain: Spec = make(**parameters)
    return plain
