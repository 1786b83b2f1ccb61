"""The functions that users call first: scan, create, open, compare two files, redline."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truecopy.access import PRIVATE, check_access
from truecopy.errors import BadSetting, MatterError, NotFound, UsageError
from truecopy.hints import pasted
from truecopy.keywords import strict
from truecopy.matter.change.unfinished import (
    is_unfinished,
    marked,
    may_be_scanned,
    only_scan,
    start_over,
    unmark,
)
from truecopy.matter.folder import make_room
from truecopy.matter.matter import Matter
from truecopy.matter.store import Store
from truecopy.memory import memory_allowed
from truecopy.model import Comparison, Counts, Document, Reading
from truecopy.progress import SILENT, Progress
from truecopy.read.encodings.rules import as_rules, reading_as
from truecopy.read.originals import never_over
from truecopy.settings import DEFAULT_FLOOR, MatterSettings, thread_count
from truecopy.threshold import percentage

if TYPE_CHECKING:
    from truecopy.matter.ask.against import FormHit
    from truecopy.matter.change.add import Added

REPORT = "report.html"


@dataclass(frozen=True, slots=True)
class Against:
    """One given form, and how every document compares with it, best first."""

    path: str
    hits: tuple[FormHit, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan found."""

    documents: int
    statuses: dict[str, int]
    groups: int
    pairs: int
    """Pairs of distinct texts at the threshold that are stored."""
    recall: float
    floor: float
    seconds: dict[str, float]
    matter: Path
    report: Path | None
    against: Against | None = None
    contains: int = 0
    """Pairs of a text and one that contains most of it, at the floor of `contains`."""
    only_contained: int = 0
    """Those of them that are not similar at the threshold."""
    left_out: int = 0
    """Pairs of very large families that are not stored, at most: they are computed when asked for."""
    links: int = 0
    """Links in the given folders that were not followed."""
    contains_left_out: int = 0
    """The same of `contains`."""
    members_not_read: int = 0
    """Files and messages of archives and mailboxes that hold more than is allowed."""
    counts: Counts = field(default_factory=Counts)
    copied: dict[str, int] = field(default_factory=dict)
    """How many documents of each status are copies of earlier ones."""
    doubted: int = 0
    """Texts that were read with doubt about their encoding."""


def make_settings(
    threshold: float = 80.0,
    floor: float | None = None,
    recall: float | str | None = None,
    rule: str = "longest",
    given: Sequence[str] = (),
) -> MatterSettings:
    """Settings as users give them: the floor follows a lower threshold, and recall may be the word 'exact'."""
    share: float | None
    if recall is None or isinstance(recall, float | int):
        share = None if recall is None else float(recall)
    else:
        try:
            share = 1.0 if recall == "exact" else float(recall)
        except ValueError:
            raise BadSetting(
                f"The recall is {recall!r}, but it must be 'exact' or a number from 0.5 to 1.",
                "Give for example --recall 0.999.",
            ) from None
    if given and rule != "given":
        raise BadSetting(
            f"Principals are listed, but the rule is {rule!r}, which does not look at them.",
            "Add --rule given, or leave --principals out.",
        )
    threshold = percentage(threshold)
    least = min(DEFAULT_FLOOR, threshold) if floor is None else percentage(floor, "floor")
    return MatterSettings(threshold, least, recall=share, rule=rule, given=tuple(given))


@strict
def create(
    matter: str | Path,
    threshold: float = 80.0,
    floor: float | None = None,
    recall: float | str | None = None,
    rule: str = "longest",
    given: Sequence[str] = (),
    access: str = PRIVATE,
) -> Matter:
    """Make an empty matter; `access` says who may read it: private, group or all."""
    return Matter(Store.create(Path(matter), make_settings(threshold, floor, recall, rule, given), access))


