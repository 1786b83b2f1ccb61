"""Word streams in, verified pairs out: index and match as functions over arrays.

They keep no state and need no store: any engine can run them on any part of a collection. `FINDERS` says for each
relation (`match.relations`) how its pairs are found, verified, and bounded where they are not all wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from itertools import chain
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from truecopy.array_types import I64
from truecopy.group.families import Families
from truecopy.group.kept import most_contained_pairs, most_similar_pairs
from truecopy.index.choose import choose_generator, exact_join
from truecopy.index.rare_shingles import Inside, RareShingles, joined
from truecopy.match.contained import shared_of_contained
from truecopy.match.judge import UNKNOWN, Counted, Judged, Passages, judge_in_parts
from truecopy.match.measures import distinct_shingles, shared_shingles
from truecopy.match.relations import CONTAINS, Floors, relation_named
from truecopy.match.verify import edit_distances
from truecopy.progress import SILENT, Progress
from truecopy.text.streams import Bags, Streams
from truecopy.threads import Advance
from truecopy.threshold import WHOLE, limits, ten_thousandths

Array = npt.NDArray[Any]

_ALL_AT_ONCE = 2000
"""Up to this many texts, all candidates are found before any is verified: they are at most two million."""
_COLLECTED = 1 << 22
"""Verified pairs that are collected before those of dense families are dropped."""
_SAMPLE = 16
"""Texts that look for large families first."""
RARE_SHINGLES = "rare shingles"
"""The generator of candidates for `contains`."""


@dataclass(frozen=True, slots=True)
class Verified:
    """Pairs of texts a < b that a relation holds for, as columns; more columns have what was counted of them, by the
    names of `model.Scores`.
    """

    a: Array
    b: Array

    def __len__(self) -> int:
        return len(self.a)

    def columns(self) -> dict[str, Array]:
        """The columns by their names."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    @classmethod
    def none(cls) -> Self:
        """No pairs."""
        return cls(**{one.name: np.empty(0, np.int32) for one in fields(cls)})

    def take(self, rows: Array) -> Self:
        """Some of the pairs."""
        return type(self)(**{name: column[rows] for name, column in self.columns().items()})


@dataclass(frozen=True, slots=True)
class Similar(Verified):
    """Pairs whose word-level similarity reaches a floor."""

    distance: Array
    longer: Array


@dataclass(frozen=True, slots=True)
class Contained(Verified):
    """Pairs of which the text with fewer shingles is contained in the other at a floor."""

    shared_shingles: Array


P = TypeVar("P", bound=Verified)
P_co = TypeVar("P_co", bound=Verified, covariant=True)


@dataclass(frozen=True, slots=True)
class Paired(Generic[P_co]):
    """The pairs of a relation that were found, and how."""

    pairs: P_co
    families: Families
    """Of all texts, as these pairs and those that were known before connect them."""
    generator: str
    """What has found the candidates."""
    recall: float = 1.0
    """The share of the relation's pairs that is found, at least."""
    shingles: Array | None = None
    """Distinct shingles of each text, if finding the pairs has counted them."""


class Finder(Protocol):
    """How the pairs of a relation are found: one for each row of `match.relations`, by its `candidates`."""

    def find(
        self,
        streams: Streams,
        bags: Bags,
        floor: float,
        recall: float | None,
        fresh: Array,
        threads: int,
        progress: Progress = SILENT,
        families: Families | None = None,
    ) -> Paired[Verified]:
        """Every pair with a fresh text that the relation holds for at a floor, at the recall that was asked for; but
        none inside a dense family: `wave.dense` adds those of them that are kept.
        """

    def verify(
        self, streams: Streams, pairs: tuple[Array, Array], shingles: Array, floor: float, threads: int
    ) -> Verified:
        """Those of some pairs a < b that the relation holds for; `shingles` are the distinct ones of each text."""

    def most(self, lengths: Array, shingles: Array, floor: float) -> int:
        """How many pairs some texts can have, at most, told from their words and distinct shingles."""


class _ByWords:
    """`similar`: by words that both texts have, the rarest first; or by bands of sketches, where that is too dear."""

    def find(
        self,
        streams: Streams,
        bags: Bags,
        floor: float,
        recall: float | None,
        fresh: Array,
        threads: int,
        progress: Progress = SILENT,
        families: Families | None = None,
    ) -> Paired[Similar]:
        return find_similar(streams, bags, floor, recall, fresh, threads, progress, families)

    def verify(
        self,
        streams: Streams,
        pairs: tuple[Array, Array],
        shingles: Array,  # noqa: ARG002
        floor: float,
        threads: int,
    ) -> Similar:
        return verified_similar(streams, *pairs, floor, threads)

    def most(self, lengths: Array, shingles: Array, floor: float) -> int:  # noqa: ARG002
        return most_similar_pairs(lengths, floor)


