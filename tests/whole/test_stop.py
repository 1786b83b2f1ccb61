"""Ctrl-C at any moment: an answer at once, the end within a second, one sentence, exit code 130, a whole matter.

Real signals go to a real process, in a terminal and without one, at moments spread at random over the measured time of
an undisturbed run. Then the same command is run again, and must come to what the undisturbed run came to.
"""

from __future__ import annotations

import json
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whole_room import write_room
from whole_state import state
from whole_stop import Ended, Run, patience

import truecopy as tc
from collections_data import collection
from truecopy.cli.run import STOPPED
from truecopy.errors import MatterError, NotFound

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and pseudo-terminals")


@pytest.fixture(autouse=True)
def _heard() -> Iterator[None]:
    """A shell lets what it runs in the background ignore Ctrl-C, and the commands would inherit that from us."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_room(tmp_path_factory.mktemp("stop") / "room", 5, range(40))


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two texts of which one comparison takes minutes: every word of both is unlike, but for their number."""
    folder = tmp_path_factory.mktemp("huge")
    dice = random.Random(3)
    for name in ("a.txt", "b.txt"):
        (folder / name).write_text(" ".join(f"w{dice.randrange(2000)}" for _ in range(600_000)))
    return folder


def must_have_stopped(ended: Ended, *, terminal: bool = False) -> None:
    assert ended.code == 130, ended
    assert ended.seconds < patience(), ended
    assert ended.out == ""
    assert ended.lines == ["stopping…", STOPPED] if terminal else ended.err == f"{STOPPED}\n", ended.err
    assert ended.left == [], "a helper outlived it"


def run_to_the_end(*arguments: str) -> dict[str, Any]:
    ended = Run(*arguments, "--json").finish()
    assert ended.code == 0, ended
    answer: dict[str, Any] = json.loads(ended.out)
    return answer


def committed(matter: Path) -> bool:
    """Whether the documents of a scan are stored."""
    try:
        with sqlite3.connect(f"file:{matter / 'matter.sqlite'}?mode=ro", uri=True) as connection:
            return bool(connection.execute("SELECT count(*) FROM waves").fetchone()[0])
    except sqlite3.Error:
        return False


def stop_at_random_moments(documents: Path, folder: Path, seed: int, moments: int) -> None:
    """Stop a scan so many times, and finish it each time."""
    whole = folder / "whole"
    undisturbed = Run("scan", str(documents), "--matter", str(whole))
    undisturbed.listening()  # the interpreter's start is not counted: nothing is stopped in it below
    begun = time.perf_counter()
    assert undisturbed.finish().code == 0
    took = time.perf_counter() - begun
    expected = state(tc.open(whole))
    dice = random.Random(seed)
    stopped = turn = 0
    while stopped < moments:  # a moment that comes after the end is no moment of the scan
        turn += 1
        assert turn <= 3 * moments, "most of them were too late to stop anything"
        matter = folder / f"matter-{turn}"
        terminal = turn % 2 == 0
        run = Run("scan", str(documents), "--matter", str(matter), terminal=terminal)
        run.listening()
        time.sleep(dice.uniform(0, took))
        ended = run.stop()
        if ended.code == 0:  # it was faster than before: all is there, and has been said
            assert "documents" in ended.out
        else:
            must_have_stopped(ended, terminal=terminal)
            stopped += 1
            print(f"stop {stopped} of {moments}: ended in {ended.seconds:.2f} s", flush=True)
            if committed(matter):
                assert run_to_the_end("doctor", "--matter", str(matter))["ok"]
            else:  # there is nothing in it, and nobody may take that for the result
                with pytest.raises((MatterError, NotFound)):
                    tc.open(matter)
            run_to_the_end("scan", str(documents), "--matter", str(matter))
        assert not [*matter.glob("*.part"), *matter.glob(".*.part")], "nothing half-written is left"
        assert state(tc.open(matter)) == expected
        shutil.rmtree(matter)


@pytest.mark.slow
def test_a_scan_can_be_stopped_at_any_moment(room, tmp_path, seed):
    """A handful of moments of a short scan."""
    stop_at_random_moments(room, tmp_path, seed, 4)


@pytest.mark.slow
def test_a_longer_scan_can_be_stopped_at_any_moment(tmp_path, seed):
    """A handful of moments of a scan with long texts and many formats."""
    stop_at_random_moments(collection("policies"), tmp_path, seed, 2)


@pytest.mark.soak
def test_thirty_moments_of_a_scan_of_the_bills(tmp_path, seed):
    stop_at_random_moments(collection("bills"), tmp_path, seed, 30)


