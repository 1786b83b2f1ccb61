"""The matter's words: segments of every wave, put together as the arrays that the stages take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select

from truecopy.errors import DamagedSegment
from truecopy.kernels.secret import seeded_keys
from truecopy.matter import tables
from truecopy.matter.checked import check_streams, check_vocabulary, repeated_word
from truecopy.matter.filenames import segment_path
from truecopy.matter.intake import Intake
from truecopy.matter.stored_json import is_spec
from truecopy.segments import read_segment, write_segment
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.text.streams import Bags, Signs, Streams, frequencies, make_bags, renumber
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]

STREAM_SPEC = Spec.make("streams", 3, profile="plain", unicode=UNICODE)


@dataclass(frozen=True, slots=True)
class Texts:
    """The distinct texts of a matter: text i belongs to document numbers[i]."""

    numbers: Array
    streams: Streams
    signs: Signs
    vocabulary: tuple[Array, Array]
    """The folded words by number: their UTF-8 bytes one after the other, and where each begins."""

    def bags(self, threads: int = 1) -> Bags:
        """The distinct words of each text, rarest first."""
        return make_bags(self.streams.words, self.streams.offsets, len(self.streams.hashes), threads)


def load_vocabulary(folder: Path, connection: Connection) -> Vocabulary:
    """Every word of the matter, in the frozen order; refused where one is there twice."""
    parts = _vocabularies(folder, connection)
    if not parts:
        return Vocabulary()
    shift, ends = 0, []
    for part in parts.values():
        ends.append(part["letter_ends"] + shift)
        shift += len(part["letters"])
    made = Vocabulary(
        _joined([part["hashes"] for part in parts.values()], np.uint64),
        _joined([part["letters"] for part in parts.values()], np.uint8),
        _joined(ends, np.int64),
    )
    if made.repeated >= 0:
        first = np.cumsum([len(part["hashes"]) for part in parts.values()])
        raise repeated_word(list(parts)[int(np.searchsorted(first, made.repeated, "right"))])
    return made


def load_texts(folder: Path, connection: Connection, vocabulary: Vocabulary) -> Texts:
    """The distinct texts of every wave, in order."""
    return _together(stream_parts(folder, connection, len(vocabulary)), vocabulary)


def with_wave(
    before: list[dict[str, Array]], intake: Intake, vocabulary: Vocabulary, threads: int = 1
) -> tuple[Texts, dict[str, Array]]:
    """The matter's texts and a new wave's, whose words are put in their final order; and the new part."""
    words = _joined(intake.words, np.uint32)
    intake.words.clear()
    lengths = [arrival.words for arrival in intake.arrivals if arrival.original == arrival.number]
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    order = vocabulary.set_order(frequencies(words, offsets, len(vocabulary), threads))
    renumber(words, order, threads)
    part = {
        "numbers": np.array(intake.numbers, np.int64),
        "words": words,
        "offsets": offsets,
        **_signs(intake),
    }
    return _together([*before, part], vocabulary), part


def with_query(texts: Texts, intake: Intake, vocabulary: Vocabulary) -> Texts:
    """The matter's texts with one more at the end that is not stored: its document number is 0."""
    part = {
        "numbers": np.zeros(1, np.int64),
        "words": _joined(intake.words, np.uint32),
        "offsets": np.array([0, intake.arrivals[0].words], np.int64),
        **_signs(intake),
    }
    stored = {
        "numbers": texts.numbers,
        "words": texts.streams.words,
        "offsets": texts.streams.offsets,
        "breaks": texts.signs.breaks,
        "marks": texts.signs.marks,
        "mark_offsets": texts.signs.mark_offsets,
    }
    return _together([stored, part], vocabulary)


def stream_parts(folder: Path, connection: Connection, words: int) -> list[dict[str, Array]]:
    """The stored streams, wave by wave, of a matter with that many words."""
    parts = []
    for row, arrays in _segments(folder, connection, "streams"):
        check_streams(row.name, arrays, words)
        parts.append(arrays)
    named = _joined([part["numbers"] for part in parts], np.int64)
    if not np.array_equal(named, _texts_of(connection)):
        raise DamagedSegment(
            "The matter's streams are not of the texts in its documents table.",
            "Restore the matter from a backup, or scan again.",
        )
    return parts


def wave_streams(folder: Path, connection: Connection, wave: int) -> dict[str, Array]:
    """The stored streams of one wave."""
    table = tables.segments
    row = connection.execute(select(table).where(table.c.kind == "streams", table.c.wave == wave)).first()
    if row is None:
        raise DamagedSegment(
            f"The matter names no file of the words of wave {wave}.", "Restore it from a backup, or scan again."
        )
    arrays = read_words(folder, row)
    words = sum(len(part["hashes"]) for part in _vocabularies(folder, connection).values())
    check_streams(row.name, arrays, words, _texts_of(connection, wave))
    return arrays


