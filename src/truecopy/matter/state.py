"""One state of a matter: the rows of its database, and the arrays that they name.

Whoever asks or changes something is handed this one object. It is the same for a folder and, later, for a database
server: another store gives another such object, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from truecopy.matter.sql.audit import SIGNS, WRITES
from truecopy.matter.sql.database import Database

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from truecopy.matter.arrays import Arrays
    from truecopy.matter.opened import Opened
    from truecopy.matter.sql.files import File
    from truecopy.settings import MatterSettings

T = TypeVar("T")
Basis = tuple[str, "MatterSettings"]
"""What something computed follows from: the last entry of the log that matters to it, and the settings."""


class State(Database):
    """What one question, several questions of a snapshot, or one change sees of a matter."""

    def __init__(self, connection: Connection, arrays: Arrays, opened: Opened, place: Path) -> None:
        super().__init__(connection)
        self.arrays = arrays
        """The segment files."""
        self.opened = opened
        """What stays open between two questions."""
        self.place = place
        """What the matter is called in messages: its folder."""
        self._kept: dict[str, Any] = {}

    def basis(self, *, signed: bool = True) -> Basis:
        """What was computed from a state still follows on a later one if their bases are equal.

        Numbers of waves come again when a scan starts over; entries of the log never do. (Settings of an empty matter
        change without an entry.) With `signed`, signatures matter too.
        """
        return self.audit.last_of(WRITES + SIGNS if signed else WRITES), self.facts.settings()

    def good_for(self, files: Sequence[File]) -> Hashable:
        """What shows that what was read from some files is still good: their rows, and the files as they are."""
        return tuple((file, self.arrays.state(file)) for file in files)

    def once(self, name: str, read: Callable[[], T]) -> T:
        """What was read before in this state, or what is read now."""
        if name not in self._kept:
            self._kept[name] = read()
        found: T = self._kept[name]
        return found
