"""The rows that name segments: a file counts only once a row names it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sqlalchemy import Connection, select

from truecopy.matter.sql import tables
from truecopy.matter.sql.plain import lasting

_TABLE = tables.segments


class File(NamedTuple):
    """One row."""

    name: str
    wave: int
    type: str
    first: int
    """Of the passages, words, texts or waves in it, the first number …"""
    last: int
    """… and the last; below the first where there are none."""
    checksum: str
    unit: str = ""
    """Of the passages in it; "" where it holds none."""


class Files:
    """The segments that one state of a matter names."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def names(self) -> set[str]:
        """The names of all files."""
        return set(self._connection.execute(select(_TABLE.c.name)).scalars())

    def every(self) -> list[File]:
        """All rows, by name."""
        return [File(*row) for row in self._connection.execute(select(_TABLE).order_by(_TABLE.c.name))]

    def of(self, type_: str, unit: str = "") -> list[File]:
        """The rows of a type, in order of what they hold; of files of passages, those of a unit."""
        return list(lasting(self._connection, f"files {type_} {unit}", lambda: self._of(type_, unit)))

    def _of(self, type_: str, unit: str) -> list[File]:
        query = select(_TABLE).where(_TABLE.c.type == type_, _TABLE.c.unit == unit)
        query = query.order_by(_TABLE.c.first, _TABLE.c.wave, _TABLE.c.name)
        return [File(*row) for row in self._connection.execute(query)]

    def named(self, name: str) -> File | None:
        """The row with a name."""
        row = self._connection.execute(select(_TABLE).where(_TABLE.c.name == name)).first()
        return None if row is None else File(*row)

    def insert(self, file: File) -> None:
        """Name a file."""
        self._connection.execute(_TABLE.insert(), file._asdict())

    def forget(self, names: Iterable[str]) -> None:
        """Name some files no longer; the next writer sweeps them away."""
        self._connection.execute(_TABLE.delete().where(_TABLE.c.name.in_(sorted(names))))

    def forget_types(self, types: Iterable[str]) -> None:
        """The same for all files of some types."""
        self._connection.execute(_TABLE.delete().where(_TABLE.c.type.in_(sorted(types))))
