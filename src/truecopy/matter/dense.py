"""Dense families in the store: what is known and kept of them, and how the rest is computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from truecopy.group.alike import Alike
from truecopy.group.dense_star import dense_star
from truecopy.group.families import Families
from truecopy.group.kept import Nearest, most_contained_pairs, most_similar_pairs, with_longest, with_principals
from truecopy.group.nearest import part_of
from truecopy.match.measures import distinct_shingles
from truecopy.matter import rows, tables
from truecopy.matter.checked import places_of
from truecopy.matter.texts import Texts
from truecopy.matter.views import StoredPairs
from truecopy.pairing import (
    Contained,
    PairTable,
    Similar,
    find_contained,
    find_similar,
    keep_contained,
    keep_similar,
    measure,
)
from truecopy.settings import MatterSettings
from truecopy.text.streams import Bags, Signs

Array = npt.NDArray[Any]

_ROWS_AT_ONCE = 20_000
_COMPARED_AT_ONCE = 1 << 21
"""Pairs that are compared at a time when documents are completed."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What earlier waves have stored of a relation: families, and the pairs, as places of texts."""

    families: Families
    a: Array
    b: Array


def known_families(connection: Connection, relation: str, numbers: Array, dense: int) -> Earlier:
    """The families of the texts with these document numbers, as far as pairs are stored."""
    families, nothing = Families(len(numbers), dense), np.empty(0, np.int64)
    if not families.possible:
        return Earlier(families, nothing, nothing)
    table, dense_table = tables.pairs, tables.dense_families
    pairs = _columns_of(connection, select(table.c.a, table.c.b).where(table.c.relation == relation))
    members = select(dense_table.c.document, dense_table.c.family).where(dense_table.c.relation == relation)
    named = places_of(numbers, _columns_of(connection, members), "dense_families.document")
    joined = np.concatenate([places_of(numbers, pairs, "pairs.a"), named], axis=1)
    if joined.size:
        families.join(joined[0], joined[1])
    return Earlier(families, *joined[:, : pairs.shape[1]])


def _columns_of(connection: Connection, query: Any) -> Array:
    """Two columns of numbers; never all of them as Python objects."""
    parts = [np.empty((0, 2), np.int64)]
    for some in connection.execute(query).partitions(_ROWS_AT_ONCE):
        parts.append(rows.whole_numbers(some))
    return np.concatenate(parts).T


def keep_dense(
    texts: Texts,
    known: dict[str, Earlier],
    found: tuple[Similar, Contained],
    fresh: Array,
    principals: dict[int, int],
    shown: dict[int, int],
    settings: MatterSettings,
    threads: int,
) -> tuple[Similar, Contained]:
    """The pairs to store: those found outside of dense families, and what is kept of these.

    `shown` has linked documents, each with one that it is similar to: these pairs are kept too, so that a stored pair
    shows what is said of a document. Each pair that is kept for one relation is verified for the other as well: its
    kind depends on both.
    """
    similar, contained = found
    families, others = known["similar"].families, known["contains"].families
    if not families.dense() and not others.dense():
        return found
    heads = np.array([principals.get(number, -1) for number in texts.numbers.tolist()], np.int64)
    principal = heads.copy()
    principal[heads >= 0] = places_of(texts.numbers, heads[heads >= 0], "group_members.principal")
    nearest = Nearest(texts.streams, fresh, settings.nearest, threads)
    kept = [with_principals(families, fresh, principal, nearest)]
    kept.append(with_longest(others, fresh, texts.streams.lengths, nearest))
    links = np.array(sorted((min(pair), max(pair)) for pair in shown.items()), np.int64).reshape(-1, 2)
    places = np.searchsorted(texts.numbers, links).astype(np.int32)
    kept.append((places[:, 0], places[:, 1]))
    inside = families.inside(contained.a, contained.b)
    kept.append((contained.a[inside], contained.b[inside]))
    pairs = np.concatenate([pair[0] for pair in kept]), np.concatenate([pair[1] for pair in kept])
    contained = keep_contained(texts.streams, contained, pairs, settings.contains_floor, threads)
    return keep_similar(texts.streams, similar, pairs, settings.floor, threads), contained


