"""Who may read what commands write: the owner alone, whatever the umask says, unless `--access` says otherwise."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.access import LEVELS, folder_mode
from truecopy.errors import BadSetting

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no modes")
MODES = {"private": (0o700, 0o600), "group": (0o750, 0o640), "all": (0o755, 0o644)}
WORDS = " ".join(f"word{number}" for number in range(40))
COMMANDS = """
import json, os, sys
os.umask(int(sys.argv[1], 8))
from truecopy.cli.run import run
for command in json.loads(sys.argv[2]):
    code = run([*command, "--json"])
    if code:
        sys.exit(code)
"""


def run(umask: int, *commands: list[str]) -> None:
    """Commands, one after the other in one process with this umask."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS, oct(umask), json.dumps(commands)],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{WORDS} {number}")
    return folder


def written(base: Path, umask: int, *access: str) -> tuple[dict[str, int], dict[str, int]]:
    """Modes of a matter with all that it can have, and of all files that commands wrote besides."""
    room, matter, out = documents(base / "room"), base / "matter", base / "out"
    more = documents(base / "more")
    (more / "0.txt").write_text(f"{WORDS} and more")
    out.mkdir()
    of = ["--matter", str(matter)]
    run(
        umask,
        ["scan", str(room), *of, *access],
        ["add", str(more), *of],
        ["sign", *of, "--method", "letters", "--out", str(out / "signatures"), *access],
        ["floor", "60", *of],
        ["index", "rebuild", *of],
        ["report", *of, "--xlsx"],
        ["report", *of, "--output", str(out / "a.html"), "--redlines", *access],
        ["report", *of, "--output", str(out / "a.xlsx"), "--pairs", *access],
        *(
            [
                command,
                *(["TC-000001"] if command == "similar" else []),
                *of,
                "--csv",
                str(out / f"{command}.csv"),
                *access,
            ]
            for command in ("documents", "groups", "pairs", "similar")
        ),
        ["documents", *of, "--parquet", str(out / "a.parquet"), *access],
        ["compare", str(room / "0.txt"), str(room / "1.txt"), "--html", str(out / "redline.html"), *access],
        ["stats", "build", str(room), "--out", str(out / "a.statistics"), "--keep-all", *access],
        ["stats", "merge", str(out / "a.statistics"), "--out", str(out / "b.statistics"), *access],
    )
    return {".": stat.S_IMODE(matter.stat().st_mode), **modes(matter)}, modes(out)


def expected(found: dict[str, int], access: str) -> dict[str, int]:
    folder, file = MODES[access]
    return {name: folder if name == "." else file for name in found}


@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_whatever_is_written_is_private(tmp_path: Path, umask: int) -> None:
    """Every file of a matter, its reports, lists, redlines, signatures and statistics."""
    matter, out = written(tmp_path, umask)
    assert matter == expected(matter, "private")
    assert {"matter.sqlite", "matter.lock", "report.html", "report.xlsx"} < set(matter)
    assert len([name for name in matter if name.endswith(".segment")]) > 5
    assert out == expected(out, "private")
    assert len(out) == 11


@pytest.mark.slow
def test_a_group_may_read_what_it_was_given(tmp_path: Path) -> None:
    """Later waves, indexes and reports in the matter are for the group too, without being told again; even with a umask
    that gives a group nothing."""
    matter, out = written(tmp_path, 0o077, "--access", "group")
    assert matter == expected(matter, "group")
    assert out == expected(out, "group")


@pytest.mark.parametrize("access", LEVELS)
def test_the_files_beside_the_database_have_its_mode(tmp_path: Path, access: str) -> None:
    """SQLite makes them while somebody writes; they hold what is being written."""
    tc.create(tmp_path / "matter", access=access)
    assert tc.open(tmp_path / "matter").access == access
    connection = sqlite3.connect(tmp_path / "matter" / "matter.sqlite")
    connection.execute("update facts set value = value")
    found = modes(tmp_path / "matter")
    connection.close()
    assert {"matter.sqlite", "matter.sqlite-wal", "matter.sqlite-shm"} <= set(found)
    assert found == dict.fromkeys(found, MODES[access][1])
    assert stat.S_IMODE((tmp_path / "matter").stat().st_mode) == MODES[access][0]


