"""`truecopy add`: more documents into a matter, as a wave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply

if TYPE_CHECKING:
    from rich.console import Console


def add(
    paths: options.Paths,
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    wave: Annotated[
        str | None, typer.Option("--wave", metavar="NAME", help="The wave's name; numbered if left out.")
    ] = None,
    exclude: options.Exclude = None,
    ocr: options.Ocr = False,
    threads: options.Threads = None,
    json: options.Json = False,
) -> Reply:
    """Add documents to a matter as one wave.

    Groups that exist keep their ids and principals. Stopped at any moment, the matter is whole, and the
    same command goes on.

    \b
    Example:
      truecopy add production-02/ --matter acme --wave "production 2"
    """
    import truecopy as tc

    with progress_for(json) as progress:
        opened = tc.open(matter)
        added = opened.add(paths, wave=wave, exclude=tuple(exclude or ()), ocr=ocr, threads=threads, progress=progress)
    data = {
        "documents": added.documents,
        "statuses": added.statuses,
        "wave": added.wave,
        "already": added.already,
        "seconds": shapes.seconds(added.seconds),
    }

    def show(console: Console) -> None:
        summary.print_statuses(console, added.statuses)
        console.print()
        summary.print_line(console, "wave", added.wave)
        summary.print_line(console, "already in the matter", f"{added.already:,}")
        summary.print_line(console, "seconds", summary.seconds_said(added.seconds))

    return Reply(data, show, as_json=json)
