"""The rows of a large wave are written ahead of it, few at a time: nobody sees one before all of them count, whatever
happens in between, and others write meanwhile.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from test_matter_meanwhile import BASE, OTHERS, begun, rooms, state_of, write

import truecopy as tc
from truecopy.matter.change import ahead
from truecopy.matter.change import rows as rows_module
from truecopy.matter.sql import tables, unseen
from truecopy.matter.store import Store

__all__ = ["rooms"]
TABLES = [name for name in tables.metadata.tables if name not in ("facts", "audit", "segments", "waves", "signings")]


class KilledError(BaseException):
    """What the process ends by; nothing answers to it."""


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every wave is a large one, and a transaction is as short as can be."""
    monkeypatch.setattr(ahead, "MANY", 1)
    monkeypatch.setattr(ahead, "SHARE", 0.0)
    monkeypatch.setattr(rows_module, "_ROWS_AT_ONCE", 2)


@pytest.fixture
def more(tmp_path: Path) -> Path:
    """A wave that joins groups, founds some, repeats documents and is contained in them."""
    texts = {f"m{n}": BASE.replace(f"clause {n} ", f"passage {n} ") + "More." for n in range(8)}
    texts |= {
        f"o{n}": "".join(f"Another text of {n // 2} says {i * (1 + n // 2)}. " for i in range(40)) + f"End {n}."
        for n in range(6)
    }
    return write(tmp_path / "more", texts | {"again": BASE, "part": BASE[: len(BASE) // 3]})


def let_in(monkeypatch: pytest.MonkeyPatch, what: Callable[[int], object]) -> list[int]:
    """Do something after each transaction whose rows nobody sees; returns the list of those that have been."""
    writing, done = Store.writing, []

    @contextlib.contextmanager
    def then_others(self: Store, **how: bool) -> Iterator[Any]:
        with writing(self, **how) as state:
            yield state
        if how.get("unseen"):
            done.append(len(done) + 1)
            what(done[-1])

    monkeypatch.setattr(Store, "writing", then_others)
    return done


def stored(folder: Path, table: str) -> list[Any]:
    """The rows of a table as they are in the file, seen or not."""
    columns = [column.name for column in tables.metadata.tables[table].columns]
    query = f"SELECT {', '.join(columns)} FROM {table} ORDER BY {', '.join(columns)}"
    with contextlib.closing(sqlite3.connect(folder / "matter.sqlite")) as connection:
        return connection.execute(query).fetchall()


def counts(folder: Path) -> dict[str, int]:
    return {table: len(stored(folder, table)) for table in TABLES}


def test_the_rows_are_those_of_a_wave_that_is_written_at_once(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row of every table, also of a second wave that is spread over the families of the first."""
    one, other = begun(tmp_path / "one", rooms), begun(tmp_path / "other", rooms)
    done = let_in(monkeypatch, lambda _: None)
    for room in (rooms["mine"], more):
        one.add(room)
    assert len(done) > 40
    written = len(done)
    monkeypatch.setattr(ahead, "MANY", 10**9)
    for room in (rooms["mine"], more):
        other.add(room)
    assert len(done) == written, "written at once"
    for table in TABLES:
        assert stored(tmp_path / "one", table) == stored(tmp_path / "other", table), table
    assert state_of(one) == state_of(other)
    assert tc.open(tmp_path / "one").verify() == []


def test_nobody_sees_a_row_before_the_wave_counts(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each transaction, who has the matter open and who opens it see what was there before, in every table."""
    matter = begun(tmp_path / "m", rooms)
    reader, before = tc.open(tmp_path / "m"), state_of(matter)
    there = {table: stored(tmp_path / "m", table) for table in TABLES}
    hidden = []

    def look(number: int) -> None:
        if number % 4 != 1:
            return
        assert state_of(reader) == before
        opened = tc.open(tmp_path / "m")
        assert state_of(opened) == before
        assert opened.verify() == []
        with opened._store.reading() as state:
            for table in TABLES:
                query = tables.metadata.tables[table].select()
                assert sorted(map(tuple, state.connection.execute(query)), key=repr) == sorted(
                    there[table], key=repr
                ), table
        hidden.append(sum(counts(tmp_path / "m").values()))

    let_in(monkeypatch, look)
    matter.add(more)
    assert hidden == sorted(hidden)
    assert hidden[-1] - sum(map(len, there.values())) > 60, "rows are there that nobody sees"
    assert state_of(reader)["waves"] != before["waves"]


def test_others_write_between(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others record while a wave is written is kept, and costs the wave nothing."""
    matter = begun(tmp_path / "m", rooms)

    def record(number: int) -> None:
        with Store.open(tmp_path / "m").writing() as state:
            state.audit.record("note", {"number": number})

    done = let_in(monkeypatch, record)
    matter.add(more)
    with tc.open(tmp_path / "m")._store.reading() as state:
        notes = [entry.details for entry in state.audit.entries() if entry.action == "note"]
        assert state.audit.wrong() == []
    assert notes == [f'{{"number": {number}}}' for number in done]
    assert tc.open(tmp_path / "m").verify() == []


@pytest.mark.parametrize("at", [1, 9])
@pytest.mark.parametrize(
    "what", [what for what in OTHERS if "wave" not in what and "files" not in what and what[:3] != "all"]
)
def test_what_changes_the_matter_while_a_wave_is_written_is_kept(
    what: str, at: int, rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The end is that of one after the other; rows that no longer follow are removed. A lower floor, which rewrites
    all pairs, waits for the wave.
    """
    after = begun(tmp_path / "after", rooms)
    OTHERS[what](after, rooms)
    after.add(more)
    mine = begun(tmp_path / "beside", rooms)
    waiting: list[Future[Any]] = []
    with ThreadPoolExecutor(1) as pool:

        def change(number: int) -> None:
            if number == at:
                waiting.append(pool.submit(lambda: OTHERS[what](tc.open(tmp_path / "beside"), rooms)))
                if "floor" not in what:
                    waiting[0].result()

        let_in(monkeypatch, change)
        mine.add(more)
        waiting[0].result()
    assert state_of(tc.open(tmp_path / "beside")) == state_of(tc.open(tmp_path / "after"))
    for table in TABLES:
        assert stored(tmp_path / "beside", table) == stored(tmp_path / "after", table), table
    assert tc.open(tmp_path / "beside").verify() == []


def test_a_wave_that_comes_while_another_is_written_follows_it(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows of two waves never mix: the second one waits, and is computed again after the first."""
    after = begun(tmp_path / "after", rooms)
    after.add(more)
    after.add(rooms["mine"])
    matter = begun(tmp_path / "beside", rooms)
    others: list[Future[Any]] = []
    with ThreadPoolExecutor(1) as pool:

        def begin(number: int) -> None:
            if number == 1:
                others.append(pool.submit(lambda: tc.open(tmp_path / "beside").add(rooms["mine"])))

        let_in(monkeypatch, begin)
        matter.add(more)
        others[0].result()
    assert state_of(tc.open(tmp_path / "beside")) == state_of(after)
    assert tc.open(tmp_path / "beside").verify() == []


def test_who_always_comes_late_writes_at_once(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often others change what the wave follows on, it comes to its end, and leaves no row that nobody sees."""
    matter = begun(tmp_path / "m", rooms)
    bits = itertools.cycle((128, 64))

    def sign(number: int) -> None:
        if number % 20 == 1:
            tc.open(tmp_path / "m").sign("simhash", bits=next(bits), replace=True)

    done = let_in(monkeypatch, sign)
    matter.add(more)
    assert len(done) > 60
    assert tc.open(tmp_path / "m").verify() == []
    with tc.open(tmp_path / "m")._store.reading() as state:
        assert not state.unseen.any()


@pytest.mark.parametrize("moment", ["first", "middle", "last"])
def test_what_a_killed_process_has_left_is_seen_by_nobody_and_removed(
    moment: str, rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another wave that comes then is as if nothing had been; then the same command completes what was lost."""
    after = begun(tmp_path / "after", rooms)
    with monkeypatch.context() as counted:
        done = let_in(counted, lambda _: None)
        after.add(more)
    after = begun(tmp_path / "again", rooms)
    after.add(rooms["theirs"])
    at = {"first": 1, "middle": len(done) // 2, "last": len(done)}[moment]

    matter = begun(tmp_path / "m", rooms)
    before, there = state_of(matter), counts(tmp_path / "m")

    def kill(number: int) -> None:
        if number == at:
            raise KilledError

    with monkeypatch.context() as killed:
        let_in(killed, kill)
        with pytest.raises(KilledError):
            matter.add(more)
    assert counts(tmp_path / "m") != there
    opened = tc.open(tmp_path / "m")
    assert state_of(opened) == before
    assert opened.verify() == []
    if moment == "last":
        changed = {table for table, count in counts(tmp_path / "m").items() if count != there[table]}
        assert changed == set(unseen._BOUNDS), "every table that has a bound has rows that nobody sees"
    with monkeypatch.context() as killed:  # and once more, while they are removed
        let_in(killed, kill)
        if moment == "first":
            with pytest.raises(KilledError):
                tc.open(tmp_path / "m").add(rooms["theirs"])
            assert state_of(tc.open(tmp_path / "m")) == before
    opened.add(rooms["theirs"])
    for table in TABLES:
        assert stored(tmp_path / "m", table) == stored(tmp_path / "again", table), table
    assert opened.add(more).documents == len(list(more.iterdir()))
    after.add(more)
    assert state_of(tc.open(tmp_path / "m")) == state_of(after)
    assert tc.open(tmp_path / "m").verify() == []


@pytest.mark.parametrize("wave", [1, 10**9])
def test_a_small_wave_removes_what_a_killed_one_has_left(
    wave: int, rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the next wave is written ahead or at once."""
    matter = begun(tmp_path / "m", rooms)

    def kill(number: int) -> None:
        if number == 20:
            raise KilledError

    with monkeypatch.context() as killed:
        let_in(killed, kill)
        with pytest.raises(KilledError):
            matter.add(more)
    monkeypatch.setattr(ahead, "MANY", wave)
    tc.open(tmp_path / "m").add(rooms["theirs"])
    assert tc.open(tmp_path / "m").verify() == []
    with tc.open(tmp_path / "m")._store.reading() as state:
        assert not state.unseen.any()


def test_rows_that_somebody_has_put_after_the_last_wave_are_no_part_of_the_matter(
    rooms: dict[str, Path], more: Path, tmp_path: Path
) -> None:
    """Whatever they hold: nobody sees them, and the next wave removes them."""
    matter = begun(tmp_path / "m", rooms)
    before = state_of(matter)
    with contextlib.closing(sqlite3.connect(tmp_path / "m" / "matter.sqlite")) as connection, connection:
        connection.execute("INSERT INTO families VALUES ('similar', 99, 'x')")
        connection.execute("INSERT INTO group_members VALUES ('own', 99, 1)")
        connection.execute("INSERT INTO groups VALUES ('own', 'many', 1)")
        connection.execute(
            "INSERT OR IGNORE INTO pairs SELECT unit, relation, a, 99, 1, 1, 1, 1, 1, 1, 1, kind FROM pairs"
        )
    assert state_of(tc.open(tmp_path / "m")) == before
    assert tc.open(tmp_path / "m").verify() == []
    matter.add(more)
    with tc.open(tmp_path / "m")._store.reading() as state:
        assert not state.unseen.any()
    assert tc.open(tmp_path / "m").verify() == []


def test_files_that_no_row_names_are_removed_when_the_lock_is_free_again(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To remove large files takes time: under the lock they are only moved."""
    matter = begun(tmp_path / "m", rooms)
    left = tmp_path / "m" / "wave-0009.texts.000099.segment"
    left.write_bytes(b"left")
    sweep, moved = Store.sweep, []

    def sweep_and_look(self: Store, state: Any, into: Path | None = None) -> None:
        sweep(self, state, into)
        assert into is not None
        moved.extend(file.read_bytes() for file in into.glob("swept-*"))

    monkeypatch.setattr(Store, "sweep", sweep_and_look)
    matter.add(more)
    assert b"left" in moved
    assert not left.exists()
    assert [file for file in (tmp_path / "m").iterdir() if file.is_dir()] == []


def test_who_writes_a_setting_leaves_a_long_log_to_the_one_that_adds(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wave that is being written makes the log long again and again, and nobody else should pay for that."""
    begun(tmp_path / "m", rooms)
    store, moved = Store.open(tmp_path / "m"), []
    monkeypatch.setattr("truecopy.matter.sql.writers.has_long_log", lambda _: True)
    monkeypatch.setattr("truecopy.matter.sql.writers.move_log", moved.append)

    def moves(**how: bool) -> int:
        before = len(moved)
        with store.writing(**how) as state:
            state.audit.record("note", {})
        return len(moved) - before

    with Store.open(tmp_path / "m").adding():
        assert [moves(), moves(longer=True), moves(longer=True, unseen=True)] == [0, 1, 1]
    assert moves() == 1


def test_rows_of_a_wave_are_on_the_disk_before_the_wave_is(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Transactions that nobody sees need not flush the log; whatever makes them count does."""
    matter, how_safe = begun(tmp_path / "m", rooms), []
    writing = Store.writing

    @contextlib.contextmanager
    def look(self: Store, **how: bool) -> Iterator[Any]:
        with writing(self, **how) as state:
            safe = state.connection.exec_driver_sql("PRAGMA synchronous").scalar()
            how_safe.append((bool(how.get("unseen")), safe))
            yield state

    monkeypatch.setattr(Store, "writing", look)
    matter.add(more)
    assert set(how_safe) == {(True, 1), (False, 2)}
