"""Killed at any moment, a matter is as it was before or after; the same command then completes it.

Half of the moments are spread at random over the measured time of an undisturbed run, half over the time after
its first file was written, in which the transaction is committed. Nothing in the product knows of these tests.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import pytest
from whole_room import write_room
from whole_state import state

import truecopy as tc
from truecopy.errors import MatterBusy
from truecopy.locks import held
from truecopy.matter.store import LONGER
from truecopy.progress import Silent

MOTHER = Path(__file__).with_name("whole_mother.py")
FIRST, SECOND = "first", "second"


@dataclass(frozen=True)
class Scene:
    """A matter with one wave, the second wave's documents, and what is true before and after it."""

    folder: Path
    before: dict[str, Any]
    after: dict[str, Any]
    files: set[str]
    """Names in the matter's folder after an undisturbed run."""

    def matter(self, name: str) -> Path:
        """A copy of the matter with one wave."""
        target = self.folder / name
        shutil.copytree(self.folder / "matter", target)
        return target


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder = tmp_path_factory.mktemp("kill")
    write_room(folder / FIRST, 11, range(16))
    write_room(folder / SECOND, 11, range(8, 24), range(1, 3))
    first = tc.scan(folder / FIRST, folder / "matter", report=False)
    before = state(first)
    shutil.copytree(folder / "matter", folder / "whole")
    second = tc.open(folder / "whole")
    second.add(folder / SECOND)
    second.add(folder / SECOND)  # nothing new, but the next writer sweeps away blocks that were merged
    return Scene(folder, before, state(second), {file.name for file in (folder / "whole").iterdir()})


class Mother:
    """The process whose children are killed."""

    def __init__(self, *words: str) -> None:
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a fork keeps no threads
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(MOTHER), *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self._hear("ready")

    def start(self, action: str, matter: Path, *paths: Path) -> None:
        """A child begins with its work."""
        self._say(json.dumps([action, str(matter), [str(path) for path in paths]]))
        self._hear("began")

    def kill(self) -> None:
        """The child ends now, if it has not ended."""
        self._say("kill")
        self._hear("ended killed", "ended itself")

    def wait(self) -> None:
        """The child ends by itself."""
        self._say("wait")
        self._hear("ended itself")

    def end(self) -> None:
        with self._process:
            self._process.kill()

    def _say(self, line: str) -> None:
        assert self._process.stdin
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self, *expected: str) -> None:
        assert self._process.stdout
        assert self._process.stdout.readline().strip() in expected


@pytest.fixture(scope="module", params=[(), ("ahead",)], ids=["at once", "ahead"])
def mother(request: pytest.FixtureRequest) -> Iterator[Mother]:
    """One whose children write a wave in one transaction, and one whose children write its rows ahead of it."""
    running = Mother(*request.param)
    yield running
    running.end()


@dataclass(frozen=True)
class Moment:
    """So many seconds after the work began or, if `late`, after the wave's files were written."""

    seconds: float
    late: bool


def wait_for_files(matter: Path, most: float = 60) -> None:
    """Until the wave's first file is there: from here on the wave is being stored, grouped and committed."""
    give_up = time.perf_counter() + most
    while not any(matter.glob("wave-0002.*")) and time.perf_counter() < give_up:
        time.sleep(0.0005)


def undisturbed(scene: Scene, mother: Mother) -> tuple[float, float]:
    """Seconds that the second wave takes, and how many of them come after its first file is there."""
    matter = scene.matter("timed")
    began = time.perf_counter()
    mother.start("add", matter, scene.folder / SECOND)
    wait_for_files(matter)
    written = time.perf_counter()
    mother.wait()
    ended = time.perf_counter()
    shutil.rmtree(matter)
    return ended - began, ended - written


def moments(count: int, seconds: float, tail: float, seed: int) -> list[Moment]:
    """One moment in each equal part of the run, and as many in each part of its end, with the commit in it."""
    dice = random.Random(seed)
    half = count // 2
    early = [Moment((part + dice.random()) / half * seconds, False) for part in range(half)]
    late = [Moment((part + dice.random()) / (count - half) * 1.2 * tail, True) for part in range(count - half)]
    return early + late


