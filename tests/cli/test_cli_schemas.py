"""Every command keeps to its schema, when it succeeds and when it fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import cli_fake as fake
import jsonschema
import pytest

import truecopy.demo
from truecopy import schemas
from truecopy.api import Against
from truecopy.cli.app import commands
from truecopy.demo import Dataroom
from truecopy.errors import BelowFloor
from truecopy.matter.ask.against import FormHit
from truecopy.sign.statistics import build

COMMANDS = sorted(name.replace(" ", "-") for name in commands())
"""As schemas are named: the command of a group with a hyphen."""
WITHOUT_MATTER = {name for name in COMMANDS if name.startswith("stats-")} | {"sign", "methods"}
"""They need no matter; their failures are in test_cli_stats.py and test_cli_sign.py."""
EXAMPLES = {
    "scan": ["scan", "room"],
    "init": ["init"],
    "add": ["add", "room"],
    "status": ["status"],
    "documents": ["documents", "--path", "a/**"],
    "groups": ["groups"],
    "pairs": ["pairs", "--threshold", "80"],
    "similar": ["similar", "TC-000001"],
    "compare": ["compare", "a.txt", "b.txt"],
    "floor": ["floor", "60"],
    "index-status": ["index", "status"],
    "index-rebuild": ["index", "rebuild"],
    "index-verify": ["index", "verify"],
    "report": ["report", "--output", "r.html"],
    "demo": ["demo", "--scan"],
    "doctor": ["doctor", "--matter", "m"],
    "schema": ["schema", "scan"],
    "sign": ["sign", "{room}/one.txt", "--method", "simhash"],
    "methods": ["methods"],
    "stats-build": ["stats", "build", "{room}", "--out", "{room}/new.statistics"],
    "stats-merge": ["stats", "merge", "{room}/a.statistics", "{room}/a.statistics", "--out", "{room}/new.statistics"],
    "stats-show": ["stats", "show", "{room}/a.statistics"],
    "stats-compare": ["stats", "compare", "{room}/a.statistics", "legal-english", "{room}/one.txt"],
}


def example(name: str, folder: Path) -> list[str]:
    """A command line; those that need no matter find texts and statistics in a folder."""
    if name in WITHOUT_MATTER:
        (folder / "one.txt").write_text("The lessee pays the rent.")
        build(["The lessee pays the rent."]).save(folder / "a.statistics")
    return [word.format(room=folder) for word in EXAMPLES[name]]


def check(name: str, value: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator(schemas.schema(name)).validate(value)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> None:
    def write(folder: Path, documents: int, seed: int) -> Dataroom:
        return Dataroom(folder, Path(f"{folder}-truth.json"), documents, {"txt": documents})

    monkeypatch.setattr(truecopy.demo, "write_dataroom", write)


def test_every_command_has_a_schema_and_every_schema_a_command():
    assert list(schemas.names()) == COMMANDS


@pytest.mark.parametrize("name", COMMANDS)
def test_schemas_are_valid_strict_and_whole(name):
    """No object of a schema accepts a name that it does not list, and no reference leaves the file."""
    schema = schemas.schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)

    def walk(node: Any, place: str) -> None:
        if isinstance(node, list):
            for each in node:
                walk(each, place)
        if isinstance(node, dict):
            if node.get("type") == "object" and not (name == "schema" and place == "schema"):
                assert "additionalProperties" in node, place
            if "$ref" in node:
                assert node["$ref"].removeprefix("#/$defs/") in schema["$defs"]
            for key, each in node.items():
                walk(each, key)

    walk(schema, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_success_keeps_to_the_schema(name, cli, library, room, tmp_path):
    ran = cli(*example(name, tmp_path), "--json")
    assert ran.code == 0, ran.out
    assert ran.json["ok"] is True
    assert ran.err == ""
    check(name, ran.json)


@pytest.mark.parametrize("name", COMMANDS)
def test_wrong_use_keeps_to_the_schema(name, cli, tmp_path):
    ran = cli(*example(name, tmp_path), "--no-such-option", "--json")
    assert ran.code == 2
    assert ran.json["error"]["code"] == "usage"
    assert ran.err == ""
    check(name, ran.json)


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"schema", "demo", "doctor"} - WITHOUT_MATTER))
def test_failure_keeps_to_the_schema(name, cli, monkeypatch):
    def refuse(*given: Any, **named: Any) -> None:
        raise BelowFloor("The threshold is 60, but pairs are stored from 70.", "Make a matter with --floor 60.")

    for function in ("scan", "create", "open"):
        monkeypatch.setitem(vars(truecopy), function, refuse)
    monkeypatch.setattr("truecopy.cli.commands.compare._compare_files", refuse)
    ran = cli(*EXAMPLES[name], "--json")
    assert ran.code == 2
    assert ran.json["error"] == {
        "code": "below-floor",
        "message": "The threshold is 60, but pairs are stored from 70.",
        "hint": "Make a matter with --floor 60.",
    }
    check(name, ran.json)


def test_a_schema_refuses_what_it_does_not_know(cli, library):
    good = cli("status", "--json").json
    with pytest.raises(jsonschema.ValidationError):
        check("status", good | {"surprise": 1})
    with pytest.raises(jsonschema.ValidationError):
        check("status", {key: value for key, value in good.items() if key != "waves"})


def test_scan_against_a_form_has_its_hits(cli, library):
    hits = (FormHit(fake.B, 91.23456, (88.0, 12.34567), "revision"),)
    library.scanned = replace(fake.SCAN, against=Against("form.docx", hits))
    said = cli("scan", "room", "--against", "form.docx", "--json").json
    check("scan", said)
    assert said["against"]["hits"] == [
        {
            "id": "TC-000002",
            "path": fake.HOSTILE,
            "similarity": 91.2346,
            "containment": [88.0, 12.3457],
            "kind": "revision",
        }
    ]


def test_measures_have_four_decimals(cli, library):
    pairs = cli("pairs", "--threshold", "80", "--json").json["pairs"]
    assert pairs[0]["similarity"] == 90.0
    assert pairs[0]["containment"] == [80.0, 83.3333]
    assert pairs[0]["resemblance"] == 68.9655
    assert pairs[1]["similarity"] is None
    assert cli("groups", "--json").json["groups"][0]["members"][0]["similarity"] == 93.4568


def test_doctor_with_a_damaged_matter_fails_and_still_lists_its_checks(cli, library):
    library.problems = ["segment 7: its checksum does not agree"]
    ran = cli("doctor", "--matter", "m", "--json")
    assert ran.code == 1
    assert ran.json["ok"] is False
    assert {"state": "broken", "value": "segment 7: its checksum does not agree"}.items() <= ran.json["checks"][
        -1
    ].items()
    check("doctor", ran.json)


def test_schema_lists_and_prints(cli):
    listed = cli("schema")
    assert listed.out.split() == COMMANDS
    check("schema", cli("schema", "--json").json)
    unknown = cli("schema", "nothing", "--json")
    assert unknown.code == 1
    check("schema", unknown.json)
