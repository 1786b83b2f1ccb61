"""From readings to documents and word streams: the part of a run that sees every byte.

Batches are numbered and compressed in threads, each with a vocabulary of its own; the matter's vocabulary absorbs them
in the order of the documents, so that nothing depends on how threads happen to run. Equal texts are
collapsed here: only a text's first document keeps words, the others point to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from truecopy.model import SHORTEST_PAIRED, Reading
from truecopy.text.batches import NumberedTexts, number_texts
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]

_LEVEL = 1
"""zstd's fastest level: storing a text must not cost more than reading it."""


@dataclass(slots=True)
class Arrival:
    """One document on its way into the matter."""

    reading: Reading
    """Without its text."""
    number: int
    words: int = 0
    words_sha256: str = ""
    figures_sha256: str = ""
    status: str = ""
    """"": to be settled by the grouping."""
    reason: str = ""
    original: int | None = None
    """The document whose text this is: itself for a distinct text, None where there are no words."""
    copy_of: int | None = None
    """The earlier document whose bytes, or words and figure marks, it repeats."""
    text: int | None = None
    """Number of the stored text."""


class KnownFile(NamedTuple):
    """A document: files with the same bytes are copies of it."""

    document: int
    original: int | None
    """None: it has no words."""
    text: int | None


@dataclass(slots=True)
class Known:
    """What the matter has already: the documents that equal files and texts point to."""

    files: dict[str, KnownFile] = field(default_factory=dict)
    """SHA-256 of the bytes → the first document, or the first with words where there is one."""
    texts: dict[str, int] = field(default_factory=dict)
    """SHA-256 of the words with their figure marks → the first document."""
    last_document: int = 0
    last_text: int = 0
    name: Callable[[int], str] = lambda number: f"TC-{number:06d}"


@dataclass(slots=True)
class Intake:
    """What a wave brings: its documents, and the words of the texts that are new."""

    arrivals: list[Arrival] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """Documents of the new, distinct texts, in order."""
    already: int = 0
    """Documents that the matter had before."""
    words: list[Array] = field(default_factory=list)
    breaks: list[Array] = field(default_factory=list)
    marks: list[Array] = field(default_factory=list)
    mark_counts: list[Array] = field(default_factory=list)
    """Figure marks of each new text."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A batch of readings on its way in, without their texts: these are numbered and compressed."""

    readings: list[Reading]
    texts: NumberedTexts
    bodies: list[bytes]
    already: int
    """Readings that the matter has already, which are left out."""


def prepare_batch(readings: list[Reading], have: Set[tuple[str, str, str]] = frozenset()) -> Prepared:
    """The part of a batch's work that needs no order: runs in any thread."""
    import zstandard

    fresh = [reading for reading in readings if (reading.root, reading.path, reading.sha256) not in have]
    texts = number_texts([reading.text for reading in fresh])
    compressor = zstandard.ZstdCompressor(level=_LEVEL)
    bodies = [compressor.compress(reading.text) if reading.text else b"" for reading in fresh]
    return Prepared([_without_text(reading) for reading in fresh], texts, bodies, len(readings) - len(fresh))


def take_in(
    batches: Iterable[Prepared],
    known: Known,
    vocabulary: Vocabulary,
    store_texts: Callable[[list[tuple[int, bytes]]], None],
) -> Intake:
    """Take every batch in; texts are handed on to be stored as they come, so that memory holds only words."""
    intake = Intake()
    for batch in batches:
        intake.already += batch.already
        texts = batch.texts
        numbers = vocabulary.absorb(texts.vocabulary)[texts.words]
        bodies: list[tuple[int, bytes]] = []
        keep = np.zeros(len(batch.readings), np.bool_)
        for i, reading in enumerate(batch.readings):
            known.last_document += 1
            words = int(texts.offsets[i + 1] - texts.offsets[i])
            digests = (texts.digests[i], texts.figure_digests[i]) if words else ("", "")
            arrival = Arrival(reading, known.last_document, words, *digests, reason=reading.reason)
            keep[i] = _settle(arrival, bool(texts.letters[i]), known)
            if arrival.text is None and batch.bodies[i]:
                known.last_text += 1
                arrival.text = known.last_text
                bodies.append((known.last_text, batch.bodies[i]))
            _remember(arrival, known)
            intake.arrivals.append(arrival)
            if keep[i]:
                intake.numbers.append(arrival.number)
        kept = np.repeat(keep, np.diff(texts.offsets))
        intake.words.append(numbers if kept.all() else numbers[kept])
        intake.breaks.append(texts.breaks if kept.all() else texts.breaks[kept])
        mark_counts = np.diff(texts.mark_offsets)
        intake.marks.append(texts.marks[np.repeat(keep, mark_counts)])
        intake.mark_counts.append(mark_counts[keep])
        store_texts(bodies)
    return intake


def _settle(arrival: Arrival, letters: bool, known: Known) -> bool:
    """Give a document the first status that applies, as far as is known here; True if its text is new."""
    reading = arrival.reading
    same_file = known.files.get(reading.sha256) if reading.sha256 else None
    if not arrival.words:
        if reading.status:
            arrival.status = reading.status
        else:
            arrival.status = "unsearchable" if reading.hidden else "empty"
            arrival.reason = reading.hidden or reading.reason or "nothing in it"
        if same_file is not None:
            arrival.copy_of = same_file.document
        return False
    if same_file is not None and same_file.original is not None:
        first = arrival.copy_of = same_file.original
        if known.texts.get(arrival.figures_sha256) == first:
            arrival.text = same_file.text  # otherwise the same bytes were read in another way: both texts are kept
    else:
        first = known.texts.setdefault(arrival.figures_sha256, arrival.number)
        if first != arrival.number:
            arrival.copy_of = first
    arrival.original = first
    if not letters:
        arrival.status = "numbers-only"
        _say(arrival, "no letter in it")
    elif same_file is not None and same_file.original is not None:
        arrival.status = "same-file"
        _say(arrival, f"the same bytes as {known.name(same_file.document)}")
    elif arrival.copy_of is not None:
        arrival.status = "same-text"
        _say(arrival, f"the same words and figures as {known.name(first)}")
    elif arrival.words < SHORTEST_PAIRED:
        arrival.status = "too-short"
        _say(arrival, f"fewer than {SHORTEST_PAIRED} words")
    return first == arrival.number


def _say(arrival: Arrival, reason: str) -> None:
    """Put the reason for a document's status before any remark from reading."""
    arrival.reason = f"{reason}; {arrival.reason}" if arrival.reason else reason


def _remember(arrival: Arrival, known: Known) -> None:
    """Remember a document's bytes: the first document with words counts, else the first."""
    digest = arrival.reading.sha256
    if not digest:
        return  # it was not read
    before = known.files.get(digest)
    if before is None or (before.original is None and arrival.original is not None):
        known.files[digest] = KnownFile(arrival.number, arrival.original, arrival.text)


def _without_text(reading: Reading) -> Reading:
    return Reading(
        reading.root, reading.path, reading.size, reading.md5, reading.sha1, reading.sha256, b"", reading.status,
        reading.reason, reading.date, reading.parent, reading.media, reading.hidden,
        reading.encoding, reading.confidence, reading.doubt, reading.members_not_read,
    )  # fmt: skip
