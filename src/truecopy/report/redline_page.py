"""Two documents -> one self-contained HTML page that shows all their differences.

Insertions are underlined, deletions struck through, moves double, each with a link to its other place; differences of
layout are dotted, if they are asked for. Long stretches without a change are folded, not left out. The page needs
no script; with one, keys lead from change to change.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from truecopy._version import __version__
from truecopy.model import Comparison
from truecopy.report import links, shown
from truecopy.report.changes import summarize
from truecopy.report.data import more_changes
from truecopy.report.html import fill
from truecopy.report.marked import CHANGES, Fold, folded, marked
from truecopy.report.page import Piece
from truecopy.report.redlines import count_changes
from truecopy.report.turning import LOOKED_FOR

if TYPE_CHECKING:
    from truecopy.matter.ask.sides import Side

_CONTEXT = 40
"""Equal words that are shown on either side of a change; more of them are folded."""
_MOST_CHANGES = 100
"""Changes that are listed above the text; the rest is counted."""


def redline_page(a: Side, b: Side, comparison: Comparison, file: Path | None = None) -> str:
    """The page on two sides and their comparison; `file` is where it will be, for links to the documents."""
    pieces = marked(b.text, comparison.differences)
    changes = summarize(comparison.differences, _MOST_CHANGES)
    return fill(
        "redline.html",
        ("base.css", "redline.css"),
        "redline.js",
        version=__version__,
        sides=[("a", a, _address(a, file)), ("b", b, _address(b, file))],
        comparison=comparison,
        changes=changes,
        more=more_changes(changes),
        more_are=changes.unlisted + changes.long,
        looked_for=LOOKED_FOR,
        differences=count_changes(comparison.differences),
        layout=sum(one.layout for one in comparison.differences),
        only_layout=not any(piece.op in CHANGES for piece in pieces),
        text="".join(map(_markup, folded(pieces, _CONTEXT) if comparison.differences else pieces)),
    )


def _address(side: Side, file: Path | None) -> str:
    """Where the side's file is; "" where that is not known."""
    if side.document is None:
        path = Path(side.name)
        if not path.is_file():
            return ""
        folder, name = str(path.absolute().parent), path.name
    else:
        if side.document.parent:  # an item of an archive or a mail: its path is not a file
            return ""
        folder, name = side.document.root, side.document.path
    root = links.root_link(folder, file)
    return root and root + links.path_link(name)


_TAGS = {"insert": "ins", "delete": "del", "gone": "span", "come": "span", "layout": "span"}


def _markup(one: Piece | Fold) -> str:
    if isinstance(one, Fold):
        words = escape(shown.plural(one.words, "word"))
        inner = "".join(map(_markup, one.pieces))
        return f'<details class="fold"><summary>{words} unchanged</summary><span>{inner}</span></details>'
    text = escape(one.text, quote=False)
    if one.op == "equal":
        return text
    look = " ".join(
        name for name, holds in ((one.op, one.op not in ("insert", "delete")), ("matters", one.matters)) if holds
    )
    mark = f' class="{look}"' if look else ""
    if one.place:
        other, told = ("come", "go to where it is now") if one.op == "gone" else ("gone", "go to where it was")
        return f'<a{mark} id="{one.op}-{one.place}" href="#{other}-{one.place}" title="moved: {told}">{text}</a>'
    tag = _TAGS[one.op]
    return f"<{tag}{mark}>{text}</{tag}>"