def check_killed(scene: Scene, matter: Path) -> bool:
    """The state is that before or after; adding again completes it. True where the wave had been lost."""
    opened = tc.open(matter)
    seen = state(opened)
    assert seen in (scene.before, scene.after), "a half-written wave is visible"
    added = opened.add(scene.folder / SECOND)
    lost = seen == scene.before
    documents = scene.after["waves"][-1][1]
    assert (added.documents, added.already) == ((documents, 0) if lost else (0, documents))
    assert state(tc.open(matter)) == scene.after
    assert opened.verify() == []
    opened.add(scene.folder / SECOND)
    assert {file.name for file in matter.iterdir()} == scene.files, "a killed process left a file behind"
    return lost


def kill_often(scene: Scene, mother: Mother, count: int, seed: int) -> None:
    seconds, tail = undisturbed(scene, mother)
    lost = 0
    for place, moment in enumerate(moments(count, seconds, tail, seed)):
        matter = scene.matter(f"killed-{place}")
        mother.start("add", matter, scene.folder / SECOND)
        if moment.late:
            wait_for_files(matter)
        time.sleep(moment.seconds)
        mother.kill()
        try:
            lost += check_killed(scene, matter)
        except BaseException:
            print(f"killed at {moment} of {seconds:.4f} s, the last {tail:.4f} of them after files were written")
            raise
        shutil.rmtree(matter)
    print(f"killed {count} times within {seconds:.2f} s: the wave was lost {lost} times, and kept {count - lost} times")
    assert lost >= count // 3, "most moments must fall into the run, not after it"


@pytest.mark.alone
def test_a_wave_killed_at_10_moments_is_there_in_whole_or_not_at_all(scene: Scene, mother: Mother, seed: int) -> None:
    kill_often(scene, mother, 10, seed)


@pytest.mark.soak
def test_a_wave_killed_at_200_moments_is_there_in_whole_or_not_at_all(scene: Scene, mother: Mother, seed: int) -> None:
    kill_often(scene, mother, 200, seed)


