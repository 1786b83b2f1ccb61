"""`truecopy groups`: who belongs together, at any threshold down to the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truecopy.cli import options, shapes, summary
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.model import Grouping


def groups(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.Threshold = None,
    json: options.Json = False,
) -> Reply:
    """List each principal with its members, at any threshold.

    Documents that are similar to some other, but to no principal, are listed as linked.

    \b
    Example:
      truecopy groups --matter acme --threshold 90
    """
    import truecopy as tc

    grouping = tc.open(matter).groups(threshold)
    data = {
        "groups": [shapes.group(group) for group in grouping.groups],
        "linked": [shapes.linked(linked) for linked in grouping.linked],
    }
    return Reply(data, lambda console: _show(console, grouping), as_json=json)


def _show(console: Console, grouping: Grouping) -> None:
    rows: list[tuple[str, ...]] = []
    for group in grouping.groups:
        rows.append((group.id, "", "principal", group.principal.id, group.principal.path))
        rows.extend(
            ("", summary.shown(member.similarity), member.kind, member.document.id, member.document.path)
            for member in group.members
        )
    columns = [
        Column("group", style="bold"),
        Column("similarity", right=True),
        Column("kind"),
        Column("id", style="dim"),
        Column("document", path=True),
    ]
    if rows:
        print_table(console, columns, rows)
        console.print()
    if grouping.linked:
        print_table(
            console,
            [Column("linked", style="bold"), Column("document", path=True), Column("similar to")],
            [
                (
                    linked.document.id,
                    linked.document.path,
                    ", ".join(f"{link.id} ({summary.shown(link.similarity)})" for link in linked.links),
                )
                for linked in grouping.linked
            ],
        )
        console.print()
    found = summary.count_said(len(grouping.groups), "group")
    linked_too = f", {summary.count_said(len(grouping.linked), 'linked document')}" if grouping.linked else ""
    summary.print_note(console, f"{found}{linked_too} at {grouping.threshold:g} %.")
