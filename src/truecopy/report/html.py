"""Page -> one self-contained HTML file that opens offline: no request leaves it, and its own policy forbids any.

The figures, the method and what was not searched are written as HTML. Groups and other long lists are in the file as
data (`report/data.py`), all of them, and the script renders what is on the screen. Without a script the page is a
summary that says where the lists are.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from truecopy.access import access_for
from truecopy.hints import command
from truecopy.progress import SILENT, Progress, during
from truecopy.report import charts, links, shown
from truecopy.report.build import build_page
from truecopy.report.data import as_json, page_data, redline_data
from truecopy.report.files import write_text
from truecopy.report.meanings import KIND, PART, PART_OF_ONE, RELATION, STATUS
from truecopy.report.page import ComparingSource, Page, Redlines, ReportSource
from truecopy.report.redlines import QUICK, THOROUGH, RedlineBudget, make_redlines
from truecopy.report.turning import LOOKED_FOR

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_TEMPLATES = Path(__file__).parent / "templates"
_MOST_ROWS = 1_000
"""How many documents that could not be searched are listed even if scripts are off."""


def write_html(
    matter: ReportSource,
    path: Path,
    progress: Progress = SILENT,
    *,
    budget: RedlineBudget = QUICK,
    access: str | None = None,
) -> Path:
    """Write the report of a matter as one HTML file; returns its path.

    In the matter's folder those who may read the matter may read it, elsewhere only you, unless `access` says
    otherwise: private, group or all.
    """
    matter.spare(path)
    with matter.snapshot():
        with during(progress, "report"):
            page = build_page(matter)
        redlines = make_redlines(matter, page.groups, budget, progress)
    with during(progress, "report"):
        content = render(page, redlines, path, thorough=budget == THOROUGH)
        return write_text(path, content, access or access_for(path, matter.path))


def write_html_with_redlines(
    matter: ComparingSource,
    path: Path,
    progress: Progress = SILENT,
    *,
    budget: RedlineBudget = THOROUGH,
    access: str | None = None,
) -> tuple[Path, int]:
    """Write the report, and the redlines that it has no room for as pages beside it; returns its path, and how many."""
    from truecopy.report.beside import write_beside  # it needs this module

    matter.spare(path)
    level = access or access_for(path, matter.path)
    with matter.snapshot():
        with during(progress, "report"):
            page = build_page(matter)
        redlines = make_redlines(matter, page.groups, budget, progress)
        cut = {member for member, made in redlines.made.items() if made.shortened}
        wanted = [(group, one) for group in page.groups for one in group.members if one.document.id in cut]
        redlines = replace(redlines, beside=write_beside(matter, [*wanted, *redlines.left], path, progress, level))
    with during(progress, "report"):
        return write_text(path, render(page, redlines, path, thorough=True), level), len(redlines.beside)


def render(page: Page, redlines: Redlines, file: Path, *, thorough: bool = False) -> str:
    """The HTML text of a page that will be written to a file; `thorough` if no command puts more redlines into it."""
    at = {one.id: position for position, one in enumerate(page.documents)}
    beside = {at[member]: address for member, address in redlines.beside.items()}
    return fill(
        "report.html",
        ("base.css", "report.css"),
        "report.js",
        page=page,
        data=as_json(
            page_data(page, file) | {"beside": {at[member]: address for member, address in redlines.beside.items()}}
        ),
        redlines=[(at[member], as_json(redline_data(made))) for member, made in redlines.made.items()],
        left_out=len(redlines.left),
        beside=bool(beside),
        thorough=thorough,
        most=_MOST_ROWS,
        pictures=_pictures(page),
        matter=page.matter,
        roots=links.short_roots(one.root for one in page.documents) if page.several_roots else {},
    )


def fill(template: str, styles: tuple[str, ...], script: str, **values: object) -> str:
    """A page from its template, with the styles and the one script that its policy allows."""
    code = _template_text(script)
    return (
        environment()
        .get_template(template)
        .render(
            style="".join(map(_template_text, styles)),
            script=code,
            script_hash=base64.b64encode(hashlib.sha256(code.encode()).digest()).decode(),
            **values,
        )
    )


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
def environment() -> Environment:
    """The templates, with the words that they share."""
    # Imported here: only a report needs it.
    from jinja2 import Environment, FileSystemBytecodeCache, FileSystemLoader, StrictUndefined

    from truecopy.kernels.jit import kernel_folder

    folder = kernel_folder()  # compiled templates are code, too, and are kept with it
    made = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        bytecode_cache=None if folder is None else FileSystemBytecodeCache(str(folder)),  # it makes private files
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
        moment=shown.to_the_minute,
        path=path_markup,
    )
    words = {
        "KIND": KIND,
        "STATUS": STATUS,
        "PART": PART,
        "PART_OF_ONE": PART_OF_ONE,
        "RELATION": RELATION,
        "LOOKED_FOR": LOOKED_FOR,
    }
    made.globals.update(plural=shown.plural, pasted=command, **words)
    return made
