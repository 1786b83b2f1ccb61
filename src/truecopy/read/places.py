"""Where a document is: its path, what it is part of, and what its container may still unpack."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from truecopy.model import Reading
from truecopy.read.links import Guard
from truecopy.read.settings import ReadSettings


class Budget:
    """What one file from the disk may unpack to, with all that is nested in it."""

    def __init__(self, settings: ReadSettings) -> None:
        self._members = settings.max_members
        self._bytes = settings.max_unpacked
        self._lock = threading.Lock()

    @property
    def members(self) -> int:
        """How many documents may still come out of it."""
        return self._members

    def spend(self, members: int, size: int) -> bool:
        """Take this much; False, and nothing is taken, if there is not enough left."""
        with self._lock:
            if members > self._members or size > self._bytes:
                return False
            self._members -= members
            self._bytes -= size
            return True


class DocumentPlace:
    """Where a document is."""

    __slots__ = ("_budget", "_settings", "archives", "mails", "parent", "path", "root")

    def __init__(self, root: str, path: str, settings: ReadSettings) -> None:
        self.root = root
        self.path = path
        self.parent = ""
        self.archives = 0
        """How many archives it is nested in."""
        self.mails = 0
        """How many e-mails it is attached through."""
        self._settings = settings
        # Made only for containers: most documents are none, and there are millions of them.
        self._budget: Budget | None = None

    @property
    def budget(self) -> Budget:
        """What the outermost container may still unpack."""
        if self._budget is None:
            self._budget = Budget(self._settings)
        return self._budget

    def inside(self, name: str, archives: int = 0, mails: int = 0) -> DocumentPlace:
        """The place of a member or attachment."""
        place = DocumentPlace(self.root, f"{self.path}/{name}", self._settings)
        place.parent = self.path
        place.archives = self.archives + archives
        place.mails = self.mails + mails
        place._budget = self.budget
        return place

    def without_bytes(self, size: int, status: str, reason: str) -> Reading:
        """The reading of a document when none of its bytes was read."""
        return Reading(self.root, self.path, size, "", "", "", b"", status, reason, "", self.parent)


@dataclass(frozen=True, slots=True)
class Archive:
    """A ZIP file or mailbox that was found: its members are to be read in its place."""

    place: DocumentPlace
    reader: str
    """zip or mbox."""
    size: int
    location: str = ""
    """Where it is on the disk; "" where it is in memory."""
    data: bytes = field(default=b"", repr=False)
    guard: Guard | None = None
