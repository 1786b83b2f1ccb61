"""Where tests find the real collections: unpacked folders, or the archives that they come in.

`TRUECOPY_DATA` names the folder that holds `NAME.tar.xz` or unpacked `NAME/` (default `../shared/data`).
Archives are unpacked once into the system's temporary folder, by one worker while others wait. A test that needs
a collection that is not there is skipped, and the message names it.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

DATA = Path(os.environ.get("TRUECOPY_DATA", Path(__file__).parents[2] / "shared" / "data"))
UNPACKED = Path(tempfile.gettempdir()) / f"truecopy-collections-{os.getuid() if hasattr(os, 'getuid') else 'user'}"


@contextlib.contextmanager
def _one_at_a_time(lock: Path) -> Iterator[None]:
    """Only one process is inside; where there is no such lock, several do the same work, and the first one counts."""
    with lock.open("a") as file:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def find_collection(name: str) -> Path | None:
    """The folder of a collection, or None where it is absent."""
    if (DATA / name).is_dir():
        return DATA / name
    archive = DATA / f"{name}.tar.xz"
    if not archive.is_file():
        return None
    target = UNPACKED / name
    if not target.is_dir():
        UNPACKED.mkdir(exist_ok=True)
        with _one_at_a_time(UNPACKED / f"{name}.lock"):
            if not target.is_dir():
                _unpack(archive, name, target)
    return target


def _unpack(archive: Path, name: str, target: Path) -> None:
    part = Path(tempfile.mkdtemp(dir=UNPACKED))
    with tarfile.open(archive) as packed:
        packed.extractall(part, filter="data")
    try:
        (part / name).rename(target)
    except OSError:  # another process was first
        assert target.is_dir()
    shutil.rmtree(part, ignore_errors=True)


def collection(name: str) -> Path:
    """The folder of a collection; skips the test by name where it is absent."""
    folder = find_collection(name)
    if folder is None:
        pytest.skip(f"the collection {name!r} is not in {DATA}")
    return folder
