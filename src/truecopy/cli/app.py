"""The Typer application: every command is added here, in the two parts and the order in which help lists them.

Help is plain text: Typer's boxes load Rich's Markdown and traceback machinery, which alone takes longer
than the 0.3 s that `truecopy --help` may take.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from truecopy.cli.commands import (
    add,
    compare,
    demo,
    doctor,
    documents,
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

FOR_DOCUMENTS = (
    scan.scan,
    init.init,
    add.add,
    status.status,
    documents.documents,
    groups.groups,
    pairs.pairs,
    similar.similar,
    compare.compare,
    floor.floor,
    report.report,
    demo.demo,
    doctor.doctor,
)
"""What a lawyer needs."""
BEHIND = (sign.sign, methods.methods, schema.schema)
"""With the groups `stats` and `index`: the machinery behind it."""
PARTS = {
    "For your documents": tuple(command.__name__ for command in FOR_DOCUMENTS),
    "Signatures, statistics, indexes, schemas": ("sign", "methods", "stats", "index", "schema"),
}

_PLAIN: dict[str, Any] = {
    "add_completion": False,
    "rich_markup_mode": None,
    "pretty_exceptions_enable": False,
    "context_settings": {"help_option_names": ["-h", "--help"], "max_content_width": 100},
}


class _InParts(TyperGroup):
    """The list of commands, in parts."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each part under its heading."""
        for heading, names in PARTS.items():
            found = [(name, self.get_command(ctx, name)) for name in names]
            lines = [(name, command.get_short_help_str(100)) for name, command in found if command is not None]
            with formatter.section(heading):
                formatter.write_dl(lines)


app = typer.Typer(**_PLAIN, cls=_InParts)
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
        typer.Option("--debug", help="Show where an unexpected error happened; can be given anywhere."),
    ] = False,
) -> None:
    """Find copies, near copies, versions and excerpts in a collection of documents.

    \b
    Example:
      truecopy scan dataroom/                    compare a folder, write a report
      truecopy documents --status not-searched   what could not be searched
      truecopy groups --threshold 90             groups at another similarity
    """


for _command in (*FOR_DOCUMENTS, *BEHIND):
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
    """Every command by what is typed after `truecopy`, in the order of help, with subcommands: `stats build`."""
    found: dict[str, Any] = {}
    known = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name in (name for names in PARTS.values() for name in names):
        command = known[name]
        inner = getattr(command, "commands", None)
        found |= {name: command} if inner is None else {f"{name} {each}": one for each, one in inner.items()}
    return found
