"""A small library in the place of the real one: hostile names, every shape, and errors on request."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from truecopy.index.index import Memory
from truecopy.matter.index_status import BlockStatus, IndexStatus
from truecopy.matter.sides import Side
from truecopy.model import (
    Comparison,
    Difference,
    Document,
    Group,
    Grouping,
    Hit,
    Link,
    Linked,
    Member,
    Pair,
    Scores,
    Wave,
)
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


@dataclass(frozen=True)
class AgainstHit:
    document: Document
    similarity: float | None
    containment: tuple[float, float]
    kind: str


@dataclass(frozen=True)
class Against:
    path: str
    hits: tuple[AgainstHit, ...]


@dataclass(frozen=True)
class Scan:
    documents: int = 6
    statuses: dict[str, int] = field(default_factory=lambda: dict(STATUSES))
    groups: int = 1
    pairs: int = 2
    recall: float = 1.0
    floor: float = 70.0
    seconds: dict[str, float] = field(default_factory=lambda: {"read": 0.1234567, "match": 1.0})
    matter: Path = Path("m")
    report: Path | None = None
    against: Against | None = None


@dataclass(frozen=True)
class Added:
    documents: int = 6
    statuses: dict[str, int] = field(default_factory=lambda: dict(STATUSES))
    wave: str = "2"
    already: int = 3
    joined: int = 2
    new_groups: int = 1
    copies_of_earlier: int = 2
    seconds: dict[str, float] = field(default_factory=lambda: {"read": 0.1})


@dataclass(frozen=True)
class Pairs:
    pairs: tuple[Pair, ...]
    complete: bool
    left_out: int


@dataclass(frozen=True)
class Settings:
    threshold: float = 80.0
    floor: float = 70.0
    recall: float | None = None
    rule: str = "longest"


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
    """Answers every question with the same small matter, and remembers what it was asked."""

    def __init__(self, path: Path = Path("m"), scanned: Scan | None = None) -> None:
        self.path = path
        self.scanned = scanned or Scan()
        self.settings = Settings()
        self.problems: list[str] = []
        self.asked: dict[str, Any] = {}
        self.paths: Any = None

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def missing_principals(self) -> list[str]:
        return []

    def statuses(self) -> dict[str, int]:
        return dict(STATUSES)

    def waves(self) -> list[Wave]:
        return [Wave("1", 6, "2026-01-02T03:04:05Z")]

    def documents(self) -> list[Document]:
        return [A, B, C, UNREADABLE]

    def document(self, name: str) -> Document:
        return A if name == A.id else B

    def text(self, one: Document) -> str:
        return "the old deal\x1b[31m" if one is A else "the newer deal,\x1b[31m"

    def add(self, paths: list[str], **given: Any) -> Added:
        self.asked = {"paths": paths, **given}
        return Added()

    def groups(self, threshold: float | None = None) -> Grouping:
        self.asked = {"threshold": threshold}
        member = Member(B, 93.45678, "revision")
        linked = Linked(C, (Link(B.id, 81.0),))
        return Grouping(threshold or 80.0, "longest", (Group(A.id, A, (member,)),), (linked,))

    def pairs(self, threshold: float | None = None, relation: str = "similar", expand: bool = False) -> Pairs:
        self.asked = {"threshold": threshold, "relation": relation, "expand": expand}
        far = Scores(-1, 400, 60, 60, 400, 5, 6)
        return Pairs((Pair(A, B, "similar", SCORES, "revision"), Pair(A, C, "contains", far, "contained")), False, 12)

    def similar(self, one: str, threshold: float | None = None) -> list[Hit]:
        self.asked = {"document": one, "threshold": threshold}
        return [Hit(B, 93.45678, "revision")]

    def sides(self, a: str, b: str) -> tuple[Side, Side]:
        return SIDES

    def compare(self, a: Side, b: Side) -> Comparison:
        return COMPARISON

    def lower_floor(self, floor: float, relation: str, **given: Any) -> None:
        self.asked = {"floor": floor, "relation": relation, **given}

    def count_pairs(self, threshold: float, relation: str = "similar") -> int:
        return 1

    def rebuilt(self) -> list[str]:
        return []

    def indexes(self) -> list[IndexStatus]:
        spec = Spec.make("letters", 1, alphabet="latin")
        blocks = (BlockStatus("index-letters.0001-0002.000003.segment", (1, 2), 5, 4096),)
        return [IndexStatus("letters", "projections", spec, blocks, 0, Memory(1000, 200))]

    def rebuild_indexes(self, only: str | None, progress: Any) -> list[str]:
        return [only or "letters"]

    def verify(self) -> list[str]:
        return self.problems
