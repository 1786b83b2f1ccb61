"""The files: every format gives back the words that were put in, to readers that know nothing of us."""

from __future__ import annotations

import email
import email.policy
import io
import xml.etree.ElementTree as ET
import zipfile

import kreuzberg
import pytest
from demo_measures import DOCX, extracted, words
from hypothesis import given
from hypothesis import strategies as st

from truecopy.demo.agreements import AGREEMENTS
from truecopy.demo.dataroom import furnished
from truecopy.demo.families import open_case
from truecopy.demo.paper import Paper, Paragraph, fill
from truecopy.demo.room import DataRoom
from truecopy.demo.write.docx import docx
from truecopy.demo.write.eml import Message, eml
from truecopy.demo.write.pdf import _lzw, pdf
from truecopy.demo.write.plain import plain


@pytest.mark.parametrize("kind", AGREEMENTS, ids=lambda kind: kind.name)
def test_word_pdf_and_plain_text_have_the_same_words(kind):
    """One agreement of each kind, in all formats, as kreuzberg reads them."""
    case = open_case(DataRoom(11), AGREEMENTS.index(kind), kind)
    paper = fill(case.form, case.facts)
    expected = words(" ".join(paper.lines()))
    assert len(expected) > 1000
    for name, content in (
        ("a.docx", docx(paper)),
        ("a.pdf", pdf(paper)),
        ("a.txt", plain(paper)),
        ("wrapped.txt", plain(paper, 60)),
    ):
        assert words(extracted(name, content)) == expected, name


def unpacked(data: bytes) -> bytes:
    """LZW as ISO 32000 describes it, from the reader's side: it shares nothing with the writer."""
    bits = "".join(f"{value:08b}" for value in data)
    position, width = 0, 9
    table = {code: bytes((code,)) for code in range(256)}
    free, before, result = 258, b"", b""
    while True:
        code = int(bits[position : position + width], 2)
        position += width
        if code == 257:
            return result
        if code == 256:
            table = {code: bytes((code,)) for code in range(256)}
            free, before, width = 258, b"", 9
            continue
        now = table[code] if code in table else before + before[:1]
        if before:
            table[free] = before + now[:1]
            free += 1
        result, before = result + now, now
        width = 9 if free < 511 else 10 if free < 1023 else 11 if free < 2047 else 12


@given(st.binary(max_size=3000))
def test_lzw_gives_back_what_was_packed(data):
    """Any bytes."""
    assert unpacked(_lzw(data)) == data


@pytest.mark.parametrize("size", [0, 1, 253, 254, 255, 256, 765, 766, 767, 768, 3836, 3837, 3838, 3839, 20_000])
def test_lzw_is_right_where_codes_grow_and_the_table_starts_anew(size):
    """Bytes of which hardly a pair repeats fill the table as fast as can be."""
    state, data = 1, bytearray()
    for _ in range(size):
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        data.append(state >> 56)
    assert unpacked(_lzw(bytes(data))) == bytes(data)


def test_a_word_document_is_well_formed_and_carries_its_date():
    """Every part is XML, signs with a meaning in XML survive, and nothing tells when or where it was made."""
    paper = Paper(
        "A & B <draft>", (Paragraph("title", "A & B <draft>"), Paragraph("item", "“x” > y", "(a)")), "2020-02-29"
    )
    content = docx(paper)
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        for entry in package.infolist():
            ET.fromstring(package.read(entry))
            assert entry.compress_type == zipfile.ZIP_STORED
            assert entry.date_time == (1980, 1, 1, 0, 0, 0)
        body = ET.fromstring(package.read("word/document.xml"))
        assert b"2020-02-29T09:00:00Z" in package.read("docProps/core.xml")
    assert "".join(body.itertext()) == "A & B <draft>(a) “x” > y"


def test_a_pdf_has_several_pages_within_its_margins_and_points_to_its_objects():
    """Long texts go on; offsets of the cross-reference table are those of the objects."""
    paper = Paper("Long", tuple(Paragraph("clause", "word " * 120) for _ in range(40)), "2020-02-29")
    content = pdf(paper)
    pages = kreuzberg.extract_bytes_sync(content, "application/pdf").metadata["page_count"]
    assert pages > 5
    start = int(content.rpartition(b"startxref\n")[2].split()[0])
    assert content[start : start + 4] == b"xref"
    rows = content[start:].split(b"\n")[3:]
    for number, row in enumerate(row for row in rows if row.endswith(b" n ")):
        offset = int(row.split()[0])
        assert content[offset:].startswith(b"%d 0 obj" % (number + 1))


def test_a_pdf_refuses_what_its_fonts_cannot_show():
    """Japanese goes into docx and txt."""
    with pytest.raises(UnicodeEncodeError):
        pdf(Paper("x", (Paragraph("plain", "契約"),), "2020-02-29"))


def test_a_pdf_escapes_brackets_and_backslashes():
    """They have a meaning in PDF."""
    text = "(a) ((b) c\\d) £ € “é”"
    assert extracted("a.pdf", pdf(Paper("t", (Paragraph("plain", text),), "2020-02-29"))).strip() == text


def test_an_email_reads_back_with_its_attachments():
    """Header, body with long lines and signs outside ASCII, attachments byte for byte."""
    body = "Dear Zoë,\n\n" + "a long line = here " * 20 + "\n\n> quoted\nFrom me"
    message = Message("A B <a@x.example>", "C D <c@y.example>", "Draft", "Mon, 04 Mar 2024 10:00:00 +0000", body)
    files = {"draft one.docx": bytes(range(256)) * 9, "note.txt": b"note"}
    read = email.message_from_bytes(eml(message, files), policy=email.policy.default)
    part = read.get_body(("plain",))
    assert part is not None
    assert part.get_content().replace("\r\n", "\n").rstrip("\n") == body
    assert {item.get_filename(): item.get_payload(decode=True) for item in read.iter_attachments()} == files
    assert (read["From"], read["To"], read["Subject"]) == ("A B <a@x.example>", "C D <c@y.example>", "Draft")
    assert read.defects == []


def test_replies_name_the_message_that_they_answer():
    """In-Reply-To is the Message-ID of the mail before."""
    mails = [
        email.message_from_bytes(entry.content, policy=email.policy.default)
        for entry in furnished(60, 7).entries
        if entry.path.endswith(".eml") and entry.content
    ]
    assert len(mails) == 3
    assert [mail["In-Reply-To"] for mail in mails] == [None, mails[0]["Message-ID"], mails[1]["Message-ID"]]


def test_damaged_and_locked_files_cannot_be_read():
    """Both raise in a reader, as they should."""
    entries = [entry for entry in furnished(50, 7).entries if entry.status == "unreadable"]
    assert {entry.path.rpartition(".")[2] for entry in entries} == {"docx", "pdf"}
    for entry in entries:
        media = "application/pdf" if entry.path.endswith(".pdf") else DOCX
        with pytest.raises(kreuzberg.KreuzbergError):
            kreuzberg.extract_bytes_sync(entry.content or b"", media)
