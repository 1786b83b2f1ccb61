"""`truecopy doctor`: is this machine fit, and is a matter whole?"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.cli.checks import Check

_COMMAND = re.compile(r"`truecopy [^`]+`")
_BELOW = "the command below"
"""Replaces a command in the table: a column would break the command, and nobody could paste it."""
SIGNS = {"ok": "ok", "note": "note", "broken": "BROKEN"}


def doctor(
    matter: Annotated[
        Path | None,
        typer.Option(
            "--matter",
            metavar="DIR",
            parser=options.matter_folder,
            help="Examine every file and row of this matter too.",
        ),
    ] = None,
    json: options.Json = False,
) -> Reply:
    """Check this machine, and every file and row of a matter.

    Looks at versions, kernel cache, disk and limits; of a matter, at checksums, at what the files and tables hold, and
    at whether the stored words, signatures and indexes are those of the stored texts. Ends with exit code 1 if
    something is broken.

    \b
    Example:
      truecopy doctor
      truecopy doctor --matter acme
    """
    from truecopy.cli.checks import check_machine, check_matter

    checks = [*check_machine(matter or Path()), *(check_matter(matter) if matter is not None else [])]
    broken = [check for check in checks if check.state == "broken"]
    data: dict[str, Any] = {
        "checks": [
            {"name": check.name, "state": check.state, "value": check.value, "hint": check.hint} for check in checks
        ]
    }
    if broken:
        message = f"{len(broken)} of {len(checks)} checks failed: {', '.join(check.name for check in broken)}."
        hint = "See the hint of each check."
        data = {"error": {"code": "broken", "message": message, "hint": hint}, **data}
    return Reply(data, lambda console: _show(console, checks), exit_code=1 if broken else 0, as_json=json)


def _show(console: Console, checks: list[Check]) -> None:
    columns = [
        Column("check"),
        Column("", style="bold"),
        Column("found", text=True),
        Column("what to do", style="dim", text=True),
    ]
    rows = []
    commands: dict[str, None] = {}  # in order, each once
    for check in checks:
        rows.append(
            (check.name, SIGNS[check.state], *(_COMMAND.sub(_BELOW, said) for said in (check.value, check.hint)))
        )
        commands |= dict.fromkeys(_COMMAND.findall(f"{check.value} {check.hint}"))
    print_table(console, columns, rows)
    console.print()
    for command in commands:
        summary.print_command(console, _BELOW.capitalize(), command)
    broken = sum(check.state == "broken" for check in checks)
    if broken:
        summary.print_note(console, f"{summary.count_said(broken, 'check')} failed.")
    else:
        summary.print_note(console, "Nothing is broken.")
