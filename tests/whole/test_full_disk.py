"""A full disk, a read-only one and one that went away: readers answer, writers say what is so, and nothing is lost.

The disk is real: a file system in memory, mounted for the test.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whole_disk import Disk, disk
from whole_state import state

import truecopy as tc
from truecopy.cli.run import run
from truecopy.errors import DamagedMatter, MatterBusy, Unreachable, Unwritable
from truecopy.matter.sql import readers

WORDS = ["lessee", "lessor", "premises", "rent", "deposit", "insurance", "assignment", "governing", "law", "notice"]
READERS = (
    ("status",),
    ("documents",),
    ("groups", "--threshold", "75"),
    ("pairs", "--threshold", "70"),
    ("pairs", "--relation", "contains"),
    ("similar", "1.txt"),
    ("similar", "{later}"),
    ("similar", "1.txt", "--method", "letters"),
    ("similar", "1.txt", "--contains"),
    ("similar", "{later}", "--contained-in"),
    ("compare", "1.txt", "2.txt"),
    ("index", "status"),
    ("index", "verify"),
)
WRITERS = (
    ("add", "{room}/../later"),
    ("sign", "--method", "mod"),
    ("index", "rebuild"),
    ("floor", "60"),
)
FILES = (
    ("report",),
    ("report", "--output", "{disk}/report.html"),
    ("documents", "--csv", "{disk}/list.csv"),
    ("documents", "--parquet", "{disk}/list.parquet"),
    ("compare", "1.txt", "2.txt", "--html", "{disk}/page.html"),
    ("sign", "--method", "letters", "--out", "{disk}/signatures"),
)
ELSEWHERE = (
    ("sign", "{room}", "--method", "letters", "--out", "{disk}/signatures"),
    ("stats", "build", "{room}", "--out", "{disk}/statistics"),
    ("demo", "{disk}/demo", "--documents", "60"),
    ("init", "--matter", "{disk}/new"),
    ("scan", "{room}", "--matter", "{disk}/new"),
)


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Disk]:
    with disk(tmp_path / "disk") as made:
        yield made


@pytest.fixture
def room(tmp_path: Path) -> Path:
    for name, numbers in (("room", range(1, 9)), ("later", range(9, 12))):
        (tmp_path / name).mkdir()
        for number in numbers:
            family = number // 2
            words = [f"{WORDS[(family * k) % 10]} shall {WORDS[(family + k) % 10]} clause{k}" for k in range(90)]
            (tmp_path / name / f"{number}.txt").write_text(" ".join([*words, f"signed by party {number}"]))
    return tmp_path / "room"


class Commands:
    """Runs commands on a matter and keeps what they say."""

    def __init__(self, room: Path, place: Disk, capsys: pytest.CaptureFixture[str]) -> None:
        self.matter = place.place / "matter"
        self._names = {"room": room, "later": room.parent / "later" / "9.txt", "disk": place.place}
        self._capsys = capsys

    def __call__(self, *words: str, of_matter: bool = True) -> tuple[int, dict[str, Any]]:
        """Exit code and JSON answer; nothing but the answer is ever printed."""
        given = [word.format(**self._names) for word in words]
        code = run([*given, *(("--matter", str(self.matter)) if of_matter else ()), "--json"])
        printed = self._capsys.readouterr()
        answer: dict[str, Any] = json.loads(printed.out)
        answer.pop("seconds", None)
        return code, answer


@pytest.fixture
def commands(room: Path, small: Disk, capsys: pytest.CaptureFixture[str]) -> Commands:
    """With a matter that is signed; its index of shingles is not made yet."""
    made = Commands(room, small, capsys)
    assert made("scan", "{room}")[0] == 0
    assert made("sign", "--method", "letters")[0] == 0
    return made


def files(place: Path) -> dict[str, bytes]:
    return {str(file.relative_to(place)): file.read_bytes() for file in sorted(place.rglob("*")) if file.is_file()}


def segments(place: Path) -> dict[str, bytes]:
    """All but the files that SQLite keeps beside the database while somebody reads."""
    return {name: content for name, content in files(place).items() if "matter.sqlite" not in name}


@pytest.mark.slow
@pytest.mark.parametrize("how", ["full", "read-only"])
def test_readers_answer_and_writers_say_why_not(how: str, commands: Commands, small: Disk) -> None:
    """The answers are those from before; the matter is never called damaged; with room, everything goes on."""
    before = {words: commands(*words) for words in READERS}
    assert {code for code, _ in before.values()} == {0}
    next(commands.matter.glob("index-letters.*.segment")).unlink()  # made again in memory
    matter, expected = tc.open(commands.matter), "full" if how == "full" else "unwritable"
    shown = state(matter)
    if how == "full":
        small.fill()
    else:
        matter.close()  # a file that is open for writing keeps the disk from being made read-only
        gc.collect()
        small.read_only()
    for words, answer in before.items():
        if words not in (("index", "verify"), ("index", "status")):
            again = commands(*words)
            again[1].pop("rebuilt", None)
            assert again == (answer[0], {key: value for key, value in answer[1].items() if key != "rebuilt"}), words
    assert state(matter) == shown
    kept = files(commands.matter)
    for words, of_matter in [*((one, True) for one in (*WRITERS, *FILES)), *((one, False) for one in ELSEWHERE)]:
        code, answer = commands(*words, of_matter=of_matter)
        assert (code, answer["ok"], answer["error"]["code"]) == (1, False, expected), (words, answer)
        said = f"{answer['error']['message']} {answer['error']['hint']}"
        assert "damaged" not in said, words
        assert "backup" not in said, words
    left = {file.name for file in small.place.rglob("*") if file.is_file()} - {"filler"}
    assert not [name for name in left if name.endswith(".part") or name.startswith(".")]
    assert not left & {"report.xlsx", "list.csv", "list.parquet", "page.html", "signatures", "statistics"}
    side = ("matter.sqlite-shm", "matter.sqlite-wal")
    assert {name: data for name, data in files(commands.matter).items() if name not in side} == {
        name: data for name, data in kept.items() if name not in side
    }
    small.read_only(False)
    small.make_room()
    for words, of_matter in [*((one, True) for one in (*WRITERS, *FILES)), *((one, False) for one in ELSEWHERE)]:
        if words[:3] != ("init", "--matter", "{disk}/new"):
            assert commands(*words, of_matter=of_matter)[0] == 0, words
    assert commands("doctor")[1]["ok"]
    assert len(tc.open(commands.matter).documents()) == 11


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_workbook_on_a_full_disk(commands: Commands, small: Disk) -> None:
    """Its writer wraps the system's error in one of its own."""
    small.fill()
    code, answer = commands("report", "--output", "{disk}/report.xlsx")
    assert (code, answer["error"]["code"]) == (1, "full")
    small.make_room()
    assert [file.name for file in small.place.iterdir()] == ["matter"]
    assert commands("report", "--output", "{disk}/report.xlsx")[0] == 0


