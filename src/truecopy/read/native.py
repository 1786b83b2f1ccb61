"""The system's own paths, and what documents make of them: a document's path has `/` everywhere.

On Windows a path given to the system as it is must be short (260 characters), and `con.txt`, `aux.pdf` or a name that
ends in a dot means a device or another file. With `\\\\?\\` before it, it is the file and nothing else. So files are
opened under that form, and shown without it.
"""

from __future__ import annotations

import ntpath
import os
import re

WINDOWS = os.name == "nt"
CASE = re.IGNORECASE if WINDOWS else 0
"""How patterns compare letters: as the system does with names."""


def reachable(path: str, windows: bool = WINDOWS) -> str:
    """An absolute path in the form under which the system finds exactly this file."""
    if not windows or path.startswith(("\\\\?\\", "\\\\.\\")):
        return path
    plain = ntpath.normpath(path)
    return f"\\\\?\\UNC\\{plain[2:]}" if plain.startswith("\\\\") else f"\\\\?\\{plain}"


def slashed(path: str, windows: bool = WINDOWS) -> str:
    """A path or pattern with `/`; on other systems a backslash is a letter like any other."""
    return path.replace("\\", "/") if windows else path


def by_drive(files: list[str], windows: bool = WINDOWS) -> list[list[str]]:
    """Files by the drive they are on: no folder holds files of two drives."""
    drives: dict[str, list[str]] = {}
    for file in files:
        drive = ntpath.splitdrive(file)[0].lower() if windows else ""
        drives.setdefault(drive, []).append(file)
    return list(drives.values())
