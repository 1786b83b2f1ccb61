"""A parser that hangs, crashes, eats memory or talks nonsense costs one document, never the run."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from read_helpers import all_readings, by_path, docx, paragraph

from truecopy.read import ReadSettings, discover, ending, read
from truecopy.read.ending import end_group
from truecopy.read.file_types import DOCX, HTML, PDF, FileType
from truecopy.read.frames import pack, unpack
from truecopy.read.workers import ParserAnswer, ParserPool

SLOW = docx("<w:p/>" * 3_000_000)  # minutes of XML in a few kilobytes of file
CRASHED = "its parser crashed, or ran out of memory"


def pool(script: str, **settings: float) -> ParserPool:
    """A pool whose processes run the script instead of the parsers."""
    return ParserPool(ReadSettings(threads=1, **settings), [sys.executable, "-c", script])


def parse(parsers: ParserPool, file_type: FileType, data: bytes) -> ParserAnswer:
    (answer,) = parsers.parse_many([(file_type, data)])
    return answer


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "truecopy.read.worker" in " ".join(child.cmdline())]


def forged(sizes: list[object], blob: bytes = b"a text.") -> bytes:
    """An answer whose parts have other sizes than they have."""
    told = {"status": "", "reason": "", "date": "", "names": ["x"] * (len(sizes) - 1), "sizes": sizes}
    head = json.dumps(told).encode()
    return (4 + len(head) + len(blob)).to_bytes(8, "big") + len(head).to_bytes(4, "big") + head + blob


@pytest.mark.parametrize("sizes", [[7, -7, 7], [-7, 14], [8, -1], [7.0], [True, 6], ["7"], [None], [8], [6]])
def test_a_message_with_a_size_that_cannot_be_is_refused(sizes: list[object]) -> None:
    """Sizes that go back and forth add up, and would make any number of parts from the same bytes."""
    assert unpack(forged([3, 4])[8:])[1] == [b"a t", b"ext."]
    with pytest.raises((ValueError, TypeError)):
        unpack(forged(sizes)[8:])


@pytest.mark.parametrize(
    "script",
    [
        "import time; time.sleep(60)",  # takes nothing
        "import sys, time; sys.stdin.buffer.read(1000); time.sleep(60)",  # stops taking
        "import os, time; os.write(1, b'\\0\\0'); time.sleep(60)",  # stops giving
    ],
)
def test_a_parser_that_hangs_is_ended(script: str) -> None:
    parsers = pool(script, seconds=0.5)
    started = time.monotonic()
    answer = parse(parsers, PDF, bytes(5_000_000))
    assert (answer.status, answer.reason) == ("unreadable", "took longer than 0.5 s to read")
    assert time.monotonic() - started < 10
    parsers.close()


@pytest.mark.parametrize(
    "script",
    [
        "",
        "import os; os.abort()",
        "import os, sys; sys.stdin.buffer.read(8); os.kill(os.getpid(), 11)",
        "import sys; sys.stdout.buffer.write(b'Error: something the library prints')",
        "import sys; sys.stdout.buffer.write((4).to_bytes(8, 'big') + b'\\0\\0\\0\\0')",
        "import sys; sys.stdout.buffer.write((1 << 60).to_bytes(8, 'big') + bytes(1000))",
        f"import sys; sys.stdout.buffer.write({forged([7, -7, 7])!r})",
    ],
)
def test_a_parser_that_crashes_or_talks_nonsense_is_named(script: str) -> None:
    parsers = pool(script, seconds=20)
    answer = parse(parsers, PDF, b"%PDF-")
    assert (answer.status, answer.reason) == ("unreadable", CRASHED)
    parsers.close()


FORKS = """
import os, sys, time
from pathlib import Path
if os.fork() == 0:
    Path(sys.argv[1]).write_text(str(os.getpid()))
    time.sleep(120)
    os._exit(0)
while not Path(sys.argv[1]).exists() or not Path(sys.argv[1]).read_text():
    time.sleep(0.01)
"""
SPAWNS = """
import subprocess, sys, time
from pathlib import Path
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
Path(sys.argv[1]).write_text(str(child.pid))
"""
ANSWERS = """
from truecopy.read.frames import pack, receive
while message := receive(sys.stdin.buffer):
    head = {'status': '', 'reason': '', 'date': '', 'names': []}
    os.write(1, b''.join(pack(head, [b'read'])))
