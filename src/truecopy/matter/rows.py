"""Rows of the database ↔ the model: documents, pairs, groups."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, Connection, Select, and_, case, func, select, type_coerce
from sqlalchemy.types import NullType

from truecopy.match.judge import UNKNOWN_DATE, moment
from truecopy.match.kinds import BY_NAME
from truecopy.matter import tables
from truecopy.matter.cells import MOST, check_column, wrong_cell
from truecopy.matter.intake import Arrival
from truecopy.matter.store import kept
from truecopy.matter.views import Containments, Register, StoredPairs
from truecopy.model import Counts, Document, Wave, figure_of
from truecopy.pairing import PairTable
from truecopy.settings import MatterSettings
from truecopy.threshold import WHOLE, ten_thousandths

Array = npt.NDArray[Any]

OWN = "own"
"""The name of the matter's own grouping."""
_MEASURES = (
    "distance", "longer", "shared_shingles", "a_shingles", "b_shingles", "shared_terms", "fewer_terms",
)  # fmt: skip


_DOCUMENT_FIELDS = tuple(field.name for field in fields(Document))
_VALUES_AT_ONCE = 500
"""Values that a statement may name."""
_ROWS_AT_ONCE = 20_000
"""How many pairs are in memory as Python objects at a time."""
_PAIR_COLUMNS = ("relation", "a", "b", *_MEASURES, "kind")
# The driver's own statement: for a million rows it is several times as fast as the compiler's.
_INSERT_PAIRS = f"INSERT INTO pairs ({', '.join(_PAIR_COLUMNS)}) VALUES ({', '.join('?' * len(_PAIR_COLUMNS))})"  # noqa: S608


def document_id(number: int) -> str:
    """The control number of a document that was given none.

    >>> document_id(412)
    'TC-000412'
    """
    return f"TC-{number:06d}"


def read_waves(connection: Connection) -> list[Wave]:
    """The waves in order."""
    rows = connection.execute(select(tables.waves).order_by(tables.waves.c.number))
    return [Wave(row.name, row.documents, row.added) for row in rows]


def read_register(connection: Connection) -> Register:
    """Every document, and which is a copy of which."""
    return kept(connection, "register", lambda: _read_register(connection))


def _read_register(connection: Connection) -> Register:
    names = _wave_names(connection)
    documents: list[Document] = []
    originals: dict[int, int] = {}
    shingles: dict[int, int] = {}
    last = 0
    columns = tuple(tables.documents.c)
    # Cells are checked by column here, not each on its way from the database: a walk over every document.
    unchecked = select(*(type_coerce(column, NullType()).label(column.name) for column in columns))
    for rows in connection.execute(unchecked.order_by(tables.documents.c.number)).partitions(_ROWS_AT_ONCE):
        cells = _by_column(rows)
        for column in columns:
            check_column(column, cells[column.name])
        numbers = np.array((last, *cells["number"]), np.int64)
        if (numbers[1:] <= numbers[:-1]).any():  # pages of the database that lead in a circle
            raise wrong_cell("documents.number")
        last = int(numbers[-1])
        documents += _documents(cells, names)
        for number, original, count in zip(cells["number"], cells["original"], cells["shingles"], strict=True):
            if original is not None:
                originals[number] = original
                shingles[number] = count
    for number, original in originals.items():
        if original > number or originals.get(original) != original:
            raise wrong_cell("documents.original")
    return Register(documents, originals, shingles)


def _wave_names(connection: Connection) -> dict[int, str]:
    return {row.number: row.name for row in connection.execute(select(tables.waves.c.number, tables.waves.c.name))}


