"""The parts that differ by system, each held to what that system does: locks, drives, paths."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import truecopy as tc
from truecopy import drives
from truecopy.errors import MatterBusy, MatterError
from truecopy.locks import held
from truecopy.matter.store import LONGER
from truecopy.read.native import by_drive, reachable, slashed
from truecopy.read.patterns import fixed_folder

PACKAGE = str(Path(tc.__file__).parents[1])
HOLD = """
import sys
from pathlib import Path
from truecopy.locks import held
with held(Path(sys.argv[1])) as free:
    print("held" if free else "not free", flush=True)
    sys.stdin.read()
"""


def holder(lock: Path) -> subprocess.Popen[bytes]:
    """Another process that holds the lock until its input ends or it is killed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)],
        env={**os.environ, "PYTHONPATH": PACKAGE},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.readline().split() == [b"held"]
    return process


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    """Neither another process nor another thread of this one gets it meanwhile; both do afterwards."""
    lock = tmp_path / "lock"
    other = holder(lock)
    with held(lock) as free:
        assert not free
    other.communicate()
    seen: list[bool] = []

    def look() -> None:
        with held(lock) as free:
            seen.append(free)

    with held(lock) as free:
        assert free
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
        look()
    look()
    assert seen == [False, False, True]


def test_the_system_frees_the_lock_of_a_killed_process(tmp_path: Path) -> None:
    """Nothing has to be cleaned up by anybody, and nothing is left behind but the empty file."""
    lock = tmp_path / "lock"
    other = holder(lock)
    other.kill()
    other.communicate()
    assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    with held(lock) as free:
        assert free
        assert [path.name for path in tmp_path.iterdir()] == ["lock"]
    assert lock.stat().st_size == 0


def test_a_lock_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="unable to open"), held(tmp_path / "no such folder" / "lock"):
        pass


def test_a_matter_that_another_process_writes_to_is_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, once patience is at its end, and the matter is as it was; when the other is gone, so is that."""
    monkeypatch.setattr("truecopy.matter.store.PATIENCE", 0.3 / LONGER)
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_text("ten words are enough for a text to be compared here today")
    matter = tc.create(tmp_path / "matter")
    other = holder(matter.path / "matter.lock")
    with pytest.raises(MatterBusy, match="Another truecopy is writing"):
        matter.add(tmp_path / "room")
    assert list(matter.documents()) == []
    other.kill()
    other.communicate()
    matter.add(tmp_path / "room")
    assert len(matter.documents()) == 1


@pytest.mark.parametrize("name", ["a%20b", "c#d & e", "100 %", *(["what?mode=ro", "x;y?"] if os.name != "nt" else [])])
def test_a_matter_lies_in_the_folder_that_was_named(tmp_path: Path, name: str) -> None:
    """Whatever signs the folder's name holds, and nowhere else."""
    tc.create(tmp_path / name)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert {"matter.sqlite", "matter.lock"} <= {path.name for path in (tmp_path / name).iterdir()}
    assert list(tc.open(tmp_path / name).documents()) == []


LINUX = r"""
/dev/sda1 / ext4 rw,relatime 0 0
//files/cases /mnt/case\040files cifs rw,vers=3.0 0 0
10.0.0.2:/export /srv/nfs nfs4 rw 0 0
/dev/sdb1 /srv/nfs/scratch xfs rw 0 0
C:\134 /mnt/c 9p rw 0 0
tmpfs /srv/nfsx tmpfs rw 0 0
"""
MACOS = """
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled, nobrowse)
//anna@files/Case%20Files on /Volumes/Case Files (smbfs, nodev, nosuid, mounted by anna)
nas:/export on /Volumes/nas (nfs, nodev, nosuid)
/dev/disk5s1 on /Volumes/USB (on a stick) (exfat, local, nodev)
map auto_home on /System/Volumes/Data/home (autofs, automounted, nobrowse)
"""


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/home/anna/acme", ""),
        ("/mnt/case files/acme", "cifs"),
        ("/mnt/case filesystem", ""),
        ("/srv/nfs", "nfs4"),
        ("/srv/nfs/a/b", "nfs4"),
        ("/srv/nfs/scratch/acme", ""),
        ("/srv/nfsx/acme", ""),
        ("/mnt/c/Users/anna", "9p"),
    ],
)
def test_network_drives_of_linux_are_known(target: str, kind: str) -> None:
    """The innermost mount decides, and names with blanks are one name."""
    assert drives.on_linux(target, LINUX) == kind


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        ("/Users/anna/acme", ""),
        ("/Volumes/Case Files/acme", "smbfs"),
        ("/Volumes/nas", "nfs"),
        ("/Volumes/USB (on a stick)/acme", ""),
    ],
)
def test_network_drives_of_macos_are_known(target: str, kind: str) -> None:
    assert drives.on_macos(target, MACOS) == kind


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (r"C:\Users\Anna\acme", ""),
        (r"\\?\C:\Users\Anna", ""),
        (r"n:\acme", "a mapped network drive"),
        (r"\\files\cases\acme", "a network share"),
        ("//files/cases/acme", "a network share"),
        (r"\\?\UNC\files\cases\acme", "a network share"),
        (r"\\?\N:\acme", "a mapped network drive"),
    ],
)
def test_network_drives_of_windows_are_known(target: str, kind: str) -> None:
    """Drive N is a network drive in this test; the system is asked for the drive of the path, and for nothing else."""
    assert drives.on_windows(target, lambda root: {"N:\\": 4, "C:\\": 3}[root.upper()]) == kind


