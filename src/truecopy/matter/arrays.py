"""The arrays of a matter: segment files in its folder, read by the rows that name them, and written for rows to come.

This is the one place where a row of the database becomes a path. A row is only ever a name of one of the forms below:
nothing in it can lead out of the matter's folder.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truecopy.assured import Assurance, wait_until_settled
from truecopy.errors import DamagedSegment, DiskTrouble, MatterError
from truecopy.matter.sql.files import File
from truecopy.matter.stored_json import is_spec
from truecopy.plainfiles import PART
from truecopy.segments import read_segment, size_on_disk, write_segment
from truecopy.spec import Spec

if TYPE_CHECKING:
    from truecopy.sign.statistics import Statistics

AnyArray = NDArray[np.generic]
_WHOLE = "whole"
_LARGE = 1 << 22
"""Bytes from which hashing a file again would be noticed."""
_HINT = "Restore it from a backup, or scan again."

SEGMENT = re.compile(
    r"(?:wave-(?P<wave>[0-9]{4,9})\.(?P<words>streams|vocabulary|texts)\.[0-9]{6,15}"
    r"|wave-(?P<signed>[0-9]{4,9})\.(?P<signatures>signatures-[a-z0-9]{1,32})\.[0-9]{6,15}"
    r"|(?P<index>index-[a-z0-9]{1,32})\.(?P<first>[0-9]{4,9})-(?P<last>[0-9]{4,9})\.[0-9]{6,15}"
    r"|(?P<statistics>statistics)-[0-9a-f]{16})\.segment"
)


class Arrays:
    """The segment files of one matter."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, file: File) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a segment was made by, and its arrays, mapped; one that is not what its row says is refused."""
        return read_segment(self._path(file), file.checksum, Assurance(file.checksum, _WHOLE))

    def checked(self, file: File, spec: Spec, check: Callable[[Mapping[str, Any]], None]) -> dict[str, Any]:
        """The arrays of a segment that was made by a spec, once a check has found that kernels can rely on them.

        A file that passed the check before, and has not changed since, is not checked again.
        """
        made_by, arrays = self.read(file)
        if not is_spec(made_by):
            raise DamagedSegment(f"The matter's file {file.name} does not say what it was made by.", _HINT)
        spec.must_equal(Spec.from_json(made_by))
        if not self.has_passed(file):
            check(arrays)
            self.note_passed(file)
        return arrays

    def has_passed(self, file: File) -> bool:
        """Whether the content of a segment was checked before, by this user, and the file is as it was then."""
        found = self._stat(file)
        return found is not None and Assurance(file.checksum, file.type).holds(found)

    def note_passed(self, file: File) -> None:
        """Note that the content of a segment was checked, or was written just now by ourselves."""
        found = self._stat(file)
        if found is not None:
            Assurance(file.checksum, file.type).note(found)

    def note_written(self, files: Iterable[File]) -> None:
        """Note that segments are whole that were written just now; small ones are checked when they are read."""
        large = [file for file in files if self.size(file) > _LARGE]
        with contextlib.suppress(OSError):  # what is not noted is only checked again
            wait_until_settled([self._folder / file.name for file in large])
        for file in large:
            found = self._stat(file)
            if found is not None:
                Assurance(file.checksum, _WHOLE).note(found)
                Assurance(file.checksum, file.type).note(found)

    def write(self, name: str, spec: Mapping[str, Any], arrays: Mapping[str, Any]) -> str:
        """Write a segment, which counts once a row names it; returns its checksum."""
        return write_segment(self._folder / name, spec, arrays)

    def is_whole(self, file: File) -> bool:
        """Whether a segment can be read."""
        try:
            self.read(file)
        except DiskTrouble:
            raise
        except MatterError:
            return False
        return True

    def statistics(self, file: File) -> Statistics:
        """The statistics in a segment."""
        from truecopy.sign.statistics import Statistics

        return Statistics.load(self._path(file))

    def size(self, file: File) -> int:
        """The bytes of a segment on the disk, without reading it; 0 where it is none."""
        return size_on_disk(self._path(file))

    def state(self, file: File) -> tuple[int, int, int] | None:
        """What shows that a file was written to; None where it is not there.

        If a file has changed since it was mapped, its checksum no longer belongs to it.
        """
        found = self._stat(file)
        return None if found is None else (found.st_size, found.st_mtime_ns, found.st_ino)

    def _stat(self, file: File) -> os.stat_result | None:
        try:
            # A question looks at dozens of files: paths as objects would cost it more than the look.
            return os.lstat(f"{self._folder}{os.sep}{file.name}")
        except OSError:
            return None

    def sweep(self, named: Iterable[str], into: Path | None = None) -> None:
        """Remove segments that no row names, or move them: a killed writer left them. Only the writer may call this."""
        known = set(named)
        for file in [*self._folder.glob("*.segment"), *self._folder.glob("*.part")]:
            ours = SEGMENT.fullmatch(file.name) or PART.fullmatch(file.name)
            if ours and file.name not in known and not file.is_dir():
                with contextlib.suppress(PermissionError):  # Windows: somebody still reads it; a later writer sweeps
                    if into is None:
                        file.unlink(missing_ok=True)
                    else:
                        file.replace(into / f"swept-{file.name}")

    def _path(self, file: File) -> Path:
        """Where the segment is that a row names; a name of another form, or of another type or wave, is refused."""
        if not agrees(file):
            raise DamagedSegment(
                f"The matter's table segments names a file that is not of type {file.type[:40]!r} "
                f"and wave {file.wave}.",
                "Restore the matter from a backup, or scan again.",
            )
        return self._folder / file.name


def agrees(file: File) -> bool:
    """Whether a row's name is that of a segment of its type and wave."""
    found = SEGMENT.fullmatch(file.name)
    if found is None:
        return False
    of = found["words"] or found["signatures"] or found["index"] or found["statistics"]
    number = int(found["wave"] or found["signed"] or found["last"] or 0)
    if of != file.type or number != file.wave:
        return False
    return found["first"] is None or (1 <= int(found["first"]) == file.first <= file.last == number)
