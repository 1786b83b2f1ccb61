"""The whole product without what only POSIX has, and with the names and consoles that Windows has.

There is no Windows here. What can be taken away or imitated is: a process starts without the modules and functions of
POSIX (`without_posix/sitecustomize.py`), consoles get the encodings of Windows, folders get names that Windows cannot
hold or cannot tell apart. Everything else on this page also passes where it really is Windows.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import truecopy as tc
from truecopy.kernels.jit import cache_folder

HERE = Path(__file__).parent
WINDOWS = os.name == "nt"
POSIX_ONLY = pytest.mark.skipif(WINDOWS, reason="Windows has no POSIX to take away")
FORBIDDEN = frozenset('<>:"\\|?*')
PORTS = [f"{port}{number}" for port in ("com", "lpt") for number in range(10)]
RESERVED = frozenset(["con", "prn", "aux", "nul", *PORTS])

EVERY_MODULE = """
import importlib, os, pkgutil, signal, sys
import truecopy
names = [found.name for found in pkgutil.walk_packages(truecopy.__path__, "truecopy.")]
for name in names:
    if name != "truecopy.__main__":
        importlib.import_module(name)
left = [name for name in ("fcntl", "resource", "termios", "pwd") if name in sys.modules]
left += [name for name in ("fork", "getuid", "pread", "O_NONBLOCK") if hasattr(os, name)]
left += [name for name in ("SIGKILL", "alarm") if hasattr(signal, name)]
print(len(names), *left)
"""

HUNGRY = """
import sys
from truecopy.read import ReadSettings, discover, read
settings = ReadSettings(threads=1, memory=256 << 20)
for batch in read(discover([sys.argv[1]], settings), settings):
    for reading in batch:
        print(reading.path, reading.status or "read", reading.reason, sep="|")
"""


def environment(*folders: Path, **more: str) -> dict[str, str]:
    """This process's environment, with folders to import from before all others."""
    before = os.environ.get("PYTHONPATH", "")
    package = str(Path(tc.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, folders), package, before]), **more}


