"""Texts that are not in the matter: a file to look up, or a form to compare everything with."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import UnreadableInput, UsageError
from truecopy.match.judge import Floors, grew, kinds, moment, moments, relations
from truecopy.match.kinds import decide, dropped_words
from truecopy.match.measures import distinct_shingles, shared_shingles
from truecopy.match.verify import edit_distances
from truecopy.matter.intake import Known, prepare_batch, take_in
from truecopy.matter.texts import Texts, with_query
from truecopy.matter.views import SET_ASIDE
from truecopy.model import Document, Reading
from truecopy.read import ReadSettings, discover, read
from truecopy.read.encodings.rules import doubted, rules_now

if TYPE_CHECKING:
    from truecopy.matter.matter import Matter

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class FormHit:
    """How one document compares with a given form."""

    document: Document
    similarity: float
    containment: tuple[float, float]
    """How much of the form is in the document, and of the document in the form."""
    kind: str


def read_one(path: str | Path, settings: ReadSettings | None = None) -> Reading:
    """Read one file that must be readable and hold one document (an e-mail's attachments are left out)."""
    settings = settings or ReadSettings(encoding=rules_now())
    if not str(path):
        raise UsageError("An empty name was given, but one document was expected.", "Give its id or its path.")
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder, but one document was expected.", "Give a file.")
    found = [reading for batch in read(discover([path], settings, frozenset()), settings) for reading in batch]
    if not found:
        raise UnreadableInput(f"{path} holds nothing to read.", "Give a file with a text.")
    first = found[0]
    if any(reading.parent != first.path for reading in found[1:]):
        raise UsageError(
            f"{path} holds {len(found)} documents, but one was expected.", "Unpack it and give one of its files."
        )
    if first.status:
        raise UnreadableInput(f"{path} cannot be read: {first.reason}.", "Give a file that can be read.")
    doubted(first.doubt)
    return first


@dataclass(frozen=True, slots=True)
class _Query:
    """A matter's texts with one more at the end."""

    texts: Texts
    place: int
    words: int


def _query(matter: Matter, reading: Reading) -> tuple[Any, _Query]:
    register, texts, vocabulary = matter.loaded()
    intake = take_in([prepare_batch([reading])], Known(), vocabulary, lambda _: None)
    return register, _Query(with_query(texts, intake, vocabulary), len(texts.numbers), intake.arrivals[0].words)


def compare_with_all(matter: Matter, reading: Reading, threads: int) -> tuple[FormHit, ...]:
    """How every readable document compares with a form, best first: nothing is filtered."""
    register, query = _query(matter, reading)
    streams = query.texts.streams
    a = np.array(
        [
            place
            for place, number in enumerate(query.texts.numbers[: query.place].tolist())
            if register.documents[number].status not in SET_ASIDE
        ],
        np.int32,
    )
    b = np.full(len(a), query.place, np.int32)
    longer = np.maximum(streams.lengths[a], query.words)
    distance = edit_distances(streams.words, streams.offsets, a, b, longer, threads)
    shared = shared_shingles(streams.words, streams.offsets, streams.keys, b, a, threads)
    sizes = distinct_shingles(
        streams.words, streams.offsets, streams.keys, np.append(a, np.int32(query.place)), threads
    )
    floors = Floors(matter.settings.floor, matter.settings.contains_floor)
    holds = relations(distance, longer, shared, (sizes[:-1], np.full(len(a), sizes[-1])), floors)
    numbers = query.texts.numbers
    dates = moments([register.documents[int(numbers[place])].date for place in a.tolist()])
    later = grew((streams.lengths[a], streams.lengths[b]), (dates, np.full(len(a), moment(reading.date))))
    dropped = dropped_words(*query.texts.vocabulary)
    found = kinds(decide(streams.words, streams.offsets, query.texts.signs, dropped, a, b, threads), holds, later)
    hits = []
    for i, place in enumerate(a.tolist()):
        form, text = int(sizes[-1]), int(sizes[i])
        both = int(shared[i])
        containment = (100.0 * both / form if form else 0.0, 100.0 * both / text if text else 0.0)
        similarity = 100.0 * float(longer[i] - distance[i]) / float(longer[i])
        for copy in register.copies[int(query.texts.numbers[place])]:
            kind = "same-file" if copy.sha256 == reading.sha256 else found[i]
            hits.append(FormHit(copy, similarity, containment, kind))
    return tuple(sorted(hits, key=lambda hit: (-hit.similarity, hit.document.number)))
