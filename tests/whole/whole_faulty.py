"""A process with everything loaded that runs commands in children whose disk fails at a chosen moment.

For each request (a JSON object) on standard input it forks a child, which runs `truecopy WORDS` with the fault armed
(`whole_faults.c`, loaded before all else), and prints one line: exit code, what was printed, how many calls there were.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).with_name("whole_faults.c")


@dataclass(frozen=True)
class Fault:
    """Which call fails, and how."""

    at: int = 0
    """Counted from 1; 0: none."""
    error: int = 0
    lasting: bool = False
    """Whether all later calls fail too, as on a disk that stays full."""
    half: bool = False
    """Whether the call does half of its work before the next one fails."""


@dataclass(frozen=True)
class Ran:
    """How a command went."""

    code: int
    answer: dict[str, Any]
    calls: int


class Faulty:
    """Runs commands with faults."""

    def __init__(self, folder: Path) -> None:
        if shutil.which("gcc") is None:
            pytest.skip("there is no gcc to make the library with that lets calls fail")
        library = folder / "faults.so"
        command = ["gcc", "-shared", "-fPIC", "-O1", "-o", str(library), str(SOURCE), "-ldl"]
        subprocess.run(command, check=True, capture_output=True)
        self._process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "LD_PRELOAD": str(library)},
            text=True,
        )
        assert self._line() == "ready"

    def run(self, folder: Path, words: list[str], fault: Fault) -> Ran:
        """Run a command; calls below the folder are counted, and one of them fails."""
        assert self._process.stdin is not None
        armed = [str(folder), fault.at, fault.error, fault.lasting, fault.half]
        self._process.stdin.write(json.dumps({"words": words, "armed": armed}) + "\n")
        self._process.stdin.flush()
        told = json.loads(self._line())
        assert told["signal"] == 0, (words, fault, told)
        return Ran(told["code"], json.loads(told["out"]), told["calls"])

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().rstrip("\n")


def _child(library: Any, request: dict[str, Any], told: Path) -> None:
    from truecopy.cli.run import run

    out, err = io.StringIO(), io.StringIO()
    folder, at, error, lasting, half = request["armed"]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        library.faults_arm(folder.encode(), ctypes.c_long(at), error, int(lasting), int(half))
        code = run([*request["words"], "--json"])
        library.faults_disarm()
    said = {"code": code, "out": out.getvalue(), "err": err.getvalue(), "calls": library.faults_count(), "signal": 0}
    told.write_text(json.dumps(said))


def _warm(folder: Path) -> None:
    """Load every module and kernel that the children need."""
    from truecopy.cli.run import run

    room = folder / "room"
    room.mkdir()
    for number in range(3):
        (room / f"{number}.txt").write_text(" ".join(f"word{i + number // 2}" for i in range(80)))
    matter = ["--matter", str(folder / "matter")]
    with contextlib.redirect_stdout(io.StringIO()):
        for words in (
            ["scan", str(room), *matter],
            ["sign", "--method", "letters", *matter],
            ["similar", "0.txt", "--contains", *matter],
            ["similar", "0.txt", "--method", "letters", *matter],
            ["stats", "build", str(room), "--out", str(folder / "statistics")],
            ["documents", "--csv", str(folder / "list.csv"), *matter],
            ["floor", "60", *matter],
        ):
            assert run(words) == 0, words


def _write_few_at_once() -> None:
    """Let small waves be written as large ones are, so that calls fail between their transactions too."""
    from truecopy.matter.change import ahead, rows

    ahead.MANY, ahead.SHARE, rows._ROWS_AT_ONCE = 1, 0.0, 4


def main() -> None:
    _write_few_at_once()
    library = ctypes.CDLL(sys.argv[1])
    library.faults_count.restype = ctypes.c_long
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _warm(folder)
        print("ready", flush=True)
        told = folder / "told"
        for line in sys.stdin:
            told.unlink(missing_ok=True)
            child = os.fork()
            if not child:
                try:
                    _child(library, json.loads(line), told)
                finally:
                    os._exit(0)
            _, status = os.waitpid(child, 0)
            signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
            nothing = {"code": -1, "out": "{}", "err": "", "calls": 0, "signal": signal}
            said = told.read_text() if told.exists() else json.dumps(nothing)
            print(said.replace("\n", " "), flush=True)


if __name__ == "__main__":
    main()
