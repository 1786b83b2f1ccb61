"""What every benchmark shares: the command line, the texts, the cores, and how time and memory are taken.

arguments       --scale small|full, --data DIR, --json, --markdown, --into PAGE-OR-FOLDER
collection      real texts where they are, generated ones where they are not (and the result says so)
use_cores       the same cores for every contender
race            best of several rounds, contenders taking turns, so that the machine's noise hits all alike
run_process     wall time and peak memory of a process; scan_process runs the command `truecopy scan`
watch_process   the same with all its children, looked at while they run, and ended if it takes too long
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from generated import write_collection

CORES = 2
"""Cores that every contender may use."""
DEFAULT_DATA = Path(os.environ.get("TRUECOPY_DATA", Path(__file__).parents[2] / "shared" / "data"))
EVERY_COLLECTION = (
    "agreements",
    "bills",
    "contracts",
    "copyright-files",
    "licenses",
    "mail-list",
    "mail-scanned",
    "notices",
    "policies",
    "policies-languages",
    "policies-long",
    "site-policy",
)
TEMPORARY = Path(tempfile.gettempdir())
KEPT = TEMPORARY / f"truecopy-benchmarks-{os.getuid()}"
"""What is costly to make again: brute-force truth."""


os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Commands are timed as users have them: an installed package has its bytecode.


# --- the command line ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the user asked for."""

    scale: str
    data: Path
    form: str
    """text, json or markdown."""
    into: Path | None

    @property
    def small(self) -> bool:
        return self.scale == "small"


def arguments(description: str, given: Sequence[str] | None = None) -> Arguments:
    """Read the command line that all benchmarks have."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--scale", choices=("small", "full"), default="small", help="small ends in a minute")
    parser.add_argument("--data", type=Path, default=DEFAULT_DATA, help="folder of the collections (or TRUECOPY_DATA)")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--markdown", action="store_true", help="print the tables as Markdown")
    parser.add_argument("--into", type=Path, help="page for the Markdown tables, or a folder of pages")
    read = parser.parse_args(given)
    form = "json" if read.json else "markdown" if read.markdown else "text"
    return Arguments(read.scale, read.data, form, read.into)


# --- texts -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Collection:
    """Files of one collection, or the first of them."""

    name: str
    files: list[Path]
    given: list[Path]
    """What to hand to `truecopy scan`: the folders where they are whole, else the files."""
    generated: bool
    size: int
    """Bytes of all files."""

    def texts(self) -> list[bytes]:
        return [file.read_bytes() for file in self.files]


def collection(name: str, data: Path, first: int | None = None) -> Collection:
    """The documents of a collection: files below its folders (its README and truth files lie beside them)."""
    folder = _unpacked(name, data)
    generated = folder is None
    if folder is None:
        folder = _generated(name, first)
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.parent != folder)
    given = sorted(child for child in folder.iterdir() if child.is_dir())
    if first is not None and first < len(files):
        files = files[:first]
        given = files
    return Collection(name, files, given, generated, sum(file.stat().st_size for file in files))


def _unpacked(name: str, data: Path) -> Path | None:
    """Where a collection lies unpacked; an archive is unpacked once, to where the tests look for it too."""
    if (data / name).is_dir():
        return data / name
    archive = data / f"{name}.tar.xz"
    if not archive.is_file():
        return None
    target = TEMPORARY / f"truecopy-collections-{os.getuid()}" / name
    if not target.is_dir():
        target.parent.mkdir(exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=target.parent))
        with tarfile.open(archive) as packed:
            packed.extractall(part, filter="data")
        try:
            (part / name).rename(target)
        except OSError:  # another process was first
            assert target.is_dir()
        shutil.rmtree(part, ignore_errors=True)
    return target


def _generated(name: str, documents: int | None) -> Path:
    """Made-up texts in place of a collection that is not there."""
    documents = documents or 400
    made_by = hashlib.sha256((Path(__file__).parent / "generated.py").read_bytes()).hexdigest()[:12]
    target = KEPT / f"generated-{name}-{documents}-{made_by}"
    if not target.is_dir():
        KEPT.mkdir(exist_ok=True)
        part = Path(tempfile.mkdtemp(dir=KEPT))
        write_collection(part / "texts", documents, seed=name)
        try:
            part.rename(target)
        except OSError:  # another process was first
            shutil.rmtree(part, ignore_errors=True)
    return target


# --- cores -----------------------------------------------------------------------------------------------


AT_FIRST = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else set(range(os.cpu_count() or 1))


def use_cores(cores: int = CORES) -> int:
    """Keep this thread, and threads and processes that it starts, on so many cores; how many there are.

    The peers' Rust thread pools read their size when they first run, and keep it.
    """
    chosen = sorted(AT_FIRST)[:cores]
    os.environ["RAYON_NUM_THREADS"] = str(cores)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, chosen)
    return len(chosen)


# --- time ------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Contender:
    """Something to be timed, and how often."""

    name: str
    run: Callable[[], Any]
    rounds: int


@dataclass(slots=True)
class Timing:
    """The times of one contender, and what its last round gave."""

    seconds: list[float] = field(default_factory=list)
    given: Any = None

    @property
    def best(self) -> float:
        return min(self.seconds)


def race(contenders: Sequence[Contender]) -> dict[str, Timing]:
    """Time contenders in turns, each for its rounds; garbage is collected between rounds."""
    timings = {contender.name: Timing() for contender in contenders}
    for turn in range(max((contender.rounds for contender in contenders), default=0)):
        for contender in contenders:
            if turn >= contender.rounds:
                continue
            timing = timings[contender.name]
            timing.given = None
            gc.collect()
            start = time.perf_counter()
            timing.given = contender.run()
            timing.seconds.append(time.perf_counter() - start)
    return timings


# --- processes ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that came to its end well."""

    seconds: float
    processor_seconds: float
    """On all cores together: what it took is hardly longer on a busy machine."""
    peak: int
    """The most memory that it held at once, in bytes."""
    printed: str