def write_density(
    connection: Connection,
    settings: MatterSettings,
    texts: Texts,
    known: dict[str, Earlier],
    stored: tuple[Similar, Contained],
) -> None:
    """Record the texts of dense families, and how many of their pairs are not stored, at most."""
    similar, contained = stored
    connection.execute(tables.dense_families.delete())
    for relation, a, b in (("similar", similar.a, similar.b), ("contains", contained.a, contained.b)):
        before = known[relation]
        families, written = before.families, []
        inside = np.zeros(len(families), np.int64)
        for x, y in ((before.a, before.b), (a, b)):
            inside += np.bincount(families.labels[x[families.inside(x, y)]], minlength=len(families))
        for family in families.dense():
            first = int(family[0])
            if relation == "similar":
                most = most_similar_pairs(texts.streams.lengths[family], settings.floor)
            else:
                most = most_contained_pairs(contained.sizes[family])
            left = {first: most - int(inside[first])}
            written += [
                {
                    "relation": relation,
                    "document": int(texts.numbers[text]),
                    "family": int(texts.numbers[first]),
                    "left_out": left.get(text, 0),
                }
                for text in family.tolist()
            ]
        if written:
            connection.execute(tables.dense_families.insert(), written)


def shown_links(connection: Connection, threshold: float) -> dict[int, int]:
    """The documents that are linked, each with one that a stored pair says it is similar to."""
    documents = tables.documents
    linked = set(connection.execute(select(documents.c.number).where(documents.c.status == "linked")).scalars())
    shown: dict[int, int] = {}
    for a, b in rows.read_pairs(connection, "similar", threshold).columns[:, :2].tolist() if linked else ():
        for one, other in ((a, b), (b, a)):
            if one in linked:
                shown.setdefault(one, other)
    return shown


def left_out(connection: Connection, relation: str = "similar") -> int:
    """How many pairs of dense families are not stored, at most."""
    table = tables.dense_families
    query = select(func.sum(table.c.left_out)).where(table.c.relation == relation)
    return int(connection.execute(query).scalar() or 0)


def dense_texts(connection: Connection, relation: str = "similar") -> list[Array]:
    """The document numbers of each dense family that has pairs left out."""
    table = tables.dense_families
    members: dict[int, list[int]] = {}
    incomplete = set()
    query = select(table).where(table.c.relation == relation).order_by(table.c.document)
    for row in connection.execute(query):
        members.setdefault(row.family, []).append(row.document)
        if row.left_out:
            incomplete.add(row.family)
    return [np.array(members[family], np.int64) for family in sorted(incomplete)]


def is_dense(connection: Connection, document: int) -> bool:
    """Whether a document is in a dense family of `similar`."""
    table = tables.dense_families
    query = select(table.c.document).where(table.c.relation == "similar", table.c.document == document)
    return connection.execute(query).first() is not None


class DenseStars:
    """Groups the texts of dense families at a threshold."""

    def __init__(self, texts: Texts, bags: Bags, families: list[Array], threshold: float, threads: int) -> None:
        """`families` are document numbers."""
        self._texts, self._bags, self._threshold, self._threads = texts, bags, threshold, threads
        self.families = families
        self.shown: dict[int, int] = {}
        """Linked documents that were found, each with one that it is similar to."""

    def stars(self, order: Array, settled: dict[int, int]) -> tuple[Array, Array]:
        """The principals of documents that are given in rule order; and of those that are linked a document that shows
        it, -1 for the others.
        """
        places = np.searchsorted(self._texts.numbers, order)
        alike = Alike(self._texts.streams, self._bags, places, self._threshold, self._threads)
        rank = {number: place for place, number in enumerate(order.tolist())}
        before = np.array([rank[settled[number]] if number in settled else -1 for number in order.tolist()], np.int64)
        stars = dense_star(alike, places, before)
        shown = np.where(stars.shown < 0, -1, order[stars.shown])
        self.shown.update({a: b for a, b in zip(order.tolist(), shown.tolist(), strict=True) if b >= 0})
        return order[stars.principal], shown


