"""Rows of a grouping: each passage's principal, and each group's size; looked up, never made again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, bindparam, select

from truecopy.array_types import I64
from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import check_rows, wrong_cell
from truecopy.matter.sql.plain import MANY, Statement
from truecopy.settings import MatterSettings

OWN = "own"
"""The name of the matter's own grouping."""
_MEMBERS, _GROUPS = tables.group_members, tables.groups
_NAME: Any = bindparam("name")
_PAGE = Statement(
    lambda: (
        select(_GROUPS.c.principal)
        .where(_GROUPS.c.grouping == _NAME, _GROUPS.c.principal > bindparam("after"))
        .order_by(_GROUPS.c.principal)
        .limit(bindparam("limit"))
    )
)
_SIZES = Statement(
    lambda: select(_GROUPS.c.principal, _GROUPS.c.documents).where(
        _GROUPS.c.grouping == _NAME, _GROUPS.c.principal.in_(MANY)
    )
)
_PRINCIPALS = Statement(
    lambda: select(_MEMBERS.c.passage, _MEMBERS.c.principal).where(
        _MEMBERS.c.grouping == _NAME, _MEMBERS.c.passage.in_(MANY)
    )
)


class Groups:
    """One grouping of one state of a matter."""

    def __init__(self, connection: Connection, name: str = OWN) -> None:
        self._connection = connection
        self._name = name

    def count(self) -> int:
        """How many groups there are: kept up, never counted."""
        query = select(tables.groupings.c.groups).where(tables.groupings.c.name == self._name)
        return int(self._connection.execute(query).scalar() or 0)

    def page(self, after: int = 0, limit: int | None = None) -> list[int]:
        """Principals after a passage, in order."""
        rows = _PAGE.rows(self._connection, name=self._name, after=after, limit=-1 if limit is None else limit)
        check_rows((_GROUPS.c.principal,), rows)
        return [row[0] for row in rows]

    def largest(self, limit: int) -> list[int]:
        """The principals of the groups with the most documents; of equal ones the earlier come first."""
        query = select(_GROUPS.c.principal).where(_GROUPS.c.grouping == self._name)
        ordered = query.order_by(_GROUPS.c.documents.desc(), _GROUPS.c.principal).limit(limit)
        return list(self._connection.execute(ordered).scalars())

    def sizes(self, principals: Iterable[int]) -> dict[int, int]:
        """How many documents the groups of some principals have; those without a group are left out."""
        return self._values(_SIZES, principals, (_GROUPS.c.principal, _GROUPS.c.documents))

    def principals(self, passages: Iterable[int]) -> dict[int, int]:
        """The principals of some passages; those that are in no group, such as short texts, are left out."""
        return self._values(_PRINCIPALS, passages, (_MEMBERS.c.passage, _MEMBERS.c.principal))

    def every(self) -> dict[int, int]:
        """Each passage's principal; only for what is about all of them."""
        query = select(_MEMBERS.c.passage, _MEMBERS.c.principal).where(_MEMBERS.c.grouping == self._name)
        return {row.passage: row.principal for row in self._connection.execute(query)}

    def recorded(self) -> list[tuple[str, str, float, str]]:
        """Every grouping of the matter: name, unit, threshold, rule."""
        table = tables.groupings
        query = select(table.c.name, table.c.unit, table.c.threshold, table.c.rule).order_by(table.c.name)
        return [(row.name, row.unit, row.threshold, row.rule) for row in self._connection.execute(query)]

    def insert(self, principals: Iterable[tuple[int, int]]) -> None:
        """Add passages with their principals."""
        rows = [(self._name, int(passage), int(principal)) for passage, principal in principals]
        if rows:
            statement = "INSERT INTO main.group_members (grouping, passage, principal) VALUES (?, ?, ?)"
            self._connection.exec_driver_sql(statement, rows)

    def set_sizes(self, sizes: Mapping[int, int]) -> None:
        """Say how many documents some groups have now."""
        rows = [(self._name, int(principal), int(size)) for principal, size in sorted(sizes.items())]
        if rows:
            statement = (
                "INSERT INTO main.groups (grouping, principal, documents) VALUES (?, ?, ?) "
                "ON CONFLICT (grouping, principal) DO UPDATE SET documents = excluded.documents"
            )
            self._connection.exec_driver_sql(statement, rows)

    def write(self, settings: MatterSettings, groups: int) -> None:
        """Record the settings of the grouping, and how many groups it has."""
        table = tables.groupings
        self._connection.execute(table.delete().where(table.c.name == self._name))
        row = {"name": self._name, "unit": "document", "threshold": settings.threshold, "rule": settings.rule}
        row["groups"] = groups
        self._connection.execute(table.insert(), row)

    def _values(self, statement: Statement, values: Iterable[int], columns: tuple[Any, Any]) -> dict[int, int]:
        rows = statement.many(self._connection, sorted({int(value) for value in values}), name=self._name)
        check_rows(columns, rows)
        return dict(rows)


def check_principals(principals: Mapping[int, int], passages: I64, cell: str = "group_members.principal") -> None:
    """Refuse principals that are not among some passages, or not their own."""
    known = set(passages.tolist())
    for passage, principal in principals.items():
        if passage not in known or principal not in known or principals.get(principal) != principal:
            raise wrong_cell(cell)
