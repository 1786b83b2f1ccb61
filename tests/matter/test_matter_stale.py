"""What was computed is written only if the matter is still the one that it was computed from, and what is written for
the whole matter takes nothing away that a wave has written ahead.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_matter_ahead import KilledError, few_at_once, let_in, more, stored
from test_matter_meanwhile import BASE, begun, rooms, state_of, write

import truecopy as tc
from truecopy.cli.checks import check_matter
from truecopy.errors import MatterBusy
from truecopy.matter import store as store_module
from truecopy.matter.change.unfinished import start_over, unmark
from truecopy.matter.sql.guard import ADDING, LOCK, UNFINISHED
from truecopy.matter.store import LONGER, Store

__all__ = ["few_at_once", "more", "rooms"]

SCAN = {"paths": ["some"]}


def marked_store(folder: Path) -> Store:
    """A matter that a scan has left which could not end: its log has one entry, and the mark knows which."""
    store = Store.open(folder)
    with store.writing() as state:
        state.connection.exec_driver_sql("DELETE FROM audit WHERE number > 1")
        nonce = json.loads(next(state.audit.entries()).details)["nonce"]
    (folder / UNFINISHED).write_text(f"{nonce}\n{json.dumps(SCAN)}")
    return store


def scan_again(folder: Path) -> None:
    """Let that scan start over, and end."""
    assert start_over(marked_store(folder), SCAN)
    unmark(folder)


REWRITES: dict[str, Callable[[Path], object]] = {
    "floor": lambda folder: tc.open(folder).lower_floor(60),
    "start over": scan_again,
}
FOLLOWS: dict[str, Callable[[tc.Matter], object]] = {
    "floor": lambda matter: matter.lower_floor(60),
    "sign": lambda matter: matter.sign("letters"),
    "sign anew": lambda matter: matter.sign("simhash", bits=64, replace=True),
    "rebuild": lambda matter: matter.rebuild_indexes(),
}

UNCHANGED: dict[str, Callable[[tc.Matter], object]] = {
    "nothing new": lambda matter: matter.add(matter.path.parent / "first"),
    "the same floor": lambda matter: matter.lower_floor(90),
    "signed already": lambda matter: matter.sign("simhash"),
}
"""Changes that find nothing to change."""


def log(matter: tc.Matter) -> list[Any]:
    with matter.asking() as state:
        return list(state.audit.entries())


def left(folder: Path) -> int:
    """How many rows nobody sees."""
    with tc.open(folder).asking() as state:
        return state.unseen.count()


def killed(matter: tc.Matter, room: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Add documents until the process ends, with rows written ahead."""

    def kill(number: int) -> None:
        if number == 20:
            raise KilledError

    with monkeypatch.context() as patched:
        let_in(patched, kill)
        with pytest.raises(KilledError):
            matter.add(room)
    assert left(matter.path) > 20


