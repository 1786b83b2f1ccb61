"""Rows of documents ↔ the model: by number, by name, by what they share, by page."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import partial
from itertools import islice
from operator import is_, itemgetter
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, Connection, and_, bindparam, func, select, type_coerce
from sqlalchemy.types import NullType

from truecopy.array_types import I64
from truecopy.match.dates import UNKNOWN_DATE, moment
from truecopy.matter.sql import tables
from truecopy.matter.sql.bulk import indexed_late
from truecopy.matter.sql.cells import MOST, check_columns, check_rows, wrong_cell
from truecopy.matter.sql.plain import MANY, Statement
from truecopy.matter.sql.tallies import Facets, Tallies
from truecopy.model import Document, Filter, file_name, from_columns

_TABLE = tables.documents
_FIELDS = tuple(field.name for field in fields(Document))
_IS_NONE = partial(is_, None)
_BY_NUMBER = itemgetter(0)
_ORIGINAL = _TABLE.alias("original")
_COLUMNS = tuple(_TABLE.columns)
_NAMES = tuple(column.name for column in _COLUMNS)
_CHECKED = (*_COLUMNS, tables.waves.c.name, _TABLE.c.path)
_VALUES_AT_ONCE = 500
"""Values that a statement may name."""
_ROWS_AT_ONCE = 5_000
"""Documents that are in memory as rows at a time."""
_LOOKED_THROUGH = 10_000
"""So many documents, the first ones, are looked through for a part of a path; it takes some milliseconds."""
_LAST_LETTER = "\U0010ffff"
# Cells are checked by column (`_kept`), not each on its way from the database.
_EVERY = select(
    *(type_coerce(column, NullType()).label(column.name) for column in _COLUMNS),
    type_coerce(tables.waves.c.name, NullType()).label("wave_name"),
    type_coerce(_ORIGINAL.c.id, NullType()).label("copy_of_id"),
).select_from(
    _TABLE.join(tables.waves, tables.waves.c.number == _TABLE.c.wave, isouter=True).join(
        _ORIGINAL, _ORIGINAL.c.number == _TABLE.c.copy_of, isouter=True
    )
)
_WITH = {
    name: Statement(lambda column=_TABLE.c[name]: _EVERY.where(column.in_(MANY)))  # type: ignore[misc]
    for name in ("number", "passage", "text", "id", "path")
}
_COUNT_OF_PASSAGES = Statement(lambda: select(func.count()).select_from(_TABLE).where(_TABLE.c.passage.in_(MANY)))
_PAGE = Statement(
    lambda: (
        _EVERY.where(_TABLE.c.number > bindparam("after"), _TABLE.c.number <= bindparam("last"))
        .order_by(_TABLE.c.number)
        .limit(bindparam("limit"))
    )
)
_ALIKE = Statement(
    lambda: (
        select(_TABLE.c.number)
        .where(
            _TABLE.c.status == bindparam("status"), _TABLE.c.custodian == bindparam("custodian"),
            bindparam("copied") == tables.IS_COPIED, bindparam("doubted") == tables.IS_DOUBTED,
            _TABLE.c.number > bindparam("after"), _TABLE.c.number <= bindparam("last"),
        )
        .order_by(_TABLE.c.number)
        .limit(bindparam("limit"))
    )
)  # fmt: skip
_CALLED = Statement(
    lambda: select(_TABLE.c.number, _TABLE.c.path).where(_TABLE.c.name == bindparam("name")).order_by(_TABLE.c.number)
)
_NAMED = tuple(
    Statement(lambda column=column: select(_TABLE.c.number, _TABLE.c.id, _TABLE.c.path).where(column.in_(MANY)))  # type: ignore[misc]
    for column in (_TABLE.c.id, _TABLE.c.name)
)
_DATES = Statement(
    lambda: (
        select(tables.passages.c.number, _TABLE.c.date)
        .join(_TABLE, _TABLE.c.number == tables.passages.c.document)
        .where(tables.passages.c.number.in_(MANY), _TABLE.c.date != "")
    )
)


class DocumentRow(NamedTuple):
    """One row of the table, as it is written."""

    number: int
    id: str
    wave: int
    root: str
    path: str
    name: str
    custodian: str
    status: str
    reason: str
    size: int
    md5: str
    sha1: str
    sha256: str
    words_sha256: str
    figures_sha256: str
    words: int
    date: str
    parent: str
    media: str
    encoding: str
    confidence: int | None
    doubt: str
    passage: int | None
    copy_of: int | None
    text: int | None


_WRITTEN = DocumentRow._fields
# The driver's own statement: for many rows it is several times as fast as the compiler's.
_INSERT = f"INSERT INTO main.documents ({', '.join(_WRITTEN)}) VALUES ({', '.join('?' * len(_WRITTEN))})"  # noqa: S608


class Called(NamedTuple):
    """What names a document has."""

    number: int
    id: str
    path: str


class Kept(NamedTuple):
    """A document with what it has in common with others."""

    document: Document
    passage: int | None
    """The passage that its words are; None where it has none."""
    text: int | None
    """The number of its stored text; None where it has none."""


_as_kept = partial(tuple.__new__, Kept)  # its own constructor is Python, and takes three times as long


class DocumentTable:
    """The documents of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # By number, and by what they share

    def last(self) -> int:
        """The greatest number; 0 where there are none."""
        return self._connection.execute(select(func.max(_TABLE.c.number))).scalar() or 0

    def last_text(self) -> int:
        """The greatest number of a stored text."""
        return self._connection.execute(select(func.max(_TABLE.c.text))).scalar() or 0

    def numbered(self, numbers: Iterable[int]) -> list[Kept]:
        """The documents with some numbers, in order."""
        return self._with("number", numbers)

    def of_passages(self, passages: Iterable[int]) -> list[Kept]:
        """Every document that has one of some passages, copies included, in order."""
        return self._with("passage", passages)

    def of_texts(self, texts: Iterable[int]) -> list[Kept]:
        """Every document that has one of some stored texts, in order."""
        return self._with("text", texts)

    def count_of_passages(self, passages: Iterable[int]) -> int:
        """How many documents have one of some passages, copies included."""
        counts = _COUNT_OF_PASSAGES.many(self._connection, sorted(set(passages)))
        return sum(int(count) for (count,) in counts)

    def _with(self, column: str, values: Iterable[int]) -> list[Kept]:
        return _kept(_WITH[column].many(self._connection, sorted({int(value) for value in values})))

    def where(self, condition: ColumnElement[bool], limit: int | None = None) -> list[Kept]:
        """The documents that meet a condition, in order of number."""
        query = _EVERY.where(condition).order_by(_TABLE.c.number).limit(limit)
        return _kept(self._connection.execute(query).all())

    def walk(self) -> Iterator[list[Kept]]:
        """Every document in order, some at a time; only for what is about all of them."""
        last = 0
        for rows in self._connection.execute(_EVERY.order_by(_TABLE.c.number)).partitions(_ROWS_AT_ONCE):
            some = _kept(rows)
            if some[0].document.number <= last:  # pages of the database that lead in a circle
                raise wrong_cell("documents.number")
            last = some[-1].document.number
            yield some

    def ids(self, numbers: I64) -> list[str]:
        """The ids of documents by number, in the order given."""
        found: dict[int, str] = {}
        wanted = np.unique(numbers).tolist()
        for first in range(0, len(wanted), _VALUES_AT_ONCE):
            some = _TABLE.c.number.in_(wanted[first : first + _VALUES_AT_ONCE])
            found.update(
                (row.number, row.id)
                for row in self._connection.execute(select(_TABLE.c.number, _TABLE.c.id).where(some))
            )
        if len(found) != len(wanted):
            raise wrong_cell("documents.number")
        return [found[number] for number in numbers.tolist()]

    def dates(self, passages: I64) -> I64:
        """The dates of passages' first documents, as numbers that can be compared (`match.dates.moment`)."""
        rows = _DATES.many(self._connection, sorted(set(passages.tolist())))
        check_rows((tables.passages.c.number, _TABLE.c.date), rows)
        found = {number: moment(date) for number, date in rows}
        return np.array([found.get(passage, UNKNOWN_DATE) for passage in passages.tolist()], np.int64)

    # By page

    def page(self, wanted: Filter, after: int = 0, limit: int | None = None) -> list[Kept]:
        """Documents after a number that pass a filter, in order of number."""
        tallies = Tallies(self._connection)
        runs = tallies.runs(wanted.waves) if wanted.waves else [(0, MOST)]
        if wanted == Filter(waves=wanted.waves):
            found: list[Kept] = []
            for first, last in runs:
                most = -1 if limit is None else limit - len(found)
                found += _kept(_PAGE.rows(self._connection, after=max(after, first), last=last, limit=most))
            return found
        sorts = [(facets, max(after, first), last) for facets in tallies.facets(wanted) for first, last in runs]
        at_once = _ROWS_AT_ONCE if limit is None else limit // max(len(sorts), 1) + 2
        each = (self._alike(*one, min(at_once, _ROWS_AT_ONCE)) for one in sorts)
        return self.numbered(islice(heapq.merge(*each), limit))

    def _alike(self, facets: Facets, after: int, last: int, at_once: int) -> Iterator[int]:
        """The numbers of the documents that have some facets, in order; some are read at a time."""
        more, alike = after < last, facets._asdict()
        while more:
            rows = _ALIKE.rows(self._connection, **alike, after=after, last=last, limit=at_once)
            check_rows((_TABLE.c.number,), rows)
            for (number,) in rows:
                if number <= after:  # pages of the database that lead in a circle
                    raise wrong_cell("documents.number")
                yield number
                after = number
            more = len(rows) == at_once

    def names(self) -> Iterator[tuple[int, str, str]]:
        """Number, path and name of every document; only for what is about all of them."""
        query = select(_TABLE.c.number, _TABLE.c.path, _TABLE.c.name).order_by(_TABLE.c.number)
        last = 0
        for row in self._connection.execute(query):
            if row.number <= last:  # pages of the database that lead in a circle
                raise wrong_cell("documents.number")
            last = row.number
            yield row.number, row.path, row.name

    def texts_by_wave(self) -> dict[int, int]:
        """How many stored texts each wave has brought."""
        first = select(func.min(_TABLE.c.wave).label("wave")).where(_TABLE.c.text.is_not(None))
        texts = first.group_by(_TABLE.c.text).subquery()
        query = select(texts.c.wave, func.count()).group_by(texts.c.wave)
        return {row[0]: row[1] for row in self._connection.execute(query)}

    def reasons(self, status: str, reasons: Collection[str]) -> int:
        """How many documents have a status for one of these reasons."""
        query = select(func.count()).select_from(_TABLE)
        found = self._connection.execute(query.where(_TABLE.c.status == status, _TABLE.c.reason.in_(sorted(reasons))))
        return int(found.scalar_one())

    # By name

    def with_id(self, name: str) -> list[Kept]:
        """The document with an id."""
        return _kept(_WITH["id"].many(self._connection, [name]))

    def with_path(self, path: str) -> list[Kept]:
        """The documents with a path, to the letter."""
        return _kept(_WITH["path"].many(self._connection, [path]))

    def called(self, name: str) -> list[tuple[int, str]]:
        """The number and path of the documents whose files have a name (`model.file_name`)."""
        rows = _CALLED.rows(self._connection, name=name)
        check_rows((_TABLE.c.number, _TABLE.c.path), rows)
        return [(number, path) for number, path in rows]

    def named(self, ids: Iterable[str], names: Iterable[str]) -> list[Called]:
        """The documents that have one of some ids, or whose files have one of some names (`model.file_name`)."""
        rows: list[Any] = []
        for statement, wanted in zip(_NAMED, (ids, names), strict=True):
            rows += statement.many(self._connection, sorted(set(wanted)))
        check_rows((_TABLE.c.number, _TABLE.c.id, _TABLE.c.path), rows)
        return [Called(*row) for row in sorted(set(rows))]

    def with_part(self, part: str, limit: int) -> list[Kept]:
        """Some documents whose paths hold a part. Only the first documents are looked through for it; of all others,
        those are found whose files' names begin with it.
        """
        holds = func.instr(func.lower(_TABLE.c.path), func.lower(part)) > 0
        found = self.where(and_(_TABLE.c.number <= _LOOKED_THROUGH, holds), limit)
        if len(found) < limit:
            name, have = file_name(part), {kept.document.number for kept in found}
            begins = _TABLE.c.name.between(name, name + _LAST_LETTER)
            query = _EVERY.where(begins).order_by(_TABLE.c.name, _TABLE.c.number).limit(limit)
            others = _kept(self._connection.execute(query).all())
            found += [kept for kept in others if kept.document.number not in have]
        return found[:limit]

    # For a wave that comes

    def with_bytes(self, digests: Collection[str]) -> list[Any]:
        """Of files with some SHA-256: number, id, sha256, passage, text, in the order in which they are looked for."""
        columns = (_TABLE.c.number, _TABLE.c.id, _TABLE.c.sha256, _TABLE.c.passage, _TABLE.c.text)
        rows = self._values(select(*columns), _TABLE.c.sha256, digests)
        return sorted(rows, key=lambda row: (row.passage is None, row.number))

    def with_figures(self, digests: Collection[str]) -> dict[str, tuple[int, str, int]]:
        """Of texts with some SHA-256 of words and figure marks: the first document, its id, and the passage."""
        query = select(_TABLE.c.figures_sha256, _TABLE.c.number, _TABLE.c.id, _TABLE.c.passage)
        own = query.join(tables.passages, tables.passages.c.number == _TABLE.c.passage)
        own = own.where(tables.passages.c.document == _TABLE.c.number)
        rows = self._values(own, _TABLE.c.figures_sha256, digests)
        return {row.figures_sha256: (row.number, row.id, row.passage) for row in rows}

    def have(self, paths: Collection[str]) -> set[tuple[str, str, str]]:
        """Root, path and SHA-256 of the documents with some paths."""
        query = select(_TABLE.c.root, _TABLE.c.path, _TABLE.c.sha256)
        return {(row.root, row.path, row.sha256) for row in self._values(query, _TABLE.c.path, paths)}

    def _values(self, query: Any, column: Any, values: Collection[str]) -> list[Any]:
        wanted = sorted(values)
        found: list[Any] = []
        for first in range(0, len(wanted), _VALUES_AT_ONCE):
            some = column.in_(wanted[first : first + _VALUES_AT_ONCE])
            found += self._connection.execute(query.where(some)).all()
        return found

    def insert(self, rows: Sequence[DocumentRow]) -> None:
        """Write documents."""
        if rows:
            with indexed_late(self._connection, _TABLE, len(rows)):
                for first in range(0, len(rows), _ROWS_AT_ONCE):
                    some = rows[first : first + _ROWS_AT_ONCE]
                    self._connection.exec_driver_sql(_INSERT, list(map(tuple, some)))  # the driver is slow with others

    def set_statuses(self, statuses: Mapping[int, str]) -> None:
        """Give documents other statuses, by number; the tallies must be told as well."""
        changed = [(status, number) for number, status in sorted(statuses.items())]
        if changed:
            self._connection.exec_driver_sql("UPDATE main.documents SET status = ? WHERE number = ?", changed)


def _kept(rows: Sequence[Any]) -> list[Kept]:
    """Documents from rows, in order of number."""
    if not rows:
        return []
    try:
        rows = sorted(rows, key=_BY_NUMBER)
    except TypeError as error:
        raise wrong_cell("documents.number") from error
    *columns, waves, copy_of = zip(*rows, strict=True)
    cells: dict[str, Sequence[Any]] = dict(zip(_NAMES, columns, strict=True))
    named = ["" if name is None else name for name in copy_of]
    # A wave that is not there is looked at by itself: it says that `documents` is wrong, and not `waves`.
    there = None not in waves
    check_columns(_CHECKED, [*columns, waves if there else (), named])
    if not there:
        raise wrong_cell("documents.wave")
    if list(map(_IS_NONE, cells["copy_of"])) != list(map(_IS_NONE, copy_of)):
        raise wrong_cell("documents.copy_of")
    given = {**cells, "wave": waves, "copy_of": named}
    documents = from_columns(Document, [given[name] for name in _FIELDS])
    return list(map(_as_kept, zip(documents, cells["passage"], cells["text"], strict=True)))