"""


def gone(pid: int) -> bool:
    """Whether a process ends soon."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with contextlib.suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                time.sleep(0.02)
                continue
        return True
    psutil.Process(pid).kill()
    return False


@pytest.mark.parametrize(
    ("then", "reason"),
    [
        ("time.sleep(60)", "took longer than 1 s to read"),
        ("os.abort()", "took longer than 1 s to read"),  # the copy holds the pipe, so nobody sees that it has crashed
        ("os.write(1, (1 << 60).to_bytes(8, 'big')); time.sleep(60)", CRASHED),
        (ANSWERS, ""),
    ],
    ids=["late", "crashed", "nonsense", "sound"],
)
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_what_a_parser_has_started_ends_with_it(tmp_path: Path, then: str, reason: str) -> None:
    """And nobody waits for the pipe that it holds."""
    command = [sys.executable, "-c", FORKS + then, str(tmp_path / "pid")]
    parsers = ParserPool(ReadSettings(threads=1, seconds=1 if "longer" in reason else 30), command)
    started = time.monotonic()
    assert parse(parsers, PDF, b"%PDF-").reason == reason
    parsers.close()
    assert time.monotonic() - started < 5, "no wait for the pipe"
    assert gone(int((tmp_path / "pid").read_text()))


@pytest.mark.parametrize("way", ["close", "kill"])
def test_what_a_parser_at_work_has_started_ends_with_the_pool(tmp_path: Path, way: str) -> None:
    """On every system: this one starts a program, which needs no fork."""
    command = [sys.executable, "-c", SPAWNS + "time.sleep(60)", str(tmp_path / "pid")]
    parsers = ParserPool(ReadSettings(threads=1, seconds=60), command)
    caller = threading.Thread(target=parse, args=(parsers, PDF, b"%PDF-"))
    caller.start()
    deadline = time.monotonic() + 20
    while not ((tmp_path / "pid").exists() and (tmp_path / "pid").read_text()) and time.monotonic() < deadline:
        time.sleep(0.02)
    getattr(parsers, way)()
    assert gone(int((tmp_path / "pid").read_text()))
    caller.join(20)
    assert not caller.is_alive()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("asked", ["waitid", "psutil"])
def test_what_a_parser_has_started_ends_though_the_parser_died_while_idle(
    tmp_path: Path, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever looks whether it lives must not let its number go: it is the group's too."""
    if asked == "psutil":  # as on macOS
        monkeypatch.delattr(os, "waitid", raising=False)
    parsers = ParserPool(
        ReadSettings(threads=1, seconds=20), [sys.executable, "-c", FORKS + ANSWERS, str(tmp_path / "pid")]
    )
    assert parse(parsers, PDF, b"%PDF-").text == b"read"
    first = int((tmp_path / "pid").read_text())
    (worker,) = parsers._idle
    os.kill(worker.process.pid, signal.SIGKILL)
    while psutil.Process(worker.process.pid).status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)
    (tmp_path / "pid").unlink()
    assert parse(parsers, PDF, b"%PDF-").text == b"read"
    assert gone(first)
    parsers.close()
    assert gone(int((tmp_path / "pid").read_text()))


