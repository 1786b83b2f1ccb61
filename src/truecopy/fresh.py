"""Folders for temporary files: made fresh under a random name, for this user alone, and removed at the end.

Libraries unpack code and write texts of documents into the temporary folder, which every user of a machine may write.
So they get a folder of their own in it. A folder has an owner: the process that made it holds its lock, which the
system frees when the process ends, however it ends. Whoever needs a folder first removes those whose owner is gone, so
what a killed process has left goes with the next run.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import stat
import tempfile
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

from truecopy.locks import held
from truecopy.trusted import checks_owners, walked

_LOCK = "owner.lock"
_INSIDE = "own"
_NAME = re.compile(r"truecopy-(parsers|kernels|workbook|matter)-\w+")
_UNLOCKED = 3600
"""Seconds after which a folder without a lock counts as left: its maker was killed before it had locked it."""
_ATTEMPTS = 5
_ROOM = 64 << 20
"""Free bytes that a folder should have: a parser unpacks libraries of several megabytes into it."""


class FreshFolder:
    """A folder below the temporary folder that no other user can enter; `path` is what may be used of it."""

    def __init__(self, purpose: str) -> None:
        for _ in range(_ATTEMPTS):
            base = temporary_folder()
            _sweep_once(base)
            made = Path(tempfile.mkdtemp(prefix=f"truecopy-{purpose}-", dir=base))
            stack = contextlib.ExitStack()
            # A sweep of another process may come between the two and take it for left: then there is another one.
            if stack.enter_context(held(made / _LOCK)):
                with contextlib.suppress(FileNotFoundError):
                    self.path = made / _INSIDE
                    self.path.mkdir(mode=0o700)
                    self._remove = weakref.finalize(self, _end, made, stack, os.getpid())
                    return
            stack.close()
        raise OSError(f"no folder could be made in {base}")

    def remove(self) -> None:
        """Remove it with all that is in it; what cannot be removed now goes with a later sweep."""
        self._remove()

    def __enter__(self) -> FreshFolder:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


def temporary_folder() -> Path:
    """The first folder for temporary files in which nobody else can exchange ours; raises OSError if there is none.

    One that is nearly full comes last.
    """
    reason = "there is none"
    full: Path | None = None
    for candidate in _candidates():
        try:
            found = walked(candidate, shared=True)
        except OSError as error:
            reason = error.strerror or str(error)
            continue
        if not os.access(found, os.W_OK | os.X_OK):
            reason = f"{found} cannot be written"
        elif _has_room(found):
            return found
        else:
            full = full or found
    if full is not None:
        return full
    raise OSError(f"no folder for temporary files is safe: {reason}")


def _has_room(folder: Path) -> bool:
    try:
        return shutil.disk_usage(folder).free >= _ROOM
    except OSError:
        return True  # not known: as good as any


def _candidates() -> Iterator[Path]:
    usual = Path(tempfile.gettempdir())
    if not checks_owners() or usual != Path.cwd():  # Python's last resort is the working folder, which may be evidence
        yield usual
    if checks_owners():
        yield from (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 (only to make folders of our own in)
        for variable, below in (("XDG_RUNTIME_DIR", ""), ("XDG_CACHE_HOME", ""), ("HOME", ".cache")):
            if os.environ.get(variable):
                yield Path(os.environ[variable]) / below


def empty(folder: Path) -> None:
    """Remove all that is in a folder, as far as that is possible."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                _remove(Path(entry.path))
            else:
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108


def _end(made: Path, lock: contextlib.ExitStack, owner: int) -> None:
    if os.getpid() != owner:
        return  # a copy of the process, by fork: the folder is not its own
    with contextlib.suppress(OSError):
        lock.close()  # first: Windows removes no file that is open
    _remove(made)


def _remove(folder: Path) -> None:
    """Remove a folder, also one in which a parser has left folders that may not be entered."""
    for _ in range(2):
        with contextlib.suppress(OSError, RecursionError):
            shutil.rmtree(folder)
        if not os.path.lexists(folder):
            return
        with contextlib.suppress(OSError, RecursionError):
            for here, folders, _files in os.walk(folder):
                for name in folders:
                    path = os.path.join(here, name)  # noqa: PTH118 (as many as a parser has made)
                    if stat.S_ISDIR(os.lstat(path).st_mode):
                        os.chmod(path, 0o700)  # noqa: PTH101


@functools.cache
def _sweep_once(base: Path) -> None:
    sweep(base)


def sweep(base: Path) -> None:
    """Remove the folders of this user whose owner is gone."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(base)):
            with contextlib.suppress(OSError):
                if _NAME.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    _sweep_one(Path(entry.path), entry.stat(follow_symlinks=False))


def _sweep_one(folder: Path, found: os.stat_result) -> None:
    if checks_owners() and found.st_uid != os.getuid():
        return
    if not (folder / _LOCK).exists():
        if time.time() - found.st_mtime > _UNLOCKED:
            _remove(folder)
        return
    with held(folder / _LOCK) as free:
        if free:
            _remove(folder)
    if free:
        _remove(folder)  # Windows: the lock's own file