@strict
def open_matter(matter: str | Path) -> Matter:
    """Open a matter that exists; one whose first scan has not ended is refused, because it would seem empty."""
    opened = Matter(Store.open(Path(matter)))
    if is_unfinished(opened.path) and not opened.waves():
        raise MatterError(
            f"The scan of the matter {matter} has not ended: it is still running, or it was stopped.",
            "Wait for it, or run the same scan again.",
        )
    return opened


@strict
def scan(
    paths: Sequence[str | Path] | str | Path,
    matter: str | Path = "truecopy-matter",
    *,
    threshold: float | None = None,
    floor: float | None = None,
    recall: float | str | None = None,
    rule: str | None = None,
    given: Sequence[str] = (),
    access: str = PRIVATE,
    settings: MatterSettings | None = None,
    against: str | Path | None = None,
    exclude: Sequence[str] = (),
    follow_links: bool = False,
    encoding: str | Sequence[str] = (),
    ocr: bool = False,
    max_members: int | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    report: str | Path | bool = True,
    progress: Progress = SILENT,
) -> Matter:
    """Read documents, find and verify their pairs, group them, store everything, and write the report.

    Give settings by name (`threshold=80, floor=70, recall="exact", rule="longest"`), or as one object in `settings`.
    `encoding` is what plain texts are in where they do not say it themselves; see `Matter.add`.
    `access` says who may read the matter and its report: private, group or all. `memory` is what joining texts may
    take, in bytes or as a size such as "4GB"; half of the machine's if it is left out.
    """
    check_access(access)
    memory = memory_allowed(memory)
    named = {"threshold": threshold, "floor": floor, "recall": recall, "rule": rule, "given": given or None}
    wanted = _one_way(settings, {name: value for name, value in named.items() if value is not None})
    if not isinstance(report, bool):
        _check_report(Path(report), paths, Path(matter))
    rules, form = as_rules(encoding), None
    if against is not None:
        from truecopy.read.one import read_one

        with reading_as(rules):
            form = read_one(against)
    reading: dict[str, Any] = {
        "exclude": tuple(exclude),
        "follow_links": follow_links,
        "encoding": rules,
        "ocr": ocr,
        "max_members": max_members,
    }
    asked = _asked(paths, wanted, reading)
    _refuse_at_once(Path(matter), access)
    with only_scan(Path(matter)):
        store, former = _fresh_store(Path(matter), wanted, asked, access)
        made = Matter(store)
        with marked(store, asked):
            try:
                added = made.add(paths, threads=threads, memory=memory, progress=progress, **reading)
            except (NotFound, UsageError):  # a path that does not exist leaves nothing behind
                unmark(made.path)
                if former is None:
                    made.discard_if_empty()
                else:
                    with contextlib.suppress(UsageError):  # somebody has added documents, which fixes the settings
                        made.change_settings(former)
                raise
            with made.snapshot():
                made.scanned = _scanned(made, added, form, thread_count(threads), report, progress, access)
    return made


def _check_report(target: Path, paths: Sequence[str | Path] | str | Path, matter: Path) -> None:
    """Refuse a report that would take the place of a document, or whose name says that it is something else."""
    if target.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"The report is a page, but its name is {target.name}.", "Give a name that ends in .html.")
    never_over(target, [paths] if isinstance(paths, str | Path) else paths, but=matter)


def _one_way(settings: MatterSettings | None, named: dict[str, Any]) -> MatterSettings:
    """The settings as one object or by name; both could contradict each other."""
    if settings is None:
        return make_settings(**named)
    if named:
        raise UsageError(
            f"Both settings and {' and '.join(named)} were given, and they may not agree.",
            "Give one object as settings, or each setting by its name.",
        )
    return settings


def _asked(
    paths: Sequence[str | Path] | str | Path,
    settings: MatterSettings,
    reading: dict[str, Any],
) -> dict[str, Any]:
    """What makes two scans the same: they store the same documents and pairs."""
    given = [paths] if isinstance(paths, str | Path) else paths
    where = [str(path) if str(path) == "-" else os.path.abspath(path) for path in given]  # noqa: PTH100 # links stay
    return {"paths": where, "settings": settings.as_json(), **reading}


