"""The document that somebody asks about: one of the matter, or a file from outside, in the forms that indexes take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import UnreadableInput
from truecopy.index.index import Index
from truecopy.index.rows import Rows, rows_of, rows_of_bags
from truecopy.index.shingles import shingle_rows
from truecopy.matter.ask.naming import kept_of, named, not_named, without_text
from truecopy.matter.indexing import OVERLAP, SHINGLE
from truecopy.matter.signed import sign_one
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State
from truecopy.matter.texts import Query, query_of, shingle_keys, stream_of
from truecopy.model import Document, Reading
from truecopy.read import ReadSettings
from truecopy.read.encodings.rules import rules_now
from truecopy.read.one import read_one
from truecopy.text.batches import number_texts
from truecopy.text.streams import bag_of


@dataclass(frozen=True, slots=True)
class AskedDocument:
    """What is asked about; `kept` if the matter has it, else `reading` and its words, `query`."""

    name: str
    kept: Kept | None = None
    reading: Reading | None = None
    query: Query | None = None

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
        assert self.query is not None
        return len(self.query.words)

    @property
    def stream(self) -> int | Query:
        """Its words: the passage that the matter keeps them as, or the words themselves."""
        if self.query is not None:
            return self.query
        assert self.kept is not None
        assert self.kept.passage is not None
        return self.kept.passage

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


def find_asked(state: State, name: str | Path | Document | Kept) -> AskedDocument:
    """A document of the matter by any of its names, else a file."""
    if isinstance(name, Kept):
        return AskedDocument(name.document.id, name)
    if isinstance(name, Document):
        return AskedDocument(name.id, kept_of(state, name))
    found = named(state, str(name))
    return asked_file(state, name) if found is None else AskedDocument(str(name), found)


def asked_file(state: State, name: str | Path) -> AskedDocument:
    """A file that no document of the matter is named like."""
    if not _is_there(name):
        raise not_named(state, str(name))
    reading = read_one(name, ReadSettings(encoding=rules_now(), every_digest=False))
    return AskedDocument(str(name), None, reading, query_of(state, number_texts([reading.text], with_digests=False)))


def _is_there(name: str | Path) -> bool:
    try:
        return Path(name).is_file() or Path(name).is_dir()
    except (OSError, ValueError):  # a name that no file can have
        return False


def signature_of(asked: AskedDocument, state: State, index: Index, method: str, threads: int) -> Rows:
    """Its signature: as the matter keeps it, or made now in the same way."""
    if asked.reading is not None:
        return rows_of(sign_one(state, method, asked.reading.text, asked.reading.date, threads))
    assert asked.kept is not None
    if asked.kept.text is None:
        raise UnreadableInput(f"{asked.name} has no text, so it has no signature.", "Give a document with a text.")
    owner = min(kept.document.number for kept in state.documents.of_texts([asked.kept.text]))
    for find in (_among_ordered, _among_any):  # as a rule the numbers of a block are in order
        for block in index.blocks:
            place = find(block.numbers, owner)
            if len(place):
                return block.rows.take(place)
    raise AssertionError("every text of a signed matter has a signature")


def _among_ordered(numbers: I64, number: int) -> I64:
    """The place of a number, if it is found by halving."""
    place = np.searchsorted(numbers, [number])
    return place[numbers[np.minimum(place, len(numbers) - 1)] == number] if len(numbers) else place[:0]


def _among_any(numbers: I64, number: int) -> I64:
    return np.flatnonzero(numbers == number)[:1]


def word_row(asked: AskedDocument, state: State, index: str) -> Rows:
    """Its bag of words, or its shingles."""
    assert index in (OVERLAP, SHINGLE)
    stream, room = stream_of(state, asked.stream)
    offsets = np.array([0, len(stream)], np.int64)
    if index == SHINGLE:
        return shingle_rows(stream, offsets, shingle_keys(state, room))
    return rows_of_bags(bag_of(stream))
