"""Page -> the rows of the workbook's sheets: one row per document, and the report's other tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime

from truecopy.hints import command
from truecopy.model import Pair
from truecopy.report import shown
from truecopy.report.contained import most_holders
from truecopy.report.meanings import PART, STATUS
from truecopy.report.page import Page, StatusRow

_FIRST_YEAR = 1900
"""Spreadsheets know no earlier dates, and count this year wrong."""

Cell = str | int | float | date | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class SheetColumn:
    """The head of a column, its width in characters and how its numbers look."""

    head: str
    width: int = 14
    look: str = "text"
    """text, count, percent or date."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table; its rows are made as they are written."""

    title: str
    columns: tuple[SheetColumn, ...]
    rows: Iterable[Row]


def sheets(page: Page, most: int, pairs: bool) -> Iterator[Sheet]:
    """Every sheet of the workbook, in order; `most` rows fit on one."""
    yield Sheet(
        "Summary",
        (
            SheetColumn("What", 34),
            SheetColumn("Number", 12, "count"),
            SheetColumn("Share, %", 10, "percent"),
            SheetColumn("Meaning", 100),
        ),
        _summary(page, most, pairs),
    )
    yield _documents(page)
    paths = {document.id: document.path for document in page.documents}
    yield Sheet(
        "Linked",
        (
            SheetColumn("Document"),
            SheetColumn("Path", 60),
            SheetColumn("Similar to"),
            SheetColumn("Its path", 60),
            SheetColumn("Its group"),
            SheetColumn("Similarity, %", 12, "percent"),
        ),
        (
            (
                one.document.id,
                one.document.path,
                link.id,
                paths.get(link.id),
                page.group_of.get(link.id),
                _percent(link.similarity),
            )
            for one in page.linked
            for link in one.links
        ),
    )
    listed = most_holders(page.contained)
    yield Sheet(
        "Contained",
        (
            SheetColumn("Document"),
            SheetColumn("Path", 60),
            SheetColumn("Words", 10, "count"),
            SheetColumn("Is in"),
            SheetColumn("Its path", 60),
            SheetColumn("Its words", 10, "count"),
            SheetColumn("Of it, %", 12, "percent"),
            SheetColumn("Kind", 16),
        ),
        (
            (
                one.document.id,
                one.document.path,
                one.document.words,
                holder.document.id,
                holder.document.path,
                holder.document.words,
                _percent(holder.containment),
                holder.kind,
            )
            for one in page.contained
            for holder in one.holders[:listed]
        ),
    )
    if pairs:
        yield _pairs(page)
    yield Sheet(
        "Method",
        (SheetColumn("Part", 14), SheetColumn("Name", 24), SheetColumn("Value", 60), SheetColumn("Meaning", 100)),
        _method(page),
    )


def _percent(value: float | None) -> float | None:
    return None if value is None else shown.exact(value)


def _summary(page: Page, most: int, pairs: bool) -> Iterator[Row]:
    yield (
        "Documents",
        len(page.documents),
        100.0 if page.documents else None,
        "Every input, each with one status",
    )
    for part, count in page.parts:
        yield PART[part].capitalize(), count.documents, count.share, _PART_MEANING[part]
    listed_by = command("truecopy", "report", "--xlsx", "--pairs", "--matter", page.matter)
    yield "Groups", len(page.groups), None, f"At a threshold of {shown.threshold(page.threshold)}"
    yield "Members", page.members, None, f"{shown.plural(page.copied, 'copy', 'copies')} among them"
    yield "Linked documents", len(page.linked), None, STATUS["linked"]
    yield "Contained texts", len(page.contained), None, _contained_meaning(page)
    yield (
        "Stored pairs: similar",
        page.stored,
        None,
        f"Similarity {shown.threshold(page.floor)} or more"
        + (
            f"; up to {shown.plural(page.left_out, 'more is', 'more are')} not stored, in dense families"
            if page.left_out
            else ""
        )
        + ("" if pairs else f"; listed by {listed_by}"),
    )
    if page.doubted:
        yield "Read with doubt", len(page.doubted), None, "Texts whose encoding is not certain: see the sheet Documents"
    for row in page.statuses:
        yield f"Status: {row.status}", row.count.documents, row.count.share, _status_meaning(row)
    for kind in page.kinds:
        yield f"Kind: {kind.kind}", kind.members, None, kind.meaning
    for bar in page.similarities:
        yield f"Pairs with similarity {bar.label}", bar.count, None, None
    for bar in page.sizes:
        yield f"Groups of {bar.label} documents", bar.count, None, None
    lengths = {
        "Documents": len(page.documents),
        "Linked": sum(len(one.links) for one in page.linked),
        "Pairs": len(page.pairs),
    }
    for title, rows in lengths.items():
        if rows > most:
            last = f"{title} {-(-rows // most)}"
            yield (
                f"Sheet {title}",
                rows,
                None,
                f"More rows than the {most:,} that one sheet holds: the table goes on in the sheets up to {last}",
            )


def _contained_meaning(page: Page) -> str:
    said = f"{shown.threshold(page.contains_floor)} % or more of each is in another document: see the sheet Contained"
    listed, rows = most_holders(page.contained), sum(len(one.holders) for one in page.contained)
    if left := rows - sum(len(one.holders[:listed]) for one in page.contained):
        said += f", which names up to {listed:,} documents for each text; {left:,} more are listed with --pairs"
    if not page.together:
        return said
    more = shown.plural(page.together, "more pair is", "more pairs are")
    return f"{said}; {more} similar at the threshold and in one group, or linked"


