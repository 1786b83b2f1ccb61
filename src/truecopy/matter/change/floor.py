"""Lowering a matter's floor: its pairs are found again from the stored words; documents and groups stay.

Everything is computed before the writer's lock is taken. If a wave was committed meanwhile, it is computed again. All
pairs and families are written anew, so no rows of a wave may be written ahead at the same time (`Store.adding`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import BadSetting
from truecopy.group.families import Families
from truecopy.match.judge import Judged, Passages
from truecopy.match.relations import GROUPED, RELATIONS, floors_of, relation_named
from truecopy.matter.change.families import put_families
from truecopy.matter.change.following import following
from truecopy.matter.change.spool import Spool, Spooled, published, spooling
from truecopy.matter.indexing import OVERLAP, RUNS, block_header, make_block, new_index, unit_of
from truecopy.matter.signed import index_type
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.matter.texts import all_texts
from truecopy.pairing import finder_of, judge_pairs, shingles_of
from truecopy.progress import Progress
from truecopy.settings import MatterSettings
from truecopy.wave.dense import FamilyChanges, KnownFamilies, family_changes, keep_dense
from truecopy.wave.looked import LookedAt


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
    if not name:
        raise BadSetting(
            f"The floor of the relation {relation} cannot be lowered: it is the same in every matter.",
            f"Give one of {', '.join(one.name for one in RELATIONS if one.setting)}.",
        )
    with store.reading() as state:
        settings = state.facts.settings()
    if float(floor) == getattr(settings, name):
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
        made.append(Spooled(*written, index_type(name), 1, last, unit_of(name), name))
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
    found = {
        relation.name: finder_of(relation.name).find(
            texts.streams, bags, relation.floor_of(settings), relation.recall_of(settings), everything, threads,
            progress, Families(len(texts), settings.dense),
        )
        for relation in RELATIONS
    }  # fmt: skip
    known = {name: KnownFamilies(one.families, nothing) for name, one in found.items()}
    shingles = shingles_of(found.values(), texts.streams, threads)
    dense = any(one.families.dense() for one in known.values())
    principals, shown = (state.groups.every(), shown_links(state, settings.threshold)) if dense else ({}, {})
    looked_at = LookedAt.all_of(texts, bags, everything)
    pairs_found = {name: one.pairs for name, one in found.items()}
    stored = keep_dense(looked_at, known, pairs_found, shingles, principals, shown, settings, threads)
    dates = state.documents.dates(texts.numbers)
    passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, bags)
    pairs = list(judge_pairs(passages, stored.pairs.values(), floors_of(settings), threads, progress, stored.shingles))
    families = family_changes(looked_at, known, stored, lambda *_: 0, settings)
    return _Found(before, settings, blocks, texts.numbers, pairs, families)


def shown_links(state: State, threshold: float) -> dict[int, int]:
    """The passages that are linked, each with one that a stored pair says it is similar to."""
    from truecopy.model import Filter

    linked = {kept.passage for kept in state.documents.page(Filter(("linked",)))}
    shown: dict[int, int] = {}
    for a, b in state.pairs.at(GROUPED, threshold).columns[:, :2].tolist() if linked else ():
        for one, other in ((a, b), (b, a)):
            if one in linked:
                shown.setdefault(one, other)
    return shown