def _scanned(
    made: Matter,
    added: Added,
    form: Reading | None,
    threads: int,
    report: str | Path | bool,
    progress: Progress,
    access: str,
) -> Scan:
    """Compare with the form, write the report, and say what was found: all of it of one state of the matter."""
    statuses = made.statuses()
    seconds = dict(added.seconds)
    against_form = None
    if form is not None:
        from truecopy.matter.ask.against import compare_with_all

        with made.asking() as state:
            against_form = Against(form.path, compare_with_all(state, form, threads))
    written = None
    if report:
        from truecopy.report import write_html

        start = time.perf_counter()
        target = made.path / REPORT if report is True else Path(report)
        written = write_html(made, target, progress, access=access)
        seconds["report"] = time.perf_counter() - start
    return Scan(
        documents=sum(statuses.values()),
        statuses=statuses,
        groups=made.group_count(),
        pairs=made.count_pairs(made.settings.threshold),
        recall=made.recall(),
        floor=made.settings.floor,
        seconds=seconds,
        matter=made.path,
        report=written,
        against=against_form,
        contains=made.count_pairs(made.settings.contains_floor, "contains"),
        only_contained=made.only_contained(),
        left_out=made.left_out(),
        links=added.links,
        contains_left_out=made.left_out("contains"),
        members_not_read=added.members_not_read,
        counts=made.counts(),
        copied=made.copied(),
        doubted=made.doubted(),
    )


def _refuse_at_once(folder: Path, access: str) -> None:
    """Refuse a folder in which no scan can begin or go on, before anything is written to it; make a missing one."""
    try:
        left = Matter(Store.open(folder))
    except NotFound:
        make_room(folder, access)
    except MatterError:
        if not may_be_scanned(folder):  # otherwise another scan may just be making it
            raise
    else:
        if left.waves() and not is_unfinished(folder):
            raise _has_documents(folder)


def _fresh_store(
    folder: Path, settings: MatterSettings, asked: dict[str, Any], access: str
) -> tuple[Store, MatterSettings | None]:
    """A new matter, or one without documents, or one that the same scan has left; and the settings that it had, None if
    it is new.
    """
    try:
        store = Store.open(folder)
    except NotFound:
        return Store.create(folder, settings, access), None
    left = Matter(store)
    if left.waves() and not start_over(store, asked):
        raise _has_documents(folder)
    former = left.settings
    left.change_settings(settings, access)
    return store, former


def _has_documents(folder: Path) -> UsageError:
    return UsageError(
        f"There is a matter with documents in {folder} already.",
        f"Add to it with {pasted('add', 'PATH', matter=folder)}, write its report with "
        f"{pasted('report', matter=folder)}, or give another folder with --matter.",
    )


@strict
def compare_files(a: str | Path, b: str | Path, *, encoding: str | Sequence[str] = ()) -> Comparison:
    """Two files: every measure, the kind, and the differences."""
    from truecopy.matter.ask.sides import compare_sides, of_file

    with reading_as(encoding):
        return compare_sides(of_file(a), of_file(b))


@strict
def redline(
    a: str | Path | Document,
    b: str | Path | Document,
    matter: Matter | str | Path | None = None,
    *,
    encoding: str | Sequence[str] = (),
) -> str:
    """A page of HTML that shows where two texts differ: files, or with a matter its documents too, in any mix."""
    from truecopy.matter.ask.sides import compare_sides, of_file
    from truecopy.report.redline_page import redline_page

    if matter is None:
        if isinstance(a, Document) or isinstance(b, Document):
            raise UsageError(
                "A document of a matter was given, but not the matter that holds its text.", "Give the matter too."
            )
        with reading_as(encoding):
            first, second = of_file(a), of_file(b)
        comparison = compare_sides(first, second)
    else:
        opened = matter if isinstance(matter, Matter) else open_matter(matter)
        with opened.snapshot():
            first, second = opened.sides(a, b, encoding=encoding)
            comparison = opened.compare(first, second)
    return redline_page(first, second, comparison)
