"""The things truecopy talks about, as frozen dataclasses; the glossary has the same words.

Reading      one input as `read/` hands it over: its text, or the reason why there is none
Document     one input as the matter keeps it
Documents    all of them
Wave         documents that were added together
Scores       the measures of one pair, as the integers they come from
Pair         two documents and the relation that holds between them
Member       a document of a group, with its similarity to the principal
Group        a principal and its members, or a text too short to be compared and its copies
Linked       a document similar to some others, but to no principal
Grouping     every group and linked document at one threshold
Counts       how many documents are copies, near copies, to be read, not searched
Filter       which documents a list has
Hit          one answer of `similar`
SimilarHits  all of them, best first
Difference   one place where two texts differ
Comparison   two texts, every measure, kind and difference
"""

from __future__ import annotations

import functools
import unicodedata
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from itertools import repeat
from typing import Any, ClassVar, NamedTuple, TypeVar

from truecopy.listing import ListedEntries, Listing, Row, TableColumn, counted

# Statuses in the order in which they are tried (contract: the first that applies).
STATUSES = (
    "unreadable",
    "too-large",
    "excluded",
    "unsearchable",
    "empty",
    "numbers-only",
    "same-file",
    "same-text",
    "too-short",
    "principal",
    "member",
    "linked",
    "unique",
)
NOT_SEARCHED = ("unreadable", "too-large", "excluded", "unsearchable")
"""Statuses of documents whose words nobody has seen."""
FIGURES = ("copies", "near-copies", "to-read", "not-searched")
"""Figures of the headline that a filter can ask for, beside statuses."""
COPIES = ("same-file", "same-text")
"""Statuses and kinds that only copies have."""
DOCUMENT = "document"
UNITS = (DOCUMENT, "clause", "message", "part")
"""What passages can be: whole documents, clauses, the own texts of messages, parts of bound files. Only documents are
made so far.
"""
SHORTEST_PAIRED = 10
"""Texts of fewer words are never paired except by equality."""
SHINGLE = 3
"""Words in a shingle, unless said."""
SHORTEST_CONTAINED = 50
"""Distinct shingles that a contained text must have."""


class Reading(NamedTuple):
    """One input as `read/` hands it over: its text, or the reason why there is none.

    A tuple: there is one for each file, and a frozen dataclass takes three times as long to make.
    """

    root: str
    path: str
    size: int
    md5: str
    sha1: str
    sha256: str
    text: bytes = b""
    """UTF-8, valid, without byte order mark; empty when `status` is set."""
    status: str = ""
    """"", "unreadable", "too-large", "excluded" or "unsearchable"."""
    reason: str = ""
    """Why it has that status; if it has a text, a remark on what was not read."""
    date: str = ""
    """ISO 8601, from the document itself (never the file system); "" where it has none."""
    parent: str = ""
    """Path of the e-mail or container that this is an attachment or item of; "" for none."""
    media: str = "text/plain"
    hidden: str = ""
    """Why words may be in it that were not found (a picture, a chart …); "" where nothing else is in it."""
    encoding: str = ""
    """What its bytes were read as: `utf-8`, `cp1252` …; "" where no bytes were decoded for its text."""
    confidence: int | None = None
    """How sure that is, 0 to 100; None where no bytes were decoded."""
    doubt: str = ""
    """What may be wrong about that, in words; "" where nothing suggests it."""
    members_not_read: int = 0
    """Of an archive or mailbox that holds more than is allowed: how many of its files or messages were not read."""


@dataclass(frozen=True, slots=True)
class Document:
    """One input as the matter keeps it."""

    number: int
    """1, 2, 3 … in order of addition."""
    id: str
    root: str
    path: str
    wave: str
    status: str
    reason: str
    size: int
    md5: str
    sha1: str
    sha256: str
    words_sha256: str
    figures_sha256: str
    """Of the words with their figure marks."""
    words: int
    date: str
    parent: str
    media: str
    copy_of: str = ""
    """The id of the earlier document whose bytes, or words and figure marks, it repeats; under any status."""
    encoding: str = ""
    """What its bytes were read as; "" where no bytes were decoded for its text."""
    confidence: int | None = None
    """How sure that is, 0 to 100."""
    doubt: str = ""
    """What may be wrong about that; "" where nothing suggests it. `reason` says it too."""
    custodian: str = ""
    """Whose it was; "" where nobody said."""


