"""Thresholds in integers, so that a pair exactly at the threshold is in, on every machine.

A threshold is a number above 1 and up to 100 with up to four decimals, given as `80` or `"80%"`. A share such as 0.8
is refused: a user who means 80 % must not get nearly every pair there is. It is turned into ten-thousandths once,
and from there on only integers are compared: `100 · distance ≤ (100 − T) · longer`.
"""

from __future__ import annotations

import functools
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import BadSetting

WHOLE = 1_000_000
"""One hundred per cent, in ten-thousandths of a per cent."""


def percentage(given: float | str, name: str = "threshold") -> float:
    """A threshold as a user gives it: a number above 1 and up to 100, or the same with a percent sign.

    >>> percentage(80), percentage("72.5%")
    (80.0, 72.5)
    """
    typed = str(given).strip()
    signed = typed.endswith("%")
    try:
        value = Decimal(typed.removesuffix("%").rstrip())
    except InvalidOperation:
        value = Decimal("NaN")
    if value.is_finite() and 0 < value <= 1:
        meant = "" if signed else f": did you mean {float(100 * value if 100 * value > 1 else 80):g}?"
        raise BadSetting(
            f"The {name} is {given}, but it must be a percentage above 1 and up to 100{meant or '.'}",
            "Thresholds are percentages: give 80 or 80% for four words out of five.",
        )
    ten_thousandths(float(value), name, str(given) if value.is_finite() else repr(given))
    return float(value)


@functools.lru_cache(maxsize=256, typed=True)
def ten_thousandths(threshold: float, name: str = "threshold", given: str = "") -> int:
    """A percentage as an integer: 80 → 800,000.

    >>> ten_thousandths(80), ten_thousandths(72.5)
    (800000, 725000)
    """
    try:
        value = Decimal(str(threshold)).scaleb(4)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value != value.to_integral_value() or not 0 < value <= WHOLE:
        raise BadSetting(
            f"The {name} is {given or repr(threshold)}, but it must be a percentage above 1 and up to 100, "
            "with at most four decimals.",
            "Give for example 80.",
        )
    return int(value)


def limits(longer: npt.NDArray[Any], threshold: float) -> npt.NDArray[np.int64]:
    """The greatest distance that still reaches the threshold, for each length of the longer text."""
    return np.asarray(longer, np.int64) * (WHOLE - ten_thousandths(threshold)) // WHOLE


def reaches(part: int, whole: int, threshold: float) -> bool:
    """Whether part / whole is at least the threshold, in integers.

    >>> reaches(4, 5, 80)
    True
    """
    return part * WHOLE >= ten_thousandths(threshold) * whole