class _ByShingles:
    """`contains`: by the rarest shingles of each text, looked up in all others."""

    def find(
        self,
        streams: Streams,
        bags: Bags,  # noqa: ARG002
        floor: float,
        recall: float | None,  # noqa: ARG002
        fresh: Array,
        threads: int,
        progress: Progress = SILENT,
        families: Families | None = None,
    ) -> Paired[Contained]:
        return find_contained(streams, floor, fresh, threads, progress, families)

    def verify(
        self, streams: Streams, pairs: tuple[Array, Array], shingles: Array, floor: float, threads: int
    ) -> Contained:
        return verified_contained(streams, *pairs, shingles, floor, threads)

    def most(self, lengths: Array, shingles: Array, floor: float) -> int:  # noqa: ARG002
        return most_contained_pairs(shingles)


FINDERS: dict[str, Finder] = {"words": _ByWords(), "shingles": _ByShingles()}
"""By the names that `Relation.candidates` gives."""


def finder_of(relation: str) -> Finder:
    """How the pairs of a relation are found."""
    return FINDERS[relation_named(relation).candidates]


def shingles_of(paired: Iterable[Paired[Verified]], streams: Streams, threads: int) -> I64:
    """The distinct shingles of each text; counted now, unless finding the pairs of some relation has counted them."""
    known = next((one.shingles for one in paired if one.shingles is not None), None)
    return every_shingle(streams, threads) if known is None else known


def every_shingle(streams: Streams, threads: int) -> I64:
    """How many distinct shingles each text has."""
    texts = np.arange(len(streams), dtype=np.int32)
    return distinct_shingles(streams.words, streams.offsets, streams.keys, texts, threads)


def find_similar(
    streams: Streams,
    bags: Bags,
    floor: float,
    recall: float | None,
    fresh: Array,
    threads: int,
    progress: Progress = SILENT,
    families: Families | None = None,
) -> Paired[Similar]:
    """Every pair with a fresh text whose similarity reaches the floor, at the recall that was asked for.

    With the `families` that are known so far, pairs inside dense ones are left out.
    """
    families = Families(len(streams)) if families is None else families.copy()
    generator = choose_generator(streams, bags, floor, recall, threads)
    if _at_once(streams, families):
        progress.start("index", len(streams), "documents")
        a, b = generator.pairs(fresh, threads, progress.advance)
        progress.finish()
        progress.start("match", len(a), "pairs")
        found = verified_similar(streams, a, b, floor, threads, progress.advance)
        families.join(found.a, found.b)
        progress.finish()
        return Paired(found, families, str(generator), generator.recall)
    progress.start("match", len(streams), "documents")
    rounds = generator.rounds(fresh, families.labels, threads, progress.advance)
    if families.possible:  # a few texts of all lengths show which families are large
        exact = exact_join(generator, bags, floor, threads)
        sample = _sample(fresh, streams.lengths)
        rounds = chain(exact.rounds(sample, families.labels, threads, by_lists=False), rounds)
    collected = Collected(Similar.none())
    for a, b in rounds:
        found = verified_similar(streams, a, b, floor, threads)
        families.join(found.a, found.b)
        collected.add(found, families)
    progress.finish()
    return Paired(collected.all(families), families, str(generator), generator.recall)


def verified_similar(
    streams: Streams, a: Array, b: Array, floor: float, threads: int, advance: Advance | None = None
) -> Similar:
    """Those of some pairs a < b that reach the floor."""
    longer = np.maximum(streams.lengths[a], streams.lengths[b])
    allowed = limits(longer, floor)
    distance = edit_distances(streams.words, streams.offsets, a, b, allowed, threads, advance)
    holds = np.flatnonzero(distance <= allowed)
    return Similar(a[holds], b[holds], distance[holds].astype(np.int32), longer[holds].astype(np.int32))


def find_contained(
    streams: Streams,
    floor: float,
    fresh: Array,
    threads: int,
    progress: Progress = SILENT,
    families: Families | None = None,
) -> Paired[Contained]:
    """Every pair with a fresh text whose greater containment reaches the floor.

    With the `families` that are known so far, pairs inside dense ones are left out.
    """
    families = Families(len(streams)) if families is None else families.copy()
    progress.start("contains", len(streams), "documents")
    listed = RareShingles(streams, floor, threads, progress.advance)
    rounds = listed.rounds(fresh, families.labels, threads)
    if _at_once(streams, families):
        inside = listed.inside(*joined(list(rounds)))
        progress.finish()
        progress.start("contained", len(inside.contained), "pairs")
        found = in_order([_contained(streams, inside, floor, threads, progress.advance)])
        families.join(found.a, found.b)
        progress.finish()
        return Paired(found, families, RARE_SHINGLES, shingles=listed.sizes)
    collected = Collected(Contained.none())
    for contained, containing in rounds:
        found = _contained(streams, listed.inside(contained, containing), floor, threads)
        families.join(found.a, found.b)
        collected.add(found, families)
    progress.finish()
    return Paired(collected.all(families), families, RARE_SHINGLES, shingles=listed.sizes)


