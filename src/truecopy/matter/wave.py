"""Adding a wave: everything from paths to groups, in one transaction at its end."""

from __future__ import annotations

import contextlib
import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, bindparam, func, select

from truecopy.errors import NotFound, UsageError
from truecopy.heap import give_back
from truecopy.matter import rows, tables
from truecopy.matter.audit import now, record
from truecopy.matter.dense import DenseStars, Earlier, keep_dense, known_families, write_density
from truecopy.matter.indexing import index_new_wave
from truecopy.matter.intake import Arrival, Known, KnownFile, prepare_batch, take_in
from truecopy.matter.naming import numbers_of
from truecopy.matter.signing import sign_new_wave
from truecopy.matter.store import Store
from truecopy.matter.texts import Texts, load_vocabulary, store_wave, stream_parts, with_wave
from truecopy.matter.views import Register, group_texts
from truecopy.model import COPIES, RELATIONS, STATUSES
from truecopy.pairing import Similar, find_contained, find_similar, measure
from truecopy.progress import Progress, during
from truecopy.read import ReadSettings, discover, read_then
from truecopy.read.links import SKIPPED_LINKS
from truecopy.read.names import shown
from truecopy.settings import MatterSettings
from truecopy.text.batches import is_utf8
from truecopy.text.streams import Bags
from truecopy.threshold import limits

