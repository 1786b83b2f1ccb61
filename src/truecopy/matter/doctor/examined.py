"""The whole of a matter, examined: every file and every row, also those that no question would touch.

`truecopy doctor --matter` asks this. Questions check the pieces that they read; here everything is read, one table and
one file at a time, and held to what it must be and to what the rest of the matter says. Nothing is changed, and nothing
about the result is kept in the matter: a verdict inside it could be forged with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, select
from sqlalchemy.exc import SQLAlchemyError
from truecopy.matter.audit import check_audit
from truecopy.matter.cells import rule_of
from truecopy.matter.filenames import SEGMENT, agrees
from truecopy.matter.logged import untold
from truecopy.matter.retold import differing_signatures, differing_words
from truecopy.matter.signing import check_signatures, read_signings

from truecopy.errors import BadSetting, DiskTrouble, MatterError, TruecopyError
from truecopy.hints import pasted
from truecopy.matter import relations, tables
from truecopy.matter.bodies import decoded, stored_text
from truecopy.matter.checked import check_streams, check_vocabulary
from truecopy.matter.indexing import Stored, kinds, make_block, new_index, read_stored, stored_blocks
from truecopy.matter.store import Store
from truecopy.matter.stored_json import stored_details, stored_settings
from truecopy.matter.texts import read_words
from truecopy.segments import read_segment
from truecopy.sign.statistics import Statistics
from truecopy.stopping import check

Array = npt.NDArray[Any]

_MOST = 20
"""How many findings of one sort are listed."""
_UNEXPECTED = (SQLAlchemyError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError, RecursionError)
"""What reading a forged matter may raise where no check has foreseen it; each is a finding."""


def examine(store: Store, *, thorough: bool = True) -> list[str]:
    """What is wrong with a matter, a sentence each; nothing, if all is whole. Without `thorough`, no text is unpacked,
    and no signature or index is made again.
    """
    wrong: list[str] = []
    steps: list[tuple[str, Callable[[Connection], Iterator[str]]]] = [
        ("the database", _database),
        ("the table audit", _audit),
        ("the cells of the database", _cells),
        ("the database", relations.broken),
        ("the table facts", _facts),
        ("the table waves", _waves),
        ("the table segments", _segment_rows),
        ("the words", lambda connection: _words(store, connection)),
        ("the signatures", lambda connection: _signatures(store, connection)),
    ]
    if thorough:
        steps += [
            ("the stored texts", lambda connection: _texts(store.folder, connection)),
            ("the words", lambda connection: differing_words(store.folder, connection)),
            ("the signatures", lambda connection: _signed(store, connection)),
        ]
    steps += [("the indexes", lambda connection: _indexes(store, connection, thorough))]
    for what, step in steps:
        check()
        try:
            with store.reading() as connection:
                wrong += _first(step(connection))
        except DiskTrouble:
            raise
        except MatterError as error:
            wrong.append(error.message)
        except (TruecopyError, AssertionError, *_UNEXPECTED) as error:
            wrong.append(f"{what} cannot be examined to the end ({type(error).__name__})")
    return list(dict.fromkeys(wrong))


def _first(findings: Iterator[str]) -> list[str]:
    """The first findings; the rest is only said to be there, because a forged matter can have any number."""
    found = []
    for finding in findings:
        found.append(finding)
        if len(found) == _MOST:
            return [*found, "there is more of this"]
    return found


def _database(connection: Connection) -> Iterator[str]:
    for (answer,) in connection.exec_driver_sql(f"PRAGMA integrity_check({_MOST})"):
        if answer != "ok":
            said = [line for line in str(answer).splitlines() if not line.startswith("***")]
            more = f", and {len(said) - 1} more" if len(said) > 1 else ""
            yield f"SQLite finds damage in the database: {said[0] if said else answer}{more}"


def _audit(connection: Connection) -> Iterator[str]:
    """The chain and, if it is whole, whether the log tells all that the matter shows."""
    wrong = check_audit(connection)
    yield from wrong or untold(connection)


def _cells(connection: Connection) -> Iterator[str]:
    """Every cell against its rule, whatever type SQLite gives it."""
    for table in tables.metadata.tables.values():
        columns = list(table.columns)
        rules = [rule_of(table.name, column) for column in columns]
        keys = [place for place, column in enumerate(columns) if column.primary_key]
        names = ", ".join(f'"{column.name}"' for column in columns)
        found = 0
        for number, row in enumerate(connection.exec_driver_sql(f"SELECT {names} FROM {table.name}"), 1):  # noqa: S608
            for column, rule, value in zip(columns, rules, row, strict=True):
                if not rule.holds(value):
                    which = " ".join(str(row[place])[:40] for place in keys)
                    yield f"the table {table.name} holds a value in {column.name} that cannot be there (row {which})"
                    found += 1
            if found >= _MOST:
                break
            if number % 1000 == 0:
                check()


def _facts(connection: Connection) -> Iterator[str]:
    facts = {row.name: row.value for row in connection.execute(select(tables.facts))}
    if facts.get("format") != str(tables.FORMAT) or set(facts) != {"format", "settings"}:
        yield "the table facts does not say what it should"
    settings = stored_settings(facts.get("settings", ""))
    row = connection.execute(select(tables.groupings)).all()
    if [(one.name, one.threshold, one.rule) for one in row] not in ([], [("own", settings.threshold, settings.rule)]):
        yield "the table groupings does not agree with the settings"
    try:
        replace(settings)  # as if it was made now
    except BadSetting as error:
        yield f"the matter has settings that nobody can give: {error.message}"
    query = "SELECT family FROM dense_families GROUP BY relation, family HAVING count(*) <= ?"
    small = connection.exec_driver_sql(query, (settings.dense,)).scalars().first()
    if small is not None:
        yield f"the table dense_families has a family that is too small to be dense ({str(small)[:40]})"


def _waves(connection: Connection) -> Iterator[str]:
    for place, row in enumerate(connection.execute(select(tables.waves).order_by(tables.waves.c.number)), 1):
        if row.number != place:
            yield f"the table waves has no wave {place}"
            return
        try:
            stored_details(row.details)
        except MatterError:
            yield f"the table waves does not say how the pairs of wave {place} were found"


def _segment_rows(connection: Connection) -> Iterator[str]:
    """Whether the rows that name files are those that a matter has."""
    waves = set(connection.execute(select(tables.waves.c.number)).scalars())
    signings = read_signings(connection)
    expected = {("streams", wave) for wave in waves} | {("vocabulary", wave) for wave in waves}
    expected |= {(f"signatures-{method}", wave) for method in signings for wave in waves}
    found = set()
    blocks: dict[str, list[tuple[int, int, str]]] = {}
    named = {str(spec.parameter("statistics")) for spec in signings.values() if spec.parameter("statistics")}
    for row in connection.execute(select(tables.segments).order_by(tables.segments.c.name)):
        if not agrees(row.name, row.kind, row.wave):
            yield f"the table segments names a file that is none of kind {row.kind[:40]!r} and wave {row.wave}"
        elif row.kind == "statistics":
            named.discard(row.name.removeprefix("statistics-").removesuffix(".segment"))
        elif row.kind.startswith("index-"):
            if row.kind.removeprefix("index-") not in kinds(connection) or row.wave not in waves:
                yield f"the table segments names {row.name}, an index that the matter does not have"
            elif of := SEGMENT.fullmatch(row.name):
                blocks.setdefault(row.kind, []).append((int(of["first"]), int(of["last"]), row.name))
        elif (row.kind, row.wave) not in expected or (row.kind, row.wave) in found:
            yield f"the table segments names {row.name}, which belongs to no wave or method of the matter"
        found.add((row.kind, row.wave))
    for some in blocks.values():
        covered = 0
        for first, last, name in sorted(some):
            if first <= covered:
                yield f"the table segments names {name}, an index of waves of which it names another one"
            covered = max(covered, last)
    for kind, wave in sorted(expected - found):
        yield f"the table segments names no file of kind {kind} for wave {wave}"
    for one in sorted(named):
        yield f"the table segments names no file of the statistics {one}"
    for row in connection.execute(select(tables.signings)):
        recorded = signings[row.method].parameter("statistics")
        if row.statistics != recorded and not (row.statistics is None and recorded is None):
            yield f"the table signings names other statistics for {row.method} than its spec"


def _words(store: Store, connection: Connection) -> Iterator[str]:
    """The words of every wave, file by file: each checked, and compared with the documents table."""
    known = 0
    for row in _rows(connection, "vocabulary"):
        try:
            arrays = read_words(store.folder, row)
            check_vocabulary(row.name, arrays)
            known += len(arrays["letter_ends"])
        except DiskTrouble:
            raise
        except (TruecopyError, AssertionError, *_UNEXPECTED) as error:
            yield _said(row.name, error)
            known = 1 << 32  # what comes after it cannot be told
    table = tables.documents
    for row in _rows(connection, "streams"):
        query = select(table.c.number, table.c.words).where(table.c.original == table.c.number)
        texts = connection.execute(query.where(table.c.wave == row.wave).order_by(table.c.number)).all()
        try:
            arrays = read_words(store.folder, row)
            check_streams(row.name, arrays, known, np.array([text.number for text in texts], np.int64))
            lengths = np.diff(arrays["offsets"])
            unlike = np.flatnonzero(lengths != np.array([text.words for text in texts], np.int64))
            if len(unlike):
                yield f"{row.name} has another number of words for document {texts[unlike[0]].number} than the table"
        except DiskTrouble:
            raise
        except (TruecopyError, AssertionError, *_UNEXPECTED) as error:
            yield _said(row.name, error)


def _signatures(store: Store, connection: Connection) -> Iterator[str]:
    for row in _rows(connection, "statistics"):
        try:
            header, arrays = read_segment(store.folder / row.name, row.checksum)
            loaded = Statistics.load(store.folder / row.name)
            told, made = loaded.stored()
            if row.name != f"statistics-{loaded.id}.segment" or header != told or not _equal(arrays, made):
                yield f"{row.name} holds other statistics than its name says"
        except DiskTrouble:
            raise
        except (TruecopyError, AssertionError, *_UNEXPECTED) as error:
            yield _said(row.name, error)
    for method in read_signings(connection):
        for row in _rows(connection, f"signatures-{method}"):
            try:
                check_signatures(store.folder, connection, method, row)
            except DiskTrouble:
                raise
            except (TruecopyError, AssertionError, *_UNEXPECTED) as error:
                yield _said(row.name, error)


def _signed(store: Store, connection: Connection) -> Iterator[str]:
    for method in read_signings(connection):
        for row in _rows(connection, f"signatures-{method}"):
            try:
                yield from differing_signatures(store.folder, connection, method, row)
            except DiskTrouble:
                raise
            except (TruecopyError, AssertionError, *_UNEXPECTED):
                yield f"The matter's file {row.name} cannot be compared with its texts."


def _texts(folder: Path, connection: Connection) -> Iterator[str]:
    """Every stored text, one at a time: one frame of the stated size, in UTF-8."""
    numbers = list(connection.execute(select(tables.texts.c.number).order_by(tables.texts.c.number)).scalars())
    for number in numbers:
        check()
        try:
            decoded(stored_text(folder, connection, number) or b"")
        except DiskTrouble:
            raise
        except (TruecopyError, *_UNEXPECTED):
            yield f"the stored text {number} is damaged"


def _indexes(store: Store, connection: Connection, thorough: bool) -> Iterator[str]:
    """Every block: whole in itself and, made again from words or signatures, the same."""
    again = pasted("index", "rebuild", matter=store.folder)
    for kind in kinds(connection):
        index = new_index(store.folder, connection, kind)
        for stored in stored_blocks(connection, kind):
            check()
            block = read_stored(store.folder, stored, index)
            if block is None:
                yield f"The index file {stored.name} is damaged or missing: make it again with {again}."
            elif thorough and not _is_same(store, connection, kind, stored, block):
                yield f"The index file {stored.name} is not what the matter's texts make: make it again with {again}."


def _is_same(store: Store, connection: Connection, kind: str, stored: Stored, block: Any) -> bool:
    index = new_index(store.folder, connection, kind)
    try:
        made = make_block(store.folder, connection, kind, index, stored.first, stored.last).stored()
    except DiskTrouble:
        raise
    except (TruecopyError, AssertionError, *_UNEXPECTED):
        return True  # what it is made of is damaged, and was named already
    return _equal(block.stored(), made)


def _equal(some: Mapping[str, Array], others: Mapping[str, Array]) -> bool:
    """Whether arrays are the same, types included."""
    return set(some) == set(others) and all(
        one.dtype == others[name].dtype and np.array_equal(one, others[name]) for name, one in some.items()
    )


def _rows(connection: Connection, kind: str) -> list[Any]:
    """The rows that name files of a kind and can be right."""
    table = tables.segments
    rows = connection.execute(select(table).where(table.c.kind == kind).order_by(table.c.wave)).all()
    return [row for row in rows if agrees(row.name, row.kind, row.wave)]


def _said(name: str, error: BaseException) -> str:
    if isinstance(error, TruecopyError) and name in error.message:
        return error.message
    return f"The matter's file {name} does not hold what it says it holds ({type(error).__name__})."
