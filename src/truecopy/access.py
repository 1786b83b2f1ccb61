"""Who may read what truecopy writes: matters, reports, lists and the like hold texts and names of documents.

Files are made with their mode and not by the umask, which on most machines lets everybody read. A matter does not store
who may read it, because it may come from a stranger: the modes of its folder and its database on this machine say so,
and only if both belong to this user. What is made later inside the folder is for those who can read the database;
what is made from a matter elsewhere is private, unless the user says otherwise. SQLite gives the database's mode to the
files beside it. A file that replaces another has the mode that was asked for, not the old one's.

Windows has no such modes: a file there can be read by those who can read its folder.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from truecopy.errors import BadSetting
from truecopy.plainfiles import make_new, set_mode

PRIVATE = "private"
_FILES = {PRIVATE: 0o600, "group": 0o640, "all": 0o644}
LEVELS = tuple(_FILES)
"""The owner alone; the group of the file too; everyone who can log in. Only the owner may ever write."""
_DATABASE = "matter.sqlite"


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


def make_empty(path: Path, mode: int) -> None:
    """Make an empty file where there is none."""
    with contextlib.suppress(FileExistsError):
        make_new(path).close()
        set_mode(path, mode)


def make_folder(folder: Path, access: str) -> None:
    """Make a folder and those above it; one that is there already is left as it is."""
    if folder.is_dir():
        return
    make_folder(folder.parent, access)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=folder_mode(access))
        set_mode(folder, folder_mode(access))


def has_modes() -> bool:
    """Whether files on this system have owners and modes that say who may read them."""
    return hasattr(os, "geteuid")


def readable_by(place: Path) -> str:
    """Who may read a file, or enter and list a folder, by its mode; "" where that cannot be told."""
    if not has_modes():
        return ""
    try:
        mode = place.stat().st_mode
    except OSError:
        return ""
    needed = folder_mode if place.is_dir() else file_mode
    return next(level for level in reversed(LEVELS) if level == PRIVATE or not needed(level) & 0o077 & ~mode)


def narrower(*levels: str) -> str:
    """The one of several levels that lets the fewest read; private where one cannot be told."""
    return min((level or PRIVATE for level in levels), key=LEVELS.index)


def matter_readable_by(folder: Path) -> str:
    """Who may read a matter on this machine; "" where that cannot be told."""
    levels = readable_by(folder), readable_by(folder / _DATABASE)
    return narrower(*levels) if all(levels) else ""


def access_for(path: Path, matter: Path) -> str:
    """Who may read a file that is made from a matter and for which nothing was said: in the matter's folder those who
    may read the matter, if it belongs to this user; elsewhere only this user.
    """
    if matter.resolve() not in path.resolve().parents or not (_is_own(matter) and _is_own(matter / _DATABASE)):
        return PRIVATE
    return narrower(matter_readable_by(matter))


def mode_in(folder: Path) -> int:
    """The mode of a new file of a matter; private in any other folder."""
    return file_mode(access_for(folder / _DATABASE, folder))


def _is_own(place: Path) -> bool:
    try:
        return has_modes() and place.lstat().st_uid == os.geteuid()
    except OSError:
        return False