def verified_contained(streams: Streams, a: Array, b: Array, shingles: Array, floor: float, threads: int) -> Contained:
    """Those of some pairs a < b of which one text contains the other at the floor; `shingles` are the distinct ones of
    each text.
    """
    # The text with fewer shingles is the contained one, if it has enough of them.
    inside, outside = (np.where(shingles[a] <= shingles[b], *pair) for pair in ((a, b), (b, a)))
    enough = np.flatnonzero(CONTAINS.is_enough(shingles[inside]))
    order = enough[np.argsort(outside[enough], kind="stable")]  # the shingles of one text after the other
    texts = streams.words, streams.offsets, streams.keys
    shared = shared_shingles(*texts, outside[order], inside[order], threads)
    least = shingles[inside[order]] * ten_thousandths(floor, "floor")
    holds = np.flatnonzero(shared * WHOLE >= least)
    x, y = inside[order][holds], outside[order][holds]
    return in_order([Contained(np.minimum(x, y), np.maximum(x, y), shared[holds].astype(np.int32))])


def _contained(
    streams: Streams, inside: Inside, floor: float, threads: int, advance: Advance | None = None
) -> Contained:
    """The pairs that reach the floor."""
    shared = shared_of_contained(streams, inside, floor, threads, advance)
    holds = np.flatnonzero(shared >= 0)
    x, y = inside.contained[holds], inside.containing[holds]
    return Contained(np.minimum(x, y), np.maximum(x, y), shared[holds].astype(np.int32))


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


def at_places(found: P, places: Array) -> P:
    """Pairs of some texts as pairs of the texts that these were taken from, at ascending places."""
    return replace(found, a=places[found.a].astype(np.int32), b=places[found.b].astype(np.int32))


class Collected(Generic[P]):
    """Verified pairs of a join in rounds, without those of dense families, which are dropped as these are known."""

    def __init__(self, *parts: P) -> None:
        self._parts = [*parts]
        self._room = _COLLECTED

    def add(self, found: P, families: Families) -> None:
        """Some more pairs, and the families that they and all others make."""
        self._parts.append(found)
        if sum(map(len, self._parts)) > self._room:
            self._parts = [self.all(families)]
            self._room = _COLLECTED + 2 * len(self._parts[0])

    def all(self, families: Families) -> P:
        """The pairs in order; there must be a part."""
        return in_order([part.take(np.flatnonzero(~families.inside(part.a, part.b))) for part in self._parts])


def in_order(parts: Sequence[P]) -> P:
    """Pairs of several parts, each once, by text a and then b."""
    columns = [part.columns() for part in parts]
    a, b = (np.concatenate([part[name] for part in columns]).astype(np.int64) for name in ("a", "b"))
    _, order = np.unique(a * (int(b.max(initial=0)) + 1) + b, return_index=True)
    every = {name: np.concatenate([part[name] for part in columns])[order] for name in columns[0]}
    return replace(parts[0], **every)


def judge_pairs(
    passages: Passages,
    found: Iterable[Verified],
    floors: Floors,
    threads: int,
    progress: Progress = SILENT,
    shingles: I64 | None = None,
) -> Iterator[Judged]:
    """The judgement of the pairs that were found for any relation, in order, some at a time.

    `shingles` are the distinct ones of each text, if they are at hand.
    """
    texts = max(len(passages.streams), 1)
    given = [(one.a.astype(np.int64) * texts + one.b, one.columns()) for one in found]
    every = np.unique(np.concatenate([np.empty(0, np.int64), *(codes for codes, _ in given)]))
    known = {name: np.full(len(every), UNKNOWN, np.int32) for name in ("distance", "shared_shingles")}
    for codes, columns in given:
        for name in known.keys() & columns.keys():
            known[name][np.searchsorted(every, codes)] = columns[name]
    a, b = (every // texts).astype(np.int32), (every % texts).astype(np.int32)
    del given, every
    counted = Counted(**known, shingles=shingles)
    yield from judge_in_parts(passages, a, b, floors, threads, counted, progress, far=False)
