"""A small library in the place of the real one: hostile names, every shape, and errors on request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from truecopy.api import Scan
from truecopy.index.index import Memory
from truecopy.matter.ask.groups import Place
from truecopy.matter.ask.index_status import BlockStatus, IndexStatus
from truecopy.matter.ask.pairs import Pairs
from truecopy.matter.ask.sides import Side
from truecopy.matter.change.add import Added
from truecopy.model import (
    Comparison,
    Counts,
    Difference,
    Document,
    Documents,
    Filter,
    Group,
    Grouping,
    Hit,
    Link,
    Linked,
    Member,
    Pair,
    Scores,
    SimilarHits,
    Wave,
)
from truecopy.progress import SILENT, Progress
from truecopy.settings import MatterSettings
from truecopy.spec import Spec

HOSTILE = "in/\x1b[2Jwiped\u202egpj.txt\udcff"
SECRET = "the purchase price is seven million"


def document(number: int, path: str, status: str = "unique") -> Document:
    return Document(
        number=number,
        id=f"TC-{number:06d}",
        root="/room",
        path=path,
        wave="1",
        status=status,
        reason="",
        size=1,
        md5="",
        sha1="",
        sha256="",
        words_sha256="",
        figures_sha256="",
        words=100,
        date="",
        parent="",
        media="text/plain",
    )


A = document(1, "a/long agreement.txt", "principal")
B = document(2, HOSTILE, "member")
C = document(3, "[red]c.txt[/red]", "linked")
UNREADABLE = replace(document(4, "\x1b.pdf", "unreadable"), reason="password-protected PDF")
STATUSES = {"unreadable": 1, "same-file": 2, "principal": 1, "member": 1, "linked": 1}
SCORES = Scores(3, 30, 20, 25, 24, 9, 10)


COUNTS = Counts(copies=2, near_copies=1, to_read=2, not_searched=1, empty=0)
SCAN = Scan(
    documents=6,
    statuses=STATUSES,
    groups=1,
    pairs=2,
    recall=1.0,
    floor=70.0,
    seconds={"read": 0.1234567, "match": 1.0},
    matter=Path("m"),
    report=None,
    against=None,
    counts=COUNTS,
    copied={"same-file": 2},
)
ADDED = Added(6, STATUSES, "2", 3, {"read": 0.1}, joined=2, new_groups=1, copies_of_earlier=2)


COMPARISON = Comparison(
    similarity=99.99999,
    character_similarity=98.0,
    resemblance=90.0,
    containment=(95.0, 94.123456),
    terminology=100.0,
    kind="revision",
    why="The texts are similar.",
    differences=(
        Difference("replace", (4, 7), (4, 9), "old", "newer", False),
        Difference("insert", (12, 12), (14, 15), "", ",", True),
    ),
)


SIDES = (
    Side(f"{A.id}  {A.path}", "the old deal\x1b[31m", "", "", A),
    Side(f"{B.id}  {B.path}", "the newer deal,\x1b[31m", "", "", B),
)


class Matter:
    """Answers every question with the same small matter, and remembers what it was asked.

    `test_cli_fake.py` holds it to the real class: every method here is one of the real matter's, takes the same
    arguments and returns the same types.
    """

    def __init__(self, path: Path = Path("m"), scanned: Scan = SCAN) -> None:
        self.path = path
        self.scanned: Any = scanned
        self.settings = MatterSettings()
        self.access: str | None = "private"
        self.problems: list[str] = []
        self.asked: dict[str, Any] = {}
        self.paths: Any = None
        self.least: tuple[str, float | None] | None = None
        """The relation and the threshold, if any, that the library was asked to judge."""

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        yield

    def missing_principals(self) -> list[str]:
        return []

    def statuses(self) -> dict[str, int]:
        return dict(STATUSES)

    def counts(self, wave: str | None = None) -> Counts:
        return COUNTS

    def links_not_followed(self) -> int:
        return 0

    def doubted(self, wave: str | None = None) -> int:
        return 0

    def copied(self, wave: str | None = None) -> dict[str, int]:
        return {"same-file": 2}

    def custodians(self) -> dict[str, int]:
        return {"": 4, "Lee Ann": 2}

    def spare(self, target: Path) -> None:
        self.asked["spare"] = target

    def threshold_for(self, relation: str, threshold: float | None) -> float:
        self.least = relation, threshold
        return 80.0 if threshold is None else threshold

    def waves(self) -> list[Wave]:
        return [Wave("1", 6, "2026-01-02T03:04:05Z")]

    def documents(self) -> Documents:
        return Documents([A, B, C, UNREADABLE])

    def document_page(
        self, wanted: Filter | None = None, after: str | int | None = None, limit: int | None = 1000
    ) -> Documents:
        return Documents(list(self.each_document(wanted))[:limit])

    def each_document(self, wanted: Filter | None = None) -> Iterator[Document]:
        yield from [UNREADABLE] if wanted is not None and wanted.figures else self.documents()

    def document_count(self, wanted: Filter) -> int:
        return 0 if wanted.copied else len(list(self.each_document(wanted)))

    def document(self, name: str | int) -> Document:
        return A if name == A.id else B

    def find(self, name: str | int) -> Document | None:
        return self.document(name)

    def text(self, document: str | int | Document) -> str:
        return "the old deal\x1b[31m" if document is A else "the newer deal,\x1b[31m"

    def add(
        self,
        paths: Sequence[str | Path] | str | Path,
        wave: str | None = None,
        *,
        custodian: str = "",
        custodian_from: str | None = None,
        exclude: Sequence[str] = (),
        follow_links: bool = False,
        encoding: str | Sequence[str] = (),
        ocr: bool = False,
        max_members: int | None = None,
        threads: int | None = None,
        memory: int | str | None = None,
        progress: Progress = SILENT,
    ) -> Added:
        self.asked = {
            "paths": paths,
            "wave": wave,
            "exclude": exclude,
            "ocr": ocr,
            "threads": threads,
            "memory": memory,
        }
        self.asked["follow_links"] = follow_links
        self.asked["custodian"], self.asked["custodian_from"] = custodian, custodian_from
        self.asked["encoding"] = encoding
        self.asked["max_members"] = max_members
        return ADDED

    def group_count(self) -> int:
        return 1

    def groups(self, threshold: float | None = None, *, complete: bool = True) -> Grouping:
        self.asked = {"threshold": threshold}
        member = Member(B, 93.45678, "revision")
        linked = Linked(C, (Link(B.id, 81.0),))
        return Grouping(threshold or 80.0, "longest", (Group(A.id, A, (member,)),), (linked,))

    def group_page(self, after: str | int | None = None, limit: int | None = 1000) -> list[Group]:
        return list(self.groups().groups)

    def linked_page(self, after: str | int | None = None, limit: int | None = 1000) -> list[Linked]:
        return list(self.groups().linked)

    def group_places(self, documents: Sequence[Document]) -> dict[int, Place]:
        every = {A.number: Place(A.id, A.id), B.number: Place(A.id, A.id, 93.45678, "revision")}
        return {one.number: every[one.number] for one in documents if one.number in every}

    def pair_page(
        self,
        threshold: float | None = None,
        relation: str = "similar",
        after: tuple[str, str] | None = None,
        limit: int | None = 1000,
    ) -> list[Pair]:
        return list(self.pairs(threshold, relation).pairs)

    def left_out(self, relation: str = "similar") -> int:
        return 12

    def pairs(self, threshold: float | None = None, relation: str = "similar", expand: bool = False) -> Pairs:
        self.asked = {"threshold": threshold, "relation": relation, "expand": expand}
        far = Scores(-1, 400, 60, 60, 400, 5, 6)
        return Pairs((Pair(A, B, "similar", SCORES, "revision"), Pair(A, C, "contains", far, "contained")), False, 12)

    def similar(
        self,
        document: str | Path | Document,
        threshold: float | None = None,
        *,
        encoding: str | Sequence[str] = (),
    ) -> SimilarHits:
        self.asked = {"document": document, "threshold": threshold}
        return SimilarHits([Hit(B, 93.45678, "revision")], threshold or 80.0)

    def sides(
        self, a: str | Path | Document, b: str | Path | Document, *, encoding: str | Sequence[str] = ()
    ) -> tuple[Side, Side]:
        return SIDES

    def compare(
        self,
        a: str | Path | Document | Side,
        b: str | Path | Document | Side,
        *,
        encoding: str | Sequence[str] = (),
    ) -> Comparison:
        return COMPARISON

    def lower_floor(
        self,
        floor: float,
        relation: str = "similar",
        *,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> None:
        self.asked = {"floor": floor, "relation": relation, "threads": threads}

    def count_pairs(self, threshold: float, relation: str = "similar") -> int:
        return 1

    def rebuilt(self) -> list[str]:
        return []

    def indexes(self) -> list[IndexStatus]:
        spec = Spec.make("letters", 1, alphabet="latin")
        blocks = (BlockStatus("index-letters.0001-0002.000003.segment", (1, 2), 5, 4096),)
        return [IndexStatus("letters", "projections", spec, blocks, 0, Memory(1000, 200))]

    def rebuild_indexes(self, only: str | None = None, progress: Progress = SILENT) -> list[str]:
        return [only or "letters"]

    def verify(self) -> list[str]:
        return self.problems

    def unfinished_rows(self) -> int:
        return 0
