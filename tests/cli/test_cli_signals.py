"""What the main thread does with a signal. `tests/whole/test_stop.py` sends real ones to real commands."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy import stopping
from truecopy.cli import signals, summary
from truecopy.cli.run import STOPPED


def test_stopping_is_said_before_the_command_may_say_that_it_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the terminal is, the two sentences come in order."""
    said: list[str] = []

    def slow_terminal() -> None:
        time.sleep(0.1)
        said.append("stopping…")

    def command() -> int:
        while not stopping.asked():
            time.sleep(0.001)
        said.append("stopped")
        return 0

    monkeypatch.setattr(signals, "_answer", slow_terminal)
    monkeypatch.setattr(signals, "_SIGNALS", ())
    watch = signals.Watch()
    watch._heard(2, None)
    try:
        assert watch.run(command, lambda: None) == 0
    finally:
        stopping.forget()
    assert said == ["stopping…", "stopped"]


def test_a_stop_while_the_answer_is_made_leaves_no_half_of_it(
    tmp_path: Path, cli: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first table is made already when the user stops: nothing of it is printed, but the one sentence."""
    tc.create(tmp_path / "matter")

    def stop(*given: Any) -> None:
        raise stopping.Stopped

    assert "\ncopies " in cli("status", "--matter", str(tmp_path / "matter")).out
    monkeypatch.setattr(summary, "print_statuses", stop)
    ran = cli("status", "--matter", str(tmp_path / "matter"))
    assert (ran.code, ran.out, ran.err) == (130, "", f"{STOPPED}\n")
