"""Passages: what is compared. A document with words of its own is one; clauses and messages will be others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from sqlalchemy import Connection, func, select

from truecopy.array_types import I64
from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import check_rows, wrong_cell
from truecopy.matter.sql.plain import MANY, Statement
from truecopy.model import DOCUMENT

_TABLE = tables.passages
_ROWS_AT_ONCE = 20_000
_NUMBERED = Statement(lambda: select(_TABLE).where(_TABLE.c.number.in_(MANY)))


class Passage(NamedTuple):
    """One row."""

    number: int
    unit: str
    document: int
    """The first document that has it."""
    place: int
    words: int
    shingles: int


class PassageTable:
    """The passages of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def last(self) -> int:
        """The greatest number, of any unit; 0 where there are none."""
        return self._connection.execute(select(func.max(_TABLE.c.number))).scalar() or 0

    def next_of(self, unit: str, number: int) -> int | None:
        """The first passage of a unit from a number on; None where there is none."""
        query = select(_TABLE.c.number).where(_TABLE.c.unit == unit, _TABLE.c.number >= number)
        return self._connection.execute(query.order_by(_TABLE.c.number).limit(1)).scalar()

    def numbered(self, numbers: Iterable[int]) -> dict[int, Passage]:
        """Some passages by their numbers; each must be there."""
        wanted = sorted({int(number) for number in numbers})
        rows = _NUMBERED.many(self._connection, wanted)
        check_rows(tuple(_TABLE.columns), rows)
        found = {row[0]: Passage(*row) for row in sorted(rows)}
        if len(found) != len(wanted):
            raise wrong_cell("passages.number")
        return found

    def every(self, unit: str = DOCUMENT) -> I64:
        """Number, first document, words and shingles of every passage of a unit, in order; only for what is about
        all.
        """
        columns = (_TABLE.c.number, _TABLE.c.document, _TABLE.c.words, _TABLE.c.shingles)
        query = select(*columns).where(_TABLE.c.unit == unit).order_by(_TABLE.c.number)
        parts = [np.empty((0, len(columns)), np.int64)]
        for rows in self._connection.execute(query).partitions(_ROWS_AT_ONCE):
            parts.append(np.array([tuple(row) for row in rows], np.int64))
            here = np.concatenate([parts[-2][-1:, 0], parts[-1][:, 0]])
            if (here[1:] <= here[:-1]).any():  # at once: pages of the database may lead in a circle
                raise wrong_cell("passages.number")
        return np.concatenate(parts)

    def by_wave(self, unit: str = DOCUMENT) -> dict[int, int]:
        """How many passages of a unit each wave has brought."""
        documents = tables.documents
        query = select(documents.c.wave, func.count()).join(_TABLE, _TABLE.c.document == documents.c.number)
        query = query.where(_TABLE.c.unit == unit)
        return {row[0]: row[1] for row in self._connection.execute(query.group_by(documents.c.wave))}

    def insert(self, rows: Sequence[Passage]) -> None:
        """Write passages."""
        if rows:
            self._connection.exec_driver_sql(
                "INSERT INTO main.passages (number, unit, document, place, words, shingles) VALUES (?, ?, ?, ?, ?, ?)",
                list(map(tuple, rows)),
            )
