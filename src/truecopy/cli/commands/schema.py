"""`truecopy schema`: the JSON Schema of each command's `--json`."""

from __future__ import annotations

import json as json_format
from typing import TYPE_CHECKING, Annotated

import typer

from truecopy import schemas
from truecopy.cli import options
from truecopy.cli.reply import Reply

if TYPE_CHECKING:
    from rich.console import Console


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A command; without it, the names are listed.")
    ] = None,
    json: options.Json = False,
) -> Reply:
    """Print the JSON Schema of a command's --json output.

    \b
    Example:
      truecopy schema groups > groups.schema.json
    """
    if name is None:
        names = list(schemas.names())
        return Reply({"names": names}, lambda console: console.print("\n".join(names)), as_json=json)
    found = schemas.schema(name)

    def show(console: Console) -> None:
        console.file.write(json_format.dumps(found, indent=2) + "\n")

    return Reply({"name": name, "schema": found}, show, as_json=json)
