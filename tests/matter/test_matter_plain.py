"""Statements in the driver's words: what is kept of them is good, and no cell escapes the rules."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.errors import MatterError
from truecopy.matter.sql import cells, guard
from truecopy.matter.sql.cells import check_column, check_columns
from truecopy.matter.sql.plain import VALUES_AT_ONCE
from truecopy.matter.sql.tables import documents
from truecopy.matter.store import Store

TEXT = "The tenant shall pay the rent on the first day of every month, whatever the weather is like on that day. "


@pytest.fixture
def matter(tmp_path: Path) -> tc.Matter:
    room = tmp_path / "room"
    room.mkdir()
    for n in range(3):
        (room / f"{n}.txt").write_text(TEXT + f"Clause {n}.")
    return tc.scan(room, tmp_path / "m", report=False)


def change(matter: tc.Matter, statement: str, *values: object) -> None:
    """Somebody else writes to the database, past all rules."""
    with contextlib.closing(sqlite3.connect(matter.path / "matter.sqlite", isolation_level=None)) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute(statement, values)


def test_what_is_kept_is_good_until_somebody_writes(matter: tc.Matter, tmp_path: Path) -> None:
    """Settings, files and waves are read once, and again after another process has written."""
    store = Store.open(matter.path)
    with store.reading() as state:
        before = state.facts.settings(), state.files.of("texts"), state.waves.numbers(), state.signings.every()
        assert state.facts.settings() is before[0]
    with store.reading() as state:
        assert state.facts.settings() is before[0]  # over the same connection, and nobody has written
    (tmp_path / "more.txt").write_text(TEXT * 2)
    other = tc.open(matter.path)
    other.add(tmp_path / "more.txt")
    other.sign("words")
    other.lower_floor(60)
    with store.reading() as state:
        assert state.facts.settings().floor == 60
        assert [file.wave for file in state.files.of("texts")] == [1, 2]
        assert state.waves.numbers() == [1, 2]
        assert list(state.signings.every()) == ["words"]


def test_what_a_writer_reads_is_not_kept(matter: tc.Matter) -> None:
    with Store.open(matter.path).writing() as state:
        settings = state.facts.settings()
        state.signings.every()
        state.facts.set_settings(type(settings)(**{**settings.as_json(), "floor": 55.0}))
        assert state.facts.settings().floor == 55


def test_a_snapshot_keeps_its_state(matter: tc.Matter, tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text(TEXT * 2)
    with matter.snapshot():
        tc.open(matter.path).add(tmp_path / "more.txt")
        assert sum(matter.statuses().values()) == 3
        assert len(matter.document_page()) == 3
    assert sum(matter.statuses().values()) == 4


@pytest.mark.parametrize("count", [1, 2, 3, VALUES_AT_ONCE, VALUES_AT_ONCE + 1, 3 * VALUES_AT_ONCE])
def test_any_number_of_values(matter: tc.Matter, count: int) -> None:
    with Store.open(matter.path).reading() as state:
        assert [kept.document.number for kept in state.documents.numbered(range(count, 0, -1))] == [
            *range(1, min(count, 3) + 1)
        ]


def test_long_cells_and_many_rows_are_read_too(matter: tc.Matter) -> None:
    long = "x" * (guard._SHORT_CELL + 1)
    change(matter, "UPDATE documents SET reason = ? WHERE number = 2", long)
    assert [len(one.reason) for one in matter.document_page()] == [0, len(long), 0]
    with Store.open(matter.path).reading() as state:
        driver = state.connection.connection.dbapi_connection
        assert isinstance(driver, guard.Wary)
        numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT i, 'x' FROM n"
        assert driver.few(numbers, ()) == [(n, "x") for n in range(1, 1001)]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("md5", "A" * 32), ("sha256", "0" * 63), ("sha1", b"0" * 40), ("words", "many"), ("words", -1),
        ("path", "a\0b"), ("id", ""), ("status", "odd"), ("confidence", 101), ("size", 1.5), ("sha256", "é" * 64),
    ],
)  # fmt: skip
@pytest.mark.parametrize("rows", ["one", "all"])
def test_no_cell_escapes_the_rules(matter: tc.Matter, column: str, value: object, rows: str) -> None:
    change(matter, f"UPDATE documents SET {column} = ? WHERE number = 2", value)
    with pytest.raises(MatterError, match=rf"holds a value in {column}"):
        matter.document_page() if rows == "all" else matter.document_page(after=1, limit=1)


def test_text_that_is_not_utf8_is_damage(matter: tc.Matter) -> None:
    change(matter, "UPDATE documents SET reason = CAST(x'ff41' AS TEXT) WHERE number = 2")
    with pytest.raises(MatterError, match=r"damaged|not UTF-8"):
        matter.document_page()


def test_digests_are_checked_the_same_one_by_one_and_all_at_once() -> None:
    column = documents.c.sha256
    for good in ("", "0123456789abcdef" * 4):
        check_column(column, [good])
        check_column(column, [good, "f" * 64, ""])
    for bad in ("0" * 65, "0" * 63, "G" * 64, "A" * 64, "é" * 64, "\ud800" * 64, "0" * 63 + "\n", b"0" * 64, 0, None):
        for values in ([bad], [bad, "f" * 64]):
            with pytest.raises(MatterError):
                check_column(column, values)


WRONG = {"id": "", "path": "a\0b", "md5": "g" * 32, "sha256": "0" * 63, "wave": 0, "status": "gone", "words": "7"}


@pytest.mark.parametrize("column", WRONG)
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_columns_that_have_one_rule_are_checked_together(
    column: str, rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As each by itself: the one that is wrong is named. What has one rule is looked at once."""
    names = ("number", "id", "wave", "root", "path", "status", "md5", "sha256", "words_sha256", "words", "passage")
    good = (1, "TC-000001", 1, "/r", "a.txt", "unique", "0" * 32, "a" * 64, "", 7, None)
    columns = tuple(documents.c[name] for name in names)
    values = [[value] * rows for value in good]
    looked, holds = [], cells._all_hold
    monkeypatch.setattr(cells, "_all_hold", lambda rule, some: looked.append(rule) or holds(rule, some))
    check_columns(columns, values)
    assert len(looked) == len(set(looked)) < len(columns)
    values[names.index(column)][-1] = WRONG[column]
    with pytest.raises(MatterError, match=f"table documents holds a value in {column} that"):
        check_columns(columns, values)
    with pytest.raises(MatterError, match=f"table documents holds a value in {column} that"):
        check_column(documents.c[column], values[names.index(column)])
