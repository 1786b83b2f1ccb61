"""The rows of a wave, made before the writers' lock is taken: inside it they are only written.

New rows are of documents and passages that nobody knows before the wave has a row of its own. So they may be written
ahead of it, some at a time (`ahead.py`). What changes rows that are there is written together with the wave's own row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from truecopy.matter.change.families import put_families
from truecopy.matter.sql.documents import DocumentRow
from truecopy.matter.sql.pairs import PairRow, rows_by_relation
from truecopy.matter.sql.passages import Passage
from truecopy.matter.sql.tallies import Tally
from truecopy.matter.state import State
from truecopy.model import file_name
from truecopy.settings import MatterSettings
from truecopy.wave.dense import FamilyChanges
from truecopy.wave.result import WaveResult
from truecopy.wave.settled import Settled

_MOST_PAIRS = 100_000
"""Pairs of which rows are held in memory; those of more are made as they are written."""
_ROWS_AT_ONCE = 250
"""Rows of a piece, which takes some milliseconds to be written."""

Piece = Callable[[State], None]
"""Writes some rows."""


@dataclass(frozen=True, slots=True)
class NewRows:
    """What a wave adds to tables, about documents and passages that are new."""

    result: WaveResult
    documents: list[DocumentRow]
    passages: list[Passage]
    pairs: list[list[PairRow]] | None
    """None where there are too many."""
    members: dict[int, int]
    """Passages with their principals."""
    sizes: dict[int, int]
    """How many documents groups have, by principal."""
    families: list[FamilyChanges]

    def __len__(self) -> int:
        families = sum(len(one.families) for one in self.families)
        groups = len(self.members) + len(self.sizes)
        # A pair that two relations hold of is two rows.
        return len(self.documents) + len(self.passages) + self.result.pair_count + groups + families

    def insert(self, state: State) -> None:
        """Write all of them at once."""
        state.documents.insert(self.documents)
        state.passages.insert(self.passages)
        if self.pairs is None:
            state.pairs.insert_all(self.result.pairs, self.result.numbers)
        else:
            state.pairs.insert_rows(self.pairs)
        for piece in self._of_groups_and_families():
            piece(state)

    def pieces(self) -> Iterator[Piece]:
        """What writes all of them, some at a time, in an order that never varies."""
        yield from _pieces(lambda rows, state: state.documents.insert(rows), self.documents)
        yield from _pieces(lambda rows, state: state.passages.insert(rows), self.passages)
        for pairs in self.pairs if self.pairs is not None else _rows_of_pairs(self.result, _ROWS_AT_ONCE):
            yield from _pieces(lambda rows, state: state.pairs.insert_rows([list(rows)]), pairs)
        yield from self._of_groups_and_families()

    def _of_groups_and_families(self) -> Iterator[Piece]:
        yield from _pieces(lambda rows, state: state.groups.insert(rows), list(self.members.items()))
        yield from _pieces(lambda rows, state: state.groups.set_sizes(dict(rows)), list(self.sizes.items()))
        for one in self.families:
            yield from _pieces(partial(_put_families, one.relation), sorted(one.families.items()))


@dataclass(frozen=True, slots=True)
class ChangedRows:
    """What a wave changes about documents and passages of earlier ones."""

    statuses: dict[int, str]
    """By the document's number."""
    tallies: Counter[Tally]
    sizes: dict[int, int]
    """How many documents groups have, by principal."""
    groups: int
    """How many groups there are afterwards."""
    families: list[FamilyChanges]

    def write(self, state: State, settings: MatterSettings) -> None:
        """Write them."""
        put_families(state, self.families)
        state.groups.write(settings, self.groups)
        state.groups.set_sizes(self.sizes)
        state.documents.set_statuses(self.statuses)
        state.tallies.change(self.tallies)


@dataclass(frozen=True, slots=True)
class WaveRows:
    """What a wave writes to tables."""

    new: NewRows
    changes: ChangedRows


