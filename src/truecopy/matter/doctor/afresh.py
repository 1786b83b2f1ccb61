"""A matter's files, read afresh: nothing that was found out before counts.

Questions do not check a file again that has not changed since it passed (`assured.py`). A disk that loses a bit changes
no time of a file, so the doctor believes no note but its own: in one examination, each file is hashed and checked once.
"""

from __future__ import annotations

import os
from typing import Any

from truecopy.matter.arrays import Arrays
from truecopy.matter.opened import Opened
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.segments import read_segment

_Note = tuple[str, str, int, int, int, int, int]


class _Own:
    """What one examination has found out about one file."""

    def __init__(self, notes: set[_Note], checksum: str, check: str) -> None:
        self._notes, self._checksum, self._check = notes, checksum, check

    def holds(self, found: os.stat_result) -> bool:
        """Whether this file, as it is, has passed the check."""
        return self._note(found) in self._notes

    def note(self, found: os.stat_result) -> None:
        """It has."""
        self._notes.add(self._note(found))

    def _note(self, found: os.stat_result) -> _Note:
        changed = found.st_mtime_ns, found.st_ctime_ns
        return self._checksum, self._check, found.st_dev, found.st_ino, found.st_size, *changed


class _ReadAfresh(Arrays):
    """The segment files of one matter, each of which is read and checked in this examination."""

    def __init__(self, store: Store) -> None:
        super().__init__(store.folder)
        self._notes: set[_Note] = set()

    def read(self, file: File) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a segment was made by, and its arrays, mapped; one that is not what its row says is refused."""
        return read_segment(self._path(file), file.checksum, _Own(self._notes, file.checksum, ""))

    def has_passed(self, file: File) -> bool:
        """Whether the content of a segment was checked in this examination."""
        found = self._stat(file)
        return found is not None and _Own(self._notes, file.checksum, file.type).holds(found)

    def note_passed(self, file: File) -> None:
        """Note that it was."""
        found = self._stat(file)
        if found is not None:
            _Own(self._notes, file.checksum, file.type).note(found)


class Afresh:
    """Hands out the states of one examination."""

    def __init__(self, store: Store) -> None:
        self._arrays, self._opened = _ReadAfresh(store), Opened()

    def of(self, state: State) -> State:
        """The same rows, and files that are read afresh."""
        return State(state.connection, self._arrays, self._opened, state.place)
