"""The spool of a wave that is being computed: its texts and segments, until a commit gives them their names.

It is a folder inside the matter's, held by a lock that the system frees when the process ends: what a killed process
has left is swept away by the next writer, and what another process is working on is left alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from truecopy.access import mode_in
from truecopy.locks import held
from truecopy.matter.bodies import TEXT_SPEC
from truecopy.matter.change.scratch import Scratch, Scratched
from truecopy.matter.indexing import block_name, name_block
from truecopy.matter.sql.files import File
from truecopy.matter.sql.guard import DATABASE
from truecopy.matter.state import State
from truecopy.matter.troubles import is_about, not_written
from truecopy.plainfiles import make_new
from truecopy.segments import read_segment, sync_folder, write_segment
from truecopy.stopping import cleaning_up

S = TypeVar("S", bound=np.generic)

_PREFIX = "spool-"
_LOCK = "lock"
_BODIES = "bodies"
_SCRATCH = "scratch"
_MAKING = "making-"
"""The beginning of its name until it is locked."""
_MOVABLE = os.name == "posix"
"""Whether a folder can get another name while a file in it is open."""
_JUST_MADE = 60
"""Seconds for which a spool that may not be locked yet is left alone."""


class Spool:
    """One wave's spool."""

    def __init__(self, matter: Path, folder: Path) -> None:
        self._matter = matter
        self.folder = folder
        """Where it is; whatever is in it is removed at its end."""
        self._bodies = make_new(folder / _BODIES, mode_in(matter))
        self._scratch = Scratch(make_new(folder / _SCRATCH, mode_in(matter)))
        self._ends = [0]
        self._serial = 0

    def keep_bodies(self, bodies: list[bytes]) -> None:
        """Take compressed texts in, one after the other."""
        self._bodies.write(b"".join(bodies))
        for body in bodies:
            self._ends.append(self._ends[-1] + len(body))

    def body(self, place: int) -> bytes:
        """A text that was taken in."""
        bodies, offsets = self._mapped()
        return bytes(bodies[offsets[place] : offsets[place + 1]])

    def write_texts(self, places: list[int]) -> tuple[str, str]:
        """A segment of some of the texts; returns the name that it has here, and its checksum."""
        bodies, offsets = self._mapped()
        if len(places) != len(offsets) - 1:
            parts = [bodies[offsets[place] : offsets[place + 1]] for place in places]
            bodies = np.concatenate([np.empty(0, np.uint8), *parts])
            offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(part) for part in parts], dtype=np.int64)])
        return self.write(TEXT_SPEC.as_json(), {"bodies": bodies, "offsets": offsets})

    def write(self, spec: Mapping[str, Any], arrays: Mapping[str, Any]) -> tuple[str, str]:
        """A segment; returns the name that it has here, and its checksum."""
        self._serial += 1
        name = f"{self._serial:06d}.segment"
        return name, write_segment(self.folder / name, spec, arrays, mode_in(self._matter))

    def read(self, name: str, checksum: str) -> dict[str, Any]:
        """The arrays of a segment that was written here, mapped."""
        return read_segment(self.folder / name, checksum, _JustWritten())[1]

    def keep(self, array: NDArray[S]) -> Scratched[S]:
        """An array, out of memory until the wave ends."""
        return self._scratch.keep(array)

    def publish(self, names: Mapping[str, str]) -> None:
        """Move segments to the matter's folder, under the names that rows are about to have. Only the writer may."""
        for name, final in names.items():
            (self.folder / name).replace(self._matter / final)
        sync_folder(self._matter)  # before the rows that name them

    def close(self) -> None:
        """Close what is open."""
        self._bodies.close()
        self._scratch.close()

    def _mapped(self) -> tuple[Any, Any]:
        self._bodies.flush()
        size = self._ends[-1]
        path = self.folder / _BODIES
        bodies = np.memmap(path, np.uint8, "r", shape=(size,)) if size else np.empty(0, np.uint8)
        return bodies, np.array(self._ends, np.int64)


class _JustWritten:
    """What this process has just written is not hashed again."""

    def holds(self, _: os.stat_result) -> bool:
        """Whether a file is known to be whole: it is."""
        return True

    def note(self, _: os.stat_result) -> None:
        """Nothing has to be remembered."""


@dataclass(frozen=True, slots=True)
class Spooled:
    """A segment in a spool, and what its row will say."""

    name: str
    """In the spool."""
    checksum: str
    type: str
    first: int
    last: int
    unit: str = ""
    """Of the passages in it."""
    index: str = ""
    """The index that it is a block of."""
    wave: int = 0
    """The wave that it belongs to, where that is not the one that is being written."""

    def file(self, wave: int, serial: int) -> File:
        """Its row, in the wave and the commit with these numbers."""
        if self.index:
            name = block_name(self.index, self.first, self.last, serial)
        else:
            name = f"wave-{wave:04d}.{self.type}.{serial:06d}.segment"
        return File(name, wave, self.type, self.first, self.last, self.checksum, self.unit)


def published(state: State, spool: Spool, spooled: Sequence[Spooled], wave: int) -> list[File]:
    """Move segments to where rows will say they are, and write these rows; of blocks in place of those that they cover.
    Only the writer may.
    """
    serial = state.audit.next_number()
    files = {segment: segment.file(segment.wave or wave, serial) for segment in spooled}
    spool.publish({segment.name: file.name for segment, file in files.items()})
    for segment, file in files.items():
        if segment.index:
            name_block(state, segment.index, file)
        else:
            state.files.insert(file)
    return list(files.values())


@contextlib.contextmanager
def spooling(matter: Path) -> Iterator[Spool]:
    """A spool in a matter's folder; nothing of it is left at the end."""
    token = secrets.token_hex(8)
    folder = matter / f"{_PREFIX}{token}"
    making = matter / f"{_MAKING}{token}" if _MOVABLE else folder
    try:
        sweep_spools(matter)
        making.mkdir(mode=0o700)
        with cleaning_up(lambda: _remove(making, folder)):
            make_new(making / _LOCK, mode_in(matter)).close()
            with held(making / _LOCK):
                if making != folder:
                    making.rename(folder)  # nobody sees a spool that is not locked
                spool = Spool(matter, folder)
                try:
                    yield spool
                finally:
                    spool.close()
    except OSError as error:
        if not is_about(matter, error):
            raise
        raise not_written(matter / DATABASE, error, "; it is as it was before") from error
    finally:
        _remove(making, folder)


def sweep_spools(matter: Path) -> None:
    """Remove the spools of processes that have ended."""
    for folder in sorted([*matter.glob(f"{_PREFIX}*"), *matter.glob(f"{_MAKING}*")]):
        with contextlib.suppress(OSError):
            if not folder.is_symlink() and folder.is_dir() and _is_left(folder):
                _remove(folder)


def _remove(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Whether nobody works on a spool; one that is being made may not be locked yet.

    Where a spool is locked before it has its name, one without a lock is what a killed process has not removed to its
    end.
    """
    lock = folder / _LOCK
    if (not _MOVABLE or folder.name.startswith(_MAKING)) and time.time() - folder.stat().st_mtime < _JUST_MADE:
        return False
    if lock.is_symlink() or not lock.is_file():
        return True
    with held(lock) as free:
        return free
