"""The contract's measures of one asked document and some texts of the matter, made from their words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.match.dates import UNKNOWN_DATE, moment
from truecopy.match.judge import Counted, Passages, judge
from truecopy.match.kinds import dropped_words, kind_of_documents
from truecopy.match.measures import shared_shingles
from truecopy.match.part import parts
from truecopy.match.relations import floors_of
from truecopy.match.verify import edit_distances
from truecopy.matter.ask.asked import AskedDocument
from truecopy.matter.state import State
from truecopy.matter.texts import some_texts, with_query
from truecopy.model import Document, Scores
from truecopy.settings import MatterSettings
from truecopy.text.texts import Texts
from truecopy.threshold import limits


@dataclass(frozen=True, slots=True)
class Measured:
    """How a text compares with the asked document."""

    scores: Scores
    """Of the asked document and the text."""
    kind: str
    holds: frozenset[str]
    """The relations that hold, by their names."""
    shorter: int
    """Words of the shorter of the two."""
    part: tuple[int, int] | None = None
    """Words of the containing text where the contained one is."""

    @property
    def similarity(self) -> float:
        """The contract's similarity."""
        assert self.scores.similarity is not None
        return self.scores.similarity

    def kind_of(self, document: Document, asked: AskedDocument) -> str:
        """The kind, for a document with this text."""
        return kind_of_documents(self.kind, document.sha256 == asked.sha256)


def _date(state: State, asked: AskedDocument) -> int:
    """The date of the asked document; a copy has its original's."""
    if asked.reading is not None:
        return moment(asked.reading.date)
    assert asked.kept is not None
    return int(state.documents.dates(np.array([asked.kept.passage], np.int64))[0])


def _with_asked(state: State, asked: AskedDocument, wanted: I64) -> tuple[Texts, I32, int]:
    """The texts of some passages, given in order, and of the asked document; which are these, and which is that."""
    if asked.query is not None:
        texts = with_query(state, asked.query, wanted)
        return texts, np.arange(len(wanted), dtype=np.int32), len(texts) - 1
    assert asked.kept is not None
    assert asked.kept.passage is not None
    texts = some_texts(state, np.union1d(wanted, [asked.kept.passage]).astype(np.int64))
    places = texts.numbers.searchsorted(wanted).astype(np.int32)
    return texts, places, int(texts.numbers.searchsorted(asked.kept.passage))


def shared_with(state: State, asked: AskedDocument, others: I64, threads: int) -> dict[int, int]:
    """How many distinct shingles the asked document shares with each of some passages that has other words."""
    if not len(others):
        return {}
    every, texts, own = _with_asked(state, asked, np.unique(others))
    streams = every.streams
    query = np.full(len(texts), own, np.int32)
    shared = shared_shingles(streams.words, streams.offsets, streams.keys, query, texts, threads)
    each = [streams.words[streams.offsets[text] : streams.offsets[text + 1]] for text in [*texts.tolist(), own]]
    return {
        int(every.numbers[text]): count
        for text, words, count in zip(texts.tolist(), each[:-1], shared.tolist(), strict=True)
        if not np.array_equal(words, each[-1])
    }


def measure(
    state: State,
    asked: AskedDocument,
    others: Sequence[int],
    settings: MatterSettings,
    threads: int,
    contains: bool | None = None,
    threshold: float | None = None,
) -> dict[int, Measured]:
    """Measures of some passages, by their numbers.

    With `contains`, the parts too: of each text, where it contains the asked document; with False, of that document.
    With a threshold, only the texts whose similarity reaches it.
    """
    wanted = np.array(sorted(set(others)), np.int64)
    if not len(wanted):
        return {}
    every, texts, own = _with_asked(state, asked, wanted)
    streams = every.streams
    query = np.full(len(wanted), own, np.int32)
    counted = Counted()
    if threshold is not None:
        allowed = limits(np.maximum(streams.lengths[texts], streams.lengths[query]), threshold)
        distance = edit_distances(streams.words, streams.offsets, query, texts, allowed, threads)
        near = np.flatnonzero(distance <= allowed)
        texts, query, counted = texts[near], query[near], Counted(distance[near])
    own_date = _date(state, asked)
    if own_date == UNKNOWN_DATE:  # nothing is later or earlier than that
        dates = np.full(len(every.numbers), UNKNOWN_DATE, np.int64)
    else:
        dates = state.documents.dates(every.numbers)
        dates[own] = own_date
    passages = Passages(streams, every.signs, dates, dropped_words(*every.vocabulary))
    judged = judge(passages, query, texts, floors_of(settings), threads, counted)
    where = None
    if contains is not None:
        inner, outer = (query, texts) if contains else (texts, query)
        where = parts(streams, inner, outer, threads).tolist()
    shorter = np.minimum(streams.lengths[texts], streams.lengths[query])
    return {
        int(every.numbers[text]): Measured(
            judged.scores(i),
            kind,
            judged.relations_of(i),
            int(shorter[i]),
            None if where is None else (where[i][0], where[i][1]),
        )
        for i, (text, kind) in enumerate(zip(texts.tolist(), judged.kinds, strict=True))
    }