def without_posix(*command: str) -> subprocess.CompletedProcess[str]:
    """Run Python without what only POSIX has; text files opened without an encoding are errors."""
    ran = subprocess.run(
        [sys.executable, "-P", *command],
        env=environment(HERE / "without_posix", PYTHONWARNDEFAULTENCODING="1", TRUECOPY_CACHE=str(cache_folder())),
        check=False,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert ran.returncode == 0, ran.stderr
    return ran


def truecopy(*arguments: str, encoding: str = "utf-8", **more: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command with a console of some encoding."""
    command = [sys.executable, "-P", "-m", "truecopy", *arguments]
    variables = {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "120", **more}
    return subprocess.run(command, env=environment(**variables), check=False, capture_output=True, timeout=300)


@POSIX_ONLY
def test_every_module_is_imported_without_posix() -> None:
    """No module of the package needs fcntl, resource, os.fork, SIGKILL or the like to be imported."""
    count, *left = without_posix("-c", EVERY_MODULE).stdout.split()
    assert int(count) > 200
    assert left == []


@POSIX_ONLY
@pytest.mark.slow
def test_a_scan_without_posix_finds_what_a_scan_with_it_finds(tmp_path: Path) -> None:
    """PDFs, Word files, e-mails: every document has the same status and words, every pair is there."""
    without_posix("-m", "truecopy", "demo", str(tmp_path / "room"), "--documents", "50", "--json")
    here, there = tmp_path / "here", tmp_path / "there"
    without_posix("-m", "truecopy", "scan", str(tmp_path / "room"), "--matter", str(there), "--json")
    expected, found = tc.scan(tmp_path / "room", matter=here), tc.open(there)
    assert len(expected.documents()) >= 50

    def known(matter: tc.Matter) -> list[tuple[str, str, str, str]]:
        return [(one.path, one.status, one.reason, one.words_sha256) for one in matter.documents()]

    def paired(matter: tc.Matter) -> list[tuple[str, str, float]]:
        return [(pair.a.path, pair.b.path, pair.scores.similarity) for pair in matter.pairs().pairs]

    assert known(found) == known(expected)
    assert paired(found) == paired(expected)
    assert len(paired(found)) > 20
    assert found.verify() == []


@POSIX_ONLY
def test_a_parser_is_held_to_its_memory_without_posix(tmp_path: Path) -> None:
    """A document that needs more memory than a parser may have costs itself, and nothing but itself."""
    page = b"<p>" + b"word <b>" * 60_000_000
    (tmp_path / "a.html").write_bytes(page[: 400 << 20])
    (tmp_path / "b.html").write_bytes(b"<p>fine</p>")
    lines = without_posix("-c", HUNGRY, str(tmp_path)).stdout.splitlines()
    assert lines == [
        "a.html|unreadable|needs more memory to read than a parser may have",
        "b.html|read|",
    ]


@POSIX_ONLY
def test_the_doctor_says_who_enforces_the_limits() -> None:
    """Where the kernel does not limit memory, `doctor` says that truecopy looks at it itself."""
    checks = json.loads(without_posix("-m", "truecopy", "doctor", "--json").stdout)["checks"]
    (limits,) = [check for check in checks if check["name"] == "parser limits"]
    assert limits["value"].startswith("memory and time enforced by truecopy")
    assert "no limit" in limits["value"]


def test_a_parser_whose_parent_is_gone_ends_by_itself(tmp_path: Path) -> None:
    """Also one that is deep in a parser and never comes back to Python: the timer runs beside the interpreter."""
    script = (
        "import os, re\n"
        "from truecopy.read import limits\n"
        "limits.end_after(1, open(os.devnull, 'wb', buffering=0))\n"
        "print('set', flush=True)\n"
        "re.match(r'(a*)*b', 'a' * 60)\n"  # for years, without ever letting another thread run
    )
    process = subprocess.Popen([sys.executable, "-c", script], env=environment(), stdout=subprocess.PIPE)
    try:
        assert process.wait(30) != 0
        assert process.stdout is not None
        assert process.stdout.read().split() == [b"set"]
    finally:
        process.kill()
        process.communicate()


CHINESE, GREEK = "股权转让协议.txt", "Ομόλογο – €5.txt"
WORDS = " ".join(f"word{number}" for number in range(40))


@pytest.fixture(scope="module")
def odd_matter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter of names and texts that the consoles of Windows cannot show."""
    room = tmp_path_factory.mktemp("consoles") / "room"
    room.mkdir()
    (room / CHINESE).write_text(f"{WORDS} 股权 ☒ 😀 Ω", encoding="utf-8")
    (room / GREEK).write_text(f"{WORDS} 协议 ☐ é", encoding="utf-8")
    tc.scan(room, matter=room.parent / "matter", report=False)
    return room.parent / "matter"


@pytest.mark.parametrize(
    ("command", "encoding"),
    [
        *((command, "cp1252") for command in ("status", "pairs", "compare TC-000001 TC-000002", "similar TC-000001")),
        *(("groups", encoding) for encoding in ("cp1252", "cp437", "cp932", "ascii")),
    ],
)
def test_no_console_can_make_a_command_fail(odd_matter: Path, command: str, encoding: str) -> None:
    """What the encoding of a console lacks is shown escaped; the command does what it does elsewhere."""
    ran = truecopy(*command.split(), "--matter", str(odd_matter), encoding=encoding)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == b""
    shown = ran.stdout.decode(encoding)
    if command == "groups":
        for name in (GREEK, CHINESE):
            assert name.encode(encoding, "backslashreplace").decode(encoding) in shown


def test_a_scan_says_everything_on_a_console_of_windows(odd_matter: Path, tmp_path: Path) -> None:
    ran = truecopy("scan", str(odd_matter.parent / "room"), "--matter", str(tmp_path / "new"), encoding="cp1252")
    assert ran.returncode == 0, ran.stderr
    assert b"documents" in ran.stdout


def scanned(room: Path) -> dict[str, str]:
    matter = tc.scan(room, matter=room.parent / "matter", report=False)
    found = matter.documents()
    assert len({one.path for one in found}) == len(found), "no two documents have one path"
    return {one.path: one.status for one in found}


def test_names_that_are_devices_on_windows_are_files(tmp_path: Path) -> None:
    """`con.txt` is read like any other file and never opens the console, however a collection came by that name."""
    from truecopy.read.native import reachable

    room = tmp_path / "room"
    room.mkdir()
    names = ["con.txt", "AUX.txt", "nul.md", "com1.txt", "lpt9.txt", "ends in a dot.txt.", "ends in a blank.txt "]
    for number, name in enumerate(names):
        with open(reachable(os.path.join(room, "x"))[:-1] + name, "w", encoding="utf-8") as file:
            file.write(f"{WORDS} {number}")
    assert sorted(scanned(room)) == sorted(names)


def test_paths_longer_than_windows_likes_are_read(tmp_path: Path) -> None:
    """260 characters are the limit of plain paths on Windows; collections of law firms are deeper."""
    from truecopy.read.native import reachable

    room = tmp_path / "room"
    room.mkdir()
    deep = "/".join(["a folder with a long name that somebody chose"] * 8)
    folder = reachable(os.path.abspath(room)) + os.sep + deep.replace("/", os.sep)
    os.makedirs(folder)
    with open(os.path.join(folder, "deep.txt"), "w", encoding="utf-8") as file:
        file.write(WORDS)
    assert list(scanned(room)) == [f"{deep}/deep.txt"]


@POSIX_ONLY
def test_names_that_differ_by_case_or_hold_backslashes_stay_apart(tmp_path: Path) -> None:
    """A collection from Linux may hold names that Windows cannot: each is a document with its own name."""
    room = tmp_path / "room"
    names = ["NDA.txt", "nda.txt", "Nda.TXT", r"a\b.txt", "a/b.txt", "what: now?.txt", 'quote".txt', "star*.txt"]
    for number, name in enumerate(names):
        (room / name).parent.mkdir(parents=True, exist_ok=True)
        (room / name).write_text(f"{WORDS} {number}", encoding="utf-8")
    assert sorted(scanned(room)) == sorted(names)


def could_be_on_windows(name: str) -> bool:
    """Whether Windows takes this as the name of a file."""
    plain = name.partition(".")[0].rstrip().lower() not in RESERVED and name == name.rstrip(". ")
    return plain and not FORBIDDEN & set(name) and all(ord(letter) >= 32 for letter in name)


def test_what_truecopy_writes_can_lie_on_every_disk(tmp_path: Path) -> None:
    """Data rooms and matters, indexes and signatures too: no name is forbidden, too long, or another's but for case."""
    subprocess.run(
        [sys.executable, "-P", "-m", "truecopy", "demo", str(tmp_path / "room"), "--documents", "120", "--json"],
        env=environment(), check=True, capture_output=True, timeout=300,
    )  # fmt: skip
    small = tmp_path / "small"
    small.mkdir()
    for number in range(3):
        (small / f"{number}.txt").write_text(f"{WORDS} {number}", encoding="utf-8")
    matter = tc.scan(small, matter=tmp_path / "matter")
    matter.sign("simhash")
    matter.sign("letters")
    written = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*")]
    assert len(written) > 120
    assert [path for path in written if not all(map(could_be_on_windows, path.split("/")))] == []
    assert len({path.lower() for path in written}) == len(written)
    assert max(map(len, written)) < 160


def test_a_segment_that_somebody_still_reads_does_not_stop_a_writer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Windows neither deletes nor moves an open file: the writer goes on, and a later one sweeps the file away."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "a.txt").write_text(WORDS)
    matter = tc.scan(room, matter=tmp_path / "matter", report=False)
    left = matter.path / "wave-0009.streams.000009.segment"
    left.write_bytes(b"left by a writer that was killed")
    unlink, replace = Path.unlink, Path.replace

    def refuse(path: Path) -> None:
        if path == left:
            raise PermissionError(13, "The process cannot access the file because it is being used by another process")

    def no_unlink(path: Path, missing_ok: bool = False) -> None:
        refuse(path)
        unlink(path, missing_ok)

    def no_replace(path: Path, target: Path) -> Path:
        refuse(path)
        return replace(path, target)

    with monkeypatch.context() as busy:
        busy.setattr(Path, "unlink", no_unlink)
        busy.setattr(Path, "replace", no_replace)
        (room / "b.txt").write_text(f"{WORDS} more")
        matter.add(room)
    assert left.exists()
    (room / "c.txt").write_text(f"{WORDS} and more")
    matter.add(room)
    assert not left.exists()
    assert len(matter.documents()) == 3


def test_no_process_of_a_test_is_left() -> None:
    assert [child for child in psutil.Process().children() if "truecopy" in " ".join(child.cmdline())] == []
