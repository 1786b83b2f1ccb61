"""ZIP files and mailboxes: their members stand in their place; hostile ones do no harm."""

from __future__ import annotations

import io
import os
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from read_helpers import all_readings, by_path, docx, paragraph, zipped

from truecopy.read import ReadSettings, archives, discover, read
from truecopy.read.mailboxes import messages


def test_members_stand_in_the_place_of_the_archive(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("before")
    (tmp_path / "bundle.zip").write_bytes(
        zipped({"inner/": b"", "inner/b.txt": b"inside", "c.docx": docx(paragraph("Word inside"))})
    )
    (tmp_path / "c.txt").write_text("after")
    found = all_readings(tmp_path)
    assert [(reading.path, reading.parent, reading.text) for reading in found] == [
        ("a.txt", "", b"before"),
        ("bundle.zip/inner/b.txt", "bundle.zip", b"inside"),
        ("bundle.zip/c.docx", "bundle.zip", b"Word inside"),
        ("c.txt", "", b"after"),
    ]


def test_an_archive_may_be_the_argument_itself(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"1", "b.txt": b"2"}))
    found = all_readings(tmp_path / "x.zip")
    assert [(reading.root, reading.path) for reading in found] == [
        (str(tmp_path), "x.zip/a.txt"),
        (str(tmp_path), "x.zip/b.txt"),
    ]


def test_archives_in_archives_and_in_order(tmp_path: Path) -> None:
    inner = zipped({"1.txt": b"one", "2.txt": b"two"})
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"a", "m.zip": inner, "z.txt": b"z"}))
    assert list(by_path(tmp_path)) == ["x.zip/a.txt", "x.zip/m.zip/1.txt", "x.zip/m.zip/2.txt", "x.zip/z.txt"]


def test_too_deep_nesting_is_named(tmp_path: Path) -> None:
    data = zipped({"core.txt": b"core"})
    for level in range(5):
        data = zipped({f"{level}.zip": data})
    (tmp_path / "x.zip").write_bytes(data)
    (reading,) = all_readings(tmp_path)
    assert reading.path == "x.zip/4.zip/3.zip/2.zip/1.zip"
    assert (reading.status, reading.reason) == ("unreadable", "an archive more than 3 archives deep")
    assert [reading.text for reading in all_readings(tmp_path, depth=5)] == [b"core"]


def test_hostile_names_are_only_names(tmp_path: Path) -> None:
    names = [
        "/etc/passwd",
        "../../up.txt",
        "C:\\windows\\x.txt",
        "a\x1b[31m.txt",
        "..",
        "\u202egpj.txt",
        "a//b/./c.txt",
    ]
    before = set(tmp_path.parent.rglob("*"))
    (tmp_path / "x.zip").write_bytes(zipped(dict.fromkeys(names, b"data")))
    found = by_path(tmp_path)
    assert list(found) == [
        "x.zip/etc/passwd",
        "x.zip/up.txt",
        "x.zip/windows/x.txt",
        "x.zip/a\\x1b[31m.txt",
        "x.zip/member-5",
        "x.zip/\\x202egpj.txt",
        "x.zip/a/b/c.txt",
    ]
    assert set(tmp_path.parent.rglob("*")) - before == {tmp_path / "x.zip"}


def test_a_name_that_comes_twice_gets_a_number(tmp_path: Path) -> None:
    data = zipped({"a.txt": b"1", "b.txt": b"2", "c.txt": b"3"})
    for name in (b"b.txt", b"c.txt"):
        data = data.replace(name, b"a.txt")
    (tmp_path / "x.zip").write_bytes(data)
    assert {path: r.text for path, r in by_path(tmp_path).items()} == {
        "x.zip/a.txt": b"1",
        "x.zip/a (2).txt": b"2",
        "x.zip/a (3).txt": b"3",
    }


@pytest.mark.parametrize("encoding", ["cp932", "gbk", "utf-8"])
def test_names_in_old_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    names = {
        "cp932": "契約書の写しと覚書.txt",
        "gbk": "合同文件审计检索测试.txt",
        "utf-8": "Müller Straße.txt",
    }
    raw = names[encoding].encode(encoding)
    # Written under a name of the same length, then patched: writers mark Unicode names, old ones did not.
    data = zipped({"n" * len(raw): b"text"}).replace(b"n" * len(raw), raw)
    (tmp_path / "x.zip").write_bytes(data)
    assert list(by_path(tmp_path)) == ["x.zip/" + names[encoding]]


