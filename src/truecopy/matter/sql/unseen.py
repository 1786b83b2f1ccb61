"""Rows of a wave that is being written: nobody sees them before the wave has its own row, which is written last.

So a large wave can be written in many short transactions, and others write between them. Each wave says which document
and which passage are its last; what comes after those of the last wave is not there yet. Every connection has views of
its own, in its own memory, that go by the names of the tables and leave such rows out: a question names a table and
cannot see them, whichever question it is. Whoever writes to one of these tables names the table itself (`THE_TABLE`, or
`main.` before its name).

Rows that a killed process has left after the last wave's are removed by the next one that adds documents, lowers a
floor, signs or makes indexes again, also if it finds nothing to change.
"""

from __future__ import annotations

import sqlite3
from typing import Any, NamedTuple

from sqlalchemy import Connection, select

from truecopy.match.relations import RELATION_NAMES
from truecopy.matter.sql import tables

THE_TABLE = {"schema_translate_map": {None: "main"}}
"""Options of a statement that writes: its names are those of tables, and not of what is seen of them."""

_WAVES = tables.waves


class _Bound(NamedTuple):
    """How the rows of a table are told apart that are not there yet."""

    key: str
    """The columns that a row is known by."""
    number: str
    """The document or passage that decides."""
    last: str
    """What a wave calls its last one."""
    within: str = ""
    """What must be said of the columns before it, so that an index leads to the rows."""


_GROUPING = "grouping IN (SELECT name FROM main.groupings)"
_RELATION = f"relation IN ({', '.join(map(repr, RELATION_NAMES))})"
_BOUNDS = {
    "documents": _Bound("number", "number", "last_document"),
    "passages": _Bound("number", "number", "last_passage"),
    "pairs": _Bound("unit, relation, a, b", "b", "last_passage"),  # b comes after a
    "group_members": _Bound("grouping, passage", "passage", "last_passage", _GROUPING),
    "groups": _Bound("grouping, principal", "principal", "last_passage", _GROUPING),
    "families": _Bound("relation, passage", "passage", "last_passage", _RELATION),
}


def hide(connection: sqlite3.Connection) -> None:
    """Let a connection see no rows that are not there yet; a matter that is being made has nothing to hide."""
    if connection.execute("SELECT 1 FROM main.sqlite_master WHERE name = 'facts'").fetchone() is None:
        return
    if connection.execute("SELECT 1 FROM main.facts LIMIT 1").fetchone() is None:
        return
    for table, bound in _BOUNDS.items():
        # The plus keeps SQLite from looking rows up by what is true of almost all of them.
        connection.execute(
            f"CREATE TEMP VIEW {table} AS SELECT * FROM main.{table} WHERE +{bound.number} <= "  # noqa: S608
            f"(SELECT {bound.last} FROM main.waves WHERE number = (SELECT max(number) FROM main.waves))"
        ).close()


class Unseen:
    """What a process has left that was killed while it added documents."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def any(self) -> bool:
        """Whether there is something."""
        return any(self._after(f"SELECT 1 FROM main.{table}", table, 1).first() for table in _BOUNDS)  # noqa: S608

    def count(self) -> int:
        """How many rows."""
        counted = (self._after(f"SELECT count(*) FROM main.{table}", table, 1).scalar() for table in _BOUNDS)  # noqa: S608
        return sum(counted)

    def sweep(self, limit: int) -> bool:
        """Remove some rows, at most so many of each table; whether there were any.

        The caller holds the lock of those who add documents (`Store.adding`).
        """
        found = False
        for table, bound in _BOUNDS.items():
            rows = self._after(
                f"DELETE FROM main.{table} WHERE ({bound.key}) IN (SELECT {bound.key} FROM main.{table}",  # noqa: S608
                table,
                limit,
                ")",
            )
            found |= rows.rowcount > 0
        return found

    def _after(self, statement: str, table: str, limit: int, end: str = "") -> Any:
        """Run a statement about rows of a table that come after the last wave's."""
        bound = _BOUNDS[table]
        within = f"{bound.within} AND " if bound.within else ""
        given = (self._last(bound.last), limit)
        return self._connection.exec_driver_sql(f"{statement} WHERE {within}{bound.number} > ? LIMIT ?{end}", given)

    def _last(self, name: str) -> int:
        query = select(_WAVES.c[name]).order_by(_WAVES.c.number.desc()).limit(1)
        return self._connection.execute(query).scalar() or 0
