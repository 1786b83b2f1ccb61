"""What the main thread does with a signal. `tests/whole/test_stop.py` sends real ones to real commands."""

from __future__ import annotations

import time

import pytest

from truecopy import stopping
from truecopy.cli import signals


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
