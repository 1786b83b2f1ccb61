"""Families: which passages chains of pairs connect, which of these are dense, and how many pairs a dense one lacks.

Every passage that is in a pair has a row, so a wave need only look at the families of passages that it touches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
from sqlalchemy import Connection, bindparam, func, select

from truecopy.array_types import I64
from truecopy.match.relations import GROUPED
from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import check_rows
from truecopy.matter.sql.plain import Statement, lasting
from truecopy.matter.sql.unseen import THE_TABLE

_FAMILIES, _DENSE = tables.families, tables.dense_families
_VALUES_AT_ONCE = 500
_ROWS_AT_ONCE = 20_000
_DENSE_OF = Statement(
    lambda: (
        select(_FAMILIES.c.family)
        .join(_DENSE, (_DENSE.c.relation == _FAMILIES.c.relation) & (_DENSE.c.family == _FAMILIES.c.family))
        .where(_FAMILIES.c.relation == bindparam("relation"), _FAMILIES.c.passage == bindparam("passage"))
    )
)


class FamilyTable:
    """The families of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def dense_of(self, passage: int, relation: str = GROUPED) -> int | None:
        """The dense family that a passage is in; None for none."""
        if not lasting(self._connection, "any dense", self.any_dense):
            return None
        rows = _DENSE_OF.rows(self._connection, relation=relation, passage=passage)
        check_rows((_FAMILIES.c.family,), rows)
        return rows[0][0] if rows else None

    def any_dense(self) -> bool:
        """Whether a family is dense."""
        return self._connection.execute(select(_DENSE.c.family).limit(1)).first() is not None

    def left_out(self, relation: str = GROUPED) -> int:
        """How many pairs are not stored, at most."""
        query = select(func.sum(_DENSE.c.left_out)).where(_DENSE.c.relation == relation)
        return int(self._connection.execute(query).scalar() or 0)

    def incomplete(self, relation: str = GROUPED) -> list[I64]:
        """The passages of each family that has pairs left out."""
        query = select(_DENSE.c.family).where(_DENSE.c.relation == relation, _DENSE.c.left_out > 0)
        return [self.members(relation, [family]) for family in sorted(self._connection.execute(query).scalars())]

    def of(self, relation: str, passages: Iterable[int]) -> dict[int, int]:
        """The families of some passages; those that are in no pair are left out."""
        query = select(_FAMILIES.c.passage, _FAMILIES.c.family).where(_FAMILIES.c.relation == relation)
        found: dict[int, int] = {}
        for some in _parts(passages):
            rows = self._connection.execute(query.where(_FAMILIES.c.passage.in_(some)))
            found.update({row.passage: row.family for row in rows})
        return found

    def members(self, relation: str, families: Iterable[int]) -> I64:
        """Every passage of some families, in order."""
        query = select(_FAMILIES.c.passage).where(_FAMILIES.c.relation == relation)
        found: list[int] = []
        for some in _parts(families):
            found += self._connection.execute(query.where(_FAMILIES.c.family.in_(some))).scalars()
        return np.unique(np.array(found, np.int64))

    def every(self, relation: str) -> I64:
        """Each passage that is in a pair of a relation, in order, and its family; only for what is about all."""
        query = select(_FAMILIES.c.passage, _FAMILIES.c.family).where(_FAMILIES.c.relation == relation)
        parts = [np.empty((0, 2), np.int64)]
        for rows in self._connection.execute(query.order_by(_FAMILIES.c.passage)).partitions(_ROWS_AT_ONCE):
            parts.append(np.array([tuple(row) for row in rows], np.int64))
        return np.concatenate(parts)

    def dense(self, relation: str) -> dict[int, int]:
        """The dense families of a relation, and how many pairs each lacks, at most."""
        query = select(_DENSE.c.family, _DENSE.c.left_out).where(_DENSE.c.relation == relation)
        return {row.family: row.left_out for row in self._connection.execute(query.order_by(_DENSE.c.family))}

    def size(self, relation: str, families: Iterable[int]) -> int:
        """How many passages some families have together."""
        query = select(func.count()).select_from(_FAMILIES).where(_FAMILIES.c.relation == relation)
        some = _parts(families)
        return sum(self._connection.execute(query.where(_FAMILIES.c.family.in_(part))).scalar_one() for part in some)

    def put(self, relation: str, families: Mapping[int, int]) -> None:
        """Say which families some passages are in now."""
        rows = [(relation, passage, family) for passage, family in sorted(families.items())]
        if rows:
            statement = (
                "INSERT INTO main.families (relation, passage, family) VALUES (?, ?, ?) "
                "ON CONFLICT (relation, passage) DO UPDATE SET family = excluded.family"
            )
            self._connection.exec_driver_sql(statement, rows)

    def move(self, relation: str, families: Mapping[int, int]) -> None:
        """Put all passages of some families into others."""
        rows = [(into, relation, family) for family, into in sorted(families.items())]
        if rows:
            statement = "UPDATE main.families SET family = ? WHERE relation = ? AND family = ?"
            self._connection.exec_driver_sql(statement, rows)

    def put_dense(self, relation: str, left_out: Mapping[int, int], gone: Iterable[int] = ()) -> None:
        """Say which families are dense now, and how many pairs each lacks; those that others took in are gone."""
        for some in _parts([*gone, *left_out]):
            self._connection.execute(_DENSE.delete().where(_DENSE.c.relation == relation, _DENSE.c.family.in_(some)))
        rows = [(relation, family, count) for family, count in sorted(left_out.items())]
        if rows:
            statement = "INSERT INTO dense_families (relation, family, left_out) VALUES (?, ?, ?)"
            self._connection.exec_driver_sql(statement, rows)

    def forget(self) -> None:
        """Take all families out."""
        self._connection.execute(_FAMILIES.delete(), execution_options=THE_TABLE)
        self._connection.execute(_DENSE.delete())


def _parts(values: Iterable[int]) -> Iterable[list[int]]:
    wanted = sorted({int(value) for value in values})
    return (wanted[first : first + _VALUES_AT_ONCE] for first in range(0, len(wanted), _VALUES_AT_ONCE))
