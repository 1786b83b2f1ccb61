"""The waves of a matter, and how the pairs of each were found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, func, select

from truecopy.errors import NotFound, UsageError
from truecopy.matter.sql import tables
from truecopy.matter.sql.plain import lasting
from truecopy.matter.stored_json import stored_details
from truecopy.model import Wave

_TABLE = tables.waves


class Waves:
    """The waves of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def every(self) -> list[Wave]:
        """All of them, in order."""
        query = select(_TABLE.c.name, _TABLE.c.documents, _TABLE.c.added).order_by(_TABLE.c.number)
        return [Wave(row.name, row.documents, row.added) for row in self._connection.execute(query)]

    def any(self) -> bool:
        """Whether there are any."""
        return self._connection.execute(select(_TABLE.c.number).limit(1)).first() is not None

    def last(self) -> int:
        """The number of the last one; 0 where there are none."""
        return self._connection.execute(select(func.max(_TABLE.c.number))).scalar() or 0

    def numbers(self) -> list[int]:
        """Their numbers, in order."""
        return list(lasting(self._connection, "wave numbers", self._numbers))

    def _numbers(self) -> list[int]:
        return list(self._connection.execute(select(_TABLE.c.number).order_by(_TABLE.c.number)).scalars())

    def sizes(self) -> dict[int, int]:
        """The documents of each, by number."""
        return {
            row.number: row.documents for row in self._connection.execute(select(_TABLE.c.number, _TABLE.c.documents))
        }

    def check(self, name: str, matter: object) -> None:
        """Refuse a wave that is not there."""
        if self._connection.execute(select(_TABLE.c.number).where(_TABLE.c.name == name)).first() is None:
            names = [one.name for one in self.every()]
            known = f"It has: {', '.join(names)}." if names else "It has no documents yet."
            raise NotFound(f"The matter {matter} has no wave {name!r}.", known)

    def free_name(self, name: str | None) -> str:
        """The name for the next wave; one that is taken is refused."""
        if name is None:
            number = self.last() + 1
            while self._has(f"wave {number}"):
                number += 1
            return f"wave {number}"
        if self._has(name):
            raise UsageError(f"The matter has a wave named {name!r} already.", "Give another name with --wave.")
        return name

    def _has(self, name: str) -> bool:
        return self._connection.execute(select(_TABLE.c.number).where(_TABLE.c.name == name)).first() is not None

    def details(self) -> list[dict[str, Any]]:
        """How each was read, and how its pairs were found."""
        stored = self._connection.execute(select(_TABLE.c.details).order_by(_TABLE.c.number)).scalars()
        return [stored_details(details) for details in stored]

    def stored(self) -> list[tuple[int, str]]:
        """The number of each, and its details as they are stored, not checked."""
        query = select(_TABLE.c.number, _TABLE.c.details).order_by(_TABLE.c.number)
        return [(row.number, row.details) for row in self._connection.execute(query)]

    def insert(self, wave: Wave, number: int, last: tuple[int, int], details: Mapping[str, Any]) -> None:
        """Write a wave, with its last document and passage: from now on they and those before them are there."""
        document, passage = last
        row = {
            "number": number,
            "name": wave.name,
            "added": wave.added,
            "documents": wave.documents,
            "last_document": document,
            "last_passage": passage,
            "details": json.dumps(details),
        }
        self._connection.execute(_TABLE.insert(), row)
