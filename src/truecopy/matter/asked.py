"""The document that somebody asks about: one of the matter, or a file from outside, in the forms that indexes take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import Connection

from truecopy.errors import UnreadableInput
from truecopy.index.index import Index
from truecopy.index.rows import Rows, rows_of, rows_of_bags
from truecopy.index.shingles import shingle_rows
from truecopy.matter import rows
from truecopy.matter.indexing import OVERLAP, SHINGLE
from truecopy.matter.naming import named, not_named
from truecopy.matter.opened import OpenMatter
from truecopy.matter.outside import read_one
from truecopy.matter.rows import Kept
from truecopy.matter.signing import sign_one
from truecopy.matter.texts import shingle_keys
from truecopy.model import Document, Reading
from truecopy.text.batches import NumberedTexts, number_texts
from truecopy.text.streams import make_bags


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """What is asked about; `kept` if the matter has it, else `reading` and its words."""

    name: str
    kept: Kept | None = None
    reading: Reading | None = None
    numbered: NumberedTexts | None = None

    @property
    def sha256(self) -> str:
        """Of the file's bytes."""
        if self.kept is not None:
            return self.kept.document.sha256
        assert self.reading is not None
        return self.reading.sha256

    @property
    def words(self) -> int:
        """How many words it has."""
        if self.kept is not None:
            return self.kept.document.words
        assert self.numbered is not None
        return len(self.numbered.words)

    @property
    def stream(self) -> int | NumberedTexts:
        """Its words: the document that the matter keeps them under, or the words themselves."""
        if self.numbered is not None:
            return self.numbered
        assert self.kept is not None
        assert self.kept.original is not None
        return self.kept.original

    def is_same(self, document: Document) -> bool:
        """Whether a document of the matter is the very one that is asked about."""
        return self.kept is not None and self.kept.document.number == document.number

    def must_have_words(self) -> None:
        """Refuse a document that nothing can be said about."""
        if self.words:
            return
        if self.kept is not None:
            raise without_text(self.kept.document)
        raise UnreadableInput(f"{self.name} has no words, so nothing is similar to it.", "Give a file with a text.")


def without_text(document: Document) -> UnreadableInput:
    """The error for a document without text: it says why there is none."""
    why = f"{document.status} ({document.reason})" if document.reason else document.status
    scan = " To read scans, scan them with --ocr into a new matter." if document.status == "unsearchable" else ""
    return UnreadableInput(
        f"{document.id} ({document.path}) has no text to compare: it is {why}.", f"Give a document with a text.{scan}"
    )


def find_asked(folder: Path, connection: Connection, name: str | Path | Document) -> AskedDocument:
    """A document of the matter by any of its names, else a file."""
    if isinstance(name, Document):
        return AskedDocument(name.id, rows.documents_with(connection, "number", [name.number])[0])
    found = named(folder, connection, str(name))
    if found is not None:
        return AskedDocument(str(name), found)
    if not _is_there(name):
        raise not_named(folder, connection, str(name))
    reading = read_one(name)
    return AskedDocument(str(name), None, reading, number_texts([reading.text]))


def _is_there(name: str | Path) -> bool:
    try:
        return Path(name).is_file() or Path(name).is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def signature_of(
    asked: AskedDocument, folder: Path, connection: Connection, index: Index, method: str, threads: int
) -> Rows:
    """Its signature: as the matter keeps it, or made now in the same way."""
    if asked.reading is not None:
        return rows_of(sign_one(folder, connection, method, asked.reading.text, asked.reading.date, threads))
    assert asked.kept is not None
    if asked.kept.text is None:
        raise UnreadableInput(f"{asked.name} has no text, so it has no signature.", "Give a document with a text.")
    owner = min(kept.document.number for kept in rows.documents_with(connection, "text", [asked.kept.text]))
    for block in index.blocks:
        place = np.flatnonzero(block.numbers == owner)
        if len(place):
            return block.rows.take(place[:1])
    raise AssertionError("every text of a signed matter has a signature")


def word_row(asked: AskedDocument, opened: OpenMatter, connection: Connection, kind: str) -> Rows:
    """Its bag of words, or its shingles."""
    assert kind in (OVERLAP, SHINGLE)
    streams = opened.some(connection, [], asked.stream).streams
    if kind == SHINGLE:
        return shingle_rows(streams.words, streams.offsets, shingle_keys(connection, len(streams.hashes)))
    return rows_of_bags(make_bags(streams.words, streams.offsets, 1 + int(streams.words.max(initial=0))))
