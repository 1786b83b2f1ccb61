"""The real sound, damaged, encrypted and hostile files of the collection `formats`."""

from __future__ import annotations

import csv

import pytest
from read_helpers import all_readings

from collections_data import collection
from truecopy.model import Reading


@pytest.fixture(scope="module")
def found() -> dict[str, Reading]:
    return {reading.path: reading for reading in all_readings(collection("formats"))}


def test_every_file_ends_in_a_reading_and_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    folder = collection("formats")
    listed = all_readings(folder)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
    with open(folder / "manifest.csv", newline="", encoding="utf-8") as manifest:
        files = [row["path"] for row in csv.DictReader(manifest)]
    assert len(files) == 155
    for file in files:
        assert any(reading.path == file or reading.path.startswith(file + "/") for reading in listed), file
    for reading in listed:
        assert reading.status in ("", "unreadable", "too-large", "unsearchable"), reading.path
        assert bool(reading.reason) or (reading.status == "" and reading.text), reading.path
        assert not (reading.status and reading.text), reading.path
        reading.text.decode()
        reading.path.encode()


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("doc/tika_testWORD_protected_passtika.doc", "password-protected DOC"),
        ("docx/tika_testWORD_protected_passtika.docx", "password-protected DOCX"),
        ("docx/tika_testWORD_truncated.docx", "not a valid DOCX: the archive is cut off"),
        ("odt/tika_testODTEncrypted.odt", "password-protected ODT"),
        ("pdf/tika_testUnicodePassword.pdf", "password-protected PDF"),
        ("pptx/tika_testPPT_protected_passtika.pptx", "password-protected PPTX"),
        ("xlsx/tika_testEXCEL_protected_passtika.xlsx", "password-protected XLSX"),
        ("wpd/tika_testWordPerfect.wpd", "a WordPerfect document: no reader for it"),
        ("zip/tika_testZIP_corrupted_oom.zip", "not a valid ZIP: it is damaged or cut off"),
        ("zip/tika_testZipEncrypted.zip/encrypted.txt", "password-protected in its ZIP"),
    ],
)
def test_what_cannot_be_read_says_why(found: dict[str, Reading], path: str, reason: str) -> None:
    assert (found[path].status, found[path].reason) == ("unreadable", reason)


def test_scans_without_text_layer_are_unsearchable_and_say_so(found: dict[str, Reading]) -> None:
    reading = found["pdf/markitdown_pdf_scanned_meeting_minutes.pdf"]
    assert (reading.status, reading.text) == ("unsearchable", b"")
    assert reading.reason == reading.hidden == "its page is a picture; OCR is off"


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("csv/markitdown_test_mskanji.csv", "佐藤太郎"),
        ("doc/tika_testWORD6.doc", "The quick brown fox jumps over the lazy dog"),
        ("doc/tika_testWORD_various.doc", "This is a hyperlink"),
        ("doc/tika_testWORD_various.doc", "This is a footnote."),
        ("doc/tika_testWORD_various.doc", "This is the header text."),
        ("doc/tika_testWORD_various.doc", "𐌲𐌿𐍄𐌹𐍃𐌺"),
        ("doc/tika_testWORD_numbered_list.doc", "I’m a little text box"),
        ("docx/tika_footnotes.docx", "snoska"),
        ("docx/tika_testWORD_various.docx", "This is the header text."),
        ("docx/tika_testWORD_various.docx", "Footnote appears here"),
        ("html/tika_testArabicMisleadingCharset.html", "حكيم"),
        ("html/tika_testHTML_charset_utf16le.html", "This is a sample text"),
        ("mbox/tika_simple.mbox/000002.eml", "Test content 2"),
        ("msg/tika_testMSG_att_doc.msg/pj1.txt", "école"),
        ("odt/tika_testFooter.odt", "footer"),
        ("odt/tika_testODFwithOOo3.odt", "This is a rather difficult test document"),
        ("rtf/tika_testRTFJapanese.rtf", "古書店で処刑記録見つかる"),
        ("rtf/tika_testRTFWord2010CzechCharacters.rtf", "Část svitku"),
        ("zip/tika_testZipEntryNameCharsetShiftSJIS.zip/文章1.txt", "あいうえお"),
        ("zip/tika_test-zip-of-zip.zip/html-within-zip.zip/text.html", "This is just some text."),
    ],
)
def test_words_that_must_be_there(found: dict[str, Reading], path: str, words: str) -> None:
    assert words.lower() in found[path].text.decode().lower()


def test_the_codes_behind_fields_are_no_words(found: dict[str, Reading]) -> None:
    for path in ("doc/tika_testWORD_various.doc", "rtf/tika_testRTFVarious.rtf", "docx/tika_testWORD_various.docx"):
        assert b"HYPERLINK" not in found[path].text
        assert b"SEQ" not in found[path].text


def test_the_same_document_in_three_formats_has_the_same_words(found: dict[str, Reading]) -> None:
    paths = ("doc/tika_testWORD_various.doc", "docx/tika_testWORD_various.docx", "rtf/tika_testRTFVarious.rtf")
    bags = [sorted(found[path].text.decode().split()) for path in paths]
    common = set(bags[0]) & set(bags[1]) & set(bags[2])
    assert all(len(set(bag) - common) <= 3 for bag in bags), [set(bag) - common for bag in bags]


def test_dates_come_from_the_documents(found: dict[str, Reading]) -> None:
    assert found["doc/tika_testWORD.doc"].date == "2010-11-12T16:22:00Z"
    assert found["docx/tika_testWORD.docx"].date == "2010-11-12T16:21:00Z"
    assert found["pdf/tika_testPDF.pdf"].date == "2007-09-15T11:02:31Z"
    assert found["msg/tika_testMSG.msg"].date == "2009-01-29T19:16:40Z"
    assert found["eml/tika_testRFC822_dkim.eml"].date == "2003-07-12T04:00:37Z"
    assert found["csv/markitdown_test_mskanji.csv"].date == ""


def test_one_and_two_threads_read_the_same() -> None:
    folder = collection("formats")
    assert all_readings(folder, threads=1) == all_readings(folder, threads=2)


def test_attachments_are_the_same_bytes_alone_and_in_a_mail(found: dict[str, Reading]) -> None:
    inside = found["eml/tika_test-incremental-updates.eml/testPDF_incrementalUpdates.pdf"]
    alone = found["pdf/tika_testPDF_incrementalUpdates.pdf"]
    assert (inside.sha256, inside.text) == (alone.sha256, alone.text)
    assert inside.parent == "eml/tika_test-incremental-updates.eml"
