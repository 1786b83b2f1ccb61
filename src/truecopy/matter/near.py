"""Answers by index: what is near a document by a method's signatures, what contains it, what is similar to a file.

The index finds; the words decide. Every hit carries the measures of the contract, made from the texts themselves,
beside the distance that it was found by.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from sqlalchemy import Connection

from truecopy.errors import DamagedSegment
from truecopy.index.found import Hits
from truecopy.index.index import Index
from truecopy.index.limits import Limit, Share
from truecopy.index.methods import Asked, containment_limit, limit_for, measured
from truecopy.listing import Listing, Row, TableColumn, counted
from truecopy.match.part import in_text
from truecopy.matter import rows
from truecopy.matter.asked import AskedDocument, find_asked, signature_of, word_row
from truecopy.matter.cells import wrong_cell
from truecopy.matter.indexing import OVERLAP, SHINGLE
from truecopy.matter.measured import Measured, measure
from truecopy.matter.rows import Kept
from truecopy.matter.views import best_first
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED, WHICH, Document, Hit, which
from truecopy.sign import family
from truecopy.spec import Spec
from truecopy.text import Words, words
from truecopy.threshold import percentage, reaches

if TYPE_CHECKING:
    from truecopy.matter.matter import Matter


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

    matter: Matter
    connection: Connection
    asked: AskedDocument
    kind: str
    index: Index
    rebuilt: list[str]
    start: float
    threads: int

    @property
    def by_words(self) -> bool:
        return self.kind in (OVERLAP, SHINGLE)

    def found(self, limit: Limit) -> tuple[Hits, dict[int, float], str, list[Kept]]:
        """What the index finds: hits, the distance of each document, in words, and the documents, copies included."""
        if self.by_words:
            row = word_row(self.asked, self.matter.opened, self.connection, self.kind)
        else:
            folder = self.matter.path
            row = signature_of(self.asked, folder, self.connection, self.index, self.kind, self.threads)
        hits = self.index.search(row, limit)
        meaning, distances = measured(self.index.spec, limit, hits)
        by_owner = dict(zip(hits.numbers.tolist(), distances, strict=True))
        column = "original" if self.by_words else "text"
        owners = rows.documents_with(self.connection, "number", list(by_owner))
        if len(owners) != len(by_owner) or any(getattr(kept, column) is None for kept in owners):
            raise DamagedSegment(
                f"The matter's index {self.kind} names a document without a text, or one that is not there.",
                "Rebuild the index, or restore the matter from a backup.",
            )
        keys = {getattr(kept, column): by_owner[kept.document.number] for kept in owners}
        every = rows.documents_with(self.connection, column, list(keys))
        others = [kept for kept in every if not self.asked.is_same(kept.document)]
        by_document = {kept.document.number: keys[getattr(kept, column)] for kept in others}
        return hits, by_document, meaning, others

    def measures(
        self, found: list[Kept], contains: bool | None = None, threshold: float | None = None
    ) -> dict[int, Measured]:
        """The contract's measures of the documents' words; those without words have none."""
        numbers = [kept.original for kept in found if kept.original is not None]
        settings, opened = self.matter.settings, self.matter.opened
        return measure(opened, self.connection, self.asked, numbers, settings, self.threads, contains, threshold)

    def answer(self, hits: list[NearHit], limit: Limit, meaning: str, examined: int) -> Answer:
        """With how it was found."""
        seconds = time.perf_counter() - self.start
        spec, recall = self.index.spec, self.index.recall(limit)
        return Answer(tuple(hits), spec.method, spec, meaning, recall, examined, seconds, tuple(self.rebuilt))


def near(
    matter: Matter,
    name: str | Path | Document,
    method: str,
    wanted: Asked,
    threshold: float | None = None,
    threads: int = 1,
) -> Answer:
    """What is near a document by a method's signatures; with a threshold, only what is that similar too."""
    family(method)
    threshold = None if threshold is None else percentage(threshold)
    with matter.asking() as connection:
        search = _begin(matter, connection, name, method, threads)
        limit = limit_for(search.index.spec, wanted)
        hits, distances, meaning, found = search.found(limit)
        measures = search.measures(found)
        answers = []
        for kept in found:
            one = measures.get(kept.original) if kept.original is not None else None
            if one is None:
                if threshold is None:
                    answers.append(NearHit(kept.document, 0.0, "unrelated", distances[kept.document.number]))
            elif threshold is None or reaches(one.longer - one.distance, one.longer, threshold):
                kind = one.kind_of(kept.document, search.asked)
                answers.append(NearHit(kept.document, one.similarity, kind, distances[kept.document.number]))
        answers.sort(key=lambda hit: (-hit.similarity, hit.distance, hit.document.number))
        return search.answer(answers, limit, meaning, hits.examined)


