"""Pairs at any threshold of a relation, read from what is stored; of dense families also what is not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from truecopy.array_types import I64
from truecopy.listing import Listing, Row, TableColumn, counted
from truecopy.match.relations import relation_named
from truecopy.matter.ask.views import Register, equal_kind, read_register
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.sql.pairs import PairRows
from truecopy.matter.state import State
from truecopy.model import Document, Pair, Scores, which
from truecopy.settings import thread_count

if TYPE_CHECKING:
    from truecopy.matter.ask.completed import Completing


@dataclass(frozen=True, slots=True, repr=False)
class Pairs(Listing[Pair]):
    """The answer of `pairs`: a sequence of pairs, and a table with one row for each."""

    pairs: tuple[Pair, ...]
    complete: bool
    left_out: int
    """Pairs of dense families that are not stored."""

    UNIT: ClassVar[str] = "pair"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        TableColumn("a_id", "string", "id of the document that came first", shown=True),
        TableColumn("a", "string", "its path, relative to the root", shown=True),
        TableColumn("a_root", "string", "what was scanned"),
        TableColumn("a_wave", "string", "the wave that it came with"),
        TableColumn("b_id", "string", "id of the other, which came later", shown=True),
        TableColumn("b", "string", "its path", shown=True),
        TableColumn("b_root", "string", "its root"),
        TableColumn("b_wave", "string", "its wave"),
        TableColumn("relation", "string", "similar or contains"),
        TableColumn("similarity", "float64", "of the words; none where it was not computed", optional=True, shown=True),
        TableColumn("resemblance", "float64", "shared shingles, of all that either has"),
        TableColumn("a_in_b", "float64", "how much of a is in b, by shingles"),
        TableColumn("b_in_a", "float64", "how much of b is in a, by shingles"),
        TableColumn("terminology", "float64", "shared content words, of those in the text that has fewer"),
        TableColumn("kind", "string", "what the two are to each other", shown=True),
    )

    def _entries(self) -> tuple[Pair, ...]:
        return self.pairs

    @staticmethod
    def _rows_of(entry: Pair) -> Iterator[Row]:
        scores = entry.scores
        yield (
            *which(entry.a), *which(entry.b), entry.relation, scores.similarity, scores.resemblance,
            *scores.containment, scores.terminology, entry.kind,
        )  # fmt: skip

    def _summary(self) -> str:
        missing = "" if self.complete else f", up to {self.left_out:,} more not stored"
        return f"{counted(len(self), 'pair')}{missing}"


def pairs_at(state: State, threshold: float, relation: str, expand: bool) -> Pairs:
    """Pairs of a relation at a threshold; with `expand`, all of them: every copy of either side, and what dense
    families have left out.
    """
    register = read_register(state)
    stored = state.pairs.at(relation, threshold)
    missing = state.families.left_out(relation)
    register.check(stored.columns[:, :2], "pairs.a")
    if expand and missing:
        families = state.families.incomplete(relation)
        stored, missing = completing(state, families).pairs(stored, families, threshold), 0
    stored = _with_distances(state, stored)
    listed = _expanded(register, stored) if expand else _distinct(register, stored)
    ordered = sorted(listed, key=lambda pair: (pair.a.number, pair.b.number))
    return Pairs(tuple(ordered), missing == 0, missing)


def pairs_page(
    state: State, threshold: float, relation: str, after: tuple[int, int] = (0, 0), limit: int | None = None
) -> list[Pair]:
    """Stored pairs of distinct texts after the pair of two passages; no more is read than is given."""
    stored = _with_distances(state, state.pairs.page(relation, threshold, after, limit))
    passages = {int(number) for row in stored.columns[:, :2].tolist() for number in row}
    first = first_documents(state, passages)
    return [
        Pair(first[a].document, first[b].document, relation, stored.scores(row), stored.kinds[row])
        for row, (a, b) in enumerate(stored.columns[:, :2].tolist())
    ]


def first_documents(state: State, passages: set[int]) -> dict[int, Kept]:
    """The first document of each of some passages."""
    rows = state.passages.numbered(passages)
    kept = {one.document.number: one for one in state.documents.numbered(row.document for row in rows.values())}
    if len(rows) != len(passages) or any(row.document not in kept for row in rows.values()):
        raise wrong_cell("passages.document")
    return {number: kept[row.document] for number, row in rows.items()}


def completing(state: State, families: list[I64]) -> Completing:
    """What computes the pairs that dense families have left out."""
    from truecopy.matter.ask.completed import Completing
    from truecopy.matter.texts import some_texts

    texts, threads = some_texts(state, np.unique(np.concatenate(families))), thread_count(None)
    return Completing(texts, texts.bags(threads), state.documents.dates, state.facts.settings(), threads)


def _with_distances(state: State, stored: PairRows) -> PairRows:
    """Pairs with the distance of those that are not similar, which is not stored: it is dear where both are long."""
    unknown = np.flatnonzero(stored.columns[:, 2] < 0)
    if not len(unknown):
        return stored
    from truecopy.match.verify import edit_distances
    from truecopy.matter.checked import places_of
    from truecopy.matter.texts import some_texts

    ends = stored.columns[unknown, :2]
    texts = some_texts(state, np.unique(ends))
    streams = texts.streams
    a, b = (places_of(texts.numbers, ends[:, side], "pairs.a").astype(np.int32) for side in (0, 1))
    longer = np.maximum(streams.lengths[a], streams.lengths[b])
    columns = stored.columns.copy()
    if not np.array_equal(longer, columns[unknown, 3]):
        raise wrong_cell("pairs.longer")
    columns[unknown, 2] = edit_distances(streams.words, streams.offsets, a, b, longer, thread_count(None))
    return replace(stored, columns=columns)


def _expanded(register: Register, stored: PairRows) -> Iterator[Pair]:
    """All pairs of documents: copies with each other, and each stored pair with every copy of either side."""
    least = relation_named(stored.relation).least
    for passage, family in register.copies.items():
        shingles = register.shingles(passage)
        if shingles < least:
            continue
        for a, b in combinations(family, 2):
            scores = Scores(0, a.words, shingles, shingles, shingles, 1, 1)
            yield Pair(a, b, stored.relation, scores, equal_kind(a, b))
    for row, (first, second) in enumerate(stored.columns[:, :2].tolist()):
        scores = stored.scores(row)
        for a in register.copies[first]:
            for b in register.copies[second]:
                yield _ordered(a, b, stored.relation, scores, stored.kinds[row])


def _distinct(register: Register, stored: PairRows) -> Iterator[Pair]:
    """Pairs of distinct texts: only the original of copies is in them."""
    for row, (a, b) in enumerate(stored.columns[:, :2].tolist()):
        yield Pair(register.first(a), register.first(b), stored.relation, stored.scores(row), stored.kinds[row])


def _ordered(a: Document, b: Document, relation: str, scores: Scores, kind: str) -> Pair:
    """A pair with its lower number first; its scores are swapped with it."""
    if a.number < b.number:
        return Pair(a, b, relation, scores, kind)
    turned = Scores(
        scores.distance, scores.longer, scores.shared_shingles, scores.b_shingles, scores.a_shingles,
        scores.shared_terms, scores.fewer_terms,
    )  # fmt: skip
    return Pair(b, a, relation, turned, kind)
