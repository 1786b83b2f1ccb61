"""Folders for temporary files: for this user alone, gone at the end, and swept away if their owner was killed."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from truecopy import fresh
from truecopy.fresh import FreshFolder, sweep, temporary_folder

MAKE = """
import sys, time
from truecopy.fresh import FreshFolder
folder = FreshFolder("parsers")
(folder.path / "text.tmp").write_text("of a document")
print(folder.path, flush=True)
time.sleep(60)
"""

COPY = """
import sys, time
from pathlib import Path
from truecopy.matter.sql import readers
def wait(path, how):
    print(path.parent, flush=True)
    time.sleep(60)
readers._opened = wait
database = Path(sys.argv[1])
readers._copy(database, readers._state(database))
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary folder of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    fresh._sweep_once.cache_clear()
    return folder


def test_a_folder_is_private_and_goes_with_all_that_is_in_it(temporary: Path) -> None:
    with FreshFolder("parsers") as made:
        assert temporary.resolve() in made.path.parents
        if hasattr(os, "getuid"):
            modes = [stat.S_IMODE(level.stat().st_mode) for level in (made.path, made.path.parent)]
            assert modes == [0o700, 0o700]
        (made.path / "a" / "b").mkdir(parents=True)
        (made.path / "a" / "b" / "file").write_text("x")
        (made.path / "a").chmod(0o000)
    assert list(temporary.iterdir()) == []


def test_folders_have_no_names_that_can_be_known_before(temporary: Path) -> None:
    names = {FreshFolder("parsers").path.parent.name for _ in range(20)}
    assert len(names) == 20
    assert list(temporary.iterdir()) == [], "and each goes with the last reference to it"


def test_what_is_linked_to_stays(temporary: Path, tmp_path: Path) -> None:
    """Whatever a parser leaves in its folder, nothing else is removed with it."""
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence" / "a.txt").write_text("x")
    with FreshFolder("parsers") as made:
        (made.path / "link").symlink_to(tmp_path / "evidence")
        (made.path / "file").symlink_to(tmp_path / "evidence" / "a.txt")
    assert list(temporary.iterdir()) == []
    assert (tmp_path / "evidence" / "a.txt").read_text() == "x"


def test_the_folder_of_a_killed_owner_is_swept_by_the_next_one(temporary: Path) -> None:
    """And that of a living one is not."""
    with subprocess.Popen([sys.executable, "-c", MAKE], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        path = Path(owner.stdout.readline().strip())
        sweep(temporary)
        assert (path / "text.tmp").exists(), "its owner is alive"
        owner.kill()
    assert (path / "text.tmp").exists()
    with FreshFolder("parsers") as made:
        assert list(temporary.iterdir()) == [made.path.parent]


def test_the_copy_of_a_matter_that_a_killed_reader_leaves_is_private_and_swept(temporary: Path, tmp_path: Path) -> None:
    """It holds the texts of every document; the modes of the matter may let others read it, whatever the umask."""
    database = tmp_path / "matter.sqlite"
    for file in (database, tmp_path / "matter.sqlite-wal"):
        file.write_bytes(b"of documents")
        file.chmod(0o644)
    command = [sys.executable, "-c", COPY, str(database)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as reader:
        assert reader.stdout is not None
        copies = sorted(Path(reader.stdout.readline().strip()).iterdir())
        reader.kill()
    assert [copy.read_bytes() for copy in copies] == [b"of documents"] * 2
    assert all(temporary.resolve() in copy.parents for copy in copies)
    if hasattr(os, "getuid"):
        assert {stat.S_IMODE(copy.stat().st_mode) for copy in copies} == {0o600}
    with FreshFolder("parsers") as made:
        assert list(temporary.iterdir()) == [made.path.parent]


def test_a_folder_that_was_never_locked_is_swept_later(temporary: Path) -> None:
    """Its maker may be about to lock it."""
    left = temporary / "truecopy-parsers-abcdefgh"
    left.mkdir()
    sweep(temporary)
    assert left.exists()
    long_ago = time.time() - 2 * fresh._UNLOCKED
    os.utime(left, (long_ago, long_ago))
    sweep(temporary)
    assert not left.exists()


def test_other_folders_are_not_swept(temporary: Path, tmp_path: Path) -> None:
    """Nothing of another name, and no link, whatever it points at."""
    long_ago = time.time() - 2 * fresh._UNLOCKED
    (temporary / "truecopy-collections-0").mkdir()
    os.utime(temporary / "truecopy-collections-0", (long_ago, long_ago))
    (temporary / "truecopy-parsers-linked").symlink_to(tmp_path)
    sweep(temporary)
    assert len(list(temporary.iterdir())) == 2


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_folders_of_other_users_are_not_swept(temporary: Path) -> None:
    theirs = temporary / "truecopy-parsers-theirs00"
    theirs.mkdir()
    long_ago = time.time() - 2 * fresh._UNLOCKED
    os.utime(theirs, (long_ago, long_ago))
    os.chown(theirs, 65534, 65534)
    sweep(temporary)
    assert theirs.exists()


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="this system has no user numbers")
def test_a_temporary_folder_in_which_others_can_exchange_ours_is_not_used(temporary: Path) -> None:
    """One that everyone may write, without the sticky bit."""
    assert temporary_folder() == temporary.resolve()
    temporary.chmod(0o777)
    assert temporary_folder() != temporary.resolve()
    with FreshFolder("parsers") as made:
        assert temporary.resolve() not in made.path.parents
    temporary.chmod(0o1777)
    assert temporary_folder() == temporary.resolve()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_copy_of_the_process_does_not_remove_its_folder(temporary: Path) -> None:
    script = (
        "import os\n"
        "from truecopy.fresh import FreshFolder\n"
        "folder = FreshFolder('kernels')\n"
        "if os.fork() == 0: raise SystemExit\n"
        "os.wait()\n"
        "assert folder.path.is_dir()\n"
    )
    subprocess.run([sys.executable, "-W", "ignore", "-c", script], check=True)
    assert list(temporary.iterdir()) == []


def test_a_folder_goes_when_the_process_ends_by_a_signal_that_python_hears(temporary: Path) -> None:
    if not hasattr(signal, "SIGINT") or os.name == "nt":
        pytest.skip("Windows sends no such signal to a process")
    with subprocess.Popen(
        [sys.executable, "-c", MAKE], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as owner:
        assert owner.stdout is not None
        owner.stdout.readline()
        owner.send_signal(signal.SIGINT)
    assert list(temporary.iterdir()) == []