def _by_column(rows: Sequence[Any]) -> dict[str, tuple[Any, ...]]:
    """The cells of some whole rows of documents, by the name of their column."""
    names = tables.documents.c.keys()
    return dict(zip(names, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(names, ())


def _documents(cells: dict[str, tuple[Any, ...]], waves: dict[int, str]) -> Iterable[Document]:
    if not waves.keys() >= set(cells["wave"]):
        raise wrong_cell("documents.wave")
    given = cells | {
        "wave": [waves[number] for number in cells["wave"]],
        "copy_of": ["" if number is None else document_id(number) for number in cells["copy_of"]],
    }
    return map(Document, *(given[name] for name in _DOCUMENT_FIELDS))


@dataclass(frozen=True, slots=True)
class Kept:
    """A document with what it has in common with others."""

    document: Document
    original: int | None
    """The document whose text it has; None where it has none."""
    text: int | None
    """The number of its stored text; None where it has none."""


def documents_with(connection: Connection, column: str, values: Sequence[int]) -> list[Kept]:
    """The documents whose number, original or text is one of some, in order of number."""
    wanted, found = sorted({int(value) for value in values}), []
    for first in range(0, len(wanted), _VALUES_AT_ONCE):
        some = wanted[first : first + _VALUES_AT_ONCE]
        found += documents_where(connection, tables.documents.c[column].in_(some))
    return sorted(found, key=lambda kept: kept.document.number)


def documents_where(connection: Connection, where: ColumnElement[bool], limit: int | None = None) -> list[Kept]:
    """The documents that meet a condition, in order of number."""
    names = _wave_names(connection)
    query = select(tables.documents).where(where).order_by(tables.documents.c.number).limit(limit)
    cells = _by_column(connection.execute(query).all())
    return list(map(Kept, _documents(cells, names), cells["original"], cells["text"]))


def read_dates(connection: Connection, numbers: Array) -> Array:
    """The dates of documents by number, in rising order, as numbers that can be compared."""
    table = tables.documents
    rows = connection.execute(select(table.c.number, table.c.date).where(table.c.date != "").order_by(table.c.number))
    found = [(row.number, moment(row.date)) for row in rows]
    dates = np.full(len(numbers), UNKNOWN_DATE, np.int64)
    if found and len(numbers):
        dated = np.array(found, np.int64)
        places = np.minimum(np.searchsorted(numbers, dated[:, 0]), len(numbers) - 1)
        wanted = numbers[places] == dated[:, 0]
        dates[places[wanted]] = dated[wanted, 1]
    return dates


def read_counts(connection: Connection, wave: str | None = None) -> Counts:
    """How many documents, or documents of a wave, are copies, near copies, to be read, not searched, empty."""
    table = tables.documents
    copied = table.c.copy_of.is_not(None)
    query = select(table.c.status, copied, func.count()).group_by(table.c.status, copied)
    if wave is not None:
        query = query.join(tables.waves, tables.waves.c.number == table.c.wave).where(tables.waves.c.name == wave)
    counts: Counter[str] = Counter()
    for status, copy, count in connection.execute(query):
        counts[figure_of(status, bool(copy))] += count
    return Counts(*(counts[field.name] for field in fields(Counts)))


def count_reasons(connection: Connection, status: str, reasons: Collection[str]) -> int:
    """How many documents have a status for one of these reasons."""
    table = tables.documents
    query = select(func.count()).select_from(table).where(table.c.status == status, table.c.reason.in_(sorted(reasons)))
    return int(connection.execute(query).scalar_one())


def count_doubted(connection: Connection) -> int:
    """How many texts were read with doubt about their encoding."""
    query = select(func.count()).select_from(tables.documents).where(tables.documents.c.doubt != "")
    return int(connection.execute(query).scalar_one())


def _holds(relation: str, threshold: float) -> ColumnElement[bool]:
    """Whether a relation holds for a stored pair at a threshold; compared in integers."""
    table = tables.pairs
    if relation == "similar":
        reaches = _similar_at(threshold)
    else:
        smaller = case((table.c.a_shingles < table.c.b_shingles, table.c.a_shingles), else_=table.c.b_shingles)
        reaches = table.c.shared_shingles * WHOLE >= smaller * ten_thousandths(threshold)
    return and_(table.c.relation == relation, reaches)


def _similar_at(threshold: float) -> ColumnElement[bool]:
    """Whether the distance of a stored pair, where it is known, is that of a similar one."""
    table = tables.pairs
    return (table.c.longer - table.c.distance) * WHOLE >= table.c.longer * ten_thousandths(threshold)


def count_pairs(connection: Connection, relation: str, threshold: float) -> int:
    """How many stored pairs of a relation reach a threshold."""
    query = select(func.count()).select_from(tables.pairs).where(_holds(relation, threshold))
    return int(connection.execute(query).scalar_one())


def count_only_contained(connection: Connection, threshold: float) -> int:
    """How many stored pairs of `contains` are not similar at a threshold."""
    table = tables.pairs
    unlike = (table.c.distance < 0) | ~_similar_at(threshold)
    query = select(func.count()).select_from(table).where(table.c.relation == "contains", unlike)
    return int(connection.execute(query).scalar() or 0)


def read_distances(connection: Connection) -> Array:
    """Distance and longer length of every stored pair that is similar."""
    table = tables.pairs
    query = select(table.c.distance, table.c.longer).where(table.c.relation == "similar")
    parts = [np.empty((0, 2), np.int64)]
    for some in connection.execute(query).partitions(_ROWS_AT_ONCE):
        parts.append(whole_numbers(some))
    found = np.concatenate(parts)
    if ((found[:, 0] < 0) | (found[:, 0] > found[:, 1])).any():
        raise wrong_cell("pairs.distance")
    return found


def whole_numbers(rows: Sequence[Any]) -> Array:
    """Rows of whole numbers as an array; anything else is refused."""
    try:
        found = np.array([tuple(row) for row in rows])
    except (ValueError, OverflowError) as error:
        raise wrong_cell("pairs.a to fewer_terms") from error
    if found.dtype.kind != "i":  # NumPy takes the type that holds every cell
        raise wrong_cell("pairs.a to fewer_terms")
    return found.astype(np.int64)


def _check_order(parts: list[Array]) -> None:
    """Refuse pairs that do not come in order, each once: the database's pages may lead in a circle."""
    here = np.concatenate([parts[-2][-1:, :2], parts[-1][:, :2]])
    a, b = here[:, 0], here[:, 1]
    if not ((a[1:] > a[:-1]) | ((a[1:] == a[:-1]) & (b[1:] > b[:-1]))).all():
        raise wrong_cell("pairs.a")


def _checked_pairs(columns: Array, relation: str) -> Array:
    """Stored pairs, if the numbers of each fit one another: a, b, distance, longer, shared and own shingles, terms."""
    a, b, distance, longer, shared, a_shingles, b_shingles, shared_terms, fewer_terms = columns.T
    least = 0 if relation == "similar" else -1  # of texts that are only contained it may be unknown
    rules = {
        "a": (a < 1) | (a >= b) | (b > MOST),
        "distance": (distance < least) | (distance > longer) | (longer < 1) | (longer > MOST),
        "shared_shingles": (shared < 0) | (shared > np.minimum(a_shingles, b_shingles)),
        "a_shingles": np.maximum(a_shingles, b_shingles) > MOST,
        "shared_terms": (shared_terms < 0) | (shared_terms > fewer_terms) | (fewer_terms > MOST),
    }
    for name, wrong in rules.items():
        if wrong.any():
            raise wrong_cell(f"pairs.{name}")
    return columns


def read_containments(connection: Connection, threshold: float) -> Containments:
    """Every stored pair of `contains`, and whether it is similar at a threshold too."""
    table = tables.pairs
    similar = and_(table.c.distance >= 0, _similar_at(threshold))
    names = tuple(BY_NAME)
    kind = case({name: place for place, name in enumerate(names)}, value=table.c.kind)
    columns = (table.c.a, table.c.b, table.c.shared_shingles, table.c.a_shingles, table.c.b_shingles, similar, kind)
    query = select(*columns).where(table.c.relation == "contains").order_by(table.c.a, table.c.b)
    parts = [np.empty((0, len(columns)), np.int32)]
    for some in connection.execute(query).partitions(_ROWS_AT_ONCE):
        found = whole_numbers(some)
        if found.min(initial=0) < 0 or found.max(initial=0) >= 1 << 31:
            raise wrong_cell("pairs.a to b_shingles")
        parts.append(found.astype(np.int32))
    a, b, shared, a_shingles, b_shingles, alike, kinds = np.concatenate(parts).T
    return Containments(a, b, shared, a_shingles, b_shingles, alike.astype(bool), kinds.astype(np.int8), names)


def read_pairs(connection: Connection, relation: str, threshold: float, document: int | None = None) -> StoredPairs:
    """Stored pairs of a relation at a threshold, of one document or of all."""
    table = tables.pairs
    query = _pairs_query().where(_holds(relation, threshold)).order_by(table.c.a, table.c.b)
    if document is not None:
        query = query.where((table.c.a == document) | (table.c.b == document))
    return _stored(connection, relation, query)


def read_group_pairs(connection: Connection, threshold: float) -> StoredPairs:
    """The stored pairs that the matter's own groups show: of members with principals, and of linked documents."""
    pairs, members, documents = tables.pairs, tables.group_members, tables.documents
    low, high = func.min(members.c.document, members.c.principal), func.max(members.c.document, members.c.principal)
    with_principals = (
        _pairs_query()
        .select_from(members)
        .join(pairs, (pairs.c.relation == "similar") & (pairs.c.a == low) & (pairs.c.b == high))
        .where(members.c.grouping == OWN)
        .order_by(low, high)  # not by the pairs' columns: SQLite would go through the pairs, and for each the members
    )
    found = _stored(connection, "similar", with_principals)
    linked = select(documents.c.number).where(documents.c.status == "linked")
    if connection.execute(linked.limit(1)).first() is None:
        return found
    links = _pairs_query().where(_holds("similar", threshold), pairs.c.a.in_(linked) | pairs.c.b.in_(linked))
    others = _stored(connection, "similar", links.order_by(pairs.c.a, pairs.c.b))
    return StoredPairs("similar", np.concatenate([found.columns, others.columns]), found.kinds + others.kinds)


def _pairs_query() -> Select[Any]:
    table = tables.pairs
    return select(table.c.a, table.c.b, *(table.c[name] for name in _MEASURES), table.c.kind)


def _stored(connection: Connection, relation: str, query: Select[Any]) -> StoredPairs:
    columns: list[Array] = [np.empty((0, 2 + len(_MEASURES)), np.int64)]
    kinds: list[str] = []
    for rows in connection.execute(query).partitions(_ROWS_AT_ONCE):
        columns.append(whole_numbers([row[:-1] for row in rows]))
        _check_order(columns)
        kinds += [sys.intern(row[-1]) for row in rows]
    return StoredPairs(relation, _checked_pairs(np.concatenate(columns), relation), kinds)


def insert_documents(connection: Connection, wave: int, arrivals: Sequence[Arrival], shingles: dict[int, int]) -> None:
    """Write a wave's documents; `shingles` has how many each distinct text has."""
    rows = []
    for arrival in arrivals:
        reading = arrival.reading
        rows.append(
            {
                "number": arrival.number,
                "id": document_id(arrival.number),
                "wave": wave,
                "root": reading.root,
                "path": reading.path,
                "status": arrival.status,
                "reason": arrival.reason,
                "size": reading.size,
                "md5": reading.md5,
                "sha1": reading.sha1,
                "sha256": reading.sha256,
                "words_sha256": arrival.words_sha256,
                "figures_sha256": arrival.figures_sha256,
                "words": arrival.words,
                "shingles": shingles.get(arrival.number, 0),
                "date": reading.date,
                "parent": reading.parent,
                "media": reading.media,
                "encoding": reading.encoding,
                "confidence": reading.confidence,
                "doubt": reading.doubt,
                "original": arrival.original,
                "copy_of": arrival.copy_of,
                "text": arrival.text,
            }
        )
    if rows:
        connection.execute(tables.documents.insert(), rows)


def insert_pairs(connection: Connection, pairs: PairTable, numbers: Array) -> None:
    """Write pairs, a row for each relation that holds."""
    for first in range(0, len(pairs), _ROWS_AT_ONCE):
        part = pairs.take(np.arange(first, min(first + _ROWS_AT_ONCE, len(pairs))))
        a, b = numbers[part.a].tolist(), numbers[part.b].tolist()
        rows = list(zip(a, b, *(getattr(part, name).tolist() for name in _MEASURES), part.kind.tolist(), strict=True))
        for relation, holds in (("similar", part.similar), ("contains", part.contains)):
            found = [(relation, *rows[i]) for i in np.flatnonzero(holds).tolist()]
            if found:
                connection.exec_driver_sql(_INSERT_PAIRS, found)


def write_grouping(connection: Connection, settings: MatterSettings) -> None:
    """Record the settings of the matter's own grouping."""
    connection.execute(tables.groupings.delete().where(tables.groupings.c.name == OWN))
    row = {"name": OWN, "threshold": settings.threshold, "rule": settings.rule}
    connection.execute(tables.groupings.insert(), row)


def read_principals(connection: Connection) -> dict[int, int]:
    """Each text's principal in the matter's own grouping."""
    table = tables.group_members
    rows = connection.execute(select(table.c.document, table.c.principal).where(table.c.grouping == OWN))
    return {row.document: row.principal for row in rows}


def read_heads(connection: Connection) -> set[int]:
    """The documents that head a group of the matter's own grouping: principals, and texts with copies."""
    members, documents = tables.group_members, tables.documents
    mine = (members.c.grouping == OWN) & (members.c.principal != members.c.document)
    heads = set(connection.execute(select(members.c.principal).where(mine).distinct()).scalars())
    copied = select(documents.c.original).where(documents.c.original != documents.c.number).distinct()
    texts = set(connection.execute(copied).scalars())
    grouped = select(members.c.document, members.c.principal).where(members.c.grouping == OWN)
    principal_of = {row.document: row.principal for row in connection.execute(grouped)}
    return heads | {principal_of.get(text, text) for text in texts}


def insert_principals(connection: Connection, principals: Iterable[tuple[int, int]]) -> None:
    """Add texts with their principals to the matter's own grouping."""
    rows = [{"grouping": OWN, "document": document, "principal": principal} for document, principal in principals]
    if rows:
        connection.execute(tables.group_members.insert(), rows)
