"""`truecopy pairs`: every verified pair, with its measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import lists, options, shapes, summary
from truecopy.cli.export import NUMBER, TEXT
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.errors import UsageError

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.model import Pair

FIELDS = {
    "a_id": TEXT, "a": TEXT, "a_root": TEXT, "a_wave": TEXT, "b_id": TEXT, "b": TEXT, "b_root": TEXT, "b_wave": TEXT,
    "relation": TEXT, "similarity": NUMBER, "resemblance": NUMBER, "a_in_b": NUMBER, "b_in_a": NUMBER,
    "terminology": NUMBER, "kind": TEXT,
}  # fmt: skip


def pairs(
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.Threshold = None,
    relation: Annotated[
        str,
        typer.Option(
            "--relation",
            metavar="similar|contains",
            help="similar: word by word; contains: one text is largely in the other.",
        ),
    ] = "similar",
    expand: Annotated[
        bool, typer.Option("--expand", help="List copies too; otherwise only their originals are listed.")
    ] = False,
    limit: lists.Limit = None,
    after: Annotated[
        tuple[str, str] | None,
        typer.Option("--after", metavar="ID ID", help="Go on after this pair: the `next` of the page before."),
    ] = None,
    sort: lists.Sort = None,
    reverse: lists.Reverse = False,
    csv: lists.Csv = None,
    parquet: lists.Parquet = None,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """List pairs of documents with their measures.

    \b
    Example:
      truecopy pairs --matter acme --threshold 80 --json
      truecopy pairs --matter acme --threshold 90 --relation contains
      truecopy pairs --matter acme --sort -similarity --limit 50
    """
    from truecopy.match.relations import relation_named

    wanted = lists.Wanted(tuple(FIELDS), limit, sort, reverse, csv, parquet, access, after)
    if after is not None and expand:
        raise UsageError("--after goes on among stored pairs, and --expand lists others too.", "Leave one of them out.")
    opened = wanted.opened(matter)
    with opened.snapshot():
        least = opened.threshold_for(relation, threshold)
        if wanted.in_order and not expand and (limit or after):
            listed = opened.pair_page(least, relation, after, limit)
            total, left_out = opened.count_pairs(least, relation), opened.left_out(relation)
        else:
            found = opened.pairs(least, relation=relation, expand=expand)
            listed, total, left_out = wanted.arranged(found.pairs, _value), len(found.pairs), found.left_out
    data: dict[str, Any] = {
        "pairs": [shapes.pair(pair) for pair in listed],
        "complete": not left_out,
        "left_out": left_out,
        "total": total,
        "next": None if expand else wanted.following([[pair.a.id, pair.b.id] for pair in listed]),
    }
    rows = [{field: _value(pair, field) for field in FIELDS} for pair in listed] if wanted.to_files else []
    files = wanted.write(FIELDS, rows)
    if files:
        data["written"] = files

    def show(console: Console) -> None:
        if files:
            lists.print_written(console, files, len(rows))
        elif listed:
            _show(console, listed)
        said = lists.shown_of(len(listed), total, "pair")
        summary.print_note(console, f"{said} at {least:g} % {relation_named(relation).measure.name}.")
        if left_out:
            missing = summary.count_said(left_out, "pair")
            summary.print_note(console, f"{missing} of very large families are not stored; --expand computes them.")

    return Reply(data, show, as_json=json)


def _value(pair: Pair, field: str) -> Any:
    """One field of a pair; None where it was not computed."""
    if field in ("a", "b"):
        return getattr(pair, field).path
    if field.startswith(("a_", "b_")) and field not in ("a_in_b", "b_in_a"):
        return getattr(getattr(pair, field[0]), field[2:])
    if field in ("a_in_b", "b_in_a"):
        return pair.scores.containment[field == "b_in_a"]
    return getattr(pair, field) if field in ("relation", "kind") else getattr(pair.scores, field)


def _show(console: Console, listed: Sequence[Pair]) -> None:
    columns = [
        Column("similarity", style="bold", right=True),
        Column("resemblance", right=True),
        Column("a in b", right=True),
        Column("b in a", right=True),
        Column("kind"),
        Column("id of a", style="dim", label=True),
        Column("a", path=True),
        Column("id of b", style="dim", label=True),
        Column("b", path=True),
    ]
    names = lists.names([one for pair in listed for one in (pair.a, pair.b)])
    rows = [
        (
            summary.one_decimal(pair.scores.similarity),
            summary.one_decimal(pair.scores.resemblance),
            *(summary.one_decimal(part) for part in pair.scores.containment),
            pair.kind,
            pair.a.id,
            names[pair.a.number],
            pair.b.id,
            names[pair.b.number],
        )
        for pair in listed
    ]
    print_table(console, columns, rows)
    console.print()
