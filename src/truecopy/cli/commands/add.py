"""`truecopy add`: more documents into a matter, as a wave."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from truecopy.cli import options, shapes, summary
from truecopy.cli.progress import progress_for
from truecopy.cli.reply import Reply
from truecopy.cli.report_file import Reports, settle_reports
from truecopy.cli.summary import Unsearched
from truecopy.model import Counts

if TYPE_CHECKING:
    from rich.console import Console

    from truecopy.matter.matter import Matter


def add(
    paths: options.Paths,
    *,
    matter: options.Matter = options.DEFAULT_MATTER,
    wave: Annotated[
        str | None,
        typer.Option(
            "--wave",
            metavar="NAME",
            help="The wave's name; numbered if left out. One that another wave has is refused, unless nothing is new.",
        ),
    ] = None,
    custodian: Annotated[
        str, typer.Option("--custodian", metavar="NAME", help="Whose documents these are; kept with each.")
    ] = "",
    custodian_from: Annotated[
        str | None,
        typer.Option(
            "--custodian-from",
            metavar="PATTERN",
            help="Which part of each path is the custodian's name, such as '{custodian}/**'.",
        ),
    ] = None,
    exclude: options.Exclude = None,
    follow_links: options.FollowLinks = False,
    encoding: options.Encoding = None,
    ocr: options.Ocr = False,
    max_members: options.MaxMembers = None,
    threads: options.Threads = None,
    memory: options.Memory = None,
    no_report: Annotated[
        bool, typer.Option("--no-report", help="Do not update the matter's report; mark it as out of date.")
    ] = False,
    json: options.Json = False,
) -> Reply:
    """Add documents to a matter as one wave.

    Existing groups keep their ids and principals, and a report in the matter is updated.
    It can be stopped at any moment: the matter stays whole, and the same command goes on.

    \b
    Example:
      truecopy add production-02/ --matter acme --wave "production 2"
      truecopy add mail/ --matter acme --custodian-from "{custodian}/**"
    """
    import truecopy as tc

    with progress_for(json) as progress:
        opened = tc.open(matter)
        added = opened.add(
            paths,
            wave=wave,
            custodian=custodian,
            custodian_from=custodian_from,
            exclude=tuple(exclude or ()),
            follow_links=follow_links,
            encoding=tuple(encoding or ()),
            ocr=ocr,
            max_members=max_members,
            threads=threads,
            memory=memory,
            progress=progress,
        )
        reports = settle_reports(opened, added.wave, added.documents, renew=not no_report, progress=progress)
    with opened.snapshot():
        whole = opened.counts()
        counts, missed, copied, doubted = _of_wave(opened, added.wave)
    seconds = dict(added.seconds) | ({"report": reports.seconds} if reports.renewed else {})
    access = opened.access
    data: dict[str, Any] = {
        "documents": added.documents,
        "counts": summary.counts_data(counts),
        "matter_counts": summary.counts_data(whole),
        "statuses": added.statuses,
        "wave": added.wave or None,
        "name_taken": added.name_taken or None,
        "already": added.already,
        "joined": added.joined,
        "new_groups": added.new_groups,
        "copies_of_earlier": added.copies_of_earlier,
        "links_not_followed": added.links,
        "members_not_read": added.members_not_read,
        "doubted": doubted,
        "renewed": [str(file) for file in reports.renewed],
        "outdated": [str(file) for file in reports.outdated],
        "access": access,
        "seconds": shapes.seconds(seconds),
    }

    def show(console: Console) -> None:
        if not added.wave:
            had = summary.count_said(added.already, "document")
            are = "is" if added.already == 1 else "are"
            summary.print_note(console, f"Nothing is new: {had} {are} in the matter already. No wave was made.")
            summary.print_line(console, "in the whole matter", summary.counts_said(whole))
            _show_reports(console, reports)
            return
        summary.print_counts(console, counts, missed, matter, added.wave)
        summary.print_links(console, added.links)
        summary.print_statuses(console, added.statuses, copied)
        console.print()
        summary.print_not_read(console, added.members_not_read)
        summary.print_doubted(console, data["doubted"], matter, added.wave)
        summary.print_line(console, "wave", added.wave)
        if added.name_taken:
            said = f"Another wave took the name {added.name_taken!r} while this one was computed, so it got another."
            summary.print_note(console, said)
        summary.print_line(console, "already in the matter", f"{added.already:,}")
        summary.print_line(console, "copies of earlier ones", f"{added.copies_of_earlier:,}")
        summary.print_line(console, "joined earlier groups", f"{added.joined:,}")
        summary.print_line(console, "new groups", f"{added.new_groups:,}")
        summary.print_line(console, "in the whole matter", summary.counts_said(whole))
        _show_reports(console, reports)
        summary.print_access(console, access)
        summary.print_line(console, "seconds", summary.seconds_said(seconds))

    return Reply(data, show, as_json=json)


def _of_wave(matter: Matter, wave: str) -> tuple[Counts, Unsearched, dict[str, int], int]:
    """How many of a wave's documents are what, those that were not searched, copies by status, and doubted texts; of no
    wave, nothing.
    """
    if not wave:
        return Counts(), Unsearched((), 0, 0), {}, 0
    return matter.counts(wave), summary.unsearched(matter, wave), matter.copied(wave), matter.doubted(wave)


def _show_reports(console: Console, reports: Reports) -> None:
    for file in reports.renewed:
        summary.print_line(console, "report", str(file))
    for file in reports.outdated:
        summary.print_line(console, "report out of date", str(file))
