"""A file appears whole or not at all: nobody must take a report that was cut short for a complete one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from truecopy import stopping
from truecopy.access import PRIVATE, file_mode, make_folder
from truecopy.plainfiles import replacing
from truecopy.troubles import not_written


def write_text(path: Path, content: str, access: str = PRIVATE) -> Path:
    """A page in its place."""
    # Surrogates that slipped through (a reason from the file system, say) must not lose the whole page.
    return write_bytes(path, content.encode("utf-8", "replace"), access)


def write_bytes(path: Path, content: bytes, access: str = PRIVATE) -> Path:
    """A file in its place."""

    def write(part: Path) -> None:
        part.write_bytes(content)

    return write_whole(path, write, access)


def write_whole(path: Path, write: Callable[[Path], None], access: str = PRIVATE) -> Path:
    """Let `write` fill a file beside `path`, then put it in place; folders are made as needed."""
    try:
        make_folder(path.parent, access)
        with replacing(path, file_mode(access)) as part:
            write(part)
            stopping.check()
    except OSError as error:
        raise not_written(path, error, "Choose another place for it, or free this one.") from error
    return path
