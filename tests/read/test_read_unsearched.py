"""What was not searched says so: every file of these has the status and the reason that a person would give it."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from office_helpers import SPACES, docx_with, picture, png, pptx, relations, shape, xlsx
from pdf_helpers import BLANK, DRAWING, PICTURE, pdf, text_page
from read_helpers import all_readings, by_path, docx, paragraph, zipped

from collections_data import collection
from truecopy.read.pages import is_blank
from truecopy.read.unsearched import page_list

WORDS = "This lease is made between the parties named below"
OFFICE = "urn:oasis:names:tc:opendocument:xmlns"
MEDIA = {"word/media/image1.png": png()}


def status_of(folder: Path, name: str, data: bytes) -> tuple[str, str]:
    """The status and reason of one file, as `read` gives them."""
    (folder / name).write_bytes(data)
    (reading,) = all_readings(folder / name)
    assert not (reading.status and reading.text)
    assert reading.status != "unsearchable" or reading.hidden == reading.reason
    return reading.status, reading.reason


def odf(kind: str, body: str, parts: dict[str, bytes] | None = None, styles: str = "") -> bytes:
    spaces = " ".join(f'xmlns:{name}="{OFFICE}:{name}:1.0"' for name in ("office", "text", "draw", "style", "table"))
    spaces += f' xmlns:svg="{OFFICE}:svg" xmlns:xlink="x" xmlns:presentation="{OFFICE}:presentation:1.0"'
    return zipped(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": f"<office:document {spaces}><office:body>{body}</office:body></office:document>".encode(),
            "styles.xml": f"<office:styles {spaces}>{styles}</office:styles>".encode(),
            **(parts or {}),
        }
    )


@pytest.mark.parametrize(
    ("pages", "status", "reason"),
    [
        ([BLANK], "", "no text in it"),
        ([BLANK, BLANK], "", "no text in it"),
        ([PICTURE], "unsearchable", "its page is a picture; OCR is off"),
        ([PICTURE] * 3, "unsearchable", "no text on its 3 pages, only pictures; OCR is off"),
        ([DRAWING], "unsearchable", "its page is a picture; OCR is off"),
        ([BLANK, DRAWING, BLANK], "unsearchable", "page 2 is a picture, the others are blank; OCR is off"),
        ([text_page(WORDS)], "", ""),
        ([text_page(WORDS), BLANK], "", ""),
        ([text_page(WORDS)] + [PICTURE] * 8, "", "pages 2 to 9 are pictures; OCR is off"),
        ([text_page(WORDS), PICTURE, BLANK, DRAWING, text_page(WORDS)], "", "pages 2 and 4 are pictures; OCR is off"),
    ],
)
def test_pages_of_a_pdf_that_were_not_searched_are_named(
    tmp_path: Path, pages: list[tuple[str, bytes]], status: str, reason: str
) -> None:
    assert status_of(tmp_path, "a.pdf", pdf(*pages)) == (status, reason)


def test_a_scan_with_a_stamp_on_it_is_still_a_scan(tmp_path: Path) -> None:
    stamp = ("stamped", b"")
    assert status_of(tmp_path, "a.pdf", pdf(text_page(WORDS * 3), stamp, stamp)) == (
        "",
        "pages 2 and 3 are pictures; OCR is off",
    )
    # A few words beside a small picture are a page with few words.
    assert status_of(tmp_path, "b.pdf", pdf(text_page(WORDS * 3), ("letterhead", b""))) == ("", "")


def test_attached_files_of_a_pdf_are_named(tmp_path: Path) -> None:
    data = pdf(text_page(WORDS)).replace(b"%%EOF", b"9 0 obj\n<</Params<</Size 5/CheckSum(x)>>/Length 0>>\n%%EOF")
    assert status_of(tmp_path, "a.pdf", data) == ("", "not searched: an attached file")


@pytest.mark.parametrize(
    ("name", "data", "status", "reason"),
    [
        ("blank.docx", docx(paragraph("")), "", "no text in it"),
        ("dashes.docx", docx(paragraph("--- * ---")), "", "no text in it"),
        (
            "picture.docx",
            docx_with(picture(16, 20), MEDIA, r1="media/image1.png"),
            "unsearchable",
            "nothing in it but a picture; OCR is off",
        ),
        (
            "embedded.docx",
            docx_with("<w:object/>", {"word/embeddings/a.bin": b"x", "word/embeddings/b.xlsx": b"x"}),
            "unsearchable",
            "nothing in it but 2 embedded files, and no text",
        ),
        (
            "line.docx",
            docx_with('<w:pict><v:line xmlns:v="v"/></w:pict>', {}),
            "unsearchable",
            "nothing in it but drawings, and no text",
        ),
        (
            "page-and-words.docx",
            docx_with(f"<w:t>{WORDS}</w:t>" + picture(16, 20), MEDIA, r1="media/image1.png"),
            "",
            "not searched: a picture (OCR is off)",
        ),
        (
            "logo-and-words.docx",
            docx_with(f"<w:t>{WORDS}</w:t>" + picture(3, 2), MEDIA, r1="media/image1.png"),
            "",
            "",
        ),
        ("blank.pptx", pptx(shape("", placeholder=True)), "", "no text in it"),
        (
            "picture.pptx",
            pptx(picture(20, 15), {"ppt/media/image1.png": png()}, r1="../media/image1.png"),
            "unsearchable",
            "nothing in it but a picture; OCR is off",
        ),
        ("line.pptx", pptx("<p:cxnSp/>"), "unsearchable", "nothing in it but drawings, and no text"),
        ("blank.xlsx", xlsx(), "", "no text in it"),
        (
            "formulas.xlsx",
            xlsx('<row r="1"><c r="A1"><f>SUM(B1:B9)</f></c></row>'),
            "unsearchable",
            "nothing in it but formulas without stored results, and no text",
        ),
        (
            "picture.xlsx",
            xlsx(
                parts={
                    "xl/drawings/drawing1.xml": f'<x:wsDr xmlns:x="x" {SPACES}>{picture(9, 9)}</x:wsDr>'.encode(),
                    "xl/drawings/_rels/drawing1.xml.rels": relations(r1="../media/image1.png"),
                    "xl/media/image1.png": png(),
                }
            ),
            "unsearchable",
            "nothing in it but a picture; OCR is off",
        ),
        ("blank.odt", odf("text", "<text:p/>"), "", "no text in it"),
        (
            "picture.odt",
            odf(
                "text",
                '<text:p><draw:frame svg:width="16cm" svg:height="20cm"><draw:image xlink:href="Pictures/a.png"/>'
                "</draw:frame></text:p>",
                {"Pictures/a.png": png()},
            ),
            "unsearchable",
            "nothing in it but a picture; OCR is off",
        ),
        ("lines.odp", odf("presentation", "<draw:page><draw:line/></draw:page>"), "unsearchable", None),
        ("blank.rtf", b"{\\rtf1\\ansi\\par}", "", "no text in it"),
        (
            "picture.rtf",
            b"{\\rtf1{\\*\\shppict{\\pict\\pngblip 8950}}{\\nonshppict{\\pict\\wmetafile8 0100}}\\par}",
            "unsearchable",
            "nothing in it but a picture, and no text",
        ),
        (
            "object.rtf",
            b"{\\rtf1{\\object\\objemb{\\*\\objdata 0105}{\\result{\\pict 0100}}}}",
            "unsearchable",
            "nothing in it but a picture and an embedded file, and no text",
        ),
        ("blank.html", b"<html><body><p> &nbsp; </p></body></html>", "", "no text in it"),
        (
            "picture.html",
            b"<html><body><img src='scan.jpg'></body></html>",
            "unsearchable",
            "nothing in it but pictures, and no text",
        ),
        (
            "script.html",
            b"<html><body><div id=root></div><script src=app.js></script></body></html>",
            "unsearchable",
            "nothing in it but what a script makes of it, and no text",
        ),
        ("nothing.txt", b"", "", "the file is empty"),
        ("nothing.pdf", b"", "", "the file is empty"),
        ("nothing.png", b"", "", "the file is empty"),
        ("blanks.txt", b" \n\t \r\n", "", ""),
        ("punctuation.txt", "--- … *** ¶".encode(), "", ""),
        ("photo.png", png(), "unsearchable", "a picture; OCR is off"),
        ("photo", png(), "unsearchable", "a picture; OCR is off"),
        ("photo.heic", b"\0\0\0\x18ftypheic\0\0\0\0", "unsearchable", "a picture; OCR is off"),
        ("cut.png", png()[:14], "unreadable", "not a valid PNG: it is damaged, or something else under its name"),
        ("noise.jpg", bytes(range(256)) * 9, "unreadable", None),
        ("page.jpg", b"<html><body>Not found</body></html>", "", ""),
    ],
)
def test_every_file_has_the_status_that_a_person_would_give_it(
    tmp_path: Path, name: str, data: bytes, status: str, reason: str | None
) -> None:
    found = status_of(tmp_path, name, data)
    assert found[0] == status
    assert reason is None or found[1] == reason


def test_words_in_shapes_charts_and_diagrams_are_read(tmp_path: Path) -> None:
    chart = (
        "<c:chart xmlns:c='c' xmlns:a='a'><a:p><a:r><a:t>Rent by year</a:t></a:r></a:p><c:strCache><c:pt>"
        "<c:v>Ground floor</c:v></c:pt></c:strCache><c:numCache><c:pt><c:v>1234</c:v></c:pt></c:numCache></c:chart>"
    )
    diagram = f"<d:dataModel xmlns:d='d' {SPACES}><d:t><a:p><a:r><a:t>Landlord</a:t></a:r></a:p></d:t></d:dataModel>"
    drawing = f'<x:wsDr xmlns:x="x" {SPACES}>{shape("Boxed words")}</x:wsDr>'
    layout = f"<p:sldLayout {SPACES}>{shape('Confidential')}{shape('Click to edit', placeholder=True)}</p:sldLayout>"
    (tmp_path / "a.docx").write_bytes(
        docx_with(
            f"<w:t>{WORDS}</w:t>",
            {"word/charts/chart1.xml": chart.encode(), "word/diagrams/data1.xml": diagram.encode()},
        )
    )
    (tmp_path / "b.xlsx").write_bytes(xlsx(parts={"xl/drawings/drawing1.xml": drawing.encode()}))
    (tmp_path / "c.pptx").write_bytes(
        pptx(
            shape("On the slide"),
            {"ppt/slideLayouts/slideLayout1.xml": layout.encode(), "ppt/diagrams/data1.xml": diagram.encode()},
            r1="../slideLayouts/slideLayout1.xml",
        )
    )
    master = (
        "<style:master-page style:name='M'><draw:frame><draw:text-box><text:p>On every slide "
        "<text:page-number>&lt;number&gt;</text:page-number></text:p></draw:text-box></draw:frame>"
        "<draw:frame presentation:placeholder='true'><text:p>Click here</text:p></draw:frame></style:master-page>"
    )
    shaped = "<draw:custom-shape><text:p>Shaped</text:p></draw:custom-shape>"
    slide = f"<draw:page draw:master-page-name='M'>{shaped}</draw:page>"
    (tmp_path / "d.odp").write_bytes(
        odf("presentation", slide, {"Object 1/content.xml": b"<x><p>Axis</p></x>"}, master)
    )
    found = by_path(tmp_path)
    assert {path: reading.text.decode().split("\n") for path, reading in found.items()} == {
        "a.docx": [WORDS, "Rent by year", "Ground floor", "Landlord"],
        "b.xlsx": ["Boxed words"],
        "c.pptx": ["On the slide", "Landlord", "Confidential"],
        "d.odp": ["Shaped", "Axis", "On every slide "],
    }
    assert {reading.reason for reading in found.values()} == {""}


def test_a_document_that_is_made_of_another_file_is_read(tmp_path: Path) -> None:
    page = b"<html><body><p>Words of the page</p></body></html>"
    data = docx_with('<w:altChunk r:id="r1"/>', {"word/page.html": page}, r1="page.html")
    (tmp_path / "a.docx").write_bytes(data)
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode().strip() == "Words of the page"


def test_a_mail_of_a_picture_says_so_and_the_picture_is_a_document(tmp_path: Path) -> None:
    body = (
        b"From: a@example.com\nSubject: Offer\nMIME-Version: 1.0\nContent-Type: multipart/related; boundary=b\n\n"
        b"--b\nContent-Type: text/html\n\n<html><body><img src='cid:1'></body></html>\n"
        b"--b\nContent-Type: image/png; name=offer.png\nContent-Transfer-Encoding: base64\n\n"
        + base64.encodebytes(png())
        + b"--b--\n"
    )
    (tmp_path / "a.eml").write_bytes(body)
    found = by_path(tmp_path)
    assert found["a.eml"].reason == "not searched: pictures in place of its text"
    assert (found["a.eml/offer.png"].status, found["a.eml/offer.png"].reason) == (
        "unsearchable",
        "a picture; OCR is off",
    )


def test_noise_under_the_name_of_a_mail_is_unreadable(tmp_path: Path) -> None:
    (tmp_path / "a.eml").write_bytes(b"\n" + bytes(range(128, 256)) * 3 + bytes(range(1, 32)) * 9)
    found = by_path(tmp_path)
    assert found["a.eml"].reason == "not a valid e-mail: something else under its name"


@pytest.mark.parametrize(
    ("pages", "spelled"),
    [
        ([3], "page 3"),
        ([2, 3], "pages 2 and 3"),
        ([2, 3, 4], "pages 2 to 4"),
        ([1, 4, 6, 7, 8], "pages 1, 4 and 6 to 8"),
        ([1, 3, 5, 7, 9], "5 of its 40 pages"),
        ([1000, 1001, 1002], "pages 1,000 to 1,002"),
    ],
)
def test_pages_are_named_as_a_person_names_them(pages: list[int], spelled: str) -> None:
    assert page_list(pages, 40) == spelled


def test_a_picture_of_one_color_is_blank_under_every_filter() -> None:
    import struct
    import zlib

    def made(rows: list[bytes], color: int) -> bytes:
        head = struct.pack(">IIBBBBB", 2, len(rows), 8, color, 0, 0, 0)
        body = zlib.compress(b"".join(rows))
        return b"\x89PNG\r\n\x1a\n" + b"".join(
            struct.pack(">I", len(part)) + kind + part + b"\0\0\0\0"
            for kind, part in ((b"IHDR", head), (b"IDAT", body))
        )

    # White, stored as it is, by its left, its upper, the mean of both, and Paeth's neighbor.
    rows = [b"\0\xff\xff", b"\1\xff\0", b"\2\0\0", b"\3\x80\0", b"\4\0\0"]
    assert is_blank(made(rows, 0))
    for number in range(5):
        changed = [*rows]
        changed[number] = rows[number][:-1] + bytes([rows[number][-1] ^ 1])
        assert not is_blank(made(changed, 0)), number
    assert not is_blank(made([b"\0\xff\xff"], 0)[:-9])


def test_of_the_real_files_none_with_content_is_empty() -> None:
    found = {reading.path: reading for reading in all_readings(collection("formats"))}
    wordless = {path: reading for path, reading in found.items() if not reading.text.strip() and not reading.status}
    # A page without a character, and a file of no bytes: a person finds nothing in them.
    assert sorted(path.rpartition("/")[2] for path in wordless) == [
        "tika_testWORD_multi_authors.docx",
        "集团邮件审计系统2021年自动巡检需求文档_V4.0.doc",
    ]
    said = {path: reading.reason for path, reading in found.items() if reading.status == "unsearchable"}
    assert (
        said["rtf/tika_testRTFEmbeddedFiles.rtf"] == "nothing in it but 14 pictures and 14 embedded files, and no text"
    )
    assert said["xls/tika_testEXCEL_95.xls"] == "nothing in it but pictures, charts or drawings, and no text"
    assert found["xlsx/tika_testEXCEL_textbox.xlsx"].text == b"this is some autoshape text"
    assert b"Text that I added to the master slide" in found["pptx/tika_testPPT_masterText.pptx"].text
    assert b"Master footer is here" in found["odp/tika_testMasterFooter.odp"].text
    assert b"Smart5" in found["pptx/tika_testPPT_groups.pptx"].text
    # One character that cannot be converted does not cost its page.
    assert b"Number bullet 3" in found["pdf/tika_testPDFVarious.pdf"].text
    assert found["pdf/tika_testPDFPackage.pdf"].reason == "not searched: 2 attached files"
    assert (
        found["docx/tika_testWORD_embeded.docx"].reason == "not searched: 2 pictures (OCR is off) and 3 embedded files"
    )
