"""Nobody takes away what somebody else has added: not a scan that starts over or fails, and not a change inside a
snapshot of an older state.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from test_matter_ahead import KilledError, few_at_once, let_in, more
from test_matter_meanwhile import begun, rooms

import truecopy as tc
from truecopy.errors import NotFound, UsageError
from truecopy.matter.change import add as add_module
from truecopy.matter.store import Store

__all__ = ["few_at_once", "more", "rooms"]


def waves(folder: Path) -> list[int]:
    """The documents of each wave, of a matter that is whole."""
    matter = tc.open(folder)
    assert matter.verify() == []
    return [wave.documents for wave in matter.waves()]


def scan_is_killed(monkeypatch: pytest.MonkeyPatch, room: Path, folder: Path, where: str) -> None:
    """Scan until the process ends, with its mark left behind."""

    def kill(*_: Any, **__: Any) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(where, kill)
        with pytest.raises(KilledError):
            tc.scan(room, folder, report=False)
    assert (folder / "scan.unfinished").exists()


AFTER_COMMIT, READING = "truecopy.api._scanned", "truecopy.matter.change.add.take_in"


def test_the_same_scan_starts_over(rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As often as it is killed after its documents are stored."""
    for _ in range(2):
        scan_is_killed(monkeypatch, rooms["first"], tmp_path / "m", AFTER_COMMIT)
    assert waves(tmp_path / "m") == [3]
    tc.scan(rooms["first"], tmp_path / "m", report=False)
    assert waves(tmp_path / "m") == [3]
    assert not (tmp_path / "m" / "scan.unfinished").exists()


def test_a_wave_that_is_added_while_a_scan_waits_to_start_over_stays(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked before the lock was free is asked again under it."""
    scan_is_killed(monkeypatch, rooms["first"], tmp_path / "m", AFTER_COMMIT)
    other, adding = tc.open(tmp_path / "m"), Store.adding
    mine = threading.get_ident()

    @contextlib.contextmanager
    def after_another(self: Store, **how: bool) -> Iterator[None]:
        if self is not other._store and threading.get_ident() == mine and len(other.waves()) == 1:
            other.add(rooms["theirs"])
        with adding(self, **how):
            yield

    monkeypatch.setattr(Store, "adding", after_another)
    with pytest.raises(UsageError, match="There is a matter with documents"):
        tc.scan(rooms["first"], tmp_path / "m", report=False)
    assert waves(tmp_path / "m") == [3, 3]


def test_a_scan_that_has_stored_nothing_takes_no_wave_of_another_for_its_own(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has the empty matter open, and adds to it after the scan was killed while it read."""
    other = tc.create(tmp_path / "m")
    scan_is_killed(monkeypatch, rooms["first"], tmp_path / "m", READING)
    other.add(rooms["theirs"])
    with pytest.raises(UsageError, match="There is a matter with documents"):
        tc.scan(rooms["first"], tmp_path / "m", report=False)
    assert waves(tmp_path / "m") == [3]


def test_a_scan_that_finds_nothing_leaves_a_matter_that_was_there(rooms: dict[str, Path], tmp_path: Path) -> None:
    """And its mark with it: whoever made the matter can go on."""
    tc.create(tmp_path / "m")
    with pytest.raises(NotFound):
        tc.scan(tmp_path / "nowhere", tmp_path / "m", report=False)
    tc.open(tmp_path / "m").add(rooms["first"])
    assert waves(tmp_path / "m") == [3]


def test_a_scan_that_finds_nothing_removes_the_matter_that_it_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        tc.scan(tmp_path / "nowhere", tmp_path / "m", report=False)
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("lock", ["wave.lock", "matter.lock"])
def test_a_matter_that_somebody_works_with_is_not_removed(lock: str, tmp_path: Path) -> None:
    """Whoever holds one of its locks is about to store something."""
    matter = tc.create(tmp_path / "m")
    store = Store.open(tmp_path / "m")
    with store.adding() if lock == "wave.lock" else store.writing():
        matter.discard_if_empty()
        assert (tmp_path / "m" / "matter.sqlite").exists()
    matter.discard_if_empty()
    assert not (tmp_path / "m").exists()


def test_a_matter_to_which_somebody_adds_is_not_removed(
    rooms: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not while the documents are read, which takes no lock, nor when they are there."""
    matter, take_in = tc.create(tmp_path / "m"), add_module.take_in

    def discard_first(*given: Any, **named: Any) -> Any:
        tc.open(tmp_path / "m").discard_if_empty()
        return take_in(*given, **named)

    monkeypatch.setattr(add_module, "take_in", discard_first)
    matter.add(rooms["first"])
    matter.discard_if_empty()
    assert waves(tmp_path / "m") == [3]


CHANGES: dict[str, Callable[[tc.Matter, Path], object]] = {
    "add": lambda matter, room: matter.add(room),
    "floor": lambda matter, _: matter.lower_floor(60),
    "the same floor": lambda matter, _: matter.lower_floor(90),
    "sign": lambda matter, _: matter.sign("letters"),
    "signed already": lambda matter, _: matter.sign("simhash"),
    "rebuild": lambda matter, _: matter.rebuild_indexes(),
    "settings": lambda matter, _: matter.change_settings(matter.settings),
    "discard": lambda matter, _: matter.discard_if_empty(),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_matter_is_not_changed_inside_a_snapshot_of_it(what: str, rooms: dict[str, Path], tmp_path: Path) -> None:
    """What a change looks at would be of an older state than what it changes."""
    matter = begun(tmp_path / "m", rooms)
    with matter.snapshot():
        before = matter.statuses()
        tc.open(tmp_path / "m").add(rooms["theirs"])
        with pytest.raises(UsageError, match="inside a snapshot"):
            CHANGES[what](matter, rooms["mine"])
        assert matter.statuses() == before
    assert waves(tmp_path / "m") == [3, 1, 1, 3]


def test_nothing_is_swept_by_the_names_of_an_older_state(rooms: dict[str, Path], tmp_path: Path) -> None:
    """Whoever is stopped removes what he has written, and not what was stored since his snapshot."""
    matter = begun(tmp_path / "m", rooms)
    with matter.snapshot():
        tc.open(tmp_path / "m").add(rooms["theirs"])
        matter._store._sweep_quietly()
    assert waves(tmp_path / "m") == [3, 1, 1, 3]


def test_what_is_left_goes_before_a_wave_is_computed(
    rooms: dict[str, Path], more: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that was full needs the room."""
    matter = begun(tmp_path / "m", rooms)

    def kill(number: int) -> None:
        if number == 20:
            raise KilledError

    with monkeypatch.context() as killed:
        let_in(killed, kill)
        with pytest.raises(KilledError):
            matter.add(more)
    assert matter.unfinished_rows() > 20
    compute, seen = add_module.compute_wave, []

    def look(*given: Any, **named: Any) -> Any:
        seen.append(tc.open(tmp_path / "m").unfinished_rows())
        return compute(*given, **named)

    monkeypatch.setattr(add_module, "compute_wave", look)
    tc.open(tmp_path / "m").add(more)
    assert seen == [0]
    assert tc.open(tmp_path / "m").verify() == []