def wave_rows(state: State, result: WaveResult) -> WaveRows:
    """The rows of a wave that comes after the last one of the state that it was computed from."""
    wave, statuses = result.after + 1, result.statuses()
    own = [one for one in result.documents if one.own]
    counted = Counter(
        (one.arrival.custodian, status, int(one.copy_of is not None), int(one.arrival.reading.doubt != ""))
        for one, status in zip(result.documents, statuses, strict=True)
    )
    tallies = Counter({Tally(wave, *which): count for which, count in counted.items()})
    changed, moved = _changed_statuses(state, result.joined.changed)
    tallies.update(moved)
    few = result.pair_count <= _MOST_PAIRS
    first, sizes = result.first_passage, result.joined.sizes
    new = NewRows(
        result,
        [_row(one, wave, status) for one, status in zip(result.documents, statuses, strict=True)],
        [
            Passage(one.passage or 0, "document", one.number, 0, one.arrival.words, int(shingles))
            for one, shingles in zip(own, result.shingles.tolist(), strict=True)
        ],
        list(_rows_of_pairs(result)) if few else None,
        result.joined.principals,
        {principal: size for principal, size in sizes.items() if principal >= first},
        [replace(one, families=_part(one.families, first, new=True), left_out={}, gone={}) for one in result.families],
    )
    families = [replace(one, families=_part(one.families, first, new=False)) for one in result.families]
    earlier = {principal: size for principal, size in sizes.items() if principal < first}
    founded = len(sizes) - len(state.groups.sizes(earlier))
    return WaveRows(new, ChangedRows(changed, tallies, earlier, state.groups.count() + founded, families))


def _part(families: Mapping[int, int], first: int, *, new: bool) -> dict[int, int]:
    """The families of new passages, or of the others."""
    return {passage: family for passage, family in families.items() if (passage >= first) is new}


def _put_families(relation: str, rows: Sequence[Any], state: State) -> None:
    state.families.put(relation, dict(rows))


def _pieces(write: Callable[[Sequence[Any], State], None], rows: Sequence[Any]) -> Iterator[Piece]:
    return (partial(write, rows[first : first + _ROWS_AT_ONCE]) for first in range(0, len(rows), _ROWS_AT_ONCE))


def _rows_of_pairs(result: WaveResult, at_once: int | None = None) -> Iterator[list[PairRow]]:
    for pairs in result.pairs:
        yield from rows_by_relation(pairs, result.numbers, at_once=at_once)


def _changed_statuses(state: State, changed: Mapping[int, str]) -> tuple[dict[int, str], Counter[Tally]]:
    """The other statuses that the first documents of some passages get, and what the tallies change by."""
    rows = state.passages.numbered(changed)
    by_document = {row.document: changed[passage] for passage, row in rows.items()}
    tallies: Counter[Tally] = Counter()
    numbers = {wave.name: number for number, wave in zip(state.waves.numbers(), state.waves.every(), strict=True)}
    for kept in state.documents.numbered(by_document):
        one = kept.document
        before = Tally(numbers[one.wave], one.custodian, one.status, int(bool(one.copy_of)), int(bool(one.doubt)))
        tallies[before] -= 1
        tallies[before._replace(status=by_document[one.number])] += 1
    return by_document, tallies


def _row(one: Settled, wave: int, status: str) -> DocumentRow:
    arrival, reading = one.arrival, one.arrival.reading
    return DocumentRow(
        one.number, one.id, wave, reading.root, reading.path, file_name(reading.path), arrival.custodian, status,
        one.reason, reading.size, reading.md5, reading.sha1, reading.sha256, arrival.words_sha256,
        arrival.figures_sha256, arrival.words, reading.date, reading.parent, reading.media, reading.encoding,
        reading.confidence, reading.doubt, one.passage, one.copy_of, one.text,
    )  # fmt: skip
