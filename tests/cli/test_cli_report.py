"""Reports and redlines from the command line, with the real library: formats, pages, renewed and out of date."""

from __future__ import annotations

import os
import random
import re
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from openpyxl import load_workbook

import truecopy as tc
from truecopy import schemas

WORDS = "agreement party notice term fee service record office claim order grants delivers pays ends renews".split()


def text(seed: int, words: int = 200) -> str:
    dice = random.Random(seed)
    return " ".join(f"{dice.choice(WORDS)}{dice.randrange(60)}" for _ in range(words))


def check(name: str, value: dict[str, Any]) -> dict[str, Any]:
    jsonschema.Draft202012Validator(schemas.schema(name)).validate(value)
    return value


@pytest.fixture
def room(tmp_path: Path) -> Path:
    folder = tmp_path / "the room"
    folder.mkdir()
    (folder / "base.txt").write_text(text(1) + " Pay $100.")
    (folder / "draft.txt").write_text(text(1).replace("agreement1 ", "agreement two ") + " Pay €100 today.")
    (folder / "other.txt").write_text(text(2))
    (folder / "scan.docx").write_bytes(b"PK\x03\x04 this is no archive")
    return folder


@pytest.fixture
def matter(room: Path, tmp_path: Path, cli: Callable[..., Any]) -> Path:
    made = tmp_path / "my matter"
    assert cli("scan", str(room), "--matter", str(made), "--json").code == 0
    return made


def compared(cli: Callable[..., Any], *arguments: object) -> dict[str, Any]:
    return check("compare", cli("compare", *map(str, arguments), "--json").json)


# Compare


def test_one_page_for_two_documents_of_the_matter_two_files_or_one_of_each(cli, room, matter, tmp_path):
    page = tmp_path / "redline.html"
    sides = (
        ("TC-000001", "TC-000002", "--matter", matter),
        (room / "base.txt", room / "draft.txt"),
        ("TC-000001", room / "draft.txt", "--matter", matter),
        (room / "base.txt", "TC-000002", "--matter", matter),
    )
    pages = []
    for given in sides:
        said = compared(cli, *given, "--html", page)
        assert said["html"] == str(page)
        content = page.read_text("utf-8")
        pages.append(re.sub(r".*<div class=\"text\"", "", content, flags=re.DOTALL))
        page.unlink()
    assert len(set(pages)) == 1, "the same two texts give the same redline"
    assert re.search(r"<del[^>]*>\$(?:100)?</del>", pages[0])


def test_open_starts_the_browser_with_a_page_that_only_the_user_can_read(cli, room, tmp_path, monkeypatch):
    seen = tmp_path / "seen.txt"
    program = tmp_path / "browser.py"
    program.write_text("import sys; open(sys.argv[1], 'w').write(sys.argv[2])")
    monkeypatch.setenv("BROWSER", f'"{sys.executable}" "{program}" "{seen}" %s')
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("webbrowser._tryorder", None)
    said = compared(cli, room / "base.txt", room / "draft.txt", "--open")
    page = Path(said["html"])
    assert seen.read_text() == page.as_uri()
    assert page.read_text("utf-8").startswith("<!doctype html>")
    if os.name == "posix":
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700


