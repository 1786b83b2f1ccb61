"""The audit log: append-only, each entry holds the hash of the one before.

So no entry can be changed, or removed from before another one, unnoticed. What was removed from the end shows only by
what else the matter says (`logged.py`), or by the last hash, kept elsewhere.
"""

from __future__ import annotations

import datetime
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, select

from truecopy.matter.tables import audit

_START = "0" * 64


def now() -> str:
    """The time, UTC, to the second."""
    return datetime.datetime.now(datetime.UTC).replace(microsecond=0).isoformat()


def _entry_hash(number: int, at: str, action: str, details: str, previous: str) -> str:
    return hashlib.sha256(json.dumps([number, at, action, details, previous]).encode()).hexdigest()


def record(connection: Connection, action: str, details: Mapping[str, Any]) -> str:
    """Append an entry; returns the new head."""
    last = connection.execute(select(audit).order_by(audit.c.number.desc()).limit(1)).first()
    number, previous = (last.number + 1, last.hash) if last else (1, _START)
    at, text = now(), json.dumps(dict(details), sort_keys=True)
    head = _entry_hash(number, at, action, text, previous)
    connection.execute(
        audit.insert(),
        {"number": number, "at": at, "action": action, "details": text, "previous": previous, "hash": head},
    )
    return head


def audit_head(connection: Connection) -> str:
    """The hash of the last entry."""
    return connection.execute(select(audit.c.hash).order_by(audit.c.number.desc()).limit(1)).scalar() or _START


def check_audit(connection: Connection) -> list[str]:
    """What is wrong with the log; nothing, if it is whole."""
    previous, wrong = _START, []
    for place, row in enumerate(connection.execute(select(audit).order_by(audit.c.number)), 1):
        whole = _entry_hash(row.number, row.at, row.action, row.details, row.previous) == row.hash
        if row.number != place or row.previous != previous or not whole:
            wrong.append(f"audit entry {row.number} does not follow from the one before")
        previous = row.hash
    return wrong
