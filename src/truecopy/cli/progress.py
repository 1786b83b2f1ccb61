"""Progress bars with rate and time left, on the terminal (standard error) only.

A stage is shown once it has lasted a moment, so that quick ones do not flicker; nothing is shown
where standard error is not a terminal, or with `--json`.
"""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from truecopy.progress import SILENT, Progress

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import Task, TaskID

SHOWN_AFTER = 0.6
"""Seconds; the promise is a bar on anything over a second."""
_PATIENCE = 0.2
"""Seconds that a signal waits for a bar that is being drawn."""
SAID = {
    "preparing": "preparing (first run only)",
    "read": "reading",
    "text": "finding words",
    "index": "finding candidates",
    "match": "comparing",
    "group": "grouping",
    "store": "storing",
    "report": "writing the report",
}


class TerminalProgress:
    """The bars of one command; as a context manager it always leaves the terminal as it was."""

    def __init__(self, console: Console | None = None, shown_after: float = SHOWN_AFTER) -> None:
        self._console = console
        self._shown_after = shown_after
        self._lock = threading.RLock()
        self._bars: Bars | None = None
        self._task: TaskID | None = None
        self._timer: threading.Timer | None = None
        self._stage: tuple[str, int | None, str] | None = None
        self._done = 0
        self._silent = False

    def silence(self) -> None:
        """Take the bar away for good, though a stage goes on; never waits for long."""
        if self._lock.acquire(timeout=_PATIENCE):
            try:
                self._silent = True
                self._close()
            finally:
                self._lock.release()

    def start(self, stage: str, total: int | None, unit: str) -> None:
        """Begin a stage; it is drawn if it lasts."""
        with self._lock:
            self._close()
            if self._silent:
                return
            self._stage, self._done = (stage, total, unit), 0
            if self._shown_after <= 0:
                self._draw(self._stage)
                return
            self._timer = threading.Timer(self._shown_after, self._draw, (self._stage,))
            self._timer.daemon = True
            self._timer.start()

    def advance(self, units: int) -> None:
        """Move the bar."""
        with self._lock:
            self._done += units
            if self._bars is not None and self._task is not None:
                self._bars.update(self._task, completed=self._done)

    def finish(self) -> None:
        """Take the bar away: the summary says what was done."""
        with self._lock:
            self._close()

    def __enter__(self) -> TerminalProgress:
        _shown.add(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _shown.discard(self)
        self.finish()

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
                return  # it ended while the timer was on its way
            name, total, unit = stage
            self._bars = _bars(self._console, unit)
            self._task = self._bars.add_task(SAID.get(name, name), total=total, completed=self._done)
            self._bars.start()


_shown: set[TerminalProgress] = set()


def silence() -> None:
    """Take every bar away, and draw none again: the command is being stopped."""
    for progress in list(_shown):
        progress.silence()


def _bars(console: Console | None, unit: str) -> Bars:
    from rich.console import Console as RichConsole
    from rich.progress import BarColumn, ProgressColumn, TextColumn
    from rich.progress import Progress as RichProgress
    from rich.text import Text

    class Figures(ProgressColumn):
        """How much is done, how much in a second, and how long it will take or has taken."""

        def render(self, task: Task) -> Text:
            return Text(figures(task, unit), style="dim")

    return RichProgress(
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        Figures(),
        console=console or RichConsole(stderr=True),
        transient=True,
    )


def figures(task: Task, unit: str) -> str:
    """The words beside a bar; bytes are shown as megabytes."""
    scale, digits, named = (1e6, 1, "MB") if unit == "bytes" else (1.0, 0, unit)

    def amount(value: float) -> str:
        return f"{value / scale:,.{digits}f}"

    parts = []
    if task.total is not None:
        parts.append(f"{amount(task.completed)} of {amount(task.total)} {named}")
    elif task.completed:
        parts.append(f"{amount(task.completed)} {named}")
    if task.speed:
        parts.append(f"{amount(task.speed)} a second")
    if task.time_remaining is not None:
        parts.append(f"{clock(task.time_remaining)} left")
    elif task.elapsed:
        parts.append(clock(task.elapsed))
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
    """Stands where progress is not wanted."""

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
