"""The one writer's connection: what it does when it commits, and what can wait until others may write again.

A commit appends the changed pages to the log and flushes it. Moving them to the database is not part of it: SQLite
would do that inside the transaction that makes the log long, while others wait. Here it is done after the lock is
given back; it blocks no writer and no reader.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from truecopy.matter.sql.bulk import give_room

_LONG_LOG = 4 << 20
"""Bytes of the log from which it is moved to the database: what SQLite itself would take (1,000 pages)."""


def configure(connection: sqlite3.Connection) -> None:
    """What a connection needs that writes."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    give_room(connection)
    connection.execute("PRAGMA wal_autocheckpoint = 0")


def flush_later(connection: Any) -> None:
    """Let commits over a connection leave it to the next one over another to flush the log, with all that is in it.

    A power cut takes the last of them away, and never one without those after it.
    """
    connection.execute("PRAGMA synchronous = NORMAL").close()


def has_long_log(database: Path) -> bool:
    """Whether the log is so long that it should be moved to the database."""
    try:
        return database.with_name(f"{database.name}-wal").stat().st_size > _LONG_LOG
    except OSError:
        return False


def move_log(connection: Any) -> None:
    """Move to the database what is in the log, as far as nobody reads an earlier state."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
