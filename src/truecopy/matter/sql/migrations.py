"""Older formats, brought forward in numbered steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Connection

from truecopy.matter.sql import tables

if TYPE_CHECKING:
    from truecopy.matter.store import Store


def make_tables(connection: Connection) -> None:
    """Make every table that is missing."""
    tables.metadata.create_all(connection)


def bring_forward(store: Store, number: int) -> None:
    """Bring a matter of an older format forward."""