def parser_processes(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that read files for a command."""
    found = []
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            if "truecopy.read.worker" in child.cmdline():
                found.append(child)
    return found


@pytest.mark.alone
def test_the_command_can_be_killed_and_its_helpers_end_with_it(scene: Scene, seed: int) -> None:
    """`truecopy add`, killed: its parser processes go too, and the same command completes the wave."""
    command = [sys.executable, "-m", "truecopy", "add", str(scene.folder / SECOND), "--json", "--matter"]
    began = time.perf_counter()
    subprocess.run([*command, str(scene.matter("cli-timed"))], check=True, capture_output=True)
    seconds = time.perf_counter() - began
    dice = random.Random(seed)
    for place in range(3):
        matter = scene.matter(f"cli-{place}")
        with subprocess.Popen([*command, str(matter)], stdout=subprocess.DEVNULL) as process:
            time.sleep(seconds * (0.4 + 0.2 * (place + dice.random())))
            parsers = parser_processes(process)
            process.send_signal(signal.SIGKILL)
        _, alive = psutil.wait_procs(parsers, timeout=60)
        assert alive == [], "a parser process outlives its parent"
        check_killed(scene, matter)


@pytest.mark.alone
def test_a_scan_that_is_killed_can_be_run_again(scene: Scene, mother: Mother, seed: int) -> None:
    """Killed while it makes its matter, a scan is run again by the same call, and ends as if nothing had been."""
    began = time.perf_counter()
    mother.start("scan", scene.folder / "scan-timed", scene.folder / FIRST)
    mother.wait()
    seconds = time.perf_counter() - began
    dice = random.Random(seed)
    # The first milliseconds make the database; the rest is as with a wave.
    for place, moment in enumerate([0.0, 0.005, 0.01, 0.02, 0.04, *(dice.random() * seconds for _ in range(4))]):
        matter = scene.folder / f"scan-{place}"
        mother.start("scan", matter, scene.folder / FIRST)
        time.sleep(moment)
        mother.kill()
        try:
            there = tc.open(matter).documents()
        except tc.TruecopyError:
            there = []
        if there:
            assert state(tc.open(matter)) == scene.before
        else:
            assert state(tc.scan(scene.folder / FIRST, matter, report=False)) == scene.before


COMMIT = "commit"


class Held(Silent):
    """A progress that stops the work at a stage, or in its commit, until it is let go: a run as long as a test needs
    it.
    """

    def __init__(self, stage: str, matter: Path) -> None:
        self._stage, self._lock = stage, matter / "matter.lock"
        self.reached, self.let_go = threading.Event(), threading.Event()

    def start(self, stage: str, total: int | None, unit: str) -> None:
        if not self.reached.is_set() and (stage == self._stage or (self._stage == COMMIT and self._is_writing())):
            self.reached.set()
            assert self.let_go.wait(60)

    def _is_writing(self) -> bool:
        with held(self._lock) as free:
            return not free


@contextlib.contextmanager
def writer(matter: Path, paths: Path, stage: str) -> Iterator[None]:
    """Another thread that is in the middle of adding a wave; it ends the wave when this is left."""
    progress, failed = Held(stage, matter), []

    def work() -> None:
        try:
            tc.open(matter).add(paths, progress=progress)
        except BaseException as error:
            failed.append(error)
            progress.reached.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert progress.reached.wait(60)
        yield
    finally:
        progress.let_go.set()
        thread.join()
    assert not failed, failed


def typed(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "truecopy", *map(str, words), "--json"]


@pytest.mark.parametrize("stage", ["read", "match", "measure"])
def test_others_write_while_a_wave_is_computed_and_both_ends_are_right(scene: Scene, stage: str) -> None:
    """Another process adds a wave and lowers the floor meanwhile, and readers see that at once; the end is the same as
    if the wave had come after it.
    """
    matter, after = scene.matter(f"meanwhile-{stage}"), tc.open(scene.matter(f"after-{stage}"))
    third = scene.folder / "third"
    if not third.exists():
        write_room(third, 11, range(20, 28), range(2, 4))
    after.add(third)
    after.lower_floor(60)
    with writer(matter, scene.folder / SECOND, stage):
        reader = tc.open(matter)
        assert state(reader) == scene.before
        for words in (["add", third], ["floor", "60"]):
            other = subprocess.run(typed(*words, "--matter", matter), capture_output=True, text=True, check=False)
            assert other.returncode == 0, other.stdout + other.stderr
        assert state(tc.open(matter)) == state(after)
    after.add(scene.folder / SECOND)
    assert state(tc.open(matter)) == state(after)
    assert tc.open(matter).verify() == []
    again = tc.open(matter).add(scene.folder / SECOND)
    assert (again.documents, again.already) == (0, scene.after["waves"][-1][1])


def test_a_second_writer_waits_for_a_commit_or_is_refused_and_readers_see_the_old_state(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one process commits, who does not wait gets a sentence, who waits is served, a reader sees the state
    before; then all is there.
    """
    matter = scene.matter("two-writers")
    third = scene.folder / "fourth"
    write_room(third, 11, range(30, 32))
    with writer(matter, scene.folder / SECOND, COMMIT):
        waiting = subprocess.Popen(typed("add", third, "--matter", matter), stdout=subprocess.PIPE, text=True)
        with monkeypatch.context() as impatient:
            impatient.setattr("truecopy.matter.store.PATIENCE", 0.2 / LONGER)
            with pytest.raises(MatterBusy) as refused:
                tc.open(matter).add(third)
        assert str(matter) in refused.value.message
        assert state(tc.open(matter)) == scene.before
    out, _ = waiting.communicate(timeout=60)
    assert waiting.returncode == 0, out
    waves = tc.open(matter).waves()
    assert [wave.documents for wave in waves[:2]] == [wave[1] for wave in scene.after["waves"]]
    assert len(waves) == 3
    again = tc.open(matter).add([scene.folder / SECOND, third])
    assert again.documents == 0
    assert tc.open(matter).verify() == []


def test_a_reader_that_was_open_before_sees_the_new_state_after(scene: Scene) -> None:
    matter = scene.matter("reader")
    reader = tc.open(matter)
    assert state(reader) == scene.before
    tc.open(matter).add(scene.folder / SECOND)
    assert state(reader) == scene.after
