"""A file appears whole or not at all: nobody must take a report that was cut short for a complete one."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from truecopy import stopping
from truecopy.stopping import cleaning_up
from truecopy.troubles import not_written


def write_text(path: Path, content: str) -> Path:
    """A page in its place."""
    # Surrogates that slipped through (a reason from the file system, say) must not lose the whole page.
    return write_bytes(path, content.encode("utf-8", "replace"))


def write_bytes(path: Path, content: bytes) -> Path:
    """A file in its place."""

    def write(part: Path) -> None:
        part.write_bytes(content)

    return write_whole(path, write)


def write_whole(path: Path, write: Callable[[Path], None]) -> Path:
    """Let `write` fill a file beside `path`, then put it in place; folders are made as needed."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with cleaning_up(lambda: part.unlink(missing_ok=True)):
            write(part)
            stopping.check()
            part.replace(path)
    except OSError as error:
        raise not_written(path, error, "Choose another place for it, or free this one.") from error
    finally:
        with contextlib.suppress(OSError):  # it is in place already, or was never made
            part.unlink()
    return path
