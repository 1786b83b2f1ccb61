"""From readings to documents and word streams: the part of a run that sees every byte.

Batches are numbered and compressed in threads, each with a vocabulary of its own; the wave's vocabulary absorbs them
in the order of the documents, so that nothing depends on how threads happen to run. Equal texts are collapsed: only
the first document of the wave that has a text brings its words, and these are out of memory until all are read.
Nothing is compared with earlier waves here but the question whether a document is there already: that can be asked
while another wave comes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U32
from truecopy.model import Reading
from truecopy.streamed import Sliceable
from truecopy.text.batches import NumberedTexts, number_texts
from truecopy.text.vocabulary import Vocabulary
from truecopy.wave.packed import packed

Have = Callable[[list[Reading]], set[tuple[str, str, str]]]
"""Given readings, says which documents are there already: root, path, SHA-256."""


class Arrival(NamedTuple):
    """One document on its way into a matter."""

    reading: Reading
    """Without its text."""
    words: int
    letters: bool
    """Whether there is a letter in its text."""
    words_sha256: str
    figures_sha256: str
    stream: int
    """Which of the wave's distinct texts its words are; -1 where it has none."""
    body: int
    """Which of the wave's stored texts is its text; -1 where it has none."""
    custodian: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch of readings on its way in, without their texts: these are numbered and compressed."""

    readings: list[Reading]
    texts: NumberedTexts
    bodies: list[bytes]
    already: int
    """Readings that the matter has already, which are left out."""


@dataclass(slots=True)
class Intake:
    """What a wave brings: its documents, and the words of its distinct texts."""

    vocabulary: Vocabulary
    keep: Callable[[NDArray[Any]], Sliceable[Any]] = lambda array: array
    """Takes arrays out of memory."""
    arrivals: list[Arrival] = field(default_factory=list)
    already: int = 0
    """Documents that the matter had before."""
    words: list[Sliceable[np.uint32]] = field(default_factory=list)
    lengths: list[I64] = field(default_factory=list)
    """Words of each distinct text."""
    breaks: list[Sliceable[np.uint8]] = field(default_factory=list)
    marks: list[Sliceable[np.uint64]] = field(default_factory=list)
    mark_counts: list[I64] = field(default_factory=list)
    """Figure marks of each distinct text."""
    _streams: dict[str, int] = field(default_factory=dict)
    """SHA-256 of words and figure marks → the distinct text."""
    _bodies: dict[tuple[str, str], int] = field(default_factory=dict)
    """SHA-256 of the bytes, and of words and figure marks → the stored text: the same file may be read in two ways."""
    _stored: int = 0

    def take(
        self, batch: Prepared, keep_bodies: Callable[[list[bytes]], None], custodian: Callable[[str], str]
    ) -> None:
        """Take a batch in; texts are handed on to be stored as they come, so that memory holds only words."""
        texts = batch.texts
        numbers = self.vocabulary.absorb(texts.vocabulary)[texts.words]
        self.already += batch.already
        kept: list[bool] = []
        bodies: list[bytes] = []
        counts, letters = np.diff(texts.offsets).tolist(), (texts.letters != 0).tolist()
        columns = batch.readings, counts, letters, texts.digests, texts.figure_digests, batch.bodies
        for reading, words, letter, digest, figures, packed_text in zip(*columns, strict=True):
            if words:
                streams = len(self._streams)
                stream = self._streams.setdefault(figures, streams)
                kept.append(stream == streams)
            else:
                digest = figures = ""
                stream = -1
                kept.append(False)
            body = self._body(reading.sha256, figures, packed_text, bodies)
            held = custodian(reading.path)
            self.arrivals.append(Arrival(reading, words, letter, digest, figures, stream, body, held))
        self._keep(texts, numbers, np.array(kept, np.bool_))
        keep_bodies(bodies)

    def close(self) -> None:
        """Give up what is only asked while documents come."""
        self.vocabulary.close()
        self._streams, self._bodies = {}, {}

    def _body(self, sha256: str, figures_sha256: str, body: bytes, bodies: list[bytes]) -> int:
        """The place of a stored text: a new one, unless the same file was read in the same way before."""
        if not body:
            return -1
        place = self._bodies.get((sha256, figures_sha256))
        if place is None:
            place = self._bodies[sha256, figures_sha256] = self._stored
            self._stored += 1
            bodies.append(body)
        return place

    def _keep(self, texts: NumberedTexts, numbers: U32, kept: NDArray[np.bool_]) -> None:
        lengths, mark_counts = np.diff(texts.offsets), np.diff(texts.mark_offsets)
        words = np.repeat(kept, lengths)
        self.words.append(self.keep(numbers if words.all() else numbers[words]))
        self.breaks.append(self.keep(texts.breaks if words.all() else texts.breaks[words]))
        self.lengths.append(lengths[kept])
        self.marks.append(self.keep(texts.marks[np.repeat(kept, mark_counts)]))
        self.mark_counts.append(mark_counts[kept])


def prepare_batch(readings: list[Reading], have: Have = lambda _: set()) -> Prepared:
    """The part of a batch's work that needs no order: runs in any thread."""
    known = have(readings)
    fresh = readings
    if known:
        fresh = [reading for reading in readings if (reading.root, reading.path, reading.sha256) not in known]
    texts = [reading.text for reading in fresh]
    without = [_without_text(reading) for reading in fresh]
    return Prepared(without, number_texts(texts), packed(texts), len(readings) - len(fresh))


def take_in(
    batches: Iterable[Prepared],
    keep_bodies: Callable[[list[bytes]], None] = lambda _: None,
    custodian: Callable[[str], str] = lambda _: "",
    keep: Callable[[NDArray[Any]], Sliceable[Any]] = lambda array: array,
) -> Intake:
    """Take every batch in; `keep` takes arrays out of memory."""
    intake = Intake(Vocabulary(), keep)
    for batch in batches:
        intake.take(batch, keep_bodies, custodian)
    intake.close()
    return intake


def _without_text(reading: Reading) -> Reading:
    return Reading(
        reading.root, reading.path, reading.size, reading.md5, reading.sha1, reading.sha256, b"", reading.status,
        reading.reason, reading.date, reading.parent, reading.media, reading.hidden,
        reading.encoding, reading.confidence, reading.doubt, reading.members_not_read,
    )  # fmt: skip
