"""Which documents of a wave repeat earlier ones, and the numbers that documents, passages and texts have.

All of it follows from hashes, so it is cheap to do again: if another wave was committed meanwhile, a computed wave is
settled once more after that one, and the result is the same as if the two had come one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from truecopy.model import SHORTEST_PAIRED, document_id
from truecopy.wave.intake import Arrival


class KnownFile(NamedTuple):
    """A document: files with the same bytes are copies of it."""

    document: int
    id: str
    passage: int | None
    """None: it has no words."""
    text: int | None


class KnownText(NamedTuple):
    """A passage: documents with the same words and figure marks are copies of its first document."""

    document: int
    id: str
    passage: int


@dataclass(slots=True)
class Known:
    """What a matter has already, as far as a wave asks for it."""

    files: dict[str, KnownFile] = field(default_factory=dict)
    """SHA-256 of the bytes → the first document, or the first with words where there is one."""
    texts: dict[str, KnownText] = field(default_factory=dict)
    """SHA-256 of the words with their figure marks → the first document."""
    by_passage: dict[int, KnownText] = field(default_factory=dict)
    last_document: int = 0
    last_passage: int = 0
    last_text: int = 0

    def copy(self) -> Known:
        """The same, to be gone on with."""
        return replace(self, files={**self.files}, texts={**self.texts}, by_passage={**self.by_passage})


@dataclass(slots=True)
class Settled:
    """A document of a wave with its numbers, and what it repeats."""

    arrival: Arrival
    number: int
    id: str
    status: str = ""
    """"": to be settled by the grouping."""
    reason: str = ""
    passage: int | None = None
    """The passage that its words are; None where it has no words."""
    own: bool = False
    """Whether it brings that passage."""
    copy_of: int | None = None
    """The earlier document whose bytes, or words and figure marks, it repeats."""
    text: int | None = None
    """Number of the stored text."""
    new_text: bool = False
    """Whether the wave stores that text."""


def settle(arrivals: Sequence[Arrival], known: Known) -> list[Settled]:
    """The documents in order, each with the first status that applies, as far as words and bytes tell it."""
    known = known.copy()  # what the wave brings is known to the documents after it
    settled, texts = [], {}
    for arrival in arrivals:
        known.last_document += 1
        one = Settled(arrival, known.last_document, document_id(known.last_document), reason=arrival.reading.reason)
        _settle(one, known)
        if one.text is None and arrival.body >= 0:
            if arrival.body not in texts:
                known.last_text += 1
                texts[arrival.body] = known.last_text
            one.text, one.new_text = texts[arrival.body], True
        _remember(one, known)
        settled.append(one)
    return settled


def _settle(one: Settled, known: Known) -> None:
    arrival, reading = one.arrival, one.arrival.reading
    same_file = known.files.get(reading.sha256) if reading.sha256 else None
    if not arrival.words:
        if reading.status:
            one.status = reading.status
        else:
            one.status = "unsearchable" if reading.hidden else "empty"
            one.reason = reading.hidden or reading.reason or "nothing in it"
        if same_file is not None:
            one.copy_of = same_file.document
        return
    first = known.texts.get(arrival.figures_sha256)
    if same_file is not None and same_file.passage is not None:
        original = known.by_passage[same_file.passage]
        if first is not None and first.passage == original.passage:
            one.text = same_file.text  # otherwise the same bytes were read in another way: both texts are kept
        first = original
    elif first is None:
        known.last_passage += 1
        first = KnownText(one.number, one.id, known.last_passage)
        known.texts[arrival.figures_sha256] = known.by_passage[first.passage] = first
        one.own = True
    one.passage = first.passage
    one.copy_of = None if one.own else first.document
    if not arrival.letters:
        one.status = "numbers-only"
        _say(one, "no letter in it")
    elif same_file is not None and same_file.passage is not None:
        one.status = "same-file"
        _say(one, f"the same bytes as {same_file.id}")
    elif one.copy_of is not None:
        one.status = "same-text"
        _say(one, f"the same words and figures as {first.id}")
    elif arrival.words < SHORTEST_PAIRED:
        one.status = "too-short"
        _say(one, f"fewer than {SHORTEST_PAIRED} words")


def _say(one: Settled, reason: str) -> None:
    """Put the reason for a document's status before any remark from reading."""
    one.reason = f"{reason}; {one.reason}" if one.reason else reason


def _remember(one: Settled, known: Known) -> None:
    """Remember a document's bytes: the first document with words counts, else the first."""
    digest = one.arrival.reading.sha256
    if not digest:
        return  # it was not read
    before = known.files.get(digest)
    if before is None or (before.passage is None and one.passage is not None):
        known.files[digest] = KnownFile(one.number, one.id, one.passage, one.text)
