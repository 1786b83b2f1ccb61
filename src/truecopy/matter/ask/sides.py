"""The two sides of a comparison: documents of the matter or files from outside, in any mix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from truecopy.errors import UnreadableInput
from truecopy.match.compare import compare
from truecopy.match.relations import DEFAULT_FLOORS, Floors
from truecopy.matter.ask.naming import kept_of, named, not_named
from truecopy.matter.ask.text import text_of
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State
from truecopy.model import Comparison, Document
from truecopy.read.one import read_one
from truecopy.text import words


@dataclass(frozen=True, slots=True)
class Side:
    """One of two documents that are compared."""

    name: str
    """Id and path of a document of the matter; the path of a file."""
    text: str
    sha256: str
    date: str
    """Its original's date, if it is a copy."""
    document: Document | None = None
    measured: str | None = None
    """Its original's text, if it is a copy: the same words and figure marks, maybe in another layout."""
    encoding: str = ""
    confidence: int | None = None
    doubt: str = ""
    """What its bytes were read as, how sure that is, and what may be wrong about it."""


def side(state: State, name: str | Path | Document) -> Side:
    """A document of the matter by name, else a file; one without a text is refused with its reason."""
    if isinstance(name, Document):
        return _of_document(state, kept_of(state, name))
    found = named(state, str(name))
    if found is not None:
        return _of_document(state, found)
    if not Path(name).is_file():
        raise not_named(state, str(name))
    return of_file(name)


def of_file(path: str | Path) -> Side:
    """A file from outside."""
    reading = read_one(path)
    text = reading.text.decode()
    if not len(words(text)):
        raise UnreadableInput(
            f"{path} has no text to compare: {reading.hidden or 'there is no word in it'}.",
            "Give a document with a text.",
        )
    said = reading.encoding, reading.confidence, reading.doubt
    return Side(str(path), text, reading.sha256, reading.date, None, None, *said)


def compare_sides(a: Side, b: Side, floors: Floors = DEFAULT_FLOORS) -> Comparison:
    """Every measure, the kind, and the differences between two sides."""
    first, second = (one.text if one.measured is None else one.measured for one in (a, b))
    return compare(
        first,
        second,
        same_file=a.sha256 == b.sha256,
        floors=floors,
        dates=(a.date, b.date),
        written=(a.text, b.text),
    )


def _of_document(state: State, kept: Kept) -> Side:
    document = kept.document
    if kept.passage is None:
        raise UnreadableInput(
            f"{document.id} ({document.path}) has no text to compare: it is {document.status} ({document.reason}).",
            "Give a document with a text.",
        )
    original = kept
    if document.copy_of:  # all others are the first with their words
        first = state.passages.numbered([kept.passage])[kept.passage].document
        original = kept if first == document.number else state.documents.numbered([first])[0]
    text = text_of(state, kept)
    measured = None if original is kept else text_of(state, original)
    name, said = f"{document.id}  {document.path}", (document.encoding, document.confidence, document.doubt)
    return Side(name, text, document.sha256, original.document.date, document, measured, *said)