@pytest.mark.parametrize("foreign", ["Zo\u00eb.txt", "\u5951\u7d04.txt"])
def test_no_member_gets_the_name_of_another(tmp_path: Path, foreign: str) -> None:
    """Each text holds its own name, in archives with line feeds in names, and with and without marks of UTF-8."""
    names = ["M\u00fcller.txt", "two\nlines.txt", "alice.txt", "\nled.txt", foreign, "bob.txt", "\n", "%n~\n+AAo-.txt"]
    (tmp_path / "x.zip").write_bytes(zipped({name: name.encode() for name in names}))
    expected = [name.replace("\n", "\\x0a") for name in names]
    found = by_path(tmp_path)
    assert [path.removeprefix("x.zip/") for path in found] == expected
    assert [reading.text.decode() for reading in found.values()] == names


def test_names_that_are_no_text_stay_apart(tmp_path: Path) -> None:
    """Names full of control bytes tell no encoding: each is shown as it is, under the right text."""
    raw = [bytes(range(1, 32)).replace(b"/", b"") + bytes([0x80 + at, 0xFF, at + 1]) for at in range(6)]
    members = {f"{at}" * len(name): b"%d" % at for at, name in enumerate(raw)}
    data = zipped({"\u00e9.txt": b"marked", **members})
    for at, name in enumerate(raw):
        data = data.replace(f"{at}".encode() * len(name), name)
    (tmp_path / "x.zip").write_bytes(data)
    found = list(by_path(tmp_path).items())
    assert found[0][0] == "x.zip/\u00e9.txt"
    assert [reading.text for _, reading in found] == [b"marked", *members.values()]
    assert all(path.endswith(f"\\x{at + 1:02x}") for at, (path, _) in enumerate(found[1:]))


def test_an_archive_that_cannot_be_opened_is_one_unreadable_document(tmp_path: Path) -> None:
    whole = zipped({"a.txt": b"words " * 1000})
    (tmp_path / "cut.zip").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "noise.zip").write_bytes(b"PK\x03\x04" + os.urandom(500))
    locked = bytearray(whole)
    for signature, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        locked[locked.find(signature) + flag] |= 1
    (tmp_path / "locked.zip").write_bytes(locked)
    (tmp_path / "none.zip").write_bytes(zipped({"folder/": b""}))
    found = by_path(tmp_path)
    assert {path: (reading.status, reading.reason) for path, reading in found.items()} == {
        "cut.zip": ("unreadable", "not a valid ZIP: it is damaged or cut off"),
        "locked.zip": ("unreadable", "password-protected ZIP"),
        "noise.zip": ("unreadable", "not a valid ZIP: it is damaged or cut off"),
        "none.zip": ("", "archive with no files"),
    }
    assert all(len(reading.sha256) == 64 for reading in found.values())


def test_a_damaged_member_does_not_cost_the_others(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": b"first", "b.txt": b"second", "c.txt": b"third"}, zipfile.ZIP_STORED))
    data[data.find(b"second")] ^= 0xFF
    (tmp_path / "x.zip").write_bytes(data)
    found = by_path(tmp_path)
    assert [(reading.status, reading.text) for reading in found.values()] == [
        ("", b"first"),
        ("unreadable", b""),
        ("", b"third"),
    ]
    assert found["x.zip/b.txt"].reason == "damaged in its ZIP"


@pytest.mark.parametrize("stored", [b"", b"\0hidden.txt"])
def test_a_member_without_a_name_gets_one(tmp_path: Path, stored: bytes) -> None:
    """No name, or one that begins with NUL: it is read as member-N, and so is everything else in the folder."""
    name = "n" * len(stored)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for called, text in (("a.txt", "first"), (name, "second"), ("c.txt", "third")):
            info = zipfile.ZipInfo("x")
            info.filename = called
            archive.writestr(info, text)
    data = buffer.getvalue().replace(name.encode(), stored) if name else buffer.getvalue()
    (tmp_path / "nameless.zip").write_bytes(data)
    (tmp_path / "outer.zip").write_bytes(zipped({"inner.zip": data}))
    (tmp_path / "honest.txt").write_text("beside it")
    members = {"a.txt": b"first", "member-2": b"second", "c.txt": b"third"}
    assert {path: reading.text for path, reading in by_path(tmp_path).items()} == {
        "honest.txt": b"beside it",
        **{f"nameless.zip/{member}": text for member, text in members.items()},
        **{f"outer.zip/inner.zip/{member}": text for member, text in members.items()},
    }


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AttributeError(), "cannot be unpacked from its ZIP"),
        (MemoryError(), "needs more memory than there is to be unpacked from its ZIP"),
    ],
)
def test_an_error_of_any_kind_costs_the_member_that_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"first", "b.txt": b"second"}))
    true_open = zipfile.ZipFile.open

    def fail_on_a(self: zipfile.ZipFile, member: zipfile.ZipInfo) -> object:
        if member.filename == "a.txt":
            raise error
        return true_open(self, member)

    monkeypatch.setattr(zipfile.ZipFile, "open", fail_on_a)
    found = by_path(tmp_path)
    assert (found["x.zip/a.txt"].status, found["x.zip/a.txt"].reason) == ("unreadable", reason)
    assert found["x.zip/b.txt"].text == b"second"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (AttributeError(), "a ZIP whose list of files cannot be read"),
        (MemoryError(), "a ZIP whose list of files needs more memory than there is"),
    ],
)
def test_an_error_of_any_kind_costs_the_archive_that_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"a.txt": b"first"}))
    (tmp_path / "y.txt").write_text("beside it")

    def fail(self: zipfile.ZipFile) -> None:
        raise error

    monkeypatch.setattr(zipfile.ZipFile, "infolist", fail)
    found = by_path(tmp_path)
    assert (found["x.zip"].status, found["x.zip"].reason) == ("unreadable", reason)
    assert found["y.txt"].text == b"beside it"