Array = npt.NDArray[Any]
_LONG = 0.2
"""Seconds after which a stage has handled so much memory that returning it is worth a few milliseconds."""
T = TypeVar("T")


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


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextlib.contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Add the time spent inside to a stage; what a long one has freed goes back to the system."""
        start = time.perf_counter()
        try:
            yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[name] = self.seconds.get(name, 0.0) + taken
            if taken > _LONG:
                give_back()

    def each(self, name: str, made: Iterator[T]) -> Iterator[T]:
        """Everything that an iterator makes, while the time that it takes is counted."""
        while True:
            with self.stage(name):
                try:
                    one = next(made)
                except StopIteration:
                    return
            yield one


def add_wave(
    store: Store,
    paths: Sequence[str | Path],
    name: str | None,
    reading: ReadSettings,
    threads: int,
    progress: Progress,
) -> Added:
    """Read documents, find their pairs with each other and with what is there, group them, and store it all."""
    watch = Stopwatch()
    sources = discover(paths, reading, frozenset({store.folder.resolve()}))
    links = sum(source.reason in SKIPPED_LINKS for source in sources)
    with store.writing() as connection:
        settings = store.settings()  # not before: another process may have lowered the floor while this one waited
        store.sweep(connection)
        number, name = _next_wave(connection, name)
        have = _have(connection)
        vocabulary = load_vocabulary(store.folder, connection)
        known_words = len(vocabulary)
        with watch.stage("read"):
            batches = read_then(sources, reading, lambda batch: prepare_batch(batch, have), progress, is_utf8)
            store_texts = partial(_insert_texts, connection)
            intake = take_in(batches, _known(connection), vocabulary, store_texts)
        if not intake.arrivals and not intake.already:
            looked = ", ".join(shown(str(path)) for path in paths[:3]) + (", …" if len(paths) > 3 else "")
            said = f"No file was found in {looked}." if paths else "No path was given."
            raise NotFound(said, "Give a folder that has files in it, or a file.")
        if not intake.arrivals:
            return Added(0, {}, "", intake.already, watch.seconds, links=links)
        with watch.stage("text"), during(progress, "text"):
            texts, part = with_wave(stream_parts(store.folder, connection, known_words), intake, vocabulary, threads)
            bags = texts.bags(threads)
        fresh = np.arange(len(texts.numbers)) >= len(texts.numbers) - len(part["numbers"])
        with watch.stage("similar"):
            known = {name: known_families(connection, name, texts.numbers, settings.dense) for name in RELATIONS}
            similar = find_similar(
                texts.streams, bags, settings.floor, settings.recall, fresh, threads, progress,
                known["similar"].families,
            )  # fmt: skip
        with watch.stage("contains"):
            contained = find_contained(
                texts.streams, settings.contains_floor, fresh, threads, progress, known["contains"].families
            )
        with watch.stage("group"), during(progress, "group"):
            before = rows.read_heads(connection)
            _open_wave(connection, number, name, len(intake.arrivals))
            shingles = dict(zip(texts.numbers.tolist(), contained.sizes.tolist(), strict=True))
            rows.insert_documents(connection, number, intake.arrivals, shingles)
            dense = _dense_stars(known["similar"], texts, bags, settings, threads)
            principals = _group(connection, settings, texts.numbers, similar, dense)
            of_dense = dense.shown if dense else {}
            stored, contained = keep_dense(
                texts, known, (similar, contained), fresh, principals, of_dense, settings, threads
            )
            write_density(connection, settings, texts, known, (stored, contained))
        with watch.stage("sign"):
            sign_new_wave(store, connection, number, threads, progress)
        pairs = 0
        dates = rows.read_dates(connection, texts.numbers)
        measured = measure(
            texts.streams, bags, texts.signs, dates, texts.vocabulary, stored, contained, threads, progress
        )
        for table in watch.each("measure", measured):
            with watch.stage("store"):
                rows.insert_pairs(connection, table, texts.numbers)
            pairs += len(table)
        with watch.stage("store"), during(progress, "store"):
            store_wave(store.folder, connection, number, part, vocabulary, known_words)
        # The words are on the disk now, and the index reads them from there: nobody needs them twice in memory.
        del texts, bags, contained, stored, measured, part, vocabulary, known, dense
        intake.words, intake.breaks = [], []
        with watch.stage("index"):
            index_new_wave(store, connection, number, progress)
        with watch.stage("store"):
            statuses = _wave_statuses(connection, number)
            change = _change(intake.arrivals, principals, before, rows.read_heads(connection))
            _close_wave(connection, number, similar, pairs, watch, settings, reading)
            record(connection, "add", {"wave": name, "documents": len(intake.arrivals), "pairs": pairs})
        commit = time.perf_counter()
        progress.start("store", None, "documents")
    progress.finish()
    watch.seconds["store"] += time.perf_counter() - commit
    not_read = sum(arrival.reading.members_not_read for arrival in intake.arrivals)
    return Added(len(intake.arrivals), statuses, name, intake.already, watch.seconds, *change, links, not_read)


def _next_wave(connection: Connection, name: str | None) -> tuple[int, str]:
    number = 1 + (connection.execute(select(func.max(tables.waves.c.number))).scalar() or 0)
    name = name or f"wave {number}"
    if connection.execute(select(tables.waves.c.number).where(tables.waves.c.name == name)).first():
        raise UsageError(f"The matter has a wave named {name!r} already.", "Give another name with --wave.")
    return number, name


def _have(connection: Connection) -> set[tuple[str, str, str]]:
    table = tables.documents
    return {
        (row.root, row.path, row.sha256)
        for row in connection.execute(select(table.c.root, table.c.path, table.c.sha256))
    }


def _known(connection: Connection) -> Known:
    table = tables.documents
    known = Known(name=rows.document_id)
    query = select(table.c.number, table.c.sha256, table.c.figures_sha256, table.c.original, table.c.text)
    for row in connection.execute(query.order_by(table.c.original.is_(None), table.c.number)):
        if row.sha256:
            known.files.setdefault(row.sha256, KnownFile(row.number, row.original, row.text))
        if row.original == row.number:
            known.texts.setdefault(row.figures_sha256, row.number)
    known.last_document = connection.execute(select(func.max(table.c.number))).scalar() or 0
    known.last_text = connection.execute(select(func.max(tables.texts.c.number))).scalar() or 0
    return known


def _insert_texts(connection: Connection, bodies: list[tuple[int, bytes]]) -> None:
    if bodies:
        connection.execute(tables.texts.insert(), [{"number": number, "body": body} for number, body in bodies])


def _dense_stars(known: Earlier, texts: Texts, bags: Bags, settings: MatterSettings, threads: int) -> DenseStars | None:
    """What groups the texts of dense families; None where there are none."""
    families = [texts.numbers[family] for family in known.families.dense()]
    return DenseStars(texts, bags, families, settings.threshold, threads) if families else None


def _group(
    connection: Connection, settings: MatterSettings, numbers: Array, similar: Similar, dense: DenseStars | None
) -> dict[int, int]:
    """Put the new texts into the matter's own grouping, and give every document the status that follows."""
    register = rows.read_register(connection)
    at_threshold = similar.take(np.flatnonzero(similar.distance <= limits(similar.longer, settings.threshold)))
    links = np.concatenate(
        [
            rows.read_pairs(connection, "similar", settings.threshold).columns[:, :4],
            np.stack(
                [
                    numbers[at_threshold.a],
                    numbers[at_threshold.b],
                    at_threshold.distance,
                    at_threshold.longer,
                ],
                axis=1,
            ),
        ]
    )
    settled = rows.read_principals(connection)
    rows.write_grouping(connection, settings)
    given = given_numbers(register, settings.given)
    principals, linked = group_texts(register, links, settings.rule, given, settled, dense)
    rows.insert_principals(connection, [item for item in principals.items() if item[0] not in settled])
    _set_statuses(connection, register, principals, linked)
    return principals


