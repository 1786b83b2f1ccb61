"""A matter's answers: groups and pairs at any threshold, read from what is stored.

Nothing here runs over texts. Copies are put back in (expanded) at the end: pairs and groups are stored for
distinct texts only, so that ten thousand copies cost nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from truecopy.group.principal import Candidate, principal_order
from truecopy.group.star import star
from truecopy.listing import Listing, Row, TableColumn, counted
from truecopy.matter.cells import wrong_cell
from truecopy.matter.checked import places_of
from truecopy.model import (
    COPIES,
    NOT_SEARCHED,
    SHORTEST_CONTAINED,
    Document,
    Group,
    Grouping,
    Hit,
    Link,
    Linked,
    Member,
    Pair,
    Scores,
    which,
)

Array = npt.NDArray[Any]

SET_ASIDE = (*NOT_SEARCHED, "empty", "numbers-only")
"""Statuses of documents that the star algorithm skips; figures alone are grouped by equality."""


@dataclass(frozen=True, slots=True)
class StoredPairs:
    """Stored pairs of distinct texts of one relation, as columns: a < b are document numbers."""

    relation: str
    columns: Array
    """a, b, distance, longer, shared_shingles, a_shingles, b_shingles, shared_terms, fewer_terms."""
    kinds: list[str]

    def __len__(self) -> int:
        return len(self.kinds)

    def scores(self, row: int) -> Scores:
        """The measures of one pair."""
        return Scores(*(int(value) for value in self.columns[row, 2:]))


@dataclass(frozen=True, slots=True)
class Containments:
    """Every stored pair of `contains`, as columns: there can be millions."""

    a: Array
    b: Array
    """Document numbers, a < b."""
    shared: Array
    a_shingles: Array
    b_shingles: Array
    similar: Array
    """Whether the two are similar at the matter's threshold."""
    kinds: Array
    """Places in `names`."""
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Pairs(Listing[Pair]):
    """The answer of `pairs`: a sequence of pairs, and a table with one row for each."""

    pairs: tuple[Pair, ...]
    complete: bool
    left_out: int
    """Pairs of dense families that are not stored."""

    UNIT: ClassVar[str] = "pair"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        TableColumn("a_id", "string", "id of the document that came first", shown=True),
        TableColumn("a", "string", "its path, relative to the root", shown=True),
        TableColumn("a_root", "string", "what was scanned"),
        TableColumn("a_wave", "string", "the wave that it came with"),
        TableColumn("b_id", "string", "id of the other, which came later", shown=True),
        TableColumn("b", "string", "its path", shown=True),
        TableColumn("b_root", "string", "its root"),
        TableColumn("b_wave", "string", "its wave"),
        TableColumn("relation", "string", "similar or contains"),
        TableColumn("similarity", "float64", "of the words; none where it was not computed", optional=True, shown=True),
        TableColumn("resemblance", "float64", "shared shingles, of all that either has"),
        TableColumn("a_in_b", "float64", "how much of a is in b, by shingles"),
        TableColumn("b_in_a", "float64", "how much of b is in a, by shingles"),
        TableColumn("terminology", "float64", "shared content words, of those in the text that has fewer"),
        TableColumn("kind", "string", "what the two are to each other", shown=True),
    )

    def _entries(self) -> tuple[Pair, ...]:
        return self.pairs

    @staticmethod
    def _rows_of(entry: Pair) -> Iterator[Row]:
        scores = entry.scores
        yield (
            *which(entry.a), *which(entry.b), entry.relation, scores.similarity, scores.resemblance,
            *scores.containment, scores.terminology, entry.kind,
        )  # fmt: skip

    def _summary(self) -> str:
        missing = "" if self.complete else f", up to {self.left_out:,} more not stored"
        return f"{counted(len(self), 'pair')}{missing}"


