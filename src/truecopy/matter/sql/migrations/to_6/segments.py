"""Words and texts of format 5, written as the segments of format 6, wave by wave.

Streams no longer say which documents they are of: passages have numbers, and the row that names the file says which are
in it. Words are in a list that can be searched where it lies. Texts were rows. Signatures name documents, and stay, as
do statistics. An index over words named documents, so its blocks are made again from the new segments; an index over
signatures stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import Table, select

from truecopy.array_types import I64
from truecopy.errors import DamagedSegment
from truecopy.matter.checked import check_streams, check_vocabulary
from truecopy.matter.sql import format_6
from truecopy.matter.sql.cells import HINT, wrong_cell
from truecopy.matter.sql.migrations.to_6.former import check_former_streams, check_former_vocabulary
from truecopy.matter.sql.migrations.to_6.numbering import Numbers
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.segments import read_segment
from truecopy.spec import Spec
from truecopy.stopping import check
from truecopy.text import UNICODE
from truecopy.text.word_lists import WordList

FORMER = re.compile(
    r"(?:wave-(?P<wave>[0-9]{4,9})\.(?P<words>streams|vocabulary)"
    r"|wave-(?P<signed>[0-9]{4,9})\.(?P<signatures>signatures-[a-z0-9]{1,32})\.[0-9]{6,15}"
    r"|(?P<index>index-[a-z0-9]{1,32})\.(?P<first>[0-9]{4,9})-(?P<last>[0-9]{4,9})\.[0-9]{6,15}"
    r"|(?P<statistics>statistics)-[0-9a-f]{16})\.segment"
)
"""The names of segments in a matter of format 5."""
BEFORE = Spec.make("streams", 3, profile="plain", unicode=UNICODE)
AFTER = Spec.make("streams", 4, profile="plain", unicode=UNICODE)
_OF_WORDS = ("overlap", "shingles")
"""The indexes over words."""
_AT_ONCE = 1 << 22
"""Bytes of texts that are in memory at a time."""


class _Row(NamedTuple):
    """A row of format 5."""

    name: str
    wave: int
    kind: str
    checksum: str
    first: int
    last: int
    """Of a block of an index: the waves that it covers."""


def move_segments(state: State, former: Table, texts: Table, numbers: Numbers) -> list[tuple[str, int, int]]:
    """Write and name every segment; returns the blocks of indexes over words, which are not named any more."""
    rows = [_checked(row) for row in state.connection.execute(select(former).order_by(former.c.name))]
    words = _move_vocabularies(state, _by_wave(rows, "vocabulary", numbers.waves))
    _move_streams(state, _by_wave(rows, "streams", numbers.waves), words, numbers)
    for wave in numbers.waves:
        _move_texts(state, texts, wave, numbers)
    again = []
    for row in rows:
        kind, _, name = row.kind.partition("-")
        if kind == "index" and name in _OF_WORDS:
            again.append((name, row.first, row.last))
        elif kind == "index" and row.last in numbers.waves:
            _name(state, row.name, row.wave, row.kind, row.first, row.last, row.checksum)
        elif kind == "signatures":
            _name(state, row.name, row.wave, row.kind, *_range(numbers, row.wave), row.checksum)
        elif kind == "statistics":
            _name(state, row.name, row.wave, row.kind, 0, 0, row.checksum)
    return _apart(again, numbers.waves)


def _checked(row: Any) -> _Row:
    """A row whose name is that of a segment of its kind and wave: nothing in it leads out of the matter's folder."""
    found = FORMER.fullmatch(row.name)
    if found is not None:
        of = found["words"] or found["signatures"] or found["index"] or found["statistics"]
        number = int(found["wave"] or found["signed"] or found["last"] or 0)
        first = int(found["first"] or number)
        if (of, number) == (row.kind, row.wave) and (found["index"] is None or 1 <= first <= number):
            return _Row(row.name, row.wave, row.kind, row.checksum, first, number)
    raise DamagedSegment(
        f"The matter's table segments names a file that is not of type {row.kind[:40]!r} and wave {row.wave}.", HINT
    )


def _by_wave(rows: list[_Row], kind: str, waves: list[int]) -> list[_Row]:
    """The rows of a kind of which each wave has one."""
    found = sorted((row for row in rows if row.kind == kind), key=lambda row: row.wave)
    if [row.wave for row in found] != waves:
        raise wrong_cell("segments.wave")
    return found


