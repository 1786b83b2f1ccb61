"""Lowering a matter's floor: its pairs are found again from the stored words; documents and groups stay."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truecopy.errors import BadSetting
from truecopy.matter import rows, tables
from truecopy.matter.audit import record
from truecopy.matter.dense import keep_dense, known_families, shown_links, write_density
from truecopy.matter.store import Store
from truecopy.matter.texts import load_texts, load_vocabulary
from truecopy.model import RELATIONS
from truecopy.pairing import find_contained, find_similar, measure
from truecopy.progress import Progress
from truecopy.settings import MatterSettings


def lower_floor(store: Store, floor: float, relation: str, threads: int, progress: Progress) -> MatterSettings:
    """Store the pairs of a relation from a lower similarity or containment on."""
    with store.writing() as connection:
        before = store.settings()
        name = "floor" if relation == "similar" else "contains_floor"
        if relation == "similar":
            settings = replace(before, floor=float(floor))
        else:
            settings = replace(before, contains_floor=float(floor))
        if float(floor) > getattr(before, name):
            raise BadSetting(
                f"The floor {floor:g} is over the matter's floor of {getattr(before, name):g}; it can only be lowered.",
                "Ask for a higher --threshold instead.",
            )
        texts = load_texts(store.folder, connection, load_vocabulary(store.folder, connection))
        everything = np.ones(len(texts.numbers), np.bool_)
        bags = texts.bags(threads)
        shown = shown_links(connection, settings.threshold)
        connection.execute(tables.pairs.delete())
        connection.execute(tables.dense_families.delete())
        known = {name: known_families(connection, name, texts.numbers, settings.dense) for name in RELATIONS}
        found = (
            find_similar(
                texts.streams, bags, settings.floor, settings.recall, everything, threads, progress,
                known["similar"].families,
            ),
            find_contained(
                texts.streams, settings.contains_floor, everything, threads, progress, known["contains"].families
            ),
        )  # fmt: skip
        principals = rows.read_principals(connection)
        stored, contained = keep_dense(texts, known, found, everything, principals, shown, settings, threads)
        write_density(connection, settings, texts, known, (stored, contained))
        pairs = 0
        dates = rows.read_dates(connection, texts.numbers)
        for table in measure(
            texts.streams, bags, texts.signs, dates, texts.vocabulary, stored, contained, threads, progress
        ):
            rows.insert_pairs(connection, table, texts.numbers)
            pairs += len(table)
        store.set_settings(connection, settings)
        change = {"relation": relation, "from": getattr(before, name), "to": float(floor), "pairs": pairs}
        record(connection, "floor", change)
    return settings
