"""`truecopy pairs`: every verified pair, with its measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.matter.views import Pairs


def pairs(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.Threshold = None,
    relation: Annotated[
        str,
        typer.Option(
            "--relation",
            metavar="similar|contains",
            help="similar: word by word; contains: one text is largely in the other.",
        ),
    ] = "similar",
    expand: Annotated[
        bool, typer.Option("--expand", help="List copies too; else one document stands for its copies.")
    ] = False,
    json: options.Json = False,
) -> Reply:
    """List pairs of documents with their measures.

    \b
    Example:
      truecopy pairs --matter acme --threshold 80 --json
      truecopy pairs --matter acme --threshold 90 --relation contains
    """
    import truecopy as tc

    found = tc.open(matter).pairs(threshold, relation=relation, expand=expand)
    data = {
        "pairs": [shapes.pair(pair) for pair in found.pairs],
        "complete": found.complete,
        "left_out": found.left_out,
    }
    return Reply(data, lambda console: _show(console, found), as_json=json)


def _show(console: Console, found: Pairs) -> None:
    columns = [
        Column("similarity", style="bold", right=True),
        Column("resemblance", right=True),
        Column("a in b", right=True),
        Column("b in a", right=True),
        Column("kind"),
        Column("a", path=True),
        Column("b", path=True),
    ]
    rows = [
        (
            summary.shown(pair.scores.similarity),
            summary.shown(pair.scores.resemblance),
            *(summary.shown(part) for part in pair.scores.containment),
            pair.kind,
            pair.a.path,
            pair.b.path,
        )
        for pair in found.pairs
    ]
    if rows:
        print_table(console, columns, rows)
        console.print()
    summary.print_note(console, f"{summary.count_said(len(found.pairs), 'pair')}.")
    if not found.complete:
        summary.print_note(
            console, f"{summary.count_said(found.left_out, 'pair')} of very large families are not stored."
        )