class Register:
    """The documents of a matter, by number and with their copies."""

    def __init__(
        self, documents: Sequence[Document], originals: dict[int, int], shingles: dict[int, int] | None = None
    ) -> None:
        self.documents = {document.number: document for document in documents}
        self._originals = originals
        self._shingles = shingles or {}
        self.copies: dict[int, list[Document]] = {}
        """Original → it and its copies, in order of number."""
        for document in documents:
            original = originals.get(document.number)
            if original is not None:
                self.copies.setdefault(original, []).append(document)

    def original(self, number: int) -> int | None:
        """The document whose words a document has; None where it has none."""
        return self._originals.get(number)

    def shingles(self, number: int) -> int:
        """Distinct shingles of a distinct text."""
        return self._shingles.get(number, 0)

    def check_texts(self, numbers: Array, cell: str) -> None:
        """Refuse numbers from a cell (`table.column`) that are not those of distinct texts."""
        if not np.isin(numbers, np.fromiter(self.copies, np.int64)).all():
            raise wrong_cell(cell)

    def equal_kind(self, a: Document, b: Document) -> str:
        """How two documents with the same words are related."""
        return "same-file" if a.sha256 == b.sha256 else "same-text"


def expanded(register: Register, stored: StoredPairs) -> Iterator[Pair]:
    """All pairs of documents: copies with each other, and each stored pair with every copy of either side."""
    for original, family in register.copies.items():
        shingles = register.shingles(original)
        if stored.relation == "contains" and shingles < SHORTEST_CONTAINED:
            continue
        for a, b in combinations(family, 2):
            scores = Scores(0, a.words, shingles, shingles, shingles, 1, 1)
            yield Pair(a, b, stored.relation, scores, register.equal_kind(a, b))
    for row, (first, second) in enumerate(stored.columns[:, :2].tolist()):
        scores = stored.scores(row)
        for a in register.copies[first]:
            for b in register.copies[second]:
                yield _ordered(a, b, stored.relation, scores, stored.kinds[row])


def distinct(register: Register, stored: StoredPairs) -> Iterator[Pair]:
    """Pairs of distinct texts: only the original of copies is in them."""
    for row, (first, second) in enumerate(stored.columns[:, :2].tolist()):
        documents = register.documents
        yield Pair(documents[first], documents[second], stored.relation, stored.scores(row), stored.kinds[row])


def _ordered(a: Document, b: Document, relation: str, scores: Scores, kind: str) -> Pair:
    """A pair with its lower number first; its scores are swapped with it."""
    if a.number < b.number:
        return Pair(a, b, relation, scores, kind)
    turned = Scores(
        scores.distance, scores.longer, scores.shared_shingles, scores.b_shingles, scores.a_shingles,
        scores.shared_terms, scores.fewer_terms,
    )  # fmt: skip
    return Pair(b, a, relation, turned, kind)


class StarsOfFamilies(Protocol):
    """Groups the texts of dense families."""

    families: list[Array]
    """The document numbers of each."""

    def stars(self, order: Array, settled: dict[int, int]) -> tuple[Array, Array]:
        """The principals of documents that are given in rule order; and of those that are linked a document that shows
        it, -1 for the others.
        """


def group_texts(
    register: Register,
    links: Array,
    rule: str,
    given: Sequence[int],
    settled: dict[int, int] | None = None,
    dense: StarsOfFamilies | None = None,
) -> tuple[dict[int, int], set[int]]:
    """Run the star algorithm over the distinct texts that can be in a group.

    `links` has a row for each pair at the threshold: document numbers a, b, distance, longer; of dense families, which
    `dense` groups, none are needed. `settled` holds the principals of earlier waves. Returns each text's principal, and
    the texts that are linked.
    """
    numbers = np.array(
        [number for number in sorted(register.copies) if register.documents[number].status not in SET_ASIDE],
        np.int64,
    )
    candidates = [
        Candidate(number, register.documents[number].words, register.documents[number].date)
        for number in numbers.tolist()
    ]
    order = np.array(principal_order(candidates, rule, given), np.int64)
    kept = links[np.isin(links[:, 0], numbers) & np.isin(links[:, 1], numbers)]
    a, b = np.searchsorted(numbers, kept[:, 0]), np.searchsorted(numbers, kept[:, 1])
    before = None
    if settled is not None:
        before = np.array([settled.get(number, -1) for number in numbers.tolist()], np.int64)
        settled_places = places_of(numbers, before[before >= 0], "group_members.principal")
        if not np.array_equal(before[settled_places], numbers[settled_places]):
            raise wrong_cell("group_members.principal")  # a principal is its own
        before[before >= 0] = settled_places
    stars = star(order, a, b, kept[:, 2], kept[:, 3], before)
    principals = dict(zip(numbers.tolist(), numbers[stars.principal].tolist(), strict=True))
    linked = set(numbers[stars.linked].tolist())
    for family in dense.families if dense is not None else []:
        assert dense is not None
        members = numbers[order][np.isin(numbers[order], family)]
        heads, shown = dense.stars(members, settled or {})
        principals.update(zip(members.tolist(), heads.tolist(), strict=True))
        # Those of earlier waves that were linked still are, unless they have got members.
        alone = set(members[heads == members].tolist()) - set(heads[heads != members].tolist())
        were = {number for number in alone & (settled or {}).keys() if register.documents[number].status == "linked"}
        linked = (linked - set(members.tolist())) | set(members[shown >= 0].tolist()) | were
    return principals, linked


