"""A parser that hangs, crashes, eats memory or talks nonsense costs one document, never the run."""

from __future__ import annotations

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

from truecopy.read import ReadSettings, discover, read
from truecopy.read.frames import pack, unpack
from truecopy.read.kinds import DOCX, HTML, PDF, Kind
from truecopy.read.workers import Answer, ParserPool

SLOW = docx("<w:p/>" * 3_000_000)  # minutes of XML in a few kilobytes of file
CRASHED = "its parser crashed, or ran out of memory"


def pool(script: str, **settings: float) -> ParserPool:
    """A pool whose processes run the script instead of the parsers."""
    return ParserPool(ReadSettings(threads=1, **settings), [sys.executable, "-c", script])


def parse(parsers: ParserPool, kind: Kind, data: bytes) -> Answer:
    (answer,) = parsers.parse_many([(kind, data)])
    return answer


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if "truecopy.read.worker" in " ".join(child.cmdline())]


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
    ],
)
def test_a_parser_that_crashes_or_talks_nonsense_is_named(script: str) -> None:
    parsers = pool(script, seconds=20)
    answer = parse(parsers, PDF, b"%PDF-")
    assert (answer.status, answer.reason) == ("unreadable", CRASHED)
    parsers.close()


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
