"""Progress: rates and times left that are right from the first second, on a terminal only, and units that add up."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
import zipfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

import truecopy as tc
from truecopy.cli.progress import Pace, TerminalProgress, figures, progress_for
from truecopy.progress import SILENT, compiling
from truecopy.report import write_html, write_xlsx


class Clock:
    """Time as a test wants it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_progress_is_silent_with_json_and_without_a_terminal():
    with progress_for(json=True) as progress:
        assert progress is SILENT
    with progress_for(json=False) as progress:
        assert progress is SILENT, "standard error is no terminal in tests"


def test_bars_show_stage_count_rate_and_time_left():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    clock = Clock()
    with TerminalProgress(console, shown_after=0, clock=clock) as progress:
        progress.start("preparing", None, "kernels")
        progress.start("read", 2000, "documents")
        for _ in range(10):
            clock.now += 0.5
            progress.advance(100)
    drawn = console.file.getvalue()
    assert "preparing (first run only)" in drawn
    assert "1,000 of 2,000 documents, 200 a second, 0:05 left" in drawn
    assert drawn.endswith("\x1b[2K"), "the bar is taken away"


def test_bytes_are_shown_as_megabytes():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=0) as progress:
        progress.start("read", 44_000_000, "bytes")
        progress.advance(12_300_000)
    assert "12.3 of 44.0 MB" in console.file.getvalue()


def test_quick_stages_do_not_flicker():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=30) as progress:
        progress.start("read", 10, "documents")
        progress.advance(10)
        progress.finish()
    assert console.file.getvalue() == ""


def test_a_stage_that_lasts_is_shown_though_it_never_advances():
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=0.01) as progress:
        progress.start("match", None, "pairs")
        until = time.monotonic() + 10
        while "comparing" not in console.file.getvalue() and time.monotonic() < until:
            time.sleep(0.01)
    assert "comparing" in console.file.getvalue()


def test_a_burst_is_not_taken_for_the_rate():
    """A million pairs that arrive in one instant after a second are a million a second, and never more."""
    clock = Clock()
    pace = Pace(clock)
    clock.now += 1.0
    for _ in range(1000):
        pace.advance(1000)
        clock.now += 1e-6
    assert pace.rate() == pytest.approx(1_000_000, rel=0.01)
    clock.now = 102.0
    assert figures(pace, 21_000_000, "pairs") == "1,000,000 of 21,000,000 pairs, 500,000 a second, 0:02 so far"


@settings(deadline=None)
@given(st.floats(0.01, 1e6), st.floats(0.05, 3.0), st.floats(3.0, 60.0))
def test_steady_work_shows_its_own_rate_however_it_is_reported(speed, every, lasted):
    """The rate is off by one report at most, and so is the time left."""
    clock = Clock()
    pace = Pace(clock)
    reports = int(lasted / every)
    for report in range(1, reports + 1):
        clock.now = 100.0 + report * every
        pace.advance(round(report * every * speed) - pace.done)
    clock.now = 100.0 + lasted
    rate = pace.rate()
    window = min(lasted, 15.0)
    off = (speed * every + 2) / window
    if rate is not None:
        assert abs(rate - speed) <= off * 1.001
    else:
        assert speed * window <= speed * every + 2


def test_the_rate_follows_when_work_becomes_slower():
    """Ten seconds at a thousand, then half a minute at ten: ten a second is shown."""
    clock = Clock()
    pace = Pace(clock)
    for _ in range(100):
        clock.now += 0.1
        pace.advance(100)
    for _ in range(300):
        clock.now += 0.1
        pace.advance(1)
    assert pace.rate() == pytest.approx(10, rel=0.05)
    assert pace.left(pace.done + 100) == pytest.approx(10, rel=0.05)


def test_work_that_stands_still_shows_no_old_rate():
    clock = Clock()
    pace = Pace(clock)
    for _ in range(10):
        clock.now += 0.5
        pace.advance(100)
    clock.now += 20
    assert pace.rate() is None
    assert "a second" not in figures(pace, 5000, "pairs")


def test_no_time_left_is_guessed_in_the_first_moments():
    """Neither after one report, nor within two seconds, nor when hardly anything is done."""
    clock = Clock()
    pace = Pace(clock)
    clock.now += 1.0
    pace.advance(50)
    assert pace.left(100) is None
    clock.now += 5.0
    assert pace.left(100) is None, "one report says nothing of the next"
    for _ in range(50):
        pace.advance(0)
    assert pace.left(100) is None, "nor do many at once"
    for _ in range(5):
        clock.now += 0.8
        pace.advance(1)
    assert pace.left(100) == pytest.approx(45 / (55 / 10))
    assert pace.left(1_000_000) is None
    assert pace.left(None) is None
    assert figures(pace, 1_000_000, "pairs") == "55 of 1,000,000 pairs, 6 a second, 0:10 so far"


def test_a_kernel_that_compiles_is_said_where_no_stage_is_shown():
    """First uses of an index say that they prepare; a stage goes on to say what it does."""
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=0) as progress:
        compiling()
        assert "preparing (first run only)" in console.file.getvalue()
        console.file.truncate(0)
        progress.start("sign", 10, "texts")
        compiling()
    assert "signing" in console.file.getvalue()
    assert "preparing" not in console.file.getvalue()[console.file.getvalue().index("signing") :]
    compiling()  # nobody listens any more


