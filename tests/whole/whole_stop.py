"""Sends real signals to a real command, in a terminal and without one, and says how it ended."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import psutil

COMMAND = (sys.executable, "-P", "-m", "truecopy")
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    seconds: float
    """From the first signal to the end of the process."""
    out: str
    err: str
    left: list[int] = field(default_factory=list)
    """Processes that it had started and that outlived it."""

    @property
    def lines(self) -> list[str]:
        """What a person reads on standard error, without bars."""
        plain = _CONTROL.sub("", self.err).replace("\r", "\n")
        return [line.strip() for line in plain.splitlines() if line.strip() and "━" not in line]


class Run:
    """A command that is running."""

    def __init__(
        self,
        *arguments: str,
        terminal: bool = False,
        environment: dict[str, str] | None = None,
        read: bool = True,
    ) -> None:
        self._pieces: list[bytes] = []
        handle, other = _pair(terminal)
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=other,
            env={**os.environ, "COLUMNS": "100", **(environment or {})},
            start_new_session=True,
        )
        os.close(other)
        self._out: list[bytes] = []
        self._reader = threading.Thread(target=self._read, args=(handle,), daemon=True)
        if read:
            self._reader.start()
        self._out_reader = threading.Thread(target=self._read_out, daemon=True)
        self._out_reader.start()

    def _read(self, handle: int) -> None:
        with contextlib.suppress(OSError):  # a terminal whose program has ended
            while piece := os.read(handle, 65536):
                self._pieces.append(piece)
        os.close(handle)

    def _read_out(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream:
            self._out.append(stream.read())

    @property
    def err(self) -> str:
        """What it has said on standard error so far."""
        return b"".join(self._pieces).decode("utf-8", "replace")

    def wait_for(self, what: Callable[[], bool], seconds: float = 60) -> bool:
        """Wait until something is so; False if the command has ended before."""
        until = time.monotonic() + seconds
        while not what():
            if self.process.poll() is not None:
                return False
            assert time.monotonic() < until, "it never came to that"
            time.sleep(0.005)
        return True

    def listening(self) -> None:
        """Wait until the interpreter has started: a signal before that is Python's own affair."""
        self.wait_for(lambda: bool(_caught(self.process.pid) & 1 << (signal.SIGTERM - 1)))

    def stop(self, *signals: int, between: float = 0.05) -> Ended:
        """Send signals, and wait for the end."""
        helpers: list[psutil.Process] = []
        with contextlib.suppress(psutil.Error):
            helpers = psutil.Process(self.process.pid).children(recursive=True)
        begun = time.perf_counter()
        for place, number in enumerate(signals or (signal.SIGINT,)):
            if place:
                time.sleep(between)
            if self.process.poll() is None:
                self.process.send_signal(number)
        return self._ended(begun, helpers)

    def finish(self) -> Ended:
        """Let it come to its end."""
        return self._ended(time.perf_counter(), [])

    def _ended(self, begun: float, helpers: list[psutil.Process]) -> Ended:
        try:
            code = self.process.wait(600)
        finally:
            self.process.kill()
        seconds = time.perf_counter() - begun
        if self._reader.ident is None:
            self._reader.start()  # now that it is over
        self._reader.join(10)
        self._out_reader.join(10)
        _, alive = psutil.wait_procs(helpers, timeout=1)
        out = b"".join(self._out).decode()
        return Ended(code, seconds, out, self.err, [helper.pid for helper in alive if _works(helper)])


def _works(helper: psutil.Process) -> bool:
    """Whether a process is more than an entry that nobody has asked for yet."""
    try:
        return bool(helper.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _pair(terminal: bool) -> tuple[int, int]:
    """Two ends: of a terminal, or of a pipe."""
    if not terminal:
        return os.pipe()
    import pty

    return pty.openpty()


def _caught(pid: int) -> int:
    """The signals that a process has a handler for, as bits."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("SigCgt:"):
                return int(line.split()[1], 16)
    return 0


def patience() -> float:
    """Seconds within which a stopped command must have ended: one, or two where others use the machine too."""
    return 1.0 if os.getloadavg()[0] < (os.cpu_count() or 1) else 2.0
