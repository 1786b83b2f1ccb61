"""The maps of the code against the code: whoever adds a module, a table, a segment or a dependency adds its line."""

from __future__ import annotations

import ast
import re
import sqlite3
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.matter.sql import tables
from truecopy.sign.statistics import build

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "truecopy"
MATTER = ROOT / "docs" / "explanation" / "matter.md"
DEPENDENCIES = ROOT / "docs" / "explanation" / "dependencies.md"
FOLDERS = sorted(init.parent for init in PACKAGE.rglob("__init__.py") if init.parent != PACKAGE)
LINE = re.compile(r"([a-z][a-z_0-9]*/?) {2,}\S.*")
"""A line of a map: the module, or the folder with a slash, and after two spaces or more what it is for."""


def name_of(folder: Path) -> str:
    return folder.relative_to(PACKAGE).as_posix()


def mapped(folder: Path) -> list[str]:
    """What the header of a package lists, in its order."""
    header = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return [found[1] for line in header.splitlines() if (found := LINE.fullmatch(line))]


def modules(folder: Path) -> set[str]:
    """The modules and packages in a folder, packages with a slash."""
    below = {f"{child.parent.name}/" for child in folder.glob("*/__init__.py")}
    return below | {file.stem for file in folder.glob("*.py") if file.stem != "__init__"}


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_every_package_lists_exactly_its_modules(folder: Path):
    """Each module has one line in its package's header, and no line is left of a module that is gone."""
    listed, there = mapped(folder), modules(folder)
    assert there - set(listed) == set(), f"each needs a line in {name_of(folder)}/__init__.py: NAME  WHAT IT IS FOR"
    assert set(listed) - there == set(), f"{name_of(folder)}/__init__.py lists what is gone"
    assert len(listed) == len(there), "one line each"


def test_maps_are_looked_at():
    """The test above sees the packages and their lines."""
    assert len(FOLDERS) >= 12
    assert sum(len(mapped(folder)) for folder in FOLDERS) > 150


# ARCHITECTURE.md


def test_the_architecture_has_a_heading_for_each_folder_and_a_row_for_each_module():
    """Folders of the package by heading, the files beside them by row; nothing more, nothing less."""
    page = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    entries = [entry for entry in PACKAGE.iterdir() if entry.name != "__pycache__"]
    headings = re.findall(r"^### `([^`]+)/`: .+$", page, re.MULTILINE)
    assert sorted(headings) == sorted(entry.name for entry in entries if entry.is_dir())
    listed = re.findall(r"^\| `([^`]+)` \|", page.partition("### The modules beside the folders")[2], re.MULTILINE)
    assert sorted(listed) == sorted(entry.name for entry in entries if entry.is_file())


# docs/explanation/matter.md


def test_every_table_of_the_matter_is_explained():
    """Each table has one row on the page, and no row is left of a table that is gone."""
    assert sorted(first_cells(MATTER, "Tables")) == sorted(tables.metadata.tables)


def test_the_page_names_the_format():
    assert f"format is {tables.FORMAT}" in section(MATTER, "Formats")


def test_every_type_of_segment_is_explained(tmp_path: Path):
    """A matter with all that a matter can have holds just the types of segments that the page lists."""
    words = [f"word{number} " for number in range(80)]
    for name, text in (("a.txt", words), ("b.txt", words[:70]), ("c.txt", [*words, "another end"])):
        (tmp_path / name).write_text("".join(text))
    matter = tc.scan(tmp_path, matter=tmp_path / "matter", report=False)
    matter.sign("letters")
    matter.sign("topsig", statistics=build(["".join(words)]))
    assert matter.containing(tmp_path / "b.txt").hits
    with sqlite3.connect(tmp_path / "matter" / "matter.sqlite") as connection:
        stored = dict(connection.execute("select name, kind from segments").fetchall())
    assert {of.partition("-")[0] for of in stored.values()} == {
        cell.partition("-")[0] for cell in first_cells(MATTER, "Segments")
    }
    assert {of for of in stored.values() if of.startswith("index-")} >= {"index-overlap", "index-runs"}


def test_every_form_of_a_segment_name_is_explained():
    """The page shows a name for each form that the code writes, and none that it does not write."""
    forms = {form for file in (PACKAGE / "matter").rglob("*.py") for form in segment_names(file)}
    shown = re.findall(r"`(\S+\.segment)`", section(MATTER, "Segments"))
    assert len(forms) > 2
    assert [form for form in forms if not any(re.fullmatch(form, name) for name in shown)] == []
    assert [name for name in shown if not any(re.fullmatch(form, name) for form in forms)] == []


def segment_names(file: Path) -> Iterator[str]:
    """The names that a module makes for segments, as patterns."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = [re.escape(part.value) if isinstance(part, ast.Constant) else ".+" for part in node.values]
            if parts[-1].endswith(re.escape(".segment")):
                yield "".join(parts)


# docs/explanation/dependencies.md


def test_every_dependency_is_explained_where_it_belongs():
    """By heading: what runs, each extra, what tests, what measures and builds; nothing more, nothing less."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = {
        name: {package(each) for each in entries if isinstance(each, str)}
        for name, entries in project["dependency-groups"].items()
    }
    run = set(map(package, project["project"]["dependencies"]))
    assert set(first_cells(DEPENDENCIES, "To run")) == run
    assert set(first_cells(DEPENDENCIES, "To test")) == groups["test"] - run
    tools = {*map(package, project["build-system"]["requires"]), "uv"}  # uv: `make lock` installs it
    others = set().union(*(groups[name] for name in groups if name != "test")) - groups["test"] - run
    assert set(first_cells(DEPENDENCIES, "To measure, to build")) == others | tools
    extras = project["project"]["optional-dependencies"]
    rows = re.findall(r"^\| `([\w-]+)` \| ([^|]+) \|", section(DEPENDENCIES, "Extras"), re.MULTILINE)
    explained = {name: set(re.findall(r"`([\w-]+)`", packages)) for name, packages in rows}
    assert explained == {name: set(map(package, entries)) for name, entries in extras.items()}


def package(requirement: str) -> str:
    return re.split(r"[\[<>=~!; ]", requirement)[0]


def test_every_dependency_has_a_reason():
    page = DEPENDENCIES.read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("| `") and len(line.split("|")[-2].split()) < 2] == []


# SECURITY.md


@pytest.mark.parametrize("heading", ["What is promised", "What is logged"])
def test_every_promise_names_tests_that_exist(heading: str):
    """A promise without a test is a hope."""
    promises = re.split(r"^\* ", section(ROOT / "SECURITY.md", heading), flags=re.MULTILINE)[1:]
    assert len(promises) >= 2
    for promise in promises:
        title = promise.split("**")[1]
        files = re.findall(r"`(tests/[\w/]+\.py)`", promise)
        assert files, title
        for name in files:
            assert "def test_" in (ROOT / name).read_text(encoding="utf-8"), f"{title}: {name}"


def section(page: Path, heading: str) -> str:
    """The text below a heading, up to the next one."""
    parts = re.split(r"^## (.+)$", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))[heading]


def first_cells(page: Path, heading: str) -> list[str]:
    """The first cell, in backticks, of each row of the table below a heading."""
    return re.findall(r"^\| `([^`]+)` \|", section(page, heading), re.MULTILINE)
