"""Answers by index: what is near a document by a method's signatures, what contains it, what is similar to a file.

The index finds; the words decide. Every hit carries the measures of the contract, made from the texts themselves,
beside the distance that it was found by.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from truecopy.errors import DamagedSegment
from truecopy.index.found import Hits
from truecopy.index.index import Index
from truecopy.index.limits import Limit, Share
from truecopy.index.methods import Asked, containment_limit, limit_for, measured
from truecopy.listing import Listing, Row, TableColumn, counted
from truecopy.match.kinds import UNRELATED
from truecopy.match.part import in_text
from truecopy.match.relations import CONTAINS, GROUPED
from truecopy.matter.ask.asked import AskedDocument, find_asked, signature_of, word_row
from truecopy.matter.ask.candidates import may_be_similar
from truecopy.matter.ask.measured import Measured, measure
from truecopy.matter.ask.text import text_of
from truecopy.matter.ask.views import best_first
from truecopy.matter.indexing import OVERLAP, RUNS, SHINGLE, search_index
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State
from truecopy.model import COPIES, SHORTEST_PAIRED, WHICH, Document, Hit, which
from truecopy.sign import family
from truecopy.spec import Spec
from truecopy.text import Words, words
from truecopy.threshold import percentage, reaches


@dataclass(frozen=True, slots=True)
class NearHit:
    """One answer: a document, how similar its words are, and how it was found."""

    document: Document
    similarity: float
    kind: str
    distance: float
    """By the signatures that found it; 0 where nothing is missing."""
    containment: tuple[float, float] | None = None
    """How much of the asked document is in this one, and of this one in the asked, by shingles."""
    part: tuple[int, int] | None = None
    """Where the contained text is in the containing one, in code points."""


@dataclass(frozen=True, slots=True, repr=False)
class Answer(Listing[NearHit]):
    """What was found, and how: a sequence of hits, best first, and a table with one row for each."""

    hits: tuple[NearHit, ...]
    method: str
    spec: Spec
    measure: str
    """What the distance of a hit is."""
    recall: float
    """At least this share of what is near enough is found; 1: nothing is missed."""
    examined: int
    """Candidates that were looked at."""
    seconds: float
    rebuilt: tuple[str, ...]
    """Index files that were damaged and have been made again."""

    UNIT: ClassVar[str] = "hit"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        *WHICH,
        TableColumn("similarity", "float64", "of the words, to the document that was asked for", shown=True),
        TableColumn("kind", "string", "what it is to the document that was asked for", shown=True),
        TableColumn("distance", "float64", "by the signatures that found it; `measure` says what it is", shown=True),
        TableColumn("of_asked", "float64", "how much of what was asked for is in this one, by shingles", optional=True,
               shown=True),
        TableColumn("of_hit", "float64", "how much of this one is in what was asked for", optional=True, shown=True),
        TableColumn("start", "int64", "where the contained text begins in the other, in code points", optional=True),
        TableColumn("end", "int64", "where it ends", optional=True),
        TableColumn("copy_of", "string", "id of the earlier document that it repeats", optional=True),
        TableColumn("words", "int64", "words of its text"),
        TableColumn("date", "string", "ISO 8601, from the document itself", optional=True),
    )  # fmt: skip

    def _entries(self) -> tuple[NearHit, ...]:
        return self.hits

    @staticmethod
    def _rows_of(entry: NearHit) -> Iterator[Row]:
        one = entry.document
        shares, part = entry.containment or (None, None), entry.part or (None, None)
        yield (
            *which(one), entry.similarity, entry.kind, float(entry.distance), *shares, *part, one.copy_of or None,
            one.words, one.date or None,
        )  # fmt: skip

    def _summary(self) -> str:
        share = "100" if self.recall >= 1 else f"at least {min(100 * self.recall, 99.99):.4g}"
        return f"{counted(len(self), self.UNIT)} by {self.method}, recall {share} %"


@dataclass(slots=True)
class _Search:
    """One question on its way to an answer."""

    state: State
    asked: AskedDocument
    name: str
    """Of the index."""
    index: Index
    damaged: list[str]
    start: float
    threads: int

    @property
    def by_words(self) -> bool:
        return self.name in (OVERLAP, SHINGLE)

    def found(self, limit: Limit) -> tuple[Hits, dict[int, float], str, list[Kept]]:
        """What the index finds: hits, the distance of each document, in words, and the documents, copies included."""
        state = self.state
        if self.by_words:
            row = word_row(self.asked, state, self.name)
        else:
            row = signature_of(self.asked, state, self.index, self.name, self.threads)
        hits = self.index.search(row, limit)
        meaning, distances = measured(self.index.spec, limit, hits)
        by_number = dict(zip(hits.numbers.tolist(), distances, strict=True))
        if self.by_words:
            every = state.documents.of_passages(by_number)
            keys = {kept.document.number: kept.passage for kept in every}
        else:  # signatures are of stored texts, and name the first document of each
            owners = {kept.text: kept.document.number for kept in state.documents.numbered(by_number)}
            every = state.documents.of_texts(text for text in owners if text is not None)
            keys = {kept.document.number: owners.get(kept.text) for kept in every}
        if set(keys.values()) != set(by_number):
            raise _no_text(self.name)
        others = [kept for kept in every if not self.asked.is_same(kept.document)]
        by_document = {kept.document.number: by_number[keys[kept.document.number] or 0] for kept in others}
        return hits, by_document, meaning, others

    def measures(
        self, found: list[Kept], contains: bool | None = None, threshold: float | None = None
    ) -> dict[int, Measured]:
        """The contract's measures of the documents' words, by passage; those without words have none."""
        passages = [kept.passage for kept in found if kept.passage is not None]
        settings = self.state.facts.settings()
        return measure(self.state, self.asked, passages, settings, self.threads, contains, threshold)

    def answer(self, hits: list[NearHit], limit: Limit, meaning: str, examined: int) -> Answer:
        """With how it was found."""
        seconds = time.perf_counter() - self.start
        spec, recall = self.index.spec, self.index.recall(limit)
        return Answer(tuple(hits), spec.method, spec, meaning, recall, examined, seconds, tuple(self.damaged))


def near(
    state: State,
    name: str | Path | Document,
    method: str,
    wanted: Asked,
    threshold: float | None = None,
    threads: int = 1,
) -> Answer:
    """What is near a document by a method's signatures; with a threshold, only what is that similar too."""
    family(method)
    threshold = None if threshold is None else percentage(threshold)
    search = _begin(state, name, method, threads)
    limit = limit_for(search.index.spec, wanted)
    hits, distances, meaning, found = search.found(limit)
    measures = search.measures(found)
    answers = []
    for kept in found:
        one = measures.get(kept.passage) if kept.passage is not None else None
        if one is None:
            if threshold is None:
                answers.append(NearHit(kept.document, 0.0, UNRELATED, distances[kept.document.number]))
        elif threshold is None or (
            not _too_short(one) and reaches(one.scores.longer - one.scores.distance, one.scores.longer, threshold)
        ):
            kind = one.kind_of(kept.document, search.asked)
            answers.append(NearHit(kept.document, one.similarity, kind, distances[kept.document.number]))
    answers.sort(key=lambda hit: (-hit.similarity, hit.distance, hit.document.number))
    return search.answer(answers, limit, meaning, hits.examined)


