"""OCR: scans and pictures are really read where an engine is installed; where none is, that is said in time."""

from __future__ import annotations

import struct
import sys
import zlib
from pathlib import Path

import pytest
from office_helpers import docx_with, picture, png
from pdf_helpers import BLANK, PICTURE, pdf, png_page, text_page
from read_helpers import all_readings, by_path, paragraph

import truecopy as tc
from truecopy.cli.checks import check_machine
from truecopy.errors import MissingExtra, UsageError
from truecopy.read import ocr
from truecopy.read.pages import page_pictures
from truecopy.read.pictures import frames, size_of, type_of

SAMPLE = ocr.SAMPLE.read_bytes()
SAYS = "LEASE 1847"
needs_engine = pytest.mark.skipif(ocr.find() is None, reason="no OCR engine on this machine")
WORDS = "This lease is made between the parties named below"


@pytest.fixture
def no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without language files."""
    (tmp_path / "tessdata").mkdir()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path / "tessdata"))


def tiff(*pngs: bytes) -> bytes:
    """A TIFF whose pages are black and white PNG pictures."""
    out = bytearray(b"II*\0\0\0\0\0")
    link = 4
    for each in pngs:
        width, height = struct.unpack(">II", each[16:24])
        start = each.index(b"IDAT")
        rows = zlib.decompress(each[start + 4 : start + 4 + int.from_bytes(each[start - 4 : start], "big")])
        stride = (width + 7) // 8 + 1
        dots = b"".join(rows[at + 1 : at + stride] for at in range(0, len(rows), stride))
        strip = len(out)
        out += dots + b"\0" * (len(dots) % 2)
        out[link : link + 4] = struct.pack("<I", len(out))
        # Width, height, bits, no compression, black is zero, the strip, one sample, rows in it, bytes in it.
        tags = {256: width, 257: height, 258: 1, 259: 1, 262: 1, 273: strip, 277: 1, 278: height, 279: len(dots)}
        out += struct.pack("<H", len(tags))
        out += b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags.items())
        link = len(out)
        out += b"\0\0\0\0"
    return bytes(out)


@needs_engine
def test_pictures_and_scanned_pages_are_read_in_their_places(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(SAMPLE)
    (tmp_path / "b.pdf").write_bytes(pdf(png_page(SAMPLE)))
    (tmp_path / "c.pdf").write_bytes(pdf(text_page(WORDS), png_page(SAMPLE), BLANK, text_page("The end")))
    (tmp_path / "d.docx").write_bytes(
        docx_with(
            picture(16, 20) + f"</w:r></w:p>{paragraph(WORDS)}<w:p><w:r>",
            {"word/media/image1.png": SAMPLE},
            r1="media/image1.png",
        )
    )
    (tmp_path / "e.tif").write_bytes(tiff(SAMPLE, SAMPLE))
    found = by_path(tmp_path, ocr=True)
    assert {path: " ".join(reading.text.decode().split()) for path, reading in found.items()} == {
        "a.png": SAYS,
        "b.pdf": SAYS,
        "c.pdf": f"{WORDS} {SAYS} The end",
        "d.docx": f"{WORDS} {SAYS}",
        "e.tif": f"{SAYS} {SAYS}",
    }
    assert {path: reading.reason for path, reading in found.items()} == {
        "a.png": "read by OCR",
        "b.pdf": "page 1 read by OCR",
        "c.pdf": "page 2 read by OCR",
        "d.docx": "a picture read by OCR",
        "e.tif": "pages 1 and 2 read by OCR",
    }
    assert {reading.status for reading in found.values()} == {""}


@needs_engine
def test_what_ocr_cannot_read_says_so(tmp_path: Path) -> None:
    (tmp_path / "pattern.png").write_bytes(png(400, 400))
    (tmp_path / "broken.png").write_bytes(SAMPLE[:60] + bytes(300))
    (tmp_path / "photo.heic").write_bytes(b"\0\0\0\x18ftypheic\0\0\0\0")
    (tmp_path / "pages.pdf").write_bytes(pdf(text_page(WORDS), PICTURE))
    found = by_path(tmp_path, ocr=True)
    assert {path: (reading.status, reading.reason) for path, reading in found.items()} == {
        "pattern.png": ("unsearchable", "a picture; OCR found no text"),
        "broken.png": ("unsearchable", "a picture; OCR failed"),
        "photo.heic": ("unsearchable", "a picture; OCR failed"),
        "pages.pdf": ("", "OCR found no text on page 2"),
    }


@needs_engine
def test_a_page_on_its_side_is_read(tmp_path: Path) -> None:
    lines = [b"Clause %d of the agreement binds the tenant" % number for number in range(20)]
    turned = b"".join(b"0 1 -1 0 %d 100 Tm (%s) Tj " % (100 + 20 * at, line) for at, line in enumerate(lines))
    drawn = page_pictures(pdf(("text", b") Tj " + turned + b" (")), [1])[1]
    (tmp_path / "a.png").write_bytes(drawn)
    (reading,) = all_readings(tmp_path, ocr=True)
    assert reading.text.decode().count("of the agreement binds the tenant") >= 18


@pytest.mark.usefixtures("no_engine")
def test_without_an_engine_pictures_say_that_none_is_installed(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(SAMPLE)
    (reading,) = all_readings(tmp_path / "a.png", ocr=True)
    assert (reading.status, reading.reason) == ("unsearchable", "a picture; OCR is not installed")


@pytest.mark.usefixtures("no_engine")
def test_ocr_without_an_engine_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(SAMPLE)
    with pytest.raises(MissingExtra, match="no OCR engine") as raised:
        tc.scan(tmp_path / "a.png", tmp_path / "matter", ocr=True, report=False)
    assert ocr.install() in raised.value.hint
    assert not (tmp_path / "matter").exists()
    made = tc.create(tmp_path / "other")
    with pytest.raises(MissingExtra):
        made.add(tmp_path / "a.png", ocr=True)
    assert made.waves() == []


@needs_engine
def test_nothing_that_ocr_has_read_is_left_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("home", "cache", "temporary", "data"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    (tmp_path / "data" / "a.png").write_bytes(SAMPLE)
    (tmp_path / "data" / "b.pdf").write_bytes(pdf(png_page(SAMPLE)))
    assert all(SAYS in reading.text.decode() for reading in all_readings(tmp_path / "data", ocr=True))
    left = {path.name for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "data"}
    assert left <= {"libpdfium.so", "libpdfium.dylib", "pdfium.dll"}  # kreuzberg's own library, unpacked


@needs_engine
def test_languages_are_those_that_are_installed_or_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = ocr.find()
    assert here is not None
    for name in ("deu", "eng", "fra", "osd"):
        (tmp_path / f"{name}.traineddata").write_bytes(b"x")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    few = ocr.find()
    assert few is not None
    assert (few.installed, few.languages) == (("deu", "eng", "fra"), ("eng", "deu", "fra"))
    monkeypatch.setenv(ocr.LANGUAGES, "fra+deu")
    asked = ocr.find()
    assert asked is not None
    assert asked.languages == ("fra", "deu")
    monkeypatch.setenv(ocr.LANGUAGES, "ita")
    with pytest.raises(UsageError, match="asks for ita, but installed are: deu, eng, fra"):
        ocr.require()
    monkeypatch.delenv(ocr.LANGUAGES)
    for name in ("ita", "spa"):
        (tmp_path / f"{name}.traineddata").write_bytes(b"x")
    many = ocr.find()
    assert many is not None
    assert many.languages == ("eng",)


@needs_engine
def test_doctor_recognizes_a_picture_and_names_engine_and_languages(tmp_path: Path) -> None:
    (check,) = [check for check in check_machine(tmp_path) if check.name == "OCR"]
    assert check.state == "ok"
    assert check.value.startswith("Tesseract")
    assert "languages: eng" in check.value
    assert check.value.endswith("a test picture was recognized")


@pytest.mark.usefixtures("no_engine")
def test_doctor_names_the_command_that_installs_an_engine(tmp_path: Path) -> None:
    (check,) = [check for check in check_machine(tmp_path) if check.name == "OCR"]
    assert (check.state, check.value) == ("note", "not installed")
    assert check.hint.endswith(ocr.install())


def test_an_engine_that_does_not_work_is_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "eng.traineddata").write_bytes(b"no language")
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    (check,) = [check for check in check_machine(tmp_path) if check.name == "OCR"]
    assert check.state == "note"
    assert "does not recognize the text of a test picture" in check.value
    with pytest.raises(MissingExtra, match="does not work"):
        ocr.require()


@pytest.mark.parametrize(
    ("platform", "command"),
    [("win32", "winget install"), ("darwin", "brew install tesseract"), ("linux", "tesseract")],
)
def test_the_install_command_is_the_system_s_own(monkeypatch: pytest.MonkeyPatch, platform: str, command: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert command in ocr.install()


def test_sizes_and_pages_of_pictures_are_known_without_drawing_them() -> None:
    jpeg = b"\xff\xd8\xff\xe0\0\x04xx\xff\xff\xc2\0\x0b\x08\0\x14\0\x1e\x01\x01\x11\0"
    two_pages = tiff(SAMPLE, SAMPLE)
    assert (type_of(SAMPLE), size_of(SAMPLE)) == ("PNG", (250, 56))
    assert (type_of(jpeg), size_of(jpeg)) == ("JPEG", (30, 20))
    assert (type_of(two_pages), size_of(two_pages), len(frames(two_pages))) == ("TIFF", (250, 56), 2)
    assert size_of(b"GIF89a\x0a\0\x14\0") == (10, 20)
    assert size_of(b"BM" + bytes(12) + b"\x28\0\0\0\x05\0\0\0\xfb\xff\xff\xff\0") == (5, 5)
    assert size_of(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x09\0\0\x13\0\0") == (10, 20)
    assert type_of(b"BMW and the tenant agree as follows.\n") == ""


def test_a_chain_of_pages_that_loops_ends() -> None:
    looping = tiff(SAMPLE)
    start = struct.unpack("<I", looping[4:8])[0]
    assert frames(looping[:-4] + struct.pack("<I", start)) == [start]
