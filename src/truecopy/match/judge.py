"""The judge: the measures, relations and kind of two texts, the same for every caller.

It takes passages as arrays, from any engine, and gives for each pair of them the integers that all measures come from,
the relations that hold (`match.relations`, a table) and the kind (`match.kinds`, another). Scans, `compare`, `similar`
by any method, dense families and texts from outside all ask here: the same two texts with the same dates under the
same floors are told to be the same wherever it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I32, I64, U8, Flags
from truecopy.match.dates import UNKNOWN_DATE
from truecopy.match.kinds import FINDINGS, KINDS, Kind, RowNumbers, decide, dropped_words, first_rows
from truecopy.match.measures import distinct_shingles, shared_shingles, shared_terms
from truecopy.match.relations import CONTAINS, RELATIONS, SIMILARITY, Floors, Relation
from truecopy.match.verify import edit_distances
from truecopy.model import MEASURED, SHORTEST_PAIRED, Scores
from truecopy.progress import SILENT, Progress, in_passes
from truecopy.text.content import content_words
from truecopy.text.streams import Bags, Signs, Streams
from truecopy.threshold import limits

Integers = Mapping[str, I64]

UNKNOWN = -1
"""In place of an integer that nobody has counted."""
PASSES = 4
"""How often the judge looks at a pair: distance, shingles, terms, kind."""
_PAIRS_AT_ONCE = 1 << 17


@dataclass(frozen=True, slots=True)
class Passages:
    """What judging needs of some texts."""

    streams: Streams
    signs: Signs
    dates: I64
    """Of each text (`match.dates.moments`)."""
    dropped: U8
    """1 for each word of the vocabulary that the kind `same-words` leaves out."""
    content: I32 | None = None
    """For each word of the vocabulary the number of its stem (`text.content`); None where terms are not asked for."""
    bags: Bags | None = None
    """The distinct words of each text, if they are at hand: terms are counted faster."""

    @classmethod
    def of(
        cls, streams: Streams, signs: Signs, dates: I64, vocabulary: tuple[U8, I64], bags: Bags | None = None
    ) -> Passages:
        """With all that the words of a vocabulary tell: their UTF-8 bytes, and where each begins."""
        return cls(streams, signs, dates, dropped_words(*vocabulary), content_words(*vocabulary), bags)


@dataclass(frozen=True, slots=True)
class Counted:
    """What a caller has counted already, so that it is not counted again."""

    distance: I32 | I64 | None = None
    """Of each pair; `UNKNOWN` where it is not known."""
    shared_shingles: I32 | I64 | None = None
    """Of each pair; `UNKNOWN` where they are not known."""
    shingles: I64 | None = None
    """Distinct shingles of each passage."""

    def part(self, pairs: slice) -> Counted:
        """For some of the pairs."""
        distance, shared = (None if one is None else one[pairs] for one in (self.distance, self.shared_shingles))
        return Counted(distance, shared, self.shingles)


@dataclass(frozen=True, slots=True)
class Judged:
    """Pairs of passages as columns: the integers that their measures come from, relations and kinds."""

    a: I32
    b: I32
    """Places of the passages."""
    measured: Integers
    """By the names of `model.Scores`, in their order."""
    holds: Mapping[str, Flags]
    """By the names of relations: whether each holds."""
    rows: RowNumbers
    """The row of `KINDS` that holds."""

    def __len__(self) -> int:
        return len(self.a)

    @property
    def kinds(self) -> list[str]:
        """The kind of each pair, for texts whose files are not equal."""
        return [KINDS[row].name for row in self.rows.tolist()]

    def relations_of(self, pair: int) -> frozenset[str]:
        """The relations that hold for one pair."""
        return frozenset(name for name, flags in self.holds.items() if flags[pair])

    def scores(self, pair: int) -> Scores:
        """The measures of one pair."""
        return Scores(*(int(self.measured[name][pair]) for name in MEASURED))

    def take(self, pairs: NDArray[np.intp] | slice) -> Judged:
        """Some of the pairs."""
        measured = {name: column[pairs] for name, column in self.measured.items()}
        holds = {name: flags[pairs] for name, flags in self.holds.items()}
        return Judged(self.a[pairs], self.b[pairs], measured, holds, self.rows[pairs])


NOTHING_COUNTED = Counted()


def judge(
    passages: Passages,
    a: I32,
    b: I32,
    floors: Floors,
    threads: int,
    counted: Counted = NOTHING_COUNTED,
    advance: Callable[[int], None] | None = None,
    *,
    far: bool = True,
) -> Judged:
    """Everything about the pairs of passages a[i] and b[i]; `advance` hears of each pair `PASSES` times.

    A text that is too short to be paired has no relation to one with other words or figure marks, whatever their
    measures are.
    Unless `far`, the distance of two texts that are not similar stays `UNKNOWN`: it is dear where both are long.
    Fastest when pairs with the same `a` are next to each other.
    """
    streams, lengths = passages.streams, passages.streams.lengths
    longer = np.maximum(lengths[a], lengths[b])
    near = [relation.name for relation in RELATIONS if relation.measure is SIMILARITY]
    allowed = longer if far else limits(longer, min(floors[name] for name in near))
    measured = _measured(passages, a, b, longer, allowed, threads, counted, advance)
    found = decide(streams.words, streams.offsets, passages.signs, passages.dropped, a, b, threads, advance)
    short = (np.minimum(lengths[a], lengths[b]) < SHORTEST_PAIRED) & (found != FINDINGS.index("same-text"))
    others = {one.name: one.only(streams, a, b) for one in RELATIONS if one.only is not None}
    holds = {name: flags & ~short for name, flags in relations_that_hold(measured, floors, others).items()}
    later = grew((lengths[a], lengths[b]), (passages.dates[a], passages.dates[b]))
    rows = kind_rows(found, measured, holds, {"grew": later, "short": short}, floors)
    if not far:
        measured["distance"][~np.logical_or.reduce([holds[name] for name in near])] = UNKNOWN
    return Judged(a, b, measured, holds, rows)


def judge_in_parts(
    passages: Passages,
    a: I32,
    b: I32,
    floors: Floors,
    threads: int,
    counted: Counted = NOTHING_COUNTED,
    progress: Progress = SILENT,
    *,
    far: bool = True,
) -> Iterator[Judged]:
    """The same, some pairs at a time: there can be millions."""
    progress.start("measure", len(a), "pairs")
    told = in_passes(progress.advance, PASSES)
    if counted.shingles is None:
        counted = replace(counted, shingles=_shingles(passages.streams, a, b, threads))
    for first in range(0, len(a), _PAIRS_AT_ONCE):
        part = slice(first, first + _PAIRS_AT_ONCE)
        yield judge(passages, a[part], b[part], floors, threads, counted.part(part), told, far=far)
    progress.finish()


def relations_that_hold(
    measured: Integers, floors: Floors, others: Mapping[str, Flags], table: Sequence[Relation] = RELATIONS
) -> dict[str, Flags]:
    """For each relation, the pairs that it holds for; `others` are what it asks of the texts besides its measure."""
    holds: dict[str, Flags] = {}
    for relation in table:
        here = relation.measure.reaches(measured, floors[relation.name], np.minimum)
        here &= relation.is_enough(relation.measure.whole(measured, np.minimum))
        if relation.name in others:
            here &= others[relation.name]
        for other in relation.unless:
            here &= ~holds[other]
        holds[relation.name] = here
    return holds


def kind_rows(
    found: U8,
    measured: Integers,
    holds: Mapping[str, Flags],
    others: Mapping[str, Flags],
    floors: Floors,
    table: Sequence[Kind] = KINDS,
) -> RowNumbers:
    """The row of the table of kinds that holds for each pair, from what `decide` found, relations, dates, lengths."""
    facts = {name: found == number for number, name in enumerate(FINDINGS)}
    facts |= holds
    facts["related"] = np.logical_or.reduce(list(holds.values()))
    facts |= others
    facts["equal-words"] = measured["distance"] == 0
    facts["inside"] = CONTAINS.measure.reaches(measured, floors[CONTAINS.name], np.minimum)
    return first_rows(facts, len(found), table)


def grew(lengths: tuple[I64, I64], dates: tuple[I64, I64]) -> Flags:
    """Whether both dates of each pair are known and the longer text has the later one."""
    known = (dates[0] != UNKNOWN_DATE) & (dates[1] != UNKNOWN_DATE)
    later = np.where(lengths[0] > lengths[1], dates[0] > dates[1], dates[1] > dates[0])
    return np.asarray(known & later, np.bool_)


def _measured(
    passages: Passages,
    a: I32,
    b: I32,
    longer: I64,
    allowed: I64,
    threads: int,
    counted: Counted,
    advance: Callable[[int], None] | None,
) -> dict[str, I64]:
    """The integers of each pair, in the order of `model.Scores`; a distance is exact as far as it is allowed."""
    streams = passages.streams

    def distances(rows: NDArray[np.intp]) -> I64:
        return edit_distances(streams.words, streams.offsets, a[rows], b[rows], allowed[rows], threads, advance)

    def shared(rows: NDArray[np.intp]) -> I64:
        return shared_shingles(streams.words, streams.offsets, streams.keys, a[rows], b[rows], threads, advance)

    shingles = _shingles(streams, a, b, threads) if counted.shingles is None else counted.shingles
    terms, fewer = _terms(passages, a, b, threads, advance)
    columns = (
        _completed(counted.distance, len(a), distances, advance),
        longer,
        _completed(counted.shared_shingles, len(a), shared, advance),
        shingles[a],
        shingles[b],
        terms,
        fewer,
    )
    return dict(zip(MEASURED, columns, strict=True))


def _completed(
    given: I32 | I64 | None, pairs: int, count: Callable[[NDArray[np.intp]], I64], advance: Callable[[int], None] | None
) -> I64:
    """An integer of each pair, counted where it was not given."""
    column = np.full(pairs, UNKNOWN, np.int64) if given is None else given.astype(np.int64)
    unknown = np.flatnonzero(column == UNKNOWN)
    if len(unknown):
        column[unknown] = count(unknown)
    if advance is not None:
        advance(pairs - len(unknown))
    return column


def _shingles(streams: Streams, a: I32, b: I32, threads: int) -> I64:
    """The distinct shingles of each passage of some pairs; 0 for the others, which nobody looks at."""
    texts = np.unique(np.concatenate([a, b])).astype(np.int32)
    sizes = np.zeros(len(streams), np.int64)
    sizes[texts] = distinct_shingles(streams.words, streams.offsets, streams.keys, texts, threads)
    return sizes


def _terms(passages: Passages, a: I32, b: I32, threads: int, advance: Callable[[int], None] | None) -> tuple[I64, I64]:
    """Distinct content words that the texts of each pair share, and how many the one with fewer has."""
    if passages.content is None:
        if advance is not None:
            advance(len(a))
        unknown = np.full(len(a), UNKNOWN, np.int64)
        return unknown, unknown
    streams, bags = passages.streams, passages.bags
    words, offsets = (streams.words, streams.offsets) if bags is None else (bags.terms, bags.offsets)
    return shared_terms(words, offsets, passages.content, a, b, threads, advance)
