"""Path patterns: `*` and `?` stay within a folder's name, `**` crosses folders, `[…]` is a set.

The standard library's `glob` follows links in circles and `fnmatch` lets `*` cross folders, so the
translation is our own.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from truecopy.read.names import name_shown
from truecopy.read.native import CASE, slashed

_MAGIC = re.compile(r"[*?\[]")


def is_pattern(text: str) -> bool:
    """Whether the text holds a wildcard."""
    return _MAGIC.search(text) is not None


def fixed_folder(pattern: str) -> tuple[str, str]:
    """The folder before the first wildcard, and the rest of the pattern."""
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if is_pattern(part))
    folder = "/".join(parts[:first])
    if not folder:
        folder = "/" if pattern.startswith("/") else "."
    if folder.endswith(":"):  # Windows: a drive without a slash means the current folder of that drive
        folder += "/"
    return folder, "/".join(parts[first:])


def translate(pattern: str) -> str:
    """The pattern as a regular expression (without anchors)."""
    out: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] == "/"):
            out.append("(?:[^/]+/)*")
            at += 3
        elif pattern.startswith("**", at):
            out.append(".*")
            at += 2
        elif pattern[at] == "*":
            out.append("[^/]*")
            at += 1
        elif pattern[at] == "?":
            out.append("[^/]")
            at += 1
        elif pattern[at] == "[" and (end := pattern.find("]", at + 2)) > 0:
            inside = pattern[at + 1 : end]
            negated = inside[0] in "!^"
            inside = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside[1:] if negated else inside)
            out.append(f"(?!/)[{'^' if negated else ''}{inside}]")
            at = end + 1
        else:
            out.append(re.escape(pattern[at]))
            at += 1
    return "".join(out)


def excluder(patterns: tuple[str, ...], *, ignore_case: bool = False) -> Callable[[str], bool]:
    """A test of paths.

    A pattern without `/` names a file or folder at any depth, one with `/` starts at the root. Everything
    in an excluded folder is excluded too. Case matters where it does to the system, unless it is to be ignored.
    """
    if not patterns:
        return lambda _: False
    choices = []
    for given in patterns:
        pattern = name_shown(slashed(given))  # paths are tested as documents carry them
        trimmed = pattern.strip("/") or pattern
        anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
        choices.append(anywhere + translate(trimmed) + "(?:/.*)?")
    compiled = re.compile("|".join(choices), re.DOTALL | (re.IGNORECASE if ignore_case else CASE))
    return lambda path: compiled.fullmatch(path) is not None
