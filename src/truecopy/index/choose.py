"""Which generator of `similar` candidates serves a threshold and a recall; both have one interface.

Exact is the default as far as it is affordable: the join's cost is bounded before it starts, and only a
collection whose bound is over the limit gets bands. What was chosen, and the recall that follows from it, is
in the result and in the report.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy.typing as npt

from truecopy.index.bands import Bands, band_candidates, derive_bands
from truecopy.index.overlap import OverlapJoin
from truecopy.model import SHORTEST_PAIRED
from truecopy.sign.words import sign_streams
from truecopy.text.streams import Bags, Streams

Array = npt.NDArray[Any]

AFFORDABLE = 20_000_000_000
"""List entries that an exact join may have to read (about 5 ns each) before bands take over."""
DEFAULT_RECALL = 0.999


class Generator(Protocol):
    """Finds pairs worth verifying at the threshold it was made for."""

    @property
    def recall(self) -> float:
        """The share of true pairs that is found, at least; 1 means that none is missed."""

    def __str__(self) -> str: ...

    def pairs(self, fresh: Array, threads: int, advance: Callable[[int], None] | None) -> tuple[Array, Array]:
        """Candidate pairs that have a text marked in `fresh`, as two sorted columns."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """The exact generator."""

    join: OverlapJoin
    recall: float = 1.0

    def __str__(self) -> str:
        return "overlap"

    def pairs(self, fresh: Array, threads: int, advance: Callable[[int], None] | None) -> tuple[Array, Array]:
        """Every pair whose bags of words overlap enough."""
        return self.join.pairs(fresh, threads, advance)


@dataclass(frozen=True, slots=True)
class BandsOfSketches:
    """The approximate generator."""

    streams: Streams
    cut: Bands

    @property
    def recall(self) -> float:
        """As derived from the parameters."""
        return self.cut.recall

    def __str__(self) -> str:
        return str(self.cut)

    def pairs(self, fresh: Array, threads: int, advance: Callable[[int], None] | None) -> tuple[Array, Array]:
        """Every pair that meets in a band."""
        signatures = sign_streams(self.streams, threads)
        found = band_candidates(signatures, self.cut, self.streams.lengths >= SHORTEST_PAIRED, fresh)
        if advance:
            advance(len(self.streams))
        return found


def choose_generator(streams: Streams, bags: Bags, threshold: float, recall: float | None) -> Generator:
    """The generator for a recall: 1 is exact, less is bands, None is exact as far as it is affordable."""
    if recall is not None and recall < 1:
        return BandsOfSketches(streams, derive_bands(threshold, recall))
    join = OverlapJoin(bags, streams.lengths, threshold, len(streams.hashes))
    if recall == 1 or join.plan().work <= AFFORDABLE:
        return Overlap(join)
    return BandsOfSketches(streams, derive_bands(threshold, DEFAULT_RECALL))


__all__ = ["AFFORDABLE", "Generator", "choose_generator"]
