"""Adding a wave: computed without any lock, then committed in one short transaction (`ahead.py` for what is many rows).

If another wave was committed meanwhile, everything after reading is computed again, so that the end is the same as if
the two had come one after the other. Killed at any moment, the matter is as it was before, or as it is after.
"""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from truecopy.array_types import I64
from truecopy.collecting import seldom_collecting
from truecopy.errors import NotFound
from truecopy.heap import keep_large_apart
from truecopy.index.rows import Rows, rows_of
from truecopy.matter.before import StoredBefore
from truecopy.matter.bodies import TEXTS, stated_size, unpacked
from truecopy.matter.change.ahead import is_large, sweep_at_once, sweep_if_free, sweep_unseen, write_ahead
from truecopy.matter.change.following import TRIES
from truecopy.matter.change.room import SpoolRoom
from truecopy.matter.change.rows import WaveRows, wave_rows
from truecopy.matter.change.signing import refuse_other
from truecopy.matter.change.spool import Spool, Spooled, published, spooling, sweep_spools
from truecopy.matter.indexing import (
    Fresh,
    block_header,
    blocks_to_make,
    merged_arrays,
    new_index,
    unit_of,
)
from truecopy.matter.signed import SignedText, index_type, read_statistics, sign_texts, signature_type
from truecopy.matter.sql.audit import now
from truecopy.matter.sql.files import File
from truecopy.matter.state import Basis, State
from truecopy.matter.store import Store
from truecopy.matter.texts import STREAMS
from truecopy.matter.words import VOCABULARY, WORD_SPEC
from truecopy.memory import memory_allowed
from truecopy.model import DOCUMENT, STATUSES, Reading, Wave
from truecopy.pipeline import compute_wave
from truecopy.progress import Progress, during
from truecopy.read import ReadSettings, discover, read_then
from truecopy.read.links import SKIPPED_LINKS
from truecopy.read.names import name_shown
from truecopy.settings import MatterSettings
from truecopy.text.batches import is_utf8
from truecopy.wave.intake import Intake, Prepared, prepare_batch, take_in
from truecopy.wave.result import WaveResult
from truecopy.wave.stopwatch import Stopwatch

Custodian = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Added:
    """What happened to the documents of a wave."""

    documents: int
    statuses: dict[str, int]
    wave: str
    """Its name; empty where nothing was new, and so no wave was made."""
    already: int
    """Documents that the matter had already: the same root, path and bytes."""
    seconds: dict[str, float]
    joined: int = 0
    """Documents that joined earlier groups, without copies of earlier documents."""
    new_groups: int = 0
    copies_of_earlier: int = 0
    """Documents that repeat a document of an earlier wave."""
    links: int = 0
    """Links in the given folders that were not followed."""
    members_not_read: int = 0
    """Files and messages of archives and mailboxes that hold more than is allowed."""
    name_taken: str = ""
    """The name that was asked for, where another wave took it while this one was computed."""


def add_wave(
    store: Store,
    paths: Sequence[str | Path],
    name: str | None,
    reading: ReadSettings,
    threads: int,
    progress: Progress,
    custodian: Custodian = lambda _: "",
    memory: int | None = None,
) -> Added:
    """Read documents, find their pairs with each other and with what is there, group them, and store it all.

    `memory` is how many bytes joining texts may take; half of the machine's memory if nothing is said.
    """
    keep_large_apart()
    with seldom_collecting():
        return _add_wave(store, paths, name, reading, threads, progress, custodian, memory_allowed(memory))