@dataclass(frozen=True, slots=True)
class Completing:
    """What computing the pairs of dense families needs."""

    texts: Texts
    bags: Bags
    date_of: Callable[[Array], Array]
    """The dates of documents by number (`match.judge.moments`)."""
    settings: MatterSettings
    threads: int

    def pairs(self, stored: StoredPairs, families: list[Array], threshold: float) -> StoredPairs:
        """Stored pairs of a relation with all that dense families have left out."""
        parts = []
        for family in families:
            part = self._of(family)
            fresh = np.ones(len(family), np.bool_)
            if stored.relation == "similar":
                similar = find_similar(part.texts.streams, part.bags, threshold, 1.0, fresh, self.threads)
                found = part._measured(*_but(stored, family, similar.a, similar.b), threshold)
            else:
                contained = find_contained(part.texts.streams, threshold, fresh, self.threads)
                found = part._measured(*_but(stored, family, contained.a, contained.b), threshold, contained)
            parts += list(found)
        return _with(stored, parts)

    def links(self, families: list[Array], numbers: Array, threshold: float) -> Array:
        """All `similar` pairs that some documents have in their dense families: a, b, distance, longer."""
        parts = [np.empty((0, 4), np.int64)]
        for family in families:
            wanted = family[np.isin(family, numbers)]
            if not len(wanted):
                continue
            part = self._of(family)
            every, asked = np.arange(len(family)), np.searchsorted(family, wanted)
            alike = Alike(part.texts.streams, part.bags, every, threshold, self.threads)
            at_once = max(_COMPARED_AT_ONCE // len(family), 1)
            for first in range(0, len(asked), at_once):
                some = asked[first : first + at_once]
                links = alike.links(some, every)
                x, y = family[some[links.x]], family[links.y]
                parts.append(np.stack([np.minimum(x, y), np.maximum(x, y), links.distance, links.longer], axis=1))
        return np.unique(np.concatenate(parts), axis=0)

    def edges(self, stored: StoredPairs, pairs: Array, threshold: float) -> StoredPairs:
        """Stored `similar` pairs with some others, given as rows of two document numbers."""
        a, b = (np.searchsorted(self.texts.numbers, column) for column in pairs.reshape(-1, 2).T)
        return _with(stored, list(self._measured(*_but(stored, self.texts.numbers, a, b), threshold)))

    def _of(self, family: Array) -> Completing:
        """Only the texts of a family."""
        part = _subset(self.texts, places_of(self.texts.numbers, family, "dense_families.document"))
        return replace(self, texts=part, bags=part.bags(self.threads))

    def _measured(self, a: Array, b: Array, threshold: float, contained: Contained | None = None) -> Iterator[_Part]:
        """The measures of pairs of texts, some at a time: of `similar` at a threshold, or of what is contained."""
        streams, texts = self.texts.streams, np.arange(len(self.texts.numbers), dtype=np.int32)
        empty = np.empty(0, np.int32)
        similar = Similar(empty, empty, empty, empty, "", 1.0)
        if contained is None:
            sizes = distinct_shingles(streams.words, streams.offsets, streams.keys, texts, self.threads)
            contained = Contained(empty, empty, empty, sizes)
        else:
            wanted = np.isin(_codes(contained.a, contained.b, len(texts)), _codes(a, b, len(texts)))
            contained = contained.take(np.flatnonzero(wanted))
            threshold = self.settings.floor
        similar = keep_similar(streams, similar, (a, b), threshold, self.threads)
        dates = self.date_of(self.texts.numbers)
        given = (self.texts.signs, dates, self.texts.vocabulary, similar, contained)
        for table in measure(streams, self.bags, *given, self.threads):
            yield _table_columns(table, self.texts.numbers), table.kind.tolist()


_Part = tuple[Array, list[str]]


def _codes(a: Array, b: Array, texts: int) -> Array:
    codes: Array = np.minimum(a, b).astype(np.int64) * texts + np.maximum(a, b)
    return codes


def _but(stored: StoredPairs, numbers: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """Pairs of places in `numbers` that are not stored, each once, a < b."""
    most = int(max(numbers.max(initial=0), stored.columns[:, :2].max(initial=0))) + 1
    codes = np.unique(_codes(numbers[a], numbers[b], most))
    codes = codes[~np.isin(codes, _codes(stored.columns[:, 0], stored.columns[:, 1], most))]
    first, second = (np.searchsorted(numbers, column).astype(np.int32) for column in (codes // most, codes % most))
    return first, second


def _with(stored: StoredPairs, parts: list[_Part]) -> StoredPairs:
    """Stored pairs with others, in order."""
    every = np.concatenate([stored.columns, *(columns for columns, _ in parts)])
    kinds = [*stored.kinds, *(kind for _, some in parts for kind in some)]
    order = np.lexsort((every[:, 1], every[:, 0]))
    return StoredPairs(stored.relation, every[order], [kinds[i] for i in order.tolist()])


def _table_columns(table: PairTable, numbers: Array) -> Array:
    return np.stack(
        [
            numbers[table.a], numbers[table.b], table.distance, table.longer, table.shared_shingles,
            table.a_shingles, table.b_shingles, table.shared_terms, table.fewer_terms,
        ],
        axis=1,
    ).astype(np.int64)  # fmt: skip


def _subset(texts: Texts, places: Array) -> Texts:
    """Some of the texts, as a set of their own."""
    part = part_of(texts.streams, places)
    signs = texts.signs
    source = _sources(texts.streams.offsets, places)
    marked = _sources(signs.mark_offsets, places)
    mark_offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(signs.mark_offsets)[places])])
    return Texts(
        texts.numbers[places], part, Signs(signs.breaks[source], signs.marks[marked], mark_offsets), texts.vocabulary
    )


def _sources(offsets: Array, places: Array) -> Array:
    """Where in the whole the entries of some texts are."""
    counts = np.diff(offsets)[places]
    begins = np.cumsum(counts) - counts
    found: Array = np.repeat(offsets[places] - begins, counts) + np.arange(int(counts.sum()))
    return found
