"""Lowering a matter's floor: its pairs are found again from the stored words; documents and groups stay.

Everything is computed before the writer's lock is taken. If a wave was committed meanwhile, it is computed again. All
pairs and families are written anew, so nobody may be writing a wave's ahead of it (`Store.adding`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import BadSetting
from truecopy.match.judge import Judged, Passages
from truecopy.match.relations import RELATION_NAMES, floors_of, relation_named
from truecopy.matter.change.ahead import sweep_if_free
from truecopy.matter.change.families import put_families
from truecopy.matter.change.following import following
from truecopy.matter.change.spool import Spool, Spooled, published, spooling
from truecopy.matter.indexing import OVERLAP, RUNS, block_header, make_block, new_index, unit_of
from truecopy.matter.signed import index_kind
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.matter.texts import all_texts
from truecopy.pairing import find_contained, find_similar, judge_pairs
from truecopy.progress import Progress
from truecopy.settings import MatterSettings
from truecopy.wave.dense import FamilyChanges, KnownFamilies, family_changes, keep_dense
from truecopy.wave.looked import LookedAt

I64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class _Found:
    """What is to be stored."""

    before: MatterSettings
    settings: MatterSettings
    blocks: list[Spooled]
    numbers: I64
    pairs: list[Judged]
    families: list[FamilyChanges]


def lower_floor(store: Store, floor: float, relation: str, threads: int, progress: Progress) -> MatterSettings:
    """Store the pairs of a relation from a lower similarity or containment on; a floor that is the matter's is kept."""
    name = relation_named(relation).setting
    store.must_be_outside_snapshot()
    with store.reading() as state:
        settings = state.facts.settings()
    if float(floor) == getattr(settings, name):
        sweep_if_free(store)
        return settings  # nothing to write, and writing may not even be possible
    store.must_be_writable()
    with spooling(store.folder) as spool:
        with following(
            store,
            lambda state: _lowered(state, spool, name, float(floor), threads, progress),
            signed=False,
            alone=True,
        ) as (state, found):
            if found is None:  # somebody else has lowered it meanwhile
                return state.facts.settings()
            state.pairs.forget()
            for judged in found.pairs:
                state.pairs.insert(judged, found.numbers)
            state.families.forget()
            put_families(state, found.families)
            state.facts.set_settings(found.settings)
            files = published(state, spool, found.blocks, state.waves.last())
            count = sum(map(len, found.pairs))
            change = {"relation": relation, "from": getattr(found.before, name), "to": float(floor), "pairs": count}
            state.audit.record("floor", change)
        store.arrays.note_written(files)
    return found.settings


def _lowered(state: State, spool: Spool, name: str, floor: float, threads: int, progress: Progress) -> _Found | None:
    """What follows from a lower floor, for one state of the matter; None from an equal one; a higher one is refused."""
    before = state.facts.settings()
    if floor == getattr(before, name):
        return None
    if floor > getattr(before, name):
        raise BadSetting(
            f"The floor {floor:g} is over the matter's floor of {getattr(before, name):g}; it can only be lowered.",
            "Ask for a higher --threshold instead.",
        )
    changed: dict[str, Any] = {name: floor}
    settings = replace(before, **changed)
    return _find(state, before, settings, _blocks(state, spool, settings, threads), threads, progress)


def _blocks(state: State, spool: Spool, settings: MatterSettings, threads: int) -> list[Spooled]:
    """The indexes that list texts for a floor, made for the new one."""
    last = state.waves.last()
    made = []
    for name in (OVERLAP, RUNS) if last else ():
        index = new_index(state, name, settings)
        block = make_block(state, name, index, 1, last, threads=threads)
        written = spool.write(block_header(index), block.stored())
        made.append(Spooled(*written, index_kind(name), 1, last, unit_of(name), name))
    return made


def _find(
    state: State,
    before: MatterSettings,
    settings: MatterSettings,
    blocks: list[Spooled],
    threads: int,
    progress: Progress,
) -> _Found:
    """Every pair at the new floors."""
    texts = all_texts(state)
    everything = np.ones(len(texts), np.bool_)
    bags = texts.bags(threads)
    nothing = np.zeros(len(texts), np.int64)
    known = {name: KnownFamilies.of(nothing, settings.dense) for name in RELATION_NAMES}
    similar = find_similar(
        texts.streams, bags, settings.floor, settings.recall, everything, threads, progress, known["similar"].families
    )
    contained = find_contained(
        texts.streams, settings.contains_floor, everything, threads, progress, known["contains"].families
    )
    dense = any(found.families.dense() for found in known.values())
    principals, shown = (state.groups.every(), shown_links(state, settings.threshold)) if dense else ({}, {})
    looked_at = LookedAt.all_of(texts, bags, everything)
    stored = keep_dense(looked_at, known, (similar, contained), principals, shown, settings, threads)
    dates = state.documents.dates(texts.numbers)
    passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, bags)
    pairs = list(judge_pairs(passages, *stored, floors_of(settings), threads, progress))
    families = family_changes(looked_at, known, stored, lambda *_: 0, settings)
    return _Found(before, settings, blocks, texts.numbers, pairs, families)


def shown_links(state: State, threshold: float) -> dict[int, int]:
    """The passages that are linked, each with one that a stored pair says it is similar to."""
    from truecopy.model import Filter

    linked = {kept.passage for kept in state.documents.page(Filter(("linked",)))}
    shown: dict[int, int] = {}
    for a, b in state.pairs.at("similar", threshold).columns[:, :2].tolist() if linked else ():
        for one, other in ((a, b), (b, a)):
            if one in linked:
                shown.setdefault(one, other)
    return shown
