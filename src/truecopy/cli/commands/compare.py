"""`truecopy compare`: two documents, every measure, and a redline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.redline import print_redline
from truecopy.cli.reply import Reply

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.model import Comparison

WHAT = "A file; with --matter, an id or path of the matter."


def compare(
    a: Annotated[str, typer.Argument(metavar="A", help=WHAT, show_default=False)],
    b: Annotated[str, typer.Argument(metavar="B", help=WHAT, show_default=False)],
    matter: Annotated[
        Path | None, typer.Option("--matter", metavar="DIR", help="Compare two documents of this matter.")
    ] = None,
    layout: Annotated[
        bool, typer.Option("--layout", help="Mark differences of case, spaces and punctuation too.")
    ] = False,
    json: options.Json = False,
) -> Reply:
    """Show how alike two documents are, and where they differ.

    \b
    Example:
      truecopy compare draft.docx signed.pdf
      truecopy compare TC-000012 TC-000031 --matter acme
    """
    if matter is None:
        comparison, texts = _compare_files(a, b)
        names = (a, b)
    else:
        comparison, texts, names = _compare_documents(matter, a, b)

    def show(console: Console) -> None:
        _show_measures(console, names, comparison)
        if comparison.differences:
            from truecopy.match.redline import redline

            only_layout = all(difference.layout for difference in comparison.differences)
            print_redline(console, redline(*texts, comparison.differences), layout or only_layout)

    return Reply(shapes.comparison(comparison), show, as_json=json)


def _compare_files(a: str, b: str) -> tuple[Comparison, tuple[str, str]]:
    """As `truecopy.compare`, but the texts are kept: they are shown, and standard input is read only once."""
    from truecopy.match.compare import compare as compare_texts
    from truecopy.matter.outside import read_one

    first, second = read_one(a), read_one(b)
    texts = first.text.decode(), second.text.decode()
    return compare_texts(*texts, same_file=first.sha256 == second.sha256), texts


def _compare_documents(matter: Path, a: str, b: str) -> tuple[Comparison, tuple[str, str], tuple[str, str]]:
    import truecopy as tc

    opened = tc.open(matter)
    first, second = opened.document(a), opened.document(b)
    texts = opened.text(first), opened.text(second)
    return opened.compare(first, second), texts, (f"{first.id}  {first.path}", f"{second.id}  {second.path}")


def _show_measures(console: Console, names: tuple[str, str], comparison: Comparison) -> None:
    summary.print_line(console, "a", names[0])
    summary.print_line(console, "b", names[1])
    summary.print_line(console, "similarity", summary.shown(comparison.similarity))
    summary.print_line(console, "character similarity", summary.shown(comparison.character_similarity))
    summary.print_line(console, "resemblance", summary.shown(comparison.resemblance))
    summary.print_line(console, "a in b, b in a", ", ".join(summary.shown(part) for part in comparison.containment))
    summary.print_line(console, "terminology", summary.shown(comparison.terminology))
    summary.print_line(console, "kind", f"{comparison.kind}: {comparison.why}")
    layout = sum(difference.layout for difference in comparison.differences)
    words = len(comparison.differences) - layout
    summary.print_line(console, "differences", f"{words:,} in words, {layout:,} in case, spaces or punctuation only")
    console.print()
