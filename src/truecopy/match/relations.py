"""Relations: what two texts must have in common for their pair to be stored; the contract's table as data.

A measure is a part of a whole. Both are formulas over the integers of a pair (`model.Scores`), written once: the judge
puts arrays into them, the store its columns. A relation holds where its measure reaches its floor, in integers.

A relation that is added is a row here, with a measure whose integers the judge counts and a way to find candidates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from truecopy.model import SHORTEST_CONTAINED
from truecopy.settings import MatterSettings
from truecopy.threshold import WHOLE, ten_thousandths


class Integers(Protocol):
    """The integers of pairs by the names of `model.Scores`: arrays, numbers, or the columns of a database."""

    def __getitem__(self, name: str, /) -> Any: ...


Least = Callable[[Any, Any], Any]
"""The lesser of two of them."""
Formula = Callable[[Integers, Least], Any]
Floors = Mapping[str, float]
"""From where on each relation holds, in per cent, by its name."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A share: how much a part is of a whole."""

    name: str
    part: Formula
    whole: Formula

    def reaches(self, pair: Integers, threshold: float, least: Least) -> Any:
        """Whether it is at least a threshold; where there is no whole, only of equal words."""
        whole = self.whole(pair, least)
        enough = self.part(pair, least) * WHOLE >= whole * ten_thousandths(threshold)
        return enough & ((whole > 0) | (pair["distance"] == 0))


SIMILARITY = Measure("similarity", lambda pair, _: pair["longer"] - pair["distance"], lambda pair, _: pair["longer"])
CONTAINMENT = Measure(
    "containment",
    lambda pair, _: pair["shared_shingles"],
    lambda pair, least: least(pair["a_shingles"], pair["b_shingles"]),
)
"""The greater of the two: that of the text with fewer shingles."""


@dataclass(frozen=True, slots=True)
class Relation:
    """One row of the contract's table."""

    name: str
    measure: Measure
    setting: str
    """The field of `MatterSettings` that is its floor."""
    candidates: str
    """How they are found."""
    recall: float | None
    """The share of its pairs that is found; None where a matter's setting says it."""
    least: int = 0
    """How large the whole of its measure must be."""
    unless: tuple[str, ...] = ()
    """Relations that must not hold; they come before it."""


RELATIONS = (
    Relation(
        name="similar",
        measure=SIMILARITY,
        setting="floor",
        candidates="words that both texts have, the rarest first; or bands of sketches, where that is too dear",
        recall=None,
    ),
    Relation(
        name="contains",
        measure=CONTAINMENT,
        setting="contains_floor",
        candidates="the rarest shingles of each text, looked up in all others",
        recall=1.0,
        least=SHORTEST_CONTAINED,
    ),
)
RELATION_NAMES = tuple(relation.name for relation in RELATIONS)
_BY_NAME = {relation.name: relation for relation in RELATIONS}


def relation_named(name: str) -> Relation:
    """A row by its name."""
    return _BY_NAME[name]


def floors_of(settings: MatterSettings) -> dict[str, float]:
    """The floors of a matter, by relation."""
    return {relation.name: getattr(settings, relation.setting) for relation in RELATIONS}


DEFAULT_FLOORS: Floors = floors_of(MatterSettings())
