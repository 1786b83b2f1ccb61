"""Originals are only read: no command may write over a document, whatever it was asked to write and where."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import UsageError
from truecopy.report import write_html, write_html_with_redlines, write_xlsx

TEXT = "The lessee shall pay the rent on the first day of each month to the lessor without delay. "


@pytest.fixture
def room(tmp_path: Path) -> Path:
    folder = tmp_path / "room"
    (folder / "deeper").mkdir(parents=True)
    for name in ("a.html", "b.html", "deeper/list.csv", "deeper/c.htm", "table.parquet", "notes.txt"):
        (folder / name).write_text(f"<p>{name} {TEXT}</p>")
    return folder


@pytest.fixture
def matter(room: Path, cli: Any) -> Path:
    made = room.parent / "matter"
    assert cli("scan", str(room), "--matter", str(made), "--no-report").code == 0
    return made


COMMANDS: list[tuple[list[str], str]] = [
    (["compare", "ROOM/a.html", "ROOM/b.html", "--html", "ROOM/a.html"], "a.html"),
    (["compare", "1", "2", "--matter", "MATTER", "--html", "ROOM/deeper/c.htm"], "deeper/c.htm"),
    (["report", "--matter", "MATTER", "--output", "ROOM/b.html"], "b.html"),
    (["documents", "--matter", "MATTER", "--csv", "ROOM/deeper/list.csv"], "deeper/list.csv"),
    (["groups", "--matter", "MATTER", "--csv", "ROOM/deeper/../deeper/list.csv"], "deeper/list.csv"),
    (["pairs", "--matter", "MATTER", "--parquet", "ROOM/table.parquet"], "table.parquet"),
    (["similar", "1", "--matter", "MATTER", "--csv", "ROOM/deeper/list.csv"], "deeper/list.csv"),
    (["scan", "ROOM", "--matter", "OTHER", "--report", "ROOM/a.html"], "a.html"),
    (["scan", "ROOM/*.html", "--matter", "OTHER", "--report", "ROOM/a.html"], "a.html"),
    (["sign", "ROOM", "--method", "simhash", "--out", "ROOM/notes.txt"], "notes.txt"),
    (["sign", "--matter", "MATTER", "--method", "simhash", "--out", "ROOM/notes.txt"], "notes.txt"),
    (["stats", "build", "ROOM", "--out", "ROOM/notes.txt"], "notes.txt"),
]


@pytest.mark.parametrize(
    ("command", "original"), COMMANDS, ids=lambda value: value[0] if isinstance(value, list) else ""
)
def test_no_command_writes_over_an_original(
    command: list[str], original: str, room: Path, matter: Path, cli: Any
) -> None:
    """Each is refused in one sentence before any work, and the file stays as it was."""
    before = (room / original).read_bytes()
    names = {"ROOM": str(room), "MATTER": str(matter), "OTHER": str(room.parent / "other")}
    for name, place in names.items():
        command = [word.replace(name, place) for word in command]
    ran = cli(*command)
    assert ran.code == 2, ran
    assert re.search("originals are never written over|so it is not replaced", ran.err)
    assert (room / original).read_bytes() == before
    assert not (room.parent / "other").exists()


@pytest.mark.parametrize("write", [write_html, write_html_with_redlines, write_xlsx])
def test_no_report_from_python_writes_over_an_original(write: Any, room: Path, matter: Path) -> None:
    before = (room / "a.html").read_bytes()
    with pytest.raises(UsageError, match="originals are never written over"):
        write(tc.open(matter), room / "a.html")
    assert (room / "a.html").read_bytes() == before


def test_what_is_no_original_is_written_and_written_again(room: Path, matter: Path, cli: Any) -> None:
    """A list beside the originals, and a file of the same name elsewhere."""
    for target in (room / "deeper" / "mine.csv", room.parent / "list.csv", room / "list.csv"):
        for _ in range(2):
            assert cli("documents", "--matter", str(matter), "--csv", str(target)).code == 0
    page = matter / "report.html"
    for _ in range(2):
        assert cli("report", "--matter", str(matter), "--output", str(page)).code == 0


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege there")
def test_a_link_to_an_original_is_replaced_and_not_followed(room: Path, matter: Path, cli: Any) -> None:
    """A file appears in the place of a link; what the link led to stays."""
    before = (room / "a.html").read_bytes()
    link = room.parent / "page.html"
    link.symlink_to(room / "a.html")
    cli("report", "--matter", str(matter), "--output", str(link))
    assert (room / "a.html").read_bytes() == before


@pytest.mark.parametrize("target", ["", ".", "/"])
def test_a_folder_in_place_of_a_list_is_refused(target: str, matter: Path, cli: Any) -> None:
    ran = cli("documents", "--matter", str(matter), "--csv", target)
    assert ran.code == 2
    assert "is a folder, but --csv expects a file" in ran.err