def run_process(command: Sequence[str], **environment: str) -> Finished:
    """Run a process; its wall time, its peak memory (of it alone) and what it printed.

    A process starts with its parent's memory in its peak, so benchmarks that ask for it import nothing heavy.
    """
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, stderr=said, env={**os.environ, **environment})
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        said.seek(0)
        if process.returncode:
            told = (printed.read() + said.read()).decode(errors="replace")
            raise SystemExit(f"{' '.join(command[:4])} … ended with {process.returncode}: {told[-2000:]}")
        unit = 1 if sys.platform == "darwin" else 1024
        return Finished(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit, printed.read().decode())


def scan_process(given: Sequence[Path], *options: str, **environment: str) -> Finished:
    """Run `truecopy scan … --json` into a matter that is thrown away."""
    with tempfile.TemporaryDirectory() as folder:
        matter = ["--matter", str(Path(folder) / "matter")]
        command = [
            sys.executable,
            "-m",
            "truecopy",
            "scan",
            *map(str, given),
            *matter,
            *options,
            "--json",
        ]
        return run_process(command, **environment)


@dataclass(slots=True)
class Memory:
    """The most that a process and its children held at once, in bytes; 0 where the system does not tell."""

    own: int = 0
    """What only they had: it cannot be taken from them."""
    resident: int = 0
    """With the files that they had mapped."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A process that came to its end well, and was looked at meanwhile."""

    seconds: float
    processor_seconds: float
    memory: Memory
    printed: str


def watch_process(command: Sequence[str], most_seconds: float, look: float = 0.05) -> Watched:
    """Run a process in a group of its own; the group is ended by its id when the time is over."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=printed, stderr=said, start_new_session=True)
        memory, over = Memory(), threading.Event()
        watcher = threading.Thread(target=_watch, args=(process.pid, memory, over, start + most_seconds, look))
        watcher.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            process.returncode = os.waitstatus_to_exitcode(status)
        finally:
            over.set()
            watcher.join()
            if process.returncode is None:  # this process was stopped
                end_group(process)
        printed.seek(0)
        said.seek(0)
        if process.returncode:
            told = (printed.read() + said.read()).decode(errors="replace")
            late = f" after {seconds:.0f} s of {most_seconds:.0f}" if process.returncode < 0 else ""
            shown = " ".join(command[:4])
            raise SystemExit(f"{shown} … ended with {process.returncode}{late}: {told[-2000:]}")
        return Watched(seconds, used.ru_utime + used.ru_stime, memory, printed.read().decode())


def end_group(process: subprocess.Popen[Any]) -> None:
    """End a process that was started in a group of its own, with its children."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _watch(process: int, memory: Memory, over: threading.Event, until: float, look: float) -> None:
    while not over.wait(look):
        own = resident = 0
        for one in _with_children(process):
            held = _held(one)
            own, resident = own + held.own, resident + held.resident
        memory.own, memory.resident = max(memory.own, own), max(memory.resident, resident)
        if time.perf_counter() > until:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process, signal.SIGKILL)
            return


def _with_children(process: int) -> list[int]:
    found = [process]
    for one in found:
        for task in Path(f"/proc/{one}/task").glob("*/children"):
            with contextlib.suppress(OSError):
                found += map(int, task.read_text().split())
    return found


def _held(process: int) -> Memory:
    """What a process holds now."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:  # it has ended
        return Memory()
    kept = {
        name: rest for name, _, rest in (line.partition(":") for line in lines) if name.startswith(("Rss", "VmRSS"))
    }
    sizes = {name: 1024 * int(rest.split()[0]) for name, rest in kept.items()}
    return Memory(sizes.get("RssAnon", 0) + sizes.get("RssShmem", 0), sizes.get("VmRSS", 0))
