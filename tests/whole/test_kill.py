"""Killed at any moment, a matter is as it was before or after; the same command then completes it.

The moments are spread at random over the measured time of an undisturbed run, more of them towards its end,
where files are written and the transaction is committed. Nothing in the product knows of these tests.
"""

from __future__ import annotations

import contextlib
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
from truecopy.progress import Silent

ADDER = Path(__file__).with_name("whole_adder.py")
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
    return Scene(folder, before, state(second), {file.name for file in (folder / "whole").iterdir()})


def start(action: str, matter: Path, *paths: Path) -> subprocess.Popen[str]:
    command = [sys.executable, str(ADDER), action, str(matter), *map(str, paths)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(process: subprocess.Popen[str]) -> None:
    """Let a process that has got ready begin, and wait until it has begun."""
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.stdin.write("\n")
    process.stdin.flush()
    assert process.stdout.readline() == "began\n"


def kill_at(process: subprocess.Popen[str], moment: float) -> None:
    """Let a process work for so many seconds, and kill it."""
    go(process)
    time.sleep(moment)
    process.send_signal(signal.SIGKILL)
    process.wait()
    end(process)


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


def undisturbed_seconds(scene: Scene) -> float:
    """How long the second wave takes in a process that is ready; the shorter of two runs."""
    taken = []
    for run in ("timed-1", "timed-2"):
        process = start("add", scene.matter(run), scene.folder / SECOND)
        go(process)
        began = time.perf_counter()
        assert process.stdout
        assert process.stdout.readline() == "done\n"
        taken.append(time.perf_counter() - began)
        end(process)
    return min(taken)


def moments(count: int, seconds: float, seed: int) -> list[float]:
    """Moments over the whole run, one in each equal part of it, and as many again over its last third."""
    dice = random.Random(seed)
    parts = count // 2
    spread = [(part + dice.random()) / parts * seconds for part in range(parts)]
    late = [seconds * (0.67 + 0.36 * (part + dice.random()) / (count - parts)) for part in range(count - parts)]
    return sorted(spread + late)


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
    assert {file.name for file in matter.iterdir()} == scene.files, "a killed process left a file behind"
    return lost


def kill_often(scene: Scene, count: int, seed: int) -> None:
    seconds = undisturbed_seconds(scene)
    lost = 0
    chosen = moments(count, seconds, seed)
    # The next process gets ready while what the last one left is being looked at.
    ready = start("add", scene.matter("killed-0"), scene.folder / SECOND)
    for place, moment in enumerate(chosen):
        process, matter = ready, scene.folder / f"killed-{place}"
        kill_at(process, moment)
        if place + 1 < count:
            ready = start("add", scene.matter(f"killed-{place + 1}"), scene.folder / SECOND)
        try:
            lost += check_killed(scene, matter)
        except BaseException:
            end(ready)
            print(f"killed after {moment:.4f} of {seconds:.4f} s")
            raise
        shutil.rmtree(matter)
    print(f"{count} times killed within {seconds:.2f} s: {lost} waves lost, {count - lost} kept")
    assert lost >= count // 3, "most moments must fall into the run, not after it"


@pytest.mark.slow
def test_a_wave_that_is_killed_at_20_moments_is_there_in_whole_or_not_at_all(scene: Scene, seed: int):
    kill_often(scene, 20, seed)


@pytest.mark.soak
def test_a_wave_that_is_killed_at_200_moments_is_there_in_whole_or_not_at_all(scene: Scene, seed: int):
    kill_often(scene, 200, seed)


def parser_processes(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The processes that read files for a command."""
    found = []
    with contextlib.suppress(psutil.Error):
        for child in psutil.Process(process.pid).children(recursive=True):
            if "truecopy.read.worker" in child.cmdline():
                found.append(child)
    return found


@pytest.mark.slow
def test_the_command_can_be_killed_and_its_helpers_end_with_it(scene: Scene, seed: int):
    """`truecopy add`, killed: its parser processes go too, and the same command completes the wave."""
    command = [sys.executable, "-m", "truecopy.cli", "add", str(scene.folder / SECOND), "--json", "--matter"]
    began = time.perf_counter()
    subprocess.run([*command, str(scene.matter("cli-timed"))], check=True, capture_output=True)
    seconds = time.perf_counter() - began
    for place, moment in enumerate(moments(4, seconds, seed)):
        matter = scene.matter(f"cli-{place}")
        with subprocess.Popen([*command, str(matter)], stdout=subprocess.DEVNULL) as process:
            time.sleep(moment)
            parsers = parser_processes(process)
            process.send_signal(signal.SIGKILL)
        _, alive = psutil.wait_procs(parsers, timeout=60)
        assert alive == [], "a parser process outlives its parent"
        check_killed(scene, matter)


@pytest.mark.slow
def test_a_scan_that_is_killed_can_be_run_again(scene: Scene, seed: int):
    """Killed while it makes its matter, a scan is run again by the same call, and ends as if nothing had been."""
    process = start("scan", scene.folder / "scan-timed", scene.folder / FIRST)
    go(process)
    began = time.perf_counter()
    process.wait()
    seconds = time.perf_counter() - began
    end(process)
    for place, moment in enumerate(sorted([0.0, 0.01, 0.03, *moments(4, seconds, seed)])):
        matter = scene.folder / f"scan-{place}"
        kill_at(start("scan", matter, scene.folder / FIRST), moment)
        try:
            there = tc.open(matter).documents()
        except tc.TruecopyError:
            there = []
        if there:
            assert state(tc.open(matter)) == scene.before
        else:
            assert state(tc.scan(scene.folder / FIRST, matter, report=False)) == scene.before


class Held(Silent):
    """A progress that stops the work at a stage until it is let go: a run as long as a test needs it."""

    def __init__(self, stage: str) -> None:
        self.stage = stage
        self.reached, self.let_go = threading.Event(), threading.Event()

    def start(self, stage: str, total: int | None, unit: str) -> None:
        if stage == self.stage:
            self.reached.set()
            assert self.let_go.wait(60)


@contextlib.contextmanager
def writer(matter: Path, paths: Path, stage: str) -> Iterator[None]:
    """Another thread that is in the middle of adding a wave; it ends the wave when this is left."""
    held, failed = Held(stage), []

    def work() -> None:
        try:
            tc.open(matter).add(paths, progress=held)
        except BaseException as error:
            failed.append(error)
            held.reached.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert held.reached.wait(60)
        yield
    finally:
        held.let_go.set()
        thread.join()
    assert not failed, failed


@pytest.mark.parametrize("stage", ["read", "match", "store"])
def test_a_second_writer_is_refused_and_readers_see_the_old_state(scene: Scene, stage: str):
    """While one process writes, another gets a sentence, a reader the state before; then all is there."""
    matter = scene.matter(f"two-writers-{stage}")
    with writer(matter, scene.folder / SECOND, stage):
        with pytest.raises(MatterBusy) as refused:
            tc.open(matter).add(scene.folder / SECOND)
        assert str(matter) in refused.value.message
        command = [sys.executable, "-m", "truecopy.cli", "add", str(scene.folder / SECOND), "--json"]
        other = subprocess.run([*command, "--matter", str(matter)], capture_output=True, text=True, check=False)
        assert other.returncode == 1
        assert '"busy"' in other.stdout
        assert state(tc.open(matter)) == scene.before
    assert state(tc.open(matter)) == scene.after
    again = tc.open(matter).add(scene.folder / SECOND)
    assert (again.documents, again.already) == (0, scene.after["waves"][-1][1])


def test_a_reader_that_was_open_before_sees_the_new_state_after(scene: Scene):
    matter = scene.matter("reader")
    reader = tc.open(matter)
    assert state(reader) == scene.before
    tc.open(matter).add(scene.folder / SECOND)
    assert state(reader) == scene.after