def _status_meaning(row: StatusRow) -> str:
    """Says how many have this status and are counted as copies above, so that both counts can be checked."""
    if not row.copies or row.status in ("same-file", "same-text"):
        return row.meaning
    said = "a copy" if row.copies == 1 else "copies"
    return f"{row.meaning.removesuffix('.')}; {shown.count(row.copies)} of them {said}, and counted as {said} above"


_PART_MEANING = {
    "copies": "The same file, or the same words and figures, as an earlier document",
    "near": "Members of groups that differ in words or figures",
    "read": "Neither copy nor near copy of another",
    "unsearched": "No text was read from them; the sheet Documents has each reason",
    "nothing": "Nothing in them",
}


def _documents(page: Page) -> Sheet:
    """One row per document, with its relation to the principal of its group."""
    heads = (
        SheetColumn("Document"),
        SheetColumn("Path", 60),
        SheetColumn("Root", 20),
        SheetColumn("Wave"),
        SheetColumn("Status"),
        SheetColumn("Reason", 40),
        SheetColumn("Group"),
        SheetColumn("Principal"),
        SheetColumn("Similarity, %", 12, "percent"),
        SheetColumn("Kind", 16),
        SheetColumn("Copy of"),
        SheetColumn("Words", 10, "count"),
        SheetColumn("Bytes", 12, "count"),
        SheetColumn("Date, UTC", 12, "date"),
        SheetColumn("Part of", 30),
        SheetColumn("Media type", 24),
        SheetColumn("Encoding", 14),
        SheetColumn("Confidence", 12, "count"),
        SheetColumn("Doubt about it", 40),
        SheetColumn("MD5", 34),
        SheetColumn("SHA-1", 42),
        SheetColumn("SHA-256", 66),
        SheetColumn("SHA-256 of the words", 66),
        SheetColumn("SHA-256 of words and figures", 66),
    )
    return Sheet("Documents", heads, _document_rows(page))


def _document_rows(page: Page) -> Iterator[Row]:
    place: dict[str, tuple[Cell, ...]] = {}
    for group in page.groups:
        place[group.principal.id] = (group.id, group.principal.id, None, None)
        for member in group.members:
            place[member.document.id] = (group.id, group.principal.id, _percent(member.similarity), member.kind)
    nowhere = (None, None, None, None)
    for one in page.documents:
        yield (
            one.id,
            one.path,
            one.root,
            one.wave,
            one.status,
            one.reason,
            *place.get(one.id, nowhere),
            one.copy_of,
            one.words,
            one.size,
            as_date(one.date),
            one.parent,
            one.media,
            one.encoding or None,
            one.confidence,
            one.doubt or None,
            one.md5,
            one.sha1,
            one.sha256,
            one.words_sha256,
            one.figures_sha256,
        )


def as_date(value: str) -> Cell:
    """An ISO 8601 date as a date in UTC; unchanged if spreadsheets have no such date.

    >>> as_date("2021-03-04"), as_date("2021-03-04T23:30:00-02:00"), as_date("1215-06-15")
    (datetime.date(2021, 3, 4), datetime.datetime(2021, 3, 5, 1, 30), '1215-06-15')
    """
    try:
        if len(value) == len("2021-03-04"):
            day = date.fromisoformat(value)
            return day if day.year > _FIRST_YEAR else value
        when = datetime.fromisoformat(value)
        if when.tzinfo is not None:
            when = when.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        return value
    return when if when.year > _FIRST_YEAR else value


def _pairs(page: Page) -> Sheet:
    measures = ("Similarity, %", "Resemblance, %", "A in B, %", "B in A, %", "Terminology, %")
    return Sheet(
        "Pairs",
        (
            SheetColumn("Relation", 10),
            SheetColumn("A"),
            SheetColumn("A's path", 60),
            SheetColumn("B"),
            SheetColumn("B's path", 60),
            *(SheetColumn(head, 12, "percent") for head in measures),
            SheetColumn("Kind", 16),
        ),
        map(_pair, page.pairs),
    )


def _pair(pair: Pair) -> Row:
    a_in_b, b_in_a = pair.scores.containment
    scores = (pair.scores.similarity, pair.scores.resemblance, a_in_b, b_in_a, pair.scores.terminology)
    return (pair.relation, pair.a.id, pair.a.path, pair.b.id, pair.b.path, *map(_percent, scores), pair.kind)


def _method(page: Page) -> Iterator[Row]:
    method = page.method
    yield "Record", "truecopy", method.version, None
    yield "Record", "Unicode", method.unicode, None
    yield "Record", "Made", method.made, None
    yield (
        "Record",
        "Audit log head",
        method.audit_head,
        "Hash of the audit log's last entry; it covers the whole log",
    )
    for wave in method.waves:
        yield "Wave", wave.name, wave.added, shown.plural(wave.documents, "document")
    for setting in method.settings:
        yield "Setting", setting.name, setting.value, setting.meaning
    yield "Candidates", "similar", method.generator, None
    for relation, promise in method.recall:
        yield "Recall", relation, promise, None
    for similarity, share in method.curve:
        yield "Recall by similarity", similarity, f"{share} %", "Share of such pairs that is found, at least"
    yield "Pairs", "dense families", method.dense, None
    for measure in method.measures:
        yield "Measure", measure.name, measure.formula, measure.meaning
    for stage, seconds in method.seconds:
        yield "Seconds", stage, f"{seconds:.2f}", None
    for status, meaning in STATUS.items():
        yield "Status", status, None, meaning
