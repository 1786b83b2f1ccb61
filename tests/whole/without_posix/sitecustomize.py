"""Takes away what only POSIX has: a process that starts with this folder on PYTHONPATH gets along without it.

Modules cannot be imported, functions and constants are gone. What Python's own `subprocess` needs on this system is
kept where it is out of sight. Text files that the package opens without an encoding, which Windows would guess, are
errors (with PYTHONWARNDEFAULTENCODING=1).
"""

from __future__ import annotations

import os
import random  # noqa: F401 (it asks for os.register_at_fork once, and is used everywhere)
import select
import selectors  # noqa: F401 (keeps select.poll for subprocess)
import signal
import subprocess
import sys
import warnings
from importlib.machinery import ModuleSpec

import psutil  # noqa: F401 (the one for this system is built on what is taken away; the one for Windows is not)

MODULES = frozenset(
    "fcntl resource pwd grp termios tty pty syslog crypt spwd nis readline curses _curses ossaudiodev".split()
)
OF_OS = (
    "chown fchmod fchown fork forkpty getegid geteuid getgid getgroups getloadavg getpgid getpgrp getpriority "
    "getresuid getsid getuid initgroups killpg lchown mkfifo mknod nice pread preadv pwrite register_at_fork "
    "sched_getaffinity sched_setaffinity sendfile set_blocking setsid setuid sync wait3 wait4 "
    "O_NONBLOCK O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_SYNC"
).split()
OF_SIGNAL = "SIGKILL SIGALRM SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGPIPE alarm setitimer pause pthread_kill sigwait".split()


class Refuse:
    """Finds the modules of POSIX first, and says that they are not there."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def _kill(self: subprocess.Popen[bytes]) -> None:
    self.send_signal(9)


subprocess.Popen.kill = _kill  # type: ignore[method-assign,assignment]
for module in MODULES:
    sys.modules.pop(module, None)
for owner, names in ((os, OF_OS), (signal, OF_SIGNAL), (select, ["poll", "epoll"])):
    for gone in names:
        if hasattr(owner, gone):
            delattr(owner, gone)
sys.meta_path.insert(0, Refuse)  # type: ignore[arg-type]
warnings.filterwarnings("error", category=EncodingWarning, module=r"truecopy(\..*)?")