def _set_statuses(connection: Connection, register: Register, principals: dict[int, int], linked: set[int]) -> None:
    heads = {head for text, head in principals.items() if text != head}
    changed = []
    for text, head in principals.items():
        document = register.documents[text]
        if document.status == "too-short":
            continue
        if text != head:
            status = "member"
        elif text in heads or any(copy.status in COPIES for copy in register.copies[text]):
            status = "principal"
        else:
            status = "linked" if text in linked else "unique"
        if status != document.status:
            changed.append({"which": text, "status": status})
    if changed:
        table = tables.documents
        connection.execute(table.update().where(table.c.number == bindparam("which")), changed)


def given_numbers(register: Register, given: Sequence[str]) -> list[int]:
    """The documents that the rule `given` lists, in its order; names that no document has, or several, are skipped."""
    found = numbers_of(register.documents.values(), given)
    return list(dict.fromkeys(number for name in given for number in found[name]))


def _change(
    arrivals: Sequence[Arrival], principals: dict[int, int], before: set[int], after: set[int]
) -> tuple[int, int, int]:
    """What a wave changed: documents that joined earlier groups, new groups, copies of earlier documents."""
    first = arrivals[0].number
    copies = {arrival.number for arrival in arrivals if arrival.copy_of is not None and arrival.copy_of < first}
    heads = [
        principals.get(arrival.original, arrival.original)
        for arrival in arrivals
        if arrival.original is not None and arrival.number not in copies
    ]
    return sum(head in before for head in heads), len(after - before), len(copies)


def _wave_statuses(connection: Connection, wave: int) -> dict[str, int]:
    table = tables.documents
    return in_order(Counter(connection.execute(select(table.c.status).where(table.c.wave == wave)).scalars()))


def in_order(counts: Counter[str]) -> dict[str, int]:
    """Statuses in the contract's order, zeros left out."""
    return {status: counts[status] for status in STATUSES if counts[status]}


def _open_wave(connection: Connection, number: int, name: str, documents: int) -> None:
    row = {"number": number, "name": name, "added": now(), "documents": documents, "details": "{}"}
    connection.execute(tables.waves.insert(), row)


def _close_wave(
    connection: Connection,
    number: int,
    similar: Similar,
    pairs: int,
    watch: Stopwatch,
    settings: MatterSettings,
    reading: ReadSettings,
) -> None:
    """Write down how the wave was read, and how its pairs were found."""
    details = {
        "generator": similar.generator,
        "recall": similar.recall,
        "pairs": pairs,
        "seconds": {stage: round(seconds, 3) for stage, seconds in watch.seconds.items()},
        "settings": settings.as_json(),
        "encoding": list(reading.encoding),
    }
    waves = tables.waves
    connection.execute(waves.update().where(waves.c.number == number).values(details=json.dumps(details)))
