"""Which files this user has checked already: a large file is hashed and examined once, not at every question.

A note says that one file, as it was at one moment (device, number, size, and when it and its entry were last changed),
passed one check. Whatever is written to the file later changes these, so the note no longer counts. The system sets the
time of the last change itself, and lets nobody choose it. Files that were changed a moment ago are not noted: a second
change could fall into the same tick of the system's clock.

Notes are empty files in the user's cache folder, and are used only if nobody else can write there (`trusted.py`). They
are never kept in a matter, where whoever made it could have put them. Without a note everything is checked.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

from truecopy._version import __version__
from truecopy.caches import cache_folder
from truecopy.trusted import walked

_TICK, _COARSE = 100_000_000, 3_000_000_000
"""Nanoseconds after which a change would show: on most systems, and where times are whole seconds."""
_SECOND = 1_000_000_000
_SMALL = 1 << 16
"""Bytes of files that are checked faster than a note is found."""
_MOST = 20_000
"""Notes that are kept."""


@dataclass(frozen=True, slots=True)
class Assurance:
    """One check of one file's content."""

    checksum: str
    """What the database says its checksum is."""
    check: str

    def holds(self, found: os.stat_result) -> bool:
        """Whether the file has passed the check, as it is."""
        folder = _notes()
        return found.st_size > _SMALL and folder is not None and (folder / self._name(found)).exists()

    def note(self, found: os.stat_result) -> None:
        """Note that the file has passed the check, as it is; nothing is noted where that cannot be told safely."""
        folder = _notes()
        if folder is None or found.st_size <= _SMALL or not _settled(found):
            return
        with contextlib.suppress(OSError):  # it is only checked again
            os.close(os.open(folder / self._name(found), os.O_CREAT | os.O_WRONLY, 0o600))

    def _name(self, found: os.stat_result) -> str:
        told = (
            found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns,
            self.checksum, self.check, __version__,
        )  # fmt: skip
        return hashlib.sha256(repr(told).encode()).hexdigest()


def wait_until_settled(paths: list[Path]) -> None:
    """Wait, a tenth of a second at most, until files that were just written can be noted."""
    last = max((path.stat().st_ctime_ns for path in paths), default=0)
    time.sleep(max(0, min(_TICK, last + _TICK - time.time_ns())) / _SECOND)


def _settled(found: os.stat_result) -> bool:
    coarse = found.st_mtime_ns % _SECOND == 0 and found.st_ctime_ns % _SECOND == 0
    last = max(found.st_mtime_ns, found.st_ctime_ns)
    return time.time_ns() - last >= (_COARSE if coarse else _TICK)


@functools.lru_cache(maxsize=1)
def _notes() -> Path | None:
    """The folder of notes; None where somebody else could write there, or nobody can."""
    try:
        folder = walked(cache_folder() / "checked", make=True)
        _clear(folder)
    except OSError:
        return None
    return folder


def _clear(folder: Path) -> None:
    """Remove the oldest notes where there are too many."""
    with os.scandir(folder) as entries:
        notes = [entry.path for entry in entries]
    if len(notes) <= _MOST:
        return
    aged = sorted(notes, key=lambda path: Path(path).stat().st_mtime_ns)
    for path in aged[: len(aged) - _MOST // 2]:
        with contextlib.suppress(OSError):
            Path(path).unlink()
