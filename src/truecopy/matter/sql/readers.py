"""Connections for reading, also where nothing can be written: on a full disk, a read-only one, without permission.

A database with a write-ahead log wants two files beside it, the log and an index of it in shared memory. Where these
cannot be made, the same content is reached in other ways, the best one first:

1. as usual: with log and index, made if needed;
2. with the log and an index that is there but is not written to; SQLite then keeps one of its own in memory;
3. without a log, if there is none or nothing is in it: no process has anything that the database does not have;
4. from a copy of database and log in a private temporary folder, if both are small. What a killed reader leaves of it
   goes with the next folder of that kind (`fresh.py`).

In the third way SQLite takes no lock. A writer that came meanwhile could change pages under the reader, and whoever
reads finds out at the end (`must_be_still`): the answer is then thrown away, never given.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

from truecopy.errors import MatterBusy, Unwritable
from truecopy.fresh import FreshFolder
from truecopy.matter.sql import guard
from truecopy.matter.sql.guard import Wary
from truecopy.stopping import cleaning_up
from truecopy.troubles import Trouble, forbidden, trouble

_TIMEOUT = 30
_MOST_TO_COPY = 256 << 20
_TRIES = 3
_BLOCK = 1 << 20
_State = tuple[tuple[int, int, int] | None, ...]


class Reader(Wary):
    """A connection for reading that knows whether the files must stay as they are."""

    still: tuple[Path, _State] | None = None
    """The database and its state when it was opened without locks; None where SQLite's locks hold."""
    makeshift: bool = False
    """Whether it was opened without writing only because writing failed just then: SQLite shares its files with every
    other connection of the process, which could not write either as long as it is open.
    """
    kept: dict[str, Any] | None = None
    """What was read over it, and is good until somebody writes to the database (`plain.lasting`)."""
    version: int | None = None
    """What SQLite said of the database when that was read."""
    copied: FreshFolder | None = None
    """The folder of the copy that is read; removed with the connection."""

    def close(self) -> None:
        """Close it, and remove the copy."""
        super().close()
        if self.copied is not None:
            self.copied.remove()


def connect(path: Path, writable: bool) -> sqlite3.Connection:
    """A connection that answers questions; `writable` says whether files may be made beside the database."""
    failed: sqlite3.Error | None = None
    if writable:
        try:
            return _opened(path, "mode=rw")
        except sqlite3.Error as error:
            if trouble(error, path) not in (Trouble.FULL, Trouble.UNWRITABLE, Trouble.UNREACHABLE):
                raise
            failed = error
    try:
        connection = _without_writing(path)
        connection.makeshift = failed is not None
        return connection
    except sqlite3.Error as error:
        if failed is None or trouble(error, path) is Trouble.DAMAGED:
            raise
        raise failed from error  # the usual way says best what is wrong


def is_without_locks(connection: Any) -> bool:
    """Whether no lock keeps writers from what a connection reads or has a copy of, or from what it would keep them from
    writing: it is good for one question, and the next one needs another.
    """
    if not isinstance(connection, Reader):
        return False
    return connection.still is not None or connection.copied is not None or connection.makeshift


def begin(connection: Any) -> None:
    """Begin a transaction that reads: all statements in it see one state. What was kept of another state is dropped."""
    connection.patience.begin()
    connection.execute("BEGIN")  # the driver begins none before it writes, and each statement would see its own state
    version = connection.execute("PRAGMA data_version").fetchone()[0]
    if connection.kept is None or connection.version != version:
        connection.kept, connection.version = {}, version


def must_be_still(connection: Any, folder: Path) -> None:
    """Refuse what was read without locks if the files have changed meanwhile."""
    still = getattr(connection, "still", None)
    if still is not None and _state(still[0]) != still[1]:
        raise MatterBusy(
            f"Another process has written to the matter {folder} while it was read.", "Run the same command again."
        )


def _without_writing(path: Path) -> Reader:
    try:
        return _opened(path, "mode=ro&readonly_shm=1")
    except sqlite3.Error as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise
    state = _state(path)
    if not state[1]:
        alone = _opened(path, "mode=ro&immutable=1")
        alone.still = (path, state)
        return alone
    return _copy(path, state)


def _opened(path: Path, how: str) -> Reader:
    """A connection that has read something: SQLite opens most of its files only then."""
    connection = guard.connect(path, _TIMEOUT, Reader, how)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, connection.patience.longest())
    try:
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()  # or its files would be shared with the next attempt
        raise
    return connection


def _copy(path: Path, state: _State) -> Reader:
    """A connection to a copy of database and log, which is as private as the matter."""
    size = sum(one[0] for one in state if one)
    if size > _MOST_TO_COPY:
        raise Unwritable(
            f"The last changes of the matter {path.parent} are in its log, which can be read only where files can be "
            "made beside it.",
            "Copy the matter's folder to a place that you can write to.",
        )
    try:
        folder = FreshFolder("matter")
    except OSError as error:
        raise Unwritable(
            f"The matter {path.parent} must be copied to be read, and there is no private place for that: "
            f"{error.strerror or error}.",
            "Name a folder that only you can write to in TMPDIR.",
        ) from error
    try:
        with cleaning_up(folder.remove):
            for _ in range(_TRIES):
                for file in (path, _log(path)):
                    try:
                        _copy_file(file, folder.path / file.name)
                    except PermissionError as error:
                        raise forbidden(f"the matter {path.parent}") from error
                if _state(path) == state:
                    break
                state = _state(path)
            else:
                raise MatterBusy(
                    f"Another process is writing to the matter {path.parent}.", "Run the same command again."
                )
            connection = _opened(folder.path / path.name, "mode=rw")
    except BaseException:
        folder.remove()
        raise
    connection.copied = folder
    connection.patience.path = path  # the copy has no name from now on, and so no size
    if os.name == "posix":  # the open files stay, and nothing is left if the process is killed
        folder.remove()
    return connection


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file for this user alone, whatever the umask; SQLite gives the files beside it the same mode."""
    private = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o600)
    with os.fdopen(private, "wb") as copy, source.open("rb") as original:
        shutil.copyfileobj(original, copy, _BLOCK)


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _state(path: Path) -> _State:
    """What shows that the database or its log was written to; an empty log is none."""
    found = []
    for file in (path, _log(path)):
        about = None
        with contextlib.suppress(FileNotFoundError):
            about = file.stat()
        found.append((about.st_size, about.st_mtime_ns, about.st_ino) if about and about.st_size else None)
    return tuple(found)
