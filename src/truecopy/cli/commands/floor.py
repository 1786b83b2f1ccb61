"""`truecopy floor`: pairs from a lower similarity on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from truecopy.cli import options, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply

if TYPE_CHECKING:
    from rich.console import Console


def floor(
    floor: Annotated[
        float,
        typer.Argument(metavar="FLOOR", parser=options.percent("floor"), help="The new, lower floor, in percent."),
    ],
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    relation: Annotated[
        str, typer.Option("--relation", metavar="similar|contains", help="The relation whose floor is lowered.")
    ] = "similar",
    threads: options.Threads = None,
    json: options.Json = False,
) -> Reply:
    """Lower a matter's floor, for lower thresholds.

    Its pairs are found again from the stored words; documents, groups and ids stay as they are.

    \b
    Example:
      truecopy floor 60 --matter acme
    """
    import truecopy as tc

    opened = tc.open(matter)
    before = opened.settings
    with progress_for(json) as progress:
        opened.lower_floor(floor, relation, threads=threads, progress=progress)
    from truecopy.match.relations import floors_of

    old, new = (floors_of(one)[relation] for one in (before, opened.settings))
    pairs = opened.count_pairs(new, relation)
    data = {"matter": str(opened.path), "relation": relation, "before": old, "floor": new, "pairs": pairs}

    def show(console: Console) -> None:
        now = "already" if new == old else f"now (it was {old:g})"
        said = f"The floor of {opened.path} for {relation} is {new:g} {now}: "
        summary.print_note(console, said + f"{summary.count_said(pairs, 'pair')} stored.")

    return Reply(data, show, as_json=json)
