"""`truecopy similar`: everything like one document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console


def similar(
    document: Annotated[
        str,
        typer.Argument(metavar="DOC-OR-FILE", help="An id or path of the matter, or any file.", show_default=False),
    ],
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.Threshold = None,
    json: options.Json = False,
) -> Reply:
    """List everything that is similar to one document.

    The document may be one of the matter, or any file from outside it. Best first, copies included.

    \b
    Example:
      truecopy similar TC-000012 --matter acme
      truecopy similar "new draft.docx" --matter acme --threshold 85
    """
    import truecopy as tc

    hits = tc.open(matter).similar(document, threshold)

    def show(console: Console) -> None:
        columns = [
            Column("similarity", style="bold", right=True),
            Column("kind"),
            Column("id", style="dim"),
            Column("document", path=True),
        ]
        rows = [(summary.shown(hit.similarity), hit.kind, hit.document.id, hit.document.path) for hit in hits]
        if rows:
            print_table(console, columns, rows)
            console.print()
        summary.print_note(console, f"{summary.count_said(len(hits), 'similar document')}.")

    return Reply({"hits": [shapes.hit(hit) for hit in hits]}, show, as_json=json)
