"""Plain files only: what truecopy opens is a regular file and no link to one, and what it makes was not there before.

A folder that somebody else has made may hold anything: a link to a file elsewhere, a pipe that never answers, a link in
the place where a file is going to be written. So files of a matter are opened without following a link and looked at
before they are read, and new files are made with exclusive creation under a name that nobody can foresee, and renamed.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from truecopy.stopping import cleaning_up

PART = re.compile(r"\.?[^/\\]+\.[0-9a-f]{16}\.part")
"""The name of a file that is not finished: what it is going to be called, and a random part."""
_PRIVATE = 0o600
"""Until a file is complete, only its owner can read it."""
_INHERITED = 0o2000
"""Files in such a folder belong to the folder's group; that stays as it is."""
_SHOWN = 40
"""Letters of a name that a part's name repeats: with the rest it must not be too long for the system."""
_REPARSE_POINT = 0x400
"""Windows: a link, or anything else that stands for another place."""
_READ = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_MAKE = os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_STAY = getattr(os, "O_NOFOLLOW", 0)


class NotPlain(OSError):
    """What is there is no regular file; the text says what it is."""


def other_than_regular(found: os.stat_result) -> str:
    """What is not a regular file, in words; "" for a regular file."""
    if getattr(found, "st_file_attributes", 0) & _REPARSE_POINT or stat.S_ISLNK(found.st_mode):
        return "a link"
    if stat.S_ISREG(found.st_mode):
        return ""
    if stat.S_ISDIR(found.st_mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(found.st_mode) else "a device or a socket"


def other_than_file(path: Path) -> str:
    """What is at a place, in words, if it is anything but a regular file; "" for a file, or where nothing is."""
    try:
        return other_than_regular(path.lstat())
    except OSError:
        return ""


def open_plain(path: Path, *, follow: bool = False) -> int:
    """Open a regular file to be read; never waits, and does not follow a link unless told to."""
    if not follow:
        found = other_than_file(path)
        if found:
            raise NotPlain(found)
    handle = os.open(path, _READ | (0 if follow else _STAY))
    try:
        found = other_than_regular(os.fstat(handle))
        if found:
            raise NotPlain(found)
    except BaseException:
        os.close(handle)
        raise
    return handle


def read_plain(path: Path, most: int) -> bytes:
    """The first bytes of a regular file that is no link."""
    with os.fdopen(open_plain(path), "rb") as file:
        return file.read(most)


def part_of(path: Path) -> Path:
    """A name beside `path` that nobody can foresee, for a file that will take its place."""
    return path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")


def make_new(path: Path, mode: int = _PRIVATE) -> BinaryIO:
    """A new file, opened to be written; an error where anything is there already, even a link to nowhere.

    The umask takes from the mode.
    """
    return os.fdopen(os.open(path, _MAKE | _STAY, mode), "w+b")


def set_mode(path: Path, mode: int) -> None:
    """Give a file or folder of this user a mode, where the system has modes."""
    with contextlib.suppress(OSError):
        path.chmod(mode | (path.stat().st_mode & _INHERITED))


@contextlib.contextmanager
def new_part(path: Path) -> Iterator[tuple[Path, BinaryIO]]:
    """An empty new file beside `path`: its name and itself; removed at the end unless it was renamed."""
    part = part_of(path)
    try:
        with cleaning_up(lambda: part.unlink(missing_ok=True)), make_new(part) as file:
            yield part, file
    finally:
        with contextlib.suppress(OSError):  # it is in place already, or was never made
            part.unlink()


@contextlib.contextmanager
def written_whole(path: Path, mode: int = _PRIVATE) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` at the end, if nothing fails; a link there is replaced, not followed."""
    with new_part(path) as (part, file):
        yield file
        file.close()  # Windows renames no open file
        set_mode(part, mode)
        part.replace(path)


@contextlib.contextmanager
def replacing(path: Path, mode: int = _PRIVATE) -> Iterator[Path]:
    """The same for a writer that takes the name of a file: a new, empty one, which it fills."""
    with new_part(path.with_name(f".{path.name[:_SHOWN]}")) as (part, file):
        file.close()
        yield part
        set_mode(part, mode)
        part.replace(path)
