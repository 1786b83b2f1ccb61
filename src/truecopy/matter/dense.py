"""Dense families in the store: what is kept of them, and how the rest is computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from truecopy.group.families import thin
from truecopy.match.measures import distinct_shingles
from truecopy.matter import tables
from truecopy.matter.checked import places_of
from truecopy.matter.texts import Texts
from truecopy.matter.views import StoredPairs
from truecopy.pairing import Contained, PairTable, Similar, find_similar, measure
from truecopy.settings import MatterSettings
from truecopy.text.streams import Signs, Streams

Array = npt.NDArray[Any]


def store_density(
    connection: Connection,
    settings: MatterSettings,
    numbers: Array,
    similar: Similar,
    principals: dict[int, int],
) -> Similar:
    """The pairs to store; the texts of dense families and the pairs left out are recorded."""
    table = tables.pairs
    rows = connection.execute(select(table.c.a, table.c.b).where(table.c.relation == "similar"))
    before = places_of(numbers, np.array([tuple(row) for row in rows], np.int64).reshape(-1, 2), "pairs.a")
    heads = np.array([principals.get(number, -1) for number in numbers.tolist()], np.int64)
    principal = np.full(len(heads), -1, np.int64)
    principal[heads >= 0] = places_of(numbers, heads[heads >= 0], "group_members.principal")
    thinned = thin(
        similar.a,
        similar.b,
        similar.distance,
        similar.longer,
        principal,
        settings.dense,
        settings.nearest,
        before,
    )
    left_out = np.bincount(similar.a[~thinned.keep], minlength=len(numbers))
    for row in connection.execute(select(tables.dense_families)):
        left_out[places_of(numbers, np.array([row.document]), "dense_families.document")] += row.left_out
    texts = np.flatnonzero(thinned.dense >= 0)
    connection.execute(tables.dense_families.delete())
    if len(texts):
        connection.execute(
            tables.dense_families.insert(),
            [
                {
                    "document": int(numbers[text]),
                    "family": int(numbers[thinned.dense[text]]),
                    "left_out": int(left_out[text]),
                }
                for text in texts
            ],
        )
    return similar.take(np.flatnonzero(thinned.keep))


def left_out(connection: Connection) -> int:
    """How many pairs of dense families are not stored."""
    return int(connection.execute(select(func.sum(tables.dense_families.c.left_out))).scalar() or 0)


def dense_texts(connection: Connection) -> list[Array]:
    """The document numbers of each dense family that has pairs left out."""
    members: dict[int, list[int]] = {}
    incomplete = set()
    for row in connection.execute(select(tables.dense_families).order_by(tables.dense_families.c.document)):
        members.setdefault(row.family, []).append(row.document)
        if row.left_out:
            incomplete.add(row.family)
    return [np.array(members[family], np.int64) for family in sorted(incomplete)]


def completed(
    stored: StoredPairs,
    families: list[Array],
    texts: Texts,
    date_of: Callable[[Array], Array],
    threshold: float,
    threads: int,
) -> StoredPairs:
    """Stored `similar` pairs at a threshold with those that dense families have left out, computed now.

    `date_of` gives the dates of documents by number (`match.judge.moments`).
    """
    columns, kinds = [stored.columns], list(stored.kinds)
    have = set(map(tuple, stored.columns[:, :2].tolist()))
    for family in families:
        part = _subset(texts, places_of(texts.numbers, family, "dense_families.document"))
        fresh = np.ones(len(part.numbers), np.bool_)
        bags, dates = part.bags(), date_of(part.numbers)
        found = find_similar(part.streams, bags, threshold, 1.0, fresh, threads)
        missing = [
            i
            for i, pair in enumerate(zip(family[found.a].tolist(), family[found.b].tolist(), strict=True))
            if pair not in have
        ]
        every = np.arange(len(part.numbers), dtype=np.int32)
        sizes = distinct_shingles(part.streams.words, part.streams.offsets, part.streams.keys, every, threads)
        nothing = Contained(np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64), sizes)
        new = found.take(np.array(missing, np.int64))
        for table in measure(part.streams, bags, part.signs, dates, part.vocabulary, new, nothing, threads):
            columns.append(_columns(table, family))
            kinds += table.kind.tolist()
    every = np.concatenate(columns)
    order = np.lexsort((every[:, 1], every[:, 0]))
    return StoredPairs(stored.relation, every[order], [kinds[i] for i in order.tolist()])


def _columns(table: PairTable, numbers: Array) -> Array:
    return np.stack(
        [
            numbers[table.a], numbers[table.b], table.distance, table.longer, table.shared_shingles,
            table.a_shingles, table.b_shingles, table.shared_terms, table.fewer_terms,
        ],
        axis=1,
    ).astype(np.int64)  # fmt: skip


def _subset(texts: Texts, places: Array) -> Texts:
    """Some of the texts, as a set of their own."""
    streams = texts.streams
    lengths = streams.lengths[places]
    offsets = np.zeros(len(places) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    source = np.repeat(streams.offsets[places] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
    part = Streams(streams.words[source], offsets, streams.hashes)
    signs = texts.signs
    counts = np.diff(signs.mark_offsets)[places]
    mark_offsets = np.zeros(len(places) + 1, np.int64)
    np.cumsum(counts, out=mark_offsets[1:])
    marked = np.repeat(signs.mark_offsets[places] - mark_offsets[:-1], counts) + np.arange(int(mark_offsets[-1]))
    own = Signs(signs.breaks[source], signs.marks[marked], mark_offsets)
    return Texts(texts.numbers[places], part, own, texts.vocabulary)
