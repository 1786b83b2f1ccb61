"""`truecopy report`: the report of a matter as a page or a workbook."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.access import check_access
from truecopy.cli import options, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.report_file import NAMES, checked_output, report_format
from truecopy.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console


def report(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Where it goes: a page if it ends in .html, a workbook if in .xlsx; in the matter if left out.",
        ),
    ] = None,
    xlsx: Annotated[bool, typer.Option("--xlsx", help="Write the tables as a workbook.")] = False,
    pairs: Annotated[
        bool, typer.Option("--pairs", help="In the workbook: every stored pair as well, which can be many.")
    ] = False,
    redlines: Annotated[
        bool,
        typer.Option("--redlines", help="Write the redlines that the page has no room for beside it, each as a page."),
    ] = False,
    access: Annotated[
        str | None,
        typer.Option(
            "--access",
            metavar="private|group|all",
            parser=check_access,
            help="Who may read it: only you, your group too, or everyone; if left out, those who may read the matter "
            "where it is written into the matter's folder, and only you elsewhere.",
        ),
    ] = None,
    json: options.Json = False,
) -> Reply:
    """Write the report of a matter as a page or a workbook.

    The page is one file that opens offline; the workbook has a row for each document.

    \b
    Example:
      truecopy report --matter acme --output acme.html
      truecopy report --matter acme --output acme.xlsx --pairs
    """
    form = report_format(output, xlsx)
    if pairs and form != "xlsx":
        raise UsageError(
            "--pairs was given, but a page has no list of pairs.",
            "Give a name that ends in .xlsx, or leave --pairs out.",
        )
    if redlines and form != "html":
        raise UsageError(
            "--redlines was given, but a workbook has no redlines.",
            "Leave --redlines out, or give a name that ends in .html instead of .xlsx.",
        )
    import truecopy as tc
    from truecopy.report import THOROUGH, write_html, write_html_with_redlines, write_xlsx

    opened = tc.open(matter)
    path = checked_output(output or opened.path / NAMES[form])
    beside = 0
    with progress_for(json) as progress, opened.snapshot():
        if form == "xlsx":
            written = write_xlsx(opened, path, progress, pairs=pairs, access=access)
        elif redlines:
            written, beside = write_html_with_redlines(opened, path, progress, access=access)
        else:
            written = write_html(opened, path, progress, budget=THOROUGH, access=access)

    def show(console: Console) -> None:
        summary.print_line(console, "report", str(written))
        if redlines:
            summary.print_line(console, "redlines beside it", f"{beside:,}")

    return Reply({"report": str(written), "format": form, "redlines": beside}, show, as_json=json)
