"""Commands in messages, so that each can be pasted as it is: quoted for the shell, with the matter named."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

DEFAULT_MATTER = Path("truecopy-matter")
"""The matter of a command that names none."""


def pasted(*words: str | Path, matter: str | Path | None = None) -> str:
    """A command of truecopy between backticks; the matter is named unless it is the default one.

    >>> pasted("floor", "60", matter="acme 2")
    "`truecopy floor 60 --matter 'acme 2'`"
    """
    line = ["truecopy", *map(str, words)]
    if matter is not None and Path(matter) != DEFAULT_MATTER:
        line += ["--matter", str(matter)]
    return f"`{quoted(line)}`"


_PLAIN = re.compile(r"[\w@%+=:,./\\-]+", re.ASCII)


def command(*words: object) -> str:
    """A command line as it is pasted into a terminal.

    >>> command("truecopy", "report", "--matter", "acme 2")
    "truecopy report --matter 'acme 2'"
    """
    return quoted(map(str, words))


def quoted(words: Iterable[str]) -> str:
    """Words quoted so that the shell of this system splits them the same way."""
    if os.name != "nt":
        return shlex.join(words)
    return " ".join(word if _PLAIN.fullmatch(word) else f'"{word}"' for word in words)  # no name there has a quote
