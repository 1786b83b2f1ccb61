"""A small disk of its own for a test: memory that is mounted, filled, emptied and made read-only at will."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


class Disk:
    """A mounted file system of a few megabytes."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def fill(self) -> None:
        """Leave not a byte."""
        with (self.place / "filler").open("ab", buffering=0) as file:
            for size in (1 << 16, 4096, 1):
                with contextlib.suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def make_room(self) -> None:
        """Free what `fill` has taken."""
        (self.place / "filler").unlink(missing_ok=True)

    def read_only(self, state: bool = True) -> None:
        """Let nobody write, not even root."""
        subprocess.run(["mount", "-o", f"remount,{'ro' if state else 'rw'}", str(self.place)], check=True)


@contextlib.contextmanager
def disk(place: Path, megabytes: int = 24) -> Iterator[Disk]:
    """Mount one; where the system does not let us, the test is skipped."""
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "truecopy-test", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here: that needs root")
    try:
        yield Disk(place)
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True)
