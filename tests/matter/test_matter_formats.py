"""Matters of every format that was ever written: some are brought forward and answer as they did, others are refused.

How one is brought forward, and what is refused on the way, is in `test_matter_migration.py`.
`tests/formats/make_format_sample.py` says how the samples were made and what is recorded of their answers.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import typer

import truecopy as tc
from truecopy.cli.app import app
from truecopy.cli.run import run
from truecopy.errors import MatterError
from truecopy.matter.sql import tables

FORMATS = Path(__file__).parents[1] / "formats"
sys.path.append(str(FORMATS))

from make_format_sample import METHODS, answers, asked, make_matter, questions, write_outside  # noqa: E402

REFUSED = list(range(1, tables.OLDEST))
READ = [number for number in range(tables.OLDEST, tables.FORMAT + 1) if (FORMATS / f"format-{number}").exists()]
"""The sample of a format is made when the next one begins."""
COMMANDS = {
    **questions(Path("nothing.txt")),
    "add": ["add", str(FORMATS)],
    "floor": ["floor", "60"],
    "sign": ["sign", "--method", "mod"],
    "index status": ["index", "status"],
    "index verify": ["index", "verify"],
    "index rebuild": ["index", "rebuild"],
    "report": ["report"],
    "doctor": ["doctor"],
    "scan": ["scan", str(FORMATS), "--no-report"],
    "init": ["init"],
}


@pytest.fixture
def sample(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the sample of a format."""
    with tarfile.open(FORMATS / f"format-{request.param}" / "matter.tar.xz") as packed:
        packed.extractall(tmp_path, filter="data")
    return tmp_path / "matter"


def state(matter: Path) -> dict[str, str]:
    """Every file of a matter; SQLite's own beside the database come and go with whoever reads."""
    files = [file for file in matter.iterdir() if not file.name.endswith(("-wal", "-shm"))]
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("sample", REFUSED, indirect=True)
@pytest.mark.parametrize("command", COMMANDS)
def test_an_earlier_format_is_refused_with_the_command_that_helps(
    sample: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is written, and nobody is told that somebody has changed the matter by hand."""
    before = state(sample)
    assert run([*COMMANDS[command], "--matter", str(sample), "--json"]) != 0
    answer = json.loads(capsys.readouterr().out)
    error = answer["error"]
    if command == "doctor":
        (error,) = [
            {"message": check["value"], "hint": check["hint"]}
            for check in answer["checks"]
            if check["name"] == "matter"
        ]
    assert f"The matter {sample} has format " in error["message"]
    assert "made by an earlier truecopy that could take unlike texts for copies" in error["message"]
    assert "truecopy scan PATH --matter NEW" in error["hint"]
    assert state(sample) == before


def test_every_command_that_takes_a_matter_is_tried() -> None:
    found = set()
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    for name, command in commands.items():
        for part in getattr(command, "commands", {"": command}).values():
            if any("--matter" in option.opts for option in part.params):
                found.add(name)
    assert {command[0] for command in COMMANDS.values()} == found


@pytest.mark.parametrize("sample", [*REFUSED, *READ], indirect=True)
def test_the_sample_of_a_format_is_of_that_format(sample: Path, request: pytest.FixtureRequest) -> None:
    with sqlite3.connect(sample / "matter.sqlite") as connection:
        ((stored,),) = connection.execute("SELECT value FROM facts WHERE name = 'format'").fetchall()
    connection.close()
    assert f"[{stored}]" in request.node.name


@pytest.mark.parametrize("sample", READ, indirect=True)
def test_a_format_that_is_read_answers_as_it_did(sample: Path, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """Documents, statuses, groups, pairs, hits and comparisons are what the version that wrote them gave."""
    number = request.node.callspec.params["sample"]
    expected = json.loads((FORMATS / f"format-{number}" / "answers.json").read_text())
    found = json.loads(json.dumps(answers(sample, write_outside(tmp_path))))
    assert set(found) == set(expected)
    for question, answer in expected.items():
        assert found[question] == answer, question
    assert tc.open(sample).verify() == []


@pytest.mark.parametrize("sample", READ, indirect=True)
def test_a_matter_of_a_format_that_is_read_takes_another_wave(sample: Path, tmp_path: Path) -> None:
    """Ids go on where they ended, groups and signatures take in what is new, and the older answers stay."""
    new = tmp_path / "new"
    new.mkdir()
    shutil.copy(write_outside(tmp_path), new / "third.txt")
    before = asked(sample, ["documents"])["documents"]
    matter = tc.open(sample)
    matter.add(new, threads=1)
    after = asked(sample, ["documents"])["documents"]
    assert [(one["id"], one["path"]) for one in after[: len(before)]] == [(one["id"], one["path"]) for one in before]
    (added,) = after[len(before) :]
    assert (added["id"], added["status"]) == (f"TC-{len(before) + 1:06d}", "member")
    assert "TC-000001" in {hit["id"] for hit in asked(sample, ["similar", added["id"]])["hits"]}
    for method in METHODS:
        hits = asked(sample, ["similar", str(new / "third.txt"), "--method", method])["hits"]
        assert hits[0]["path"] == "third.txt"
    assert tc.open(sample).verify() == []


def test_a_newer_format_with_other_tables_names_what_to_install(tmp_path: Path) -> None:
    tc.create(tmp_path / "new")
    with sqlite3.connect(tmp_path / "new" / "matter.sqlite") as connection:
        connection.execute("UPDATE facts SET value = ? WHERE name = 'format'", (str(tables.FORMAT + 1),))
        connection.execute("CREATE TABLE clauses (number INTEGER PRIMARY KEY)")
    connection.close()
    with pytest.raises(MatterError, match=f"has format {tables.FORMAT + 1}, and this truecopy knows") as refused:
        tc.open(tmp_path / "new")
    assert refused.value.hint == "Install a newer truecopy."


@pytest.mark.parametrize("facts", ["VIEW facts AS SELECT 'format' AS name, '4' AS value", None])
def test_what_a_foreign_schema_says_of_its_format_is_not_believed(tmp_path: Path, facts: str | None) -> None:
    """Only a table of facts that is ours to the letter is read, and a format of ours excuses no other table."""
    tc.create(tmp_path / "forged")
    with sqlite3.connect(tmp_path / "forged" / "matter.sqlite") as connection:
        connection.execute("CREATE TABLE foreign_table (number INTEGER PRIMARY KEY)")
        if facts:
            connection.execute("DROP TABLE facts")
            connection.execute(f"CREATE {facts}")
    connection.close()
    with pytest.raises(MatterError, match="which truecopy has not made"):
        tc.open(tmp_path / "forged")


def test_the_script_makes_a_matter_that_answers_every_question(tmp_path: Path) -> None:
    """The sample of the next format is made with it, so it has to work when that day comes."""
    matter = tmp_path / "matter"
    make_matter(tmp_path, matter)
    found: dict[str, Any] = answers(matter, write_outside(tmp_path))
    assert all(found.values())
    statuses = found["status"]["statuses"]
    assert set(statuses) > {"unreadable", "excluded", "empty", "numbers-only", "same-file", "same-text", "too-short"}
    assert set(statuses) > {"principal", "member", "linked", "unique"}
    assert tc.open(matter).left_out() > 0, "a dense family"
