"""The mark of a scan that has not ended: running the same command again gives what an undisturbed run gives.

A scan stores its documents in one transaction and writes the report after it. Stopped in between, it leaves a matter
with documents, which a second scan would refuse. The mark says which scan made them: the same one may start over, as
long as nobody has worked with the matter since. Any other scan is refused as usual.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import func, select

from truecopy.matter import tables
from truecopy.matter.store import UNFINISHED, Store
from truecopy.stopping import when_said


@contextlib.contextmanager
def marked(folder: Path, scan: Mapping[str, Any]) -> Iterator[None]:
    """Leave the mark if a scan does not reach its end, for whatever reason."""
    mark = folder / UNFINISHED
    part = mark.with_name(f"{UNFINISHED}.part")
    with contextlib.suppress(OSError):  # read-only, or full: the scan will say so
        try:
            part.write_text(json.dumps(scan, sort_keys=True), encoding="utf-8")
            part.replace(mark)  # whole or not at all: half a mark would be that of another scan
        finally:
            part.unlink(missing_ok=True)
    yield
    when_said(lambda: mark.unlink(missing_ok=True))


def is_unfinished(folder: Path) -> bool:
    """Whether the scan that makes a matter is still running, or was stopped."""
    return (folder / UNFINISHED).exists()


def may_start_over(store: Store, scan: Mapping[str, Any]) -> bool:
    """Whether all that a matter holds comes from this very scan, which has not ended."""
    try:
        left = (store.folder / UNFINISHED).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    with store.reading() as connection:
        changes = connection.execute(select(func.count()).select_from(tables.audit)).scalar_one()
    return changes == 1 and left == json.dumps(scan, sort_keys=True)


def start_over(store: Store) -> None:
    """Take every document out again. Once this is committed, the next writer sweeps away the segments' files."""
    with store.writing() as connection:
        for table in reversed(tables.metadata.sorted_tables):
            if table is not tables.facts:
                connection.execute(table.delete())
