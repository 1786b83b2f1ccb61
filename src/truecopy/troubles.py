"""What a failed call to the disk means: full, not writable, not readable, not reachable, busy, or damaged.

The system says it by a number: `errno` of an OSError, the extended code of an SQLite error. Texts are never looked at.
Only damage is called damage. A user who is told to restore a backup because the disk is full may lose what was whole.

Where the number leaves it open (SQLite's "disk I/O error" while it writes may be a full disk or a broken one), a few
bytes are written beside the file, flushed and removed: the system's answer to that is exact.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterator
from enum import Enum
from pathlib import Path

from truecopy.errors import DiskFull, DiskTrouble, Forbidden, TruecopyError, Unreachable, Unwritable


class Trouble(Enum):
    """Why the disk, or what is on it, cannot be used."""

    FULL = "full"
    UNWRITABLE = "unwritable"
    FORBIDDEN = "forbidden"
    UNREACHABLE = "unreachable"
    BUSY = "busy"
    DAMAGED = "damaged"
    OTHER = "other"


CLASSES: dict[Trouble, type[DiskTrouble]] = {
    Trouble.FULL: DiskFull,
    Trouble.UNWRITABLE: Unwritable,
    Trouble.FORBIDDEN: Forbidden,
    Trouble.UNREACHABLE: Unreachable,
}
"""The error that each trouble of the disk itself is raised as."""
HINTS = {
    Trouble.FULL: "Make room on the disk, then run the same command again.",
    Trouble.UNWRITABLE: "Change the permissions, or choose a place that you can write to.",
    Trouble.FORBIDDEN: "Ask its owner to let you read it, or change its permissions.",
    Trouble.UNREACHABLE: "Check that the drive is connected and works, then run the same command again.",
}


def _numbers(*names: str) -> frozenset[int]:
    """Error numbers by name; a system does not have all of them."""
    return frozenset(getattr(errno, name) for name in names if hasattr(errno, name))


_FULL = _numbers("ENOSPC", "EDQUOT", "EFBIG")
_UNWRITABLE = _numbers("EACCES", "EPERM", "EROFS")
_UNREACHABLE = _numbers(
    "EIO", "ESTALE", "ENODEV", "ENXIO", "ENOTCONN", "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETUNREACH",
    "ETIMEDOUT", "EREMOTEIO", "ENOMEDIUM", "ESHUTDOWN", "ENOLINK",
)  # fmt: skip
_VANISHED = _numbers("ENOENT", "ENOTDIR")
_WINDOWS = {
    39: Trouble.FULL, 112: Trouble.FULL, 1295: Trouble.FULL, 19: Trouble.UNWRITABLE, 21: Trouble.UNREACHABLE,
    23: Trouble.DAMAGED, 55: Trouble.UNREACHABLE, 59: Trouble.UNREACHABLE, 64: Trouble.UNREACHABLE,
    1006: Trouble.UNREACHABLE, 1117: Trouble.UNREACHABLE, 1167: Trouble.UNREACHABLE,
}  # fmt: skip
"""What Windows says itself, where its `errno` says less."""

_PRIMARY = 0xFF
"""SQLite's extended error codes hold the plain one in their lowest byte."""
_SQLITE = {
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.UNWRITABLE,
    sqlite3.SQLITE_PERM: Trouble.UNWRITABLE,
    sqlite3.SQLITE_BUSY: Trouble.BUSY,
    sqlite3.SQLITE_LOCKED: Trouble.BUSY,
    sqlite3.SQLITE_PROTOCOL: Trouble.BUSY,
    sqlite3.SQLITE_CORRUPT: Trouble.DAMAGED,
    sqlite3.SQLITE_NOTADB: Trouble.DAMAGED,
    sqlite3.SQLITE_FORMAT: Trouble.DAMAGED,
    sqlite3.SQLITE_INTERRUPT: Trouble.DAMAGED,  # by us: its pages lead in circles (`matter/sql/guard.py`)
    sqlite3.SQLITE_TOOBIG: Trouble.DAMAGED,
    sqlite3.SQLITE_CONSTRAINT: Trouble.DAMAGED,  # rows that no command of ours stores beside each other
    sqlite3.SQLITE_MISMATCH: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR: Trouble.UNREACHABLE,
}
_EXACT = {
    sqlite3.SQLITE_IOERR_SHORT_READ: Trouble.DAMAGED,  # the file ends too early
    sqlite3.SQLITE_READONLY_DBMOVED: Trouble.UNREACHABLE,  # somebody has moved it away
}
_WHILE_WRITING = frozenset(
    getattr(sqlite3, f"SQLITE_IOERR_{name}", -1)
    for name in ("WRITE", "FSYNC", "DIR_FSYNC", "TRUNCATE", "SHMOPEN", "SHMSIZE", "SHMMAP", "DELETE", "GETTEMPPATH")
)
"""Errors of writing, behind which any of the disk's troubles may be."""