@pytest.mark.parametrize("error", [OSError(), MemoryError(), AttributeError()])
def test_no_error_in_a_mailbox_stops_a_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """The messages before it are read, and the mailbox is one document, `unreadable`, which says why."""

    def fail(stream: io.BufferedIOBase, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
        yield from before
        raise error

    monkeypatch.setattr(archives, "messages", fail)
    (tmp_path / "box.mbox").write_bytes(MAILBOX)
    for before in ([], [(20, b"Subject: one\n\nBody.\n")]):
        *read, whole = all_readings(tmp_path)
        assert [reading.path for reading in read] == ["box.mbox/000001.eml"] * len(before)
        assert (whole.path, whole.status) == ("box.mbox", "unreadable")
        assert whole.reason


def test_a_member_packed_in_an_unknown_way_is_named(tmp_path: Path) -> None:
    data = bytearray(zipped({"a.txt": b"first", "b.txt": b"second"}))
    for signature, method in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        data[data.find(signature) + method] = 97
    (tmp_path / "x.zip").write_bytes(data)
    found = by_path(tmp_path)
    assert found["x.zip/a.txt"].status == "unreadable"
    assert found["x.zip/a.txt"].reason == "packed in its ZIP in a way that there is no reader for"
    assert found["x.zip/b.txt"].text == b"second"


def test_a_member_that_unpacks_to_too_much_is_not_unpacked(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"bomb.txt": bytes(50_000_000), "ok.txt": b"fine"}))
    found = by_path(tmp_path, max_bytes=1_000_000)
    assert found["x.zip/bomb.txt"].status == "too-large"
    assert found["x.zip/ok.txt"].text == b"fine"


def test_a_zip_bomb_of_many_copies_is_refused_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({f"{number}.txt": bytes(1_000_000) for number in range(50)}))
    (reading,) = all_readings(tmp_path, max_unpacked=10_000_000)
    assert (reading.path, reading.status) == ("x.zip", "too-large")
    assert reading.reason == "unpacks to 50 files of 50,000,000 bytes, more than is allowed"
    (reading,) = all_readings(tmp_path, max_members=49)
    assert (reading.status, reading.members_not_read) == ("too-large", 50)
    limit = "with it more than the 49 documents that --max-members allows"
    assert reading.reason == f"holds 50 files: {limit}; none of them was read"
    assert len(all_readings(tmp_path, max_members=50)) == 50


def test_messages_over_the_limit_are_counted_and_said(tmp_path: Path) -> None:
    """A mailbox is read up to the limit; it is a document itself then, which says how many messages are left."""
    message = "From a@b.example Mon Jan  1 00:00:00 2024\nSubject: number {}\n\nWords of message {}.\n\n"
    (tmp_path / "x.mbox").write_text("".join(message.format(number, number) for number in range(9)))
    *read, rest = all_readings(tmp_path, max_members=7)
    assert [reading.path for reading in read] == [f"x.mbox/{number:06d}.eml" for number in range(1, 8)]
    assert {(reading.status, reading.members_not_read) for reading in read} == {("", 0)}
    assert (rest.path, rest.status, rest.members_not_read) == ("x.mbox", "too-large", 2)
    limit = "with it more than the 7 documents that --max-members allows"
    assert rest.reason == f"holds 9 messages: {limit}; the last 2 were not read"
    assert len(all_readings(tmp_path, max_members=9)) == 9