def containment(
    state: State,
    name: str | Path | Document,
    contains: bool,
    threshold: float | None = None,
    method: str | None = None,
    threads: int = 1,
) -> Answer:
    """Documents that contain a document (`contains`), or else documents that it contains, with the part where it is."""
    if method is not None:
        family(method)
    search = _begin(state, name, method or SHINGLE, threads)
    limit = containment_limit(search.index.spec, contains, threshold)
    hits, distances, meaning, found = search.found(limit)
    measures = search.measures(found, contains)
    places = Places(state, search.asked, contains)
    answers = []
    for kept in found:
        one = measures.get(kept.passage) if kept.passage is not None else None
        if one is None or not (contains or CONTAINS.is_enough(one.scores.b_shingles)):
            continue  # a text of a few words is in many others by chance
        if not one.scores.distance and _too_short(one):
            continue
        assert one.part is not None
        part = in_text(places.words(kept), one.part)
        kind = one.kind_of(kept.document, search.asked)
        distance = distances[kept.document.number]
        answers.append(NearHit(kept.document, one.similarity, kind, distance, one.scores.containment, part))
    side = 0 if contains else 1
    answers.sort(key=lambda hit: (-(hit.containment or (0, 0))[side], -hit.similarity, hit.document.number))
    return search.answer(answers, limit, meaning, hits.examined)


