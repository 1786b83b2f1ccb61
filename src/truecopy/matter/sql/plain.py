"""Statements that questions ask again and again: put into the driver's words once, and answered with plain tuples.

A query that SQLAlchemy builds, looks up and wraps costs ten times what SQLite needs to answer it, and threads that ask
at once share one Python. So the statements of questions are still written as queries, but compiled once for a process,
and handed to the driver as they are. Nothing checks the cells of such an answer on its way: whoever asks holds them to
the rules of their columns (`cells.check_column`).

`lasting` keeps what was read for as long as nobody has written to the database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Connection, bindparam
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DatabaseError

T = TypeVar("T")

MANY: Any = bindparam("many", expanding=True)
"""In a condition `column.in_(MANY)`: as many values as there are."""
VALUES_AT_ONCE = 500
"""Values that a statement may name."""
_PLACE = "__[POSTCOMPILE_many]"


class Statement:
    """One query, with parameters by name, and at most one condition about many values."""

    def __init__(self, query: Callable[[], Any]) -> None:
        """`query` makes it, a `Select`, when it is asked for the first time."""
        self._query = query
        self._compiled: tuple[str, list[tuple[str, Any]]] | None = None
        self._texts: dict[int, str] = {}

    def rows(self, connection: Connection, **values: Any) -> list[Any]:
        """The rows as tuples, not checked."""
        text, names = self._compiled or self._compile()
        return answers(connection, text, [values.get(name, fixed) for name, fixed in names])

    def many(self, connection: Connection, wanted: Sequence[Any], **values: Any) -> list[Any]:
        """The rows for many values, asked some at a time; they come in no order."""
        if len(wanted) <= VALUES_AT_ONCE:
            return self._some(connection, wanted, values) if wanted else []
        found: list[Any] = []
        for first in range(0, len(wanted), VALUES_AT_ONCE):
            found += self._some(connection, wanted[first : first + VALUES_AT_ONCE], values)
        return found

    def _some(self, connection: Connection, wanted: Sequence[Any], values: dict[str, Any]) -> list[Any]:
        text, names = self._compiled or self._compile()
        # The driver keeps statements by their text: with a few lengths only, it need not read most of them again.
        room = 1 << (len(wanted) - 1).bit_length()
        if room not in self._texts:
            self._texts[room] = text.replace(_PLACE, ", ".join("?" * room))
        given: list[Any] = []
        for name, fixed in names:
            if name == "many":
                given += wanted
                given += [wanted[-1]] * (room - len(wanted))
            else:
                given.append(values.get(name, fixed))
        return answers(connection, self._texts[room], given)

    def _compile(self) -> tuple[str, list[tuple[str, Any]]]:
        """The text, and its parameters in order; a number that is part of the query, as in a formula, is one too."""
        compiled: Any = self._query().compile(dialect=sqlite.dialect())
        self._compiled = str(compiled), [(name, compiled.params[name]) for name in compiled.positiontup]
        return self._compiled


def answers(connection: Connection, text: str, values: Sequence[Any] = ()) -> list[Any]:
    """What the driver answers to a statement."""
    driver: Any = connection.connection.dbapi_connection
    try:
        found: list[Any] = driver.few(text, values)
    except sqlite3.Error as error:
        raise DatabaseError(text, tuple(values), error) from error
    return found


def lasting(connection: Connection, name: str, read: Callable[[], T]) -> T:
    """What was read before over this connection, if nobody has written to the database since; else what is read now."""
    kept = getattr(connection.connection.dbapi_connection, "kept", None)
    if kept is None:  # of a connection that writes, or that is good for one look
        return read()
    if name not in kept:
        kept[name] = read()
    found: T = kept[name]
    return found
