"""The rows of a former table, in order of a key, some at a time, as columns whose cells are checked.

A matter may come from somebody else, and its pages may lead in a circle: each statement takes up where the one before
it ended, and rows that do not come in order are refused. Nothing is read while something is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, and_, or_, select, type_coerce
from sqlalchemy.types import NullType

from truecopy.matter.sql.cells import check_column, wrong_cell
from truecopy.stopping import check

_ROWS_AT_ONCE = 10_000
Columns = dict[str, Sequence[Any]]


def pages(
    connection: Connection,
    former: Table,
    rules: Table,
    key: Sequence[str],
    where: Sequence[ColumnElement[bool]] = (),
    only: Sequence[str] = (),
) -> Iterator[Columns]:
    """The columns of a table, or only some of them, by numbers that are its key among the rows that are asked for.

    `former` is the table as it is called now, `rules` as it was called: the rules for its cells go by that name.
    """
    names = list(only) or [column.name for column in former.columns]
    wanted = [type_coerce(former.c[name], NullType()).label(name) for name in names]
    ordered = select(*wanted).where(*where).order_by(*(former.c[name] for name in key)).limit(_ROWS_AT_ONCE)
    last: tuple[int, ...] = ()
    while True:
        check()
        rows = connection.execute(ordered.where(_after(former, key, last)) if last else ordered).all()
        if not rows:
            return
        found: Columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        for name, cells in found.items():
            check_column(rules.c[name], cells)
        keys = list(zip(*(found[name] for name in key), strict=True))
        if not all(one < other for one, other in pairwise([last, *keys] if last else keys)):
            raise wrong_cell(f"{rules.name}.{key[0]}")
        yield found
        if len(rows) < _ROWS_AT_ONCE:
            return
        last = keys[-1]


def _after(table: Table, key: Sequence[str], last: tuple[int, ...]) -> ColumnElement[bool]:
    """Rows whose key comes after another one."""
    first, value = table.c[key[0]], last[0]
    if len(key) == 1:
        return first > value
    return and_(first >= value, or_(first > value, _after(table, key[1:], last[1:])))
