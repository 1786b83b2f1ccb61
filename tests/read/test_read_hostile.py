"""Hundreds of generated hostile inputs: every one ends in a reading, in bounded time and memory."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from read_helpers import all_readings, by_path, docx, paragraph, zipped

from collections_data import collection

SEED = 20_261_115
TEXTS = "txt md csv json xml html htm xhtml log yaml tex py"
OFFICE = "pdf doc docx dot docm rtf odt ods odp xls xlsx xlsm ppt pptx epub wpd"
OTHERS = "eml mbox zip msg pst png jpg tif gif exe dat tar gz 7z mht"
SUFFIXES = f"{TEXTS} {OFFICE} {OTHERS}".split()
HEADS = [
    b"",
    b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 1 0 R >>\nendobj\n",
    b"PK\x03\x04\x14\0\0\0\x08\0",
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
    b"{\\rtf1\\ansi\\ansicpg932 {\\fonttbl{\\f0\\fcharset128 a;}}\\f0 ",
    b"!BDN",
    b"From a@b Mon Jun 01 10:00:00 2009\nContent-Type: multipart/mixed; boundary=x\n\n--x\n",
    b"<!doctype html><html><body>",
    b"\xff\xfe",
    b"\x89PNG\r\n\x1a\n",
]


def _write_noise(folder: Path, count: int, generator: random.Random) -> None:
    for number in range(count):
        suffix = SUFFIXES[number % len(SUFFIXES)]
        noise = generator.randbytes(generator.choice((0, 1, 7, 100, 3_000, 20_000)))
        (folder / f"{number:04d}.{suffix}").write_bytes(generator.choice(HEADS) + noise)


def test_random_bytes_under_every_name(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    print(f"seed {SEED}")
    _write_noise(tmp_path, 500, random.Random(SEED))
    capfd.readouterr()
    started = time.monotonic()
    found = all_readings(tmp_path, seconds=10)
    assert time.monotonic() - started < 120
    assert capfd.readouterr() == ("", "")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert sorted({reading.path.partition("/")[0] for reading in found}) == names
    for reading in found:
        reading.text.decode()
        assert reading.status in ("", "unreadable", "too-large")


EXTREMES = [number.to_bytes(4, "little", signed=True) for number in (0, 1, -1, -(1 << 31), (1 << 31) - 1, 0xFFFF)]
TRIALS = 10_000


def _damaged(data: bytes, generator: random.Random) -> bytes:
    """Cut, overwritten, doubled, with bits turned, lengths made extreme, or a part put where another was."""
    at = generator.randrange(len(data))
    match generator.randrange(7):
        case 0:
            return data[:at]
        case 1:
            return data[at:]
        case 2:
            return data[:at] + generator.randbytes(16) + data[at + 16 :]
        case 3:
            return data[:at] + data[:at] + data[at:]
        case 4:
            turned = bytearray(data)
            for _ in range(generator.choice((1, 8, 64))):
                turned[generator.randrange(len(turned))] ^= 1 << generator.randrange(8)
            return bytes(turned)
        case 5:
            return data[:at] + generator.choice(EXTREMES) + data[at + 4 :]
        case _:
            source, size = generator.randrange(len(data)), generator.choice((1, 4, 512))
            return data[:at] + data[source : source + size] + data[at + size :]


def _write_damaged(folder: Path, originals: list[Path], times: int, seed: int) -> int:
    generator = random.Random(seed)
    for number, original in enumerate(originals * times):
        (folder / f"{number:05d}{original.suffix}").write_bytes(_damaged(original.read_bytes(), generator))
    return len(originals) * times


def _small_originals() -> list[Path]:
    files = sorted(path for path in collection("formats").glob("*/*") if 0 < path.stat().st_size < 60_000)
    assert files
    return files


def test_real_files_damaged_at_random(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    count = _write_damaged(tmp_path, _small_originals(), 1, SEED)
    found = all_readings(tmp_path, seconds=20)
    assert len({reading.path.partition("/")[0] for reading in found}) == count, f"seed {SEED}"
    assert capfd.readouterr() == ("", "")


@pytest.mark.soak
def test_real_files_damaged_at_random_for_long(tmp_path: Path) -> None:
    """Ten thousand trials: each has its reading, whose text is valid, and whose status is one of reading."""
    seed = int.from_bytes(os.urandom(4), "big")
    print(f"seed {seed}")
    originals = _small_originals()
    count = _write_damaged(tmp_path, originals, -(-TRIALS // len(originals)), seed)
    found = all_readings(tmp_path, seconds=20)
    assert len({reading.path.partition("/")[0] for reading in found}) == count >= TRIALS
    for reading in found:
        reading.text.decode()
        assert reading.status in ("", "unreadable", "unsearchable", "too-large")


def test_odd_but_valid_texts_come_through_whole(tmp_path: Path) -> None:
    odd = {
        "line.txt": b"word " * 10_000_000,
        "blank.txt": b"\n" * 1_000_000,
        "marks.txt": "\u202eabc\u202c \u200f\u061c\ufeff דגש\n".encode() * 1000,
        "nul.txt": b"some words\0and more words\n" * 1000,
        "emoji.md": "👩‍👩‍👧 e\u0301\u0301 🇩🇪\n".encode() * 1000,
    }
    for name, data in odd.items():
        (tmp_path / name).write_bytes(data)
    found = by_path(tmp_path)
    for name, data in odd.items():
        assert found[name].text == data, name


def test_lone_surrogates_in_any_form_give_valid_text(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe" + "a\ud800b\udfffc".encode("utf-16-le", "surrogatepass"))
    (tmp_path / "b.txt").write_bytes("a\ud800b".encode("utf-8", "surrogatepass") * 100)
    (tmp_path / "c.html").write_bytes(b"<p>a&#xD800;b&#xDFFF;c</p>")
    (tmp_path / "d.rtf").write_bytes(rb"{\rtf1 a\u-10240?b\u-10179?\u-8704?c}")
    (tmp_path / "e.docx").write_bytes(docx(paragraph("a&#xFFFD;b")))
    found = by_path(tmp_path)
    assert found["a.txt"].text.decode() == "a\ufffdb\ufffdc"
    assert found["c.html"].text.decode() == "a\ufffdb\ufffdc"
    assert found["d.rtf"].text.decode() == "a\ufffdb😀c"
    assert found["e.docx"].text.decode() == "a\ufffdb"
    assert found["b.txt"].text.decode() == "a\ufffdb" * 100


READ_42 = """
import sys, psutil
from truecopy.read import ReadSettings, discover, read
settings = ReadSettings(threads=2, max_unpacked=200_000_000)
statuses, peak = set(), 0
for batch in read(discover([sys.argv[1]], settings), settings):
    statuses |= {reading.status for reading in batch}
    peak = max(peak, psutil.Process().memory_info().rss)
print(",".join(sorted(statuses)), peak)
"""
"""In a process of its own: one that has held more before would never show a new peak."""


def test_a_nested_zip_bomb_ends_quickly_in_little_memory(tmp_path: Path) -> None:
    data = zipped({f"{number}.txt": b" " * 5_000_000 for number in range(16)})
    for _ in range(4):
        data = zipped({f"{number}.zip": data for number in range(16)})
    (tmp_path / "42.zip").write_bytes(data)
    started = time.monotonic()
    ran = subprocess.run([sys.executable, "-c", READ_42, str(tmp_path)], capture_output=True, text=True, check=True)
    assert time.monotonic() - started < 60
    statuses, peak = ran.stdout.split()
    assert "too-large" in statuses.split(",")
    assert int(peak) < 600_000_000


def test_an_xml_bomb_ends(tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10 if level else "ha" * 10}">' for level in range(12))
    bomb = f"<!DOCTYPE d [{entities}]><d><p><t>&e11;</t></p></d>".encode()
    parts = {"[Content_Types].xml": b"<Types/>", "word/document.xml": bomb}
    (tmp_path / "a.docx").write_bytes(zipped(parts))
    (reading,) = all_readings(tmp_path, seconds=20)
    assert reading.status == "unreadable"
