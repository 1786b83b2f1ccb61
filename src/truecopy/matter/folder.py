"""The folder of a matter, before a store opens it: what is in it, who may enter it, and which folders are refused."""

from __future__ import annotations

import stat
from pathlib import Path

from truecopy.access import file_mode, folder_mode, make_empty, make_folder
from truecopy.drives import network_drive
from truecopy.errors import MatterError, UsageError
from truecopy.hints import pasted
from truecopy.matter.sql.guard import ADDING, DATABASE, LOCK, SCANNING, UNFINISHED
from truecopy.matter.troubles import not_made
from truecopy.plainfiles import set_mode

OWN = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", f"{DATABASE}-journal", LOCK, SCANNING, ADDING, UNFINISHED)
"""What a matter begins with."""


def make_room(folder: Path, access: str) -> None:
    """Make the folder that a matter is about to be made in; one that holds anything else is refused."""
    refuse_network_drive(folder)
    try:
        if is_foreign(folder) and not has_database(folder):
            raise not_free(folder)
        make_folder(folder, access)
    except OSError as error:
        raise not_made(folder, error) from error


def not_free(folder: Path) -> UsageError:
    """Why a folder that holds something else cannot become a matter."""
    return UsageError(
        f"{folder} exists and is neither empty nor a matter.", "Give a new or empty folder with --matter."
    )


def there_already(folder: Path) -> UsageError:
    """Why a matter cannot be made where one is."""
    return UsageError(
        f"There is a matter in {folder} already.",
        f"Add documents to it with {pasted('add', 'PATH', matter=folder)}, or give another folder with --matter.",
    )


def give_access(folder: Path, access: str) -> None:
    """Let only these read a matter: its folder, and all files that it has or will have."""
    set_mode(folder, folder_mode(access))
    mode = file_mode(access)
    make_empty(folder / DATABASE, mode)  # now: SQLite gives the files beside the database the mode that it has
    for file in folder.iterdir():
        if file.is_file() and not file.is_symlink():
            set_mode(file, mode)


def has_database(folder: Path) -> bool:
    """Whether a folder holds a matter's database; raises where the user may not look."""
    try:
        return stat.S_ISREG((folder / DATABASE).stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False


def is_foreign(folder: Path) -> bool:
    """Whether there is something other than a folder, or than what a matter begins with."""
    return folder.exists() and (not folder.is_dir() or bool({entry.name for entry in folder.iterdir()} - set(OWN)))


def refuse_network_drive(folder: Path) -> None:
    """Refuse a network drive: SQLite's WAL needs shared memory, which network drives do not have."""
    found = network_drive(folder)
    if found:
        raise MatterError(
            f"The matter {folder} is on a network drive ({found}), but its database needs a local disk.",
            "Give a folder on a local disk with --matter.",
        )
