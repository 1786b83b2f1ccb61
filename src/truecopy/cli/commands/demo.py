"""`truecopy demo`: a synthetic data room to try things on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, summary
from truecopy.cli.commands.scan import scan
from truecopy.cli.reply import Reply
from truecopy.hints import pasted

if TYPE_CHECKING:
    from rich.console import Console


def demo(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the data room is written.")] = Path(
        "truecopy-demo"
    ),
    documents: Annotated[int, typer.Option("--documents", metavar="N", min=1, help="About how many.")] = 400,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="The same seed writes the same files.")] = 7,
    scan_it: Annotated[
        bool, typer.Option("--scan", help="Go on to scan it, into FOLDER-matter, and write the report.")
    ] = False,
    json: options.Json = False,
) -> Reply:
    """Write a data room of invented documents to try things on.

    Contracts, drafts, signed copies, e-mails and more; which belongs to which is written beside it.

    \b
    Example:
      truecopy demo
      truecopy demo sample-room --documents 200 --scan
    """
    from truecopy.demo import write_dataroom

    room = write_dataroom(folder, documents=documents, seed=seed)
    data: dict[str, Any] = {
        "folder": str(room.folder),
        "truth": str(room.truth),
        "documents": room.documents,
        "formats": room.by_format,
        "seed": seed,
    }
    scanned = scan([str(folder)], matter=matter_beside(folder), json=json) if scan_it else None
    if scanned is not None:
        data["scan"] = scanned.data

    def show(console: Console) -> None:
        formats = ", ".join(f"{count} {name}" for name, count in room.by_format.items())
        summary.print_line(console, "data room", f"{room.folder} ({room.documents} documents: {formats})")
        summary.print_line(console, "truth", str(room.truth), path=True)
        console.print()
        if scanned is None:
            summary.print_command(console, "Try", pasted("scan", room.folder))
        else:
            scanned.show(console)

    return Reply(data, show, as_json=json)


def matter_beside(folder: Path) -> Path:
    """The matter of a data room is beside it, not inside, because it is not a document."""
    return folder.absolute().parent / f"{folder.absolute().name}-matter"
