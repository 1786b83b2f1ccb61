"""Progress bars with rate and time left, on the terminal (standard error) only.

A stage is shown once it has lasted a moment, so that quick ones do not flicker; nothing is shown
where standard error is not a terminal, or with `--json`. Rates are over the last seconds, or over the whole stage
while it is young; a time left is shown once it is more than a guess.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from truecopy.progress import SILENT, Progress, hearing_of_compiling

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID

_WORDS = 82
"""Columns that the words before and behind a bar take; the bar is shorter where they would not fit."""
SHOWN_AFTER = 0.6
"""Seconds; the promise is a bar on anything over a second."""
_PATIENCE = 0.2
"""Seconds that a signal waits for a bar that is being drawn."""
_WINDOW = 15.0
"""Seconds that a rate is counted over."""
_SAMPLE = 0.25
_FIRST = 0.5
"""Seconds before a rate says anything."""
_YOUNG, _FEW, _MUCH, _LONG = 2.0, 5, 50, 30.0
"""A time left is shown after two seconds and five reports, once a fiftieth is done or half a minute has passed."""
SAID = {
    "preparing": "preparing (first run only)",
    "read": "reading",
    "text": "finding words",
    "touch": "looking up earlier texts",
    "index": "finding candidates",
    "match": "comparing",
    "contains": "finding contained texts",
    "contained": "comparing contained texts",
    "group": "grouping",
    "sign": "signing",
    "measure": "measuring pairs",
    "store": "storing",
    "blocks": "making indexes",
    "report": "writing the report",
}


class TerminalProgress:
    """The bars of one command; as a context manager it always leaves the terminal as it was."""

    def __init__(
        self,
        console: Console | None = None,
        shown_after: float = SHOWN_AFTER,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console
        self._shown_after = shown_after
        self._lock = threading.RLock()
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._timer: threading.Timer | None = None
        self._stage: tuple[str, int | None, str] | None = None
        self._clock = clock
        self._pace = Pace(clock)
        self._silent = False
        self._hearing = contextlib.ExitStack()

    def silence(self) -> None:
        """Remove the bar for good, even if a stage is still running; never waits for long."""
        if self._lock.acquire(timeout=_PATIENCE):
            try:
                self._silent = True
                self._close()
            finally:
                self._lock.release()

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Begin a stage; it is drawn if it lasts."""
        for other in _shown:
            if other is not self:
                other.finish()
        with self._lock:
            self._close()
            if self._silent:
                return
            self._stage, self._pace = (stage, total, unit), Pace(self._clock)
            if self._shown_after <= 0:
                self._draw(self._stage)
                return
            self._timer = threading.Timer(self._shown_after, self._draw, (self._stage,))
            self._timer.daemon = True
            self._timer.start()

    def preparing(self) -> None:
        """A kernel is being compiled: say so, unless a stage on the screen says what it is for."""
        if self._stage is None:
            self.start("preparing", None, "kernels")

    def advance(self, units: int) -> None:
        """Move the bar."""
        with self._lock:
            self._pace.advance(units)
            if self._bars is not None and self._task is not None:
                self._bars.update(self._task, completed=self._pace.done)

    def finish(self) -> None:
        """Remove the bar: the summary says what was done."""
        with self._lock:
            self._close()

    def __enter__(self) -> TerminalProgress:
        _shown.append(self)
        self._hearing.enter_context(hearing_of_compiling(self.preparing))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._hearing.close()
        self.finish()
        _shown.remove(self)

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bars is not None:
            self._bars.stop()
        self._bars = self._task = self._stage = None

    def _draw(self, stage: tuple[str, int | None, str]) -> None:
        with self._lock:
            if self._stage is not stage:
                return  # the stage ended before the timer ran
            name, total, unit = stage
            self._bars = _bars(self._console, unit, self._pace)
            self._task = self._bars.add_task(SAID.get(name, name), total=total, completed=self._pace.done)
            self._bars.start()


_shown: list[TerminalProgress] = []


def silence() -> None:
    """Remove every bar and draw no more: the command is being stopped."""
    for progress in list(_shown):
        progress.silence()


def _bars(console: Console | None, unit: str, pace: Pace) -> Bars:
    from rich.console import Console as RichConsole
    from rich.progress import BarColumn, ProgressColumn, TextColumn
    from rich.progress import Progress as RichProgress
    from rich.table import Column
    from rich.text import Text

    class Figures(ProgressColumn):
        """How much is done, how much in a second, and how long it will take or has taken."""

        def render(self, task: Task) -> Text:
            return Text(figures(pace, task.total, unit), style="dim")

    shown_on = console or RichConsole(stderr=True)
    return RichProgress(
        TextColumn("{task.description}", table_column=Column(no_wrap=True, overflow="ellipsis")),
        BarColumn(bar_width=max(4, min(24, shown_on.width - _WORDS))),
        Figures(table_column=Column(no_wrap=True, overflow="ellipsis")),
        console=shown_on,
        transient=True,
    )


class Pace:
    """How fast a stage goes: over its last seconds, or all of it while it is young.

    Always counted up to now and never from one report to the next: work is reported in bursts.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began = clock()
        self._seen: deque[tuple[float, int]] = deque([(self._began, 0)])
        self._reports = 0
        self.done = 0

    def advance(self, units: int) -> None:
        """This much more is done."""
        now = self._clock()
        self.done += units
        if now - self._seen[-1][0] >= _SAMPLE:
            self._seen.append((now, self.done))
            self._reports += 1  # a burst is one

    @property
    def elapsed(self) -> float:
        """Seconds since the stage began."""
        return self._clock() - self._began

    def rate(self) -> float | None:
        """Units in a second; None while that is not known."""
        now = self._clock()
        while len(self._seen) > 1 and now - self._seen[1][0] >= _WINDOW:
            self._seen.popleft()
        since, before = self._seen[0]
        if now - since < _FIRST or self.done <= before:
            return None
        return (self.done - before) / (now - since)

    def left(self, total: float | None) -> float | None:
        """Seconds to the end; None while that would be a guess."""
        rate = self.rate()
        if total is None or rate is None or self.done > total:
            return None
        much = _MUCH * self.done >= total or self.elapsed >= _LONG
        if self.elapsed < _YOUNG or self._reports < _FEW or not much:
            return None
        return (total - self.done) / rate


def figures(pace: Pace, total: float | None, unit: str) -> str:
    """The words beside a bar; bytes are shown as megabytes."""
    scale, digits, named = (1e6, 1, "MB") if unit == "bytes" else (1.0, 0, unit)

    def amount(value: float) -> str:
        return f"{value / scale:,.{digits}f}"

    parts = []
    if total is not None:
        parts.append(f"{amount(pace.done)} of {amount(total)} {named}")
    elif pace.done:
        parts.append(f"{amount(pace.done)} {named}")
    rate, left = pace.rate(), pace.left(total)
    if rate is not None:
        shown = amount(rate) if rate >= scale else f"{rate / scale:.1f}"
        parts.append(f"{shown} a second")
    parts.append(f"{clock(pace.elapsed)} so far" if left is None else f"{clock(left)} left")
    return ", ".join(parts)


def clock(seconds: float) -> str:
    """Seconds as minutes and hours.

    >>> clock(7), clock(3723)
    ('0:07', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class _Nothing:
    """Takes the place of bars when progress is not wanted."""

    def __enter__(self) -> Progress:
        return SILENT

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave nothing behind."""


def progress_for(json: bool) -> TerminalProgress | _Nothing:
    """Bars where a person watches, silence elsewhere."""
    if json or not sys.stderr.isatty():
        return _Nothing()
    return TerminalProgress()
