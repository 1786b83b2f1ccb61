"""Pairs and families of format 6: of passages, with the family of every passage that is in a pair."""

from __future__ import annotations

from collections import Counter

import numpy as np
from sqlalchemy import Connection, Table, select

from truecopy.array_types import I64
from truecopy.group.families import Families
from truecopy.matter.sql import format_5, format_6
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.migrations.pages import pages
from truecopy.matter.sql.migrations.to_6.numbering import Numbers

_RELATIONS = ("similar", "contains")
_JOINED_AT_ONCE = 1 << 20
"""Pairs between two looks at all families."""
_ROWS_AT_ONCE = 10_000


class _Joined:
    """The families of one relation, joined many pairs at a time."""

    def __init__(self, passages: int) -> None:
        self._families = Families(passages + 1)
        self._waiting: list[I64] = []

    def join(self, pairs: I64) -> None:
        """Two rows of passages that belong together."""
        self._waiting.append(pairs)
        if sum(part.shape[1] for part in self._waiting) >= _JOINED_AT_ONCE:
            self._settle()

    def first(self) -> I64:
        """The first passage of each passage's family."""
        self._settle()
        found: I64 = self._families.first
        return found

    def _settle(self) -> None:
        a, b = np.concatenate([np.empty((2, 0), np.int64), *self._waiting], axis=1)
        self._families.join(a, b)
        self._waiting.clear()


def move_pairs(connection: Connection, pairs: Table, dense: Table, numbers: Numbers) -> None:
    """Write the pairs of every relation, and the families that they and the dense families make."""
    for table, name in ((pairs, "pairs"), (dense, "dense_families")):
        if connection.execute(select(table.c.relation).where(table.c.relation.not_in(_RELATIONS)).limit(1)).first():
            raise wrong_cell(f"{name}.relation")
    for relation in _RELATIONS:
        families = _Joined(len(numbers.first))
        _move_pairs(connection, pairs, relation, numbers, families)
        left_out = _join_dense(connection, dense, relation, numbers, families)
        _write_families(connection, relation, families.first(), left_out)


def _move_pairs(connection: Connection, former: Table, relation: str, numbers: Numbers, families: _Joined) -> None:
    names = [column.name for column in format_6.pairs.columns]
    for page in pages(connection, former, format_5.pairs, ["a", "b"], [former.c.relation == relation]):
        both = np.array([page["a"], page["b"]], np.int64)
        if (both[0] >= both[1]).any():
            raise wrong_cell("pairs.a")
        a, b = (numbers.passages(side, f"pairs.{name}") for side, name in zip(both, "ab", strict=True))
        families.join(np.stack([a, b]))
        given = {**page, "unit": ["document"] * len(a), "a": a.tolist(), "b": b.tolist()}
        rows = zip(*(given[name] for name in names), strict=True)
        connection.execute(format_6.pairs.insert(), [dict(zip(names, row, strict=True)) for row in rows])


def _join_dense(
    connection: Connection, former: Table, relation: str, numbers: Numbers, families: _Joined
) -> dict[int, int]:
    """The dense families, each by a passage that is in it, and how many pairs each lacks, at most."""
    left_out: dict[int, int] = {}
    for page in pages(connection, former, format_5.dense_families, ["document"], [former.c.relation == relation]):
        members = numbers.passages(np.array(page["document"], np.int64), "dense_families.document")
        first = numbers.passages(np.array(page["family"], np.int64), "dense_families.family")
        families.join(np.stack([first, members]))
        for family, count in zip(first.tolist(), page["left_out"], strict=True):
            left_out[family] = left_out.get(family, 0) + count
    return left_out


def _write_families(connection: Connection, relation: str, first: I64, left_out: dict[int, int]) -> None:
    sizes = np.bincount(first)
    inside = np.flatnonzero(sizes[first] > 1)
    for begin in range(0, len(inside), _ROWS_AT_ONCE):
        some = inside[begin : begin + _ROWS_AT_ONCE]
        rows = zip(some.tolist(), first[some].tolist(), strict=True)
        connection.execute(
            format_6.families.insert(),
            [{"relation": relation, "passage": passage, "family": family} for passage, family in rows],
        )
    # Pairs that were kept for the other relation may connect two dense families: together they lack what each lacked.
    lacking: Counter[int] = Counter()
    for family, count in left_out.items():
        lacking[int(first[family])] += count
    if lacking:
        connection.execute(
            format_6.dense_families.insert(),
            [{"relation": relation, "family": family, "left_out": count} for family, count in sorted(lacking.items())],
        )
