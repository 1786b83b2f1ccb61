"""The matter's own grouping of format 6: passages with their principals, and how many documents each group has."""

from __future__ import annotations

import numpy as np
from sqlalchemy import Connection, Table, select

from truecopy.array_types import I64
from truecopy.matter.sql import format_5, format_6
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.migrations.pages import pages
from truecopy.matter.sql.migrations.to_6.numbering import Numbers


def move_groups(connection: Connection, groupings: Table, members: Table, numbers: Numbers) -> None:
    """Write every grouping."""
    rows = connection.execute(select(groupings).order_by(groupings.c.name)).all()
    names = [row.name for row in rows]
    if connection.execute(select(members.c.document).where(members.c.grouping.not_in(names)).limit(1)).first():
        raise wrong_cell("group_members.grouping")
    for row in rows:
        new = {"name": row.name, "unit": "document", "threshold": row.threshold, "rule": row.rule}
        connection.execute(format_6.groupings.insert(), new)
        heads = _move_members(connection, members, row.name, numbers)
        _write_sizes(connection, row.name, heads[numbers.passage[numbers.passage > 0]])


def _move_members(connection: Connection, members: Table, name: str, numbers: Numbers) -> I64:
    """Write the members of a grouping; returns the principal of each passage, itself where it is in no group."""
    heads = np.arange(len(numbers.first) + 1, dtype=np.int64)
    known = np.zeros(len(heads), np.bool_)
    for page in pages(connection, members, format_5.group_members, ["document"], [members.c.grouping == name]):
        passages = numbers.passages(np.array(page["document"], np.int64), "group_members.document")
        principals = numbers.passages(np.array(page["principal"], np.int64), "group_members.principal")
        heads[passages], known[passages] = principals, True
        rows = zip(passages.tolist(), principals.tolist(), strict=True)
        connection.execute(
            format_6.group_members.insert(),
            [{"grouping": name, "passage": passage, "principal": principal} for passage, principal in rows],
        )
    grouped = heads[known]
    if not known[grouped].all() or (heads[grouped] != grouped).any():  # a principal is its own
        raise wrong_cell("group_members.principal")
    return heads


def _write_sizes(connection: Connection, name: str, heads: I64) -> None:
    """Write how many documents each group has, from the principal of each document with words."""
    sizes = np.bincount(heads)
    principals = np.flatnonzero(sizes > 1)
    rows = [
        {"grouping": name, "principal": principal, "documents": size}
        for principal, size in zip(principals.tolist(), sizes[principals].tolist(), strict=True)
    ]
    if rows:
        connection.execute(format_6.groups.insert(), rows)