def test_on_windows_the_descendants_of_a_parser_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no groups that could be ended; the way that is used there works here too."""
    script = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(120)'])"
    with subprocess.Popen([sys.executable, "-c", script]) as process:
        found: list[psutil.Process] = []
        deadline = time.monotonic() + 20
        while not found and time.monotonic() < deadline:
            found = psutil.Process(process.pid).children()
        monkeypatch.setattr(ending, "_GROUPS", False)
        end_group(process)
    monkeypatch.undo()
    assert found
    assert gone(found[0].pid)


def test_a_parser_that_cannot_be_started_is_named() -> None:
    parsers = ParserPool(ReadSettings(threads=1), ["/no/such/program"])
    assert parse(parsers, PDF, b"%PDF-").reason == "the machine could not start a parser for it"


def test_a_document_that_takes_too_long_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(paragraph("first")))
    (tmp_path / "b.docx").write_bytes(docx("<w:p/>" * 20_000_000))
    (tmp_path / "c.docx").write_bytes(docx(paragraph("third")))
    found = by_path(tmp_path, threads=1, seconds=4, memory=8 << 30)
    assert found["a.docx"].text == b"first"
    assert (found["b.docx"].status, found["b.docx"].reason) == ("unreadable", "took longer than 4 s to read")
    assert found["c.docx"].text == b"third"


def test_a_document_that_eats_memory_costs_only_itself(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(docx(paragraph("x" * 150_000_000)))
    (tmp_path / "b.docx").write_bytes(docx(paragraph("fine")))
    found = by_path(tmp_path, threads=1, memory=256 << 20)
    assert found["a.docx"].status == "unreadable"
    assert found["a.docx"].reason in ("needs more memory to read than a parser may have", CRASHED)
    assert found["b.docx"].text == b"fine"


def test_a_killed_parser_costs_one_document_and_is_replaced() -> None:
    parsers = ParserPool(ReadSettings(threads=1))
    assert parse(parsers, HTML, b"<p>one</p>").text == b"one"
    (worker,) = children()
    threading.Timer(0.3, lambda: os.kill(worker.pid, signal.SIGKILL)).start()
    assert parse(parsers, DOCX, SLOW).reason == CRASHED
    assert parse(parsers, HTML, b"<p>two</p>").text == b"two"
    parsers.close()


def test_of_many_files_only_the_cause_of_a_crash_is_blamed() -> None:
    script = (
        "import os, sys\n"
        "from truecopy.read.frames import pack, receive\n"
        "while message := receive(sys.stdin.buffer):\n"
        "    data = message[1][0]\n"
        "    if data == b'crash': os.abort()\n"
        "    head = {'status': '', 'reason': '', 'date': '', 'names': []}\n"
        "    os.write(1, b''.join(pack(head, [data])))\n"
    )
    parsers = pool(script, seconds=20)
    files = [b"1", b"2", b"crash", b"4", b"crash", b"crash", b"x" * 500_000, b"8"]
    answers = parsers.parse_many([(PDF, data) for data in files])
    assert [answer.text or answer.reason for answer in answers] == [
        data if data != b"crash" else CRASHED for data in files
    ]
    parsers.close()


def test_a_parser_that_died_while_idle_costs_nothing() -> None:
    parsers = ParserPool(ReadSettings(threads=1))
    assert parse(parsers, HTML, b"<p>one</p>").text == b"one"
    (worker,) = children()
    worker.kill()
    worker.wait()
    assert parse(parsers, HTML, b"<p>two</p>").text == b"two"
    parsers.close()


def test_no_parser_outlives_the_reading(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number}.docx").write_bytes(docx(paragraph(f"document {number}")))
    assert len(all_readings(tmp_path, threads=2)) == 20
    assert children() == []


def test_stopping_halfway_does_not_wait_for_a_slow_document(tmp_path: Path) -> None:
    for number in range(600):
        (tmp_path / f"{number:03d}.txt").write_text("quick")
    (tmp_path / "slow.docx").write_bytes(docx("<w:p/>" * 20_000_000))
    settings = ReadSettings(threads=2, seconds=60, memory=8 << 30)
    batches = read(discover([tmp_path], settings), settings)
    next(batches)
    deadline = time.monotonic() + 20
    while not children() and time.monotonic() < deadline:
        time.sleep(0.02)
    started = time.monotonic()
    batches.close()
    assert time.monotonic() - started < 10
    assert children() == []


def test_parsers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    (tmp_path / "slow.docx").write_bytes(SLOW)
    script = (
        "import sys\n"
        "from truecopy.read import ReadSettings, discover, read\n"
        "s = ReadSettings(threads=1, seconds=1)\n"
        "print(list(read(discover([sys.argv[1]], s), s)))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.DEVNULL)
    workers: list[psutil.Process] = []
    deadline = time.monotonic() + 20
    while not workers and time.monotonic() < deadline:
        workers = psutil.Process(parent.pid).children()
        time.sleep(0.02)
    parent.kill()
    parent.wait()
    assert workers
    _, alive = psutil.wait_procs(workers, timeout=30)
    assert alive == []


def test_the_folder_we_are_called_from_is_never_imported_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "resource", "truecopy", "kreuzberg"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the evidence')\n")
    (tmp_path / "a.html").write_text("<p>page</p>")
    monkeypatch.chdir(tmp_path)
    assert by_path("a.html")["a.html"].text == b"page"


def test_messages_survive_the_pipe() -> None:
    head = {"reason": "ünï", "names": ["a"]}
    blobs = [b"", b"\0" * 10, "ü".encode()]
    message = b"".join(pack(head, blobs))
    assert int.from_bytes(message[:8], "big") == len(message) - 8
    assert unpack(message[8:]) == ({**head, "sizes": [0, 10, 2]}, blobs)
    with pytest.raises(ValueError, match="length"):
        unpack(message[8:] + b"x")