def test_no_browser_is_no_failure_and_the_page_is_named(cli, room, tmp_path, monkeypatch):
    import webbrowser

    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    ran = cli("compare", str(room / "base.txt"), str(room / "draft.txt"), "--open", "--html", str(tmp_path / "r.html"))
    assert ran.code == 0
    assert "open the page by hand" in ran.out
    assert str(tmp_path / "r.html") in ran.out.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["TC-000001", "TC-000002"], 2, "its matter is missing"),
        (["TC-000001", "177"], 2, "its matter is missing"),
        (["{room}/base.txt", "TC-000002"], 2, "its matter is missing"),
        (["TC-000001", "nothing.txt", "--matter", "{matter}"], 1, "nothing.txt"),
        (["TC-000001", "TC-000004", "--matter", "{matter}"], 1, "has no text to compare"),
        (["{room}/base.txt", "{room}/scan.docx"], 1, "scan.docx"),
        (["{room}/base.txt", "{room}/blank.txt"], 1, "blank.txt has no text to compare: there is no word in it"),
        (["{room}/base.txt", "{room}/draft.txt", "--html", "{room}/page.pdf"], 2, "does not end in .html"),
        (["{room}/base.txt", "{room}/draft.txt", "--html", "{room}"], 2, "is a folder"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_a_sentence(arguments, code, told, cli, room, matter):
    (room / "blank.txt").write_text(" \n")
    filled = [word.format(room=room, matter=matter) for word in arguments]
    ran = cli("compare", *filled, "--json")
    check("compare", ran.json)
    assert ran.code == code
    assert told in ran.json["error"]["message"]
    assert ran.json["error"]["hint"]


# Report


@pytest.mark.parametrize(
    ("options", "form", "start"),
    [
        (["--output", "{tmp}/r.html"], "html", b"<!doctype html>"),
        (["--output", "{tmp}/r.HTM"], "html", b"<!doctype html>"),
        (["--output", "{tmp}/r.xlsx"], "xlsx", b"PK"),
        (["--output", "{tmp}/r.xlsx", "--xlsx"], "xlsx", b"PK"),
        (["--xlsx"], "xlsx", b"PK"),
        (["--redlines"], "html", b"<!doctype html>"),
        ([], "html", b"<!doctype html>"),
    ],
)
def test_the_name_of_the_file_decides_the_format(options, form, start, cli, matter, tmp_path):
    said = cli("report", "--matter", str(matter), *(word.format(tmp=tmp_path) for word in options), "--json").json
    check("report", said)
    assert said["format"] == form
    assert Path(said["report"]).read_bytes().startswith(start)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--output", "r.pdf"], "r.pdf does not name a report format"),
        (["--output", "report"], "report does not name a report format"),
        (["--output", "r.html", "--xlsx"], "--xlsx was given"),
        (["--output", "r.html", "--pairs"], "--pairs was given"),
        (["--output", "r.xlsx", "--redlines"], "--redlines was given"),
    ],
)
def test_a_name_of_no_known_format_is_refused_with_the_choices(options, told, cli, matter):
    ran = cli("report", "--matter", str(matter), *options, "--json")
    check("report", ran.json)
    assert ran.code == 2
    assert told in ran.json["error"]["message"]
    assert ".xlsx" in ran.json["error"]["hint"] or "--xlsx" in ran.json["error"]["hint"]


def test_a_scan_writes_its_report_only_to_a_page(cli, room, tmp_path):
    ran = cli("scan", str(room), "--matter", str(tmp_path / "m"), "--report", str(tmp_path / "r.xlsx"), "--json")
    check("scan", ran.json)
    assert ran.code == 2
    assert "does not end in .html" in ran.json["error"]["message"]
    assert not (tmp_path / "m").exists()


def test_pairs_are_in_the_workbook_only_when_asked_for(cli, matter, tmp_path):
    for options in ([], ["--pairs"]):
        cli("report", "--matter", str(matter), "--output", str(tmp_path / "r.xlsx"), *options, "--json")
        assert ("Pairs" in load_workbook(tmp_path / "r.xlsx").sheetnames) == bool(options)


# Add


def wave_of(tmp_path: Path) -> Path:
    """A copy of an earlier document, one that joins its group, and two that make a group of their own."""
    folder = tmp_path / "production 2"
    folder.mkdir()
    (folder / "copy.txt").write_text(text(1) + " Pay $100.")
    (folder / "joins.txt").write_text(text(1).replace("fee", "price") + " Pay $100.")
    (folder / "new.txt").write_text(text(7))
    (folder / "new too.txt").write_text(text(7) + " and more")
    return folder


