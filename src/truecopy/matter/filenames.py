"""The names that segment files have in a matter, and the one place where a row of the database becomes a path.

A row is only ever a name of one of these forms: nothing in it can lead out of the matter's folder.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from truecopy.errors import DamagedSegment

SEGMENT = re.compile(
    r"(?:wave-(?P<wave>[0-9]{4,9})\.(?P<words>streams|vocabulary)"
    r"|wave-(?P<signed>[0-9]{4,9})\.(?P<signatures>signatures-[a-z0-9]{1,32})\.[0-9]{6,15}"
    r"|(?P<index>index-[a-z0-9]{1,32})\.(?P<first>[0-9]{4,9})-(?P<last>[0-9]{4,9})\.[0-9]{6,15}"
    r"|(?P<statistics>statistics)-[0-9a-f]{16})\.segment"
)


def segment_path(folder: Path, row: Any) -> Path:
    """Where the segment is that a row names; a name of another form, or of another kind or wave, is refused."""
    if not agrees(row.name, row.kind, row.wave):
        raise DamagedSegment(
            f"The matter's table segments names a file that is none of kind {row.kind[:40]!r} and wave {row.wave}.",
            "Restore the matter from a backup, or scan again.",
        )
    return folder / str(row.name)


def agrees(name: str, kind: str, wave: int) -> bool:
    """Whether a name is that of a segment of this kind and wave."""
    found = SEGMENT.fullmatch(name)
    if found is None:
        return False
    of = found["words"] or found["signatures"] or found["index"] or found["statistics"]
    number = int(found["wave"] or found["signed"] or found["last"] or 0)
    return of == kind and number == wave and (found["first"] is None or 1 <= int(found["first"]) <= number)
