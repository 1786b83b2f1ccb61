"""E-mails: the text is what a reader sees, attachments are documents of their own."""

from __future__ import annotations

import hashlib
from email.message import EmailMessage
from pathlib import Path

import pytest
from read_helpers import all_readings, by_path, docx, paragraph, zipped

from truecopy.read.mail import parse_mail


def mail(subject: str = "Lease", body: str = "Please find the lease attached.\n") -> EmailMessage:
    message = EmailMessage()
    message["From"] = "Ann Lee <ann@example.org>"
    message["To"] = "bob@example.org"
    message["Cc"] = "cid@example.org"
    message["Date"] = "Tue, 05 May 2020 10:00:00 +0200"
    message["Subject"] = subject
    message["X-Mailer"] = "not shown"
    message.set_content(body)
    return message


def test_the_text_is_the_heading_and_the_body(tmp_path: Path) -> None:
    (tmp_path / "m.eml").write_bytes(mail(subject="Über die Miete").as_bytes())
    (reading,) = all_readings(tmp_path)
    assert reading.text.decode() == (
        "From: Ann Lee <ann@example.org>\nTo: bob@example.org\nCc: cid@example.org\n"
        "Subject: Über die Miete\nDate: Tue, 05 May 2020 10:00:00 +0200\n\n"
        "Please find the lease attached.\n\n"
    )
    assert (reading.date, reading.media) == ("2020-05-05T08:00:00Z", "message/rfc822")


def test_attachments_are_documents_with_the_mail_as_parent(tmp_path: Path) -> None:
    message = mail()
    word = docx(paragraph("The lease itself"))
    bundle = zipped({"deep/n.txt": b"in the bundle"})
    for name, data in (("lease.docx", word), ("lease.docx", word), ("../../x.txt", b"up"), ("b.zip", bundle)):
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    (tmp_path / "m.eml").write_bytes(message.as_bytes())
    found = by_path(tmp_path)
    assert [(path, reading.parent) for path, reading in found.items()] == [
        ("m.eml", ""),
        ("m.eml/lease.docx", "m.eml"),
        ("m.eml/lease (2).docx", "m.eml"),
        ("m.eml/x.txt", "m.eml"),
        ("m.eml/b.zip/deep/n.txt", "m.eml/b.zip"),
    ]
    assert found["m.eml/lease.docx"].text == b"The lease itself"
    assert found["m.eml/lease.docx"].sha256 == hashlib.sha256(word).hexdigest()
    assert found["m.eml/b.zip/deep/n.txt"].text == b"in the bundle"


def test_of_two_forms_of_the_body_plain_text_is_taken_and_pictures_stay() -> None:
    message = mail()
    message.add_alternative("<p>Please find the <b>lease</b> attached.</p>", subtype="html")
    message.get_payload()[1].add_related(b"\x89PNG", maintype="image", subtype="png", cid="<logo>")
    parsed = parse_mail(message.as_bytes())
    assert parsed.text.count("lease attached") == 1
    assert "<b>" not in parsed.text
    assert parsed.parts == [("part-1.png", b"\x89PNG")]


def test_an_html_body_is_read_as_text() -> None:
    message = mail()
    message.set_content("<html><body><p>Rent:<br>€&nbsp;5</p></body></html>", subtype="html", charset="cp1252")
    assert parse_mail(message.as_bytes()).text.endswith("\n\nRent:\n€\xa05\n")


def test_a_forwarded_message_is_a_document_with_its_own_attachments(tmp_path: Path) -> None:
    inner = mail("Inner", "Inner body.\n")
    inner.add_attachment(b"inner file", maintype="text", subtype="plain", filename="i.txt")
    outer = mail("Outer", "See below.\n")
    outer.add_attachment(inner)
    (tmp_path / "m.eml").write_bytes(outer.as_bytes())
    found = by_path(tmp_path)
    assert list(found) == ["m.eml", "m.eml/message.eml", "m.eml/message.eml/i.txt"]
    assert b"Inner body." in found["m.eml/message.eml"].text
    assert b"Inner body." not in found["m.eml"].text


def test_raw_bytes_in_headers_and_wrong_charsets_do_not_cost_the_message() -> None:
    raw = (
        b"From: J\xfcrgen <j@example.org>\r\nSubject: =?utf-8?q?broken=E9?= and =?x-unknown?b?4pyT?=\r\n"
        b"Date: not a date\r\nContent-Type: text/plain; charset=no-such\r\n\r\nK\xf6ln\r\n"
    )
    parsed = parse_mail(raw)
    assert "From: Jürgen <j@example.org>" in parsed.text
    assert "Köln" in parsed.text
    assert parsed.date == ""


@pytest.mark.parametrize("date", ["Thu, 99 Foo 2020", "Mon, 1 Jan 99999 00:00:00 +0000", "", "1" * 5000])
def test_no_date_is_better_than_a_wrong_one(date: str) -> None:
    assert parse_mail(f"Date: {date}\n\nbody".encode()).date == ""


def test_deeply_nested_parts_end(tmp_path: Path) -> None:
    heads = "".join(f'Content-Type: multipart/mixed; boundary="{level}"\n\n--{level}\n' for level in range(3000))
    (tmp_path / "m.eml").write_bytes(f"Subject: deep\n{heads}\nbottom\n".encode())
    (reading,) = [reading for reading in all_readings(tmp_path, seconds=30) if reading.path == "m.eml"]
    assert (reading.status, reading.reason) == ("unreadable", "nested too deeply to be read")


def test_a_mail_attached_to_itself_many_times_ends(tmp_path: Path) -> None:
    message = mail("0", "level 0\n")
    for level in range(1, 26):
        outer = mail(str(level), f"level {level}\n")
        outer.add_attachment(message)
        message = outer
    (tmp_path / "m.eml").write_bytes(message.as_bytes())
    found = all_readings(tmp_path)
    assert len(found) == 22
    assert found[-1].reason == "attached 20 messages deep"


def test_cut_off_messages_keep_what_is_there() -> None:
    message = mail()
    message.add_attachment(bytes(range(256)) * 40, maintype="application", subtype="pdf", filename="a.pdf")
    raw = message.as_bytes()
    for length in range(0, len(raw), 199):
        parsed = parse_mail(raw[:length])
        if length > 800:
            assert "Please find the lease attached." in parsed.text


def test_a_message_sent_as_base64_is_unwrapped(tmp_path: Path) -> None:
    from base64 import encodebytes

    inner = encodebytes(mail("Inner", "Wrapped body.\n").as_bytes())
    raw = (
        b'Subject: outer\nContent-Type: multipart/mixed; boundary="x"\n\n--x\n'
        b"Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n" + inner + b"\n--x--\n"
    )
    (tmp_path / "m.eml").write_bytes(raw)
    assert b"Wrapped body." in by_path(tmp_path)["m.eml/message.eml"].text
