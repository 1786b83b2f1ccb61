"""Compiled kernels are kept for the next process; files of theirs that are damaged are made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CODE = "from truecopy.text.batches import is_utf8; assert is_utf8('½'.encode()); assert not is_utf8(bytes([255]))"


def run(cache: Path) -> None:
    """Use one kernel in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"TRUECOPY_CACHE": str(cache)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def files(cache: Path, ending: str) -> dict[Path, bytes]:
    return {file: file.read_bytes() for file in cache.rglob(f"*.{ending}")}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    run(folder)
    assert files(folder, "nbc")
    return folder


@pytest.fixture
def cache(compiled: Path, tmp_path: Path) -> Path:
    """A copy for each test, so that none meets what another has damaged."""
    return Path(shutil.copytree(compiled, tmp_path / "cache"))


def test_a_kernel_is_compiled_once(cache: Path) -> None:
    before = files(cache, "nbc"), files(cache, "nbi")
    run(cache)
    assert (files(cache, "nbc"), files(cache, "nbi")) == before


@pytest.mark.parametrize("damage", ["cut off", "empty", "index cut off", "another byte in the code"])
def test_damaged_files_are_made_again(cache: Path, damage: str) -> None:
    for file, data in files(cache, "nbi" if damage.startswith("index") else "nbc").items():
        broken = bytearray(data)
        if damage == "another byte in the code":
            broken[data.index(b"\x7fELF") + 700] ^= 0xFF
        file.write_bytes(b"" if damage == "empty" else broken if "byte" in damage else data[: len(data) // 2])
    left = files(cache, "nbc")
    run(cache)
    whole = files(cache, "nbc")
    assert damage.startswith("index") or all(whole[file] != left[file] for file in left), "made again, and kept"
    indexes = files(cache, "nbi")
    run(cache)
    assert (files(cache, "nbc"), files(cache, "nbi")) == (whole, indexes), "the next process finds them whole"
