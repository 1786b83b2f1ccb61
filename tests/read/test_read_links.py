"""Links below a scanned folder: listed and not followed, whoever puts them there and whenever."""

from __future__ import annotations

import json
import os
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from read_helpers import by_path

import truecopy as tc
from truecopy.cli.run import run
from truecopy.errors import BadSetting
from truecopy.read import ReadSettings, discover, read
from truecopy.read.links import CIRCLE, LEFT_OUT, NOT_FOLLOWED, READ_ALREADY

SETTINGS = ReadSettings(threads=1)
PRIVATE = "a private memo that nobody outside this office was ever meant to see, of some twenty words and one more"
TAKEN = "a link has taken its place since it was listed, and is not followed"


@pytest.fixture
def private(tmp_path: Path) -> Path:
    """A folder outside, with a file and an archive."""
    folder = tmp_path / "private"
    folder.mkdir()
    (folder / "memo.txt").write_text(PRIVATE)
    with zipfile.ZipFile(folder / "memo.zip", "w") as archive:
        archive.writestr("memo.txt", PRIVATE)
    return folder


@pytest.fixture
def room(tmp_path: Path, private: Path) -> Path:
    """A folder with a text and every kind of link."""
    folder = tmp_path / "room"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.txt").write_text("a text of the room")
    (folder / "inner" / "b.txt").write_text("another text of the room")
    (folder / "memo.txt").symlink_to(private / "memo.txt")
    (folder / "outside").symlink_to(private)
    (folder / "inner" / "up").symlink_to(folder)
    (folder / "same.txt").symlink_to("a.txt")
    (folder / "gone.txt").symlink_to("no such file")
    (folder / "self").symlink_to("self")
    return folder


LINKS = ["gone.txt", "inner/up", "memo.txt", "outside", "same.txt", "self"]


def test_links_are_listed_and_not_followed(room: Path) -> None:
    """To files and folders, inside and outside, to nothing and to themselves: each is one entry with the reason."""
    found = by_path(room)
    assert sorted(found) == sorted(["a.txt", "inner/b.txt", *LINKS])
    for path in LINKS:
        reading = found[path]
        assert (reading.status, reading.reason, reading.text) == ("excluded", NOT_FOLLOWED, b"")
    assert found["a.txt"].text == b"a text of the room"


def test_links_are_followed_on_request(room: Path) -> None:
    found = by_path(room, follow_links=True)
    assert found["memo.txt"].text == PRIVATE.encode()
    assert found["outside/memo.txt"].text == PRIVATE.encode()
    assert found["gone.txt"].reason == "a link to a file that is not there"
    assert all(reading.reason != NOT_FOLLOWED for reading in found.values())


def test_links_that_lead_back_are_listed_where_links_are_followed(room: Path) -> None:
    """Links to a folder above, to one that another link has led to, to themselves and to each other: each is one
    entry, and nothing is read twice."""
    (room / "way").symlink_to("other way")
    (room / "other way").symlink_to("way")
    (room / "outside again").symlink_to("outside")
    found = by_path(room, follow_links=True)
    reasons = {path: reading.reason for path, reading in found.items() if reading.status == "excluded"}
    assert reasons == {
        "inner/up": READ_ALREADY,
        "outside again": READ_ALREADY,
        "other way": CIRCLE,
        "way": CIRCLE,
        "self": CIRCLE,
    }
    read_texts = sorted(path for path, reading in found.items() if reading.text)
    outside = ["memo.txt", "outside/memo.txt", "outside/memo.zip/memo.txt"]
    assert read_texts == ["a.txt", "inner/b.txt", *outside, "same.txt"]


def test_patterns_list_links_that_lead_back_once(room: Path) -> None:
    follow = ReadSettings(threads=1, follow_links=True)

    def back(*patterns: str) -> list[str]:
        found = discover([str(room / pattern) for pattern in patterns], follow)
        return [one.path for one in found if one.reason == READ_ALREADY]

    assert back("**/*.txt") == ["inner/up"]
    assert back("*.txt") == []
    assert back("in*/up/*.txt", "in*/**/*.txt") == ["inner/up"]


