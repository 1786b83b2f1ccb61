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
from collections.abc import Iterable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Protocol

from truecopy.errors import NotFound, UnreadableInput, UsageError, empty_name
from truecopy.hints import pasted
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State
from truecopy.model import Document, document_id, file_name, folded_path
from truecopy.settings import can_be_stored

_SHORT_ID = re.compile(r"(?:tc-)?0*([1-9][0-9]{0,17})", re.IGNORECASE)
_IDENTITY = attrgetter("id", "root", "path", "sha256")
"""What tells a document from those of other matters; the rest of it may be written anew by a later version."""
_CHOICES = 10
"""How many documents are listed when a name is not clear."""


def named(state: State, name: str) -> Kept | None:
    """The document that a name means; None if no document has it; a name that several have is refused."""
    if not can_be_stored(name) or not name:
        return None
    found = _by_id(state, name)
    for spelled in dict.fromkeys([name, name.replace("\\", "/")]):
        found = found or state.documents.with_path(spelled) or _by_name(state, spelled)
    if len(found) > 1:
        _refuse(state, name, [kept.document for kept in found])
    return found[0] if found else None


def must_be_named(state: State, name: str | int) -> Kept:
    """The same; a name that no document has is refused too."""
    found = named(state, str(name))
    if found is None:
        raise not_named(state, str(name))
    return found


def number_of(state: State, name: str | int) -> int:
    """The number of the document that a name means."""
    return must_be_named(state, name).document.number


def kept_of(state: State, document: str | int | Document) -> Kept:
    """A document of the matter, or the one that a name means."""
    if isinstance(document, Document):
        return kept_of_all(state, [document])[document.number]
    return must_be_named(state, document)


def kept_of_all(state: State, documents: Sequence[Document]) -> dict[int, Kept]:
    """Documents of the matter, by their numbers. One of another matter is refused: its number is some other document's
    here.
    """
    found = {kept.document.number: kept for kept in state.documents.numbered(one.number for one in documents)}
    for one in documents:
        kept = found.get(one.number)
        if kept is None or _IDENTITY(kept.document) != _IDENTITY(one):
            raise NotFound(
                f"The document {one.id} ({one.path}) was not given by the matter {state.place}.",
                "Ask the matter that it comes from, or give an id or a path.",
            )
    return found


def passage_of(state: State, name: str | int | None) -> int:
    """The passage of the document that a page ends with; 0 where the first page is asked for."""
    if name is None:
        return 0
    found = must_be_named(state, name)
    if found.passage is None:
        raise UsageError(
            f"{found.document.id} ({found.document.path}) has no text: no page of groups or pairs ends with it.",
            "Give the last id of the page before.",
        )
    return found.passage


def not_named(state: State, name: str) -> NotFound | UsageError:
    """The error for a name that no document has; it lists documents whose paths hold the name."""
    if not name:
        return empty_name()
    like = _near(state, name)
    meant = f"Did you mean {_listed(like)}? " if like else ""
    return NotFound(
        f"The matter {state.place} has no document with the id, path or file name {name!r}.",
        f"{meant}List its documents with {pasted('documents', matter=state.place)}; "
        "for a file from outside, give its path.",
    )


def without_text(document: Document) -> UnreadableInput:
    """The error for a document without text: it says why there is none."""
    why = f"{document.status} ({document.reason})" if document.reason else document.status
    scan = " To read scans, scan them with --ocr into a new matter." if document.status == "unsearchable" else ""
    return UnreadableInput(
        f"{document.id} ({document.path}) has no text to compare: it is {why}.", f"Give a document with a text.{scan}"
    )


def documents_called(state: State, name: str) -> list[Document]:
    """The documents whose files have a name; case does not matter here, as on many drives."""
    if not can_be_stored(name):
        return []
    numbers = [number for number, _ in state.documents.called(file_name(name))]
    return [kept.document for kept in state.documents.numbered(numbers)]


class Named(Protocol):
    """What has an id and a path."""

    @property
    def number(self) -> int:
        """Its number in the matter."""

    @property
    def id(self) -> str:
        """Its control number."""

    @property
    def path(self) -> str:
        """Its path below the scanned root."""


def numbers_named(state: State, names: Sequence[str], coming: Iterable[Named] = ()) -> dict[str, list[int]]:
    """The same as `numbers_of`, of the documents of a matter and of others that a wave brings; no document of the
    matter is read but those with an id or a file name that is asked for.
    """
    stored = [name for name in names if can_be_stored(name)]
    short = [document_id(int(found.group(1))) for name in stored if (found := _SHORT_ID.fullmatch(name))]
    called = [file_name(spelled) for name in stored for spelled in (name, name.replace("\\", "/"))]
    return numbers_of([*state.documents.named([*stored, *short], called), *coming], names)


def numbers_of(documents: Iterable[Named], names: Sequence[str]) -> dict[str, list[int]]:
    """For each name of a long list the document that it means; none where no document has it, or several.

    By the same names as `named`, but all at once, and whatever case and form its letters are in.
    """
    ids: dict[str, list[int]] = {}
    files: dict[str, list[tuple[int, str]]] = {}
    for one in documents:
        ids.setdefault(one.id, []).append(one.number)
        files.setdefault(file_name(one.path), []).append((one.number, one.path))
    found = {}
    for name in names:
        short = _SHORT_ID.fullmatch(name)
        numbers = ids.get(name) or (ids.get(document_id(int(short.group(1)))) if short else None) or []
        for spelled in dict.fromkeys([name, name.replace("\\", "/")]):
            near = files.get(file_name(spelled), [])
            numbers = numbers or _numbers_at(near, spelled)
        found[name] = numbers if len(numbers) == 1 else []
    return found


def _numbers_at(near: Sequence[tuple[int, str]], name: str, *, whole: bool = False) -> list[int]:
    """The documents, by number and path, whose path is the name, or else ends in it unless it is to be the `whole`
    path; as it is written, else in any case and form.
    """
    end = "/" + name.lstrip("/")
    for wanted, form in ((name, str), (folded_path(name), folded_path)):
        if found := [number for number, path in near if form(path) == wanted]:
            return found
    for wanted, form in () if whole or end == "/" else ((end, str), (folded_path(end), folded_path)):
        if found := [number for number, path in near if form("/" + path).endswith(wanted)]:
            return found
    return []


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


def _by_id(state: State, name: str) -> list[Kept]:
    found, short = state.documents.with_id(name), _SHORT_ID.fullmatch(name)
    return found if found or short is None else state.documents.with_id(document_id(int(short.group(1))))


def _by_name(state: State, name: str) -> list[Kept]:
    """Documents whose path is a name in another case or form of its letters (as on a Mac), else ends in it."""
    near = state.documents.called(file_name(name))
    numbers = _numbers_at(near, name, whole=name.startswith(("/", "./", "../")))  # a file from outside
    return state.documents.numbered(numbers)


def _near(state: State, name: str) -> list[Document]:
    """Documents whose paths hold the name, or its last part."""
    part = re.split(r"[/\\]", name.rstrip("/\\"))[-1]
    if len(part) < 3 or not can_be_stored(part):
        return []
    return [kept.document for kept in state.documents.with_part(part, _CHOICES // 2)]


def _refuse(state: State, name: str, documents: list[Document]) -> None:
    outside = " For the file on disk, begin its path with ./ or /." if _is_file(name) else ""
    raise UsageError(
        f"The name {name!r} is not clear: {len(documents):,} documents of the matter {state.place} have it.",
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
