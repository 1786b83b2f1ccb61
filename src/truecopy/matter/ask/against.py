"""A form from outside that every document of a matter is compared with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.match.dates import moments
from truecopy.match.judge import Passages, judge
from truecopy.match.kinds import dropped_words, kind_of_documents
from truecopy.match.relations import floors_of
from truecopy.matter.ask.views import SET_ASIDE, read_register
from truecopy.matter.state import State
from truecopy.matter.texts import query_of, with_query
from truecopy.model import Document, Reading
from truecopy.text.batches import number_texts


@dataclass(frozen=True, slots=True)
class FormHit:
    """How one document compares with a given form."""

    document: Document
    similarity: float
    containment: tuple[float, float]
    """How much of the form is in the document, and of the document in the form."""
    kind: str


def compare_with_all(state: State, reading: Reading, threads: int) -> tuple[FormHit, ...]:
    """How every readable document compares with a form, best first: nothing is filtered."""
    register, texts = read_register(state), with_query(state, query_of(state, number_texts([reading.text])))
    query = len(texts) - 1
    first = [register.first(passage) for passage in texts.numbers[:query].tolist()]
    others = np.array([place for place, one in enumerate(first) if one.status not in SET_ASIDE], np.int32)
    dates = moments([*(one.date for one in first), reading.date])
    passages = Passages(texts.streams, texts.signs, dates, dropped_words(*texts.vocabulary))
    form = np.full(len(others), query, np.int32)
    judged = judge(passages, form, others, floors_of(state.facts.settings()), threads)
    hits = []
    for i, (place, kind) in enumerate(zip(others.tolist(), judged.kinds, strict=True)):
        scores = judged.scores(i)
        assert scores.similarity is not None
        for copy in register.copies[int(texts.numbers[place])]:
            told = kind_of_documents(kind, copy.sha256 == reading.sha256)
            hits.append(FormHit(copy, scores.similarity, scores.containment, told))
    return tuple(sorted(hits, key=lambda hit: (-hit.similarity, hit.document.number)))