def _add_wave(
    store: Store,
    paths: Sequence[str | Path],
    name: str | None,
    reading: ReadSettings,
    threads: int,
    progress: Progress,
    custodian: Custodian,
    memory: int,
) -> Added:
    store.must_be_outside_snapshot()
    watch = Stopwatch()
    sources = discover(paths, reading, frozenset({store.folder.resolve()}))
    links = sum(source.reason in SKIPPED_LINKS for source in sources)
    with store.reading() as state:
        taken = name in _names(state)
    store.must_be_writable()
    sweep_if_free(store)  # first: what a full disk has stopped needs the room
    with spooling(store.folder) as spool:
        room = SpoolRoom(spool, memory)
        with watch.stage("read"):
            have = _have(store)
            every = read_then(sources, reading, lambda batch: prepare_batch(batch, have), progress, is_utf8)
            with contextlib.closing(every):
                batches = _nothing_new(every, store, name) if taken else every
                intake = take_in(batches, spool.keep_bodies, custodian, spool.keep)
            del sources, every, batches  # some hundred bytes for each file
        if not intake.arrivals and not intake.already:
            looked = ", ".join(name_shown(str(path)) for path in paths[:3]) + (", …" if len(paths) > 3 else "")
            said = f"No file was found in {looked}." if paths else "No path was given."
            raise NotFound(said, "Give a folder that has files in it, or a file.")
        if not intake.arrivals:
            return Added(0, {}, "", intake.already, watch.seconds, links=links)
        tries = 0
        while True:
            with store.snapshot() as state:
                computed = _compute(state, spool, room, intake, threads, progress, watch)
            with store.adding():
                sweep_unseen(store)
                sweep_spools(store.folder)
                with watch.stage("store"):
                    ahead = _write_ahead(store, computed)
                with store.writing(longer=True) as state:
                    if computed.is_stale(state):  # somebody was quicker
                        intake = _without_known(state, intake)
                        if not intake.arrivals:
                            return Added(0, {}, "", intake.already, watch.seconds, links=links)
                        tries += 1
                        if tries < TRIES:
                            continue
                        sweep_at_once(state)
                        ahead = False
                        computed = _compute(
                            state, spool, room, intake, threads, progress, watch
                        )  # and now nobody else writes
                    store.sweep(state, spool.folder)
                    with watch.stage("store"), during(progress, "store"):
                        if not ahead:
                            computed.rows.new.insert(state)
                        given, written = _commit(state, spool, computed, name, reading, watch, store.nonce)
                    commit = time.perf_counter()
                    progress.start("store", None, "documents")
                break
        store.arrays.note_written(written)
    progress.finish()
    watch.seconds["store"] += time.perf_counter() - commit
    taken_name = name if name is not None and name != given else ""
    return replace(_added(computed.result, given, intake, watch, links), name_taken=taken_name)


def _write_ahead(store: Store, computed: _Computed) -> bool:
    """Write the new rows of a wave ahead of it, if they are many; whether they were.

    In a matter without documents nobody has anything to write, and the indexes of tables are made when they are full.
    """
    if not computed.result.after or not is_large(computed.rows.new):
        return False
    with store.reading() as state:
        if computed.is_stale(state):
            return False
    write_ahead(store, computed.rows.new)
    return True


def _names(state: State) -> set[str]:
    return {one.name for one in state.waves.every()}


def _nothing_new(batches: Iterable[Prepared], store: Store, name: str | None) -> Iterator[Prepared]:
    """The batches of a wave whose name is taken: the same command may be run again, and has nothing new to add.

    The first new document shows that it is another wave, which is refused before hours of reading.
    """
    for batch in batches:
        if batch.readings:
            with store.reading() as state:
                state.waves.free_name(name)
        yield batch


def _free_name(state: State, name: str | None) -> str:
    """The name for a wave that is computed: one that another took meanwhile gets a number, and no work is lost."""
    names, number = _names(state), 1
    given = state.waves.free_name(None) if name is None else name
    while given in names:
        number += 1
        given = f"{name} ({number})"
    return given


@dataclass(frozen=True, slots=True)
class _Computed:
    """A wave as it follows on one state of the matter, with its segments in the spool."""

    basis: Basis
    settings: MatterSettings
    result: WaveResult
    spooled: list[Spooled]
    rows: WaveRows

    def is_stale(self, state: State) -> bool:
        """Whether the matter has changed since in a way that matters to a wave."""
        if state.basis() != self.basis:
            return True
        made = {one.index: one.first for one in self.spooled if one.index}
        return made != blocks_to_make(state, self.result.after + 1, len(self.result.documents))


def _compute(
    state: State, spool: Spool, room: SpoolRoom, intake: Intake, threads: int, progress: Progress, watch: Stopwatch
) -> _Computed:
    settings = state.facts.settings()
    result = compute_wave(StoredBefore(state), intake, settings, threads, progress, watch, room)
    spooled = _spool(state, spool, room, result, threads, progress, watch)
    with watch.stage("store"), during(progress, "store"):
        rows = wave_rows(state, result)
    return _Computed(state.basis(), settings, result, spooled, rows)


def _without_known(state: State, intake: Intake) -> Intake:
    """What was taken in, without documents that the matter has got meanwhile: the same root, path and bytes."""
    have = state.documents.have({one.reading.path for one in intake.arrivals})
    kept = [one for one in intake.arrivals if (one.reading.root, one.reading.path, one.reading.sha256) not in have]
    return replace(intake, arrivals=kept, already=intake.already + len(intake.arrivals) - len(kept))


def _have(store: Store) -> Callable[[list[Reading]], set[tuple[str, str, str]]]:
    """A function that says which documents are there already; the threads that read call it, each for its own batch.

    In a matter without documents it does not look: if a wave comes meanwhile, this one is computed again, and its
    documents are compared then.
    """
    with store.reading() as state:
        if not state.waves.any():
            return lambda _: set()

    def have(readings: list[Reading]) -> set[tuple[str, str, str]]:
        with store.reading() as state:
            return state.documents.have({reading.path for reading in readings})

    return have