def shingle_keys(connection: Connection, words: int) -> Array:
    """A value for each word number, for shingles that are stored: always the same in this matter, and in no other.

    They follow from all words of the first wave that has any, so nobody who writes a document of it can foresee them.
    """
    documents, segments = tables.documents, tables.segments
    first = select(documents.c.wave).where(documents.c.words > 0).order_by(documents.c.number).limit(1)
    wave = connection.execute(first).scalar()
    checksum = select(segments.c.checksum).where(segments.c.kind == "vocabulary", segments.c.wave == wave)
    return seeded_keys(words, (connection.execute(checksum).scalar() or "").encode())


def store_wave(
    folder: Path,
    connection: Connection,
    wave: int,
    part: dict[str, Array],
    vocabulary: Vocabulary,
    known: int,
) -> None:
    """Write a wave's segments and name them: its streams, and the words that were not `known` before it."""
    begin = int(vocabulary.letter_ends[known - 1]) if known else 0
    words = {
        "hashes": vocabulary.hashes[known:],
        "letters": vocabulary.letters[begin:],
        "letter_ends": vocabulary.letter_ends[known:] - begin,
    }
    for kind, arrays in (("streams", part), ("vocabulary", words)):
        name = f"wave-{wave:04d}.{kind}.segment"
        checksum = write_segment(folder / name, STREAM_SPEC.as_json(), arrays)
        connection.execute(tables.segments.insert(), {"name": name, "wave": wave, "kind": kind, "checksum": checksum})


def _segments(folder: Path, connection: Connection, kind: str) -> list[tuple[Any, dict[str, Array]]]:
    """The rows that name segments of a kind, wave by wave, and the arrays of each, not checked yet."""
    table = tables.segments
    rows = connection.execute(select(table).where(table.c.kind == kind).order_by(table.c.wave))
    return [(row, read_words(folder, row)) for row in rows.all()]


def _vocabularies(folder: Path, connection: Connection) -> dict[str, dict[str, Array]]:
    """The words that each wave brought, by the name of the file."""
    parts = {}
    for row, arrays in _segments(folder, connection, "vocabulary"):
        check_vocabulary(row.name, arrays)
        parts[row.name] = arrays
    return parts


def read_words(folder: Path, row: Any) -> dict[str, Array]:
    """The arrays of a segment of words, not checked yet."""
    spec, arrays = read_segment(segment_path(folder, row), row.checksum)
    if not is_spec(spec):
        raise DamagedSegment(
            f"The matter's file {row.name} does not say what it was made by.",
            "Restore it from a backup, or scan again.",
        )
    STREAM_SPEC.must_equal(Spec.from_json(spec))
    return arrays


def _texts_of(connection: Connection, wave: int | None = None) -> Array:
    """The documents whose texts are distinct, by the documents table: those of a wave, or all."""
    table = tables.documents
    query = select(table.c.number).where(table.c.original == table.c.number).order_by(table.c.number)
    if wave is not None:
        query = query.where(table.c.wave == wave)
    return np.fromiter(connection.execute(query).scalars(), np.int64)


def _signs(intake: Intake) -> dict[str, Array]:
    """What is between the words of a wave's texts; the intake does not keep it."""
    found = {
        "breaks": _joined(intake.breaks, np.uint8),
        "marks": _joined(intake.marks, np.uint64),
        "mark_offsets": _offsets(intake.mark_counts),
    }
    for parts in (intake.breaks, intake.marks, intake.mark_counts):
        parts.clear()
    return found


def _offsets(counts: list[Array]) -> Array:
    """Where each of some parts begins, from how many entries each has."""
    lengths = _joined(counts, np.int64)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _together(parts: list[dict[str, Array]], vocabulary: Vocabulary) -> Texts:
    offsets = _offsets([np.diff(part["offsets"]) for part in parts])
    signs = Signs(
        _joined([part["breaks"] for part in parts], np.uint8),
        _joined([part["marks"] for part in parts], np.uint64),
        _offsets([np.diff(part["mark_offsets"]) for part in parts]),
    )
    streams = Streams(_joined([part["words"] for part in parts], np.uint32), offsets, vocabulary.hashes)
    return Texts(
        _joined([part["numbers"] for part in parts], np.int64),
        streams,
        signs,
        (vocabulary.letters, vocabulary.letter_starts),
    )


def _joined(parts: list[Array], dtype: Any) -> Array:
    if len(parts) == 1:
        return np.ascontiguousarray(parts[0])
    return np.concatenate(parts) if parts else np.empty(0, dtype)
