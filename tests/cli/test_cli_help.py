"""Help: an example for every command, a reference page that is never behind, and a quick start."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from truecopy.cli.app import commands
from truecopy.cli.reference import reference

COMMANDS = commands()
HEAVY = {
    "numba",
    "numpy",
    "sqlalchemy",
    "kreuzberg",
    "jinja2",
    "rapidfuzz",
    "xlsxwriter",
    "zstandard",
    "rich.console",
}


def test_the_commands_of_the_contract_are_there():
    contract = {"scan", "init", "add", "status", "documents", "groups", "pairs", "similar", "compare", "report"}
    stats = {"stats build", "stats merge", "stats show", "stats compare"}
    index = {"index status", "index rebuild", "index verify"}
    assert set(COMMANDS) == contract | {"demo", "doctor", "floor", "methods", "schema", "sign"} | stats | index


def test_help_has_two_parts_with_every_command_once(cli):
    """What a lawyer needs comes first; signatures, statistics, indexes and schemas have a heading of their own."""
    listed = (
        cli("--help").out.split("For your documents:\n")[1].split("\n\nSignatures, statistics, indexes, schemas:\n")
    )
    first, second = ([line.split()[0] for line in part.splitlines() if line.startswith("  ")] for part in listed)
    assert first[:2] == ["scan", "init"]
    assert {"add", "status", "documents", "groups", "pairs", "similar", "compare", "report", "demo", "doctor"} <= set(
        first
    )
    assert second == ["sign", "methods", "stats", "index", "schema"]
    assert sorted(first + second) == sorted({name.split()[0] for name in COMMANDS})


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_json_and_an_example_in_its_help(name, cli):
    ran = cli(*name.split(), "--help")
    assert ran.code == 0
    assert "--json" in ran.out
    assert f"Example:\n    truecopy {name}" in ran.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_summary_is_cut_in_the_list_of_commands(name, cli):
    *group, last = name.split()
    line = next(line for line in cli(*group, "--help").out.splitlines() if line.startswith(f"  {last} "))
    assert not line.endswith("...")


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_option_says_what_it_means(name):
    silent = [param.name for param in COMMANDS[name].params if not getattr(param, "help", None)]
    assert silent == []


def test_the_reference_page_is_up_to_date():
    page = Path(__file__).parents[2] / "docs" / "reference" / "commands.md"
    assert page.read_text(encoding="utf-8") == reference(), (
        "python -m truecopy.cli.reference > docs/reference/commands.md"
    )


def test_the_reference_page_has_every_command_and_option():
    page = reference()
    for name, command in COMMANDS.items():
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        for param in command.params:
            assert (param.opts[0] if param.param_type_name == "option" else param.metavar) in section


@pytest.mark.alone
def test_help_imports_nothing_heavy_and_is_quick():
    """The promise is 0.3 s; processor time and the best of five count, since the machine may be busy."""
    code = (
        "import sys, json, contextlib, io; from truecopy.cli.run import run\n"
        "with contextlib.redirect_stdout(io.StringIO()): run(['--help'])\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    best = 9.0
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        best = min(best, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert HEAVY.isdisjoint(json.loads(ended.stdout))
    assert best <= 0.3
