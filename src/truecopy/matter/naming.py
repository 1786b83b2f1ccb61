"""Which document of a matter a name means.

A document has many names. The first of these that any document has decides:

1. its id, in full (`TC-000177`) or short (`tc-177`, `177`)
2. its path
3. its file name, or the end of its path from a folder on (`board/minutes.docx`)

A name that several documents have is refused, and the choices are listed. Case matters only where it tells two
documents apart; `\\` is read as `/` if nothing has the name as it is. The database answers all of this: no list
of all documents is made.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import ColumnElement, Connection, func

from truecopy.errors import NotFound, UsageError
from truecopy.hints import pasted
from truecopy.matter import rows, tables
from truecopy.matter.rows import Kept
from truecopy.model import Document

_SHORT_ID = re.compile(r"(?:tc-)?0*([1-9][0-9]{0,17})", re.IGNORECASE)
_CHOICES = 10
"""How many documents are listed when a name is not clear."""


def named(folder: Path, connection: Connection, name: str) -> Kept | None:
    """The document that a name means; None if no document has it; a name that several have is refused."""
    if not _can_be_stored(name) or not name:
        return None
    found = _by_id(connection, name)
    for spelled in dict.fromkeys([name, name.replace("\\", "/")]):
        found = found or _by_path(connection, spelled) or _by_end(connection, spelled)
    if len(found) > 1:
        _refuse(folder, name, [kept.document for kept in found])
    return found[0] if found else None


def not_named(folder: Path, connection: Connection, name: str) -> NotFound:
    """The error for a name that no document has; it lists documents whose paths hold the name."""
    like = _near(connection, name)
    meant = f"Did you mean {_listed(like)}? " if like else ""
    return NotFound(
        f"The matter {folder} has no document with the id, path or file name {name!r}.",
        f"{meant}List its documents with {pasted('documents', matter=folder)}; for a file from outside, give its path.",
    )


def told_apart(documents: Sequence[Document]) -> list[str]:
    """The path of each document, with its root, its wave or both where another one has the same path."""
    paths = Counter(document.path for document in documents)
    alike: dict[str, list[Document]] = {}
    for document in documents:
        if paths[document.path] > 1:
            alike.setdefault(document.path, []).append(document)
    return [
        document.path if paths[document.path] == 1 else document.path + _apart(document, alike[document.path])
        for document in documents
    ]


def _apart(document: Document, alike: list[Document]) -> str:
    distinct = {one.number: one for one in alike}.values()
    if len(distinct) == 1:
        return ""  # the same document, listed twice
    roots, waves = {one.root for one in distinct}, {one.wave for one in distinct}
    if len(roots) == len(distinct):
        return f" (in {document.root})"
    if len(waves) == len(distinct):
        return f" (wave {document.wave})"
    return f" (in {document.root}, wave {document.wave})"


def _by_id(connection: Connection, name: str) -> list[Kept]:
    found = rows.documents_where(connection, tables.documents.c.id == name)
    short = _SHORT_ID.fullmatch(name)
    if found or short is None:
        return found
    return rows.documents_where(connection, tables.documents.c.id == rows.document_id(int(short.group(1))))


def _by_path(connection: Connection, name: str) -> list[Kept]:
    path = tables.documents.c.path
    return rows.documents_where(connection, path == name) or rows.documents_where(connection, _equal(path, name))


def _by_end(connection: Connection, name: str) -> list[Kept]:
    end = f"/{name.lstrip('/')}"
    if name.startswith(("/", "./", "../")) or end == "/":
        return []  # a file from outside
    path = tables.documents.c.path
    tail = func.substr(path, -len(end))
    return rows.documents_where(connection, tail == end) or rows.documents_where(connection, _equal(tail, end))


def _equal(column: ColumnElement[str], text: str) -> ColumnElement[bool]:
    """Ignores case, as far as the database knows the letters."""
    return func.lower(column) == func.lower(text)


def _near(connection: Connection, name: str) -> list[Document]:
    """Documents whose paths hold the name, or its last part."""
    part = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if len(part) < 3 or not _can_be_stored(part):
        return []
    holds = func.instr(func.lower(tables.documents.c.path), func.lower(part)) > 0
    return [kept.document for kept in rows.documents_where(connection, holds, limit=_CHOICES // 2)]


def _refuse(folder: Path, name: str, documents: list[Document]) -> None:
    outside = " For the file on disk, begin its path with ./ or /." if _is_file(name) else ""
    raise UsageError(
        f"The name {name!r} is not clear: {len(documents):,} documents of the matter {folder} have it.",
        f"Give the id of one: {_listed(documents)}.{outside}",
    )


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except OSError:  # a name that no file can have
        return False


def _listed(documents: Sequence[Document]) -> str:
    shown = [f"{one.id} ({path})" for one, path in zip(documents, told_apart(documents), strict=True)]
    more = f" and {len(shown) - _CHOICES:,} more" if len(shown) > _CHOICES else ""
    return ", ".join(shown[:_CHOICES]) + more


def _can_be_stored(name: str) -> bool:
    """A name with half a surrogate is not valid text for the database."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in name