def _apart(blocks: list[tuple[str, int, int]], waves: list[int]) -> list[tuple[str, int, int]]:
    """Blocks that have no wave in common, of waves that there are; others are made when they are asked for."""
    kept: list[tuple[str, int, int]] = []
    for name, first, last in sorted(blocks):
        after = max((end for other, _, end in kept if other == name), default=0)
        if first > after and waves and last <= waves[-1]:
            kept.append((name, first, last))
    return kept


def _read(state: State, row: _Row) -> dict[str, Any]:
    """The arrays of a segment of words, not checked yet."""
    spec, arrays = read_segment(state.place / row.name, row.checksum)
    if not is_spec(spec):
        raise DamagedSegment(f"The matter's file {row.name} does not say what it was made by.", HINT)
    BEFORE.must_equal(Spec.from_json(spec))
    return arrays


def _move_vocabularies(state: State, rows: list[_Row]) -> int:
    """Write the words that each wave brought; returns how many there are."""
    known = 0
    for row in rows:
        arrays = _read(state, row)
        check_former_vocabulary(row.name, arrays)
        listed = WordList.of(**arrays).arrays()
        check_vocabulary(row.name, listed)
        _write(state, row.wave, row.kind, known, known + len(arrays["hashes"]) - 1, listed)
        known += len(arrays["hashes"])
    return known


def _move_streams(state: State, rows: list[_Row], words: int, numbers: Numbers) -> None:
    """Write the words of the passages that each wave brought."""
    known = 0
    for row in rows:
        arrays = _read(state, row)
        first = numbers.firsts(row.wave)
        check_former_streams(row.name, arrays, first, words)
        del arrays["numbers"]
        arrays["room"] = np.array([1 + int(arrays["words"].max()) if len(arrays["words"]) else 0], np.int64)
        check_streams(row.name, arrays)
        _write(state, row.wave, row.kind, known + 1, known + len(first), arrays, "document")
        known += len(first)


def _move_texts(state: State, former: Table, wave: int, numbers: Numbers) -> None:
    """Write the texts that a wave brought; only some of them are in memory at a time."""
    from truecopy.matter.change.spool import spooling

    first, last = _range(numbers, wave)
    with spooling(state.place) as spool:
        some, size = list[bytes](), 0
        for body in _bodies(state, former, numbers.former_texts[first - 1 : last]):
            some.append(body)
            size += len(body)
            if size >= _AT_ONCE:
                check()
                spool.keep_bodies(some)
                some, size = [], 0
        spool.keep_bodies(some)
        written, checksum = spool.write_texts(list(range(last - first + 1)))
        name = _file_name(state, wave, "texts")
        spool.publish({written: name})
    _name(state, name, wave, "texts", first, last, checksum)


def _bodies(state: State, former: Table, wanted: I64) -> Iterator[bytes]:
    """The stored texts with some numbers, one after the other; numbers that follow one another are asked for as one."""
    for run in np.split(wanted, np.flatnonzero(np.diff(wanted) != 1) + 1):
        if not len(run):
            continue
        expected = int(run[0])
        query = select(former.c.number, former.c.body).where(former.c.number.between(expected, int(run[-1])))
        for row in state.connection.execute(query.order_by(former.c.number)):
            if row.number != expected:
                break
            if not row.body:
                raise wrong_cell("texts.body")
            expected += 1
            yield row.body
        if expected != int(run[-1]) + 1:
            raise wrong_cell("documents.text")


def _range(numbers: Numbers, wave: int) -> tuple[int, int]:
    """The first and the last text of a wave; below the first where it brought none."""
    if wave not in numbers.waves:
        raise wrong_cell("segments.wave")
    found = numbers.texts(wave)
    before = int((numbers.text_wave < wave).sum())
    return before + 1, before + len(found)


def _write(state: State, wave: int, kind: str, first: int, last: int, arrays: dict[str, Any], unit: str = "") -> None:
    name = _file_name(state, wave, kind)
    _name(state, name, wave, kind, first, last, state.arrays.write(name, AFTER.as_json(), arrays), unit)


def _file_name(state: State, wave: int, kind: str) -> str:
    """A name that no row has: it ends with the number of the entry that the audit log is about to get."""
    return f"wave-{wave:04d}.{kind}.{state.audit.next_number():06d}.segment"


def _name(state: State, name: str, wave: int, kind: str, first: int, last: int, checksum: str, unit: str = "") -> None:
    row = {"name": name, "wave": wave, "kind": kind, "first": first, "last": last, "checksum": checksum, "unit": unit}
    state.connection.execute(format_6.segments.insert(), row)
