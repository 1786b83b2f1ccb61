"""Connections for reading, also where nothing can be written: on a full disk, a read-only one, without permission.

A database with a write-ahead log wants two files beside it, the log and an index of it in shared memory. Where these
cannot be made, the same content is reached in other ways, the best one first:

1. as usual: with log and index, made if needed;
2. with the log and an index that is there but is not written to; SQLite then keeps one of its own in memory;
3. without a log, if there is none or nothing is in it: no process has anything that the database does not have;
4. from a copy of database and log in a private temporary folder, if both are small.

In the third way SQLite takes no lock. A writer that came meanwhile could change pages under the reader, and whoever
reads finds out at the end (`must_be_still`): the answer is then thrown away, never given.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from pathlib import Path
from typing import Any

from truecopy.errors import MatterBusy, Unwritable
from truecopy.troubles import Trouble, trouble

_TIMEOUT = 30
_MOST_TO_COPY = 256 << 20
_TRIES = 3
_State = tuple[tuple[int, int, int] | None, ...]


class Reader(sqlite3.Connection):
    """A connection for reading that knows whether the files must stay as they are."""

    still: tuple[Path, _State] | None = None
    """The database and its state when it was opened without locks; None where SQLite's locks hold."""
    copied: str = ""
    """The folder of the copy that is read; removed with the connection."""

    def close(self) -> None:
        """Close it, and remove the copy."""
        super().close()
        if self.copied:
            shutil.rmtree(self.copied, ignore_errors=True)


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
        return _without_writing(path)
    except sqlite3.Error as error:
        if failed is None or trouble(error, path) is Trouble.DAMAGED:
            raise
        raise failed from error  # the usual way says best what is wrong


def is_without_locks(connection: Any) -> bool:
    """Whether no lock keeps writers from what a connection reads."""
    return getattr(connection, "still", None) is not None


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
    connection: Reader = sqlite3.connect(
        f"{path.absolute().as_uri()}?{how}", uri=True, timeout=_TIMEOUT, check_same_thread=False, factory=Reader
    )
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
    folder = tempfile.mkdtemp(prefix="truecopy-")
    try:
        for _ in range(_TRIES):
            for file in (path, _log(path)):
                shutil.copyfile(file, Path(folder) / file.name)
            if _state(path) == state:
                break
            state = _state(path)
        else:
            raise MatterBusy(f"Another process is writing to the matter {path.parent}.", "Run the same command again.")
        connection = _opened(Path(folder) / path.name, "mode=rw")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    connection.copied = folder
    if os.name == "posix":  # the open files stay, and nothing is left if the process is killed
        shutil.rmtree(folder, ignore_errors=True)
    return connection


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
