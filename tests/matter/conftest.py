"""A real matter for the tests that forge one."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from forge import make_matter


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a real matter, made once."""
    folder = tmp_path_factory.mktemp("forged") / "base"
    make_matter(folder)
    return folder


@pytest.fixture
def matter(base: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(base / "matter", tmp_path / "matter"))
