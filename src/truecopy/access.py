"""Who may read what truecopy writes: matters, reports, lists and the like hold texts and names of documents.

Files are made with their mode and not by the umask, which on most machines lets everybody read. A matter keeps who may
read it as a setting; its database has that mode, SQLite gives it to the files beside the database, and segments take it
from there. A file that replaces another has the mode that was asked for, not the old one's.

Windows has no such modes: a file there can be read by those who can read its folder.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from truecopy.errors import BadSetting
from truecopy.stopping import cleaning_up

PRIVATE = "private"
_FILES = {PRIVATE: 0o600, "group": 0o640, "all": 0o644}
LEVELS = tuple(_FILES)
"""The owner alone; the group of the file too; everyone who can log in. Only the owner may ever write."""
_OWNER_ONLY = 0o600
_EXCLUSIVE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_INHERITED = 0o2000
"""Files in such a folder belong to the folder's group; that stays as it is."""


def check_access(given: str) -> str:
    """The same, if it is one of the levels."""
    if given not in LEVELS:
        raise BadSetting(
            f"The access {given!r} is not one of {', '.join(LEVELS)}.",
            "Give --access private (only you), group (your group may read) or all (everyone may read).",
        )
    return given


def file_mode(access: str) -> int:
    """The mode of a file that these may read."""
    return _FILES[check_access(access)]


def folder_mode(access: str) -> int:
    """The mode of a folder that these may enter and list."""
    mode = file_mode(access)
    return mode | (mode & 0o444) >> 2


def new_file(path: Path, mode: int = _OWNER_ONLY) -> IO[bytes]:
    """Make a file and open it for writing; what was there, or a link, is not written to but removed."""
    path.unlink(missing_ok=True)
    handle = os.open(path, _EXCLUSIVE, mode)
    if hasattr(os, "fchmod"):
        with contextlib.suppress(OSError):  # a file system without modes
            os.fchmod(handle, mode)  # the umask may have taken something away
    return os.fdopen(handle, "wb")


def touch(path: Path, mode: int) -> None:
    """Make an empty file where there is none."""
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, _EXCLUSIVE, mode))
        set_mode(path, mode)


def set_mode(path: Path, mode: int) -> None:
    """Give a file or folder of this user a mode, where the system has modes."""
    with contextlib.suppress(OSError):
        path.chmod(mode | (path.stat().st_mode & _INHERITED))


def make_folder(folder: Path, access: str) -> None:
    """Make a folder and those above it; one that is there already is left as it is."""
    if folder.is_dir():
        return
    make_folder(folder.parent, access)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=folder_mode(access))
        set_mode(folder, folder_mode(access))


def mode_like(file: Path) -> int:
    """The mode for a file beside another one: the same may read it, only the owner may write; private without it."""
    try:
        return file.stat().st_mode & 0o644 | _OWNER_ONLY
    except OSError:
        return _OWNER_ONLY


@contextlib.contextmanager
def replacing(path: Path, access: str = PRIVATE) -> Iterator[Path]:
    """A new file beside `path` to be filled; at the end, if nothing went wrong, it takes the place of `path`.

    Nobody but the owner can read it until it is complete.
    """
    mode = file_mode(access)
    part = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.part")
    try:
        with cleaning_up(lambda: part.unlink(missing_ok=True)):
            new_file(part).close()
            yield part
            set_mode(part, mode)
            part.replace(path)
    finally:
        with contextlib.suppress(OSError):  # it is in place already, or was never made
            part.unlink()