def containment(
    matter: Matter,
    name: str | Path | Document,
    contains: bool,
    threshold: float | None = None,
    method: str | None = None,
    threads: int = 1,
) -> Answer:
    """Documents that contain a document (`contains`), or else documents that it contains, with the part where it is."""
    if method is not None:
        family(method)
    with matter.asking() as connection:
        search = _begin(matter, connection, name, method or SHINGLE, threads)
        limit = containment_limit(search.index.spec, contains, threshold)
        hits, distances, meaning, found = search.found(limit)
        measures = search.measures(found, contains)
        places = _Places(matter, search.asked, contains)
        answers = []
        for kept in found:
            one = measures.get(kept.original) if kept.original is not None else None
            if one is None or (not contains and one.shingles < SHORTEST_CONTAINED):
                continue  # a text of a few words is in many others by chance
            assert one.part is not None
            part = in_text(places.words(kept.document), one.part)
            kind = one.kind_of(kept.document, search.asked)
            distance = distances[kept.document.number]
            answers.append(NearHit(kept.document, one.similarity, kind, distance, one.containment, part))
        side = 0 if contains else 1
        answers.sort(key=lambda hit: (-(hit.containment or (0, 0))[side], -hit.similarity, hit.document.number))
        return search.answer(answers, limit, meaning, hits.examined)


def similar_outside(matter: Matter, name: str | Path | Document, threshold: float, threads: int = 1) -> list[Hit]:
    """Everything in the matter that is similar to a file from outside, or to a document whose pairs are not all stored,
    best first, copies included.
    """
    with matter.asking() as connection:
        search = _begin(matter, connection, name, OVERLAP, threads)
        asked = search.asked
        short = asked.words < SHORTEST_PAIRED
        _, _, _, found = search.found(Share(100 if short else threshold, "longer"))
        measures = search.measures(found, threshold=threshold)
        hits = []
        for kept in found:
            assert kept.original is not None
            one = measures[kept.original]
            # Short texts are paired by equality only.
            if (short or kept.document.words < SHORTEST_PAIRED) and one.distance:
                continue
            if reaches(one.longer - one.distance, one.longer, threshold):
                hits.append(Hit(kept.document, one.similarity, one.kind_of(kept.document, asked)))
    return sorted(hits, key=best_first)


def _begin(matter: Matter, connection: Connection, name: str | Path | Document, kind: str, threads: int) -> _Search:
    asked = find_asked(matter.path, connection, name)
    asked.must_have_words()
    start = time.perf_counter()
    index, rebuilt = matter.opened.index(kind)
    return _Search(matter, connection, asked, kind, index, rebuilt, start, threads)


class _Places:
    """The words of containing texts with their places: of each document, or of the asked one."""

    def __init__(self, matter: Matter, asked: AskedDocument, contains: bool) -> None:
        self._matter, self._asked, self._contains = matter, asked, contains
        self._own: Words | None = None

    def words(self, document: Document) -> Words:
        """The words of the text that contains the other."""
        if self._contains:
            return self._of(document)
        if self._own is None:
            reading, kept = self._asked.reading, self._asked.kept
            if reading is None:
                assert kept is not None
                self._own = self._of(kept.document)
            else:
                self._own = words(reading.text.decode())
        return self._own

    def _of(self, document: Document) -> Words:
        found = words(self._matter.text(document))
        if len(found) != document.words:
            raise wrong_cell("documents.text")  # not the text that the stored words are of
        return found
