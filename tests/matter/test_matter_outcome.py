"""What is said of a failed disk: which trouble an error is, and what has become of a commit whose flush failed."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

import truecopy as tc
from truecopy.matter.sql import tables
from truecopy.matter.sql.outcome import Outcome, Seen, look, state_of
from truecopy.troubles import Trouble, trouble


def sqlite_error(name: str) -> sqlite3.Error:
    error = sqlite3.OperationalError("whatever it says")
    error.sqlite_errorcode = getattr(sqlite3, name)
    return error


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("SQLITE_FULL", Trouble.FULL),
        ("SQLITE_READONLY_DIRECTORY", Trouble.UNWRITABLE),
        ("SQLITE_BUSY_SNAPSHOT", Trouble.BUSY),
        ("SQLITE_LOCKED_SHAREDCACHE", Trouble.BUSY),
        ("SQLITE_CORRUPT_INDEX", Trouble.DAMAGED),
        ("SQLITE_NOTADB", Trouble.DAMAGED),
        ("SQLITE_IOERR_READ", Trouble.UNREACHABLE),
        ("SQLITE_IOERR_FSYNC", Trouble.UNREACHABLE),
        ("SQLITE_NOMEM", Trouble.OTHER),
    ],
)
def test_sqlite_is_understood_by_its_code(name: str, found: Trouble, tmp_path: Path) -> None:
    """By the code and not by the words; where it may be a full disk, the place itself is asked, and it has room."""
    assert trouble(sqlite_error(name), tmp_path / "matter.sqlite", writing=True) is found
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("number", "found"),
    [
        (errno.ENOSPC, Trouble.FULL),
        (errno.EDQUOT, Trouble.FULL),
        (errno.EROFS, Trouble.UNWRITABLE),
        (errno.EACCES, Trouble.UNWRITABLE),
        (errno.EIO, Trouble.UNREACHABLE),
        (errno.ESTALE, Trouble.UNREACHABLE),
        (errno.ENXIO, Trouble.UNREACHABLE),
        (errno.EMFILE, Trouble.OTHER),
    ],
)
def test_the_system_is_understood_by_its_number(number: int, found: Trouble) -> None:
    assert trouble(OSError(number, os.strerror(number))) is found


@pytest.fixture
def matter(tmp_path: Path) -> tc.Matter:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(f"the {name} text, which has more than ten words in it and some numbers")
    return tc.scan(tmp_path / "first", tmp_path / "m", report=False)


def state_now(matter: tc.Matter) -> Seen:
    with closing(sqlite3.connect(matter.path / "matter.sqlite")) as connection:
        return state_of(connection)


def test_a_matter_whose_making_was_cut_short_can_be_made_again(tmp_path: Path) -> None:
    """Tables are made one by one: a full disk may leave some of them."""
    (tmp_path / "m").mkdir()
    with closing(sqlite3.connect(tmp_path / "m" / "matter.sqlite")) as connection:
        connection.execute(str(CreateTable(tables.facts).compile(dialect=sqlite.dialect())))
        assert state_of(connection) is None
    assert tc.create(tmp_path / "m").waves() == []


def test_after_a_failed_flush_only_what_was_seen_is_said(matter: tc.Matter, tmp_path: Path) -> None:
    """The wave is there; it is not, and the log is empty; or the log cannot be emptied, and nobody knows."""
    database, error = matter.path / "matter.sqlite", sqlite_error("SQLITE_IOERR_FSYNC")
    before = state_now(matter)
    matter.add(tmp_path / "second", wave="the second")
    after = state_now(matter)
    assert before != after
    assert look(database, before, after, error) == (Outcome.AFTER, "the wave 'the second'")
    other = (*(after or ()), "what a third wave would have made of it")
    assert look(database, after, other, error) == (Outcome.BEFORE, "")
    with matter.snapshot():
        tc.open(matter.path).rebuild_indexes()  # in the log, which a reader holds
        held = state_now(matter)
        assert look(database, held, other, error) == (Outcome.UNKNOWN, "")
        assert look(database, held, other, sqlite_error("SQLITE_FULL")) == (Outcome.BEFORE, "")
    database.write_bytes(b"")
    assert look(database, held, other, error)[0] is Outcome.UNKNOWN
