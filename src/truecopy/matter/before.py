"""What a matter has already, as a wave that is being computed asks for it: by hash, by word, by passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from truecopy.array_types import I64
from truecopy.match.dates import UNKNOWN_DATE
from truecopy.matter.ask.naming import numbers_named
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.passages import Passage
from truecopy.matter.state import State
from truecopy.matter.texts import lengths_of, with_fresh
from truecopy.matter.touching import touched
from truecopy.matter.words import stored_words
from truecopy.settings import MatterSettings
from truecopy.text.texts import Texts
from truecopy.text.vocabulary import Vocabulary
from truecopy.wave.fresh import FreshTexts
from truecopy.wave.intake import Arrival
from truecopy.wave.joined import Earlier
from truecopy.wave.settled import Known, KnownFile, KnownText, Settled
from truecopy.wave.touched import Touched


class StoredBefore:
    """One state of a matter, before a wave."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.wave = state.waves.last()
        """The last wave."""
        self.passages = state.passages.last()
        """The last passage."""

    def known(self, arrivals: Sequence[Arrival]) -> Known:
        """The documents that the files and texts of a wave may repeat."""
        state, known = self._state, Known()
        known.last_document, known.last_passage = state.documents.last(), self.passages
        known.last_text = state.documents.last_text()
        if not self.wave:
            return known
        files = state.documents.with_bytes({one.reading.sha256 for one in arrivals if one.reading.sha256})
        for row in files:
            known.files.setdefault(row.sha256, KnownFile(row.number, row.id, row.passage, row.text))
        texts = state.documents.with_figures({one.figures_sha256 for one in arrivals if one.figures_sha256})
        known.texts.update({digest: KnownText(*found) for digest, found in texts.items()})
        passages = {row.passage for row in files if row.passage is not None}
        known.by_passage.update({one.passage: one for one in known.texts.values()})
        known.by_passage.update(self._first_documents(passages - known.by_passage.keys()))
        return known

    def _first_documents(self, passages: Iterable[int]) -> dict[int, KnownText]:
        rows = self._state.passages.numbered(passages)
        ids = self._state.documents.ids(np.array([row.document for row in rows.values()], np.int64))
        return {row.number: KnownText(row.document, id, row.number) for row, id in zip(rows.values(), ids, strict=True)}

    # Words

    @property
    def words(self) -> int:
        """How many words there are."""
        return len(stored_words(self._state))

    def find(self, vocabulary: Vocabulary) -> I64:
        """The number of each word of a vocabulary; -1 for words that are new."""
        return stored_words(self._state).find(vocabulary)

    def touched(self, parts: Sequence[FreshTexts], settings: MatterSettings, threads: int) -> Touched:
        """What of the matter the new texts of a wave touch, which are given in parts."""
        return touched(self._state, parts, settings, threads)

    def texts(self, passages: I64, fresh: FreshTexts) -> Texts:
        """The texts of some passages, given in order: stored ones, and new ones of a wave."""
        return with_fresh(self._state, passages, self.passages + 1, fresh)

    def lengths(self, passages: I64) -> I64:
        """How many words some passages have, given in order."""
        return lengths_of(self._state, passages)

    # Pairs and groups

    def count_pairs(self, relation: str, passages: I64) -> int:
        """How many stored pairs of a relation begin with one of some passages."""
        return self._state.pairs.count_from(relation, passages[passages <= self.passages].tolist())

    def earlier(self, passages: Iterable[int]) -> dict[int, Earlier]:
        """Some passages and their principals, as far as groups are concerned."""
        state = self._state
        wanted = set(passages)
        principals = state.groups.principals(wanted)
        others = set(principals.values()) - wanted
        principals |= state.groups.principals(others)
        rows = state.passages.numbered(wanted | others)
        kept = {
            one.document.number: one.document for one in state.documents.numbered(row.document for row in rows.values())
        }
        found = {}
        for number, row in rows.items():
            principal, document = principals.get(number, 0), kept.get(row.document)
            if document is None or (principal and principals.get(principal) != principal):
                raise wrong_cell("group_members.principal")  # a principal is its own
            found[number] = Earlier(row.document, row.words, document.date, document.status, principal)
        return found

    def sizes(self, principals: Iterable[int]) -> dict[int, int]:
        """How many documents the groups of some principals have."""
        return self._state.groups.sizes(principals)

    def given(self, names: Sequence[str], settled: Sequence[Settled]) -> list[int]:
        """The passages that the rule `given` lists, in its order; without names that no document has, or several."""
        if not names:
            return []
        numbers = numbers_named(self._state, names, map(_Named, settled))
        wanted = list(dict.fromkeys(number for name in names for number in numbers[name]))
        own = {one.number: one.passage for one in settled if one.own}
        own |= {row.document: row.number for row in self._own(set(wanted) - own.keys())}
        return [passage for number in wanted if (passage := own.get(number)) is not None]

    def _own(self, documents: set[int]) -> list[Passage]:
        """The passages that some documents were the first to have."""
        kept = self._state.documents.numbered(documents)
        rows = self._state.passages.numbered(one.passage for one in kept if one.passage is not None)
        return [row for row in rows.values() if row.document in documents]

    def dates(self, numbers: I64, wanted: I64, fresh: Mapping[int, int]) -> I64:
        """The dates of some of all passages, as numbers that can be compared; nobody asks for the others."""
        dates = np.full(len(numbers), UNKNOWN_DATE, np.int64)
        old = wanted[wanted <= self.passages]
        dates[np.searchsorted(numbers, old)] = self._state.documents.dates(old)
        new = wanted[wanted > self.passages]
        dates[np.searchsorted(numbers, new)] = [fresh[passage] for passage in new.tolist()]
        return dates


class _Named:
    """A document of a wave, as far as its names are concerned."""

    def __init__(self, one: Settled) -> None:
        self.number, self.id, self.path = one.number, one.id, one.arrival.reading.path
