"""The rows of a wave, made before the writers' lock is taken: inside it they are only written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from truecopy.matter.sql.documents import DocumentRow
from truecopy.matter.sql.pairs import PairRow, rows_by_relation
from truecopy.matter.sql.passages import Passage
from truecopy.matter.sql.tallies import Tally
from truecopy.model import file_name
from truecopy.wave.result import WaveResult
from truecopy.wave.settled import Settled

_MOST_PAIRS = 100_000
"""Pairs of which rows are held in memory; those of more are made as they are written."""


@dataclass(frozen=True, slots=True)
class WaveRows:
    """What a wave adds to tables."""

    documents: list[DocumentRow]
    passages: list[Passage]
    pairs: list[list[PairRow]] | None
    """None where there are too many."""
    tallies: Counter[Tally]


def wave_rows(result: WaveResult) -> WaveRows:
    """The rows of a wave that comes after the last one that it was computed from."""
    wave, statuses = result.after + 1, result.statuses()
    own = [one for one in result.documents if one.own]
    counted = Counter(
        (one.arrival.custodian, status, int(one.copy_of is not None), int(one.arrival.reading.doubt != ""))
        for one, status in zip(result.documents, statuses, strict=True)
    )
    few = result.pair_count <= _MOST_PAIRS
    return WaveRows(
        [_row(one, wave, status) for one, status in zip(result.documents, statuses, strict=True)],
        [
            Passage(one.passage or 0, "document", one.number, 0, one.arrival.words, int(shingles))
            for one, shingles in zip(own, result.shingles.tolist(), strict=True)
        ],
        [rows for pairs in result.pairs for rows in rows_by_relation(pairs, result.numbers)] if few else None,
        Counter({Tally(wave, *which): count for which, count in counted.items()}),
    )


def _row(one: Settled, wave: int, status: str) -> DocumentRow:
    arrival, reading = one.arrival, one.arrival.reading
    return DocumentRow(
        one.number, one.id, wave, reading.root, reading.path, file_name(reading.path), arrival.custodian, status,
        one.reason, reading.size, reading.md5, reading.sha1, reading.sha256, arrival.words_sha256,
        arrival.figures_sha256, arrival.words, reading.date, reading.parent, reading.media, reading.encoding,
        reading.confidence, reading.doubt, one.passage, one.copy_of, one.text,
    )  # fmt: skip
