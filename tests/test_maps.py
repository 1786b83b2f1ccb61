"""The maps of the code against the code: whoever adds a module, a table, a segment or a dependency adds its line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "truecopy"
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
    assert sorted(mapped(folder)) == sorted(modules(folder))


def test_maps_are_looked_at():
    """The test above sees the packages and their lines."""
    assert len(FOLDERS) >= 12
    assert sum(len(mapped(folder)) for folder in FOLDERS) > 150
