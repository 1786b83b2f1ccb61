"""All that is to be stored of a wave, computed and not yet committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from truecopy.array_types import I64
from truecopy.match.judge import Judged
from truecopy.wave.dense import FamilyChanges
from truecopy.wave.fresh import FreshTexts
from truecopy.wave.joined import Joined
from truecopy.wave.settled import Settled


class NewText(NamedTuple):
    """A text that a wave stores."""

    number: int
    body: int
    """Its place among the texts that were taken in."""
    document: int
    """The first document that has it."""
    date: str


@dataclass(frozen=True, slots=True)
class WaveResult:
    """A wave as it follows on a certain state of a matter."""

    after: int
    """The last wave of that state."""
    documents: list[Settled]
    texts: list[NewText]
    first_passage: int
    fresh: FreshTexts
    shingles: I64
    """Distinct ones of each new passage."""
    joined: Joined
    pairs: list[Judged]
    """Of places in `numbers`."""
    numbers: I64
    """Passages."""
    families: list[FamilyChanges]
    generator: str
    recall: float

    @property
    def pair_count(self) -> int:
        """Verified pairs."""
        return sum(map(len, self.pairs))

    def statuses(self) -> list[str]:
        """The status of each document: what words and bytes tell, else what its group gives it."""
        joined = self.joined.statuses
        return [one.status or joined[one.passage or 0] for one in self.documents]
