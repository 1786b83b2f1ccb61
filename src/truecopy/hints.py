"""Commands in messages, so that each can be pasted as it is: quoted for the shell, with the matter named."""

from __future__ import annotations

import os
import shlex
import subprocess
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


def quoted(words: list[str]) -> str:
    """Words as the shell of this system takes them apart again."""
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
