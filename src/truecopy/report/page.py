"""The report as dataclasses, and what a matter must offer to be reported.

`Page` feeds the HTML file and the workbook, so that both say the same. It holds facts, not markup:
text is escaped, and numbers are formatted, where they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from truecopy.model import Document, Group, Grouping, Linked, Pair, Wave

if TYPE_CHECKING:
    from numpy.typing import NDArray


class StoredPairs(Protocol):
    """The pairs of one relation."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The pairs, each with its measures."""


class MatterFacts(Protocol):
    """How the matter came to be: what the method section states."""

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


class MatterSettings(Protocol):
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
    def settings(self) -> MatterSettings:
        """Its settings."""

    def documents(self) -> Sequence[Document]:
        """Every document, in order of addition."""

    def text(self, document: Document, /) -> str:
        """The text of a document as it was extracted."""

    def waves(self) -> Sequence[Wave]:
        """The waves, oldest first."""

    def groups(self) -> Grouping:
        """The matter's own grouping."""

    def pairs(self, threshold: float | None = None, relation: str = "similar") -> StoredPairs:
        """The stored pairs of a relation."""

    def distances(self) -> tuple[NDArray[Any], int]:
        """Distance and longer length of each stored pair, and how many pairs of dense families are not stored."""

    def facts(self) -> MatterFacts:
        """How the matter came to be."""


@dataclass(frozen=True, slots=True)
class Count:
    """How many documents, and their share of all in percent."""

    documents: int
    share: float


@dataclass(frozen=True, slots=True)
class StatusRow:
    """One row of the table of what became of the documents."""

    status: str
    count: Count
    part: str
    """Which of the three parts of the bar it belongs to: first, again or out."""
    meaning: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a picture."""

    label: str
    count: int
    marked: bool = False
    """At or above the threshold."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Documents of one status that stand in no group, all of them."""

    status: str
    meaning: str
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of a redline: equal, insert, delete, move, layout or skip."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A difference that is listed above the redline because it holds a figure or a negation."""

    before: str
    after: str
    times: int


@dataclass(frozen=True, slots=True)
class Redline:
    """How a member differs from its principal, ready to be shown."""

    pieces: tuple[Piece, ...]
    important: tuple[Change, ...]
    differences: int
    layout: int
    """How many differences touch only case, white space or punctuation."""
    shortened: bool
    """True where the redline was cut because it is too long for a report."""


@dataclass(frozen=True, slots=True)
class Redlines:
    """The redlines that were made, and how many the budget left out."""

    made: Mapping[tuple[str, str], Redline]
    """By the group's id and the member's id."""
    left_out: int


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
class Measure:
    """One measure of the contract."""

    name: str
    formula: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Method:
    """How the result was come by, for someone who has to defend it."""

    version: str
    unicode: str
    made: str
    audit_head: str
    generator: str
    """How candidates were found, in a sentence."""
    recall: tuple[tuple[str, str], ...]
    """Relation and what is promised for it."""
    curve: tuple[tuple[str, str], ...]
    """Where bands found the candidates: similarity, and the share of such pairs that is found at least, in percent."""
    settings: tuple[Setting, ...]
    measures: tuple[Measure, ...]
    waves: tuple[Wave, ...]
    seconds: tuple[tuple[str, float], ...]
    dense: str
    """What dense families left out, in a sentence."""


@dataclass(frozen=True, slots=True)
class Page:
    """The whole report."""

    title: str
    matter: str
    """The matter's folder as the commands in the report name it."""
    threshold: float
    floor: float
    contains_floor: float
    documents: tuple[Document, ...]
    several_roots: bool
    """More than one root: paths are shown with theirs."""
    saved: Count
    """Documents that need not be read twice."""
    unread: Count
    """Documents that could not be compared because their text is not known."""
    statuses: tuple[StatusRow, ...]
    parts: tuple[tuple[str, Count], ...]
    """The three parts of the bar, in order: first, again, out."""
    listings: tuple[Listing, ...]
    kinds: tuple[KindRow, ...]
    groups: tuple[Group, ...]
    """Largest first."""
    linked: tuple[Linked, ...]
    rule: str
    stored: int
    """Stored pairs that are similar."""
    similar: tuple[Pair, ...]
    contains: tuple[Pair, ...]
    """Only in the workbook."""
    similarities: tuple[Bar, ...]
    sizes: tuple[Bar, ...]
    group_of: Mapping[str, str]
    """Document id to group id."""
    method: Method
