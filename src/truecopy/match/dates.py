"""Dates of documents as numbers that can be compared."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from truecopy.array_types import I64

UNKNOWN_DATE = int(np.iinfo(np.int64).min)


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