def test_add_says_what_the_wave_changed_and_writes_the_report_anew(cli, matter, tmp_path):
    cli("report", "--matter", str(matter), "--xlsx", "--json")
    before = (matter / "report.html").read_bytes(), (matter / "report.xlsx").read_bytes()
    said = check("add", cli("add", str(wave_of(tmp_path)), "--matter", str(matter), "--json").json)
    assert (said["copies_of_earlier"], said["joined"], said["new_groups"]) == (1, 1, 1)
    assert said["renewed"] == [str(matter / "report.html"), str(matter / "report.xlsx")]
    assert said["outdated"] == []
    page = (matter / "report.html").read_text("utf-8")
    assert "joins.txt" in page
    assert 'class="outdated"' not in page
    assert before[1] != (matter / "report.xlsx").read_bytes()
    assert before[0] != page.encode()


def test_without_a_new_report_the_old_one_says_that_it_is_out_of_date(cli, matter, tmp_path):
    said = check("add", cli("add", str(wave_of(tmp_path)), "--matter", str(matter), "--no-report", "--json").json)
    assert (said["renewed"], said["outdated"]) == ([], [str(matter / "report.html")])
    page = (matter / "report.html").read_text("utf-8")
    assert "joins.txt" not in page
    assert "This report is out of date" in page
    cli("report", "--matter", str(matter), "--json")
    assert "This report is out of date" not in (matter / "report.html").read_text("utf-8")


def test_a_matter_without_a_report_gets_none_by_add(cli, room, tmp_path):
    cli("scan", str(room), "--matter", str(tmp_path / "m"), "--no-report", "--json")
    said = check("add", cli("add", str(wave_of(tmp_path)), "--matter", str(tmp_path / "m"), "--json").json)
    assert (said["renewed"], said["outdated"]) == ([], [])
    assert not (tmp_path / "m" / "report.html").exists()


@pytest.mark.parametrize("form", ["html", "xlsx"])
def test_a_report_that_does_not_know_the_last_wave_is_settled_when_nothing_is_new(cli, matter, tmp_path, form):
    """As after a kill between the commit and the report: the same command makes good what was left undone."""
    report, wave = matter / f"report.{form}", wave_of(tmp_path)
    if form == "xlsx":
        cli("report", "--matter", str(matter), "--xlsx", "--json")
        (matter / "report.html").unlink()
    tc.open(matter).add(wave, wave="w1")  # Python leaves the report to its caller
    before = report.read_bytes()
    again = "add", str(wave), "--matter", str(matter), "--wave", "w1", "--json"
    said = check("add", cli(*again, "--no-report").json)
    assert (said["documents"], said["wave"], said["outdated"]) == (0, None, [str(report)])
    if form == "html":
        assert "the wave “w1” (4 documents) was added" in report.read_text("utf-8")
    assert str(report) in cli(*again[:-1]).out.replace("\n", "")
    assert report.read_bytes() != before
    assert form == "xlsx" or "is out of date" not in report.read_text("utf-8")
    said = check("add", cli(*again).json)
    assert (said["documents"], said["renewed"], said["outdated"]) == (0, [], [])
    tc.open(matter).sign("simhash")
    assert check("add", cli(*again).json)["renewed"] == [], "no wave was added since"


def test_a_wave_of_nothing_new_leaves_the_report_as_it_is(cli, room, matter):
    before = (matter / "report.html").read_bytes()
    said = check("add", cli("add", str(room), "--matter", str(matter), "--json").json)
    assert (said["already"], said["renewed"], said["outdated"]) == (4, [], [])
    assert (matter / "report.html").read_bytes() == before


def test_a_report_that_cannot_be_renewed_is_marked_and_the_wave_is_there(cli, matter, tmp_path, monkeypatch):
    from truecopy.errors import TruecopyError

    def full(*given: Any, **named: Any) -> Path:
        raise TruecopyError("The report could not be written: No space left on device.")

    monkeypatch.setattr("truecopy.report.write_html", full)
    ran = cli("add", str(wave_of(tmp_path)), "--matter", str(matter), "--json")
    check("add", ran.json)
    assert ran.code == 1
    assert "was added, but the report could not be updated" in ran.json["error"]["message"]
    assert "This report is out of date" in (matter / "report.html").read_text("utf-8")
    assert cli("status", "--matter", str(matter), "--json").json["documents"] == 8