@pytest.mark.slow
def test_stopped_while_it_writes_the_report_it_starts_over(room, tmp_path):
    """The documents are stored by then; the same command gives the same matter, and another one is refused."""
    whole, matter = tmp_path / "whole", tmp_path / "matter"
    expected = run_to_the_end("scan", str(room), "--matter", str(whole))
    run = Run("scan", str(room), "--matter", str(matter))
    assert run.wait_for(lambda: committed(matter))
    must_have_stopped(run.stop())
    assert committed(matter)
    other = Run("scan", str(room), "--matter", str(matter), "--threshold", "85").finish()
    assert other.code == 2
    assert "already" in other.err
    answer = run_to_the_end("scan", str(room), "--matter", str(matter))
    timed = ("seconds", "matter", "report")
    assert {key: answer[key] for key in answer if key not in timed} == {
        key: expected[key] for key in expected if key not in timed
    }
    assert state(tc.open(matter)) == state(tc.open(whole))
    assert (matter / "report.html").exists()
    again = Run("scan", str(room), "--matter", str(matter)).finish()
    assert again.code == 2, "a scan that has ended is not done over"


@pytest.mark.slow
def test_an_unfinished_scan_that_was_worked_with_is_kept(room, tmp_path):
    """Whoever added to the matter since then loses nothing by running the scan again."""
    matter = tmp_path / "matter"
    run = Run("scan", str(room), "--matter", str(matter))
    assert run.wait_for(lambda: committed(matter))
    run.stop()
    more = write_room(tmp_path / "more", 6, range(2))
    run_to_the_end("add", str(more), "--matter", str(matter))
    before = state(tc.open(matter))
    assert Run("scan", str(room), "--matter", str(matter)).finish().code == 2
    assert state(tc.open(matter)) == before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_other_signals_that_ask_to_end_are_like_ctrl_c(number, room, tmp_path):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip(f"{number.name} is ignored here, as under nohup, and so it is by every process that is started")
    run = Run("scan", str(room), "--matter", str(tmp_path / "matter"))
    run.listening()
    time.sleep(0.5)
    must_have_stopped(run.stop(number))


def test_with_json_the_stop_is_the_one_object(room, tmp_path):
    run = Run("scan", str(room), "--matter", str(tmp_path / "matter"), "--json")
    run.listening()
    time.sleep(0.5)
    ended = run.stop()
    assert ended.code == 130
    assert json.loads(ended.out) == {"ok": False, "error": {"code": "stopped", "message": STOPPED, "hint": ""}}
    assert ended.err == ""


def test_what_cannot_be_interrupted_is_left_behind(texts):
    """A kernel that works on one huge pair for minutes does not keep the process."""
    run = Run("compare", str(texts / "a.txt"), str(texts / "b.txt"), terminal=True)
    run.listening()
    time.sleep(6)
    must_have_stopped(run.stop(), terminal=True)


def test_a_second_ctrl_c_does_not_wait(texts):
    """The first one would wait half a second for what is at work."""
    run = Run("compare", str(texts / "a.txt"), str(texts / "b.txt"))
    run.listening()
    time.sleep(6)
    ended = run.stop(signal.SIGINT, signal.SIGINT)
    must_have_stopped(ended)
    assert ended.seconds < 0.4 or patience() > 1


def test_a_terminal_that_takes_nothing_does_not_hold_it_up(room, tmp_path):
    """Nobody reads what is drawn, as after Ctrl-S: the command ends all the same."""
    cache = {"TRUECOPY_CACHE": str(tmp_path / "cache")}  # compiling draws long enough to fill the terminal
    run = Run("scan", str(room), "--matter", str(tmp_path / "matter"), terminal=True, environment=cache, read=False)
    run.listening()
    time.sleep(6)
    ended = run.stop()
    assert ended.code == 130
    assert ended.seconds < patience()


def test_stopped_while_kernels_are_compiled(room, tmp_path):
    """The compiler in this process and in its helper are both left, and the next run compiles to the end."""
    cache = {"TRUECOPY_CACHE": str(tmp_path / "cache")}
    run = Run("scan", str(room), "--matter", str(tmp_path / "matter"), terminal=True, environment=cache)
    assert run.wait_for(lambda: "preparing (first run only)" in run.err)
    must_have_stopped(run.stop(), terminal=True)
    assert not list((tmp_path / "cache").rglob("ready"))


@pytest.mark.parametrize(
    "command",
    [
        ["demo", "room", "--documents", "150"],
        ["stats", "build", "ROOM", "--out", "table"],
        ["sign", "ROOM", "--method", "simhash", "--out", "signatures"],
    ],
)
def test_other_commands_can_be_stopped_and_run_again(command, room, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = [str(room) if word == "ROOM" else word for word in command]
    run = Run(*arguments, terminal=True)
    run.listening()
    time.sleep(1)
    ended = run.stop()
    if ended.code != 0:
        must_have_stopped(ended, terminal=True)
    again = Run(*arguments).finish()
    assert again.code == 0, again
    assert not list(tmp_path.rglob("*.part"))


def test_a_signal_that_the_caller_ignores_stays_ignored(room, tmp_path):
    """A job in the background of a script does not end when somebody presses Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        run = Run("scan", str(room), "--matter", str(tmp_path / "matter"))
    finally:
        signal.signal(signal.SIGINT, before)
    run.listening()
    time.sleep(0.3)
    assert run.stop(signal.SIGINT).code == 0
