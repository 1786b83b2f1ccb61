"""What bringing a format forward needs of SQLite alone."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from sqlalchemy import Connection, MetaData, Table

from truecopy.matter.sql import guard
from truecopy.stopping import check


def put_aside(connection: Connection, table: Table) -> Table:
    """Give a table another name, so that one of the next format can have its name; returns it under the other one.

    Its indexes go: their names are wanted too.
    """
    for index in table.indexes:
        index.drop(connection)
    other = table.to_metadata(MetaData(), name=f"former_{table.name}")
    other.indexes.clear()
    connection.exec_driver_sql(f"ALTER TABLE {table.name} RENAME TO {other.name}")
    return other


def compact(folder: Path) -> None:
    """Give the room of tables that were dropped back to the disk, unless somebody else uses the database just now."""
    check()
    with (
        contextlib.suppress(sqlite3.Error, OSError),
        contextlib.closing(guard.connect(folder / guard.DATABASE, 1, guard.Wary)) as connection,
    ):
        connection.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 1)  # it works by way of a second database
        connection.execute("VACUUM")
