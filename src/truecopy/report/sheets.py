"""Page -> the rows of the workbook's sheets: the same tables as in the HTML file, whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from truecopy.model import Document, Pair
from truecopy.report import shown
from truecopy.report.meanings import PART, STATUS
from truecopy.report.page import Page

Row = tuple[str | int | float | None, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column, its width in characters and how its numbers look."""

    head: str
    width: int = 14
    look: str = "text"
    """text, count or percent."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table; its rows are made as they are written."""

    title: str
    columns: tuple[Column, ...]
    rows: Iterable[Row]


def sheets(page: Page) -> Iterator[Sheet]:
    """Every sheet of the workbook, in order."""
    paths = {document.id: document.path for document in page.documents}
    yield Sheet(
        "Summary",
        (
            Column("What", 34),
            Column("Number", 12, "count"),
            Column("Share, %", 10, "percent"),
            Column("Meaning", 100),
        ),
        _summary(page),
    )
    yield Sheet(
        "Documents",
        (
            Column("Document"),
            Column("Root", 20),
            Column("Path", 60),
            Column("Wave"),
            Column("Status"),
            Column("Reason", 40),
            Column("Group"),
            Column("Copy of"),
            Column("Words", 10, "count"),
            Column("Bytes", 12, "count"),
            Column("Date", 20),
            Column("Part of", 30),
            Column("Media type", 24),
            Column("MD5", 34),
            Column("SHA-1", 42),
            Column("SHA-256", 66),
            Column("SHA-256 of the words", 66),
        ),
        (_document(page, one) for one in page.documents),
    )
    yield Sheet(
        "Groups",
        (
            Column("Group"),
            Column("Role", 10),
            Column("Document"),
            Column("Path", 60),
            Column("Similarity, %", 12, "percent"),
            Column("Kind", 16),
            Column("Words", 10, "count"),
        ),
        _groups(page),
    )
    yield Sheet(
        "Linked",
        (
            Column("Document"),
            Column("Path", 60),
            Column("Similar to"),
            Column("Its path", 60),
            Column("Its group"),
            Column("Similarity, %", 12, "percent"),
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
    yield _pairs(page)
    yield Sheet(
        "Method",
        (Column("Part", 14), Column("Name", 24), Column("Value", 60), Column("Meaning", 100)),
        _method(page),
    )


def _percent(value: float | None) -> float | None:
    return None if value is None else shown.exact(value)


def _summary(page: Page) -> Iterator[Row]:
    yield (
        "Documents",
        len(page.documents),
        100.0 if page.documents else None,
        "Every input, each with one status",
    )
    yield (
        "Need not be read twice",
        page.saved.documents,
        page.saved.share,
        "same-file, same-text and members of groups",
    )
    yield "Groups", len(page.groups), None, f"At a threshold of {shown.threshold(page.threshold)}"
    yield "Linked documents", len(page.linked), None, STATUS["linked"]
    yield (
        "Stored pairs: similar",
        page.stored,
        None,
        f"Similarity {shown.threshold(page.floor)} or more",
    )
    yield (
        "Stored pairs: contains",
        len(page.contains),
        None,
        f"Containment {shown.threshold(page.contains_floor)} or more",
    )
    for row in page.statuses:
        yield f"Status: {row.status}", row.count.documents, row.count.share, row.meaning
    for part, count in page.parts:
        yield f"Part: {PART[part]}", count.documents, count.share, None
    for kind in page.kinds:
        yield f"Kind: {kind.kind}", kind.members, None, kind.meaning
    for bar in page.similarities:
        yield f"Pairs with similarity {bar.label}", bar.count, None, None
    for bar in page.sizes:
        yield f"Groups of {bar.label} documents", bar.count, None, None


def _document(page: Page, one: Document) -> Row:
    return (
        one.id,
        one.root,
        one.path,
        one.wave,
        one.status,
        one.reason,
        page.group_of.get(one.id),
        one.copy_of,
        one.words,
        one.size,
        one.date,
        one.parent,
        one.media,
        one.md5,
        one.sha1,
        one.sha256,
        one.words_sha256,
    )


def _groups(page: Page) -> Iterator[Row]:
    for group in page.groups:
        one = group.principal
        yield group.id, "principal", one.id, one.path, None, None, one.words
        for member in group.members:
            one = member.document
            yield group.id, "member", one.id, one.path, _percent(member.similarity), member.kind, one.words


def _pairs(page: Page) -> Sheet:
    measures = ("Similarity, %", "Resemblance, %", "A in B, %", "B in A, %", "Terminology, %")
    return Sheet(
        "Pairs",
        (
            Column("Relation", 10),
            Column("A"),
            Column("A's path", 60),
            Column("B"),
            Column("B's path", 60),
            *(Column(head, 12, "percent") for head in measures),
            Column("Kind", 16),
        ),
        (_pair(pair) for stored in (page.similar, page.contains) for pair in stored),
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
        "Hash of the audit log's last entry; stands for the whole log",
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
