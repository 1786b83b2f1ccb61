"""Relations: what two texts must have in common for their pair to be stored; the contract's table as data.

A measure is a part of a whole. Both are formulas over the integers of a pair (`model.Scores`), written once: the judge
puts arrays into them, the store its columns. A relation holds where its measure reaches its floor, in integers.

A relation that is added is a row here, with a measure whose integers the judge counts, and a finder of its pairs
(`pairing.FINDERS`). Whatever finds, stores, bounds or lists pairs goes through the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from truecopy.model import SHORTEST_CONTAINED
from truecopy.settings import MatterSettings
from truecopy.threshold import WHOLE, ten_thousandths

if TYPE_CHECKING:
    from truecopy.array_types import I32, Flags
    from truecopy.text.streams import Streams


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
    candidates: str
    """How they are found: a name in `pairing.FINDERS`."""
    setting: str = ""
    """The field of `MatterSettings` that is its floor, which can be lowered; "" for none."""
    floor: float = 100.0
    """The floor where no setting is."""
    recall: float | None = 1.0
    """The share of its pairs that is found; None where a matter's setting says it."""
    least: int = 0
    """How large the whole of its measure must be."""
    only: Callable[[Streams, I32, I32], Flags] | None = None
    """What else must be true of the texts a[i] and b[i], besides the measure; None for nothing."""
    unless: tuple[str, ...] = ()
    """Relations that must not hold; they come before it."""
    grouped: bool = False
    """Whether groups are made of its pairs: then it has principals."""
    indexed: bool = False
    """Whether the stored runs tell which texts can have a pair; otherwise all texts are looked at."""

    def is_enough(self, whole: Any) -> Any:
        """Whether the whole of its measure is so large that it can hold: what few words share may be chance."""
        return whole >= self.least

    def floor_of(self, settings: MatterSettings) -> float:
        """From where on it holds in a matter with some settings."""
        return float(getattr(settings, self.setting)) if self.setting else self.floor

    def recall_of(self, settings: MatterSettings) -> float | None:
        """The share of its pairs that is found in a matter with some settings; None: as far as exact is affordable."""
        return settings.recall if self.recall is None else self.recall


RELATIONS = (
    Relation(
        name="similar",
        measure=SIMILARITY,
        candidates="words",
        setting="floor",
        recall=None,
        grouped=True,
        indexed=True,
    ),
    Relation(
        name="contains",
        measure=CONTAINMENT,
        candidates="shingles",
        setting="contains_floor",
        least=SHORTEST_CONTAINED,
        indexed=True,
    ),
)
RELATION_NAMES = tuple(relation.name for relation in RELATIONS)
GROUPED = next(relation.name for relation in RELATIONS if relation.grouped)
"""The relation that groups are made of."""
ALL_INDEXED = all(relation.indexed for relation in RELATIONS)
"""Whether the stored runs tell for every relation which texts can have a pair."""
_BY_NAME = {relation.name: relation for relation in RELATIONS}
CONTAINS = _BY_NAME["contains"]
"""The relation that questions about containing and contained documents follow."""


def relation_named(name: str) -> Relation:
    """A row by its name."""
    return _BY_NAME[name]


def floors_of(settings: MatterSettings) -> dict[str, float]:
    """The floors of a matter, by relation."""
    return {relation.name: relation.floor_of(settings) for relation in RELATIONS}


DEFAULT_FLOORS: Floors = floors_of(MatterSettings())
