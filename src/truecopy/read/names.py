"""Names as documents carry them: valid Unicode, one spelling, and harmless whatever an archive claims.

File names on Linux are bytes; those that are not UTF-8 are shown with `\\xNN` for each stray byte.
Names inside archives and e-mails are written by strangers: they are only ever names here, never places
on the disk, and `..`, drive letters and control characters are taken out of them.
"""

from __future__ import annotations

import re

from truecopy.read.native import WINDOWS

_STRAY = re.compile("[\udc80-\udcff]")
_ESCAPED = re.compile(r"\\x([89a-f][0-9a-f])")
_SURROGATE = re.compile("[\ud800-\udfff]")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_DRIVE = re.compile(r"^[A-Za-z]:")
_LONGEST = 1024


def name_shown(name: str) -> str:
    """A file system's name as valid Unicode; each byte that is not UTF-8 becomes `\\xNN`."""
    if name.isascii():
        return name
    name = _STRAY.sub(lambda found: f"\\x{ord(found[0]) - 0xDC00:02x}", name)
    return _SURROGATE.sub("\ufffd", name)


def spellings(name: str) -> tuple[str, ...]:
    """The names that a file system may have for one that is shown: itself, and with each `\\xNN` as the byte again."""
    if WINDOWS or not _ESCAPED.search(name):  # on Windows, `\\` only divides folders
        return (name,)
    return name, _ESCAPED.sub(lambda found: chr(0xDC00 + int(found[1], 16)), name)


def member_name(name: str, fallback: str) -> str:
    """What an archive or e-mail calls a member, as a harmless relative name with `/`."""
    name = _DRIVE.sub("", name_shown(name).replace("\\", "/"))
    name = _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", name)
    parts = [part for part in name.split("/") if part.strip() not in ("", ".", "..")]
    return "/".join(parts)[-_LONGEST:] or fallback


class UniqueNames:
    """Hands out each name once: the second `a.txt` is `a (2).txt`."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._next: dict[str, int] = {}

    def take(self, name: str) -> str:
        """The name itself the first time, with a number from then on."""
        if name not in self._taken:
            self._taken.add(name)
            return name
        folder, slash, last = name.rpartition("/")
        stem, dot, suffix = last.rpartition(".")
        if not stem:
            stem, dot, suffix = last, "", ""
        number = self._next.get(name, 2)
        while (numbered := f"{folder}{slash}{stem} ({number}){dot}{suffix}") in self._taken:
            number += 1
        self._next[name] = number + 1
        self._taken.add(numbered)
        return numbered
