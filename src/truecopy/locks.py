"""One holder at a time, on every system: a lock that the system itself frees when its holder dies.

SQLite is on every machine that runs truecopy, and it locks files in each system's own way: record locks on Linux and
macOS, LockFileEx on Windows. A transaction that excludes all others is such a lock. Nothing is written to the file, so
nothing is left to be cleaned up: when the process ends, however it ends, the kernel closes its files, and the lock with
them. SQLite also tells the threads of one process apart, which record locks by themselves do not.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

_PRIMARY = 0xFF
"""SQLite's extended error codes hold the plain one in their lowest byte."""


@contextlib.contextmanager
def held(path: Path) -> Iterator[bool]:
    """Hold the lock of this file, which is made if needed; False if another process or thread holds it.

    Raises OSError where the file can be neither made nor locked.
    """
    connection = _exclusive(path)
    try:
        yield connection is not None
    finally:
        if connection is not None:
            connection.close()


def _exclusive(path: Path) -> sqlite3.Connection | None:
    """A connection that holds the lock; None if another one holds it."""
    connection = None
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        # Without this there would be a journal beside the file, which would stay if the holder is killed.
        connection.execute("PRAGMA journal_mode = MEMORY")
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        if connection is not None:
            connection.close()
        if getattr(error, "sqlite_errorcode", 0) & _PRIMARY == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(str(error)) from error
    return connection
