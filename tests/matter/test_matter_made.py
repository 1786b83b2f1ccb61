"""A matter is made whole or not at all, whatever fails or whoever else makes it meanwhile."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import NotFound, TruecopyError, UsageError
from truecopy.matter import store
from truecopy.matter.sql import guard, tables
from truecopy.matter.store import Store
from truecopy.settings import MatterSettings

STATEMENTS = len(tables.metadata.tables) + sum(len(table.indexes) for table in tables.metadata.tables.values())


@pytest.mark.parametrize("at", range(STATEMENTS))
def test_a_disk_that_fails_between_two_tables_leaves_none(
    at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever statement fails: nothing is there, and the same call makes everything."""
    folder = tmp_path / "matter"
    made = 0

    class Failing(guard.Wary):
        def cursor(self, *_: Any, **__: Any) -> Any:
            return super().cursor(FailingCursor)

    class FailingCursor(sqlite3.Cursor):
        def execute(self, sql: str, *given: Any) -> FailingCursor:
            nonlocal made
            if sql.lstrip().startswith("CREATE"):
                made += 1
                if made == at + 1:
                    error = sqlite3.OperationalError("disk I/O error")
                    error.sqlite_errorcode = sqlite3.SQLITE_IOERR
                    raise error
            return super().execute(sql, *given)

    with monkeypatch.context() as patched:
        patched.setattr(guard, "Wary", Failing)
        with pytest.raises(TruecopyError) as refused:
            Store.create(folder, MatterSettings())
        assert "damaged" not in str(refused.value)
        assert made == at + 1, "it was reached"
    assert entries(folder) == []
    with pytest.raises(NotFound):
        Store.open(folder)
    Store.create(folder, MatterSettings())
    assert tc.open(folder).settings == MatterSettings()


def test_tables_without_their_indexes_are_completed(tmp_path: Path) -> None:
    """An earlier truecopy that was stopped could leave a table without its indexes."""
    folder = tmp_path / "matter"
    Store.create(folder, MatterSettings())
    with contextlib.closing(sqlite3.connect(folder / guard.DATABASE)) as connection, connection:
        connection.execute("DELETE FROM facts")
        for table in tables.metadata.tables.values():
            for index in table.indexes:
                connection.execute(f"DROP INDEX {index.name}")
    Store.create(folder, MatterSettings())
    assert tc.open(folder).waves() == []


def test_a_matter_that_somebody_else_made_meanwhile_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between the look at the folder and the lock, another process may make the matter, with other settings."""
    folder, theirs = tmp_path / "matter", MatterSettings(threshold=91)
    Store.create(folder, theirs)
    monkeypatch.setattr(store, "_facts", lambda _: {})
    with pytest.raises(UsageError, match="already"):
        Store.create(folder, MatterSettings(threshold=75))
    monkeypatch.undo()
    assert tc.open(folder).settings == theirs


def test_a_scan_that_finds_nothing_leaves_an_empty_matter_its_settings(tmp_path: Path) -> None:
    folder, theirs = tmp_path / "matter", MatterSettings(threshold=91)
    Store.create(folder, theirs)
    with pytest.raises(NotFound):
        tc.scan(tmp_path / "not there", folder, threshold=75)
    assert tc.open(folder).settings == theirs


def entries(folder: Path) -> list[str]:
    """The tables and indexes of a database."""
    with contextlib.closing(sqlite3.connect(folder / guard.DATABASE)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