def trouble(error: BaseException, place: Path | None = None, *, writing: bool = False) -> Trouble:
    """What is behind an error; `place` is the file or folder that was used, where more may be asked of the system.

    Only a writer may find out by writing.
    """
    for cause in _causes(error):
        if isinstance(cause, sqlite3.Error):
            return _of_sqlite(cause, place, writing)
        if isinstance(cause, OSError) and cause.errno is not None:
            return _of_system(cause, place)
    return Trouble.OTHER


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it was raised from, with what SQLAlchemy wraps."""
    seen: BaseException | None = error
    while seen is not None:
        yield seen
        seen = getattr(seen, "orig", None) or seen.__cause__


def _of_system(error: OSError, place: Path | None) -> Trouble:
    known = _WINDOWS.get(getattr(error, "winerror", None) or 0)
    if known is not None:
        return known
    for numbers, found in ((_FULL, Trouble.FULL), (_UNWRITABLE, Trouble.UNWRITABLE)):
        if error.errno in numbers:
            return found
    gone = error.errno in _VANISHED and place is not None and not place.exists()
    return Trouble.UNREACHABLE if gone or error.errno in _UNREACHABLE else Trouble.OTHER


def _of_sqlite(error: sqlite3.Error, place: Path | None, writing: bool) -> Trouble:
    code = getattr(error, "sqlite_errorcode", 0)
    if code in _EXACT:
        return _EXACT[code]
    primary = code & _PRIMARY
    in_doubt = primary == sqlite3.SQLITE_READONLY and _free(place)
    if primary == sqlite3.SQLITE_CANTOPEN or code in _WHILE_WRITING or in_doubt:
        return _asked(place, writing) if place is not None else Trouble.UNREACHABLE
    return _SQLITE.get(primary, Trouble.OTHER)


def _free(place: Path | None) -> bool:
    """Whether the system lets a file be written: SQLite calls it read-only where it could make no file beside it."""
    return place is not None and os.access(place, os.W_OK) and os.access(place.parent, os.W_OK)


def _asked(place: Path, writing: bool) -> Trouble:
    """What the system says about a place at which something could not be opened or written."""
    folder = place if place.is_dir() else place.parent
    try:
        (place if place.exists() else folder).stat()
        if os.access(folder, os.W_OK) and writing:
            _write_a_little(folder)
    except OSError as error:
        found = _of_system(error, place)
        return Trouble.UNREACHABLE if found is Trouble.OTHER else found
    if not os.access(folder, os.W_OK) or (place.exists() and not os.access(place, os.W_OK)):
        return Trouble.UNWRITABLE
    return Trouble.FULL if _no_room(folder) else Trouble.UNREACHABLE


def _write_a_little(folder: Path) -> None:
    """Raises what the system says to writing here; nothing is left."""
    handle, name = tempfile.mkstemp(".part", "truecopy-", folder)
    try:
        os.write(handle, bytes(1 << 15))  # as much as SQLite asks for at a time
        os.fsync(handle)
    finally:
        os.close(handle)
        Path(name).unlink(missing_ok=True)


def _no_room(folder: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    about = os.statvfs(folder)
    return about.f_bavail * about.f_frsize < 1 << 15


def plainly(error: BaseException) -> str:
    """The system's own words for what went wrong, without the statement that failed."""
    for cause in _causes(error):
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        if isinstance(cause, sqlite3.Error):
            circles = getattr(cause, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT
            return "its pages lead in circles" if circles else str(cause).splitlines()[0]
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def not_written(path: Path, error: BaseException, hint: str = "Choose another place for it.") -> TruecopyError:
    """What to raise for a file outside a matter's store (a report, a list) that could not be written."""
    found = trouble(error, path, writing=True)
    if found is Trouble.FULL:
        return DiskFull(f"The disk is full: {str(path)!r} could not be written.", HINTS[found])
    if found is Trouble.UNREACHABLE:
        said = f"The disk or drive does not answer: {str(path)!r} could not be written ({plainly(error)})."
        return Unreachable(said, HINTS[found])
    kind = Unwritable if found is Trouble.UNWRITABLE else TruecopyError
    return kind(f"{str(path)!r} could not be written: {plainly(error)}.", hint)


def forbidden(what: str) -> Forbidden:
    """What to raise for what the user may not read."""
    return Forbidden(f"You have no permission to read {what}.", HINTS[Trouble.FORBIDDEN])


def refuse_unreachable(name: str, error: BaseException) -> None:
    """Raise if a file could not be read because its disk does not answer: that is no damage."""
    if trouble(error) is Trouble.UNREACHABLE:
        said = f"The disk or drive of {name} does not answer ({plainly(error)})."
        raise Unreachable(said, HINTS[Trouble.UNREACHABLE]) from error


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one sentence why a file outside a matter's store could not be written."""
    try:
        yield
    except OSError as error:
        raise not_written(path, error) from error
