"""Which generator of `similar` candidates serves a threshold and a recall; all have one interface.

Exact is the default as far as it is affordable: the join's cost is bounded before it starts, and only a
collection whose bound is over the limit gets bands. Of the two exact ones, comparing every two texts of fitting length
costs less in small collections, and pieces in large ones. What was chosen, and the recall that follows from it, is
in the result and in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from truecopy.array_types import Flags, Places
from truecopy.index.bands import DEFAULT_RECALL, band_candidates
from truecopy.index.cuts import Cut, derive_bands
from truecopy.index.overlap import OverlapJoin, Plan
from truecopy.index.overlap_lists import Ordered, put_in_order
from truecopy.index.pieces import PieceJoin, work_of
from truecopy.index.rows import rows_of_bags
from truecopy.model import SHORTEST_PAIRED
from truecopy.sign.words import sign_streams
from truecopy.text.streams import Bags, Streams
from truecopy.threshold import ten_thousandths

AFFORDABLE, AFFORDABLE_A_WORD = 20_000_000_000, 100
"""If an exact join may have to read more list entries than this (about 5 ns each), bands take over: so many, and so
many for each word of the collection."""


class Generator(Protocol):
    """Finds pairs worth verifying at the threshold it was made for."""

    @property
    def recall(self) -> float:
        """The share of true pairs that is found, at least; 1 means that none is missed."""

    def __str__(self) -> str: ...

    def pairs(self, fresh: Flags, threads: int, advance: Callable[[int], None] | None) -> tuple[Places, Places]:
        """Candidate pairs that have a text marked in `fresh`, as two sorted columns."""

    def rounds(
        self, fresh: Flags, families: Places, threads: int, advance: Callable[[int], None] | None
    ) -> Iterator[tuple[Places, Places]]:
        """The same, some at a time and in any order, without pairs of one family.

        `families` has a number for each text, or -1; the caller may change it between two rounds.
        """


class _Told:
    """Passes progress on, and counts it."""

    def __init__(self, advance: Callable[[int], None] | None) -> None:
        self._advance = advance
        self.texts = 0

    def __call__(self, texts: int) -> None:
        self.texts += texts
        if self._advance:
            self._advance(texts)


class ExactJoin:
    """The exact generator: the join of the overlap index, over all texts that can be paired."""

    recall = 1.0

    def __init__(self, bags: Bags, threshold: float, threads: int = 1, ordered: Ordered | None = None) -> None:
        """`ordered`: the texts that can be paired, where somebody has them in order already."""
        if ordered is None:
            ordered = put_in_order(rows_of_bags(bags), SHORTEST_PAIRED, threads)
        self._joining = OverlapJoin.of_ordered(ordered, ten_thousandths(threshold))

    def __str__(self) -> str:
        return "overlap"

    @property
    def ordered(self) -> Ordered:
        """The texts that can be paired, by length."""
        return self._joining.ordered

    @property
    def work(self) -> int:
        """What comparing every two texts of fitting length costs, in list entries read."""
        return self._joining.work

    def plan(self) -> Plan:
        """What joining would cost."""
        return self._joining.plan()

    def pairs(
        self,
        fresh: Flags,
        threads: int,
        advance: Callable[[int], None] | None = None,
        *,
        by_lists: bool | None = None,
    ) -> tuple[Places, Places]:
        """Every pair whose bags of words overlap enough; `by_lists` is decided by what it costs."""
        told = _Told(advance)
        x, y, _, _ = self._joining.run(threads, told, fresh, counted=False, by_lists=by_lists)
        told(len(fresh) - told.texts)  # those that are too short, or not fresh, ask nothing
        return self._in_order(x, y)

    def rounds(
        self,
        fresh: Flags,
        families: Places,
        threads: int,
        advance: Callable[[int], None] | None = None,
        *,
        by_lists: bool | None = None,
    ) -> Iterator[tuple[Places, Places]]:
        """The same pairs, some at a time, without those of one family."""
        told = _Told(advance)
        for x, y in self._joining.rounds(threads, told, fresh, families, by_lists=by_lists):
            yield self._in_order(x, y)
        told(len(fresh) - told.texts)

    def _in_order(self, x: Places, y: Places) -> tuple[Places, Places]:
        order = self._joining.ordered.order
        a, b = np.minimum(order[x], order[y]), np.maximum(order[x], order[y])
        by_a = np.lexsort((b, a))
        return a[by_a], b[by_a]

    def compile(self) -> None:
        """Compile both ways of joining, whichever a first collection will need."""
        fresh = np.ones(len(self._joining.ordered.rows), np.bool_)
        for by_lists in (False, True):
            self.pairs(fresh, 1, by_lists=by_lists)


@dataclass(frozen=True, slots=True)
class BandsOfSketches:
    """The approximate generator."""

    streams: Streams
    threshold: float
    cut: Cut

    @property
    def recall(self) -> float:
        """As derived from the parameters."""
        return self.cut.recall

    def __str__(self) -> str:
        return str(self.cut)

    def pairs(self, fresh: Flags, threads: int, advance: Callable[[int], None] | None) -> tuple[Places, Places]:
        """Every pair that meets in a band and may be similar."""
        return self._pairs(fresh, None, threads, advance)

    def rounds(
        self, fresh: Flags, families: Places, threads: int, advance: Callable[[int], None] | None
    ) -> Iterator[tuple[Places, Places]]:
        """All pairs in one round, without those of one family."""
        asking, known = fresh, families[families >= 0]
        if len(known):  # a pair has a text outside of the largest family, whoever is fresh: only these need to ask
            outside = families != np.bincount(known).argmax()
            asking = outside if (fresh & ~outside).any() else fresh & outside
        a, b = self._pairs(asking, families, threads, advance)
        wanted = fresh[a] | fresh[b]
        yield a[wanted], b[wanted]

    def _pairs(
        self, fresh: Flags, families: Places | None, threads: int, advance: Callable[[int], None] | None
    ) -> tuple[Places, Places]:
        signatures = sign_streams(self.streams, threads)
        lengths = self.streams.lengths
        paired = lengths >= SHORTEST_PAIRED
        asking = int((paired & signatures.reliable).sum())
        if advance:
            advance(len(self.streams) - asking)
        return band_candidates(
            signatures,
            self.cut,
            paired,
            fresh,
            lengths=lengths,
            threshold=self.threshold,
            threads=threads,
            advance=advance,
            families=families,
        )


def choose_generator(
    streams: Streams, bags: Bags, threshold: float, recall: float | None, threads: int = 1
) -> Generator:
    """The generator for a recall: 1 is exact, less is bands, None is exact as far as it is affordable."""
    if recall is not None and recall < 1:
        return BandsOfSketches(streams, threshold, derive_bands(threshold, recall))
    every = ExactJoin(bags, threshold, threads)
    if every.work <= work_of(streams):
        return every
    by_pieces = PieceJoin(streams, every.ordered, threshold, threads)
    exact = by_pieces if by_pieces.work < every.work else every
    if recall == 1 or exact.work <= AFFORDABLE + AFFORDABLE_A_WORD * len(streams.words):
        return exact
    return BandsOfSketches(streams, threshold, derive_bands(threshold, DEFAULT_RECALL))


def exact_join(generator: Generator, bags: Bags, threshold: float, threads: int = 1) -> ExactJoin:
    """The join of the overlap index, of the texts that a generator is for."""
    if isinstance(generator, ExactJoin):
        return generator
    return ExactJoin(bags, threshold, threads, generator.ordered if isinstance(generator, PieceJoin) else None)


__all__ = ["AFFORDABLE", "ExactJoin", "Generator", "choose_generator", "exact_join"]
