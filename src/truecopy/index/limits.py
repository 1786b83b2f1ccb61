"""How near a hit must be, by measure; every comparison is between integers.

Distance(3)                 bits: at most 3 differ
Gamma(0.025)                letters: |x − q| ≤ γ · |q|; for pairs, γ times the greater norm
Share(80, "either")         sets: shared / all entries of both (resemblance)
Share(80, "query")                shared / entries of the query: the row contains it
Share(80, "row")                  shared / entries of the row: it is contained in the query
Share(80, "smaller")              shared / entries of the smaller set: the greater containment
Share(80, "longer")               shared / entries of the larger set: bags of words, terms
Share(80, "slots")                equal places / places: sketches
Share(80, "smallest")             shared / n, of the n smallest entries of both: min
Equal()                     the rows are equal
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from truecopy.array_types import I64, Flags
from truecopy.errors import BadSetting
from truecopy.threshold import WHOLE, ten_thousandths

_GREATEST = 1e200
SHARES = ("either", "query", "row", "smaller", "longer", "slots", "smallest")


@dataclass(frozen=True, slots=True)
class Distance:
    """Hits differ from the query in at most this many bits."""

    most: int

    def __post_init__(self) -> None:
        if isinstance(self.most, bool) or not isinstance(self.most, int | np.integer) or self.most < 0:
            given = f"The distance was given as {self.most!r}, but it must be a whole number of bits, 0 or more."
            raise BadSetting(given, "Give for example 3.")


@functools.lru_cache(maxsize=64)
def _as_written(gamma: float) -> Fraction:
    return Fraction(str(gamma))


@dataclass(frozen=True, slots=True)
class Gamma:
    """Hits lie within γ times the query's norm."""

    gamma: float

    def __post_init__(self) -> None:
        good = isinstance(self.gamma, int | float) and not isinstance(self.gamma, bool)
        if not (good and 0 <= self.gamma <= _GREATEST):
            given = f"{self.gamma:.6g}" if isinstance(self.gamma, float) else "that"
            said = f"The parameter gamma was given as {given}, but it must be a number from 0 to {_GREATEST:g}."
            raise BadSetting(said, "Give for example 0.025.")

    @property
    def share(self) -> Fraction:
        """γ as it was written: 0.025 is 1/40, though no machine number is."""
        return _as_written(self.gamma)

    def most(self, squared_norm: int) -> int:
        """The greatest squared distance of a hit."""
        share = self.share
        return share.numerator**2 * squared_norm // share.denominator**2


@dataclass(frozen=True, slots=True)
class Share:
    """Hits share at least this many per cent of their entries with the query."""

    percent: float
    of: str = "either"
    length: float | None = None
    """Lengths differ by at most this many per cent, where rows know them."""
    weeks: int | None = None
    """Dates differ by at most this many weeks, where both are known."""

    def __post_init__(self) -> None:
        ten_thousandths(self.percent, "share")
        if self.of not in SHARES:
            raise BadSetting(f"A share was asked of {self.of!r}.", f"Choose one of: {', '.join(SHARES)}.")
        if self.length is not None:
            shortest_share(self.length)
        weeks = self.weeks
        if weeks is not None and (isinstance(weeks, bool) or not isinstance(weeks, int) or not 0 <= weeks <= 10_000):
            said = f"The weeks were given as {self.weeks!r}, but they must be a whole number from 0 to 10,000."
            raise BadSetting(said, "Give for example 6.")

    @property
    def least(self) -> int:
        """The share in ten-thousandths of a per cent."""
        return ten_thousandths(self.percent)

    def reached(self, shared: I64, whole: I64) -> Flags:
        """Whether shared / whole is enough; nothing is a share of nothing."""
        return (shared > 0) & (shared * WHOLE >= self.least * whole)

    def whole(self, shared: I64, query: I64 | int, row: I64) -> I64:
        """What the share is of, for sets of given sizes."""
        if self.of == "either":
            return query + row - shared
        if self.of == "query":
            return np.broadcast_to(np.asarray(query, np.int64), shared.shape)
        if self.of == "row":
            return row
        return np.minimum(query, row) if self.of == "smaller" else np.maximum(query, row)

    def allows(self, query: I64, rows: I64) -> Flags:
        """Which rows pass the filters of length and date, by heads of (length in words, day)."""
        passed = np.ones(len(rows), np.bool_)
        if self.length is not None:
            shortest = shortest_share(self.length)
            shorter, longer = np.minimum(query[0], rows[:, 0]), np.maximum(query[0], rows[:, 0])
            passed &= shorter * WHOLE >= shortest * longer
        if self.weeks is not None:
            known = (query[1] > 0) & (rows[:, 1] > 0)
            passed &= ~known | (np.abs(rows[:, 1] - query[1]) <= 7 * self.weeks)
        return passed


@dataclass(frozen=True, slots=True)
class Equal:
    """Hits have the same row; for fingerprints, lengths differ by at most this many per cent."""

    length: float = 5

    def __post_init__(self) -> None:
        shortest_share(self.length)


def shortest_share(length: float) -> int:
    """The least that the shorter of two lengths may be of the longer, in ten-thousandths of a per cent."""
    number = isinstance(length, int | float) and not isinstance(length, bool)
    if not number or not 0 <= length <= 100 or round(length, 4) != length:
        said = f"The length was given as {length!r}, but it must be a percentage from 0 to 100, up to four decimals."
        raise BadSetting(said, "Give for example 20.")
    return WHOLE - (ten_thousandths(length, "length") if length else 0)


Limit = Distance | Gamma | Share | Equal
