"""Where a report goes; a path that cannot work is refused before a long scan, not after it."""

from __future__ import annotations

from pathlib import Path

from truecopy.errors import NotFound, UsageError


def checked(given: Path) -> Path:
    """The file that was asked for, if it can be written."""
    if given.is_dir():
        raise UsageError(
            f"{given} is a folder, but a file was expected.", f"Give a name such as {given / 'report.html'}."
        )
    if not given.absolute().parent.is_dir():
        raise NotFound(f"There is no folder {given.absolute().parent} for the report.", "Make it first.")
    return given
