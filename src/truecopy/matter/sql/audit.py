"""The audit log: append-only, each entry holds the hash of the one before.

So no entry can be changed, or removed from before another one, unnoticed. What was removed from the end shows only by
what else the matter says (`doctor/logged.py`), or by the last hash, kept elsewhere.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select

from truecopy.matter.sql import tables

_TABLE = tables.audit
_START = "0" * 64
WRITES = ("add", "floor", "migrate")
"""Actions that change what pairs and indexes follow from."""
SIGNS = ("sign",)
"""The same of signatures."""


class Entry(NamedTuple):
    """One entry."""

    number: int
    at: str
    action: str
    details: str
    previous: str
    hash: str


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat()


def new_nonce() -> str:
    """A random number that no other entry has."""
    return secrets.token_hex(8)


class Audit:
    """The log of one state of a matter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def record(self, action: str, details: Mapping[str, Any], nonce: str | None = None) -> str:
        """Append an entry; returns the new head. `nonce`: a random number by which whoever gives it knows the entry."""
        last = self._connection.execute(select(_TABLE).order_by(_TABLE.c.number.desc()).limit(1)).first()
        number, previous = (last.number + 1, last.hash) if last else (1, _START)
        if action in WRITES + SIGNS:  # the same again, within a second, is another entry: a scan may start over
            details = {**details, "nonce": nonce or new_nonce()}
        at, text = now(), json.dumps(dict(details), sort_keys=True)
        head = _hash(number, at, action, text, previous)
        self._connection.execute(_TABLE.insert(), Entry(number, at, action, text, previous, head)._asdict())
        return head

    def next_number(self) -> int:
        """The number that the next entry will have."""
        return 1 + (self._connection.execute(select(func.max(_TABLE.c.number))).scalar() or 0)

    def head(self) -> str:
        """The hash of the last entry."""
        query = select(_TABLE.c.hash).order_by(_TABLE.c.number.desc()).limit(1)
        return self._connection.execute(query).scalar() or _START

    def last_of(self, actions: Sequence[str]) -> str:
        """The hash of the last entry of some actions."""
        query = select(_TABLE.c.hash).where(_TABLE.c.action.in_(actions)).order_by(_TABLE.c.number.desc()).limit(1)
        return self._connection.execute(query).scalar() or _START

    def hashes_since(self, action: str) -> list[str]:
        """The hashes of the last entry of an action and of all that follow; of every entry where there is none."""
        last = select(_TABLE.c.number).where(_TABLE.c.action == action).order_by(_TABLE.c.number.desc()).limit(1)
        first = self._connection.execute(last).scalar() or 0
        query = select(_TABLE.c.hash).where(_TABLE.c.number >= first).order_by(_TABLE.c.number)
        return list(self._connection.execute(query).scalars())

    def entries(self) -> Iterator[Entry]:
        """All entries, in order."""
        for row in self._connection.execute(select(_TABLE).order_by(_TABLE.c.number)):
            yield Entry(*row)

    def wrong(self) -> list[str]:
        """What is wrong with the chain; nothing, if it is whole."""
        previous, wrong = _START, []
        for place, row in enumerate(self.entries(), 1):
            whole = _hash(row.number, row.at, row.action, row.details, row.previous) == row.hash
            if row.number != place or row.previous != previous or not whole:
                wrong.append(f"audit entry {row.number} does not follow from the one before")
            previous = row.hash
        return wrong


def _hash(number: int, at: str, action: str, details: str, previous: str) -> str:
    return hashlib.sha256(json.dumps([number, at, action, details, previous]).encode()).hexdigest()
