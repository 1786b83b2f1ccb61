"""The contract's measures of one asked document and some texts of the matter, made from their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection

from truecopy.match.judge import Floors, grew, kinds, moment, relations
from truecopy.match.kinds import decide
from truecopy.match.measures import distinct_shingles, shared_shingles
from truecopy.match.part import parts
from truecopy.match.verify import edit_distances
from truecopy.matter import rows
from truecopy.matter.asked import AskedDocument
from truecopy.matter.opened import OpenMatter
from truecopy.model import Document
from truecopy.settings import MatterSettings
from truecopy.threshold import limits


@dataclass(frozen=True, slots=True)
class Measured:
    """How a text compares with the asked document."""

    distance: int
    longer: int
    shared: int
    """Distinct shingles that both have."""
    asked_shingles: int
    shingles: int
    kind: str
    part: tuple[int, int] | None = None
    """Words of the containing text where the contained one is."""

    @property
    def similarity(self) -> float:
        """The contract's similarity."""
        return 100.0 * (self.longer - self.distance) / self.longer

    @property
    def containment(self) -> tuple[float, float]:
        """How much of the asked document is in the text, and of the text in the asked document."""
        asked, other = max(self.asked_shingles, 1), max(self.shingles, 1)
        return 100.0 * self.shared / asked, 100.0 * self.shared / other

    def kind_of(self, document: Document, asked: AskedDocument) -> str:
        """The kind, for a document with this text."""
        return "same-file" if document.sha256 == asked.sha256 else self.kind


def _date(connection: Connection, asked: AskedDocument) -> int:
    """The date of the asked document; a copy has its original's."""
    if asked.reading is not None:
        return moment(asked.reading.date)
    assert asked.kept is not None
    return int(rows.read_dates(connection, np.array([asked.kept.original], np.int64))[0])


def measure(
    opened: OpenMatter,
    connection: Connection,
    asked: AskedDocument,
    numbers: Sequence[int],
    settings: MatterSettings,
    threads: int,
    contains: bool | None = None,
    threshold: float | None = None,
) -> dict[int, Measured]:
    """Measures of the distinct texts that came first with some documents, by these documents' numbers.

    With `contains`, the parts too: of each text, where it contains the asked document; with False, of that document.
    With a threshold, a distance beyond it is not exact: it is only known to be beyond.
    """
    wanted = sorted(set(numbers))
    if not wanted:
        return {}
    some = opened.some(connection, wanted, asked.stream)
    streams = some.streams
    a = np.arange(len(wanted), dtype=np.int32)
    b = np.full(len(wanted), some.query, np.int32)
    longer = np.maximum(streams.lengths[a], streams.lengths[b])
    allowed = longer if threshold is None else limits(longer, threshold)
    distance = edit_distances(streams.words, streams.offsets, a, b, allowed, threads)
    shared = shared_shingles(streams.words, streams.offsets, streams.keys, b, a, threads)
    sizes = distinct_shingles(streams.words, streams.offsets, streams.keys, np.append(a, b[:1]), threads)
    floors = Floors(settings.floor, settings.contains_floor)
    holds = relations(distance, longer, shared, (sizes[:-1], np.full(len(a), sizes[-1])), floors)
    dates = rows.read_dates(connection, np.array(wanted, np.int64))
    later = grew((streams.lengths[a], streams.lengths[b]), (dates, np.full(len(a), _date(connection, asked))))
    found = kinds(decide(streams.words, streams.offsets, some.signs, some.dropped, a, b, threads), holds, later)
    where = None
    if contains is not None:
        inner, outer = (b, a) if contains else (a, b)
        where = parts(streams, inner, outer, threads).tolist()
    return {
        number: Measured(
            int(distance[i]), int(longer[i]), int(shared[i]), int(sizes[-1]), int(sizes[i]),
            found[i],
            None if where is None else (where[i][0], where[i][1]),
        )
        for i, number in enumerate(wanted)
    }  # fmt: skip
