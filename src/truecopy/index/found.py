"""What an index answers: hits of a query, pairs of a collection; with the measure of each in integers.

`value` and `whole` say how near two rows are, exactly:

    bits      value differing bits, whole 1
    letters   value squared distance, whole 1
    sets      value shared entries, whole what they are a share of
    equality  value 0, whole 1
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, Exact, Flags, Places, Stored
from truecopy.index.limits import Limit, Share


@dataclass(frozen=True, slots=True)
class Found:
    """Rows of one block that are near enough: which query, which row of the block, how near."""

    query: I64
    place: I64
    value: I64
    whole: I64
    examined: int
    """Rows that were looked at."""

    @classmethod
    def make(cls, query: Places | int, place: Places, value: Exact, whole: Places | int, examined: int) -> Found:
        """With every column as long as `places`, in 64 bits."""
        count = len(place)
        query, whole = np.broadcast_to(query, count), np.broadcast_to(whole, count)
        return cls(_wide(query), _wide(place), _wide(value), _wide(whole), examined)

    @classmethod
    def together(cls, parts: list[Found]) -> Found:
        """The findings of several searches, one after the other."""
        if len(parts) == 1:
            return parts[0]
        empty = np.empty(0, np.int64)
        query = np.concatenate([empty, *(part.query for part in parts)])
        place = np.concatenate([empty, *(part.place for part in parts)])
        value = np.concatenate([empty, *(part.value for part in parts)])
        whole = np.concatenate([empty, *(part.whole for part in parts)])
        return cls(query, place, value, whole, sum(part.examined for part in parts))

    def take(self, which: Flags | Places) -> Found:
        """Some of them."""
        return Found(self.query[which], self.place[which], self.value[which], self.whole[which], self.examined)


@dataclass(frozen=True, slots=True)
class Hits:
    """What is near a query, best first; ties in order of number."""

    numbers: I64
    value: I64
    whole: I64
    examined: int

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def ordered(cls, numbers: I64, value: I64, whole: I64, limit: Limit, examined: int) -> Hits:
        """Put in order: the nearest first."""
        if len(numbers) < 2:
            return cls(numbers, value, whole, examined)
        near = -(value / np.maximum(whole, 1)) if isinstance(limit, Share) else value
        order = np.lexsort((numbers, near))
        return cls(numbers[order], value[order], whole[order], examined)


@dataclass(frozen=True, slots=True)
class Couples:
    """Pairs of numbers a < b that are near enough, in order."""

    a: I64
    b: I64
    value: I64
    whole: I64
    examined: int

    def __len__(self) -> int:
        return len(self.a)

    @classmethod
    def ordered(cls, x: I64, y: I64, value: I64, whole: I64, examined: int) -> Couples:
        """Put the lower number first, and all in order."""
        a, b = np.minimum(x, y), np.maximum(x, y)
        # Where it fits, one number for each pair sorts five times as fast as two.
        order = np.argsort((a << 32) | b) if int(b.max(initial=0)) < 1 << 31 else np.lexsort((b, a))
        return cls(a[order], b[order], value[order], whole[order], examined)


def _wide(column: Stored) -> I64:
    """In 64 bits; counts that no text has (2^31 letters and more) can have greater distances, which are cut to that."""
    if column.dtype == object:
        column = np.minimum(column, np.iinfo(np.int64).max)
    return np.ascontiguousarray(column, np.int64)
