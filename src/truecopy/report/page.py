"""The report as dataclasses, and what a matter must offer to be reported.

`Page` feeds the HTML file and the workbook, so that both say the same. It holds facts, not markup:
text is escaped, and numbers are formatted, where they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from truecopy.model import Comparison, Counts, Document, Group, Grouping, Linked, Member, Pair, Wave

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truecopy.matter.ask.sides import Side
    from truecopy.matter.sql.pairs import Containments


class StoredPairs(Protocol):
    """The pairs of one relation."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, each with its measures."""


class MatterFacts(Protocol):
    """How the matter was made: what the method section states."""

    @property
    def version(self) -> str:
        """The version of truecopy."""

    @property
    def unicode(self) -> str:
        """The version of the Unicode tables that words are found by."""

    @property
    def settings(self) -> Mapping[str, object]:
        """Every setting by name."""

    @property
    def recall(self) -> Mapping[str, str]:
        """What is promised for each relation, as a sentence."""

    @property
    def generator(self) -> str:
        """How candidates for `similar` were found."""

    @property
    def made(self) -> str:
        """When, ISO 8601, UTC."""

    @property
    def audit_head(self) -> str:
        """The hash of the audit log's last entry."""

    @property
    def seconds(self) -> Mapping[str, float]:
        """Stage to seconds."""


class ReportedSettings(Protocol):
    """The settings that the report itself depends on."""

    @property
    def threshold(self) -> float:
        """The grouping's threshold."""

    @property
    def floor(self) -> float:
        """The lowest similarity at which pairs were stored."""

    @property
    def contains_floor(self) -> float:
        """The lowest containment at which pairs were stored."""

    @property
    def nearest(self) -> int:
        """How many neighbors each text of a dense family keeps."""


class ReportSource(Protocol):
    """What a matter must offer to be reported."""

    @property
    def path(self) -> Path:
        """The matter's folder."""

    @property
    def settings(self) -> ReportedSettings:
        """Its settings."""

    def snapshot(self) -> AbstractContextManager[None]:
        """All questions inside see one state of the matter."""

    def documents(self) -> Sequence[Document]:
        """Every document, in order of addition."""

    def text(self, document: Document, /) -> str:
        """The text of a document as it was extracted."""

    def counts(self) -> Counts:
        """Copies, near copies, to read, not searched and empty: together all documents."""

    def waves(self) -> Sequence[Wave]:
        """The waves, oldest first."""

    def groups(self, *, complete: bool = True) -> Grouping:
        """The matter's own grouping; unless `complete`, with the stored links of linked documents."""

    def pairs(self, threshold: float | None = None, relation: str = "similar") -> StoredPairs:
        """The stored pairs of a relation."""

    def spare(self, target: Path) -> None:
        """Refuse a file that is a document of the matter: originals are never written over."""

    def containments(self) -> Containments:
        """Every stored pair of a text and one that contains it."""

    def left_out(self, relation: str = "similar") -> int:
        """How many pairs of dense families are not stored, at most."""

    def distances(self) -> tuple[NDArray[Any], int]:
        """Distance and longer length of each stored pair; and how many pairs are not stored, at most."""

    def facts(self) -> MatterFacts:
        """How the matter was made."""


class ComparingSource(ReportSource, Protocol):
    """What a matter must offer to have redlines written as pages of their own."""

    def sides(self, a: Document, b: Document, /) -> tuple[Side, Side]:
        """Two documents, as they are compared."""

    def compare(self, a: Side, b: Side, /) -> Comparison:
        """Every measure, the kind, and the differences."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many documents, and their share of all in percent."""

    documents: int
    share: float


@dataclass(frozen=True, slots=True)
class StatusRow:
    """One row of the table that says what happened to the documents."""

    status: str
    count: Count
    copies: int
    """How many of them are copies."""
    meaning: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a picture."""

    label: str
    count: int
    marked: bool = False
    """At or above the threshold."""


@dataclass(frozen=True, slots=True)
class StatusList:
    """Documents of one status that are in no group, all of them."""

    status: str
    meaning: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Holder:
    """A document that contains another."""

    document: Document
    containment: float
    """How much of the contained text is in it."""
    kind: str


@dataclass(frozen=True, slots=True)
class ContainedText:
    """A text that was found in others."""

    document: Document
    holders: Sequence[Holder]


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of a redline: equal, insert, delete, gone, come, layout or skip."""

    op: str
    text: str
    place: int = 0
    """For what moved (gone from here, come to here): the number of the move; 0 where the other place is not known."""
    words: int = 0
    """For a skip: how many words it replaces."""
    matters: bool = False
    """Whether it touches a figure, a date or a word that turns the sense."""