def similar_by_index(state: State, asked: AskedDocument, threshold: float, threads: int = 1) -> list[Hit]:
    """Everything in the matter that is similar to a file from outside, or to a document whose pairs are not all stored,
    best first, copies included.
    """
    asked.must_have_words()
    passages = may_be_similar(state, asked, threshold)
    if passages is None:
        return _similar_by_words(state, asked, threshold, threads)
    measures = measure(state, asked, passages.tolist(), state.facts.settings(), threads, threshold=threshold)
    found = state.documents.of_passages(measures)
    if {kept.passage for kept in found} != set(measures):
        raise _no_text(RUNS)
    return _similar_hits(asked, found, measures)


def _similar_by_words(state: State, asked: AskedDocument, threshold: float, threads: int) -> list[Hit]:
    """The same by the bags of words: for texts that are too short to have runs, and matters that lack their runs."""
    search = _search(state, asked, OVERLAP, threads)
    share = 100 if asked.words < SHORTEST_PAIRED else threshold
    _, _, _, found = search.found(Share(share, "longer"))
    return _similar_hits(asked, found, search.measures(found, threshold=threshold))


def _too_short(one: Measured) -> bool:
    """Whether the asked text or this one is so short that only equal texts count, and they are not equal: their words
    differ, or their figure marks.
    """
    return one.shorter < SHORTEST_PAIRED and one.kind not in COPIES


def _similar_hits(asked: AskedDocument, found: Sequence[Kept], measures: Mapping[int, Measured]) -> list[Hit]:
    """The documents that the judge says are similar, but for the one that is asked about; best first."""
    hits = []
    for kept in found:
        one = measures.get(kept.passage) if kept.passage is not None else None
        if one is not None and GROUPED in one.holds and not asked.is_same(kept.document):
            hits.append(Hit(kept.document, one.similarity, one.kind_of(kept.document, asked)))
    return sorted(hits, key=best_first)


def _begin(state: State, name: str | Path | Document, index: str, threads: int) -> _Search:
    return _search(state, find_asked(state, name), index, threads)


def _no_text(index: str) -> DamagedSegment:
    return DamagedSegment(
        f"The matter's index {index} names a text that is not there.",
        "Rebuild the index, or restore the matter from a backup.",
    )


def _search(state: State, asked: AskedDocument, index: str, threads: int) -> _Search:
    asked.must_have_words()
    start = time.perf_counter()
    found, damaged = search_index(state, index)
    return _Search(state, asked, index, found, damaged, start, threads)


class Places:
    """The words of containing texts with their places: of each document, or of the asked one."""

    def __init__(self, state: State, asked: AskedDocument, contains: bool) -> None:
        self._state, self._asked, self._contains = state, asked, contains
        self._own: Words | None = None

    def words(self, kept: Kept) -> Words:
        """The words of the text that contains the other."""
        if self._contains:
            return self._of(kept)
        if self._own is None:
            reading = self._asked.reading
            if reading is None:
                assert self._asked.kept is not None
                self._own = self._of(self._asked.kept)
            else:
                self._own = words(reading.text.decode())
        return self._own

    def _of(self, kept: Kept) -> Words:
        found = words(text_of(self._state, kept))
        if len(found) != kept.document.words:
            raise wrong_cell("documents.text")  # not the text that the stored words are of
        return found
