"""How a parser's process ends together with the processes that it has started.

A parser that was taken over, or a library of it, can make copies of its process. They would go on for as long as they
like, and hold the pipe that the parent waits for. So a parser leads a group of processes, and the group is what ends.
Windows has no such groups: there the parser's descendants are looked up and ended with it.

A process can leave its group, and on Windows a descendant whose own parent has ended is not found: this ends what runs
on by accident, and is no prison. A limit on the number of processes (RLIMIT_NPROC) would be none either: the kernel
counts every process and thread of the user for it, and the libraries need threads.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from typing import Any

_GROUPS = hasattr(os, "killpg")
"""Whether the system has groups of processes; Windows has none."""


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process that leads a group of its own, and all that is in the group; does not wait for any."""
    if not _GROUPS:
        _end_descendants(process)
    elif process.returncode is None:  # nobody has asked for its end yet, so nobody else can have its number
        # Also of a leader that has ended: the others of its group may live. EPERM: macOS, if none does.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def has_ended(process: subprocess.Popen[bytes]) -> bool:
    """Whether the leader of a group has ended; its number stays taken, so that the group can still be ended."""
    if not _GROUPS:
        return process.poll() is not None
    if not hasattr(os, "waitid"):  # macOS, before Python 3.13
        return _is_a_zombie(process.pid)
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # somebody else has asked for its end
        return True


def _is_a_zombie(pid: int) -> bool:
    import psutil

    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def _end_descendants(process: subprocess.Popen[bytes]) -> None:
    import psutil

    found: list[Any] = []
    with contextlib.suppress(psutil.Error, OSError):
        found = psutil.Process(process.pid).children(recursive=True)
    process.kill()  # first: it makes no more of them
    for one in found:
        with contextlib.suppress(psutil.Error, OSError):
            one.kill()
