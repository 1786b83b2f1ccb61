"""Word streams in, verified pairs out: index and match as functions over arrays.

They keep no state and need no store: any engine can run them on any part of a collection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.index.choose import choose_generator
from truecopy.index.rare_shingles import containment_candidates
from truecopy.match.contained import shared_of_contained
from truecopy.match.judge import Relations, grew, kinds
from truecopy.match.kinds import decide, dropped_words
from truecopy.match.measures import shared_shingles, shared_terms
from truecopy.match.verify import edit_distances
from truecopy.progress import SILENT, Progress, in_passes
from truecopy.text.content import content_words
from truecopy.text.streams import Bags, Signs, Streams
from truecopy.threshold import limits

Array = npt.NDArray[Any]

_PAIRS_AT_ONCE = 1 << 17
"""Pairs that are measured at a time."""
_MEASURES = 3
"""How often each pair is looked at to measure it: shingles, terms, kind."""


@dataclass(frozen=True, slots=True)
class Similar:
    """Pairs of texts a < b whose word-level similarity reaches a floor, and how their candidates were found."""

    a: Array
    b: Array
    distance: Array
    longer: Array
    generator: str
    recall: float

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Array) -> Similar:
        """Some of the pairs."""
        return Similar(self.a[rows], self.b[rows], self.distance[rows], self.longer[rows], self.generator, self.recall)


@dataclass(frozen=True, slots=True)
class Contained:
    """Pairs of texts a < b: the one with fewer shingles is contained in the other at a floor."""

    a: Array
    b: Array
    shared: Array
    sizes: Array
    """Distinct shingles of each text of the set."""

    def __len__(self) -> int:
        return len(self.a)


@dataclass(frozen=True, slots=True)
class PairTable:
    """Verified pairs as columns: texts a < b, relations, and the integers that the measures come from."""

    a: Array
    b: Array
    similar: Array
    """Whether `similar` holds at its floor."""
    contains: Array
    """Whether `contains` holds at its floor."""
    distance: Array
    """-1 where `similar` does not hold."""
    longer: Array
    shared_shingles: Array
    a_shingles: Array
    b_shingles: Array
    shared_terms: Array
    fewer_terms: Array
    kind: Array

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Array) -> PairTable:
        """Some of the pairs."""
        return PairTable(*(getattr(self, column.name)[rows] for column in fields(self)))


def find_similar(
    streams: Streams,
    bags: Bags,
    floor: float,
    recall: float | None,
    fresh: Array,
    threads: int,
    progress: Progress = SILENT,
) -> Similar:
    """Every pair with a fresh text whose similarity reaches the floor, at the recall that was asked for."""
    progress.start("index", len(streams), "documents")
    generator = choose_generator(streams, bags, floor, recall)
    a, b = generator.pairs(fresh, threads, progress.advance)
    progress.finish()
    progress.start("match", len(a), "pairs")
    longer = np.maximum(streams.lengths[a], streams.lengths[b])
    allowed = limits(longer, floor)
    distance = edit_distances(streams.words, streams.offsets, a, b, allowed, threads, progress.advance)
    progress.finish()
    found = Similar(a, b, distance, longer, str(generator), generator.recall)
    return found.take(np.flatnonzero(distance <= allowed))


def find_contained(
    streams: Streams, floor: float, fresh: Array, threads: int, progress: Progress = SILENT
) -> Contained:
    """Every pair with a fresh text whose greater containment reaches the floor."""
    progress.start("contains", len(streams), "documents")
    inside = containment_candidates(streams, floor, fresh, threads, progress.advance)
    progress.finish()
    progress.start("contained", len(inside.contained), "pairs")
    shared = shared_of_contained(streams, inside, floor, threads, progress.advance)
    progress.finish()
    holds = np.flatnonzero(shared >= 0)
    x, y = inside.contained[holds], inside.containing[holds]
    return Contained(np.minimum(x, y), np.maximum(x, y), shared[holds], inside.sizes)


def measure(
    streams: Streams,
    bags: Bags,
    signs: Signs,
    dates: Array,
    vocabulary: tuple[Array, Array],
    similar: Similar,
    contained: Contained,
    threads: int,
    progress: Progress = SILENT,
) -> Iterator[PairTable]:
    """Every measure and the kind of the pairs of both relations, in order, some at a time: there can be millions.

    `vocabulary` is the folded words by number: their UTF-8 bytes, and where each begins. `dates` has a number for each
    text (`match.judge.moments`).
    """
    texts = max(len(streams), 1)
    codes = [found.a.astype(np.int64) * texts + found.b for found in (similar, contained)]
    every = np.union1d(*codes)
    is_similar, is_contained = np.zeros(len(every), np.bool_), np.zeros(len(every), np.bool_)
    distance, shared = np.full(len(every), -1, np.int32), np.full(len(every), -1, np.int32)
    near, inside = (np.searchsorted(every, code) for code in codes)
    is_similar[near], is_contained[inside] = True, True
    distance[near], shared[inside] = similar.distance, contained.shared
    del codes, near, inside
    progress.start("measure", len(every), "pairs")
    told = in_passes(progress.advance, _MEASURES)
    content, dropped = content_words(*vocabulary), dropped_words(*vocabulary)
    for first in range(0, len(every), _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        a, b = (every[part] // texts).astype(np.int32), (every[part] % texts).astype(np.int32)
        shared_here = shared[part].astype(np.int64)
        open_rows = np.flatnonzero(~is_contained[part])
        shared_here[open_rows] = shared_shingles(
            streams.words, streams.offsets, streams.keys, a[open_rows], b[open_rows], threads, told
        )
        told(len(a) - len(open_rows))
        terms, fewer = shared_terms(bags.terms, bags.offsets, content, a, b, threads, told)
        found = decide(streams.words, streams.offsets, signs, dropped, a, b, threads, told)
        later = grew((streams.lengths[a], streams.lengths[b]), (dates[a], dates[b]))
        kind = kinds(found, Relations(is_similar[part], is_contained[part]), later)
        yield PairTable(
            a, b, is_similar[part], is_contained[part], distance[part].astype(np.int64),
            np.maximum(streams.lengths[a], streams.lengths[b]), shared_here, contained.sizes[a], contained.sizes[b],
            terms, fewer, np.array(kind, np.str_),
        )  # fmt: skip
    progress.finish()
