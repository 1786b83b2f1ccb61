"""The two sides of a comparison: documents of the matter or files from outside, in any mix."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from truecopy.errors import NotFound, UnreadableInput
from truecopy.match.compare import compare
from truecopy.match.judge import Floors
from truecopy.matter import rows
from truecopy.matter.outside import read_one
from truecopy.model import Comparison, Document
from truecopy.text import words

if TYPE_CHECKING:
    from truecopy.matter.matter import Matter


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


def side(matter: Matter, name: str | Path | Document) -> Side:
    """A document of the matter by name, else a file; one without a text is refused with its reason."""
    if isinstance(name, Document):
        return _of_document(matter, name)
    try:
        document = matter.document(str(name))
    except NotFound:
        if not Path(name).is_file():
            raise
        return of_file(name)
    return _of_document(matter, document)


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


def compare_sides(a: Side, b: Side, floors: Floors | None = None) -> Comparison:
    """Every measure, the kind, and the differences between two sides."""
    first, second = (one.text if one.measured is None else one.measured for one in (a, b))
    return compare(
        first,
        second,
        same_file=a.sha256 == b.sha256,
        floors=floors or Floors(),
        dates=(a.date, b.date),
        written=(a.text, b.text),
    )


def _of_document(matter: Matter, document: Document) -> Side:
    if not document.words:
        raise UnreadableInput(
            f"{document.id} ({document.path}) has no text to compare: it is {document.status} ({document.reason}).",
            "Give a document with a text.",
        )
    with matter.asking() as connection:
        kept = rows.documents_with(connection, "number", [document.number])[0]
        assert kept.original is not None
        original = rows.documents_with(connection, "number", [kept.original])[0].document
    text = matter.text(document)
    measured = None if original.number == document.number else matter.text(original)
    name, said = f"{document.id}  {document.path}", (document.encoding, document.confidence, document.doubt)
    return Side(name, text, document.sha256, original.date, document, measured, *said)
