"""Compiled kernels are kept for the next process, where nobody else can write; damaged files are made again."""

from __future__ import annotations

import os
import pickle
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from truecopy.kernels import jit

CODE = "from truecopy.text.batches import is_utf8; assert is_utf8('½'.encode()); assert not is_utf8(bytes([255]))"


POSIX = pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no user numbers")
SOMEBODY = 65534


def run(cache: Path, umask: int = 0o022, **variables: str) -> None:
    """Use one kernel in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", CODE],
        env=os.environ | {"TRUECOPY_CACHE": str(cache)} | variables,
        capture_output=True,
        text=True,
        check=False,
        umask=umask,
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


def test_a_kept_kernel_is_loaded_without_what_numba_makes_arrays_with(tmp_path: Path) -> None:
    """A kernel that allocates calls functions of Numba's own: they are compiled in, and not imported again."""
    code = (
        "import sys, numpy as np\n"
        "from truecopy.text.content import content_words\n"
        "letters = np.frombuffer(b'rents' + b'rent', np.uint8)\n"
        "assert content_words(letters, np.array([0, 5, 9])).tolist() == [1, 1]\n"
        "print('numba.np.arrayobj' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    cache = os.environ | {"TRUECOPY_CACHE": str(tmp_path)}
    said = [subprocess.run(command, env=cache, capture_output=True, text=True, check=True).stdout for _ in range(2)]
    assert said == ["True\n", "False\n"], "compiled, then loaded"


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


class Planted:
    """Runs a command where it is unpickled, as machine code would where it is called."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return (os.makedirs, (str(self.marker), 0o700, True))


def plant(kernels: Path, marker: Path) -> None:
    """Put another index in the place of every kernel's; whoever loads one makes the marker."""
    for index in kernels.rglob("*.nbi"):
        index.write_bytes(pickle.dumps(Planted(marker)))


def test_planted_code_would_be_run(cache: Path, tmp_path: Path) -> None:
    """If somebody could write the folder: this is what the tests below would see."""
    plant(cache, tmp_path / "ran")
    run(cache)
    assert (tmp_path / "ran").exists()


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("open_level", ["above", "cache", "kernels"])
def test_a_folder_that_others_may_write_is_not_used(cache: Path, tmp_path: Path, open_level: str) -> None:
    """Itself, its parent, or one further up."""
    above = tmp_path / "above"
    above.mkdir()
    (kernels,) = shutil.move(cache, above / "cache").iterdir()
    plant(kernels, tmp_path / "ran")
    {"above": above, "cache": above / "cache", "kernels": kernels}[open_level].chmod(0o777)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run(above / "cache", TMPDIR=str(temporary))
    assert not (tmp_path / "ran").exists()
    assert list(temporary.iterdir()) == [], "the folder that was used instead is gone"


@POSIX
@pytest.mark.skipif(hasattr(os, "getuid") and os.getuid() != 0, reason="only root can give files away")
@pytest.mark.slow
@pytest.mark.parametrize("level", ["cache", "kernels"])
def test_a_folder_of_another_user_is_not_used(cache: Path, tmp_path: Path, level: str) -> None:
    (kernels,) = cache.iterdir()
    plant(kernels, tmp_path / "ran")
    os.chown({"cache": cache, "kernels": kernels}[level], SOMEBODY, SOMEBODY)
    run(cache)
    assert not (tmp_path / "ran").exists()


@POSIX
def test_a_folder_that_waits_in_the_shared_temporary_folder_is_not_used(cache: Path, tmp_path: Path) -> None:
    """Where the cache cannot be used, kernels go to a fresh folder and never to one whose name can be known."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    temporary.chmod(0o1777)
    waiting = temporary / f"truecopy-{os.getuid()}"
    shutil.copytree(cache, waiting)
    plant(waiting, tmp_path / "ran")
    run(Path("/proc/nowhere"), TMPDIR=str(temporary))
    assert not (tmp_path / "ran").exists()
    assert list(temporary.iterdir()) == [waiting]


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("fault", ["everyone may write it", "another user's", "a link"])
def test_files_that_others_could_have_written_are_not_loaded(cache: Path, tmp_path: Path, fault: str) -> None:
    """The folder may have been open to them before."""
    if fault == "another user's" and os.getuid() != 0:
        pytest.skip("only root can give files away")
    plant(cache, tmp_path / "ran")
    for index in cache.rglob("*.nbi"):
        if fault == "a link":
            index.rename(tmp_path / index.name)
            index.symlink_to(tmp_path / index.name)
        elif fault == "another user's":
            os.chown(index, SOMEBODY, SOMEBODY)
        else:
            index.chmod(0o666)
    run(cache)
    assert not (tmp_path / "ran").exists()
    assert files(cache, "nbi"), "they were made again"


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022])
def test_a_cache_is_private_and_used_again_whatever_the_umask(tmp_path: Path, umask: int) -> None:
    cache = tmp_path / "new" / "cache"
    run(cache, umask)
    before = files(cache, "nbc"), files(cache, "nbi")
    made = [cache.parent, cache, *cache.rglob("*")]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in made}
    assert modes == {0o700, 0o600}
    assert before[0]
    run(cache, umask)
    assert (files(cache, "nbc"), files(cache, "nbi")) == before


@POSIX
def test_why_the_cache_is_not_used_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUECOPY_CACHE", str(tmp_path / "cache"))
    assert jit.refused() == ""
    (tmp_path / "cache").chmod(0o777)
    assert jit.refused() == f"{tmp_path / 'cache'} is not used: everyone may write to {tmp_path / 'cache'}"


@pytest.mark.parametrize("settings", ["disable_jit: 1\n", "- not\n- a table\n"])
def test_the_working_folder_does_not_set_up_the_compiler(tmp_path: Path, settings: str) -> None:
    """It may be evidence, and Numba reads a file of settings there."""
    (tmp_path / ".numba_config.yaml").write_text(settings)
    (tmp_path / "lib").mkdir()
    # Stands in for the library that Numba reads the file with, where that is not installed.
    (tmp_path / "lib" / "yaml.py").write_text(
        "def safe_load(file):\n"
        "    text = file.read()\n"
        "    return dict([text.strip().split(': ')]) if ':' in text else text.split()\n"
    )
    script = (
        "import yaml\n"
        "from truecopy.kernels import jit\n"
        "from numba.core import config\n"
        "config.reload_config()\n"
        "assert not config.DISABLE_JIT\n"
        "import sys; assert sys.modules['yaml'] is yaml\n"
    )
    paths = [str(tmp_path / "lib"), str(Path(jit.__file__).parents[2])]
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
