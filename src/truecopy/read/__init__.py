"""Everything from paths to texts: bytes in any common format become Readings, each with a text or a reason.

ReadSettings   limits and exclusions
Source         one file to be read
discover       paths to sources, in an order that never varies
read           sources to batches of Readings
read_then      the same, each batch turned into something else in the thread that has read it

Names are loaded when they are first used: a parser's process (`worker.py`) needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truecopy.read.run import read, read_then
    from truecopy.read.settings import ReadSettings
    from truecopy.read.sources import Source, discover

_WHERE = {
    "ReadSettings": "truecopy.read.settings",
    "Source": "truecopy.read.sources",
    "discover": "truecopy.read.sources",
    "read": "truecopy.read.run",
    "read_then": "truecopy.read.run",
}

__all__ = ["ReadSettings", "Source", "discover", "read", "read_then"]


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_WHERE[name]), name)
