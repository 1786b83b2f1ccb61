"""Files to readings: order, batches, hashes, statuses; nothing stops the run."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from read_helpers import all_readings, by_path, docx, paragraph, zipped

from truecopy.read import ReadSettings, Source, discover, read
from truecopy.read import documents as documents_module
from truecopy.read import files as files_module


def test_a_reading_has_the_text_and_the_three_hashes(tmp_path: Path) -> None:
    data = "Ärger\r\n".encode()
    (tmp_path / "a.md").write_bytes(data)
    (reading,) = all_readings(tmp_path)
    assert (reading.text, reading.size, reading.status, reading.reason) == (data, len(data), "", "")
    assert reading.md5 == hashlib.md5(data).hexdigest()
    assert reading.sha1 == hashlib.sha1(data).hexdigest()
    assert reading.sha256 == hashlib.sha256(data).hexdigest()
    assert reading.media == "text/markdown"


def test_a_byte_order_mark_is_not_text_but_is_hashed(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbfabc"
    (tmp_path / "a.txt").write_bytes(data)
    (reading,) = all_readings(tmp_path)
    assert reading.text == b"abc"
    assert reading.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_batches_are_in_source_order_and_bounded(tmp_path: Path, threads: int) -> None:
    for number in range(1500):
        size = 40_000 if number % 10 == 0 else 10
        (tmp_path / f"{number:05d}.txt").write_bytes(b"x" * size)
    settings = ReadSettings(threads=threads)
    sources = discover([tmp_path], settings)
    batches = list(read(sources, settings))
    assert [reading.path for batch in batches for reading in batch] == [source.path for source in sources]
    assert max(len(batch) for batch in batches) == 256
    assert len(batches) >= 3


def test_batches_of_documents_that_are_parsed_are_smaller(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number:05d}.html").write_bytes(b"<p>x")
        (tmp_path / f"{number:05d}.txt").write_bytes(b"x")
    settings = ReadSettings(threads=2)
    batches = list(read(discover([tmp_path], settings), settings))
    assert [len(batch) for batch in batches] == [103, 97]


def test_large_texts_come_in_batches_of_their_own(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.txt").write_bytes(b"word " * 2_000_000)
    settings = ReadSettings(threads=2)
    assert [len(batch) for batch in read(discover([tmp_path], settings), settings)] == [1, 1, 1, 1]


def test_chunks_whose_texts_grow_large_are_read_in_parts_in_the_same_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(60):
        (tmp_path / f"{number:02d}.docx").write_bytes(docx(paragraph(f"document {number}")))
    (tmp_path / "17.zip").write_bytes(zipped({f"{n}.html": b"<p>x</p>" for n in range(40)}))
    whole = all_readings(tmp_path)
    assert len(whole) == 100
    monkeypatch.setattr(documents_module, "_ENOUGH_TEXT", 10)
    assert all_readings(tmp_path) == whole


def test_reading_can_be_stopped_halfway(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"{number}.txt").write_text("x")
    settings = ReadSettings(threads=2)
    batches = read(discover([tmp_path], settings), settings)
    assert len(next(batches)) == 256
    batches.close()


def test_progress_counts_every_byte_once(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.txt").write_bytes(b"y" * number)
    seen: list[object] = []
    progress = SimpleNamespace(
        start=lambda *about: seen.append(about), advance=seen.append, finish=lambda: seen.append("end")
    )
    settings = ReadSettings(threads=2)
    for _ in read(discover([tmp_path], settings), settings, progress):
        pass
    total = sum(range(300))
    assert seen[0] == ("read", total, "bytes")
    assert seen[-1] == "end"
    assert sum(units for units in seen[1:-1] if isinstance(units, int)) == total


def test_an_empty_file_is_a_document_without_text_whatever_its_name(tmp_path: Path) -> None:
    names = ["a.txt", "a.pdf", "a.docx", "a.zip", "a.mbox", "a.eml", "a.html", "a.png", "a.msg", "a", "a.xyz"]
    for name in names:
        (tmp_path / name).write_bytes(b"")
    found = by_path(tmp_path)
    assert sorted(found) == sorted(names)
    for reading in found.values():
        assert (reading.text, reading.status, reading.reason) == (b"", "", "the file is empty"), reading.path


def test_files_over_the_limit_are_too_large_and_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "huge.txt", "wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    (tmp_path / "small.txt").write_text("small")
    found = by_path(tmp_path)
    assert (found["huge.txt"].status, found["huge.txt"].size) == ("too-large", 1 << 40)
    assert found["huge.txt"].reason == "larger than 536,870,912 bytes"
    assert found["small.txt"].text == b"small"


def test_texts_over_the_limit_are_too_large(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 2000)
    (tmp_path / "b.docx").write_bytes(docx(paragraph("x" * 2000)))
    found = by_path(tmp_path, max_text=1000)
    assert {reading.status for reading in found.values()} == {"too-large"}
    assert {reading.reason for reading in found.values()} == {"its text is larger than 1,000 bytes"}
    assert {reading.text for reading in found.values()} == {b""}


def test_a_file_that_vanishes_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here")
    (tmp_path / "b.txt").write_text("here too")
    settings = ReadSettings(threads=1)
    sources = discover([tmp_path], settings)
    (tmp_path / "a.txt").unlink()
    first, second = next(read(sources, settings))
    assert (first.status, first.reason) == ("unreadable", "vanished while being read")
    assert second.text == b"here too"


def test_a_file_that_became_a_pipe_does_not_hold_the_run_up(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("here")
    settings = ReadSettings(threads=1)
    sources = discover([tmp_path], settings)
    (tmp_path / "a.txt").unlink()
    os.mkfifo(tmp_path / "a.txt")
    ((reading,),) = read(sources, settings)
    assert (reading.status, reading.reason) == ("unreadable", "not a regular file")


def test_a_file_that_grows_is_read_to_its_end_within_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 100)
    about = os.stat_result((0o100644, 0, 0, 1, 0, 0, 10, 0, 0, 0))
    monkeypatch.setattr(files_module.os, "fstat", lambda handle: about)
    source = Source(str(tmp_path), "a.txt", str(path), 10)
    assert files_module.load(source, 1000) == b"x" * 100
    with pytest.raises(files_module.TooLargeError):
        files_module.load(source, 50)


def test_a_file_without_permission_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("secret")
    (tmp_path / "b.txt").write_text("open")
    real = os.open

    def guarded(path: str, flags: int, mode: int = 0o777, **more: int) -> int:
        if str(path).endswith("a.txt"):
            raise PermissionError(13, "denied")
        return real(path, flags, mode, **more)

    monkeypatch.setattr(os, "open", guarded)
    found = by_path(tmp_path)
    assert (found["a.txt"].status, found["a.txt"].reason) == ("unreadable", "permission denied")
    assert found["b.txt"].text == b"open"


def test_standard_input_is_one_document(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO("Grüße".encode("cp1252"))))
    (reading,) = all_readings("-")
    assert (reading.path, reading.text) == ("stdin", "Grüße".encode())


def test_unknown_names_with_text_are_texts_and_binary_ones_have_no_reader(tmp_path: Path) -> None:
    (tmp_path / "notes.xyz").write_text("plain words")
    (tmp_path / "Makefile").write_text("all:\n\ttrue\n")
    (tmp_path / "data.xyz").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "data.txt").write_bytes(bytes(range(256)) * 20)
    (tmp_path / "program").write_bytes(b"\x7fELF" + bytes(100))
    found = by_path(tmp_path)
    assert found["notes.xyz"].text == b"plain words"
    assert found["Makefile"].status == ""
    assert found["data.xyz"].reason == "not a text, and no reader for .xyz"
    assert found["data.txt"].reason == "not a text: binary data"
    assert found["program"].status == "unreadable"


def test_the_content_decides_where_the_name_lies(tmp_path: Path) -> None:
    word = docx(paragraph("Real words"))
    page = b"<html><body><p>A page saved as a document</p></body></html>"
    (tmp_path / "agreement.pdf").write_bytes(word)
    (tmp_path / "agreement.txt").write_bytes(word)
    (tmp_path / "agreement").write_bytes(word)
    (tmp_path / "agreement.zip").write_bytes(word)
    (tmp_path / "page.doc").write_bytes(page)
    (tmp_path / "letter.docx").write_bytes(b"Just a letter.\n")
    found = by_path(tmp_path)
    for name in ("agreement.pdf", "agreement.txt", "agreement", "agreement.zip"):
        assert found[name].text == b"Real words", name
    assert found["page.doc"].text == b"A page saved as a document"
    assert found["letter.docx"].text == b"Just a letter.\n"


def test_plain_text_needs_neither_parsers_nor_processes(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}.txt").write_text("text “quoted”")
    script = (
        "import subprocess, sys\n"
        "subprocess.Popen = None\n"
        "from truecopy.read import ReadSettings, discover, read\n"
        "s = ReadSettings(threads=2)\n"
        "assert sum(len(b) for b in read(discover([sys.argv[1]], s), s)) == 100\n"
        "heavy = {'kreuzberg', 'numba', 'numpy', 'charset_normalizer', 'email', 'xml'}\n"
        "print(sorted(heavy & {name.partition('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_folder_whose_path_is_too_long_is_listed(tmp_path):
    """Step by step every depth is reached; by its path, a folder that the system cannot look at is still listed."""
    folder = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("x" * 200, dir_fd=folder)
        below = os.open("x" * 200, os.O_RDONLY, dir_fd=folder)
        os.close(folder)
        folder = below
    with os.fdopen(os.open("deep.txt", os.O_WRONLY | os.O_CREAT, dir_fd=folder), "wb") as file:
        file.write(b"deep down")
    os.close(folder)
    followed = discover([tmp_path], ReadSettings(follow_links=True))
    (read,) = all_readings(tmp_path)
    shutil.rmtree(tmp_path / ("x" * 200))  # goes down by handles, and so comes to the end of it
    assert (read.status, read.text) == ("", b"deep down")
    assert [source.status for source in followed] == ["unreadable"]
    assert "too long" in followed[0].reason


def test_who_stops_halfway_waits_for_no_slow_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the first batch nobody asks for more: the files that are left of a chunk are not read."""
    for number in range(600):
        (tmp_path / f"{number:03d}.txt").write_text(f"text {number}")
    loaded: list[str] = []

    def slowly(source: Source, limit: int) -> bytes:
        if source.path >= "256":  # the first chunk is quick
            time.sleep(0.05)
        loaded.append(source.path)
        return files_module.load(source, limit)

    monkeypatch.setattr("truecopy.read.documents.load", slowly)
    settings = ReadSettings(threads=2)
    batches = read(discover([tmp_path], settings), settings)
    assert len(next(iter(batches))) == 256
    batches.close()  # type: ignore[attr-defined]
    assert len(loaded) < 312
