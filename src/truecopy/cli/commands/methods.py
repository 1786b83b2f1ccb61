"""`truecopy methods`: the signature methods, what each costs and what it can tell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truecopy.cli import options, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.sign.family import Description


def methods(*, json: options.Json = False) -> Reply:
    """List the signature methods, with what each can and cannot tell.

    \b
    Example:
      truecopy methods
      truecopy methods --json
    """
    from truecopy.sign import methods as every

    found = every()

    def show(console: Console) -> None:
        columns = [
            Column("method", style="bold"),
            Column("bytes", right=True),
            Column("compared by", text=True),
            Column("contains"),
            Column("weights"),
            Column("scripts", text=True),
            Column("paper", style="dim", text=True),
        ]
        rows = [
            (one.name, _bytes(one), one.compared_by, _yes(one.containment), _yes(one.weights), one.scripts, one.paper)
            for one in found
        ]
        print_table(console, columns, rows)
        for one in found:
            console.print()
            summary.print_note(console, f"{one.name}: {one.summary}.")
            for parameter in one.parameters:
                choices = f" ({', '.join(map(str, parameter.choices))})" if parameter.choices else ""
                default = "" if parameter.default is None else f"; {parameter.default} if left out"
                summary.print_note(console, f"  --{parameter.name}  {parameter.meaning}{choices}{default}")
            for limit in one.limits:
                summary.print_note(console, f"  {limit}")

    return Reply({"methods": [_shape(one) for one in found]}, show, as_json=json)


def _shape(one: Description) -> dict[str, Any]:
    return {
        "name": one.name,
        "paper": one.paper,
        "summary": one.summary,
        "parameters": [
            {
                "name": parameter.name,
                "default": parameter.default,
                "meaning": parameter.meaning,
                "choices": list(parameter.choices),
            }
            for parameter in one.parameters
        ],
        "bytes": one.bytes,
        "size": one.size,
        "supports": one.supports(),
        "limits": list(one.limits),
    }


def _bytes(one: Description) -> str:
    return "varies" if one.bytes is None else f"{one.bytes:,}"


def _yes(able: bool) -> str:
    return "yes" if able else "no"
