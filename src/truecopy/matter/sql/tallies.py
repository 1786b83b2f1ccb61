"""How many documents there are: by wave, custodian, status, whether copied, whether doubted. Kept up, never counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import check_rows
from truecopy.matter.sql.plain import Statement
from truecopy.model import COPIES, NOT_SEARCHED, STATUSES, Counts, Filter, figure_of

_TABLE = tables.tallies
_COPIED = _TABLE.c.copied == 1
_STATUSES = Statement(lambda: select(_TABLE.c.status, func.sum(_TABLE.c.documents)).group_by(_TABLE.c.status))


class Tally(NamedTuple):
    """What documents are counted by."""

    wave: int
    custodian: str
    status: str
    copied: int
    doubted: int


class Facets(NamedTuple):
    """What a filter can ask of a document, but its wave, which its number tells."""

    custodian: str
    status: str
    copied: int
    doubted: int


class Tallies:
    """The tallies of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count(self, wanted: Filter) -> int:
        """How many documents pass a filter: the tallies know everything that a filter can ask."""
        query = select(func.sum(_TABLE.c.documents)).where(*_conditions(wanted))
        return int(self._connection.execute(query).scalar() or 0)

    def facets(self, wanted: Filter) -> list[Facets]:
        """What documents that pass a filter have, each combination that there is once: a few, or some for each
        custodian.
        """
        columns = [_TABLE.c[name] for name in Facets._fields]
        query = select(*columns).where(*_conditions(wanted)).distinct()
        return sorted(Facets(*row) for row in self._connection.execute(query))

    def runs(self, waves: Collection[str]) -> list[tuple[int, int]]:
        """The numbers that documents of some waves have: after one, up to another; in order."""
        found: list[tuple[int, int]] = []
        before = 0
        query = select(tables.waves.c.name, tables.waves.c.last_document).order_by(tables.waves.c.number)
        for name, last in self._connection.execute(query):
            if name in waves:
                first = found.pop()[0] if found and found[-1][1] == before else before
                found.append((first, last))
            before = last
        return found

    def statuses(self, wave: str | None = None) -> dict[str, int]:
        """How many documents, or documents of a wave, have each status, in the contract's order."""
        if wave is None:
            rows = _STATUSES.rows(self._connection)
            check_rows((_TABLE.c.status, _TABLE.c.documents), rows)
        else:
            query = select(_TABLE.c.status, func.sum(_TABLE.c.documents)).group_by(_TABLE.c.status)
            rows = list(self._connection.execute(query.where(_TABLE.c.wave == _numbered(wave))))
        found = {status: int(count) for status, count in rows}
        return {status: found[status] for status in STATUSES if found.get(status)}

    def counts(self, wave: str | None = None) -> Counts:
        """How many documents, or documents of a wave, are copies, near copies, to be read, not searched, empty."""
        query = select(_TABLE.c.status, _TABLE.c.copied, func.sum(_TABLE.c.documents))
        if wave is not None:
            query = query.where(_TABLE.c.wave == _numbered(wave))
        counts: Counter[str] = Counter()
        for status, copied, count in self._connection.execute(query.group_by(_TABLE.c.status, _TABLE.c.copied)):
            counts[figure_of(status, bool(copied))] += int(count)
        return Counts(*(counts[field.name] for field in fields(Counts)))

    def copied(self, wave: str | None = None) -> dict[str, int]:
        """How many documents of each status, or of a wave, are copies."""
        query = select(_TABLE.c.status, func.sum(_TABLE.c.documents)).where(_TABLE.c.copied == 1)
        if wave is not None:
            query = query.where(_TABLE.c.wave == _numbered(wave))
        return {status: int(count) for status, count in self._connection.execute(query.group_by(_TABLE.c.status))}

    def doubted(self, wave: str | None = None) -> int:
        """How many texts were read with doubt about their encoding."""
        query = select(func.sum(_TABLE.c.documents)).where(_TABLE.c.doubted == 1)
        if wave is not None:
            query = query.where(_TABLE.c.wave == _numbered(wave))
        return int(self._connection.execute(query).scalar() or 0)

    def custodians(self) -> dict[str, int]:
        """How many documents each custodian has; "" where nobody said."""
        query = select(_TABLE.c.custodian, func.sum(_TABLE.c.documents)).group_by(_TABLE.c.custodian)
        return {custodian: int(count) for custodian, count in self._connection.execute(query)}

    def change(self, by: Mapping[Tally, int]) -> None:
        """Add to the tallies, or take away."""
        rows = [(*tally, count) for tally, count in sorted(by.items()) if count]
        if rows:
            statement = (
                "INSERT INTO tallies (wave, custodian, status, copied, doubted, documents) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (wave, custodian, status, copied, doubted) "
                "DO UPDATE SET documents = documents + excluded.documents"
            )
            self._connection.exec_driver_sql(statement, rows)
            self._connection.execute(_TABLE.delete().where(_TABLE.c.documents == 0))


def _conditions(wanted: Filter) -> list[ColumnElement[bool]]:
    """What a filter asks, as conditions on tallies."""
    found: list[ColumnElement[bool]] = []
    if wanted.figures:
        found.append(or_(*map(_has, wanted.figures)))
    if wanted.waves:
        numbers = select(tables.waves.c.number).where(tables.waves.c.name.in_(wanted.waves))
        found.append(_TABLE.c.wave.in_(numbers))
    if wanted.custodians:
        found.append(_TABLE.c.custodian.in_(wanted.custodians))
    if wanted.doubted:
        found.append(_TABLE.c.doubted == 1)
    if wanted.copied:
        found.append(_COPIED)
    return found


def _has(figure: str) -> ColumnElement[bool]:
    """Whether documents have a status, or are counted in a figure of the headline (`model.figure_of`).

    Copies of documents that were not searched were not searched either: a list of exceptions has them too.
    """
    status = _TABLE.c.status
    if figure == "not-searched":
        return status.in_(NOT_SEARCHED)
    if figure == "copies":
        return _COPIED
    if figure == "near-copies":
        return and_(status == "member", ~_COPIED)
    if figure == "to-read":
        return and_(status.not_in((*NOT_SEARCHED, *COPIES, "empty", "member")), ~_COPIED)
    return status == figure


def _numbered(wave: str) -> object:
    return select(tables.waves.c.number).where(tables.waves.c.name == wave).scalar_subquery()