def test_a_floor_that_a_matter_has_takes_nothing_from_a_wave_that_is_written(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is written, so nothing is waited for, at any moment."""
    after, matter = begun(tmp_path / "after", rooms), begun(tmp_path / "m", rooms)
    after.add(more)

    def lower(number: int) -> None:
        if number % 10 == 9:
            tc.open(tmp_path / "m").lower_floor(90)
            tc.open(tmp_path / "m").lower_floor(80, "contains")

    done = let_in(monkeypatch, lower)
    matter.add(more)
    assert len(done) > 40
    for table in ("pairs", "families", "group_members"):
        assert stored(tmp_path / "m", table) == stored(tmp_path / "after", table)
    assert tc.open(tmp_path / "m").verify() == []


def test_a_floor_that_a_matter_has_already_is_no_change(rooms: dict[str, Path], tmp_path: Path) -> None:
    """The log does not tell of it."""
    matter = begun(tmp_path / "m", rooms)
    before = log(matter), state_of(matter)
    matter.lower_floor(90)
    assert (log(matter), state_of(matter)) == before


def test_a_floor_that_others_have_lowered_meanwhile_is_lowered_once(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matter = begun(tmp_path / "m", rooms)
    after_snapshot(monkeypatch, matter, lambda: tc.open(tmp_path / "m").lower_floor(60))
    matter.lower_floor(60)
    assert [entry.action for entry in log(matter)].count("floor") == 1
    assert matter.settings.floor == 60
    assert matter.verify() == []


@pytest.mark.parametrize("what", REWRITES)
def test_what_rewrites_all_pairs_waits_for_a_wave_that_is_written(
    what: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what does not, does not."""
    matter = begun(tmp_path / "m", rooms)
    monkeypatch.setattr("truecopy.matter.store.PATIENCE", 0.1 / LONGER)
    if what == "start over":
        marked_store(tmp_path / "m")
    before = log(matter)
    with Store.open(tmp_path / "m").adding():
        with pytest.raises(MatterBusy):
            REWRITES[what](tmp_path / "m")
        assert log(matter) == before
        matter.sign("letters")
        matter.rebuild_indexes()
    REWRITES[what](tmp_path / "m")
    assert tc.open(tmp_path / "m").verify() == []


@pytest.mark.parametrize("what", REWRITES)
def test_the_lock_of_waves_comes_before_that_of_writers(
    what: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In one order everywhere, nobody waits for another one in a circle."""
    begun(tmp_path / "m", rooms)
    locked, held = store_module._locked, list[str]()
    taken = []

    @contextlib.contextmanager
    def noting(folder: Path, name: str, patience: float) -> Iterator[None]:
        with locked(folder, name, patience):
            held.append(name)
            taken.append(tuple(held))
            yield
            held.remove(name)

    monkeypatch.setattr(store_module, "_locked", noting)
    REWRITES[what](tmp_path / "m")
    assert (ADDING, LOCK) in taken
    assert not [names for names in taken if names not in ((ADDING,), (ADDING, LOCK), (LOCK,))]


def after_snapshot(monkeypatch: pytest.MonkeyPatch, matter: tc.Matter, what: Callable[[], object]) -> list[int]:
    """Do something once, when a matter has computed and has not yet written; returns the list of its computations."""
    snapshot, done = Store.snapshot, []

    @contextlib.contextmanager
    def then_others(self: Store) -> Iterator[Any]:
        with snapshot(self) as state:
            yield state
        if self is matter._store:
            done.append(1)
            if len(done) == 1:
                what()

    monkeypatch.setattr(Store, "snapshot", then_others)
    return done


@pytest.mark.parametrize("what", [*FOLLOWS, "add"])
def test_a_matter_that_was_started_over_is_another_one(
    what: str, rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though it has as many waves, documents and pairs, by the same names, at the same second."""
    for module in ("sql.audit", "change.add", "change.signing"):
        monkeypatch.setattr(f"truecopy.matter.{module}.now", lambda: "2026-01-01T00:00:00+00:00")
    other = BASE.replace("Acme", "Zeta").replace("respect", "regard").replace("agree", "accept")
    again = write(tmp_path / "again", {"a": other, "b": other.replace("clause 7 ", "section 7 "), "c": other})
    change = FOLLOWS.get(what, lambda matter: matter.add(rooms["mine"]))

    def made(folder: Path, room: Path) -> tc.Matter:
        matter = tc.scan(room, folder, floor=90, threshold=90, report=False)
        matter.sign("simhash", bits=64)
        return matter

    after = made(tmp_path / "after", again)
    change(after)

    def begin_again() -> None:
        scan_again(tmp_path / "m")
        tc.open(tmp_path / "m").add(again)
        tc.open(tmp_path / "m").sign("simhash", bits=64)

    matter = made(tmp_path / "m", rooms["first"])
    done = after_snapshot(monkeypatch, matter, begin_again)
    change(matter)
    assert len(done) >= 2, "computed again"
    assert tc.open(tmp_path / "m").verify() == []
    assert state_of(tc.open(tmp_path / "m")) == state_of(tc.open(tmp_path / "after"))


@pytest.mark.parametrize("what", [*FOLLOWS, *UNCHANGED])
def test_rows_that_a_killed_wave_has_left_are_removed_by_whoever_writes_next(
    what: str, rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    matter = begun(tmp_path / "m", rooms)
    killed(matter, more, monkeypatch)
    change = (FOLLOWS | UNCHANGED)[what]
    change(tc.open(tmp_path / "m"))
    assert left(tmp_path / "m") == 0
    assert tc.open(tmp_path / "m").verify() == []


@pytest.mark.parametrize("what", ["sign", "rebuild", *UNCHANGED])
def test_nobody_waits_for_a_wave_only_to_remove_what_is_left(
    what: str, rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor takes away what is being written."""
    matter = begun(tmp_path / "m", rooms)
    killed(matter, more, monkeypatch)
    before, locked, patience = left(tmp_path / "m"), store_module._locked, []

    def noting(folder: Path, name: str, seconds: float) -> Any:
        if name == ADDING:
            patience.append(seconds)
        return locked(folder, name, seconds)

    with Store.open(tmp_path / "m").adding():
        monkeypatch.setattr(store_module, "_locked", noting)
        change = (FOLLOWS | UNCHANGED)[what]
        change(tc.open(tmp_path / "m"))
    assert patience == [0]
    assert left(tmp_path / "m") == before


def test_the_doctor_says_that_a_wave_is_not_complete(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is nothing broken, and it is no longer said when the rows are gone."""
    matter = begun(tmp_path / "m", rooms)
    killed(matter, more, monkeypatch)
    whole, note = check_matter(tmp_path / "m")
    assert (whole.state, note.state) == ("ok", "note")
    assert note.value.startswith(f"{left(tmp_path / 'm')} rows of a wave that is not complete")
    assert "the next add removes them" in note.hint
    tc.open(tmp_path / "m").add(more)
    assert [check.state for check in check_matter(tmp_path / "m")] == ["ok"]


@pytest.mark.skipif(os.name != "posix", reason="elsewhere a spool is locked after it has its name")
def test_a_spool_whose_removal_was_cut_short_goes_at_once(rooms: dict[str, Path], tmp_path: Path) -> None:
    """Its lock went first; one that is being made has another name, and is left alone until it is old."""
    matter = begun(tmp_path / "m", rooms)
    for name in ("spool-0123456789abcdef", "making-0123456789abcdef"):
        (tmp_path / "m" / name).mkdir()
        (tmp_path / "m" / name / "former.segment").write_bytes(b"what a killed process was removing")
    matter.add(rooms["first"])
    assert [one.name for one in (tmp_path / "m").iterdir() if one.is_dir()] == ["making-0123456789abcdef"]
