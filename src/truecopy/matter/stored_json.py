"""JSON in cells of the database: settings, specs, how a wave's pairs were found; parsed within limits, and checked."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from truecopy.errors import MatterError
from truecopy.matter.sql.cells import wrong_cell
from truecopy.settings import (
    LONGEST_GIVEN,
    LONGEST_LIST,
    MOST_DENSE,
    MOST_GIVEN,
    MOST_NEAREST,
    RULES,
    MatterSettings,
)
from truecopy.spec import Spec

_LONGEST = 1 << 24
"""Code points of a cell without settings …"""
_LONGEST_SETTINGS = LONGEST_LIST + _LONGEST
"""… and of one with them: they may list many documents."""
_MOST_VALUES, _MOST_LISTS = MOST_GIVEN + 1_000, 10_000
"""Values of a long cell, and lists and objects in it: parsed, each takes many times the room that its text has."""
_SHORT = 1 << 16
"""Code points of a cell that is not counted first."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_DEEPEST = 20
_MOST = 1 << 53
_MOST_RULES, _MOST_STAGES, _LONGEST_WORD = 10_000, 100, 200
_FORMER = "access"
"""A setting of earlier matters that no longer counts: a matter does not decide who may read what is made from it."""


def parsed(name: str, text: str, longest: int = _LONGEST) -> Any:
    """The JSON in a cell, within limits of size, number and depth."""
    try:
        if len(text) > longest:
            raise ValueError("too long")
        if len(text) > _SHORT:
            _check_number(text)
        found = json.loads(text, parse_constant=_refuse)
        _check_depth(found, _DEEPEST)
    except (ValueError, RecursionError) as error:
        raise wrong_cell(name) from error
    return found


def _check_number(text: str) -> None:
    bare = _STRING.sub("", text)
    if bare.count(",") > _MOST_VALUES or bare.count("[") + bare.count("{") > _MOST_LISTS:
        raise ValueError("too many values")


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
    found = parsed("facts.value", text, _LONGEST_SETTINGS)
    if not isinstance(found, dict) or not set(found) <= _KNOWN:
        raise wrong_cell("facts.value")
    for name, value in found.items():
        if not _RULES[name](value):
            raise MatterError(f"The matter's setting {name} has a value that it cannot have.", _AGAIN)
    return MatterSettings.from_json(found)


_AGAIN = "Restore the matter from a backup, or scan again."


def _is_count(value: Any, least: int, most: int) -> bool:
    return type(value) is int and least <= value <= most


def _is_word(value: Any, longest: int = _LONGEST_WORD) -> bool:
    return isinstance(value, str) and len(value) <= longest


def _is_names(value: Any, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(_is_word(name, LONGEST_GIVEN) for name in value)


_RULES: dict[str, Callable[[Any], bool]] = {
    "threshold": lambda value: is_number(value, 0, 100),
    "floor": lambda value: is_number(value, 0, 100),
    "contains_floor": lambda value: is_number(value, 0, 100),
    "recall": lambda value: value is None or is_number(value, 0, 1),
    "rule": lambda value: isinstance(value, str) and value in RULES,
    "given": lambda value: _is_names(value, MOST_GIVEN),
    "dense": lambda value: _is_count(value, 2, MOST_DENSE),
    "nearest": lambda value: _is_count(value, 1, MOST_NEAREST),
    _FORMER: _is_word,
}
_KNOWN = {field.name for field in fields(MatterSettings)} | {_FORMER}


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
    """How a wave was read and its pairs were found: what is read from it is there, and is what it should be."""
    found = parsed("waves.details", text, _LONGEST_SETTINGS)
    if not isinstance(found, dict) or not all(name in found for name in ("seconds", "generator", "recall")):
        raise wrong_cell("waves.details")
    if not all(rule(found[name]) for name, rule in _DETAILS.items() if name in found):
        raise wrong_cell("waves.details")
    return found


def _is_seconds(value: Any) -> bool:
    if not isinstance(value, dict) or len(value) > _MOST_STAGES:
        return False
    return all(_is_word(stage) and is_number(taken, 0, 1e12) for stage, taken in value.items())


def _is_settings(value: Any) -> bool:
    """Whether settings are such as a matter may have; a later version may have more of them."""
    return isinstance(value, dict) and all(rule(value[name]) for name, rule in _RULES.items() if name in value)


_DETAILS: dict[str, Callable[[Any], bool]] = {
    "seconds": _is_seconds,
    "generator": _is_word,
    "recall": lambda value: is_number(value, 0, 1),
    "pairs": lambda value: _is_count(value, 0, _MOST),
    "settings": _is_settings,
    "encoding": lambda value: _is_names(value, _MOST_RULES),
}
