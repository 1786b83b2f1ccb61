"""One file that somebody asks about: it must be readable, and hold one document."""

from __future__ import annotations

from pathlib import Path

from truecopy.errors import UnreadableInput, UsageError, empty_name
from truecopy.model import Reading
from truecopy.read.encodings.rules import doubted, rules_now
from truecopy.read.run import read
from truecopy.read.settings import ReadSettings
from truecopy.read.sources import discover


def read_one(path: str | Path, settings: ReadSettings | None = None) -> Reading:
    """Read one file that must be readable and hold one document (an e-mail's attachments are left out)."""
    settings = settings or ReadSettings(encoding=rules_now())
    if not str(path):
        raise empty_name()
    if Path(path).is_dir():
        raise UsageError(f"{path} is a folder, but one document was expected.", "Give a file.")
    found = [reading for batch in read(discover([path], settings, frozenset()), settings) for reading in batch]
    if not found:
        raise UnreadableInput(f"{path} holds nothing to read.", "Give a file with a text.")
    first = found[0]
    if any(reading.parent != first.path for reading in found[1:]):
        raise UsageError(
            f"{path} holds {len(found)} documents, but one was expected.", "Unpack it and give one of its files."
        )
    if first.status:
        raise UnreadableInput(f"{path} cannot be read: {first.reason}.", "Give a file that can be read.")
    doubted(first.doubt)
    return first
