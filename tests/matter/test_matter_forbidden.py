"""A matter that the user may not read is told as that: not as wrong use, a missing matter, a broken disk or damage.

Where the tests run as root, whom modes do not stop, the commands run as another user.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.troubles import HINTS, Trouble

pytestmark = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no modes")
SOMEBODY = 65534
# What the commands import is loaded before the user changes: the other one may not be able to read it.
COMMANDS = """
import contextlib, io, json, os, sys
from truecopy.cli.run import run
typed, whole, somebody = json.loads(sys.argv[1])
def said(command):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = run([*command, "--json"])
    return [code, json.loads(out.getvalue())]
said([*typed, "--matter", whole])
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(somebody)
    os.setuid(somebody)
print(json.dumps(said(typed + ["--matter", sys.argv[2]])))
"""
ASK = ["similar", "TC-000001"]


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="truecopy-forbidden-"))
    folder.chmod(0o755)
    yield folder
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o700)
    shutil.rmtree(folder)


@pytest.fixture
def matter(place: Path) -> Path:
    """A matter that everybody may read."""
    room = place / "room"
    room.mkdir()
    for number in range(3):
        (room / f"{number}.txt").write_text(" ".join(f"word{one}" for one in range(40)) + f" {number}")
    (place / "above").mkdir()
    (place / "above").chmod(0o755)
    made = tc.scan(room, matter=place / "above" / "m", access="all", report=False)
    made.sign("letters")
    shutil.copytree(made.path, place / "whole")
    return made.path


def asked(matter: Path, *command: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON of a command that a user without rights runs."""
    arguments = json.dumps([command, str(matter.parents[1] / "whole"), SOMEBODY])
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS, arguments, str(matter)],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    code, said = json.loads(done.stdout)
    return code, said


def is_forbidden(answer: tuple[int, dict[str, Any]], named: str) -> bool:
    code, said = answer
    assert code == 1, said
    error = said["error"]
    assert (error["code"], error["hint"]) == ("forbidden", HINTS[Trouble.FORBIDDEN])
    assert error["message"].startswith("You have no permission to read ")
    return named in error["message"]


def test_a_matter_that_everybody_may_read_is_read(matter: Path) -> None:
    assert asked(matter, "status")[0] == 0
    assert asked(matter, *ASK)[0] == 0


@pytest.mark.parametrize("name", [".", "..", "matter.sqlite"])
@pytest.mark.parametrize("command", [["status"], ASK, ["add", "x"]])
def test_the_folder_the_one_above_it_or_the_database_may_not_be_read(
    matter: Path, name: str, command: list[str]
) -> None:
    (matter / name).resolve().chmod(0)
    assert is_forbidden(asked(matter, *command), str(matter))


def test_a_folder_that_may_be_entered_but_holds_no_matter_and_may_not_be_listed(matter: Path) -> None:
    (matter.parent / "other").mkdir()
    (matter.parent / "other").chmod(0o311)
    assert is_forbidden(asked(matter.parent / "other", "status"), "other")


@pytest.mark.parametrize(
    ("pattern", "command"),
    [
        ("wave-0001.streams.*", ["similar", "{room}/0.txt"]),
        ("wave-0001.vocabulary.*", ["similar", "{room}/0.txt"]),
        ("index-letters*", [*ASK, "--method", "letters"]),
    ],
)
def test_a_file_of_the_matter_may_not_be_read(matter: Path, pattern: str, command: list[str]) -> None:
    """It is named, and not called damaged."""
    names = [file.name for file in matter.glob(f"{pattern}.segment")]
    assert names
    for name in names:
        (matter / name).chmod(0)
    typed = [word.format(room=matter.parents[1] / "room") for word in command]
    assert is_forbidden(asked(matter, *typed), names[0])


def test_the_log_may_not_be_read(matter: Path) -> None:
    """It holds the last changes: without it, the matter would be answered from as it was before."""
    held = sqlite3.connect(matter / "matter.sqlite")
    try:
        held.execute("update facts set value = value || ' ' where name = 'settings'")
        held.commit()
        log = matter / "matter.sqlite-wal"
        assert log.stat().st_size
        log.chmod(0)
        (matter / "matter.sqlite-shm").chmod(0)
        assert is_forbidden(asked(matter, "status"), str(matter))
    finally:
        held.close()


def test_the_doctor_does_not_call_it_damaged(matter: Path) -> None:
    matter.chmod(0)
    code, said = asked(matter, "doctor")
    assert code == 1
    (check,) = [one for one in said["checks"] if one["name"] == "matter"]
    assert check["value"].startswith("You have no permission to read the matter")
    assert check["hint"] == HINTS[Trouble.FORBIDDEN]
