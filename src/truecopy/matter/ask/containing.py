"""What contains a document, or is contained in it: by the stored shingles where these tell, else by an index.

How many documents contain one is also known beside another question, from what is stored and without any index being
made for it: whoever asks that other question does not wait for a hint.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np

from truecopy.array_types import U32, U64
from truecopy.index.methods import containment_limit
from truecopy.index.rows import SHINGLES
from truecopy.index.shingles import shingle_rows
from truecopy.match.part import in_text
from truecopy.match.relations import CONTAINS
from truecopy.matter.ask.asked import AskedDocument, find_asked
from truecopy.matter.ask.measured import Measured, measure, shared_with
from truecopy.matter.ask.near import Answer, NearHit, Places, containment
from truecopy.matter.indexing import OVERLAP, RUNS, is_stored, open_kept, run_blocks
from truecopy.matter.state import State
from truecopy.matter.texts import shingle_keys, stream_of
from truecopy.matter.touching import touch_blocks
from truecopy.model import Document
from truecopy.threshold import reaches, ten_thousandths


def containing(
    state: State,
    name: str | Path | Document,
    contains: bool,
    threshold: float | None = None,
    method: str | None = None,
    threads: int = 1,
) -> Answer:
    """Documents that contain a document (`contains`), or else documents that it contains, with the part where it is."""
    share = containment_limit(SHINGLES, contains, threshold).percent
    settings = state.facts.settings()
    if method is None and ten_thousandths(share) >= ten_thousandths(settings.contains_floor):
        asked = find_asked(state, name)
        asked.must_have_words()
        words, room = stream_of(state, asked.stream)
        keys = shingle_keys(state, room)
        if CONTAINS.is_enough(_shingles(words, keys)):
            return _by_shingles(state, asked, contains, share, (words, keys), threads)
    return containment(state, name, contains, threshold, method, threads)


def count_containing(state: State, name: str | Path | Document, threads: int = 1) -> int:
    """How many documents with other words are known to contain a document or a file, by what is stored alone.

    That is the stored pairs of a document, and the stored runs for everything else; where these are damaged or not
    there, nothing is known. Of a text that is too short for the relation nothing is said.
    """
    asked = find_asked(state, name)
    if not CONTAINS.is_enough(asked.words):  # it has fewer shingles than words
        return 0
    share = max(containment_limit(SHINGLES, True, None).percent, state.facts.settings().contains_floor)
    passage = None if asked.kept is None else asked.kept.passage
    if passage is not None and state.families.dense_of(passage, CONTAINS.name) is None:
        return state.documents.count_of_passages(_stored_containing(state, passage, share))
    if not (is_stored(state, RUNS) and is_stored(state, OVERLAP)):
        return 0
    return state.documents.count_of_passages(_listed_containing(state, asked, share, threads))


def _stored_containing(state: State, passage: int, share: float) -> list[int]:
    """The passages that contain one, by its stored pairs."""
    stored, found = state.pairs.of(passage, CONTAINS.name, share), []
    for row, (a, b) in enumerate(stored.columns[:, :2].tolist()):
        scores, first = stored.scores(row), a == passage
        own = scores.a_shingles if first else scores.b_shingles
        if scores.distance and CONTAINS.is_enough(own) and reaches(scores.shared_shingles, own, share):
            found.append(b if first else a)
    return found


def _listed_containing(state: State, asked: AskedDocument, share: float, threads: int) -> list[int]:
    """The passages that contain a text, by the shingles that the matter lists."""
    words, room = stream_of(state, asked.stream)
    keys = shingle_keys(state, room)
    own = _shingles(words, keys)
    if not CONTAINS.is_enough(own):
        return []
    offsets = np.array([0, len(words)], np.int64)
    touched = touch_blocks(state, run_blocks(state), (words, offsets, keys), threads, share)
    shared = shared_with(state, asked, touched, threads)
    return [passage for passage, count in shared.items() if reaches(count, own, share)]


def _shingles(words: U32, keys: U64) -> int:
    """How many distinct ones a text has; few are not listed."""
    return len(shingle_rows(words, np.array([0, len(words)], np.int64), keys).values)


def _by_shingles(
    state: State, asked: AskedDocument, contains: bool, share: float, text: tuple[U32, U64], threads: int
) -> Answer:
    """The answer by the shingles that the matter lists for its floor and everything above it."""
    start, settings = time.perf_counter(), state.facts.settings()
    words, keys = text
    offsets = np.array([0, len(words)], np.int64)
    passages = touch_blocks(state, run_blocks(state), (words, offsets, keys), threads, share).tolist()
    measures = measure(state, asked, passages, settings, threads)
    wanted = [passage for passage, one in measures.items() if _holds(one, contains, share)]
    placed = measure(state, asked, wanted, settings, threads, contains)
    places, hits = Places(state, asked, contains), []
    for kept in state.documents.of_passages(wanted):
        if asked.is_same(kept.document):
            continue
        one = placed[kept.passage or 0]
        assert one.part is not None
        shares = one.scores.containment
        distance = 100.0 - shares[0 if contains else 1]
        kind, part = one.kind_of(kept.document, asked), in_text(places.words(kept), one.part)
        hits.append(NearHit(kept.document, one.similarity, kind, distance, shares, part))
    hits.sort(key=lambda hit: (hit.distance, -hit.similarity, hit.document.number))
    of = "containment of the document" if contains else "containment in the document"
    seconds, damaged = time.perf_counter() - start, open_kept(state, RUNS).damaged
    return Answer(
        tuple(hits), SHINGLES.method, SHINGLES, f"100 − {of}, by shingles", 1.0, len(passages), seconds, tuple(damaged)
    )


def _holds(one: Measured, contains: bool, share: float) -> bool:
    """Whether enough of the asked document is in the other or, unless `contains`, of that in the asked one."""
    whole = one.scores.a_shingles if contains else one.scores.b_shingles
    return (contains or CONTAINS.is_enough(whole)) and reaches(one.scores.shared_shingles, whole, share)
