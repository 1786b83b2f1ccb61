"""What has become of a transaction whose end failed: the matter is opened again and looked at.

A commit writes to the log, ends it with a mark and flushes it. If the flush fails, the mark may be on the disk or not:
the next process may find the transaction, or not. So nothing is said that was not seen:

* what was to be written is there;
* it is not there, and the log, which might still hold it, is empty: the matter is as it was before;
* neither can be seen: it is not known.
"""

from __future__ import annotations

import contextlib
import json
import sqlite3
from enum import Enum
from pathlib import Path
from typing import Any

from truecopy.matter.sql import guard
from truecopy.troubles import Trouble, trouble

Seen = tuple[Any, ...] | None
"""What tells the states of a matter apart."""


class Outcome(Enum):
    """What a matter holds after a transaction that failed."""

    BEFORE = "before"
    AFTER = "after"
    UNKNOWN = "unknown"


def state_of(connection: sqlite3.Connection) -> Seen:
    """What tells the states of a matter apart: every transaction changes its facts, its audit log or its segments."""
    wanted = "SELECT count(*) FROM sqlite_master WHERE name IN ('facts', 'audit', 'segments')"
    if connection.execute(wanted).fetchone()[0] < 3:
        return None  # it is being made, or its making was interrupted
    facts = connection.execute("SELECT name, value FROM facts ORDER BY name").fetchall()
    audit = connection.execute("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    segments = connection.execute("SELECT name, checksum FROM segments ORDER BY name").fetchall()
    return tuple(facts), audit, tuple(segments)


def look(database: Path, before: Seen, after: Seen, error: BaseException) -> tuple[Outcome, str]:
    """What became of a commit that failed with an error; with what is stored, where it is, in words."""
    try:
        with contextlib.closing(guard.connect(database, 5, guard.Wary)) as connection:
            found = state_of(connection)
            if found == after != before:
                return Outcome.AFTER, _said(connection)
            # Rows that nobody sees yet change nothing that is seen, whether they were written or not.
            # On a full disk the log was cut off before its mark. Any other log is emptied: it might hold the mark.
            if found == before and (after == before or trouble(error) is Trouble.FULL or _emptied(connection)):
                return Outcome.BEFORE, ""
    except (sqlite3.Error, OSError):
        pass
    return Outcome.UNKNOWN, ""


def is_still(database: Path, before: Seen) -> bool:
    """Whether a matter is seen to be in a state; for a transaction whose end was never tried, that is all to know."""
    try:
        with contextlib.closing(guard.connect(database, 5, guard.Wary)) as connection:
            return before is not None and state_of(connection) == before
    except (sqlite3.Error, OSError):
        return False


def _emptied(connection: sqlite3.Connection) -> bool:
    """Whether the log is empty now."""
    busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _said(connection: sqlite3.Connection) -> str:
    """What was stored last."""
    row = connection.execute("SELECT action, details FROM audit ORDER BY number DESC LIMIT 1").fetchone()
    wave = json.loads(row[1]).get("wave") if row and row[0] == "add" else None
    return f"the wave {wave!r}" if wave else "the change"
