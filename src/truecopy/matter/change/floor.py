"""Lowering a matter's floor: its pairs are found again from the stored words; documents and groups stay.

Everything is computed before the writer's lock is taken. If a wave was committed meanwhile, it is computed again. All
pairs and families are written anew, so no rows of a wave may be written ahead at the same time (`Store.adding`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import BadSetting
from truecopy.match.judge import Judged
from truecopy.match.relations import GROUPED, RELATION_NAMES, RELATIONS, relation_named
from truecopy.matter.change.ahead import sweep_if_free
from truecopy.matter.change.families import put_families
from truecopy.matter.change.following import following
from truecopy.matter.change.room import SpoolRoom
from truecopy.matter.change.spool import Spool, Spooled, published, spooling
from truecopy.matter.indexing import OVERLAP, RUNS, block_header, make_block, new_index, unit_of
from truecopy.matter.signed import index_type
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.matter.texts import all_texts, lengths_of, some_texts, stream_parts, streams_of
from truecopy.memory import memory_allowed
from truecopy.progress import Progress
from truecopy.settings import MatterSettings
from truecopy.text.streams import Streams
from truecopy.wave.dense import FamilyChanges, KnownFamilies, family_changes, keep_dense
from truecopy.wave.joining import Joining
from truecopy.wave.judging import judge_found
from truecopy.wave.looked import LookedAt
from truecopy.wave.parts import cut_in_parts, offsets_of
from truecopy.wave.stopwatch import Stopwatch


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
    room = SpoolRoom(spool, memory_allowed(None))
    return _find(state, before, settings, _blocks(state, spool, settings, threads), room, threads, progress)


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
    room: SpoolRoom,
    threads: int,
    progress: Progress,
) -> _Found:
    """Every pair at the new floors; found part by part where the texts are more than there is room for."""
    looked_at = _looked_at(state, room.words, threads)
    numbers = looked_at.numbers
    known = {name: KnownFamilies.of(np.zeros(len(numbers), np.int64), settings.dense) for name in RELATION_NAMES}
    families = {name: one.families for name, one in known.items()}
    join = Joining(looked_at, families, settings, threads, progress, Stopwatch())
    if looked_at.whole:
        found, shingles = join.at_once()
    else:
        parts = cut_in_parts(offsets_of(looked_at.lengths), room.words // 2)
        none_before = [numbers[:0]] * len(parts)
        found, shingles = join.in_parts(parts, _Stored(state, numbers), none_before, room)
    known = {name: replace(one, families=found[name].families) for name, one in known.items()}
    dense = any(one.families.dense() for one in known.values())
    principals, shown = (state.groups.every(), shown_links(state, settings.threshold)) if dense else ({}, {})
    pairs_found = {name: one.pairs for name, one in found.items()}
    stored = keep_dense(looked_at, known, pairs_found, shingles, principals, shown, settings, threads)
    pairs = judge_found(
        looked_at, stored, lambda some, _: state.documents.dates(some), settings, room.words, threads, progress
    )
    changes = family_changes(looked_at, known, stored, lambda *_: 0, settings)
    return _Found(before, settings, blocks, numbers, pairs, changes)


def _looked_at(state: State, room: int, threads: int) -> LookedAt:
    """All passages, in memory if they have no more words than there is room for."""
    numbers = np.concatenate([np.empty(0, np.int64), *(part.numbers for part in stream_parts(state))])
    lengths, everything = lengths_of(state, numbers), np.ones(len(numbers), np.bool_)
    if int(lengths.sum()) <= room:
        texts = all_texts(state)
        return LookedAt.all_of(texts, texts.bags(threads), everything)
    return LookedAt(numbers, lengths, everything, partial(some_texts, state))


@dataclass(frozen=True, slots=True)
class _Stored:
    """All texts of a matter, of which some are taken at a time."""

    state: State
    numbers: I64

    def __len__(self) -> int:
        return len(self.numbers)

    def some(self, first: int, last: int) -> Streams:
        """Those from one to another."""
        return streams_of(self.state, self.numbers[first:last])


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
