"""Originals are only read: nothing that truecopy writes may take the place of a file that it reads."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from truecopy.errors import UsageError
from truecopy.read.names import spellings
from truecopy.read.patterns import fixed_folder, is_pattern


def never_over(target: Path, sources: Iterable[str | Path], but: Path | None = None) -> None:
    """Refuse to write over one of the sources, or over a file in one that is a folder; files in `but` are ours."""
    if not target.is_file():
        return
    place = _real(target.parent) / target.name  # a link is replaced, not the file behind it
    if but is not None and _real(but) in place.parents:
        return
    for source in sources:
        given = str(source)
        beginning = Path(fixed_folder(given)[0] if is_pattern(given) and not Path(given).exists() else given)
        if given != "-" and (_same(beginning, target) or (beginning.is_dir() and _real(beginning) in place.parents)):
            raise over(target)


def is_there(root: str, path: str, target: Path) -> bool:
    """Whether a target is the file of a document."""
    places = (Path(folder) / name for folder in spellings(root) for name in spellings(path))
    return target.is_file() and any(_same(place, target) for place in places)


def over(target: Path, name: str = "one of the files that are read") -> UsageError:
    """The refusal."""
    return UsageError(f"{target} is {name}, and originals are never written over.", "Give another file name.")


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # not there, or a name that no file can have
        return False


def _real(folder: Path) -> Path:
    return Path(os.path.realpath(folder))
