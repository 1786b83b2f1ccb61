"""The data room as it is being filled: its documents, and the truth about them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import combinations, count
from pathlib import PurePosixPath

from truecopy.demo.cast import Parties, Party
from truecopy.demo.dice import Dice

# The relation that holds between the two documents of a pair of this kind (contract); None where none holds.
RELATION = {
    "same-file": "similar",
    "same-text": "similar",
    "execution-copy": "similar",
    "near-identical": "similar",
    "same-form": "similar",
    "insertion": "similar",
    "elaboration": "similar",
    "revision": "similar",
    "excerpt": "contains",
    "scan": "scanned",
    "unrelated": None,
}


@dataclass(frozen=True, slots=True)
class RoomDocument:
    """One document: a file, or an attachment of an e-mail (then without content of its own)."""

    path: str
    family: str
    kind_of_document: str
    content: bytes | None
    status: str = ""
    """The status that it must get whatever the matter's settings, where that is certain."""


@dataclass(slots=True)
class DataRoom:
    """The documents written so far, and the pairs whose kind is known."""

    seed: int
    entries: list[RoomDocument] = field(default_factory=list)
    pairs: list[tuple[str, str, str]] = field(default_factory=list)
    register: Parties = field(init=False)
    house: Party = field(init=False)
    _paths: set[str] = field(default_factory=set)
    _parties: count[int] = field(default_factory=lambda: count(1))
    _families: count[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        self.register = Parties(self.seed)
        self.house = self.register.company(0)

    def dice(self, *names: str | int) -> Dice:
        """A stream of choices of this data room."""
        return Dice(self.seed, *names)

    def other(self, person: bool = False) -> Party:
        """A party that no earlier document has named."""
        number = next(self._parties)
        return self.register.person(number) if person else self.register.company(number)

    def family(self, name: str) -> str:
        """The name of a new family."""
        return f"{next(self._families):04} {name}"

    def add(self, path: str, content: bytes | None, family: str, kind_of_document: str, status: str = "") -> str:
        """Files a document; a path that is taken gets a number. Gives the path."""
        pure = PurePosixPath(path)
        for number in count(2):
            if path not in self._paths:
                break
            path = str(pure.with_name(f"{pure.stem} ({number}){pure.suffix}"))
        self._paths.add(path)
        self.entries.append(RoomDocument(path, family, kind_of_document, content, status))
        return path

    def pair(self, a: str, b: str, kind: str) -> None:
        """Notes the kind of a pair."""
        self.pairs.append((a, b, kind))

    def pair_all(self, paths: Iterable[str], kind: str) -> None:
        """Notes one kind for every two of these documents."""
        for a, b in combinations(paths, 2):
            self.pair(a, b, kind)
