"""What a matter says when its disk fails: full, read-only, not reachable, busy or damaged, each in its own words.

Which of them it is, `truecopy/troubles.py` finds out; here are the sentences.
"""

from __future__ import annotations

import os
from pathlib import Path

from truecopy.errors import DamagedMatter, DiskTrouble, MatterBusy, MatterError, Unreachable, Unwritable
from truecopy.hints import pasted
from truecopy.troubles import CLASSES, HINTS, Trouble, forbidden, plainly, trouble


def not_read(database: Path, error: BaseException) -> MatterError:
    """What to say if a matter cannot be read: only damage is called damage."""
    found, words = trouble(error, database), plainly(error)
    folder = database.parent
    if found is Trouble.DAMAGED:
        return _damaged(database, words)
    if found is Trouble.BUSY:
        return _busy(folder)
    if found is Trouble.FULL:
        return CLASSES[found](f"The disk of the matter {folder} is full, and it cannot be read.", HINTS[found])
    if any(os.path.exists(file) and not os.access(file, os.R_OK) for file in (database, f"{database}-wal")):  # noqa: PTH110
        return forbidden(f"the matter {folder}")
    if found in (Trouble.UNWRITABLE, Trouble.UNREACHABLE):
        said = f"The disk or drive of the matter {folder} does not answer as it should ({words})."
        return Unreachable(said, HINTS[Trouble.UNREACHABLE])
    return MatterError(f"The matter {folder} cannot be read ({words}).", "Run the same command again.")


def not_written(database: Path, error: BaseException, aftermath: str = "") -> MatterError:
    """What to say if a matter cannot be written to; `aftermath` is what is known of it now."""
    found, words = trouble(error, database, writing=True), plainly(error)
    folder = database.parent
    if found is Trouble.FULL:
        return CLASSES[found](f"The disk is full: the matter {folder} cannot be written to{aftermath}.", HINTS[found])
    if found is Trouble.UNWRITABLE:
        return unwritable(folder, f" ({words}){aftermath}")
    if found is Trouble.UNREACHABLE:
        said = f"The disk or drive does not answer: the matter {folder} cannot be written to ({words}){aftermath}."
        return CLASSES[found](said, HINTS[found])
    if found is Trouble.BUSY:
        return _busy(folder, aftermath)
    if found is Trouble.DAMAGED:
        return _damaged(database, words)
    return MatterError(f"The matter {folder} cannot be written to ({words}){aftermath}.", "Run the same command again.")


def is_about(folder: Path, error: OSError) -> bool:
    """Whether an error of the system is about a matter's own files; writing names no file."""
    return error.filename is None or folder.absolute() in Path(os.fsdecode(error.filename)).absolute().parents


def not_made(folder: Path, error: BaseException) -> MatterError:
    """What to say if a matter cannot be made."""
    found, words = trouble(error, folder, writing=True), plainly(error)
    kind = CLASSES.get(found, MatterError)
    if found is Trouble.FULL:
        return kind(f"The disk is full: the matter {folder} cannot be made there.", HINTS[found])
    hint = HINTS[found] if found is Trouble.UNREACHABLE else "Give a folder that you can write to."
    return kind(f"The matter {folder} cannot be made there ({words}).", hint)


def in_doubt(database: Path, error: BaseException, stored: str) -> DiskTrouble:
    """What to say after a commit that failed, if what it was to store is stored (in words), or if nobody knows."""
    kind = CLASSES.get(trouble(error, database, writing=True), Unreachable)
    folder = database.parent
    said = f"The disk failed when the last bytes were written to the matter {folder} ({plainly(error)})"
    said += f", but {stored} is stored." if stored else ", and it is not known whether the change is stored."
    status = pasted("status", matter=folder)
    more = "" if stored else ", then run the same command again"
    return kind(said, f"Check the disk and look with {status} at what is stored{more}.")


def unwritable(folder: Path, more: str = "") -> Unwritable:
    """What to say of a matter that the user may not write to."""
    return Unwritable(
        f"The matter {folder} cannot be written to: it is read-only, or you lack the permission{more}.",
        "Change the folder's permissions, or work on a copy of it.",
    )


def _damaged(database: Path, words: str) -> DamagedMatter:
    checked = pasted("doctor", "--matter", database.parent)
    return DamagedMatter(
        f"{database} is not a truecopy matter or is damaged ({words}).",
        f"Give another folder with --matter, or check this one with {checked} and restore it from a backup.",
    )


def _busy(folder: Path, aftermath: str = "") -> MatterBusy:
    return MatterBusy(
        f"Another process is using the matter {folder}{aftermath}.", "Wait until it is done, then run this again."
    )