def make_grouping(
    register: Register,
    principal_of: dict[int, int],
    stored: StoredPairs,
    threshold: float,
    rule: str,
    links: Array | None = None,
) -> Grouping:
    """Groups and linked documents, copies as members, from each text's principal and the pairs at the threshold.

    `links` has links of documents that are linked and have more than are stored: a, b, distance, longer.
    """
    to_principal: dict[tuple[int, int], int] = {}
    for row, (a, b) in enumerate(stored.columns[:, :2].tolist()):
        if principal_of.get(a) == b or principal_of.get(b) == a:
            to_principal[a, b] = row
    members: dict[int, list[Member]] = {}
    alone = {number: number for number, family in register.copies.items() if len(family) > 1} | principal_of
    for number, principal in sorted(alone.items()):
        found = members.setdefault(principal, [])
        original = register.documents[number]
        similarity, kind = 100.0, ""
        if number != principal:
            row = to_principal.get((min(number, principal), max(number, principal)), -1)
            if row < 0:
                raise wrong_cell("group_members.principal")
            similarity, kind = _similarity(stored.scores(row)), stored.kinds[row]
            found.append(Member(original, similarity, kind))
        # A copy has its original's relation to the principal.
        for copy in register.copies[number]:
            if copy.number != number:
                found.append(Member(copy, similarity, kind or register.equal_kind(original, copy)))
    groups = tuple(
        Group(
            register.documents[principal].id,
            register.documents[principal],
            tuple(sorted(found, key=_best_first)),
        )
        for principal, found in sorted(members.items())
        if found
    )
    links = stored.columns[:, :4] if links is None else links
    return Grouping(threshold, rule, groups, _linked(register, principal_of, links))


def _similarity(scores: Scores) -> float:
    assert scores.similarity is not None
    return scores.similarity


def _best_first(member: Member) -> tuple[float, int]:
    return -member.similarity, member.document.number


def _linked(register: Register, principal_of: dict[int, int], pairs: Array) -> tuple[Linked, ...]:
    """Texts that are similar to some other, but are neither members nor have members."""
    has_members = {principal for number, principal in principal_of.items() if number != principal}
    has_members |= {number for number in principal_of if len(register.copies[number]) > 1}
    alone = {number for number, principal in principal_of.items() if number == principal} - has_members
    links: dict[int, list[Link]] = {}
    for a, b, distance, longer in pairs.tolist():
        if a not in principal_of or b not in principal_of:
            continue
        for one, other in ((a, b), (b, a)):
            if one in alone:
                similarity = _similarity(Scores(distance, longer, 0, 0, 0, 0, 0))
                links.setdefault(one, []).append(Link(register.documents[other].id, similarity))
    return tuple(
        Linked(register.documents[number], tuple(sorted(found, key=lambda link: (-link.similarity, link.id))))
        for number, found in sorted(links.items())
    )


def similar_hits(register: Register, stored: StoredPairs, document: Document, original: int) -> list[Hit]:
    """Everything similar to a document of the matter, best first, copies included."""
    hits = [
        Hit(copy, 100.0, register.equal_kind(document, copy))
        for copy in register.copies[original]
        if copy.number != document.number
    ]
    for row, (a, b) in enumerate(stored.columns[:, :2].tolist()):
        if original in (a, b):
            similarity = _similarity(stored.scores(row))
            other = b if a == original else a
            hits += [Hit(copy, similarity, stored.kinds[row]) for copy in register.copies[other]]
    return sorted(hits, key=best_first)


def best_first(hit: Hit) -> tuple[float, bool, int]:
    """The order of hits; of those at 100, copies come before texts with other figure marks."""
    return -hit.similarity, hit.kind not in COPIES, hit.document.number
