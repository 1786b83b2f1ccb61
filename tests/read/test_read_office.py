"""DOCX, ODT and ODP: every word of the document, nothing that was deleted from it."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from read_helpers import all_readings, by_path, docx, paragraph, zipped

OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
STYLE = "urn:oasis:names:tc:opendocument:xmlns:style:1.0"


def odf(kind: str, body: str, styles: str = "", meta: str = "") -> bytes:
    spaces = f'xmlns:office="{OFFICE}" xmlns:text="{TEXT}" xmlns:style="{STYLE}"'
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": f"<office:document {spaces}>{body}</office:document>".encode(),
            "styles.xml": f"<office:styles {spaces}>{styles}</office:styles>".encode(),
            "meta.xml": f"<meta {spaces} xmlns:dc='dc'>{meta}</meta>".encode(),
        }
    )


def test_docx_reads_as_with_all_changes_accepted(tmp_path: Path) -> None:
    body = (
        "<w:p><w:r><w:t>The rent is </w:t></w:r>"
        "<w:del><w:r><w:delText>ten</w:delText><w:t>ten</w:t></w:r></w:del>"
        "<w:ins><w:r><w:t>twelve</w:t></w:r></w:ins><w:r><w:t xml:space='preserve'> pounds</w:t>"
        "<w:tab/><w:t>net</w:t><w:br/><w:t>monthly</w:t></w:r></w:p>"
        f"<w:tbl><w:tr><w:tc>{paragraph('left')}</w:tc><w:tc>{paragraph('right')}</w:tc></w:tr></w:tbl>"
    )
    (tmp_path / "a.docx").write_bytes(docx(body))
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode() == "The rent is twelve pounds\tnet\nmonthly\nleft\nright"


def test_docx_has_its_notes_headers_and_footers_each_once(tmp_path: Path) -> None:
    data = docx(
        paragraph("Body"),
        header1=paragraph("Page head"),
        header2=paragraph("Page head"),
        footnotes=paragraph("A footnote"),
        endnotes=paragraph("An endnote"),
        footer1=paragraph("Page foot"),
        comments=paragraph("A comment"),
    )
    (tmp_path / "a.docx").write_bytes(data)
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode().split("\n") == ["Page head", "Body", "A footnote", "An endnote", "Page foot"]


def test_a_text_box_is_read_once(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph('Boxed')}</w:txbxContent>"
    body = f"<w:p><w:r><w:t>Before</w:t><w:x><Choice>{box}</Choice><Fallback>{box}</Fallback></w:x></w:r></w:p>"
    (tmp_path / "a.docx").write_bytes(docx(body))
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode().split() == ["Before", "Boxed"]


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ('<w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox>', "\u2612"),
        ('<w:checkBox><w:default w:val="0"/><w:checked w:val="0"/></w:checkBox>', "\u2610"),
        ('<w:checkBox><w:default w:val="1"/></w:checkBox>', "\u2612"),
        ('<w:ddList><w:result w:val="1"/><w:listEntry w:val="month"/><w:listEntry w:val="week"/></w:ddList>', "week"),
        ('<w:ddList><w:listEntry w:val="month"/></w:ddList>', "month"),
        ('<w:ddList><w:result w:val="9"/></w:ddList>', ""),
    ],
)
def test_a_form_reads_as_it_was_filled_in(tmp_path: Path, field: str, text: str) -> None:
    run = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{field}</w:ffData></w:fldChar></w:r>'
    (tmp_path / "a.docx").write_bytes(docx(f"<w:p>{run}<w:r><w:t> is the answer here</w:t></w:r></w:p>"))
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode().strip() == f"{text} is the answer here".strip()


def test_a_character_of_a_symbol_font_is_kept(tmp_path: Path) -> None:
    sym = '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:sym w:font="x" w:char="zz"/><w:t> yes</w:t></w:r>'
    (tmp_path / "a.docx").write_bytes(docx(f"<w:p>{sym}</w:p>"))
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode().strip() == "\uf0fe yes"


def test_deeply_nested_tables_do_not_matter(tmp_path: Path) -> None:
    body = "<w:tbl>" * 20_000 + paragraph("bottom") + "</w:tbl>" * 20_000
    (tmp_path / "a.docx").write_bytes(docx(body))
    (reading,) = all_readings(tmp_path)
    assert (reading.status, reading.text) == ("", b"bottom")


def test_what_is_wrong_with_an_office_file_is_said(tmp_path: Path) -> None:
    whole = docx(paragraph("words " * 2000))
    (tmp_path / "cut.docx").write_bytes(whole[:-50])
    (tmp_path / "noise.docx").write_bytes(bytes(range(256)) * 4)
    (tmp_path / "badxml.docx").write_bytes(docx("<w:p>"))
    (tmp_path / "none.docx").write_bytes(docx(""))
    (tmp_path / "locked.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"))
    found = by_path(tmp_path)
    assert {path: (reading.status, reading.reason) for path, reading in found.items()} == {
        "badxml.docx": ("unreadable", "not a valid DOCX: a part of it is missing or damaged"),
        "cut.docx": ("unreadable", "not a valid DOCX: the archive is cut off"),
        "locked.docx": ("unreadable", "password-protected DOCX"),
        "noise.docx": ("unreadable", "not a valid DOCX: something else under its name"),
        "none.docx": ("", "no text in it"),
    }


def test_odt_has_notes_after_the_text_and_no_deleted_text(tmp_path: Path) -> None:
    body = (
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        "<text:h>Title</text:h>"
        "<text:p>One<text:s text:c='3'/>two<text:tab/><text:span>three</text:span> four"
        "<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>The note</text:p>"
        "</text:note-body></text:note> five"
        "<office:annotation><text:p>comment</text:p></office:annotation> six"
        "</text:p>"
    )
    styles = "<style:master-page><style:footer><text:p>Foot</text:p></style:footer></style:master-page>"
    meta = "<dc:date>2013-01-24T17:08:06.49</dc:date>"
    (tmp_path / "a.odt").write_bytes(odf("text", body, styles, meta))
    (tmp_path / "b.odp").write_bytes(odf("presentation", "<text:p>Slide</text:p>"))
    found = by_path(tmp_path)
    assert found["a.odt"].text.decode().split("\n") == [
        "Title",
        "One   two\tthree four five six",
        "The note",
        "Foot",
    ]
    assert found["a.odt"].date == "2013-01-24T17:08:06"
    assert found["b.odp"].text == b"Slide"


def test_the_date_is_when_the_document_says_it_was_changed(tmp_path: Path) -> None:
    core = (
        b"<p xmlns:d='d'><d:created>2019-01-01T00:00:00Z</d:created>"
        b"<d:modified>2020-05-05T10:00:00+02:00</d:modified></p>"
    )
    whole = docx(paragraph("x"))
    parts = {"[Content_Types].xml": b"<Types/>", "docProps/core.xml": core}
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts["word/document.xml"] = archive.read("word/document.xml")
    (tmp_path / "a.docx").write_bytes(zipped(parts))
    (reading,) = all_readings(tmp_path)
    assert reading.date == "2020-05-05T08:00:00Z"