def test_a_nested_zip_bomb_spends_one_budget(tmp_path: Path) -> None:
    leaf = zipped({f"{number}.txt": b" " * 100_000 for number in range(10)})
    middle = zipped({f"{number}.zip": leaf for number in range(10)})
    (tmp_path / "x.zip").write_bytes(zipped({f"{number}.zip": middle for number in range(10)}))
    found = all_readings(tmp_path, max_unpacked=5_000_000)
    assert sum(len(reading.text) for reading in found) <= 5_000_000
    assert {reading.status for reading in found} == {"", "too-large"}


def test_an_archive_larger_than_the_limit_is_still_opened(tmp_path: Path) -> None:
    members = {f"{number}.txt": os.urandom(600).hex().encode() for number in range(10)}
    (tmp_path / "x.zip").write_bytes(zipped(members, zipfile.ZIP_STORED))
    found = all_readings(tmp_path, max_bytes=2000)
    assert [reading.text for reading in found] == list(members.values())


@pytest.mark.parametrize("members", [5_000, pytest.param(100_000, marks=pytest.mark.soak)])
def test_thousands_of_members(tmp_path: Path, members: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        for number in range(members):
            archive.writestr(zipfile.ZipInfo(f"{number}.txt"), b"")
    started = time.monotonic()
    settings = ReadSettings(threads=2)
    count = sum(len(batch) for batch in read(discover([tmp_path], settings), settings))
    assert count == members
    assert time.monotonic() - started < 60


MAILBOX = (
    b"From a@example.org Mon Jun 01 10:00:00 2009\n"
    b"Subject: one\n\nFirst body.\nFrom here on it is body.\n>From quoted\n\n"
    b"From b@example.org Mon Jun 01 11:00:00 2010\n"
    b"Subject: two\n\nSecond body.\n\n"
    b"From c@example.org\n"
    b"Subject: three\n\nThird body.\n"
)


def test_a_mailbox_is_its_messages(tmp_path: Path) -> None:
    (tmp_path / "box.mbox").write_bytes(MAILBOX)
    (tmp_path / "Inbox").write_bytes(MAILBOX)
    found = by_path(tmp_path)
    assert [path for path in found if path.startswith("box")] == [f"box.mbox/00000{n}.eml" for n in (1, 2, 3)]
    assert found["box.mbox/000001.eml"].text.startswith(b"Subject: one\n\nFirst body.\nFrom here on it is body.")
    assert found["box.mbox/000003.eml"].text.strip().endswith(b"Third body.")
    assert found["box.mbox/000002.eml"].parent == "box.mbox"
    assert found["Inbox/000002.eml"].sha256 == found["box.mbox/000002.eml"].sha256


def test_a_mailbox_with_no_messages_is_one_document(tmp_path: Path) -> None:
    (tmp_path / "box.mbox").write_bytes(b"\n\n")
    (reading,) = all_readings(tmp_path)
    assert (reading.path, reading.text, reading.reason) == ("box.mbox", b"", "mailbox with no messages")


class Dripping(io.BytesIO):
    """A stream that gives a few bytes at a time, so that every cut between blocks is met."""

    step = 1

    def read(self, size: int | None = -1) -> bytes:
        return super().read(self.step)


@pytest.mark.parametrize("step", [1, 7, 50])
def test_messages_do_not_depend_on_how_the_file_is_read(step: int) -> None:
    stream = Dripping(MAILBOX * 20)
    stream.step = step
    assert list(messages(stream, 10_000)) == list(messages(io.BytesIO(MAILBOX * 20), 10_000))
    assert b"".join(message or b"" for _, message in messages(io.BytesIO(MAILBOX), 10_000)) == MAILBOX


def test_a_message_over_the_limit_is_counted_but_not_kept() -> None:
    large = MAILBOX.replace(b"Second body.", b"Second body. " * 1000)
    lengths = [(length, message is None) for length, message in messages(io.BytesIO(large), 5_000)]
    assert [over for _, over in lengths] == [False, True, False]
    assert sum(length for length, _ in lengths) == len(large)


def test_a_member_that_holds_bytes_is_a_document_even_if_its_name_is_a_folders(tmp_path: Path) -> None:
    """A folder has none; with bytes in it, somebody has hidden a document, or a program has misnamed one."""
    (tmp_path / "x.zip").write_bytes(zipped({"empty/": b"", "hidden/": b"words in a folder", "a.txt": b"first"}))
    found = {path: reading.text for path, reading in by_path(tmp_path).items()}
    assert found == {"x.zip/hidden": b"words in a folder", "x.zip/a.txt": b"first"}
