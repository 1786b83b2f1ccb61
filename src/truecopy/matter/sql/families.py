"""Dense families: which passages are in one, and how many of its pairs are not stored."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, func, select

from truecopy.matter.sql import tables
from truecopy.matter.sql.pairs import whole_numbers

I64 = NDArray[np.int64]

_TABLE = tables.dense_families
_ROWS_AT_ONCE = 20_000


class DenseFamilies:
    """The dense families of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def of(self, passage: int, relation: str = "similar") -> int | None:
        """The dense family that a passage is in; None for none."""
        query = select(_TABLE.c.family).where(_TABLE.c.relation == relation, _TABLE.c.passage == passage)
        return self._connection.execute(query).scalar()

    def any(self) -> bool:
        """Whether there are any."""
        return self._connection.execute(select(_TABLE.c.passage).limit(1)).first() is not None

    def left_out(self, relation: str = "similar") -> int:
        """How many pairs are not stored, at most."""
        query = select(func.sum(_TABLE.c.left_out)).where(_TABLE.c.relation == relation)
        return int(self._connection.execute(query).scalar() or 0)

    def incomplete(self, relation: str = "similar") -> list[I64]:
        """The passages of each family that has pairs left out."""
        members: dict[int, list[int]] = {}
        lacking = set()
        query = select(_TABLE).where(_TABLE.c.relation == relation).order_by(_TABLE.c.passage)
        for row in self._connection.execute(query):
            members.setdefault(row.family, []).append(row.passage)
            if row.left_out:
                lacking.add(row.family)
        return [np.array(members[family], np.int64) for family in sorted(lacking)]

    def members(self, relation: str) -> I64:
        """Every passage of a dense family, and the family, as two columns."""
        query = select(_TABLE.c.passage, _TABLE.c.family).where(_TABLE.c.relation == relation)
        parts = [np.empty((0, 2), np.int64)]
        for some in self._connection.execute(query).partitions(_ROWS_AT_ONCE):
            parts.append(whole_numbers(some))
        return np.concatenate(parts)

    def write(self, rows: Iterable[tuple[str, int, int, int]]) -> None:
        """Record the families anew: relation, passage, family, pairs left out."""
        self._connection.execute(_TABLE.delete())
        written = list(rows)
        if written:
            statement = "INSERT INTO dense_families (relation, passage, family, left_out) VALUES (?, ?, ?, ?)"
            self._connection.exec_driver_sql(statement, written)
