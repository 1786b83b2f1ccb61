"""The Typer application: every command is added here, in the order in which help lists them.

Help is plain text: Typer's boxes load Rich's Markdown and traceback machinery, which alone takes longer
than the 0.3 s that `truecopy --help` may take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

from truecopy.cli.commands import (
    add,
    compare,
    demo,
    doctor,
    floor,
    groups,
    index,
    init,
    methods,
    pairs,
    report,
    scan,
    schema,
    sign,
    similar,
    stats,
    status,
)
from truecopy.cli.reply import guarded

COMMANDS = (
    scan.scan,
    init.init,
    add.add,
    status.status,
    groups.groups,
    pairs.pairs,
    similar.similar,
    compare.compare,
    floor.floor,
    sign.sign,
    methods.methods,
    report.report,
    demo.demo,
    doctor.doctor,
    schema.schema,
)

_PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}
app = typer.Typer(**_PLAIN)
_stats = typer.Typer(**_PLAIN, help=stats.ABOUT, no_args_is_help=False)
_index = typer.Typer(**_PLAIN, help=index.ABOUT, no_args_is_help=False)


def _print_version(wanted: bool) -> None:
    if wanted:
        from truecopy import __version__

        typer.echo(f"truecopy {__version__}")
        raise typer.Exit


@app.callback()
def truecopy(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show where an unexpected error happened; may stand anywhere."),
    ] = False,
) -> None:
    """Find copies, near copies, versions and excerpts in a collection of documents.

    \b
    Example:
      truecopy scan dataroom/          read, compare and group a folder, write a report
      truecopy groups --threshold 90   the groups at another similarity, in no time
    """


for _command in COMMANDS:
    app.command()(guarded(_command))
_GROUPS: tuple[tuple[str, typer.Typer, tuple[Callable[..., Any], ...]], ...] = (
    ("stats", _stats, stats.COMMANDS),
    ("index", _index, index.COMMANDS),
)
for _name, _group, _inner in _GROUPS:
    for _each in _inner:
        _group.command()(guarded(_each))
    app.add_typer(_group, name=_name)


def commands() -> dict[str, Any]:
    """Every command by what is typed behind `truecopy`, those of groups too: `scan`, `stats build`."""
    found: dict[str, Any] = {}
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        found |= {name: command} if inner is None else {f"{name} {each}": one for each, one in inner.items()}
    return found
