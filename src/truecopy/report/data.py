"""Page -> what the HTML file holds as data: every document, group, link and contained text, as compact JSON.

The page's script renders from it what is on the screen. The JSON is in a script element of a type that no browser runs;
`<`, `>` and `&` are written as escapes, so that no text from a document or a file name can end the element.

    kinds, statuses   name and meaning; documents name them by position
    roots             name as shown, the address that links to files begin with, and the whole name
    documents         columns: id, path, root, words, status, copy (position of the original, or -1), and for some
                      documents reason and link, by position
    groups            [id, or 0 where it is the principal's, principal, members, tenths of similarity, kinds]
    linked            [document, linked documents, tenths of similarity]
    contained         [document, the documents that hold it, tenths of containment, kinds, how many more hold it]
    lists             status -> documents that are in no group and not linked; "" -> those that were not searched;
                      remarked -> those that were searched, with a remark;
                      doubted -> those that were read with doubt about their encoding
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from truecopy.hints import command
from truecopy.model import NOT_SEARCHED, STATUSES, Document
from truecopy.report import links, shown
from truecopy.report.build import remark
from truecopy.report.contained import most_holders
from truecopy.report.meanings import KIND, STATUS
from truecopy.report.page import ImportantChanges, Page, Piece, Redline
from truecopy.report.turning import LOOKED_FOR

_KINDS = tuple(KIND)
_PIECES = {"equal": 0, "insert": 1, "delete": 2, "gone": 3, "come": 4, "layout": 5, "skip": 6}


def as_json(value: object) -> str:
    """JSON that is safe in a script element, whatever it holds.

    >>> as_json({"a": "</script>"})
    '{"a":"\\\\u003c/script\\\\u003e"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def page_data(page: Page, file: Path) -> dict[str, Any]:
    """Everything that the lists of a page show, for a page that will be written to `file`."""
    at = {one.id: position for position, one in enumerate(page.documents)}
    short = links.short_roots(one.root for one in page.documents)
    roots = list(short)
    most = most_holders(page.contained)
    return {
        "kinds": [[kind, KIND[kind]] for kind in _KINDS],
        "statuses": [[status, STATUS[status]] for status in STATUSES],
        "roots": [[shown.name(short[root]), links.root_link(root, file), shown.name(root)] for root in roots],
        "several": page.several_roots,
        "documents": _documents(page.documents, roots, at),
        "groups": [
            [
                0 if group.id == group.principal.id else shown.name(group.id),
                at[group.principal.id],
                [at[member.document.id] for member in group.members],
                [tenths(member.similarity) for member in group.members],
                [_KINDS.index(member.kind) for member in group.members],
            ]
            for group in page.groups
        ],
        "linked": [
            [at[one.document.id], [at[link.id] for link in one.links], [tenths(link.similarity) for link in one.links]]
            for one in page.linked
        ],
        "contained": [
            [
                at[one.document.id],
                [at[holder.document.id] for holder in one.holders[:most]],
                [tenths(holder.containment) for holder in one.holders[:most]],
                [_KINDS.index(holder.kind) for holder in one.holders[:most]],
                max(len(one.holders) - most, 0),
            ]
            for one in page.contained
        ],
        "lists": {listing.status: [at[one.id] for one in listing.documents] for listing in page.listings}
        | {"": [at[one.id] for one in page.not_searched], "remarked": [at[one.id] for one, _ in page.remarked]}
        | {"doubted": [at[one.id] for one in page.doubted]},
        "every": command(
            *("truecopy", "pairs", "--relation", "contains", "--threshold", shown.threshold(page.contains_floor)),
            *("--matter", page.matter),
        ),
        "looked": LOOKED_FOR,
        "matter": str(page.matter),
        "windows": os.name == "nt",
    }


def tenths(value: float) -> int:
    """A percentage in tenths, as it is shown: 1000 only if it is exactly 100.

    >>> tenths(83.25), tenths(99.98), tenths(100.0)
    (832, 999, 1000)
    """
    return round(float(shown.similarity(value)) * 10)


def _documents(documents: Sequence[Document], roots: Sequence[str], at: Mapping[str, int]) -> dict[str, Any]:
    held = links.files(documents)
    odd = {}
    for position, one in enumerate(documents):
        path = held.get(one.number, one.path)
        if path != one.path or shown.name(path) != path or "\\x" in path:
            odd[position] = links.path_link(path)
    return {
        "id": [shown.name(one.id) for one in documents],
        "path": [shown.name(one.path) for one in documents],
        "root": [roots.index(one.root) for one in documents] if len(roots) > 1 else [],
        "words": [one.words for one in documents],
        "status": [STATUSES.index(one.status) for one in documents],
        "copy": [at.get(one.copy_of, -1) for one in documents],
        "reason": {at[one.id]: shown.name(said) for one, said in said_of(documents)},
        "link": odd,
    }


def said_of(documents: Sequence[Document]) -> Iterator[tuple[Document, str]]:
    """What the page says about some documents: why they were not searched, or a remark."""
    for one in documents:
        said = remark(one) if one.copy_of and one.status not in NOT_SEARCHED else one.reason
        if said:
            yield one, said


def redline_data(redline: Redline) -> dict[str, Any]:
    """One redline, which the script reads only when it is opened."""
    return {
        "differences": redline.differences,
        "layout": redline.layout,
        "shortened": redline.shortened,
        "changes": [[change.before, change.after, change.times] for change in redline.changes.listed],
        "more": more_changes(redline.changes),
        "pieces": [_piece(piece) for piece in redline.pieces],
    }


def _piece(piece: Piece) -> list[Any]:
    """Its op and text; then, where there is one, the number of its move; and -1 if it matters."""
    return [_PIECES[piece.op], piece.text, *([piece.place] if piece.place else ()), *([-1] if piece.matters else ())]


def more_changes(changes: ImportantChanges) -> str:
    """A sentence on the changes that were found by what is looked for, and are not listed; "" if there is none."""
    left = [shown.plural(changes.unlisted, "more short change")] if changes.unlisted else []
    left += [shown.plural(changes.long, "longer passage")] if changes.long else []
    if not left:
        return ""
    start, that = ("Not in this list: ", " that") if changes.listed else ("", "")
    verb = "touches" if changes.unlisted + changes.long == 1 else "touch"
    return f"{start}{' and '.join(left)}{that} {verb} a figure, a date or a word that turns the sense."
