"""`truecopy documents`: the documents of a matter, by status, wave, kind or path; what was not searched, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import lists, options, shapes, summary
from truecopy.cli.export import INTEGER, NUMBER, TEXT
from truecopy.cli.reply import Reply
from truecopy.cli.table import Column, print_table
from truecopy.model import FIGURES, NOT_SEARCHED, STATUSES, Filter

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.matter.ask.groups import Place
    from truecopy.model import Document

FIELDS = {
    "id": TEXT, "path": TEXT, "root": TEXT, "wave": TEXT, "custodian": TEXT, "status": TEXT, "reason": TEXT,
    "copy_of": TEXT, "group": TEXT, "principal": TEXT, "similarity": NUMBER, "kind": TEXT, "words": INTEGER,
    "size": INTEGER, "date": TEXT, "media": TEXT, "encoding": TEXT, "confidence": INTEGER, "doubt": TEXT,
    "parent": TEXT, "md5": TEXT, "sha1": TEXT, "sha256": TEXT, "words_sha256": TEXT, "figures_sha256": TEXT,
}  # fmt: skip
"""The columns of a file, and what the list can be sorted by."""
CHOICES = (*STATUSES, *FIGURES)
SHOWN = ("id", "status", "path", "reason", "copy_of", "principal", "similarity", "kind")
"""Fields that the table always shows; another field gets a column if the list is sorted by it."""


def documents(
    *,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            metavar="S",
            help="Only this status, or a figure of the headline: copies, near-copies, to-read, not-searched; "
            "may be repeated.",
        ),
    ] = None,
    not_searched: Annotated[
        bool, typer.Option("--not-searched", help="All that could not be searched; as --status not-searched.")
    ] = False,
    doubted: Annotated[
        bool, typer.Option("--doubted", help="Only texts that were read with doubt about their encoding.")
    ] = False,
    wave: Annotated[
        list[str] | None, typer.Option("--wave", metavar="W", help="Only of this wave; may be repeated.")
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="K", help="Only of this kind, compared with the principal; may be repeated."),
    ] = None,
    path: Annotated[
        list[str] | None,
        typer.Option(
            "--path", metavar="GLOB", help="Only paths like '*.pdf' or 'drafts/**' (as --exclude); may be repeated."
        ),
    ] = None,
    custodian: Annotated[
        list[str] | None, typer.Option("--custodian", metavar="NAME", help="Only of this custodian; may be repeated.")
    ] = None,
    matter: options.Matter = options.DEFAULT_MATTER,
    limit: lists.Limit = None,
    after: lists.After = None,
    sort: lists.Sort = None,
    reverse: lists.Reverse = False,
    csv: lists.Csv = None,
    parquet: lists.Parquet = None,
    access: options.Access = "private",
    json: options.Json = False,
) -> Reply:
    """List documents: what each is, and what was not searched.

    Different filters are combined: a document must pass each of them.

    \b
    Example:
      truecopy documents --matter acme --status not-searched --csv not-searched.csv
      truecopy documents --matter acme --path "*.pdf" --sort -words --limit 20
    """
    from truecopy.match.kinds import KIND_NAMES
    from truecopy.read.patterns import excluder

    wanted = lists.Wanted(tuple(FIELDS), limit, sort, reverse, csv, parquet, access, after)
    statuses = lists.check_choices(status, CHOICES, "--status") + (["not-searched"] if not_searched else [])
    kinds = lists.check_choices(kind, KIND_NAMES, "--kind")
    opened = wanted.opened(matter)
    with opened.snapshot():
        waves = lists.check_choices(wave, [one.name for one in opened.waves()], "--wave")
        custodians = lists.check_choices(custodian, sorted(filter(None, opened.custodians())), "--custodian")
        asked = Filter(tuple(statuses), tuple(waves), tuple(custodians), doubted)
        if path or kinds or not wanted.in_order:
            on_path = excluder(tuple(path or ()), ignore_case=True)
            found = [one for one in opened.each_document(asked) if not path or on_path(one.path)]
            places = opened.group_places(found)
            if kinds:
                found = [one for one in found if one.number in places and places[one.number].kind in kinds]
            total, copies = len(found), sum(bool(one.copy_of) for one in found)
            last = 0 if after is None else opened.document(after).number
            found = [one for one in found if one.number > last]
            listed = wanted.arranged(found, lambda one, field: _value(one, places.get(one.number), field))
        else:
            listed = list(opened.document_page(asked, after, limit))
            places = opened.group_places(listed)
            total, copies = opened.document_count(asked), opened.document_count(replace(asked, copied=True))
        every = opened.counts().documents
    rows = [{field: _value(one, places.get(one.number), field) for field in FIELDS} for one in listed]
    data: dict[str, Any] = {
        "documents": [shapes.document(row) for row in rows],
        "total": total,
        "next": wanted.following([one.id for one in listed]),
    }
    files = wanted.write(FIELDS, rows)
    if files:
        data["written"] = files

    def show(console: Console) -> None:
        if files:
            lists.print_written(console, files, len(rows))
        elif rows:
            _show(console, listed, rows, sort)
        if asked_for_some and not total:
            said = f"None of the {summary.count_said(every, 'document')} is what was asked for"
        else:
            said = lists.shown_of(len(listed), total, "document") + _copies_among(total, copies, statuses)
        summary.print_note(console, f"{said}.")

    asked_for_some = bool(path or kinds or asked != Filter())
    return Reply(data, show, as_json=json)


def _copies_among(total: int, copies: int, statuses: Sequence[str]) -> str:
    """How the list adds up to the headline, which counts copies as copies."""
    if len(statuses) != 1 or statuses[0] not in (*NOT_SEARCHED, "not-searched", "empty") or not copies:
        return ""
    return f": {total - copies:,} {statuses[0].replace('-', ' ')}, and {summary.count_said(copies, 'copy', 'copies')}"


def _value(document: Document, place: Place | None, field: str) -> Any:
    """One field of a document; None where there is nothing to say."""
    if field in ("group", "principal", "similarity", "kind"):
        return None if place is None else getattr(place, field)
    value = getattr(document, field)
    return None if value == "" else value


def _show(console: Console, documents: Sequence[Document], rows: Sequence[dict[str, Any]], sort: str | None) -> None:
    names = lists.names(documents)
    extra = (sort or "").removeprefix("-")
    columns = [Column("id", style="bold"), Column("status"), Column("document", path=True), Column("remark", text=True)]
    if extra and extra not in SHOWN:
        right = FIELDS[extra] != TEXT
        columns.insert(2, Column(extra, right=right, text=not right))
    cells = []
    for one, row in zip(documents, rows, strict=True):
        line = [one.id, one.status, names[one.number], _remark(one, row)]
        if extra and extra not in SHOWN:
            line.insert(2, _shown(row[extra]))
        cells.append(line)
    if not any(line[-1] for line in cells):
        columns, cells = columns[:-1], [line[:-1] for line in cells]
    print_table(console, columns, cells)
    console.print()


def _remark(document: Document, row: dict[str, Any]) -> str:
    """Reason, copy, and similarity to the principal."""
    said = [summary.remark(document)]
    if row["kind"] is not None and row["principal"] != document.copy_of:
        said.append(f"{summary.one_decimal(row['similarity'])} % similar to {row['principal']} ({row['kind']})")
    return "; ".join(part for part in said if part)


def _shown(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
