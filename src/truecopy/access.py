"""Who may read what truecopy writes: matters, reports, lists and the like hold texts and names of documents.

Files are made with their mode and not by the umask, which on most machines lets everybody read. A matter keeps who may
read it as a setting; its database has that mode, SQLite gives it to the files beside the database, and segments take it
from there. A file that replaces another has the mode that was asked for, not the old one's.

Windows has no such modes: a file there can be read by those who can read its folder.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from truecopy.errors import BadSetting
from truecopy.plainfiles import make_new, set_mode

PRIVATE = "private"
_FILES = {PRIVATE: 0o600, "group": 0o640, "all": 0o644}
LEVELS = tuple(_FILES)
"""The owner alone; the group of the file too; everyone who can log in. Only the owner may ever write."""
_OWNER_ONLY = 0o600


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


def touch(path: Path, mode: int) -> None:
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


def mode_like(file: Path) -> int:
    """The mode for a file beside another one: the same may read it, only the owner may write; private without it."""
    try:
        return file.stat().st_mode & 0o644 | _OWNER_ONLY
    except OSError:
        return _OWNER_ONLY
