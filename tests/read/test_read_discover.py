"""Paths to sources: what is found, under which name, in which order."""

from __future__ import annotations

import itertools
import os
import socket
from pathlib import Path

import pytest
from read_helpers import all_readings, by_path

from truecopy.errors import NotFound
from truecopy.read import ReadSettings, discover
from truecopy.read.encodings.rules import as_rules

SETTINGS = ReadSettings(threads=1)
FOLLOWING = ReadSettings(threads=1, follow_links=True)


def paths(*given: str | Path, skip: frozenset[Path] = frozenset()) -> list[str]:
    return [source.path for source in discover(given, SETTINGS, skip)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "deep").mkdir()
    for name in ("z.txt", "a.txt", ".hidden", "b/1.md", "b/deep/2.txt", "B.txt"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_a_folder_is_walked_and_sorted_by_code_points(folder: Path) -> None:
    assert paths(folder) == [".hidden", "B.txt", "a.txt", "b/1.md", "b/deep/2.txt", "z.txt"]


def test_the_root_is_the_folder_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert {source.root for source in discover(["b"], SETTINGS)} == {str(folder / "b")}


def test_files_have_their_common_folder_as_root(folder: Path) -> None:
    found = discover([folder / "b" / "deep" / "2.txt", folder / "b" / "1.md"], SETTINGS)
    assert [(source.root, source.path) for source in found] == [
        (str(folder / "b"), "1.md"),
        (str(folder / "b"), "deep/2.txt"),
    ]


def test_the_order_of_arguments_does_not_matter(folder: Path) -> None:
    given = [folder / "b", folder / "a.txt", str(folder / "*.txt"), folder]
    lists = [discover(order, SETTINGS) for order in itertools.permutations(given)]
    assert all(found == lists[0] for found in lists)


def test_a_file_reached_twice_is_one_document(folder: Path) -> None:
    assert sorted(paths(folder, folder / "a.txt", folder / "b", str(folder / "**"))) == sorted(paths(folder))
    assert paths(folder / "a.txt", str(folder / "a.*")) == ["a.txt"]


def test_patterns_stay_in_a_folder_unless_they_have_two_stars(folder: Path) -> None:
    assert paths(str(folder / "*.txt")) == ["B.txt", "a.txt", "z.txt"]
    assert paths(str(folder / "**" / "*.txt")) == ["B.txt", "a.txt", "b/deep/2.txt", "z.txt"]
    assert paths(str(folder / "[ab].txt")) == ["a.txt"]
    assert paths(str(folder / "[!ab].txt")) == ["B.txt", "z.txt"]
    assert paths(str(folder / "?")) == ["b/1.md", "b/deep/2.txt"]


def test_a_name_that_looks_like_a_pattern_is_a_name_if_it_exists(folder: Path) -> None:
    (folder / "[1].txt").write_text("x")
    assert paths(folder / "[1].txt") == ["[1].txt"]


@pytest.mark.parametrize("missing", ["nothing", "*.nothing", "nothing/*.txt", ""])
def test_what_is_missing_is_said_at_once(folder: Path, missing: str) -> None:
    with pytest.raises(NotFound):
        discover([folder, str(folder / missing) if missing else ""], SETTINGS)


def test_the_matters_own_folder_is_left_out(folder: Path) -> None:
    assert paths(folder, skip=frozenset([folder / "b"])) == [".hidden", "B.txt", "a.txt", "z.txt"]


def test_link_circles_end_and_hide_nothing(folder: Path) -> None:
    (folder / "b" / "deep" / "up").symlink_to(folder)
    (folder / "a-link").symlink_to(folder / "b")
    (folder / "self").symlink_to(folder / "self")
    found = {source.path: source for source in discover([folder], FOLLOWING)}
    skipped = sorted(path for path, source in found.items() if source.status == "excluded")
    assert skipped == ["a-link", "b/deep/up", "self"], "each is listed"
    assert sorted(set(found) - set(skipped)) == [".hidden", "B.txt", "a.txt", "b/1.md", "b/deep/2.txt", "z.txt"]


def test_a_linked_folder_outside_is_followed_once(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "o.txt").write_text("o")
    (folder / "x1").symlink_to(outside)
    (folder / "x2").symlink_to(outside)
    found = [source.path for source in discover([folder], FOLLOWING)]
    assert [path for path in found if path.endswith("o.txt")] == ["x1/o.txt"]


def test_links_to_files_are_documents_and_dangling_ones_say_so(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder / "a.txt")
    (folder / "gone.txt").symlink_to(folder / "no such file")
    found = by_path(folder, follow_links=True)
    assert found["link.txt"].text == b"a.txt"
    assert (found["gone.txt"].status, found["gone.txt"].reason) == (
        "unreadable",
        "a link to a file that is not there",
    )


def test_special_files_are_named_and_never_opened(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    os.mkfifo(folder / "pipe.txt")
    short = tmp_path_factory.mktemp("s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(short / "s"))
        os.rename(short / "s", folder / "socket")
        found = by_path(folder, "/dev/null")
    for path in ("pipe.txt", "socket"):
        reading = next(reading for name, reading in found.items() if name.endswith(path))
        assert (reading.status, reading.reason) == ("unreadable", "not a regular file")


def test_names_that_are_not_utf8_are_shown_as_valid_unicode(tmp_path: Path) -> None:
    raw = os.fsencode(tmp_path)
    for name in (b"caf\xe9.txt", b"caf\\xe9.txt", "café.txt".encode(), "cafe\u0301.txt".encode()):
        with open(raw + b"/" + name, "wb") as file:
            file.write(name)
    found = by_path(tmp_path)
    assert len(found) == 4
    for path in found:
        path.encode()
    assert found["café.txt"].text == "café.txt".encode()
    assert found["cafe\u0301.txt"].text == "cafe\u0301.txt".encode()
    assert {found["caf\\xe9.txt"].text, found["caf\\xe9 (2).txt"].text} == {
        b"caf\xc3\xa9.txt",
        b"caf\\xe9.txt",
    }


def test_a_root_that_is_not_utf8_is_shown_like_a_name_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given as a folder, as `.`, as a pattern or by a file in it; the file is read all the same."""
    folder = os.path.join(tmp_path, "r\udcff")
    os.mkdir(folder)
    with open(os.path.join(folder, "a.txt"), "w") as file:
        file.write("words")
    monkeypatch.chdir(folder)
    for given in (folder, ".", f"{folder}/*.txt", f"{folder}/a.txt"):
        (reading,) = all_readings(given)
        assert (reading.root, reading.path, reading.text) == (f"{tmp_path}/r\\xff", "a.txt", b"words")


def test_roots_that_are_shown_alike_are_told_apart(tmp_path: Path) -> None:
    """A stray byte, and the same escape spelled out: both files are listed, and both are read."""
    folders = [os.path.join(tmp_path, name) for name in ("r\udcff", "r\\xff")]
    for folder in folders:
        os.mkdir(folder)
        with open(os.path.join(folder, "a.txt"), "w") as file:
            file.write(ascii(folder[-4:]))
    found = by_path(*folders)
    assert list(found) == ["a (2).txt", "a.txt"]
    assert {reading.text.decode() for reading in found.values()} == {ascii(folder[-4:]) for folder in folders}


def test_patterns_that_are_not_utf8_mean_the_names_that_they_spell(tmp_path: Path) -> None:
    """`--exclude` and `--encoding` with the bytes of a name, as a shell completes it."""
    for name in ("b\udcfe.txt", "c\udcfd.txt"):
        with open(os.path.join(tmp_path, name), "wb") as file:
            file.write("Müller".encode("cp437"))
    found = by_path(tmp_path, exclude=("b\udcfe*",), encoding=as_rules("c\udcfd*=cp437"))
    assert found["b\\xfe.txt"].status == "excluded"
    assert found["c\\xfd.txt"].text.decode() == "Müller"
    assert as_rules("c\udcfd*=cp437") == ("c\\xfd*=cp437",)


def test_excluded_documents_are_listed_but_not_read(folder: Path) -> None:
    found = by_path(folder, exclude=("*.md", "b/deep/**"))
    assert {path for path, reading in found.items() if reading.status == "excluded"} == {
        "b/1.md",
        "b/deep/2.txt",
    }
    assert (found["b/1.md"].text, found["b/1.md"].sha256) == (b"", "")
    assert found["a.txt"].status == ""


def test_a_pattern_without_slash_excludes_folders_of_that_name(folder: Path) -> None:
    found = by_path(folder, exclude=("deep",))
    assert [path for path, reading in found.items() if reading.status == "excluded"] == ["b/deep/2.txt"]


def test_a_folder_that_cannot_be_listed_is_a_document_with_the_reason(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.scandir

    def scandir(folder: int) -> object:
        if os.readlink(f"/proc/self/fd/{folder}").endswith("deep"):
            raise PermissionError(13, "denied")
        return real(folder)

    monkeypatch.setattr(os, "scandir", scandir)
    reading = next(reading for reading in all_readings(folder) if reading.path == "b/deep")
    assert reading.status == "unreadable"
    assert reading.reason == "this folder could not be listed: permission denied"
