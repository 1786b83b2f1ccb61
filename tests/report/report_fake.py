"""A matter that exists only in memory, built from the real model, for the report's tests."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from truecopy.matter.sql.pairs import Containments
from truecopy.model import Counts, Document, Grouping, Pair, Scores, Wave
from truecopy.threshold import reaches


@dataclass(frozen=True)
class FakeSettings:
    threshold: float = 80.0
    floor: float = 70.0
    contains_floor: float = 80.0
    nearest: int = 50


@dataclass(frozen=True)
class FakePairs:
    pairs: tuple[Pair, ...] = ()
    complete: bool = True
    left_out: int = 0


@dataclass(frozen=True)
class FakeFacts:
    version: str = "0.1.0"
    unicode: str = "16.0.0"
    settings: Mapping[str, object] = field(
        default_factory=lambda: {
            "threshold": 80.0,
            "floor": 70.0,
            "recall": None,
            "rule": "longest",
            "ocr": False,
        }
    )
    recall: Mapping[str, str] = field(
        default_factory=lambda: {
            "similar": "exact: no pair is missed",
            "contains": "0.999 of the pairs at the floor",
        }
    )
    generator: str = "overlap"
    made: str = "2026-11-15T21:59:55+00:00"
    audit_head: str = "c0ffee" * 10 + "abcd"
    seconds: Mapping[str, float] = field(default_factory=lambda: {"read": 0.41, "match": 0.3})


@dataclass
class FakeMatter:
    """What `ReportSource` asks for, from what the test gives."""

    documents_: Sequence[Document] = ()
    grouping: Grouping = field(default_factory=lambda: Grouping(80.0, "longest", (), ()))
    texts: Mapping[str, str] = field(default_factory=dict)
    similar: FakePairs = field(default_factory=FakePairs)
    contains: FakePairs = field(default_factory=FakePairs)
    facts_: FakeFacts = field(default_factory=FakeFacts)
    settings: FakeSettings = field(default_factory=FakeSettings)
    path: Path = Path("sample matter")

    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def documents(self) -> list[Document]:
        return list(self.documents_)

    def text(self, document: Document, /) -> str:
        return self.texts[document.id]

    def counts(self) -> Counts:
        """By the contract's rules, from the documents alone."""
        parts = Counter(_part(one) for one in self.documents_)
        return Counts(*(parts[part] for part in ("copies", "near", "read", "unsearched", "empty")))

    def waves(self) -> list[Wave]:
        return [Wave("wave 1", len(self.documents_), "2026-11-15T21:59:50+00:00")]

    def left_out(self, relation: str = "similar") -> int:
        return (self.similar if relation == "similar" else self.contains).left_out

    def groups(self, *, complete: bool = True) -> Grouping:
        return self.grouping

    def pairs(self, threshold: float | None = None, relation: str = "similar") -> FakePairs:
        return self.similar if relation == "similar" else self.contains

    def spare(self, target: Path) -> None:
        pass  # its documents are no files

    def containments(self) -> Containments:
        names = tuple(dict.fromkeys(one.kind for one in self.contains.pairs))
        columns = [
            (
                *(one.a.number, one.b.number, one.scores.shared_shingles, one.scores.a_shingles, one.scores.b_shingles),
                one.scores.distance >= 0
                and reaches(one.scores.longer - one.scores.distance, one.scores.longer, self.grouping.threshold),
                names.index(one.kind),
            )
            for one in self.contains.pairs
        ]
        a, b, shared, of_a, of_b, similar, kinds = np.array(columns, np.int64).reshape(-1, 7).T
        return Containments(a, b, shared, of_a, of_b, similar.astype(bool), kinds, names)

    def distances(self) -> tuple[npt.NDArray[np.int64], int]:
        return as_distances(self.similar.pairs), self.similar.left_out

    def facts(self) -> FakeFacts:
        return self.facts_


def _part(one: Document) -> str:
    if one.copy_of:
        return "copies"
    if one.status in ("unreadable", "too-large", "excluded", "unsearchable"):
        return "unsearched"
    return {"member": "near", "empty": "empty"}.get(one.status, "read")


def as_distances(pairs: Sequence[Pair]) -> npt.NDArray[np.int64]:
    """Distance and longer length of each pair."""
    return np.array([(pair.scores.distance, pair.scores.longer) for pair in pairs], np.int64).reshape(-1, 2)


def document(
    number: int, path: str = "", status: str = "unique", reason: str = "", words: int = 100, **more: str
) -> Document:
    """A document with what the report shows of it."""
    return Document(
        number=number,
        id=f"TC-{number:06d}",
        root=more.get("root", "room"),
        path=path or f"contracts/agreement {number}.txt",
        wave="wave 1",
        status=status,
        reason=reason,
        size=words * 6,
        md5=f"{number:032x}",
        sha1=f"{number:040x}",
        sha256=f"{number:064x}",
        words_sha256=f"{number + 1:064x}",
        figures_sha256=f"{number + 2:064x}",
        words=words,
        date="2021-03-04",
        parent="",
        media="text/plain",
        copy_of=more.get("copy_of", ""),
    )


def pair(a: Document, b: Document, distance: int, longer: int = 1000, relation: str = "similar") -> Pair:
    """A stored pair at a distance in words."""
    kind = "revision" if relation == "similar" else "contained"
    return Pair(a, b, relation, Scores(distance, longer, 900, 950, 960, 80, 90), kind)
