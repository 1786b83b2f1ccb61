"""`truecopy status`: what is in a matter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truecopy.cli import options, shapes, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console


def status(matter: options.Matter = options.DEFAULT_MATTER, json: options.Json = False) -> Reply:
    """Say what is in a matter: copies, near copies, what to read.

    \b
    Example:
      truecopy status --matter acme
    """
    import truecopy as tc

    opened = tc.open(matter)
    with opened.snapshot():
        statuses, waves, groups = opened.statuses(), opened.waves(), opened.group_count()
        missed, copied, counts = summary.unsearched(opened), opened.copied(), opened.counts()
        missing, custodians = opened.missing_principals(), opened.custodians()
        links, doubted, access = opened.links_not_followed(), opened.doubted(), opened.access
    data = {
        "documents": counts.documents,
        "counts": summary.counts_data(counts),
        "statuses": statuses,
        "waves": [shapes.wave(wave) for wave in waves],
        "grouping": {
            "threshold": opened.settings.threshold,
            "rule": opened.settings.rule,
            "groups": groups,
        },
        "custodians": custodians,
        "links_not_followed": links,
        "doubted": doubted,
        "access": access,
    }

    def show(console: Console) -> None:
        summary.print_counts(console, counts, missed, matter)
        summary.print_links(console, links)
        summary.print_statuses(console, statuses, copied)
        console.print()
        summary.print_doubted(console, doubted, matter)
        summary.print_missing_principals(console, missing)
        if waves:
            columns = [
                Column("wave", text=True),
                Column("documents", style="bold", right=True),
                Column("added", style="dim"),
            ]
            print_table(console, columns, [(wave.name, f"{wave.documents:,}", wave.added) for wave in waves])
            console.print()
        if any(custodians):
            columns = [Column("custodian", text=True), Column("documents", style="bold", right=True)]
            shown = [(name or "(nobody named)", f"{count:,}") for name, count in sorted(custodians.items())]
            print_table(console, columns, shown)
            console.print()
        summary.print_line(
            console,
            "groups",
            f"{summary.groups_said(groups, statuses)}, at {opened.settings.threshold:g} % "
            f"(principal: {opened.settings.rule})",
        )
        summary.print_access(console, access)

    return Reply(data, show, as_json=json)