def _spool(
    state: State,
    spool: Spool,
    room: SpoolRoom,
    result: WaveResult,
    threads: int,
    progress: Progress,
    watch: Stopwatch,
) -> list[Spooled]:
    """Write the segments of a wave: texts, words, signatures and index blocks."""
    fresh, first, texts = result.fresh, result.first_passage, result.texts
    known = 1 + max((one.last for one in state.files.of(VOCABULARY)), default=-1)
    start = 1 + state.documents.last_text()
    spec = WORD_SPEC.as_json()
    with watch.stage("store"), during(progress, "store"):
        spooled = [
            Spooled(*spool.write_texts([one.body for one in texts]), TEXTS, start, start + len(texts) - 1),
            Spooled(*spool.write(spec, fresh.streams()), STREAMS, first, first + len(fresh) - 1, DOCUMENT),
            Spooled(*spool.write(spec, fresh.vocabulary()), VOCABULARY, known, known + len(fresh.hashes) - 1),
        ]
    signatures: dict[str, tuple[Rows, I64]] = {}
    signed: list[Spooled] = []
    with watch.stage("sign"):
        for method, how in state.signings.every().items():
            refuse_other(state, how, None, {})
            wanted = [SignedText(one.number, one.document, one.date) for one in texts]
            read = partial(_unpacked, spool, {one.number: one.body for one in texts})
            made = sign_texts(wanted, read, how, read_statistics(state, how), threads, progress)
            documents = np.array([one.document for one in wanted], np.int64)
            written = spool.write(how.as_json(), {**made.arrays(), "documents": documents})
            signed.append(Spooled(*written, signature_type(method), start, start + len(texts) - 1))
            signatures[method] = rows_of(made), documents
    numbers = np.arange(first, first + len(fresh), dtype=np.int64)
    brought = Fresh(numbers, fresh.streams(), signatures, spooled[-1].checksum, room)
    return spooled + signed + _spool_blocks(state, spool, result, brought, threads, progress, watch)


def _spool_blocks(
    state: State,
    spool: Spool,
    result: WaveResult,
    fresh: Fresh,
    threads: int,
    progress: Progress,
    watch: Stopwatch,
) -> list[Spooled]:
    """A block for the wave in every index; now and then together with blocks before it, which is counted as merging."""
    wave, spooled = result.after + 1, []
    blocks = blocks_to_make(state, wave, len(result.documents))
    progress.start("blocks", len(blocks), "indexes")
    for name, first in blocks.items():
        index = new_index(state, name)
        with watch.stage("index" if first == wave else "merge"):
            # One index after the other: no name holds a block while the next one is made.
            arrays = merged_arrays(state, name, index, first, wave, fresh, threads)
            written = spool.write(block_header(index), arrays)
            del arrays
        spooled.append(Spooled(*written, index_type(name), first, wave, unit_of(name), name))
        progress.advance(1)
    progress.finish()
    return spooled


def _unpacked(spool: Spool, places: Mapping[int, int], number: int) -> bytes:
    body = spool.body(places[number])
    return unpacked(body, stated_size(body))


def _commit(
    state: State,
    spool: Spool,
    computed: _Computed,
    name: str | None,
    reading: ReadSettings,
    watch: Stopwatch,
    nonce: str | None,
) -> tuple[str, list[File]]:
    """Write the rows that make a wave count, once its new ones are written, and move its segments to where rows say
    they are; returns the wave's name and its files.
    """
    result, settings = computed.result, computed.settings
    wave = result.after + 1
    name = _free_name(state, name)
    computed.rows.changes.write(state, settings)
    files = published(state, spool, computed.spooled, wave)
    details = {
        "generator": result.generator,
        "recall": result.recall,
        "pairs": result.pair_count,
        "seconds": {stage: round(seconds, 3) for stage, seconds in watch.seconds.items()},
        "settings": settings.as_json(),
        "encoding": list(reading.encoding),
    }
    last = result.documents[-1].number, result.first_passage + len(result.fresh) - 1
    state.waves.insert(Wave(name, len(result.documents), now()), wave, last, details)
    state.audit.record("add", {"wave": name, "documents": len(result.documents), "pairs": result.pair_count}, nonce)
    return name, files


def _added(result: WaveResult, name: str, intake: Intake, watch: Stopwatch, links: int) -> Added:
    counts = Counter(result.statuses())
    first = result.documents[0].number
    return Added(
        documents=len(result.documents),
        statuses={status: counts[status] for status in STATUSES if counts[status]},
        wave=name,
        already=intake.already,
        seconds=watch.seconds,
        joined=result.joined.joined,
        new_groups=result.joined.founded,
        copies_of_earlier=sum(one.copy_of is not None and one.copy_of < first for one in result.documents),
        links=links,
        members_not_read=sum(one.reading.members_not_read for one in intake.arrivals),
    )
