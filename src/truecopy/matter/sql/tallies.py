"""How many documents there are: by wave, custodian, status, whether copied, whether doubted. Kept up, never counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select

from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import check_rows
from truecopy.matter.sql.plain import Statement
from truecopy.model import COPIES, NOT_SEARCHED, STATUSES, Counts, Filter, figure_of

_TABLE = tables.tallies
_STATUSES = Statement(lambda: select(_TABLE.c.status, func.sum(_TABLE.c.documents)).group_by(_TABLE.c.status))


class Tally(NamedTuple):
    """What documents are counted by."""

    wave: int
    custodian: str
    status: str
    copied: int
    doubted: int


class Facets(NamedTuple):
    """The columns, of documents or of tallies, that say what a filter asks of a document."""

    wave: ColumnElement[Any]
    custodian: ColumnElement[Any]
    status: ColumnElement[Any]
    copied: ColumnElement[bool]
    doubted: ColumnElement[bool]


_FACETS = Facets(_TABLE.c.wave, _TABLE.c.custodian, _TABLE.c.status, _TABLE.c.copied == 1, _TABLE.c.doubted == 1)


class Tallies:
    """The tallies of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def count(self, wanted: Filter) -> int:
        """How many documents pass a filter: the tallies know everything that a filter can ask."""
        query = select(func.sum(_TABLE.c.documents)).where(*conditions_of(wanted, _FACETS))
        return int(self._connection.execute(query).scalar() or 0)

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


def conditions_of(wanted: Filter, facets: Facets) -> list[ColumnElement[bool]]:
    """What a filter asks, as conditions on documents or on tallies."""
    found: list[ColumnElement[bool]] = []
    if wanted.figures:
        found.append(or_(*(_has(figure, facets) for figure in wanted.figures)))
    if wanted.waves:
        numbers = select(tables.waves.c.number).where(tables.waves.c.name.in_(wanted.waves))
        found.append(facets.wave.in_(numbers))
    if wanted.custodians:
        found.append(facets.custodian.in_(wanted.custodians))
    if wanted.doubted:
        found.append(facets.doubted)
    if wanted.copied:
        found.append(facets.copied)
    return found


def _has(figure: str, facets: Facets) -> ColumnElement[bool]:
    """Whether documents have a status, or are counted in a figure of the headline (`model.figure_of`).

    Copies of documents that were not searched were not searched either: a list of exceptions has them too.
    """
    status, own = facets.status, ~facets.copied
    if figure == "not-searched":
        return status.in_(NOT_SEARCHED)
    if figure == "copies":
        return facets.copied
    if figure == "near-copies":
        return and_(status == "member", own)
    if figure == "to-read":
        return and_(status.not_in((*NOT_SEARCHED, *COPIES, "empty", "member")), own)
    return status == figure


def _numbered(wave: str) -> object:
    return select(tables.waves.c.number).where(tables.waves.c.name == wave).scalar_subquery()
