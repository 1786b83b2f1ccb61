"""Page -> one self-contained HTML file that opens offline: no request leaves it, and its
own policy forbids any.

All text from documents and file names is escaped by the template; redlines, of which there are many, are
escaped here. Long lists end with how many more there are and where they can be read: nothing is hidden.
"""

from __future__ import annotations

import base64
import hashlib
import shlex
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from truecopy.model import Group, Member
from truecopy.progress import SILENT, Progress, during
from truecopy.report import charts, shown
from truecopy.report.build import build_page
from truecopy.report.files import write_whole
from truecopy.report.meanings import KIND, PART, RELATION, STATUS
from truecopy.report.page import Page, Piece, Redline, Redlines, ReportSource
from truecopy.report.redlines import QUICK, Budget, make_redlines

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_ROWS = 2_000
"""Rows of one list."""
_MOST_MEMBERS = 20_000
"""Rows of members in the whole file."""

_TAGS = {
    "insert": ("<ins>", "</ins>"),
    "delete": ("<del>", "</del>"),
    "move": ('<span class="move">', "</span>"),
    "layout": ('<span class="layout">', "</span>"),
    "equal": ("", ""),
}


@dataclass(frozen=True, slots=True)
class GroupView:
    """A group as far as the file shows it."""

    group: Group
    members: tuple[Member, ...]
    more: int
    lowest: float
    highest: float
    kinds: tuple[str, ...]


def write_html(matter: ReportSource, path: Path, progress: Progress = SILENT, *, budget: Budget = QUICK) -> Path:
    """Write the report of a matter as one HTML file; gives its path."""
    with during(progress, "report"):
        page = build_page(matter)
    redlines = make_redlines(matter, page.groups, budget, progress)
    with during(progress, "report"):
        content = render(page, redlines)
        return write_whole(path, lambda part: _write(part, content))


def _write(part: Path, content: str) -> None:
    # Surrogates that slipped through (a reason from the file system, say) must not lose the whole report.
    part.write_bytes(content.encode("utf-8", "replace"))


def render(page: Page, redlines: Redlines) -> str:
    """The HTML text of a page."""
    script = _template_text("report.js")
    views = group_views(page)
    return (
        _environment()
        .get_template("report.html")
        .render(
            page=page,
            views=views,
            groups_more=len(page.groups) - len(views),
            redlines=redlines,
            most=_MOST_ROWS,
            script=script,
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            style=_template_text("report.css"),
            opened=next(iter(redlines.made), None),
            matter=shlex.quote(shown.name(page.matter)),
            pictures=_pictures(page),
        )
    )


def group_views(page: Page) -> tuple[GroupView, ...]:
    """The groups that the file shows, each with the members that it shows."""
    room = _MOST_MEMBERS
    views = []
    for group in page.groups[:_MOST_ROWS]:
        members = group.members[: min(room, _MOST_ROWS)]
        if not members:
            break
        room -= len(members)
        kinds = {member.kind for member in group.members}
        views.append(
            GroupView(
                group,
                members,
                len(group.members) - len(members),
                min(member.similarity for member in group.members),
                max(member.similarity for member in group.members),
                tuple(kind for kind in KIND if kind in kinds),
            )
        )
    return tuple(views)


def redline_markup(redline: Redline) -> str:
    """A redline as HTML; every piece escaped."""
    return "".join(_piece(piece) for piece in redline.pieces)


def _piece(piece: Piece) -> str:
    if piece.kind == "skip":
        return f'<span class="skip">{escape(piece.text)}</span>'
    start, end = _TAGS[piece.kind]
    return f"{start}{escape(piece.text, quote=False)}{end}"


def path_markup(path: str) -> Markup:
    """A path as HTML: folders stay in their order whatever direction their names are written in."""
    from markupsafe import Markup

    safe = escape(shown.name(path))
    if not path.isascii():
        safe = "/".join(f"<bdi>{part}</bdi>" for part in safe.split("/"))
    return Markup(safe)  # noqa: S704 - escaped above


def _pictures(page: Page) -> dict[str, str]:
    parts = [
        (part, f"{shown.count(count.documents)} {PART[part]}, {shown.share(count.share)}", count.share)
        for part, count in page.parts
    ]
    return {
        "parts": charts.parts_bar("parts", "What became of the documents", parts),
        "similarities": charts.histogram(
            "similarities", "Similarity of the stored pairs", page.similarities, page.threshold
        ),
        "sizes": charts.columns(
            "sizes", "Documents in a group", page.sizes, [bar.label for bar in page.sizes], counts=True
        ),
    }


@cache
def _template_text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    # Imported here: only a report needs it.
    from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

    from truecopy.kernels.jit import kernel_folder

    folder = kernel_folder()  # compiled templates are code, too, and are kept with it
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        bytecode_cache=None if folder is None else FileSystemBytecodeCache(str(folder)),
        autoescape=True,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters.update(
        shown=shown.name,
        similarity=shown.similarity,
        share=shown.share,
        count=shown.count,
        threshold=shown.threshold,
        moment=shown.moment,
        path=path_markup,
        redline=redline_markup,
    )
    made.globals.update(plural=shown.plural, KIND=KIND, STATUS=STATUS, PART=PART, RELATION=RELATION)
    return made
