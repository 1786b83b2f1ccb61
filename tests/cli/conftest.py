from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cli_fake as fake
import jsonschema
import pytest
from cli_held import HeldMatter, like

import truecopy
from truecopy import schemas
from truecopy.cli.run import run


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        assert self.out.count("\n") == 1, "standard output is one line"
        loaded: dict[str, Any] = json.loads(self.out)
        return loaded


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Ran]:
    """Run a command line in this process."""
    monkeypatch.delenv("TRUECOPY_DEBUG", raising=False)
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: str) -> Ran:
        capsys.readouterr()
        code = run(arguments)
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def ask(opened: truecopy.Matter, cli: Callable[..., Ran]) -> Any:
    """A command on the matter that a module has opened, its JSON checked against the schema."""

    def call(*words: str) -> Any:
        answer = cli(*words, "--matter", str(opened.path), "--json").json
        jsonschema.Draft202012Validator(schemas.schema(words[0])).validate(answer)
        return answer

    return call


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> fake.Matter:
    """The fake library in the place of the real one; returns the matter that it answers with."""
    matter = HeldMatter()

    def make(first: Any, **named: Any) -> fake.Matter:
        matter.paths, matter.asked = first, named
        return matter

    def write(source: Any, path: Path, progress: Any = None, **asked: Any) -> Path:
        return Path(path)

    monkeypatch.setitem(vars(truecopy), "scan", like(truecopy.scan, make))
    monkeypatch.setitem(vars(truecopy), "create", like(truecopy.create, make))
    monkeypatch.setitem(vars(truecopy), "open", lambda path: matter)
    monkeypatch.setattr("truecopy.report.write_html", write)
    monkeypatch.setattr("truecopy.report.write_xlsx", write)
    compared = (fake.COMPARISON, *fake.SIDES)
    monkeypatch.setattr("truecopy.cli.commands.compare._compare_files", lambda a, b, encoding: compared)
    return matter
