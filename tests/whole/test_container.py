"""The container's recipe: what it copies exists, who it runs as, and its own commands, run in a clean environment.

Building an image needs an engine; where there is none, running the steps one by one is as near as one can get.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from truecopy.cli.app import commands

ROOT = Path(__file__).parents[2]
Step = tuple[str, str]


def steps() -> list[Step]:
    """(instruction, what stands behind it), with continued lines joined and comments left out."""
    lines = [line for line in (ROOT / "Dockerfile").read_text("utf-8").splitlines() if not line.startswith("#")]
    joined = re.sub(r"\\\n\s*", "", "\n".join(lines))
    return [(word, rest) for word, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def of(kind: str) -> list[str]:
    return [rest for word, rest in steps() if word == kind]


def is_sent(path: str) -> bool:
    """Whether the builder gets a file: the last line of .dockerignore that fits decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines():
        pattern = line.lstrip("!").removeprefix("**/")
        if line and not line.startswith("#") and any(fnmatch(part, pattern) for part in (path, *above(path))):
            sent = line.startswith("!")
    return sent


def above(path: str) -> list[str]:
    """The folders that hold a path, and the name of each."""
    folders = [parent for parent in Path(path).parents if parent != Path()]
    return [*(folder.as_posix() for folder in folders), *(folder.name for folder in folders)]


def copied() -> list[str]:
    """What is copied from here into the image."""
    found = [rest.split()[:-1] for rest in of("COPY") if not rest.startswith("--from")]
    return [source for sources in found for source in sources]


def test_the_image_is_made_of_files_that_exist_and_are_sent():
    """Also every file that building the package needs: its metadata names a readme and a license."""
    assert {"pyproject.toml", "README.md", "LICENSE", "src", "requirements/run.lock"} == set(copied())
    assert [path for path in copied() if not (ROOT / path).exists() or not is_sent(path)] == []
    assert is_sent("src/truecopy/cli/run.py")


@pytest.mark.parametrize(
    "path", [".git/config", "tests/naive.py", "demo-dataroom/a.docx", "src/truecopy/__pycache__/a.pyc"]
)
def test_nothing_else_is_sent_to_the_builder(path: str):
    """A folder with evidence that happens to lie here never becomes part of an image."""
    assert not is_sent(path)


def test_it_never_runs_as_root():
    last = [rest for word, rest in steps() if word in ("FROM", "USER")][-1]
    assert last.isdigit()
    assert int(last) > 0
    assert f"--uid {last} " in " ".join(of("RUN"))


def test_bases_are_plain_names_with_a_version():
    """No host is named: whoever builds it chooses where images come from."""
    for base in of("FROM"):
        assert re.fullmatch(r"python:\$\{PYTHON\}-slim( AS \w+)?", base)
    assert "://" not in (ROOT / "Dockerfile").read_text("utf-8")
    supported = re.findall(r"Python :: (3\.\d+)", (ROOT / "pyproject.toml").read_text("utf-8"))
    assert of("ARG")[0].removeprefix("PYTHON=") in supported


def test_what_it_runs_is_a_command_that_exists():
    (entry,), (given,) = map(json.loads, of("ENTRYPOINT")), map(json.loads, of("CMD"))
    assert entry == ["truecopy"]
    assert "--scan" in given
    assert commands()[given[0]].make_context(given[0], given[1:]).info_name == "demo"  # refuses unknown options


@pytest.mark.soak
def test_its_commands_work_in_a_clean_environment(tmp_path: Path):
    """Pins with hashes, the package alone, the kernels, the demo: each RUN as it is written, with other folders."""
    source, venv, home = tmp_path / "source", tmp_path / "venv", tmp_path / "home"
    for path in copied():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / path).is_dir():
            shutil.copytree(ROOT / path, source / path, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / path, source / path)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRUECOPY", "VIRTUAL"))}
    python = str(Path(sys.base_prefix) / "bin")
    variables = {**kept, "PATH": f"{venv}/bin:{python}:/usr/bin:/bin", "HOME": str(home), "OCR": ""}
    home.mkdir()
    for command in of("RUN"):
        if not command.startswith(("useradd", "if ")):
            here = command.replace("/opt/truecopy", str(venv))
            folder = source if "pip" in command else home
            subprocess.run(here, shell=True, check=True, cwd=folder, env=variables, timeout=900)
    (given,) = map(json.loads, of("CMD"))
    words = [word.replace("/matters", str(home)) for word in given]
    command = [str(venv / "bin" / "truecopy"), *words, "--json"]
    ran = subprocess.run(command, check=True, cwd=home, env=variables, timeout=600, capture_output=True)
    assert json.loads(ran.stdout)["ok"]
    assert (home / "room-matter" / "report.html").stat().st_size > 100_000