def test_a_matter_on_a_network_drive_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truecopy.matter.folder.network_drive", lambda folder: "cifs")
    with pytest.raises(MatterError, match=r"network drive \(cifs\)"):
        tc.create(tmp_path / "matter")
    assert not (tmp_path / "matter").exists()


def test_this_disk_is_local(tmp_path: Path) -> None:
    assert drives.network_drive(tmp_path) == ""


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (r"C:\room\con.txt", r"\\?\C:\room\con.txt"),
        (r"C:/room/x/../a.txt", r"\\?\C:\room\a.txt"),
        (r"\\files\cases\a.txt", r"\\?\UNC\files\cases\a.txt"),
        (r"\\?\C:\room\a.", r"\\?\C:\room\a."),
    ],
)
def test_paths_of_windows_reach_exactly_that_file(given: str, expected: str) -> None:
    """The prefix turns off length limits, devices and the dropping of dots."""
    assert reachable(given, windows=True) == expected


def test_paths_of_other_systems_stay_as_they_are() -> None:
    assert reachable("/room/con.txt", windows=False) == "/room/con.txt"
    assert slashed(r"a\b.txt", windows=False) == r"a\b.txt"


def test_documents_paths_have_slashes() -> None:
    assert slashed(r"03 Employment\Offer.docx", windows=True) == "03 Employment/Offer.docx"


def test_files_of_two_drives_have_no_common_folder() -> None:
    files = [r"C:\a\1.txt", r"D:\2.txt", r"c:\b\3.txt", r"\\files\cases\4.txt"]
    assert by_drive(files, windows=True) == [[files[0], files[2]], [files[1]], [files[3]]]
    assert by_drive(["/a/1.txt", "/b/2.txt"], windows=False) == [["/a/1.txt", "/b/2.txt"]]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"C:\*.txt", ("C:/", "*.txt")),
        (r"C:\room\**\*.docx", ("C:/room", "**/*.docx")),
        (r"\\files\cases\*.pdf", ("//files/cases", "*.pdf")),
        (r"drafts\*.txt", ("drafts", "*.txt")),
    ],
)
def test_patterns_of_windows_are_split_at_backslashes(pattern: str, expected: tuple[str, str]) -> None:
    assert fixed_folder(slashed(pattern, windows=True)) == expected


@pytest.mark.skipif(os.name != "nt", reason="only Windows takes a backslash for a slash")
def test_backslashes_and_other_case_name_the_same_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from truecopy.read import ReadSettings, discover

    (tmp_path / "Room" / "drafts").mkdir(parents=True)
    for name in ("a.TXT", "drafts\\b.txt", "drafts\\c.log"):
        (tmp_path / "Room" / name).write_text("words")
    monkeypatch.chdir(tmp_path)

    def paths(*given: str, exclude: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        return [(one.path, one.status) for one in discover(given, ReadSettings(exclude=exclude))]

    assert paths(r"room\**\*.txt") == [("a.TXT", ""), ("drafts/b.txt", "")]
    assert paths("Room", r"ROOM\A.txt", exclude=(r"DRAFTS\*.log",)) == [
        ("a.TXT", ""), ("drafts/b.txt", ""), ("drafts/c.log", "excluded"),
    ]  # fmt: skip
    assert paths(r"Room\drafts\b.txt", r"room\DRAFTS\B.TXT") == [("b.txt", "")]
