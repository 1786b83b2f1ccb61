"""All documents of a matter at once, for answers that are about all of them; single questions never make this."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from truecopy.array_types import I64
from truecopy.match.kinds import kind_of_copies
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.state import State
from truecopy.model import COPIES, NOT_SEARCHED, Document, Hit

SET_ASIDE = (*NOT_SEARCHED, "empty", "numbers-only")
"""Statuses of documents that the star algorithm skips; figures alone are grouped by equality only."""


class Register:
    """The documents of a matter, by number and with their copies."""

    def __init__(self, documents: Iterable[tuple[Document, int | None]], passages: I64) -> None:
        """`passages` has a row for each: number, first document, words, shingles."""
        self.documents: dict[int, Document] = {}
        self.copies: dict[int, list[Document]] = {number: [] for number in passages[:, 0].tolist()}
        """Passage → the documents that have it, in order of number."""
        for document, passage in documents:
            self.documents[document.number] = document
            if passage is not None:
                if passage not in self.copies:
                    raise wrong_cell("documents.passage")
                self.copies[passage].append(document)
        for number, first in passages[:, :2].tolist():
            if not self.copies[number] or self.copies[number][0].number != first:
                raise wrong_cell("passages.document")
        self._shingles = dict(zip(passages[:, 0].tolist(), passages[:, 3].tolist(), strict=True))

    def first(self, passage: int) -> Document:
        """The first document that has a passage."""
        return self.copies[passage][0]

    def shingles(self, passage: int) -> int:
        """Distinct shingles of a passage."""
        return int(self._shingles[passage])

    def check(self, passages: I64, cell: str) -> None:
        """Refuse numbers from a cell (`table.column`) that are not those of passages."""
        if not np.isin(passages, np.fromiter(self.copies, np.int64)).all():
            raise wrong_cell(cell)


def read_register(state: State) -> Register:
    """Every document, and which is a copy of which; read once for a whole snapshot."""
    return state.once("register", lambda: _read(state))


def _read(state: State) -> Register:
    passages = state.passages.every()
    return Register(((kept.document, kept.passage) for some in state.documents.walk() for kept in some), passages)


def equal_kind(a: Document, b: Document) -> str:
    """How two documents with the same words are related."""
    return kind_of_copies(a.sha256 == b.sha256)


def best_first(hit: Hit) -> tuple[float, bool, int]:
    """The order of hits; of those at 100, copies come before texts with other figure marks."""
    return -hit.similarity, hit.kind not in COPIES, hit.document.number
