"""The judge: which relations hold between two texts, and what kind of pair they are, the same for every caller.

`match.kinds` finds what the words show (equal, an insertion, an excerpt …). Here the relations and the dates
are added, in the contract's order. Scans, `compare`, `similar` and dense families all ask here, so that the same
two texts with the same dates under the same floors have the same kind wherever it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from numpy.typing import NDArray

from truecopy.match.kinds import found_name
from truecopy.model import SHORTEST_CONTAINED
from truecopy.threshold import WHOLE, limits, ten_thousandths

I64 = NDArray[np.int64]
Flags = NDArray[np.bool_]

UNKNOWN_DATE = np.iinfo(np.int64).min


@dataclass(frozen=True, slots=True)
class Floors:
    """From where on each relation holds, in per cent."""

    similar: float = 70.0
    contains: float = 80.0


@dataclass(frozen=True, slots=True)
class Relations:
    """Which relations hold between the texts of each pair."""

    similar: Flags
    contains: Flags


def relations(distance: I64, longer: I64, shared: I64, sizes: tuple[I64, I64], floors: Floors) -> Relations:
    """Which relations hold, in integers; `sizes` are the distinct shingles of the two texts of each pair."""
    fewer = np.minimum(*sizes)
    inside = shared * WHOLE >= fewer * ten_thousandths(floors.contains)
    return Relations(distance <= limits(longer, floors.similar), inside & (fewer >= SHORTEST_CONTAINED))


def kinds(found: NDArray[np.uint8], holds: Relations, grew: Flags) -> list[str]:
    """The kind of each pair of texts that are not the same file.

    `found` is what `match.kinds.decide` found; `grew` is true for pairs with both dates known where the longer text
    has the later one: a part of such a text was elaborated, not cut out.
    """
    rows = zip(found.tolist(), holds.similar.tolist(), holds.contains.tolist(), grew.tolist(), strict=True)
    return [_kind(found_name(code), similar, contains, later) for code, similar, contains, later in rows]


def _kind(found: str, similar: bool, contains: bool, grew: bool) -> str:
    if found == "same-text":
        return found
    if not similar and not contains:
        return "unrelated"
    if found == "excerpt" and grew:
        return "elaboration"
    return found or ("revision" if similar else "contained")


def grew(lengths: tuple[I64, I64], dates: tuple[I64, I64]) -> Flags:
    """Whether both dates of each pair are known and the longer text has the later one."""
    known = (dates[0] != UNKNOWN_DATE) & (dates[1] != UNKNOWN_DATE)
    later = np.where(lengths[0] > lengths[1], dates[0] > dates[1], dates[1] > dates[0])
    return np.asarray(known & later, np.bool_)


def moment(date: str) -> int:
    """A document's date (ISO 8601) as a number that can be compared; `UNKNOWN_DATE` where it has none.

    >>> moment("2024-03-01") < moment("2024-03-01T09:00:00+00:00"), moment("") == UNKNOWN_DATE
    (True, True)
    """
    try:
        found = datetime.fromisoformat(date)
    except ValueError:
        return UNKNOWN_DATE
    return int((found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp() * 1_000_000)


def moments(dates: list[str]) -> I64:
    """The same for many."""
    return np.array([moment(date) for date in dates], np.int64)
