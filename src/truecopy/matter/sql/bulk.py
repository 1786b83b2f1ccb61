"""Writing many rows at once: room for the pages that they touch, and indexes that are made when the rows are there.

Digests come in no order. Keeping an index of them up row by row means a search in it for each, and in little memory its
pages are written and read again many times before the end of a wave.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator

from sqlalchemy import Connection, Table, select
from sqlalchemy.schema import CreateIndex, DropIndex

from truecopy.matter.sql.unseen import THE_TABLE

_CACHE = 32 << 10
"""KiB of pages that a writer keeps; SQLite's own number is 2 MiB."""
_MANY = 10_000
"""Rows from which on it is worth the statements to make indexes afterwards."""


def give_room(connection: sqlite3.Connection) -> None:
    """Let a writer keep pages in memory; it sorts there for an index, as every connection does (`guard.watch`)."""
    connection.execute(f"PRAGMA cache_size = -{_CACHE}")


@contextlib.contextmanager
def indexed_late(connection: Connection, table: Table, rows: int) -> Iterator[None]:
    """Make a table's indexes after what is done inside, if the table is empty and as many rows are to come.

    All of it happens inside the writer's transaction, so nobody ever sees a table without its indexes.
    """
    if rows < _MANY or connection.execute(select(1).select_from(table).limit(1)).first() is not None:
        yield
        return
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    for index in indexes:
        connection.execute(DropIndex(index), execution_options=THE_TABLE)
    yield
    for index in indexes:
        connection.execute(CreateIndex(index), execution_options=THE_TABLE)
