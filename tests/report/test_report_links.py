"""Links from a page to the files, and commands that can be pasted: right for every name that a file can have."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote_to_bytes, urljoin, urlsplit

import pytest
from report_fake import document

from truecopy.hints import command
from truecopy.report.links import files, path_link, root_link, short_roots

ODD = ("100% #1?.txt", "a b/ü & ö.txt", "合同/اتفاقية.pdf", "it's (a) [b]!*~.txt", "c:d.txt", "semi;colon,comma=+.txt")


def leads_to(page: Path, address: str) -> bytes:
    """The file that a browser opens for a link of a page."""
    parts = urlsplit(urljoin(page.as_uri(), address))
    assert parts.scheme == "file"
    assert not parts.query
    assert not parts.fragment
    return unquote_to_bytes(parts.path)


@pytest.mark.skipif(sys.platform == "win32", reason="paths of this kind are POSIX")
@pytest.mark.parametrize("name", ODD)
def test_a_link_leads_to_the_file_whatever_its_name(name: str, tmp_path: Path) -> None:
    for page in (tmp_path / "matter" / "report.html", Path("/elsewhere/far/away/from/here/report.html")):
        address = root_link(str(tmp_path / "the room"), page) + path_link(name)
        assert leads_to(page, address) == os.fsencode(tmp_path / "the room" / name)


@pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are Unicode")
def test_a_name_that_is_no_utf_8_is_linked_by_its_bytes(tmp_path: Path) -> None:
    """The matter shows the stray byte as an escape; the link holds the byte."""
    page = tmp_path / "report.html"
    assert leads_to(page, root_link(str(tmp_path), page) + path_link("caf\\xe9.txt")).endswith(b"/caf\xe9.txt")


@pytest.mark.skipif(sys.platform == "win32", reason="names on Windows are Unicode")
def test_a_root_that_is_no_utf_8_is_linked_by_its_bytes(tmp_path: Path) -> None:
    """From a page far away, beside it, and in the folder itself, whose name the page has as the system does."""
    root = f"{tmp_path}/r\\xff/room"
    inside = Path(f"{tmp_path}/r\udcff/matter/report.html")
    for page in (Path("/elsewhere/far/away/from/here/report.html"), tmp_path / "report.html", inside):
        address = root_link(root, page) + path_link("a.txt")
        assert leads_to(page, address) == os.fsencode(tmp_path) + b"/r\xff/room/a.txt"
    assert root_link(root, inside) == "./../room/"
    assert root_link(root, None).endswith("/r%FF/room/")


def test_what_lies_beside_the_page_is_linked_relative_and_anything_else_by_its_address(tmp_path: Path) -> None:
    page = tmp_path / "matter" / "report.html"
    assert root_link(str(tmp_path / "room"), page) == "./../room/"
    assert root_link(str(tmp_path / "matter"), page) == "././"
    assert root_link(str(tmp_path), None).startswith("file:///")
    assert root_link(r"C:\Rooms\one room", Path("/srv/report.html")) == "file:///C:/Rooms/one%20room/"
    assert root_link(r"\\server\share\room", Path("/srv/report.html")) == "file://server/share/room/"
    assert root_link("", page) == ""


def test_an_item_is_linked_to_the_file_on_the_disk_that_holds_it() -> None:
    mail = document(1, "box/mail.eml")
    attached = replace(document(2, "box/mail.eml/annex.zip/annex.pdf"), parent="box/mail.eml/annex.zip")
    archive = replace(document(3, "box/mail.eml/annex.zip"), parent="box/mail.eml")
    zipped = replace(document(4, "room.zip/a.txt"), parent="room.zip")  # the archive itself is no document
    nested = replace(document(5, "outer.zip/inner.zip/a.txt"), parent="outer.zip/inner.zip")
    box = replace(document(6, "inbox/message 1"), parent="inbox")  # a mailbox without a suffix
    assert files([mail, attached, archive, zipped, nested, box]) == {
        2: "box/mail.eml", 3: "box/mail.eml", 4: "room.zip", 5: "outer.zip", 6: "inbox",
    }  # fmt: skip


def test_roots_are_named_as_shortly_as_tells_them_apart() -> None:
    roots = ["/a/room", "/b/room", "/b/mail", r"C:\cases\acme", ""]
    assert short_roots(roots) == {"": "", "/a/room": "a/room", "/b/mail": "mail", "/b/room": "b/room",
        r"C:\cases\acme": "acme"}  # fmt: skip
    assert short_roots([r"/a/r\xff", r"/b/r\xff/"]) == {r"/a/r\xff": r"a/r\xff", r"/b/r\xff/": r"b/r\xff"}


@pytest.mark.skipif(sys.platform == "win32", reason="the shell is POSIX")
@pytest.mark.parametrize("word", ["acme", "two words", "it's", "$HOME `id`", "a;b|c&d", "*.html", ""])
def test_a_command_is_split_into_the_words_that_it_was_made_of(word: str) -> None:
    assert shlex.split(command("truecopy", "--matter", word)) == ["truecopy", "--matter", word]
