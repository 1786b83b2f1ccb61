"""Word streams in, verified pairs out: index and match as functions over arrays.

They keep no state and need no store: any engine can run them on any part of a collection.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from truecopy.group.families import Families
from truecopy.index.choose import choose_generator, exact_join
from truecopy.index.rare_shingles import Inside, RareShingles, joined
from truecopy.match.contained import shared_of_contained
from truecopy.match.judge import UNKNOWN, Counted, Judged, Passages, judge_in_parts
from truecopy.match.relations import Floors
from truecopy.match.verify import edit_distances
from truecopy.model import SHORTEST_CONTAINED
from truecopy.progress import SILENT, Progress
from truecopy.text.streams import Bags, Streams
from truecopy.threads import Advance
from truecopy.threshold import limits

Array = npt.NDArray[Any]

_ALL_AT_ONCE = 2000
"""Up to this many texts, all candidates are found before any is verified: they are at most two million."""
_COLLECTED = 1 << 22
"""Verified pairs that are collected before those of dense families are dropped."""
_SAMPLE = 16
"""Texts that look for large families first."""


@dataclass(frozen=True, slots=True)
class Similar:
    """Pairs of texts a < b whose word-level similarity reaches a floor, and how their candidates were found."""

    a: Array
    b: Array
    distance: Array
    longer: Array
    generator: str
    recall: float

    COLUMNS: ClassVar = ("a", "b", "distance", "longer")

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Array) -> Similar:
        """Some of the pairs."""
        return replace(self, a=self.a[rows], b=self.b[rows], distance=self.distance[rows], longer=self.longer[rows])


@dataclass(frozen=True, slots=True)
class Contained:
    """Pairs of texts a < b: the one with fewer shingles is contained in the other at a floor."""

    a: Array
    b: Array
    shared: Array
    sizes: Array
    """Distinct shingles of each text of the set."""
    firsts: Array = field(default_factory=lambda: np.empty(0, np.uint8))
    """1 for each word of the texts at which a shingle comes first; nothing where no more pairs are to be verified."""

    COLUMNS: ClassVar = ("a", "b", "shared")

    def __len__(self) -> int:
        return len(self.a)

    def take(self, rows: Array) -> Contained:
        """Some of the pairs."""
        return replace(self, a=self.a[rows], b=self.b[rows], shared=self.shared[rows])


def find_similar(
    streams: Streams,
    bags: Bags,
    floor: float,
    recall: float | None,
    fresh: Array,
    threads: int,
    progress: Progress = SILENT,
    families: Families | None = None,
) -> Similar:
    """Every pair with a fresh text whose similarity reaches the floor, at the recall that was asked for.

    With `families`, which become those of all texts, pairs inside dense families are left out; `wave.dense` adds those
    of them that are kept.
    """
    families = Families(len(streams)) if families is None else families
    generator = choose_generator(streams, bags, floor, recall, threads)
    empty = np.empty(0, np.int32)
    nothing = Similar(empty, empty, empty, empty, str(generator), generator.recall)
    if _at_once(streams, families):
        progress.start("index", len(streams), "documents")
        a, b = generator.pairs(fresh, threads, progress.advance)
        progress.finish()
        progress.start("match", len(a), "pairs")
        found = verified_similar(streams, nothing, a, b, floor, threads, progress.advance)
        families.join(found.a, found.b)
        progress.finish()
        return found
    progress.start("match", len(streams), "documents")
    rounds = generator.rounds(fresh, families.labels, threads, progress.advance)
    if families.possible:  # a few texts of all lengths show which families are large
        exact = exact_join(generator, bags, floor, threads)
        sample = _sample(fresh, streams.lengths)
        rounds = chain(exact.rounds(sample, families.labels, threads, by_lists=False), rounds)
    collected = Collected(nothing, families, len(streams))
    for a, b in rounds:
        collected.add(verified_similar(streams, nothing, a, b, floor, threads))
    progress.finish()
    return collected.all()


def verified_similar(
    streams: Streams, like: Similar, a: Array, b: Array, floor: float, threads: int, advance: Advance | None = None
) -> Similar:
    """The pairs that reach the floor."""
    longer = np.maximum(streams.lengths[a], streams.lengths[b])
    allowed = limits(longer, floor)
    distance = edit_distances(streams.words, streams.offsets, a, b, allowed, threads, advance)
    holds = np.flatnonzero(distance <= allowed)
    distances, lengths = distance[holds].astype(np.int32), longer[holds].astype(np.int32)
    return replace(like, a=a[holds], b=b[holds], distance=distances, longer=lengths)


def find_contained(
    streams: Streams,
    floor: float,
    fresh: Array,
    threads: int,
    progress: Progress = SILENT,
    families: Families | None = None,
) -> Contained:
    """Every pair with a fresh text whose greater containment reaches the floor.

    With `families`, which become those of all texts, pairs inside dense families are left out; `wave.dense` adds those
    of them that are kept.
    """
    families = Families(len(streams)) if families is None else families
    progress.start("contains", len(streams), "documents")
    listed = RareShingles(streams, floor, threads, progress.advance)
    empty = np.empty(0, np.int32)
    nothing = Contained(empty, empty, empty, listed.sizes, listed.firsts)
    rounds = listed.rounds(fresh, families.labels, threads)
    if _at_once(streams, families):
        inside = listed.inside(*joined(list(rounds)))
        progress.finish()
        progress.start("contained", len(inside.contained), "pairs")
        found = in_order([_contained(streams, inside, floor, threads, progress.advance)], len(streams))
        families.join(found.a, found.b)
        progress.finish()
        return found
    collected = Collected(nothing, families, len(streams))
    for contained, containing in rounds:
        collected.add(_contained(streams, listed.inside(contained, containing), floor, threads))
    progress.finish()
    return collected.all()


def shingles_of(streams: Streams, floor: float, threads: int) -> Contained:
    """No pairs, but what verifying some takes: the shingles of each text."""
    listed = RareShingles(streams, floor, threads)
    empty = np.empty(0, np.int32)
    return Contained(empty, empty, empty, listed.sizes, listed.firsts)


def verified_contained(
    streams: Streams, like: Contained, pairs: tuple[Array, Array], floor: float, threads: int
) -> Contained:
    """The pairs that reach the floor, of candidates that may be contained either way."""
    a, b = pairs
    # The text with fewer shingles is the contained one (ties: the earlier), if it has enough of them.
    inside, outside = (np.where(like.sizes[a] <= like.sizes[b], *pair) for pair in ((a, b), (b, a)))
    enough = np.flatnonzero(like.sizes[inside] >= SHORTEST_CONTAINED)
    order = enough[np.argsort(outside[enough], kind="stable")]
    found = _contained(streams, Inside(inside[order], outside[order], like.sizes, like.firsts), floor, threads)
    return in_order([found], len(streams))


def _contained(
    streams: Streams, inside: Inside, floor: float, threads: int, advance: Advance | None = None
) -> Contained:
    """The pairs that reach the floor."""
    shared = shared_of_contained(streams, inside, floor, threads, advance)
    holds = np.flatnonzero(shared >= 0)
    x, y = inside.contained[holds], inside.containing[holds]
    a, b = np.minimum(x, y), np.maximum(x, y)
    return Contained(a, b, shared[holds].astype(np.int32), inside.sizes, inside.firsts)


def _at_once(streams: Streams, families: Families) -> bool:
    """Whether there are so few texts that all their pairs fit into memory, and none of them is to be passed over."""
    return len(streams) <= _ALL_AT_ONCE and not families.possible


def _sample(fresh: Array, lengths: Array) -> Array:
    """Some of the marked texts, evenly spread over their lengths."""
    sample = np.zeros(len(fresh), np.bool_)
    marked = np.flatnonzero(fresh)
    by_length = marked[np.argsort(lengths[marked], kind="stable")]
    sample[by_length[:: max(len(marked) // _SAMPLE, 1)]] = True
    return sample


P = TypeVar("P", Similar, Contained)


def at_places(found: P, places: Array) -> P:
    """Pairs of some texts as pairs of the texts that these were taken from, at ascending places."""
    return replace(found, a=places[found.a].astype(np.int32), b=places[found.b].astype(np.int32))


class Collected(Generic[P]):
    """Verified pairs of a join in rounds, without those of dense families, which are dropped as these are known."""

    def __init__(self, nothing: P, families: Families, texts: int) -> None:
        self._parts: list[P] = [nothing]
        self._families = families
        self._texts = texts
        self._room = _COLLECTED

    def add(self, found: P) -> None:
        """Some more pairs; they join families."""
        self._families.join(found.a, found.b)
        self._parts.append(found)
        if sum(map(len, self._parts)) > self._room:
            self._parts = [self.all()]
            self._room = _COLLECTED + 2 * len(self._parts[0])

    def all(self) -> P:
        """The pairs in order."""
        apart = [part.take(np.flatnonzero(~self._families.inside(part.a, part.b))) for part in self._parts]
        return in_order(apart, self._texts)


def in_order(parts: list[P], texts: int) -> P:
    """Pairs of several parts, each once, by text a and then b."""
    first = parts[0]
    codes = np.concatenate([part.a.astype(np.int64) * texts + part.b for part in parts])
    _, order = np.unique(codes, return_index=True)
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(part, name) for part in parts])[order] for name in first.COLUMNS
    }
    return replace(first, **columns)


def judge_pairs(
    passages: Passages,
    similar: Similar,
    contained: Contained,
    floors: Floors,
    threads: int,
    progress: Progress = SILENT,
) -> Iterator[Judged]:
    """The judgement of the pairs that were found for either relation, in order, some at a time."""
    texts = max(len(passages.streams), 1)
    codes = [found.a.astype(np.int64) * texts + found.b for found in (similar, contained)]
    every = np.union1d(*codes)
    distance, shared = np.full(len(every), UNKNOWN, np.int32), np.full(len(every), UNKNOWN, np.int32)
    for column, code, known in zip((distance, shared), codes, (similar.distance, contained.shared), strict=True):
        column[np.searchsorted(every, code)] = known
    a, b = (every // texts).astype(np.int32), (every % texts).astype(np.int32)
    del codes, every
    counted = Counted(distance, shared, contained.sizes)
    yield from judge_in_parts(passages, a, b, floors, threads, counted, progress, far=False)
