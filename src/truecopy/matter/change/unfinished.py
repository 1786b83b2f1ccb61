"""The mark of a scan that has not ended: running the same command again gives what an undisturbed run gives.

A scan stores its documents in one transaction and writes the report after it. Stopped in between, it leaves a matter
with documents, which a second scan would refuse. The mark says which scan made them: the same one may start over, as
long as nobody has worked with the matter since. Any other scan is refused as usual.

While a scan runs it holds a lock of its own, so that no other one takes its matter for one that was left behind.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truecopy.access import make_empty, mode_in
from truecopy.errors import MatterBusy
from truecopy.locks import held
from truecopy.matter.sql.guard import DATABASE, SCANNING, UNFINISHED, check_files
from truecopy.matter.store import Store
from truecopy.matter.troubles import not_written
from truecopy.plainfiles import read_plain, written_whole
from truecopy.stopping import when_said

_LONGEST = 1 << 24
"""Bytes of a mark: it names the paths that were scanned."""


@contextlib.contextmanager
def only_scan(folder: Path) -> Iterator[None]:
    """Be the one scan into a matter, to its end; the system frees the lock when the process ends, however it ends."""
    check_files(folder)
    with contextlib.ExitStack() as stack:
        try:
            make_empty(folder / SCANNING, mode_in(folder))
            free = stack.enter_context(held(folder / SCANNING))
        except OSError as error:
            raise not_written(folder / DATABASE, error) from error
        if not free:
            raise MatterBusy(
                f"Another scan into the matter {folder} is still running.",
                "Wait until it is done, or give another folder with --matter.",
            )
        yield


def may_be_scanned(folder: Path) -> bool:
    """Whether a scan has begun in a folder, which may be making the matter just now."""
    return (folder / SCANNING).exists()


@contextlib.contextmanager
def marked(folder: Path, scan: Mapping[str, Any]) -> Iterator[None]:
    """Leave the mark if a scan does not reach its end, for whatever reason."""
    mark = folder / UNFINISHED
    # Where it cannot be written, the folder is read-only or the disk is full: the scan will say so.
    with contextlib.suppress(OSError), written_whole(mark, mode_in(folder)) as file:
        file.write(json.dumps(scan, sort_keys=True).encode())
    yield
    when_said(lambda: mark.unlink(missing_ok=True))


def is_unfinished(folder: Path) -> bool:
    """Whether the scan that makes a matter is still running, or was stopped."""
    return (folder / UNFINISHED).exists()


def may_start_over(store: Store, scan: Mapping[str, Any]) -> bool:
    """Whether all that a matter holds comes from this very scan, which has not ended."""
    try:
        left = read_plain(store.folder / UNFINISHED, _LONGEST).decode()
    except (OSError, ValueError):
        return False
    with store.reading() as state:
        changes = state.audit.next_number() - 1
    return changes == 1 and left == json.dumps(scan, sort_keys=True)


def start_over(store: Store) -> None:
    """Take every document out again, while nobody writes a wave.

    Once this is committed, the next writer sweeps away the segments' files.
    """
    with store.adding(), store.writing() as state:
        state.forget_all()