def test_a_link_to_the_matter_is_listed_and_not_followed(room: Path, tmp_path: Path) -> None:
    tc.create(tmp_path / "m")
    (room / "matter").symlink_to(tmp_path / "m")
    tc.open(tmp_path / "m").add(room, follow_links=True)
    reasons = {one.path: one.reason for one in tc.open(tmp_path / "m").documents()}
    assert reasons["matter"] == LEFT_OUT
    assert not any(path.startswith("matter/") for path in reasons)


def test_what_the_user_names_is_followed(room: Path, private: Path, tmp_path: Path) -> None:
    """A link given as a path, to a file or a folder, and the beginning of a pattern."""
    assert by_path(room / "memo.txt")["memo.txt"].text == PRIVATE.encode()
    assert by_path(room / "outside")["memo.txt"].text == PRIVATE.encode()
    assert by_path(str(room / "outside" / "*.txt"))["memo.txt"].text == PRIVATE.encode()
    (tmp_path / "way").symlink_to(tmp_path)
    assert by_path(tmp_path / "way" / "private" / "memo.txt")["memo.txt"].text == PRIVATE.encode()


def test_patterns_list_the_links_that_they_choose_or_that_may_hide_what_they_choose(room: Path) -> None:
    def links(pattern: str) -> list[str]:
        found = discover([str(room / pattern)], SETTINGS)
        return [source.path for source in found if source.reason == NOT_FOLLOWED]

    assert links("*.txt") == ["gone.txt", "memo.txt", "same.txt"]
    assert links("**/*.txt") == LINKS
    assert links("outside*") == ["outside"]
    assert links("*/*.txt") == ["gone.txt", "memo.txt", "outside", "same.txt", "self"]


def test_a_link_that_is_excluded_by_a_pattern_is_excluded_by_it(room: Path) -> None:
    found = by_path(room, exclude=("memo.txt",))
    assert found["memo.txt"].reason == "excluded by a pattern"


def test_hard_links_are_files(room: Path, private: Path) -> None:
    os.link(private / "memo.txt", room / "hard.txt")
    assert by_path(room)["hard.txt"].text == PRIVATE.encode()


def late(room: Path, change: str, private: Path) -> dict[str, tuple[str, bytes]]:
    """Reason and text of each document, if something changes between listing and reading."""
    sources = discover([room], SETTINGS)
    if change == "file":
        (room / "a.txt").unlink()
        (room / "a.txt").symlink_to(private / "memo.txt")
    elif change == "folder":
        (room / "inner" / "b.txt").rename(room / "inner" / "memo.txt")
        (room / "inner").rename(room / "moved")
        (room / "inner").symlink_to(private)
        (private / "b.txt").write_text(PRIVATE)
    elif change == "saved":
        (room / "new").write_text("saved again by an editor")
        (room / "new").replace(room / "a.txt")
    elif change == "pipe":
        (room / "a.txt").unlink()
        os.mkfifo(room / "a.txt")
    return {reading.path: (reading.reason, reading.text) for batch in read(sources, SETTINGS) for reading in batch}


@pytest.mark.parametrize(
    ("change", "path", "reason", "text"),
    [
        ("file", "a.txt", TAKEN, b""),
        ("folder", "inner/b.txt", TAKEN, b""),
        ("saved", "a.txt", "", b"saved again by an editor"),
        ("pipe", "a.txt", "not a regular file", b""),
    ],
)
def test_a_link_that_comes_after_the_listing_is_not_followed(
    room: Path, private: Path, change: str, path: str, reason: str, text: bytes
) -> None:
    """In the place of the file or of a folder above it; a file that was only saved again is read as it is now."""
    found = late(room, change, private)
    assert found[path] == (reason, text)
    assert all(PRIVATE.encode() not in text for _, text in found.values())


