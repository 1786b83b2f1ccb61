"""Holes in a database buy nothing: how many steps a statement may take follows from what is really on the disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from sqlalchemy import Connection

import truecopy as tc
from truecopy.errors import MatterError

ENDLESS = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers LIMIT 8000000) SELECT max(n) FROM numbers
"""
"""Some hundred million steps: far more than a small matter has work for, and yet it ends where nothing stops it."""
HUGE = 1 << 36


def with_holes(file: Path) -> None:
    """Make a file seem huge; skipped where the system gives it the room."""
    if not hasattr(os.stat_result, "st_blocks"):
        pytest.skip("this system does not say what a file takes")
    try:
        with file.open("ab") as opened:
            opened.truncate(HUGE)
    except OSError:
        pytest.skip("this disk has no files with holes")
    if file.stat().st_blocks * 512 > 1 << 24:
        pytest.skip("this disk has no files with holes")


@pytest.mark.parametrize("name", ["", "matter.sqlite", "matter.sqlite-wal"])
def test_a_statement_that_goes_in_circles_is_ended_however_large_the_database_seems(tmp_path: Path, name: str) -> None:
    """As it is, with a hole behind the database, and with one behind the log, which is there while somebody reads."""
    matter = tc.create(tmp_path / "m")
    with pytest.raises(MatterError, match="circles"), matter.asking() as state:
        _go_in_circles(state.connection, matter.path / name if name else None)


def _go_in_circles(connection: Connection, holed: Path | None) -> None:
    assert connection.exec_driver_sql("SELECT count(*) FROM documents").scalar() == 0
    if holed is not None:
        assert holed.exists()
        with_holes(holed)
    connection.exec_driver_sql(ENDLESS).fetchall()
