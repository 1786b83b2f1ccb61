"""The exact generator of candidates for `similar`: a join over bags of words that misses nothing.

Two texts of similarity ≥ s share at least s · (longer length) words, whatever their order (each edit
spoils at most one of them). The join (kernels/overlap) finds every pair whose bags do.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels import overlap
from truecopy.model import SHORTEST_PAIRED
from truecopy.text.streams import Bags
from truecopy.threshold import limits

Array = npt.NDArray[Any]

_PAIRS_AT_ONCE = 1 << 18
_CHUNKS = 64
_LIST_READS_A_PAIR = 16
"""Trying a pair of fitting length costs about as much as reading so many list entries (measured)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the join would have to do: pairs of fitting length, list entries to read."""

    pairs: int
    reads: int

    @property
    def by_lists(self) -> bool:
        """Whether lists are the faster way."""
        return self.pairs * _LIST_READS_A_PAIR > self.reads

    @property
    def work(self) -> int:
        """An upper bound of the cost, in list entries read (about 5 ns each)."""
        return min(self.pairs * _LIST_READS_A_PAIR, self.reads)


class OverlapJoin:
    """Bags of words in order of length, ready to be joined at one threshold."""

    def __init__(self, bags: Bags, lengths: Array, threshold: float, vocabulary: int) -> None:
        self._bags = bags
        order = np.argsort(lengths, kind="stable").astype(np.int64)
        self._order = order[lengths[order] >= SHORTEST_PAIRED]
        self._lengths = np.ascontiguousarray(lengths[self._order], np.int64)
        self._slacks = limits(self._lengths, threshold)
        self._needs = self._lengths - self._slacks
        self._shortest = np.searchsorted(self._lengths, self._needs).astype(np.int64)
        self._prefixes = np.zeros(len(self._order), np.int64)
        self._entries = overlap.prefix_sizes(bags.counts, bags.offsets, self._order, self._slacks, self._prefixes)
        self._vocabulary = vocabulary

    def plan(self) -> Plan:
        """What joining would cost."""
        starts, _, _ = self._lists(np.ones(len(self._order), np.bool_))
        sizes = np.diff(starts[:-1]).astype(np.float64)
        pairs = int((np.arange(len(self._order)) - self._shortest).sum())
        return Plan(pairs, int((sizes * sizes).sum() / 2))

    def _lists(self, indexed: Array) -> tuple[Array, Array, Array]:
        starts = np.zeros(self._vocabulary + 2, np.int64)
        texts = np.empty(self._entries, np.int32)
        before = np.empty(self._entries, np.uint32)
        overlap.fill_postings(
            self._bags.terms, self._bags.counts, self._bags.offsets, self._order, self._prefixes, indexed,
            starts, texts, before,
        )  # fmt: skip
        return starts, texts, before

    def pairs(self, fresh: Array, threads: int, advance: Callable[[int], None] | None = None) -> tuple[Array, Array]:
        """Every pair that overlaps enough and has a text marked in `fresh`, as two sorted columns of texts."""
        marked = np.ascontiguousarray(fresh[self._order])
        return self._sorted(self._probe(marked, self.plan().by_lists, threads, advance))

    def _probe(
        self, marked: Array, by_lists: bool, threads: int, advance: Callable[[int], None] | None
    ) -> list[tuple[Array, Array]]:
        bags, count = self._bags, len(self._order)
        histograms = np.empty((count, overlap.BUCKETS), np.uint16)
        overlap.fill_histograms(bags.terms, bags.counts, bags.offsets, self._order, histograms)
        common: tuple[Any, ...] = (bags.terms, bags.counts, bags.offsets, self._order, self._lengths, self._needs)

        def by_trying_all(first: int, last: int, longer: Array, shorter: Array) -> tuple[int, int]:
            given = (*common, self._shortest, histograms, marked, first, last, longer, shorter)
            return overlap.probe_all(*given)

        if not by_lists:
            return _in_threads(by_trying_all, count, threads, advance)
        found = []
        # Fresh texts ask all that are shorter; the others ask only the fresh ones.
        for probing, indexed in ((marked, np.ones(count, np.bool_)), (~marked, marked)):
            if not (probing.any() and indexed.any()):
                continue
            lists = self._lists(indexed)
            asked: tuple[Any, ...] = (self._prefixes, self._shortest, histograms, *lists, probing)

            def by_asking(first: int, last: int, longer: Array, shorter: Array, asked: Any = asked) -> tuple[int, int]:
                given: Any = (*common, *asked, first, last, longer, shorter)
                return overlap.probe_lists(*given)

            found += _in_threads(by_asking, count, threads, advance)
        return found

    def compile(self) -> None:
        """Compile both ways of joining, whichever a first collection will need."""
        fresh = np.ones(len(self._order), np.bool_)
        for by_lists in (False, True):
            self._probe(fresh, by_lists, 1, None)

    def _sorted(self, found: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        if not found:
            return np.empty(0, np.int32), np.empty(0, np.int32)
        x = self._order[np.concatenate([pair[0] for pair in found])]
        y = self._order[np.concatenate([pair[1] for pair in found])]
        a, b = np.minimum(x, y).astype(np.int32), np.maximum(x, y).astype(np.int32)
        by_a = np.lexsort((b, a))
        return a[by_a], b[by_a]


def _in_threads(
    run: Callable[[int, int, Array, Array], tuple[int, int]],
    count: int,
    threads: int,
    advance: Callable[[int], None] | None,
) -> list[tuple[Array, Array]]:
    """Run a probe over all places, in chunks, in threads; the longest texts, which cost most, come first."""
    chunk = max(1, -(-count // _CHUNKS))
    ranges = [(first, min(first + chunk, count)) for first in range(0, count, chunk)]

    def one(bounds: tuple[int, int]) -> list[tuple[Array, Array]]:
        first, last = bounds
        room = max(_PAIRS_AT_ONCE, last)
        longer, shorter = np.empty(room, np.int32), np.empty(room, np.int32)
        out = []
        while first < last:
            first, found = run(first, last, longer, shorter)
            out.append((longer[:found].copy(), shorter[:found].copy()))
        if advance:
            advance(bounds[1] - bounds[0])
        return out

    with ThreadPoolExecutor(threads) as pool:
        return [pair for part in pool.map(one, reversed(ranges)) for pair in part]
