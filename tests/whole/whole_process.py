"""Runs the command line in a process of its own and watches it: what it prints, how long, how much memory."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

# The process says its own high-water mark at its end: the system's account of a child (`ru_maxrss`) begins
# with the size of the parent that started it.
_RUN = """
import sys
from pathlib import Path
from truecopy.cli.run import run
code = run(sys.argv[2:])
lines = Path("/proc/self/status").read_text().splitlines()
Path(sys.argv[1]).write_text(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
sys.stdout.flush()
sys.exit(code)
"""


@dataclass(frozen=True)
class Watched:
    """How a command went."""

    code: int
    out: str
    err: str
    seconds: float
    peak: int
    """Bytes that the command's own process took at most; 0 if it did not come to its end."""
    all_peak: int
    """Bytes that it and its helpers took at most together, looked at ten times a second."""


def watch(folder: Path, *arguments: str, timeout: float) -> Watched:
    """Run `truecopy ARGUMENTS` to its end, or for so many seconds; files about it go to a folder."""
    folder.mkdir(exist_ok=True)
    mark = folder / "peak"
    mark.unlink(missing_ok=True)
    began = time.perf_counter()
    all_peak = 0
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-c", _RUN, str(mark), *arguments], stdout=out, stderr=err, stdin=subprocess.DEVNULL
        )
        try:
            while process.poll() is None:
                all_peak = max(all_peak, _taken(process.pid))
                if time.perf_counter() - began > timeout:
                    raise TimeoutError(f"still running after {timeout:g} s: truecopy {' '.join(arguments)[:200]}")
                time.sleep(0.1)
        finally:
            process.kill()
            process.wait()
    return Watched(
        process.returncode,
        (folder / "out").read_text(errors="backslashreplace"),
        (folder / "err").read_text(errors="backslashreplace"),
        time.perf_counter() - began,
        int(mark.read_text()) * 1024 if mark.exists() else 0,
        all_peak,
    )


def _taken(pid: int) -> int:
    taken = 0
    try:
        process = psutil.Process(pid)
        for each in (process, *process.children(recursive=True)):
            taken += each.memory_info().rss
    except psutil.Error:
        pass  # it ended while it was looked at
    return taken
