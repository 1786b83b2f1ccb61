"""The mark of a scan that has not ended: running the same command again gives what an undisturbed run gives.

A scan stores its documents in one transaction and writes the report after it. Stopped in between, it leaves a matter
with documents, which a second scan would refuse. The mark says what was scanned, and holds a random number that the
log's entry of the scan's wave repeats: the same scan may start over if that entry is the only one, so that nothing is
taken out that somebody else has added. Any other scan is refused as usual.

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
from truecopy.matter.sql.audit import new_nonce
from truecopy.matter.sql.guard import DATABASE, SCANNING, UNFINISHED, check_files
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.matter.stored_json import parsed
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
def marked(store: Store, scan: Mapping[str, Any]) -> Iterator[None]:
    """Leave the mark if a scan does not reach its end, for whatever reason."""
    mark, nonce = store.folder / UNFINISHED, new_nonce()
    # Where it cannot be written, the folder is read-only or the disk is full: the scan will say so.
    with contextlib.suppress(OSError), written_whole(mark, mode_in(store.folder)) as file:
        file.write(_as_mark(nonce, scan).encode())
    store.nonce = nonce
    try:
        yield
    finally:
        store.nonce = None
    when_said(lambda: mark.unlink(missing_ok=True))


def unmark(folder: Path) -> None:
    """Take the mark away: the scan has stored nothing, and will not go on."""
    with contextlib.suppress(OSError):  # then the matter says that its scan has not ended
        (folder / UNFINISHED).unlink(missing_ok=True)


def _as_mark(nonce: str, scan: Mapping[str, Any]) -> str:
    return f"{nonce}\n{json.dumps(scan, sort_keys=True)}"


def is_unfinished(folder: Path) -> bool:
    """Whether the scan that makes a matter is still running, or was stopped."""
    return (folder / UNFINISHED).exists()


def start_over(store: Store, scan: Mapping[str, Any]) -> bool:
    """Take every document out again if all of them come from this very scan, which has not ended; whether they did.

    It is asked again while nobody else writes: what was added meanwhile stays. Once this is committed, the next writer
    sweeps away the segments' files.
    """
    with store.reading() as state:
        if not _made_all(state, scan):
            return False
    with store.adding(), store.writing() as state:
        if not _made_all(state, scan):
            return False
        state.forget_all()
    return True


def _made_all(state: State, scan: Mapping[str, Any]) -> bool:
    """Whether the log has one entry, and the mark of this scan says that the scan has made it."""
    try:
        left = read_plain(state.place / UNFINISHED, _LONGEST).decode()
    except (OSError, ValueError):
        return False
    if state.audit.next_number() != 2:
        return False
    details = parsed("audit.details", next(state.audit.entries()).details)
    nonce = details.get("nonce") if isinstance(details, dict) else None
    return isinstance(nonce, str) and left == _as_mark(nonce, scan)
