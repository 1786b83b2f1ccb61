"""One of each result, made by hand from the real classes."""

from __future__ import annotations

from truecopy.listing import Tabular
from truecopy.matter.ask.near import Answer, NearHit
from truecopy.matter.ask.pairs import Pairs
from truecopy.model import (
    Document,
    Documents,
    Group,
    Grouping,
    Hit,
    Link,
    Linked,
    Member,
    Pair,
    Scores,
    SimilarHits,
)
from truecopy.spec import Spec

SCORES = Scores(
    distance=5, longer=100, shared_shingles=80, a_shingles=98, b_shingles=90, shared_terms=9, fewer_terms=10
)


def document(number: int, path: str = "", **more: object) -> Document:
    """A document; every third has a date, every fourth is a copy of the one before."""
    values: dict[str, object] = {
        "number": number, "id": f"TC-{number:06d}", "root": "/data/room", "path": path or f"Verträge/{number}.docx",
        "wave": "wave 1", "status": "unique", "reason": "", "size": number * 7, "md5": f"{number:032x}",
        "sha1": f"{number:040x}", "sha256": f"{number:064x}", "words_sha256": f"{number + 1:064x}",
        "figures_sha256": f"{number + 2:064x}", "words": number + 100, "date": "2021-03-04" if number % 3 == 0 else "",
        "parent": "", "media": "text/plain", "copy_of": f"TC-{number - 1:06d}" if number % 4 == 0 else "", **more,
    }  # fmt: skip
    return Document(**values)  # type: ignore[arg-type]


def group(number: int, members: int = 2) -> Group:
    """A group whose documents have the numbers from this one on."""
    others = tuple(Member(document(number + i), 99.96 - i, "revision") for i in range(1, members + 1))
    return Group(f"TC-{number:06d}", document(number), others)


def grouping(groups: int = 3, linked: int = 1) -> Grouping:
    """Groups of three, and linked documents."""
    alone = tuple(Linked(document(900 + i), (Link("TC-000002", 83.25), Link("TC-000001", 81.0))) for i in range(linked))
    return Grouping(80.0, "longest", tuple(group(10 * n + 1) for n in range(groups)), alone)


def pairs(count: int = 3) -> Pairs:
    """Pairs, of which the first was not compared word by word."""
    far = Scores(-1, 400, 60, 60, 400, 5, 6)
    made = [Pair(document(n), document(n + 1), "similar", SCORES, "revision") for n in range(2, count + 1)]
    first = [Pair(document(1), document(9), "contains", far, "contained")]
    return Pairs(tuple(first + made)[:count], True, 0)


def answer(count: int = 3) -> Answer:
    """Hits of an index, of which the first has a part."""
    hits = [NearHit(document(1), 91.5, "excerpt", 0, (99.0, 12.5), (10, 250))]
    hits += [NearHit(document(n), 90.0 - n, "revision", n) for n in range(2, count + 1)]
    return Answer(tuple(hits[:count]), "simhash", Spec.make("simhash", 1, bits=64), "bits", 1.0, 12, 0.01, ())


def similar(count: int = 3) -> SimilarHits:
    """Hits of `similar`."""
    return SimilarHits((Hit(document(n), 100.0 - n, "revision") for n in range(1, count + 1)), 85.0)


def documents(count: int = 3) -> Documents:
    """Documents."""
    return Documents(document(n) for n in range(1, count + 1))


FULL: dict[str, Tabular] = {
    "grouping": grouping(),
    "pairs": pairs(),
    "answer": answer(),
    "similar": similar(),
    "documents": documents(),
    "slice": grouping()[1:],
}
EMPTY: dict[str, Tabular] = {
    "grouping": grouping(0, 0),
    "pairs": pairs(0),
    "answer": answer(0),
    "similar": similar(0),
    "documents": documents(0),
    "slice": grouping()[9:],
}