@pytest.mark.parametrize(
    ("access", "said"),
    [("private", None), ("group", "you and the group of its files"), ("all", "everyone on this machine")],
)
def test_status_and_add_say_who_else_can_read_a_matter(
    tmp_path: Path, access: str, said: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the modes, which anybody may have changed since it was made; nothing where it is private."""
    from truecopy.cli.run import run

    tc.create(tmp_path / "matter")
    (tmp_path / "matter").chmod(MODES[access][0])
    (tmp_path / "matter" / "matter.sqlite").chmod(MODES[access][1])
    of = ["--matter", str(tmp_path / "matter")]
    more = documents(tmp_path / "more")
    for command in (["add", str(more / "0.txt")], ["status"]):
        assert run([*command, *of]) == 0
        out = capsys.readouterr().out
        assert ("can be read by" in out) == (said is not None)
        assert said is None or said in out
    for command in (["add", str(more / "1.txt")], ["status"]):
        assert run([*command, *of, "--json"]) == 0
        assert json.loads(capsys.readouterr().out)["access"] == access


def test_a_folder_that_was_there_becomes_private_and_keeps_its_group(tmp_path: Path) -> None:
    """An empty folder may become a matter; files in it belong to its group if it says so."""
    (tmp_path / "matter").mkdir()
    (tmp_path / "matter").chmod(0o2775)
    tc.create(tmp_path / "matter")
    assert stat.S_IMODE((tmp_path / "matter").stat().st_mode) == 0o2700


def test_folders_that_are_made_for_a_matter_are_private_too(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        tc.create(tmp_path / "new" / "matter")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == folder_mode("private")


def test_a_scan_that_is_tried_again_with_another_access_has_that(tmp_path: Path) -> None:
    """An empty matter takes the settings of the scan that fills it."""
    tc.create(tmp_path / "matter", access="all")
    tc.scan(documents(tmp_path / "room"), matter=tmp_path / "matter", report=False)
    found = modes(tmp_path / "matter")
    assert found == dict.fromkeys(found, 0o600)
    assert stat.S_IMODE((tmp_path / "matter").stat().st_mode) == 0o700


def test_a_file_that_replaces_another_is_private_again(tmp_path: Path) -> None:
    """What the old one allowed does not count; what is asked for does."""
    from truecopy.report import write_html, write_xlsx

    matter = tc.scan(documents(tmp_path / "room"), matter=tmp_path / "matter", report=False)
    for name, write in (("a.html", write_html), ("a.xlsx", write_xlsx)):
        target = tmp_path / name
        target.write_text("old")
        target.chmod(0o666)
        write(matter, target)
        assert stat.S_IMODE(target.stat().st_mode) == 0o600
        write(matter, target, access="all")
        assert stat.S_IMODE(target.stat().st_mode) == 0o644


def test_an_access_that_there_is_not_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="'public' is not one of private, group, all"):
        tc.create(tmp_path / "matter", access="public")
    assert not (tmp_path / "matter").exists()
    with pytest.raises(BadSetting, match="'public' is not one of"):
        tc.scan(tmp_path, matter=tmp_path / "matter", access="public")
    assert not (tmp_path / "matter").exists()


def received(base: Path, folder: int, file: int) -> Path:
    """A matter whose sender has stored that everybody may read it, with the modes that it has on this machine."""
    matter = base / "received"
    tc.scan(documents(base / "sent"), matter=matter, report=False)
    connection = sqlite3.connect(matter / "matter.sqlite")
    (settings,) = connection.execute("select value from facts where name = 'settings'").fetchone()
    forged = json.dumps({**json.loads(settings), "access": "all"}, sort_keys=True)
    connection.execute("update facts set value = ? where name = 'settings'", (forged,))
    connection.commit()
    connection.close()
    for path in matter.iterdir():
        path.chmod(file)
    matter.chmod(folder)
    return matter


def made_from(matter: Path, base: Path) -> tuple[dict[str, int], dict[str, int]]:
    """The modes of what commands add to a matter, and of what they write elsewhere."""
    before, out, more = set(modes(matter)), base / "out", documents(base / "more")
    out.mkdir()
    (more / "0.txt").write_text(f"{WORDS} and more")
    of = ["--matter", str(matter)]
    run(
        0o022,
        ["report", *of],
        ["report", *of, "--xlsx"],
        ["add", str(more), *of],
        ["report", *of, "--output", str(out / "a.html"), "--redlines"],
        ["report", *of, "--output", str(out / "a.xlsx")],
        ["documents", *of, "--csv", str(out / "a.csv")],
        ["sign", *of, "--method", "letters", "--out", str(out / "signatures")],
    )
    return {name: mode for name, mode in modes(matter).items() if name not in before}, modes(out)


@pytest.mark.parametrize(
    ("folder", "file", "made"),
    [
        (0o700, 0o600, 0o600),
        (0o700, 0o644, 0o600),
        (0o755, 0o600, 0o600),
        (0o750, 0o644, 0o640),
        (0o755, 0o644, 0o644),
    ],
)
def test_a_received_matter_does_not_say_who_may_read(tmp_path: Path, folder: int, file: int, made: int) -> None:
    """What it stores about that does not count: inside it the modes on this machine do, both of the folder and of the
    database; what is written elsewhere is private."""
    inside, outside = made_from(received(tmp_path, folder, file), tmp_path)
    assert {"report.html", "report.xlsx"} < set(inside)
    assert any(name.endswith(".segment") for name in inside)
    assert inside == dict.fromkeys(inside, made)
    assert outside == dict.fromkeys(outside, 0o600)
    assert len(outside) == 4


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
@pytest.mark.parametrize("name", [".", "matter.sqlite"])
def test_what_is_made_in_a_matter_of_somebody_else_is_private(tmp_path: Path, name: str) -> None:
    """An archive that root unpacks keeps owners and modes: both are the sender's choice."""
    matter = received(tmp_path, 0o755, 0o644)
    os.chown(matter / name, 65534, 65534)
    inside, outside = made_from(matter, tmp_path)
    assert inside == dict.fromkeys(inside, 0o600)
    assert outside == dict.fromkeys(outside, 0o600)


def test_a_link_out_of_a_matter_does_not_make_a_place_part_of_it(tmp_path: Path) -> None:
    from truecopy.report import write_html

    matter = tc.scan(documents(tmp_path / "room"), matter=tmp_path / "matter", report=False, access="all")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "matter" / "sub").symlink_to(tmp_path / "elsewhere")
    write_html(matter, tmp_path / "matter" / "sub" / "a.html")
    assert modes(tmp_path / "elsewhere") == {"a.html": 0o600}


def test_a_report_that_is_renewed_is_for_no_more_readers_than_before(tmp_path: Path) -> None:
    """Nobody was asked when a wave is added."""
    room, matter = documents(tmp_path / "room"), tmp_path / "matter"
    of = ["--matter", str(matter)]
    more = documents(tmp_path / "more")
    for number in range(3):
        (more / f"{number}.txt").write_text(f"{WORDS} and more {number}")
    run(0o022, ["scan", str(room), *of, "--access", "all"], ["report", *of, "--access", "private"])
    assert modes(matter)["report.html"] == 0o600
    run(0o022, ["add", str(more / "0.txt"), *of, "--no-report"])
    assert modes(matter)["report.html"] == 0o600
    run(0o022, ["add", str(more / "1.txt"), *of])
    assert modes(matter)["report.html"] == 0o600
    run(0o022, ["report", *of], ["add", str(more / "2.txt"), *of])
    assert modes(matter)["report.html"] == 0o644
