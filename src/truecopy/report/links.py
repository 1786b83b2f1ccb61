"""Links from a page to the files that the documents were read from.

A root near the page is linked relative to it, so that both can be moved together; any other root by a `file:`
address. An item of an archive or a mail is linked to the file on the disk that holds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PureWindowsPath
from urllib.parse import quote

from truecopy.model import Document
from truecopy.read.names import name_shown

_SAFE = "/!'()*~"
"""Left as they are, like JavaScript's encodeURIComponent does: the page makes most links itself."""
_STRAY = re.compile(rb"\\x([89a-f][0-9a-f])")
_CONTAINERS = (".zip", ".mbox", ".eml", ".msg")
_HIGHEST = 2
"""How many folders a relative link climbs at most; with more, the two are not close together."""


def root_link(root: str, page: Path | None) -> str:
    """The address of a root, ending in a slash; "" where it is not known (standard input).

    Without a page to link from, it is never relative. Bytes that are not UTF-8 are treated as in `path_link`.
    """
    if re.match(r"[A-Za-z]:[\\/]|\\\\", root):
        if os.name != "nt":
            return PureWindowsPath(root).as_uri().rstrip("/") + "/"
    elif not root.startswith("/"):
        return ""
    near = None if page is None else _relative(root, page)
    if near is not None:
        return near
    if os.name == "nt":
        return PureWindowsPath(root).as_uri().rstrip("/") + "/"
    return "file://" + path_link(root).rstrip("/") + "/"


def _relative(root: str, page: Path) -> str | None:
    # Roots are stored as they are shown, so the page's folder is compared in that form too.
    folder = name_shown(os.path.abspath(page.parent))  # noqa: PTH100 (Path.absolute keeps "..")
    root = name_shown(root)
    try:
        way = os.path.relpath(root, folder).replace(os.sep, "/")
        shared = os.path.commonpath([root, folder])
    except ValueError:  # another drive
        return None
    if way.split("/").count("..") > _HIGHEST or shared == os.path.dirname(shared):  # noqa: PTH120
        return None
    # "./" keeps a name with a colon from being taken for a scheme.
    return "./" + path_link(way).rstrip("/") + "/"


def path_link(path: str) -> str:
    """A path below a root as part of an address; a byte that is not UTF-8, shown as `\\xe9`, becomes that byte again.

    >>> path_link("a b/100% #1?.txt"), path_link("caf\\\\xe9.txt")
    ('a%20b/100%25%20%231%3F.txt', 'caf%E9.txt')
    """
    raw = path.encode("utf-8", "surrogateescape" if _escapes(path) else "replace")
    return quote(_STRAY.sub(lambda found: bytes([int(found[1], 16)]), raw), safe=_SAFE)


def _escapes(path: str) -> bool:
    return all(not 0xD800 <= ord(character) < 0xDC80 for character in path)


def files(documents: Sequence[Document]) -> dict[int, str]:
    """The number of each document that is an item of a file -> the path of that file.

    Containers are known by the items that name them; one that holds only another container, by its suffix.
    """
    containers = {(one.root, one.parent) for one in documents if one.parent}
    found = {}
    for one in documents:
        if one.parent:
            folders = one.path.split("/")
            outer = ("/".join(folders[:length]) for length in range(1, len(folders)))
            held = (path for path in outer if (one.root, path) in containers or path.lower().endswith(_CONTAINERS))
            found[one.number] = next(held, one.parent)
    return found


def short_roots(roots: Iterable[str]) -> dict[str, str]:
    """Each root -> the shortest end of it that tells it from the others.

    >>> short_roots(["/cases/acme/room", "/cases/bolt/room", "/cases/mail"])
    {'/cases/acme/room': 'acme/room', '/cases/bolt/room': 'bolt/room', '/cases/mail': 'mail'}
    """
    parts = {root: _folders(root) for root in sorted(set(roots))}
    names = {}
    for root, own in parts.items():
        others = [other for each, other in parts.items() if each != root]
        length = next((n for n in range(1, len(own)) if all(other[-n:] != own[-n:] for other in others)), len(own))
        names[root] = "/".join(own[-length:]) or root
    return names


def _folders(root: str) -> list[str]:
    """The names on the way to a root; only on Windows `\\` divides them, elsewhere it begins the escape of a byte."""
    if root.startswith("/"):
        return re.split("/+", root.rstrip("/"))
    return re.split(r"[\\/]+", root.rstrip("\\/"))