WHICH = (
    TableColumn("id", "string", "the document's control number", shown=True),
    TableColumn("path", "string", "its path, relative to the root", shown=True),
    TableColumn("root", "string", "what was scanned"),
    TableColumn("wave", "string", "the wave that it came with"),
)
"""The columns that say which document a row is about."""


def document_id(number: int) -> str:
    """The control number of a document that was given none.

    >>> document_id(412)
    'TC-000412'
    """
    return f"TC-{number:06d}"


def file_name(path: str) -> str:
    """The name of the file that a path leads to, whatever case and form its letters are in.

    >>> file_name("board/Minutes.DOCX")
    'minutes.docx'
    """
    return folded_path(path).rpartition("/")[2]


def folded_path(path: str) -> str:
    """A path without the differences that many drives do not make: case, and the form of letters with marks."""
    if path.isascii():
        return path.lower()  # the same, sooner: ASCII has one form
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def which(document: Document) -> Row:
    """The values of `WHICH`."""
    return document.id, document.path, document.root, document.wave


R = TypeVar("R")


def from_columns(kind: type[R], columns: Sequence[Sequence[Any]]) -> list[R]:
    """Many records from the columns of their fields. Frozen dataclasses set each field of each record by a call; here
    each column is set by one, in a third of the time. Nothing else is done: `__post_init__` is not run, so this is only
    for classes that have none.

    >>> from_columns(Link, [["TC-000001", "TC-000002"], [90.0, 80.0]])[1]
    Link(id='TC-000002', similarity=80.0)
    """
    of: Any = kind
    if len({len(column) for column in columns}) != 1:  # `map` ends with the shortest, and would leave fields unset
        raise ValueError(f"The columns should be equally long: {[len(column) for column in columns]}.")
    setters = list(zip(_setters(of), columns, strict=True))
    made = list(map(object.__new__, repeat(of, len(columns[0]))))
    for put, values in setters:
        deque(map(put, made, values), maxlen=0)
    return made


@functools.cache
def _setters(kind: Any) -> list[Callable[[Any, Any], None]]:
    assert not hasattr(kind, "__post_init__"), "it would not be run"
    return [vars(kind)[one.name].__set__ for one in fields(kind)]


