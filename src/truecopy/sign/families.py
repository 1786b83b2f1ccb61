"""The list of signature families, and specs from parameters by name."""

from __future__ import annotations

import datetime
import inspect
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from truecopy.errors import BadSetting
from truecopy.keywords import suggestion
from truecopy.sign.family import Description

if TYPE_CHECKING:
    from truecopy.sign.statistics import Statistics
    from truecopy.spec import Spec

METHODS = (
    "words", "simhash", "topsig", "minhash4", "mod", "min", "sketch", "bsw", "terms", "fingerprint", "letters",
)  # fmt: skip

_BESIDE = ("statistics", "replace", "threads", "progress")
"""What signing takes beside a method's parameters: one of these may be misspelled too."""


def family(method: str) -> Any:
    """The module of a family."""
    if method not in METHODS:
        raise BadSetting(f"There is no signature method {method!r}.", f"Choose one of: {', '.join(METHODS)}.")
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
        parameters.pop("mean_length", None)  # from the texts; not from a user
    for name in parameters:
        if name not in accepted:
            raise BadSetting(f"The method {method} has no parameter {name}.", suggestion(name, known, _BESIDE))
    if statistics is not None:
        if "statistics" not in accepted:
            raise BadSetting(f"The method {method} does not use statistics.", "Leave them out.")
        made: Spec = make(statistics=statistics, **parameters)
        return made
    plain: Spec = make(**parameters)
    return plain


def dated(method: str, dates: Sequence[str]) -> dict[str, Any]:
    """What `sign` of a method takes beside the texts: for terms the documents' dates, given as ISO 8601 or empty."""
    if method != "terms":
        return {}
    return {"dates": [_day(date) for date in dates]}


def _day(date: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(date[:10])
    except ValueError:
        return None


def row_form(spec: Spec) -> tuple[np.dtype[Any], int | None]:
    """The type of a method's entries, and how many one signature has; None where that varies."""
    given = dict(spec.parameters)
    if spec.method in ("simhash", "topsig", "minhash4"):
        return np.dtype(np.uint8), int(given["bits"]) // 8
    if spec.method in ("words", "sketch"):
        return np.dtype(np.uint32), int(given["slots" if spec.method == "words" else "n"])
    if spec.method == "letters":
        return np.dtype(np.uint32), 62 if given["alphabet"] == "latin" else 256
    if spec.method == "terms":
        return np.dtype(np.uint8), 4 + 3 * int(given["terms"])
    if spec.method == "fingerprint":
        return np.dtype(np.uint8), 24
    family(spec.method)
    return np.dtype(np.uint64), None
