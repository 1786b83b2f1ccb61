"""`truecopy groups`: which documents belong together, at any threshold down to the floor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truecopy.cli import lists, options, shapes, summary
from truecopy.cli.export import NUMBER, TEXT
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.model import Group, Linked

SORTS = ("id", "path", "documents", "similarity")
"""By the group's id, its principal's path, how many documents it has, its lowest similarity."""
FIELDS = {
    "group": TEXT, "role": TEXT, "id": TEXT, "path": TEXT, "root": TEXT, "wave": TEXT, "status": TEXT,
    "principal": TEXT, "similarity": NUMBER, "kind": TEXT, "copy_of": TEXT, "linked_to": TEXT,
}  # fmt: skip


def groups(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.Threshold = None,
    limit: lists.Limit = None,
    after: lists.After = None,
    sort: lists.Sort = None,
    reverse: lists.Reverse = False,
    csv: lists.Csv = None,
    parquet: lists.Parquet = None,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """List each principal with its members, at any threshold.

    Documents that are similar to some other, but to no principal, are listed as linked. Similarity and kind always
    compare a document with its principal. Groups can be sorted by id, path, documents (how many), similarity (the
    lowest); a file has a row for each document.

    \b
    Example:
      truecopy groups --matter acme --threshold 90
      truecopy groups --matter acme --sort -documents --limit 20
      truecopy groups --matter acme --csv groups.csv
    """
    wanted = lists.Wanted(SORTS, limit, sort, reverse, csv, parquet, access, after)
    opened = wanted.opened(matter)
    least = opened.threshold_for("similar", threshold)
    with opened.snapshot():
        if wanted.in_order and least == opened.settings.threshold and (limit or after):
            found, total = opened.group_page(after, limit), opened.group_count()
            linked = opened.linked_page(limit=limit) if after is None else []
            linked_total = opened.statuses().get("linked", 0)
        else:
            grouping = opened.groups(least)
            first = 0 if after is None else opened.document(after).number
            every = [group for group in grouping.groups if group.principal.number > first]
            found, total = wanted.arranged(every, _sorted_by), len(grouping.groups)
            linked, linked_total = list(grouping.linked[:limit]), len(grouping.linked)
    data: dict[str, Any] = {
        "groups": [shapes.group(group) for group in found],
        "linked": [shapes.linked(one) for one in linked],
        "total": total,
        "linked_total": linked_total,
        "next": wanted.following([group.id for group in found]),
    }
    rows = _rows(found, linked) if wanted.to_files else []
    files = wanted.write(FIELDS, rows)
    if files:
        data["written"] = files

    def show(console: Console) -> None:
        if files:
            lists.print_written(console, files, len(rows))
        else:
            _show(console, found, linked)
        said = lists.shown_of(len(found), total, "group")
        if linked_total:
            said += f", {lists.shown_of(len(linked), linked_total, 'linked document')}"
        summary.print_note(console, f"{said} at {least:g} %.")

    return Reply(data, show, as_json=json)


def _sorted_by(group: Group, field: str) -> Any:
    if field == "documents":
        return 1 + len(group.members)
    if field == "similarity":
        return min(member.similarity for member in group.members)
    return group.id if field == "id" else group.principal.path


def _rows(groups: Sequence[Group], linked: Sequence[Linked]) -> list[dict[str, Any]]:
    """A row for each document of the groups, and for each linked one."""
    rows = []
    for group in groups:
        shared = {"group": group.id, "principal": group.principal.id}
        rows.append({**_row(group.principal), "role": "principal", **shared})
        rows += [
            {**_row(member.document), "role": "member", **shared, "similarity": member.similarity, "kind": member.kind}
            for member in group.members
        ]
    return rows + [{**_row(one.document), "role": "linked", "linked_to": _ids(one)} for one in linked]


def _row(document: Any) -> dict[str, Any]:
    return {name: getattr(document, name, None) or None for name in FIELDS}


def _ids(linked: Linked) -> str:
    return "; ".join(link.id for link in linked.links)


def _links(linked: Linked) -> str:
    return ", ".join(f"{link.id} ({summary.shown(link.similarity)})" for link in linked.links)


def _show(console: Console, groups: Sequence[Group], linked: Sequence[Linked]) -> None:
    documents = [one for group in groups for one in (group.principal, *(member.document for member in group.members))]
    names = lists.names([*documents, *(one.document for one in linked)])
    if groups:
        _show_groups(console, groups, names)
        console.print()
    if linked:
        columns = [Column("linked", style="bold", label=True), Column("document", path=True)]
        columns.append(Column("similar to", text=True))
        print_table(console, columns, [(one.document.id, names[one.document.number], _links(one)) for one in linked])
        console.print()


def _show_groups(console: Console, groups: Sequence[Group], names: dict[int, str]) -> None:
    """Groups with an empty line between; the columns `group` and `copy of` only where they say something new."""
    renamed = any(group.id != group.principal.id for group in groups)
    copied = any(member.copy_of not in ("", group.principal.id) for group in groups for member in group.members)
    columns = [
        *([Column("group", style="bold")] if renamed else []),
        Column("similarity", right=True),
        Column("kind"),
        *([Column("copy of", style="dim")] if copied else []),
        Column("id", style="bold", label=True),
        Column("document", path=True),
    ]
    rows: list[Sequence[str]] = []
    for group in groups:
        if rows:
            rows.append(())
        own = group.id, "", "principal", "", group.principal.id, names[group.principal.number]
        rows.append(_kept(own, renamed, copied))
        for member in group.members:
            copy = member.copy_of if member.copy_of != group.principal.id else ""
            one = member.document
            line = "", summary.shown(member.similarity), member.kind, copy, one.id, names[one.number]
            rows.append(_kept(line, renamed, copied))
    print_table(console, columns, rows)


def _kept(row: tuple[str, ...], renamed: bool, copied: bool) -> tuple[str, ...]:
    group, similarity, kind, copy, *rest = row
    return (*([group] if renamed else []), similarity, kind, *([copy] if copied else []), *rest)