class Documents(ListedEntries[Document]):
    """Documents in the order of their numbers, used like a list, and a table with one row for each."""

    __slots__ = ()
    UNIT: ClassVar[str] = "document"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        *WHICH,
        TableColumn("status", "string", "what became of it", shown=True),
        TableColumn("reason", "string", "why, where there is something to say", optional=True, shown=True),
        TableColumn("copy_of", "string", "id of the earlier document that it repeats", optional=True),
        TableColumn("words", "int64", "words of its text", shown=True),
        TableColumn("size", "int64", "bytes"),
        TableColumn("date", "string", "ISO 8601, from the document itself", optional=True),
        TableColumn("parent", "string", "path of the e-mail or archive that it was in", optional=True),
        TableColumn("custodian", "string", "whose it was", optional=True),
        TableColumn("media", "string", "media type"),
        TableColumn("encoding", "string", "what its bytes were read as", optional=True),
        TableColumn("confidence", "int64", "how sure that is, 0 to 100", optional=True),
        TableColumn("doubt", "string", "what may be wrong about it", optional=True),
        TableColumn("md5", "string", "of the bytes"),
        TableColumn("sha1", "string", "of the bytes"),
        TableColumn("sha256", "string", "of the bytes"),
        TableColumn("words_sha256", "string", "of the words", optional=True),
        TableColumn("figures_sha256", "string", "of the words with their figure marks", optional=True),
    )

    @staticmethod
    def _rows_of(entry: Document) -> Iterator[Row]:
        yield (
            *which(entry), entry.status, entry.reason or None, entry.copy_of or None, entry.words, entry.size,
            entry.date or None, entry.parent or None, entry.custodian or None, entry.media, entry.encoding or None,
            entry.confidence, entry.doubt or None, entry.md5, entry.sha1, entry.sha256, entry.words_sha256 or None,
            entry.figures_sha256 or None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Wave:
    """Documents that were added together."""

    name: str
    documents: int
    added: str
    """When, ISO 8601, UTC."""


@dataclass(frozen=True, slots=True)
class Scores:
    """The measures of one pair, as the integers they come from: nothing is rounded before it is shown."""

    distance: int
    """Word-level Levenshtein distance; -1 where it was not computed (beyond the floor)."""
    longer: int
    shared_shingles: int
    a_shingles: int
    b_shingles: int
    shared_terms: int
    fewer_terms: int

    @property
    def similarity(self) -> float | None:
        """Word-level similarity; None where the distance was not computed."""
        if self.distance < 0:
            return None
        return 100.0 if self.longer == 0 else 100.0 * (self.longer - self.distance) / self.longer

    @property
    def resemblance(self) -> float:
        """Shared shingles, of all that either text has."""
        union = self.a_shingles + self.b_shingles - self.shared_shingles
        if union == 0:
            return 100.0 if self.distance == 0 else 0.0
        return 100.0 * self.shared_shingles / union

    @property
    def containment(self) -> tuple[float, float]:
        """How much of a is in b, and of b in a."""

        def part(whole: int) -> float:
            if whole == 0:
                return 100.0 if self.distance == 0 else 0.0
            return 100.0 * self.shared_shingles / whole

        return part(self.a_shingles), part(self.b_shingles)

    @property
    def terminology(self) -> float:
        """Shared content words, of those in the text that has fewer."""
        if self.fewer_terms == 0:
            return 100.0 if self.distance == 0 else 0.0
        return 100.0 * self.shared_terms / self.fewer_terms


MEASURED = tuple(column.name for column in fields(Scores))
"""The integers that measures come from, in this order wherever they are columns."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two documents and the relation that holds between them."""

    a: Document
    b: Document
    relation: str
    scores: Scores
    kind: str


@dataclass(frozen=True, slots=True)
class Member:
    """A document of a group; similarity and kind compare it with the principal, also if it copies another member."""

    document: Document
    similarity: float
    kind: str

    @property
    def copy_of(self) -> str:
        """The id of the earlier document that it repeats; "" for none."""
        return self.document.copy_of


@dataclass(frozen=True, slots=True)
class Group:
    """A principal and its members, each verified against it.

    A text that is too short, or that has no letter, is grouped by equality only: it heads a group of its copies.
    """

    id: str
    principal: Document
    members: tuple[Member, ...]

    def __repr__(self) -> str:
        return f"<Group {self.id}: {self.principal.path!r} with {counted(len(self.members), 'member')}>"


@dataclass(frozen=True, slots=True)
class Link:
    """One link of a linked document."""

    id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Linked:
    """A document similar to some others, but to no principal."""

    document: Document
    links: tuple[Link, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Grouping(Listing[Group]):
    """Every group and linked document at one threshold: a sequence of groups, and a table of documents."""

    threshold: float
    rule: str
    groups: tuple[Group, ...]
    linked: tuple[Linked, ...]

    UNIT: ClassVar[str] = "group"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        TableColumn("group", "string", "id of its group; none for a linked document", optional=True, shown=True),
        TableColumn("role", "string", "principal, member or linked", shown=True),
        *WHICH,
        TableColumn("principal", "string", "id of the group's principal; none for a linked document", optional=True),
        TableColumn("similarity", "float64", "to the principal, for a member", optional=True, shown=True),
        TableColumn("kind", "string", "what it is to the principal, for a member", optional=True, shown=True),
        TableColumn("copy_of", "string", "id of the earlier document that it repeats", optional=True, shown=True),
        TableColumn("words", "int64", "words of its text"),
        TableColumn("date", "string", "ISO 8601, from the document itself", optional=True),
        TableColumn("linked_to", "string", "ids that a linked document is similar to, best first, with `; ` between",
               optional=True),
    )  # fmt: skip

    def _entries(self) -> tuple[Group, ...]:
        return self.groups

    @staticmethod
    def _rows_of(entry: Group) -> Iterator[Row]:
        yield _grouped(entry.principal, "principal", entry)
        for member in entry.members:
            yield _grouped(member.document, "member", entry, member.similarity, member.kind)

    @staticmethod
    def _count_of(entry: Group) -> int:
        return 1 + len(entry.members)

    def _values(self) -> Iterator[Row]:
        for group in self.groups:
            yield from self._rows_of(group)
        for one in self.linked:
            yield _grouped(one.document, "linked", linked_to="; ".join(link.id for link in one.links))

    def _height(self) -> int:
        return sum(map(self._count_of, self.groups)) + len(self.linked)

    def _summary(self) -> str:
        linked = f", {len(self.linked):,} linked" if self.linked else ""
        return f"{counted(len(self), 'group')}{linked} at {self.threshold:g} %"


def _grouped(
    one: Document,
    role: str,
    group: Group | None = None,
    similarity: float | None = None,
    kind: str | None = None,
    linked_to: str | None = None,
) -> Row:
    """A row of a grouping."""
    name, principal = (None, None) if group is None else (group.id, group.principal.id)
    copy, date = one.copy_of or None, one.date or None
    return name, role, *which(one), principal, similarity, kind, copy, one.words, date, linked_to


@dataclass(frozen=True, slots=True)
class Counts:
    """The headline: each document is counted once, and they add up to the documents."""

    copies: int = 0
    """They repeat the bytes, or the words and figure marks, of an earlier document."""
    near_copies: int = 0
    """Members of groups that differ from every earlier document in words or figures."""
    to_read: int = 0
    """All others that have a text."""
    not_searched: int = 0
    """Nobody has seen their words: unreadable, too large, excluded or unsearchable; their copies count as copies."""
    empty: int = 0
    """Nothing is in them; their copies count as copies."""

    @property
    def documents(self) -> int:
        """All of them."""
        return self.copies + self.near_copies + self.to_read + self.not_searched + self.empty


def figure_of(status: str, is_copy: bool) -> str:
    """The field of `Counts` that a document is counted in; a copy is a copy whatever its status is."""
    if is_copy:
        return "copies"
    if status in NOT_SEARCHED:
        return "not_searched"
    return {"empty": "empty", "member": "near_copies"}.get(status, "to_read")


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents a list has; a document passes every test that is set."""

    figures: tuple[str, ...] = ()
    """Statuses, or figures of the headline (copies, near-copies, to-read, not-searched); any of them."""
    waves: tuple[str, ...] = ()
    custodians: tuple[str, ...] = ()
    doubted: bool = False
    copied: bool = False
    """Only copies of earlier documents."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of `similar`."""

    document: Document
    similarity: float
    kind: str


class SimilarHits(ListedEntries[Hit]):
    """The answers of `similar`, best first, used like a list, and a table with one row for each."""

    __slots__ = ("threshold",)
    UNIT: ClassVar[str] = "hit"
    COLUMNS: ClassVar[tuple[TableColumn, ...]] = (
        *WHICH,
        TableColumn("similarity", "float64", "to the document that was asked for", shown=True),
        TableColumn("kind", "string", "what it is to the document that was asked for", shown=True),
        TableColumn("copy_of", "string", "id of the earlier document that it repeats", optional=True, shown=True),
        TableColumn("words", "int64", "words of its text"),
        TableColumn("date", "string", "ISO 8601, from the document itself", optional=True),
    )

    def __init__(self, hits: Iterable[Hit], threshold: float) -> None:
        super().__init__(hits)
        self.threshold = threshold

    @staticmethod
    def _rows_of(entry: Hit) -> Iterator[Row]:
        one = entry.document
        yield *which(one), entry.similarity, entry.kind, one.copy_of or None, one.words, one.date or None

    def _summary(self) -> str:
        return f"{counted(len(self), self.UNIT)} at {self.threshold:g} %"


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two texts differ; applied in order, they turn a into b, code point for code point."""

    op: str
    """replace, insert, delete or move."""
    a: tuple[int, int]
    b: tuple[int, int]
    a_text: str
    b_text: str
    layout: bool
    """Only case, white space or punctuation other than figure marks."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts, every measure, kind and difference."""

    similarity: float
    character_similarity: float
    resemblance: float
    containment: tuple[float, float]
    terminology: float
    kind: str
    why: str
    differences: tuple[Difference, ...] = field(repr=False)
