"""What every signature family has: the same functions, and a description of what it can tell.

A family is a module of this folder with

    describe() -> Description
    spec(...) -> Spec                               the parameters, checked; the paper's values where none are given
    sign(texts, spec, statistics=None, *, threads=1, ids=None) -> Signatures
    value(signatures, text) -> str | list           one signature as JSON holds it
    distance(a, i, b, j), distances(a, b)           for two signatures, and as a matrix; or, where more is better,
    similarity(a, i, b, j), similarities(a, b)      the same from 0 to 100
    containment(a, i, b, j)                         how much of a[i] is in b[j], 0 to 100, where that can be told

Every comparison refuses signatures with different specs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NoReturn

from truecopy.errors import BadSetting
from truecopy.spec import Spec


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a family."""

    name: str
    default: int | float | str | None
    meaning: str
    choices: tuple[int | float | str, ...] = ()


@dataclass(frozen=True, slots=True)
class Description:
    """What a family is, what its signatures cost and what they can tell."""

    name: str
    paper: str
    summary: str
    parameters: tuple[Parameter, ...]
    bytes: int | None
    """Bytes a document at the default parameters; None where it grows with the text."""
    size: str
    """The same in words."""
    compared_by: str
    containment: bool = False
    order: bool = False
    """Whether a signature knows the order of the words or letters."""
    weights: bool = False
    """Whether rare features can count for more, by statistics."""
    scripts: str = "all"
    """`all`, or the scripts that it is for."""
    limits: tuple[str, ...] = field(default=())
    """What it cannot tell, in sentences."""

    def supports(self) -> dict[str, bool | str]:
        """What it can tell, as `methods --json` lists it."""
        return {
            "comparison": self.compared_by,
            "containment": self.containment,
            "order": self.order,
            "weights": self.weights,
            "scripts": self.scripts,
        }


def choose(name: str, given: int | float | str, allowed: Iterable[int | float | str]) -> None:
    """Refuse a parameter that is not one of the allowed values."""
    values = tuple(allowed)
    if type(given) not in {type(value) for value in values} or given not in values:
        listed = ", ".join(map(str, values))
        raise BadSetting(f"The parameter {name} was given as {given!r}, but it must be one of {listed}.", _leave(name))


def between(name: str, given: object, least: float, most: float) -> None:
    """Refuse a parameter outside a range."""
    if isinstance(given, bool) or not isinstance(given, int | float) or not least <= given <= most:
        said = f"The parameter {name} was given as {given!r}, but it must be {least:,} to {most:,}."
        raise BadSetting(said, _leave(name))


def whole(name: str, given: object, least: int, most: int) -> None:
    """Refuse a parameter that is not a whole number within a range."""
    between(name, given, least, most)
    if not isinstance(given, int):
        said = f"The parameter {name} was given as {given!r}, but it must be a whole number."
        raise BadSetting(said, _leave(name))


def refuse_containment(method: str, reason: str) -> NoReturn:
    """Say why a family cannot tell containment."""
    raise BadSetting(f"{method} signatures cannot tell containment: {reason}.", "Use mod or bsw for containment.")


def must_be_of(method: str, spec: Spec) -> None:
    """Refuse a spec that belongs to another family."""
    if spec.method != method:
        raise BadSetting(
            f"The spec {spec} was given to the family {method}.", f"Use the family {spec.method}, or a {method} spec."
        )


def must_be_made_by(make: Callable[..., Spec], given: Spec, **fixed: object) -> None:
    """Refuse a spec that this truecopy does not make: another version, or parameters that nobody could have asked for.

    A spec may come from a file. `make` is the family's `spec`, `fixed` what a spec does not hold itself.
    """
    accepted = set(inspect.signature(make).parameters) - set(fixed)
    try:
        made = make(**{name: value for name, value in given.parameters if name in accepted}, **fixed)
    except BadSetting as error:
        raise BadSetting(f"The spec {given} cannot be: {error.message}", error.hint) from error
    if made != given:
        raise BadSetting(
            f"This truecopy cannot make the spec {given}; it makes {made}.",
            "Sign the texts again, or use the truecopy version that made the spec.",
        )


def _leave(name: str) -> str:
    return f"Choose another value, or leave {name} out."
