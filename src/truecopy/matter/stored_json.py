"""JSON in cells of the database: settings, specs, how a wave's pairs were found; parsed within limits, and checked."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any

from truecopy.access import LEVELS
from truecopy.errors import MatterError
from truecopy.matter.cells import wrong_cell
from truecopy.settings import RULES, MatterSettings
from truecopy.spec import Spec

_LONGEST = 1 << 24
"""Code points of a cell; the settings may list many documents."""
_DEEPEST = 20
_MOST = 1 << 53


def parsed(name: str, text: str) -> Any:
    """The JSON in a cell, within limits of size and depth."""
    try:
        if len(text) > _LONGEST:
            raise ValueError("too long")
        found = json.loads(text, parse_constant=_refuse)
        _check_depth(found, _DEEPEST)
    except (ValueError, RecursionError) as error:
        raise wrong_cell(name) from error
    return found


def _refuse(constant: str) -> None:
    raise ValueError(constant)


def _check_depth(found: Any, left: int) -> None:
    if not left:
        raise ValueError("too deep")
    for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else ():
        _check_depth(inner, left - 1)


def is_number(value: Any, least: float, most: float) -> bool:
    """Whether a value from JSON is a finite number within a range."""
    return type(value) in (int, float) and math.isfinite(value) and least <= value <= most


def stored_settings(text: str) -> MatterSettings:
    """The settings that a matter was made with. Values that were allowed once may be refused by a later version, so
    only what the code relies on is checked: types, and ranges that make sense.
    """
    found = parsed("facts.value", text)
    rules = {
        "threshold": lambda value: is_number(value, 0, 100),
        "floor": lambda value: is_number(value, 0, 100),
        "contains_floor": lambda value: is_number(value, 0, 100),
        "recall": lambda value: value is None or is_number(value, 0, 1),
        "rule": lambda value: isinstance(value, str) and value in RULES,
        "access": lambda value: isinstance(value, str) and value in LEVELS,
        "given": lambda value: isinstance(value, list) and all(isinstance(name, str) for name in value),
    }
    known = {field.name for field in fields(MatterSettings)}
    if not isinstance(found, dict) or not set(found) <= known:
        raise wrong_cell("facts.value")
    for name, value in found.items():
        if not rules.get(name, _is_count)(value):
            raise MatterError(f"The matter's setting {name} has a value that it cannot have.", _AGAIN)
    return MatterSettings.from_json(found)


_AGAIN = "Restore the matter from a backup, or scan again."


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value < 1 << 40


def stored_spec(name: str, text: str) -> Spec:
    """The spec in a cell (`table.column`)."""
    found = parsed(name, text)
    if not is_spec(found):
        raise wrong_cell(name)
    return Spec.from_json(found)


def is_spec(found: Any) -> bool:
    """Whether JSON has the form of a spec."""
    if not isinstance(found, dict) or set(found) != {"method", "version", "parameters"}:
        return False
    parameters = found["parameters"]
    if not isinstance(found["method"], str) or not is_number(found["version"], 0, 1 << 31):
        return False
    return isinstance(parameters, dict) and all(
        isinstance(value, str) or is_number(value, -_MOST, _MOST) for value in parameters.values()
    )


def stored_details(text: str) -> dict[str, Any]:
    """How the pairs of a wave were found: recall, generator and seconds are there, and are what they should be."""
    found = parsed("waves.details", text)
    if not isinstance(found, dict):
        raise wrong_cell("waves.details")
    seconds = found.get("seconds")
    whole = isinstance(seconds, dict) and all(is_number(taken, 0, 1e12) for taken in seconds.values())
    if not whole or not isinstance(found.get("generator"), str) or not is_number(found.get("recall"), 0, 1):
        raise wrong_cell("waves.details")
    return found