KILLED = """
import os, sys
import truecopy as tc
matter = tc.open(sys.argv[1])
with matter.snapshot():  # keeps the log from being taken into the database
    tc.open(sys.argv[1]).add(sys.argv[2])
    os._exit(0)
"""


def killed(matter: Path, later: Path) -> None:
    """Add a wave and end in the next moment, so that the wave is in the log only."""
    subprocess.run([sys.executable, "-c", KILLED, str(matter), str(later)], check=True)
    assert (matter / "matter.sqlite-wal").stat().st_size > 0


@pytest.mark.parametrize("how", ["full", "read-only"])
@pytest.mark.parametrize("index", ["there", "gone"])
def test_what_is_in_the_log_only_is_read_too(
    how: str, index: str, commands: Commands, room: Path, small: Disk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an index of the log that nobody keeps up, and without one."""
    killed(commands.matter, room.parent / "later")
    if index == "gone":
        (commands.matter / "matter.sqlite-shm").unlink()
    if how == "full":
        small.fill()
    else:
        small.read_only()
    assert commands("status")[1]["documents"] == 11
    assert [hit["path"] for hit in commands("similar", "9.txt", "--threshold", "70")[1]["hits"]]
    if (how, index) == ("read-only", "gone"):  # only a copy can be read, and a large one is not made
        assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("truecopy-matter-*"))
        monkeypatch.setattr(readers, "_MOST_TO_COPY", 1000)
        code, answer = commands("status")
        assert (code, answer["error"]["code"]) == (1, "unwritable")
        assert "Copy the matter's folder" in answer["error"]["hint"]


def test_an_answer_that_was_read_without_locks_is_thrown_away_if_somebody_wrote(
    commands: Commands, room: Path, small: Disk
) -> None:
    """The reader saw a read-only disk; then it became writable, and a wave came while the reader still read."""
    small.read_only()
    matter = tc.open(commands.matter)
    reading = matter.snapshot()
    reading.__enter__()
    small.read_only(False)
    add = [sys.executable, "-m", "truecopy", "add", str(room.parent / "later"), "--matter", str(commands.matter)]
    subprocess.run(add, capture_output=True, check=True)
    with pytest.raises(MatterBusy, match="while it was read"):
        reading.__exit__(None, None, None)
    assert len(matter.documents()) == 11


def test_a_disk_that_is_gone_is_not_damage(commands: Commands, small: Disk) -> None:
    """The matter was there a moment ago, and its folder is empty now."""
    matter = tc.open(commands.matter)
    shutil.rmtree(commands.matter)
    with pytest.raises(Unreachable, match="does not answer"):
        matter.documents()
    with pytest.raises(Unreachable):
        matter.add(small.place)


def test_damage_is_still_called_damage(commands: Commands) -> None:
    database = commands.matter / "matter.sqlite"
    content = bytearray(database.read_bytes())
    content[4096 * 2 :] = bytes(len(content) - 4096 * 2)
    database.write_bytes(content)
    code, answer = commands("status")
    assert (code, answer["error"]["code"]) == (1, "damaged")
    database.write_bytes(b"no database" * 1000)
    with pytest.raises(DamagedMatter, match="not a truecopy matter or is damaged"):
        tc.open(commands.matter)


def test_the_disk_fills_up_while_a_wave_is_added(commands: Commands, room: Path, small: Disk) -> None:
    """At every amount of room that is too small: it is said, the matter is as it was, and what was written is gone."""
    before, segments_before = state(tc.open(commands.matter)), segments(commands.matter)
    said = set()
    for room_left in (30_000, 60_000, 90_000, 120_000, 200_000, 400_000):
        small.fill()
        with (small.place / "filler").open("ab") as file:
            file.truncate(file.tell() - room_left)
        code, answer = commands("add", "{room}/../later")
        small.make_room()
        if not code:
            break
        assert answer["error"]["code"] == "full"
        if answer["error"]["message"].startswith("The wave 'wave 2' was added, but the report could not be updated"):
            assert len(tc.open(commands.matter).documents()) == 11
            break
        said.add(answer["error"]["message"].partition(": ")[2])
        assert state(tc.open(commands.matter)) == before
        assert segments(commands.matter) == segments_before
    assert f"the matter {commands.matter} cannot be written to; it is as it was before." in said
    tc.open(commands.matter).add(room.parent / "later")
    assert len(tc.open(commands.matter).documents()) == 11


def test_a_user_without_permission_reads_and_is_told_what_is_missing(
    commands: Commands, small: Disk, tmp_path: Path
) -> None:
    """As another user of the machine: the files may be read, and nothing may be written beside them."""
    if os.getuid() or not hasattr(os, "setresuid"):
        pytest.skip("another user can be tried as root only")
    small.place.chmod(0o755)
    for file in (commands.matter, *commands.matter.iterdir()):
        file.chmod(0o755 if file.is_dir() else 0o644)
    for folder in (tmp_path, *tmp_path.parents):
        if folder == Path(tempfile.gettempdir()):
            break
        folder.chmod(0o755)
    child = os.fork()
    if not child:
        code = 1
        try:
            os.setresgid(65534, 65534, 65534)
            os.setresuid(65534, 65534, 65534)
            matter = tc.open(commands.matter)
            assert len(matter.documents()) == 8
            assert len(matter.groups().groups) == 3
            with pytest.raises(Unwritable, match="you lack the permission"):
                matter.rebuild_indexes()
            code = 0
        except BaseException:
            os.write(2, traceback.format_exc().encode())
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert not (commands.matter / "matter.sqlite-wal").exists()
