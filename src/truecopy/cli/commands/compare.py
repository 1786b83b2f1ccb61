"""`truecopy compare`: two documents, every measure, and a redline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.redline import print_redline
from truecopy.cli.reply import Reply
from truecopy.cli.report_file import checked_output
from truecopy.errors import UsageError
from truecopy.read.originals import never_over

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.matter.ask.sides import Side
    from truecopy.model import Comparison

WHAT = "A file, or with --matter a document of the matter: its id, path or name."
_ID = re.compile(r"(?:[A-Za-z]+[-_ ]?)?\d+")


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=WHAT, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help=WHAT, show_default=False)],
    *,
    matter: Annotated[
        Path | None,
        typer.Option(
            "--matter",
            metavar="DIR",
            parser=options.matter_folder,
            help="The matter that has A, B or both; others are files.",
        ),
    ] = None,
    layout: Annotated[
        bool, typer.Option("--layout", help="Mark differences of case, spaces and punctuation too.")
    ] = False,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="FILE", help="Write the whole redline as a page.")
    ] = None,
    encoding: options.Encoding = None,
    open_page: Annotated[
        bool, typer.Option("--open", help="Write the redline as a page and open it in the browser.")
    ] = False,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """Show how alike two documents are, and where they differ.

    \b
    Example:
      truecopy compare draft.docx signed.pdf --open
      truecopy compare TC-000012 TC-000031 --matter acme
      truecopy compare TC-000012 "new draft.docx" --matter acme --html redline.html
    """
    page = None if html is None else checked_output(html, (".html", ".htm"))
    rules = tuple(encoding or ())
    if matter is None:
        comparison, first, second = _compare_files(a, b, rules)
    else:
        comparison, first, second = _compare_documents(matter, a, b, page, rules)
    if page is not None:
        never_over(page, [first.name, second.name])
    opened = True
    if page is not None or open_page:
        page = _write_page(page, comparison, first, second, access)
        opened = not open_page or _open(page)

    def show(console: Console) -> None:
        _show_measures(console, (first.name, second.name), comparison)
        for side in (first, second):
            if side.doubt:
                summary.print_note(console, f"{side.name}: {side.doubt}.")
        if page is not None:
            summary.print_line(console, "redline", str(page))
            if not opened:
                summary.print_note(console, "No browser could be started; open the page by hand.")
        elif comparison.differences:
            from truecopy.match.redline import redline

            only_layout = all(difference.layout for difference in comparison.differences)
            segments = redline(first.text, second.text, comparison.differences)
            print_redline(console, segments, layout or only_layout)

    read = {"a": shapes.read_as(first), "b": shapes.read_as(second)}
    data = shapes.comparison(comparison) | {"html": None if page is None else str(page), "read": read}
    return Reply(data, show, as_json=json)


def _compare_files(a: str, b: str, encoding: tuple[str, ...]) -> tuple[Comparison, Side, Side]:
    """As `truecopy.compare`, but the texts are kept: they are shown, and standard input is read only once."""
    from truecopy.matter.ask.sides import compare_sides, of_file
    from truecopy.read.encodings.rules import reading_as

    for name in (a, b):
        _not_an_id(name)
    with reading_as(encoding):
        first, second = of_file(a), of_file(b)
    return compare_sides(first, second), first, second


def _not_an_id(name: str) -> None:
    """Refuse a name that is not a file and looks like a document's id, because only a matter knows ids."""
    if _ID.fullmatch(name) and not Path(name).exists():
        known = options.DEFAULT_MATTER if options.DEFAULT_MATTER.is_dir() else "DIR"
        raise UsageError(
            f"There is no file {name}; if it is the id of a document, its matter is missing.",
            f"Name the matter with --matter {known}.",
        )


def _compare_documents(
    matter: Path, a: str, b: str, page: Path | None, encoding: tuple[str, ...]
) -> tuple[Comparison, Side, Side]:
    import truecopy as tc

    opened = tc.open(matter)
    if page is not None:
        opened.spare(page)
    first, second = opened.sides(a, b, encoding=encoding)
    return opened.compare(first, second), first, second


def _write_page(page: Path | None, comparison: Comparison, a: Side, b: Side, access: str) -> Path:
    """Write the redline page; without a given place, into a folder that only this user can read."""
    import tempfile

    from truecopy.report.files import write_text
    from truecopy.report.redline_page import redline_page

    target = page or Path(tempfile.mkdtemp(prefix="truecopy-")) / "redline.html"
    return write_text(target, redline_page(a, b, comparison, target), access)


def _open(page: Path) -> bool:
    """Whether a browser was started."""
    import webbrowser

    try:
        return webbrowser.open(page.absolute().as_uri())
    except webbrowser.Error:
        return False


def _show_measures(console: Console, names: tuple[str, str], comparison: Comparison) -> None:
    summary.print_line(console, "a", names[0])
    summary.print_line(console, "b", names[1])
    summary.print_line(console, "similarity", summary.one_decimal(comparison.similarity))
    summary.print_line(console, "character similarity", summary.one_decimal(comparison.character_similarity))
    summary.print_line(console, "resemblance", summary.one_decimal(comparison.resemblance))
    summary.print_line(
        console, "a in b, b in a", ", ".join(summary.one_decimal(part) for part in comparison.containment)
    )
    summary.print_line(console, "terminology", summary.one_decimal(comparison.terminology))
    summary.print_line(console, "kind", f"{comparison.kind}: {comparison.why}")
    layout = sum(difference.layout for difference in comparison.differences)
    words = len(comparison.differences) - layout
    summary.print_line(
        console, "differences", f"{words:,} in words or figures, {layout:,} in case, spaces or punctuation only"
    )
    console.print()