@pytest.mark.parametrize("name", ["a.zip", "a.mbox", "named-otherwise"])
def test_an_archive_that_a_link_replaces_is_not_opened(tmp_path: Path, private: Path, name: str) -> None:
    """Archives are opened when their turn comes, after their kind is known."""
    folder = tmp_path / "archives"
    folder.mkdir()
    secret = private / "secret"
    if name == "a.mbox":
        (folder / name).write_text("From a@b Mon Jan  1 00:00:00 2024\nSubject: x\n\nof the room\n")
        secret.write_text(f"From a@b Mon Jan  1 00:00:00 2024\nSubject: x\n\n{PRIVATE}\n")
    else:
        for file, text in ((folder / name, "of the room"), (secret, PRIVATE)):
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("inside.txt", text)
    sources = discover([folder], SETTINGS)
    (folder / name).unlink()
    (folder / name).symlink_to(secret)
    found = [reading for batch in read(sources, SETTINGS) for reading in batch]
    assert [reading.status for reading in found] == ["unreadable"]
    assert all(PRIVATE.encode() not in reading.text for reading in found)


def test_a_folder_that_a_link_replaces_while_the_walk_is_under_way_is_not_entered(
    room: Path, private: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from truecopy.read import sources
    from truecopy.read.links import open_folder

    @contextmanager
    def swapped(root: str, below: str, location: str, follow: bool) -> Iterator[int | str]:
        if below == "inner":
            (room / "inner").rename(room.parent / "moved")
            (room / "inner").symlink_to(private)
        with open_folder(root, below, location, follow) as opened:
            yield opened

    monkeypatch.setattr(sources, "open_folder", swapped)
    found = {source.path: source for source in discover([room], SETTINGS)}
    assert found["inner"].reason == f"this folder could not be listed: {TAKEN}"
    assert not any("memo" in path and path.startswith("inner") for path in found)


def test_links_in_archives_are_only_names(tmp_path: Path, private: Path) -> None:
    """A member that claims to be a link has the text that the archive holds for it: where it would lead."""
    with zipfile.ZipFile(tmp_path / "links.zip", "w") as archive:
        link = zipfile.ZipInfo("memo.txt")
        link.create_system = 3
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, str(private / "memo.txt"))
    (reading,) = by_path(tmp_path / "links.zip").values()
    assert reading.text == str(private / "memo.txt").encode()


def test_a_setting_that_is_neither_true_nor_false_is_refused() -> None:
    with pytest.raises(BadSetting, match="follow_links is 'yes'"):
        ReadSettings(follow_links="yes")  # type: ignore[arg-type]


def test_scan_and_add_count_and_list_the_links(room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In the summary with the option that follows them, in JSON as a number, and as documents with the reason."""
    assert run(["scan", str(room), "--matter", str(tmp_path / "m"), "--no-report"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "6 links were not followed; --follow-links follows all but those that lead to what is read already." in said
    matter = tc.open(tmp_path / "m")
    assert [one.path for one in matter.documents() if one.reason == NOT_FOLLOWED] == LINKS
    assert matter.statuses() == {"excluded": 6, "too-short": 2}
    assert run(["add", str(room), "--matter", str(tmp_path / "m"), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert (again["already"], again["documents"], again["links_not_followed"]) == (8, 0, 6)
    assert run(["scan", str(room), "--matter", str(tmp_path / "n"), "--follow-links", "--json"]) == 0
    followed = json.loads(capsys.readouterr().out)
    assert (followed["links_not_followed"], followed["statuses"].get("excluded")) == (2, 2)
    assert any(tc.open(tmp_path / "n").text(one) == PRIVATE for one in tc.open(tmp_path / "n").documents())
    assert tc.scan(room, tmp_path / "o", follow_links=True, report=False).scanned.links == 2
    assert tc.open(tmp_path / "m").add(room, follow_links=True).links == 2


def test_status_counts_the_links_that_were_not_followed(
    room: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All that are listed, whichever wave they came with; in words and in JSON."""
    (tmp_path / "second").mkdir()
    (tmp_path / "second" / "self").symlink_to("self")
    matter = tc.scan(room, tmp_path / "m", report=False, exclude=["memo.txt"])
    matter.add(tmp_path / "second", follow_links=True)
    assert matter.links_not_followed() == 6
    assert run(["status", "--matter", str(tmp_path / "m"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["links_not_followed"] == 6
    assert run(["status", "--matter", str(tmp_path / "m")]) == 0
    assert "6 links were not followed" in capsys.readouterr().out
    assert run(["status", "--matter", str(tc.create(tmp_path / "n").path)]) == 0
    assert "not followed" not in capsys.readouterr().out
