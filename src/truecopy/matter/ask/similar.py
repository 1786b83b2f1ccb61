"""Everything similar to a document: from its stored pairs where they are complete, else by the index."""

from __future__ import annotations

from pathlib import Path

from truecopy.matter.ask.naming import kept_of, named, without_text
from truecopy.matter.ask.views import best_first, equal_kind
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.state import State
from truecopy.model import Document, Hit, SimilarHits


def similar(state: State, name: str | Path | Document, threshold: float) -> SimilarHits:
    """Best first, copies included; a document of the matter, or a file from outside."""
    if isinstance(name, Document):
        kept = kept_of(state, name)
    else:
        found = named(state, str(name))
        if found is None:
            return SimilarHits(_by_index(state, name, threshold), threshold)
        kept = found
    if kept.passage is None:
        raise without_text(kept.document)
    if state.families.dense_of(kept.passage) is not None:  # not all of its pairs are stored
        return SimilarHits(_by_index(state, kept, threshold), threshold)
    return SimilarHits(_stored_hits(state, kept, kept.passage, threshold), threshold)


def _by_index(state: State, asked: str | Path | Kept, threshold: float) -> list[Hit]:
    """By the index: of a document of the matter, or of a file that no document is named like."""
    from truecopy.matter.ask.asked import asked_file, find_asked
    from truecopy.matter.ask.near import similar_by_index

    found = find_asked(state, asked) if isinstance(asked, Kept) else asked_file(state, asked)
    return similar_by_index(state, found, threshold)


def _stored_hits(state: State, asked: Kept, passage: int, threshold: float) -> list[Hit]:
    stored = state.pairs.of(passage, "similar", threshold)
    found: dict[int, tuple[float, str]] = {}
    for row, (a, b) in enumerate(stored.columns[:, :2].tolist()):
        found[b if a == passage else a] = stored.similarity(row), stored.kinds[row]
    hits = []
    every = state.documents.of_passages([passage, *found])
    if not found.keys() <= {kept.passage for kept in every}:
        raise wrong_cell("pairs.a")
    for kept in every:
        one = kept.document
        if kept.passage != passage:
            hits.append(Hit(one, *found[kept.passage or 0]))
        elif one.number != asked.document.number:
            hits.append(Hit(one, 100.0, equal_kind(asked.document, one)))
    return sorted(hits, key=best_first)
