"""`truecopy scan`: the whole job in one go."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import lists, options, shapes, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.report_file import checked_output
from truecopy.cli.table import Column, print_table
from truecopy.errors import UsageError
from truecopy.hints import pasted

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy import Matter, Scan
    from truecopy.api import Against


def scan(
    paths: options.Paths,
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    threshold: options.NewThreshold = 80.0,
    floor: options.Floor = None,
    recall: options.Recall = None,
    rule: options.Rule = "longest",
    principals: options.Principals = None,
    against: Annotated[
        Path | None,
        typer.Option("--against", metavar="FORM", help="Compare every document with this one file as well."),
    ] = None,
    exclude: options.Exclude = None,
    follow_links: options.FollowLinks = False,
    encoding: options.Encoding = None,
    ocr: options.Ocr = False,
    max_members: options.MaxMembers = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Where the report goes; report.html in the matter if left out."),
    ] = None,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write no report.")] = False,
    access: options.NewAccess = "private",
    json: options.Json = False,
) -> Reply:
    """Read, compare and group documents, and write a report.

    Makes a new matter. Other thresholds are then answered from it at once (truecopy groups), and more
    documents are added with truecopy add.

    \b
    Example:
      truecopy scan dataroom/ --threshold 85
      truecopy scan contracts.zip --matter acme --against "our form.docx"
    """
    if no_report and report is not None:
        raise UsageError("Both --report and --no-report were given.", "Give one of them.")
    page = checked_output(report, (".html", ".htm")) if report is not None else not no_report
    import truecopy as tc

    with progress_for(json) as progress:
        made = tc.scan(
            paths,
            matter=matter,
            threshold=threshold,
            floor=floor,
            recall=recall,
            rule=rule,
            given=options.principals_from(principals),
            access=access,
            against=against,
            exclude=tuple(exclude or ()),
            follow_links=follow_links,
            encoding=tuple(encoding or ()),
            ocr=ocr,
            max_members=max_members,
            threads=threads,
            memory=memory,
            report=page,
            progress=progress,
        )
    return Reply(scan_data(made), lambda console: show_scan(console, made), as_json=json)


def scan_data(matter: Matter) -> dict[str, Any]:
    """What `--json` says about a scan."""
    scanned: Scan = matter.scanned
    data: dict[str, Any] = {
        "documents": scanned.documents,
        "counts": summary.counts_data(scanned.counts),
        "statuses": scanned.statuses,
        "groups": scanned.groups,
        "pairs": scanned.pairs,
        "contains": scanned.contains,
        "only_contained": scanned.only_contained,
        "left_out": scanned.left_out,
        "links_not_followed": scanned.links,
        "contains_left_out": scanned.contains_left_out,
        "members_not_read": scanned.members_not_read,
        "doubted": scanned.doubted,
        "recall": scanned.recall,
        "floor": scanned.floor,
        "seconds": shapes.seconds(scanned.seconds),
        "matter": str(scanned.matter),
        "report": None if scanned.report is None else str(scanned.report),
    }
    if scanned.against is not None:
        data["against"] = shapes.against(scanned.against)
    return data


def show_scan(console: Console, matter: Matter) -> None:
    """What a person sees of a scan."""
    scanned: Scan = matter.scanned
    summary.print_counts(console, scanned.counts, summary.unsearched(matter), scanned.matter)
    summary.print_links(console, scanned.links)
    summary.print_statuses(console, scanned.statuses, scanned.copied)
    console.print()
    summary.print_doubted(console, scanned.doubted, scanned.matter)
    summary.print_missing_principals(console, matter.missing_principals())
    summary.print_not_read(console, scanned.members_not_read)
    summary.print_line(console, "groups", summary.groups_said(scanned.groups, scanned.statuses))
    summary.print_line(console, "pairs", summary.pairs_said(scanned.pairs, scanned.left_out, matter.settings.threshold))
    summary.print_line(console, "contained texts", _contains_said(scanned, matter))
    summary.print_line(console, "recall", summary.recall_said(scanned.recall))
    summary.print_line(console, "seconds", summary.seconds_said(scanned.seconds))
    summary.print_line(console, "matter", str(scanned.matter), path=True)
    if scanned.report is not None:
        summary.print_line(console, "report", str(scanned.report), path=True)
    if scanned.contains:
        listed = pasted("pairs", "--relation", "contains", matter=scanned.matter)
        summary.print_command(console, "Contained texts are listed by", listed)
    if scanned.against is not None:
        _show_against(console, scanned.against)


def _contains_said(scanned: Scan, matter: Matter) -> str:
    said = f"{summary.count_said(scanned.contains, 'pair')} of a text and one that holds"
    only = f"; {scanned.only_contained:,} of them not similar at the threshold" if scanned.contains else ""
    more = summary.more_said(scanned.contains_left_out)
    return f"{said} {matter.settings.contains_floor:g} % of it or more{only}{more}"


def _show_against(console: Console, against: Against) -> None:
    console.print()
    summary.print_note(console, f"{summary.count_said(len(against.hits), 'document')} compared with {against.path}:")
    if not against.hits:
        return
    columns = [
        Column("similarity", style="bold", right=True),
        Column("of the form in it", right=True),
        Column("kind"),
        Column("id", style="dim", label=True),
        Column("document", path=True),
    ]
    names = lists.names([hit.document for hit in against.hits])
    rows = [
        (
            summary.one_decimal(hit.similarity),
            summary.one_decimal(hit.containment[0]),
            hit.kind,
            hit.document.id,
            names[hit.document.number],
        )
        for hit in against.hits[: summary.LISTED]
    ]
    print_table(console, columns, rows)
    if len(against.hits) > len(rows):
        more = summary.count_said(len(against.hits) - len(rows), "less similar document")
        summary.print_note(console, f"… and {more}; --json lists all.")
