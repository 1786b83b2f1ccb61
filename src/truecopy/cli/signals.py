"""Ctrl-C: the command runs in a thread of its own, so that the main thread can always hear a signal and answer.

The first signal says "stopping…" on the terminal and sets the flag that every stage looks at (`truecopy.stopping`).
The command has `GRACE` seconds to undo what it began; what is still running then (a compiler, a kernel on one huge
pair) is left behind, and the process ends. That is safe at any moment: a matter changes in one transaction or not at
all. A second signal does not wait. The exit code is 130 for every signal: Ctrl-C, Ctrl-Break, SIGTERM, a closed
terminal.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from truecopy import stopping

TYPE_CHECKING = False  # `typing` takes time to import, and until then a signal ends in a traceback
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import NoReturn

GRACE = 0.5
"""Seconds; together with the end of the process, less than the second that was promised."""
STOPPED = 130
_LOOK = 0.05
_ANSWER = 0.2
"""Seconds that an answer may take to be written."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The signals that the system has."""


class Watch:
    """One command, its thread, and what a signal does."""

    def __init__(self) -> None:
        self._last_words: Callable[[], None] | None = None
        self._done = threading.Event()
        self._code = 1
        self._signals = 0
        self._until = 0.0

    def listen(self) -> None:
        """Hear signals from now on; before this, Python answers them with a traceback."""
        for name in _SIGNALS:
            number = getattr(signal, name, None)
            # The caller may want a signal ignored (nohup, a job in the background).
            if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._heard)

    def run(self, command: Callable[[], int], last_words: Callable[[], None]) -> int:
        """Run a command that can be stopped; returns its exit code.

        `last_words` says that it was stopped if the command itself does not do so in time.
        """
        self._last_words = last_words
        threading.Thread(target=self._run, args=(command,), name="truecopy-command", daemon=True).start()
        # Never for long: on Windows a wait is not interrupted, and elsewhere another thread may take the signal.
        while not self._done.wait(_LOOK):
            if self._signals and not stopping.asked():
                _within(_ANSWER, _answer)  # before the command may say that it has stopped
                stopping.ask()
                self._until = time.monotonic() + GRACE
            elif self._signals > 1 or (stopping.asked() and time.monotonic() > self._until):
                self._end()
        if self._code == STOPPED:
            stopping.clean_up()  # of threads that were left
            _within(_ANSWER, _flush)
            os._exit(STOPPED)  # waits for no thread, and none can complain that the interpreter is gone
        for name in _SIGNALS:  # all is said and done
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_IGN)
        return self._code

    def _run(self, command: Callable[[], int]) -> None:
        try:
            self._code = command()
        except SystemExit as ended:
            self._code = ended.code if isinstance(ended.code, int) else 1
        finally:
            self._done.set()

    def _heard(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        # No more than this: it runs between any two steps of the main thread, which may hold a lock at that moment.
        self._signals += 1

    def _end(self) -> NoReturn:
        """Leave the command's thread as it is, and end."""
        stopping.clean_up()
        if self._last_words is not None:
            _within(_ANSWER, self._last_words)
        os._exit(STOPPED)


def _answer() -> None:
    """Remove the progress bar and, if a person watches, say that the signal was heard."""
    progress = sys.modules.get("truecopy.cli.progress")  # not imported: nothing was shown
    if progress is not None:
        progress.silence()
    if sys.stderr is not None and sys.stderr.isatty():
        _write("stopping…\n")


def _write(text: str) -> None:
    """Straight to standard error: its buffer may belong to a thread that waits."""
    encoded = text.encode(getattr(sys.stderr, "encoding", None) or "utf-8", "replace")
    try:
        os.write(sys.stderr.fileno(), encoded)
    except (OSError, ValueError):
        return  # nobody listens


def _within(seconds: float, say: Callable[[], None]) -> None:
    """Say something, but do not wait for a terminal or a pipe that takes nothing."""
    thread = threading.Thread(target=say, name="truecopy-answer", daemon=True)
    thread.start()
    thread.join(seconds)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue  # nobody listens
