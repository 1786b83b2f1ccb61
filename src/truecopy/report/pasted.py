"""Commands that can be pasted into a terminal: every word quoted as this system's shell wants it."""

from __future__ import annotations

import os
import re
import shlex

_PLAIN = re.compile(r"[\w@%+=:,./\\-]+", re.ASCII)


def command(*words: object) -> str:
    """A command line.

    >>> command("truecopy", "report", "--matter", "acme")
    'truecopy report --matter acme'
    """
    return " ".join(quoted(str(word)) for word in words)


def quoted(word: str) -> str:
    """One word of a command line."""
    if os.name == "nt":
        return word if _PLAIN.fullmatch(word) else f'"{word}"'  # a file name on Windows holds no quotation mark
    return shlex.quote(word)
