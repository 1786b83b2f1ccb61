"""Which passage and which text each document of a matter of format 5 has, in the numbers of format 6.

Passages are numbered in the order of their first documents. Texts are numbered so too, so that those of a wave follow
one another; in a matter that truecopy has made, that is the number that they had.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import Table

from truecopy.array_types import I64
from truecopy.matter.checked import places_of
from truecopy.matter.sql import format_5
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.migrations.pages import pages
from truecopy.matter.state import State


@dataclass(frozen=True, slots=True)
class Numbers:
    """The documents in order, as columns; 0 stands for none."""

    waves: list[int]
    """The matter's waves."""
    documents: I64
    wave: I64
    """Of each document; so are the next two."""
    passage: I64
    text: I64
    first: I64
    """The first document of each passage."""
    former_texts: I64
    """The number that each text had."""
    text_wave: I64
    """The wave that brought each text."""

    def passages(self, documents: I64, cell: str) -> I64:
        """The passages that some documents are the first of; a cell (`table.column`) with another one is refused."""
        found: I64 = places_of(self.first, documents, cell) + 1
        return found

    def firsts(self, wave: int) -> I64:
        """The first documents of the passages that a wave brought."""
        there = self.wave[np.searchsorted(self.documents, self.first)]
        found: I64 = self.first[there == wave]
        return found

    def texts(self, wave: int) -> I64:
        """The texts that a wave brought; they follow one another."""
        found: I64 = np.flatnonzero(self.text_wave == wave) + 1
        return found


def number_all(state: State, former: Table) -> Numbers:
    """Go through all documents once, and refuse those that contradict one another."""
    parts: list[I64] = [np.empty((0, 4), np.int64)]
    only = ("number", "wave", "original", "text")
    for page in pages(state.connection, former, format_5.documents, ["number"], only=only):
        columns = [[0 if cell is None else cell for cell in page[name]] for name in only]
        parts.append(np.array(columns, np.int64).T)
    documents, wave, original, former_text = np.concatenate(parts).T.copy()
    waves = state.waves.numbers()
    if (wave[1:] < wave[:-1]).any() or not np.isin(wave, waves).all():
        raise wrong_cell("documents.wave")
    first = documents[original == documents]
    passage = np.zeros(len(documents), np.int64)
    have = original > 0
    if (original > documents).any():
        raise wrong_cell("documents.original")
    passage[have] = places_of(first, original[have], "documents.original") + 1
    text, former_texts, place = _texts(former_text)
    return Numbers(waves, documents, wave, passage, text, first, former_texts, wave[place])


def _texts(former: I64) -> tuple[I64, I64, I64]:
    """The text of each document, renumbered; and the number that each text had, and the place of its first document."""
    have = np.flatnonzero(former)
    numbers, first, which = np.unique(former[have], return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(1, len(order) + 1)
    text = np.zeros(len(former), np.int64)
    text[have] = rank[which]
    return text, numbers[order], have[first[order]]
