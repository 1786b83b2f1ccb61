"""`truecopy index`: what a matter's indexes are, whether they are whole, and rebuilding them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.errors import DamagedSegment
from truecopy.hints import pasted

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.matter.ask.index_status import IndexStatus

ABOUT = "List, check and rebuild the indexes that answer `similar`."


def status(matter: options.Matter = options.DEFAULT_MATTER, json: options.Json = False) -> Reply:
    """List the indexes of a matter, and how large they are.

    \b
    Example:
      truecopy index status --matter acme
    """
    import truecopy as tc

    found = tc.open(matter).indexes()

    def show(console: Console) -> None:
        columns = [
            Column("index", style="bold"),
            Column("finds by"),
            Column("texts", right=True),
            Column("blocks", right=True),
            Column("size", right=True),
            Column("state"),
        ]
        print_table(console, columns, [_row(one) for one in found])

    return Reply({"indexes": [_shape(one) for one in found]}, show, as_json=json)


def rebuild(
    only: Annotated[
        str | None, typer.Argument(metavar="INDEX", help="One index by its name; all if left out.", show_default=False)
    ] = None,
    matter: options.Matter = options.DEFAULT_MATTER,
    json: options.Json = False,
) -> Reply:
    """Rebuild indexes, each in one block.

    They are made from the texts and signatures that the matter keeps. The indexes `overlap` and `runs` are always
    rebuilt together.

    \b
    Example:
      truecopy index rebuild --matter acme
      truecopy index rebuild letters --matter acme
    """
    import truecopy as tc

    opened = tc.open(matter)
    with progress_for(json) as progress:
        made = opened.rebuild_indexes(only, progress)

    def show(console: Console) -> None:
        summary.print_note(console, f"Rebuilt: {', '.join(made)}." if made else "There is nothing to index yet.")

    return Reply({"rebuilt": made}, show, as_json=json)


def verify(matter: options.Matter = options.DEFAULT_MATTER, json: options.Json = False) -> Reply:
    """Check every index file against its checksum.

    The command names damaged ones and fails. They are never searched, but made again when they are needed.

    \b
    Example:
      truecopy index verify --matter acme
    """
    import truecopy as tc

    found = tc.open(matter).indexes()
    damaged = [name for one in found for name in one.damaged]
    if damaged:
        few = ", ".join(damaged[:5]) + (f" and {len(damaged) - 5} more" if len(damaged) > 5 else "")
        which = "index file is" if len(damaged) == 1 else "index files are"
        raise DamagedSegment(
            f"{len(damaged)} {which} damaged or missing: {few}.",
            f"No answer comes from them; rebuild them with {pasted('index', 'rebuild', matter=matter)}.",
        )
    files = sum(len(one.blocks) for one in found)

    def show(console: Console) -> None:
        summary.print_note(console, f"{summary.count_said(files, 'index file')} checked: all are whole.")
        late = [one.name for one in found if one.missing]
        if late:
            summary.print_note(console, f"To be made when they are needed: {', '.join(late)}.")

    return Reply({"files": files, "indexes": [_shape(one) for one in found]}, show, as_json=json)


COMMANDS = (status, rebuild, verify)


def _row(one: IndexStatus) -> tuple[str, ...]:
    size = sum(block.bytes for block in one.blocks)
    state = (
        f"{len(one.damaged)} damaged"
        if one.damaged
        else f"{summary.count_said(one.missing, 'wave')} not indexed yet"
        if one.missing
        else "whole"
    )
    return one.name, one.structure, f"{one.rows:,}", str(len(one.blocks)), f"{size / 1e6:,.1f} MB", state


def _shape(one: IndexStatus) -> dict[str, Any]:
    return {
        "index": one.name,
        "structure": one.structure,
        "spec": one.spec.as_json(),
        "texts": one.rows,
        "missing": one.missing,
        "memory": {"rows": one.memory.rows, "index": one.memory.index},
        "blocks": [
            {"file": block.file, "waves": list(block.waves), "texts": block.rows, "bytes": block.bytes}
            for block in one.blocks
        ],
    }