def test_a_bar_inside_another_takes_its_place():
    """A command's own bars replace the one that says that kernels compile; the terminal ends up clean."""
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=0) as outer:
        outer.preparing()
        with TerminalProgress(console, shown_after=0) as inner:
            inner.start("read", 10, "documents")
            inner.advance(10)
    assert "10 of 10 documents" in console.file.getvalue()
    assert console.file.getvalue().endswith("\x1b[2K")


def test_a_bar_that_was_silenced_stays_away():
    """After Ctrl-C nothing is drawn over the answer, though stages go on for a moment."""
    console = Console(file=io.StringIO(), force_terminal=True, width=120)
    with TerminalProgress(console, shown_after=0) as progress:
        progress.start("read", 10, "documents")
        progress.silence()
        console.file.truncate(0)
        console.file.seek(0)
        progress.advance(5)
        progress.start("match", 10, "pairs")
        progress.advance(5)
    assert console.file.getvalue() == ""


class Recorded:
    """Every stage with its total and what it advanced by."""

    def __init__(self) -> None:
        self.stages: list[list[object]] = []
        self.open = False

    def start(self, stage: str, total: int | None, unit: str) -> None:
        assert not self.open, f"{stage} begins inside {self.stages[-1]}"
        self.open = True
        self.stages.append([stage, total, 0])

    def advance(self, units: int) -> None:
        assert self.open
        assert units >= 0
        self.stages[-1][2] += units  # type: ignore[operator]

    def finish(self) -> None:
        self.open = False


def write_documents(folder: Path, first: int, last: int) -> Path:
    """Texts that are similar and contained in each other, short ones, a ZIP inside a ZIP, a mailbox, an empty file."""
    folder.mkdir()
    for number in range(first, last):
        words = [f"w{(number // 4) * 50 + i}" for i in range(120 + 40 * (number % 4))]
        (folder / f"{number}.txt").write_text(" ".join(words))
    (folder / "short.txt").write_text(f"too short {first}")
    (folder / "empty.txt").write_text("")
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as archive:
        archive.writestr("deep.txt", " ".join(f"deep{i}" for i in range(100)))
    with zipfile.ZipFile(folder / "outer.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.zip", inner.getvalue())
        archive.writestr("notes.txt", " ".join(f"note{first + i}" for i in range(500)))
    mails = [f"From a@b Mon Jan  1 00:00:00 2024\nSubject: {i}\n\nmail {i} {'word ' * 40}\n\n" for i in range(3)]
    (folder / "box.mbox").write_text("".join(mails))
    return folder


@pytest.mark.parametrize("recall", ["exact", 0.95])
def test_every_stage_advances_by_its_total(recall, tmp_path):
    """Of a scan, a second wave, a lower floor, signatures, indexes and both reports."""
    seen = Recorded()
    matter = tc.scan(write_documents(tmp_path / "one", 0, 24), tmp_path / "m", recall=recall, progress=seen)
    matter.add(write_documents(tmp_path / "two", 22, 40), progress=seen)
    matter.sign("simhash", progress=seen)
    matter.lower_floor(69, progress=seen)
    matter.rebuild_indexes(progress=seen)
    write_html(matter, tmp_path / "r.html", seen)
    write_xlsx(matter, tmp_path / "r.xlsx", seen)
    assert not seen.open
    names = Counter(stage for stage, _, _ in seen.stages)
    shown = {"read", "text", "index", "match", "contains", "contained", "group", "measure", "store", "blocks", "report"}
    assert shown <= set(names)
    told = [stage for stage in seen.stages if stage[1] is not None]
    assert len(told) >= 12
    assert [stage for stage in told if stage[2] != stage[1]] == []


@pytest.mark.slow
def test_no_rate_on_a_real_terminal_is_more_than_was_done(tmp_path):
    """What is drawn of a real scan: a rate counts over half a second or more, so it is at most twice what was done."""
    folder = tmp_path / "documents"
    folder.mkdir()
    for number in range(1500):
        # families of fifty, each with words of its own here and there: comparing them takes seconds
        family = (number // 50) * 300
        words = (f"n{number}x{i}" if i % 60 == 0 else f"w{family + i % 997}" for i in range(3000))
        (folder / f"{number}.txt").write_text(" ".join(words))
    handle, other = pytest.importorskip("pty").openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "truecopy", "scan", str(folder), "--matter", str(tmp_path / "m")],
        stdout=subprocess.DEVNULL,
        stderr=other,
        env={**os.environ, "COLUMNS": "140", "LINES": "40"},
    )
    os.close(other)
    drawn = b""
    try:
        while piece := os.read(handle, 65536):
            drawn += piece
    except OSError:  # the program has ended
        pass
    os.close(handle)
    assert process.wait(60) == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn.decode("utf-8", "replace"))
    rates = re.findall(r"([\d,.]+) of ([\d,.]+) (\w+), ([\d,.]+) a second", plain)
    assert rates, plain[-2000:]
    for done, total, unit, rate in rates:
        so_far, whole, speed = (float(value.replace(",", "")) for value in (done, total, rate))
        assert so_far <= whole
        assert speed <= 2 * so_far + 1, f"{speed} {unit} a second after {so_far}"
