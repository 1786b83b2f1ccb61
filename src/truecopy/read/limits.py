"""What a parser's process may take, and what enforces it on each system.

memory   Linux: the kernel refuses it to the process (RLIMIT_DATA). Windows and macOS have no such limit that works:
         there the parent looks at the process while it waits, and ends one that has too much (psutil).
time     the parent ends a process that is late. The process also sets itself an end, which only comes when there is
         no parent left; the timer runs beside the interpreter, so a parser that never returns cannot stop it.
network  Linux: the process gives it up if the machine lets it. Elsewhere the addresses that the OCR library
         asks for models point nowhere (`private.py`), and no more than that is done.
files    everywhere the process has a folder of its own for temporary files (`private.py`). Linux: the kernel refuses
         it to write anywhere else, if it has Landlock (`landlock.py`).
"""

from __future__ import annotations

import ctypes
import faulthandler
import io
import math
import subprocess
import sys
from types import ModuleType
from typing import Any, NamedTuple

from truecopy.read import landlock

LOOK = 0.05
"""Seconds between two looks at a process's memory."""
_MIB = 1 << 20
_PROBE = 64 * _MIB


def _resource() -> ModuleType | None:
    try:
        import resource
    except ImportError:
        return None
    return resource


def kernel_limits_memory() -> bool:
    """Whether the kernel refuses memory over a limit: only Linux counts mapped memory too."""
    return sys.platform.startswith("linux") and _resource() is not None


def limit_memory(memory: int) -> None:
    """Have the kernel limit this process to this many bytes of memory, and to no core dump."""
    resource: Any = _resource()
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_after(seconds: float, nowhere: io.FileIO) -> None:
    """End this process after this many seconds, whatever it is doing then."""
    faulthandler.dump_traceback_later(math.ceil(seconds), exit=True, file=nowhere)


def do_not_end() -> None:
    """Cancel `end_after`."""
    faulthandler.cancel_dump_traceback_later()


def leave_the_network() -> bool:
    """Give up the network if the system lets a process do so: documents never leave the machine.

    The library that reads scans looks for OCR models on the network. Where a process cannot leave the network,
    `private` has pointed the library's addresses at nothing.
    """
    if not sys.platform.startswith("linux"):
        return False
    user, network = 0x10000000, 0x40000000
    libc = ctypes.CDLL(None, use_errno=True)
    return bool(libc.unshare(network) == 0 or libc.unshare(user | network) == 0)


class MemoryWatch:
    """How the parent watches a process's memory where the kernel does not limit it."""

    def __init__(self, pid: int, memory: int) -> None:
        import psutil

        self._gone: tuple[type[Exception], ...] = (psutil.NoSuchProcess, psutil.AccessDenied)
        self._memory = memory
        try:
            self._process: Any = psutil.Process(pid)
        except self._gone:
            self._process = None

    def exceeded(self) -> bool:
        """Whether the process has more memory than it may; False for one that is gone."""
        if self._process is None:
            return False
        try:
            info = self._process.memory_info()
        except self._gone:
            return False
        # Windows counts the memory promised to a process separately from what it has touched.
        return max(int(info.rss), int(getattr(info, "private", 0))) > self._memory


class Held(NamedTuple):
    """What the system holds a parser's process to."""

    memory: bool = False
    """The kernel refuses memory over the limit."""
    network: bool = False
    """The process has given it up."""
    files: bool = False
    """The kernel refuses to write outside the process's folder."""


def probe() -> Held:
    """What holds on this machine; all is tried in a separate process, because nothing of it can be undone."""
    command = [sys.executable, "-P", "-m", "truecopy.read.limits"]
    try:
        tried = subprocess.run(command, check=False, capture_output=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return Held()
    said = tried.stdout.decode("ascii", "replace").split()
    return Held(*(name in said for name in Held._fields))


def _try_all() -> list[str]:
    held = []
    if kernel_limits_memory():
        limit_memory(_PROBE)
        try:
            bytearray(2 * _PROBE)
        except MemoryError:
            held.append("memory")
    if leave_the_network():
        held.append("network")
    if landlock.confine(None) and not _can_write():
        held.append("files")
    return held


def _can_write() -> bool:
    import tempfile

    try:
        with tempfile.TemporaryFile():
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.stdout.write(" ".join(_try_all()))