@dataclass(frozen=True, slots=True)
class ImportantChange:
    """A difference that is listed above the redline because it touches a figure or a word that turns the sense."""

    before: str
    after: str
    times: int


@dataclass(frozen=True, slots=True)
class ImportantChanges:
    """The differences that touch a figure or a word that turns the sense: some of them listed, all of them counted."""

    listed: tuple[ImportantChange, ...]
    unlisted: int = 0
    """Short ones for which there was no room."""
    long: int = 0
    """Passages that are too long to be listed; they are marked in the text."""


@dataclass(frozen=True, slots=True)
class Redline:
    """How a member differs from its principal, ready to be shown."""

    pieces: tuple[Piece, ...]
    changes: ImportantChanges
    differences: int
    layout: int
    """How many differences touch only case, white space or punctuation."""
    shortened: bool
    """True where the redline was cut because it is too long for a report."""


@dataclass(frozen=True, slots=True)
class Redlines:
    """The redlines that were made, and how many the budget left out."""

    made: Mapping[str, Redline]
    """By the member's id."""
    left: tuple[tuple[Group, Member], ...]
    """The members that differ from their principal and for which there was no room."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """By the member's id: the address of a page of its own, where one was written."""


@dataclass(frozen=True, slots=True)
class KindRow:
    """How many members are of one kind."""

    kind: str
    members: int
    meaning: str


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting as the method section lists it."""

    name: str
    value: str
    meaning: str


@dataclass(frozen=True, slots=True)
class MeasureMeaning:
    """One measure of the contract."""

    name: str
    formula: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Method:
    """How the result was found, for someone who has to defend it."""

    version: str
    unicode: str
    made: str
    audit_head: str
    generator: str
    """How candidates were found, in a sentence."""
    recall: tuple[tuple[str, str], ...]
    """Relation and what is promised for it."""
    curve: tuple[tuple[str, str], ...]
    """If bands found the candidates: similarity, and the least share of such pairs that is found, in percent."""
    settings: tuple[Setting, ...]
    measures: tuple[MeasureMeaning, ...]
    waves: tuple[Wave, ...]
    seconds: tuple[tuple[str, float], ...]
    dense: str
    """What dense families left out, in a sentence."""


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report."""

    title: str
    matter: Path
    """The matter's folder, which the commands in the report name."""
    threshold: float
    floor: float
    contains_floor: float
    documents: tuple[Document, ...]
    several_roots: bool
    """More than one root: paths are shown with theirs."""
    counts: Counts
    parts: tuple[tuple[str, Count], ...]
    """The parts that all documents fall into, in order: copies, near, read, unsearched, nothing."""
    statuses: tuple[StatusRow, ...]
    not_searched: tuple[Document, ...]
    """Every document whose text was not read, copies included."""
    remarked: tuple[tuple[Document, str], ...]
    """Documents that were searched but have another remark: part of one may be a picture."""
    doubted: tuple[Document, ...]
    """Documents that were read with doubt about their encoding."""
    listings: tuple[StatusList, ...]
    kinds: tuple[KindRow, ...]
    groups: tuple[Group, ...]
    """Largest first."""
    members: int
    copied: int
    """How many members are copies."""
    contained: tuple[ContainedText, ...]
    """Texts that are contained in others, each with the documents that it was found in."""
    together: int
    """Further pairs of a text and what contains it: a group, or a link, shows the two already."""
    linked: tuple[Linked, ...]
    rule: str
    stored: int
    """Stored pairs that are similar."""
    left_out: int
    """Similar pairs of dense families that are not stored, at most."""
    pairs: tuple[Pair, ...]
    """Every stored pair, where asked for; only in the workbook."""
    similarities: tuple[Bar, ...]
    sizes: tuple[Bar, ...]
    group_of: Mapping[str, str]
    """Document id to group id."""
    method: Method
