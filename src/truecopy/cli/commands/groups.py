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

    from truecopy import Matter
    from truecopy.model import Group, Grouping, Linked

SORTS = ("id", "path", "documents", "similarity")
"""By the group's id, its principal's path, how many documents it has, its lowest similarity."""
_LINKED = "linked:"
"""What `--after` begins with where a page ended among the linked documents, and not among the groups."""
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
    lowest); a file has a row for each document. With --limit, all groups come before the first linked document; the
    `next` of a page that ends among these is linked:ID.

    \b
    Example:
      truecopy groups --matter acme --threshold 90
      truecopy groups --matter acme --sort -documents --limit 20
      truecopy groups --matter acme --csv groups.csv
    """
    wanted = lists.Wanted(SORTS, limit, sort, reverse, csv, parquet, access, after)
    opened = wanted.opened(matter)
    with opened.snapshot():
        least = opened.threshold_for("similar", threshold)
        own = least == opened.settings.threshold
        largest = wanted.backwards and wanted.sort in ("documents", "-documents")
        if own and ((largest and limit) or (wanted.in_order and (limit or after))):
            found, linked = _largest(opened, limit) if largest and limit else _page(opened, after, limit)
            total, linked_total = opened.group_count(), opened.statuses().get("linked", 0)
        else:
            grouping = opened.groups(least)
            total, linked_total = len(grouping.groups), len(grouping.linked)
            name, among_linked = _cursor(after)
            found, linked = _following(grouping, 0 if name is None else opened.document(name).number, among_linked)
            found = wanted.arranged(found, _sorted_by)
            linked = linked if limit is None else linked[: limit - len(found)]
    data: dict[str, Any] = {
        "groups": [shapes.group(group) for group in found],
        "linked": [shapes.linked(one) for one in linked],
        "total": total,
        "linked_total": linked_total,
        "next": wanted.following([*(group.id for group in found), *(_LINKED + one.document.id for one in linked)]),
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


def _page(matter: Matter, after: str | None, limit: int | None) -> tuple[list[Group], list[Linked]]:
    """A page of the matter's own grouping: all groups come first, then all linked documents."""
    name, among_linked = _cursor(after)
    if among_linked:
        return [], matter.linked_page(name, limit)
    found = matter.group_page(name, limit)
    left = None if limit is None else limit - len(found)
    return found, [] if left == 0 else matter.linked_page(limit=left)


def _largest(matter: Matter, limit: int) -> tuple[list[Group], list[Linked]]:
    """The groups with the most documents; what is left of the limit is for linked documents."""
    found = matter.largest_groups(limit)
    left = limit - len(found)
    return found, matter.linked_page(limit=left) if left else []


def _cursor(after: str | None) -> tuple[str | None, bool]:
    """The document that the page before ended with, and whether it was among the linked ones: a wave that has come
    meanwhile may have given it another status.
    """
    if after is None or not after.startswith(_LINKED):
        return after, False
    return after.removeprefix(_LINKED), True


def _following(grouping: Grouping, after: int, among_linked: bool) -> tuple[list[Group], list[Linked]]:
    """What follows on a document, by its number, in any grouping."""
    if among_linked:
        return [], [one for one in grouping.linked if one.document.number > after]
    return [group for group in grouping.groups if group.principal.number > after], list(grouping.linked)


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
    return ", ".join(f"{link.id} ({summary.one_decimal(link.similarity)})" for link in linked.links)


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
            line = "", summary.one_decimal(member.similarity), member.kind, copy, one.id, names[one.number]
            rows.append(_kept(line, renamed, copied))
    print_table(console, columns, rows)


def _kept(row: tuple[str, ...], renamed: bool, copied: bool) -> tuple[str, ...]:
    group, similarity, kind, copy, *rest = row
    return (*([group] if renamed else []), similarity, kind, *([copy] if copied else []), *rest)
