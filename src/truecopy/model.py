"""The things truecopy talks about, as frozen dataclasses; the glossary has the same words.

Reading      one input as `read/` hands it over: its text, or the reason why there is none
Document     one input as the matter keeps it
Wave         documents that were added together
Scores       the measures of one pair, as the integers they come from
Pair         two documents and the relation that holds between them
Member       a document of a group, with its similarity to the principal
Group        a principal and its members, or a text too short to be compared and its copies
Linked       a document similar to some others, but to no principal
Grouping     every group and linked document at one threshold
Counts       how many documents are copies, near copies, to be read, not searched
Hit          one answer of `similar`
Difference   one place where two texts differ
Comparison   two texts, every measure, kind and difference
"""

from __future__ import annotations

from dataclasses import dataclass, field

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
RELATIONS = ("similar", "contains")
SHORTEST_PAIRED = 10
"""Texts of fewer words are never paired except by equality."""
SHINGLE = 3
"""Words in a shingle, unless said."""
SHORTEST_CONTAINED = 50
"""Distinct shingles that a contained text must have."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One input as `read/` hands it over: its text, or the reason why there is none."""

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
    """Why it has that status; of a text, a remark on what was not read of it."""
    date: str = ""
    """ISO 8601, from the document itself (never the file system); "" where it has none."""
    parent: str = ""
    """Path of the e-mail or container that this is an attachment or item of; "" for none."""
    media: str = "text/plain"
    hidden: str = ""
    """Why words may be in it that were not found (a picture, a chart …); "" where nothing else is in it."""


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
        """Shared content words, of those of the text that has fewer."""
        if self.fewer_terms == 0:
            return 100.0 if self.distance == 0 else 0.0
        return 100.0 * self.shared_terms / self.fewer_terms


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
    """A document of a group; similarity and kind are those to the principal, for copies of other members too."""

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

    A text that is too short, or that has no letter, is compared for equality only: it heads a group of its copies.
    """

    id: str
    principal: Document
    members: tuple[Member, ...]


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


@dataclass(frozen=True, slots=True)
class Grouping:
    """Every group and linked document at one threshold."""

    threshold: float
    rule: str
    groups: tuple[Group, ...]
    linked: tuple[Linked, ...]


@dataclass(frozen=True, slots=True)
class Counts:
    """The headline: each document is counted once, and they add up to the documents."""

    copies: int
    """They repeat the bytes, or the words and figure marks, of an earlier document."""
    near_copies: int
    """Members of groups that differ from every earlier document in words or figures."""
    to_read: int
    """All others that have a text."""
    not_searched: int
    """Nobody has seen their words: unreadable, too large, excluded or unsearchable; without copies of each other."""
    empty: int
    """Nothing is in them; without copies of each other."""

    @property
    def documents(self) -> int:
        """All of them."""
        return self.copies + self.near_copies + self.to_read + self.not_searched + self.empty


@dataclass(frozen=True, slots=True)
class Hit:
    """One answer of `similar`."""

    document: Document
    similarity: float
    kind: str


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
