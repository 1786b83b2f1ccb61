"""What SECURITY.md promises of a whole run: nothing is sent, nothing is written elsewhere, no text in the log."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from collections_data import collection
from truecopy.demo import write_dataroom
from truecopy.kernels import jit
from truecopy.read.ocr import find

MARKER = "zephyrine"
"""A word of one document and of no name: wherever it turns up, document text has got out."""
ACTIONS = {"add", "sign", "index", "floor"}
"""What the page says the audit log records."""

RUN = """
import json, sys
sockets = []
sys.addaudithook(lambda event, _: sockets.append(event) if event.startswith("socket.") else None)
from truecopy.cli.run import run
codes = [run(command) for command in json.loads(sys.argv[1])]
print(json.dumps({"codes": codes, "sockets": sockets}), file=sys.stderr)
"""


class Ran:
    """Some commands, run in a process whose home, temporary folder and working folder are empty."""

    def __init__(self, base: Path) -> None:
        self.documents, self.matter = base / "documents", base / "matter"
        write_dataroom(self.documents, documents=50, seed=5)
        text = f"The {MARKER} clause binds both parties until the last day of the term of this agreement. " * 6
        (self.documents / "a.txt").write_text(text)
        (self.documents / "b.txt").write_text(text + "It may be ended early.")
        self.around = [base / name for name in ("home", "temporary", "working")]
        for folder in self.around:
            folder.mkdir()
        self.before = seals(self.documents)
        matter = ["--matter", str(self.matter)]
        commands = [
            ["scan", str(self.documents), *matter, "--threshold", "80", "--json"],
            ["sign", *matter, "--method", "letters", "--json"],
            ["floor", "60", *matter, "--json"],
            ["index", "rebuild", *matter, "--json"],
            ["report", *matter, "--json"],
            ["report", *matter, "--xlsx", "--json"],
        ]
        done = subprocess.run(
            [sys.executable, "-P", "-c", RUN, json.dumps(commands)],
            cwd=self.around[2], env=surroundings(*self.around),
            capture_output=True, text=True, timeout=300, check=True,
        )  # fmt: skip
        self.out, self.err = done.stdout, done.stderr
        self.said = json.loads(self.err.splitlines()[-1])


def surroundings(home: Path, temporary: Path, _working: Path) -> dict[str, str]:
    """The variables of a process that has this home and this temporary folder."""
    return {
        **os.environ,
        **dict.fromkeys(("HOME", "USERPROFILE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), str(home)),
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary)),
        "TRUECOPY_CACHE": str(jit.cache_folder()),
        "PYTHONPATH": str(Path(jit.__file__).parents[2]),  # the code under test, seen from another folder
    }


def seals(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file below a folder: its digest, and when it was last written."""
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    return {
        str(file.relative_to(folder)): (hashlib.sha256(file.read_bytes()).hexdigest(), file.stat().st_mtime_ns)
        for file in files
    }


def log(matter: Path) -> list[tuple[str, str]]:
    """Every entry of the audit log: the action, and its details."""
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        return connection.execute("select action, details from audit order by number").fetchall()


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    return Ran(tmp_path_factory.mktemp("promises"))


def test_reading_comparing_and_reporting_open_no_connection(ran: Ran):
    """No socket is even made; parser processes, where libraries are not Python, have no network at all."""
    assert ran.said == {"codes": [0] * 6, "sockets": []}


def test_originals_are_as_they_were(ran: Ran):
    """Bytes and times: no file is written, added or taken away."""
    assert seals(ran.documents) == ran.before


def test_nothing_is_written_outside_the_matter(ran: Ran):
    """Not even a folder is left in the home, the temporary folder or the working folder; kernels go to their cache."""
    assert [path.relative_to(folder) for folder in ran.around for path in folder.rglob("*")] == []


@pytest.mark.slow
def test_no_format_makes_a_library_write_elsewhere(tmp_path: Path):
    """A file of every format of the collection, with OCR where there is an engine: nothing is left but the matter."""
    files = sorted(file for file in collection("formats").rglob("*.*") if file.is_file())
    one_of_each = {file.suffix.lower(): file for file in sorted(files, key=lambda one: -one.stat().st_size)}
    around = [tmp_path / name for name in ("home", "temporary", "working")]
    for folder in around:
        folder.mkdir()
    matter = ["--matter", str(tmp_path / "matter"), "--json", *(["--ocr"] if find() else [])]
    command = ["scan", *map(str, one_of_each.values()), *matter]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "truecopy", *command],
        cwd=around[2], env=surroundings(*around), capture_output=True, timeout=600, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["documents"] >= len(one_of_each) > 20
    assert [path.relative_to(tmp_path) for folder in around for path in folder.rglob("*")] == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["home", "matter", "temporary", "working"]


def test_the_audit_log_records_what_the_page_says_and_no_text(ran: Ran):
    entries = log(ran.matter)
    assert {action for action, _ in entries} == ACTIONS
    assert MARKER not in str(entries)
    assert not [path for path in ran.before if path in str(entries)], "nor the names of documents"


def test_what_is_printed_holds_no_text(ran: Ran):
    """Neither the answers of these commands nor what they say on the way."""
    assert MARKER not in ran.out + ran.err
    assert ran.err.count("\n") == 1, "and nothing but the line that this test prints"


def test_kernels_are_never_loaded_from_a_folder_of_somebody_else(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Compiled code is executed, so another user must not be able to put it there."""
    if not hasattr(os, "getuid"):
        pytest.skip("this system has no user numbers")
    monkeypatch.setenv("TRUECOPY_CACHE", str(tmp_path / "cache"))
    jit.kernel_folder.cache_clear()
    try:
        assert jit.kernel_folder().parent == (tmp_path / "cache").resolve()
        jit.kernel_folder.cache_clear()
        tmp_path.chmod(0o777)
        assert tmp_path.resolve() not in jit.kernel_folder().parents
    finally:
        jit.kernel_folder.cache_clear()


def test_parsers_write_no_core_dumps(tmp_path: Path):
    """A core dump would hold the text of the document that crashed the parser."""
    if not sys.platform.startswith("linux"):
        pytest.skip("limits of another process can be seen on Linux only")
    command = [sys.executable, "-P", "-m", "truecopy.read.worker", str(1 << 30), str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parser:
        watched, limit, deadline = psutil.Process(parser.pid), (1, 1), time.monotonic() + 30
        while limit != (0, 0) and time.monotonic() < deadline:
            time.sleep(0.05)
            limit = watched.rlimit(psutil.RLIMIT_CORE)
        parser.communicate()
    assert limit == (0, 0)
