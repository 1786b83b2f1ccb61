"""A matter of format 5 is brought forward in whole or not at all, and only if it is one.

Whatever happens on the way (a kill, a full or broken disk, a second process), the matter is as it was or as it is
after, and the next command ends what was begun. What somebody else has put into one is refused as in any other format.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy
from forge import read_any, write_forged
from test_matter_formats import FORMATS, state

import truecopy as tc
from truecopy.errors import MatterBusy, MatterError, Unwritable
from truecopy.locks import held
from truecopy.matter import bodies, words
from truecopy.matter.change.spool import sweep_spools
from truecopy.matter.sql import format_5, tables
from truecopy.matter.sql.migrations.to_6 import segments
from whole.whole_disk import disk
from whole.whole_faulty import Fault, Faulty

MOTHER = Path(__file__).with_name("format_mother.py")
STREAMS, VOCABULARY = "wave-0002.streams.segment", "wave-0001.vocabulary.segment"


def unpacked(folder: Path, number: int = 5) -> Path:
    """The sample of a format."""
    with tarfile.open(FORMATS / f"format-{number}" / "matter.tar.xz") as packed:
        packed.extractall(folder, filter="data")
    return folder / "matter"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A matter of format 5."""
    return unpacked(tmp_path)


def rows(matter: Path, query: str) -> list[Any]:
    """What the database answers, asked without truecopy."""
    with contextlib.closing(sqlite3.connect(matter / "matter.sqlite")) as connection:
        return connection.execute(query).fetchall()


def change(matter: Path, *statements: str) -> None:
    """Change the database as its owner can."""
    with contextlib.closing(sqlite3.connect(matter / "matter.sqlite", isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def stored_format(matter: Path) -> str:
    return str(rows(matter, "SELECT value FROM facts WHERE name = 'format'")[0][0])


def said(matter: Path) -> dict[str, Any]:
    """What a matter says; it is brought forward if need be."""
    opened = tc.open(matter)
    documents = opened.documents()
    return {
        "documents": documents,
        "texts": [opened.text(document) for document in documents if document.words],
        "groups": opened.groups(),
        "similar": opened.pairs(70),
        "contains": opened.pairs(80, "contains"),
        "statuses": opened.statuses(),
        "waves": opened.waves(),
        "signatures": {method: opened.signatures(method).values.tolist() for method in opened.signings()},
    }


@dataclass(frozen=True)
class Whole:
    """The sample as it is after an undisturbed run."""

    said: dict[str, Any]
    files: set[str]

    def check(self, matter: Path) -> None:
        """Whatever has happened, this is how it ends: with an entry in the log for each step, and no file too many."""
        assert stored_format(matter) in ("5", "7"), "a half-taken step is visible"
        assert said(matter) == self.said
        assert stored_format(matter) == "7"
        ended = rows(matter, "SELECT count(*) FROM audit WHERE action = 'migrate'")
        assert ended == [(2,)]
        with tc.open(matter)._store.writing() as writer:  # the next writer sweeps away what a killed one has left
            tc.open(matter)._store.sweep(writer)
            assert writer.audit.wrong() == []
        sweep_old_spools(matter)
        assert names(matter) == self.files


def sweep_old_spools(matter: Path) -> None:
    """Sweep as a writer does that comes much later: a spool that may just have been made is left alone for a while."""
    for folder in [*matter.glob("spool-*"), *matter.glob("making-*")]:
        os.utime(folder, (0, 0))
    sweep_spools(matter)


def names(matter: Path) -> set[str]:
    return {file.name for file in matter.iterdir() if not file.name.startswith("matter.sqlite-")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    matter = unpacked(tmp_path_factory.mktemp("whole"))
    return Whole(said(matter), names(matter))


# What is made


def test_the_log_goes_on_and_nothing_of_the_old_format_is_left(old: Path) -> None:
    before = rows(old, "SELECT * FROM audit ORDER BY number")
    tc.open(old)
    after = rows(old, "SELECT * FROM audit ORDER BY number")
    assert after[:-2] == before
    for format, (number, _, action, details, previous, _) in enumerate(after[-2:], 5):
        assert (number, action, previous) == (len(before) + format - 4, "migrate", after[number - 2][-1])
        said = json.loads(details)
        assert len(said.pop("nonce")) == 16
        assert said == {"from": format, "to": format + 1}
    named = {name for (name,) in rows(old, "SELECT name FROM segments")}
    assert {file.name for file in old.glob("*.segment")} == named
    assert stored_format(old) == "7"
    tc.open(old)
    assert rows(old, "SELECT * FROM audit ORDER BY number") == after, "opened again, nothing is done"


def test_what_the_last_step_makes_is_what_this_version_writes() -> None:
    """A later format raises these; then the step must keep what it writes, and the tables that it makes."""
    assert tables.FORMAT == 7
    assert segments.AFTER == words.WORD_SPEC
    assert bodies.TEXT_SPEC.version == 1


SAME = (
    "documents",
    "passages",
    "pairs",
    "groupings",
    "group_members",
    "groups",
    "tallies",
    "families",
    "dense_families",
)


@pytest.mark.parametrize("number", [5, 6])
def test_its_rows_are_those_of_a_scan_with_this_version(number: int, tmp_path: Path) -> None:
    """The same documents, added in the same way, make the same rows; only where they lay differs."""
    old = unpacked(tmp_path, number)
    from make_format_sample import make_matter

    (tmp_path / "again").mkdir()
    make_matter(tmp_path / "again", tmp_path / "again" / "matter")
    tc.open(old)
    for name in SAME:
        columns = ", ".join(column.name for column in tables.metadata.tables[name].columns if column.name != "root")
        query = f"SELECT {columns} FROM {name} ORDER BY {columns}"
        assert rows(old, query) == rows(tmp_path / "again" / "matter", query), name
    query = "SELECT number, name, documents, last_document, last_passage FROM waves ORDER BY number"
    assert rows(old, query) == rows(tmp_path / "again" / "matter", query)
    query = "SELECT wave, kind, first, last, unit FROM segments WHERE kind NOT LIKE 'index-%' ORDER BY kind, wave"
    assert rows(old, query) == rows(tmp_path / "again" / "matter", query)


def test_texts_whose_numbers_do_not_follow_one_another_get_others(old: Path, whole: Whole) -> None:
    """No truecopy has numbered texts so; but what a format allows is read."""
    change(
        old,
        "UPDATE texts SET number = number + 1000 WHERE number % 2 = 1",
        "UPDATE documents SET text = text + 1000 WHERE text % 2 = 1",
    )
    found = said(old)
    assert found["texts"] == whole.said["texts"]
    assert found["signatures"] == whole.said["signatures"]
    numbers = [number for (number,) in rows(old, "SELECT DISTINCT text FROM documents WHERE text ORDER BY text")]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_matter_without_documents_is_brought_forward(tmp_path: Path) -> None:
    made = tmp_path / "made"
    tc.create(made)
    settings = rows(made, "SELECT value FROM facts WHERE name = 'settings'")[0][0]
    matter = tmp_path / "empty"
    matter.mkdir()
    engine = sqlalchemy.create_engine(f"sqlite:///{matter / 'matter.sqlite'}")
    with engine.begin() as connection:
        format_5.metadata.create_all(connection)
        for name, value in (("format", "5"), ("settings", settings)):
            connection.execute(format_5.facts.insert(), {"name": name, "value": value})
    engine.dispose()
    room = tmp_path / "room"
    room.mkdir()
    (room / "one.txt").write_text("a lease of the mill and of the meadow behind it, for ninety-nine years, at a rent")
    opened = tc.open(matter)
    assert opened.documents() == []
    assert opened.add(room).documents == 1
    assert stored_format(matter) == "7"


# Kills, faults, and others at the same time


@pytest.fixture(scope="module")
def mother(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}  # a fork keeps no threads
    command = [sys.executable, "-W", "ignore", str(MOTHER), str(unpacked(tmp_path_factory.mktemp("mother")))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert hear(process) == "ready"
        yield process
        process.kill()


def hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout
    return process.stdout.readline().strip()


def tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin
    process.stdin.write(f"{line}\n")
    process.stdin.flush()


def kill_often(mother: subprocess.Popen[str], whole: Whole, folder: Path, count: int, seed: int) -> None:
    """One kill in each equal part of the time that an undisturbed run takes."""
    timed = unpacked(folder / "timed")
    began = time.perf_counter()
    tell(mother, str(timed))
    assert hear(mother) == "began"
    tell(mother, "wait")
    assert hear(mother) == "ended itself"
    seconds = time.perf_counter() - began
    whole.check(timed)
    dice, lost = random.Random(seed), 0
    for part in range(count):
        moment = (part + dice.random()) / count * seconds
        matter = unpacked(folder / f"killed-{part}")
        tell(mother, str(matter))
        assert hear(mother) == "began"
        time.sleep(moment)
        tell(mother, "kill")
        assert hear(mother) in ("ended killed", "ended itself")
        lost += stored_format(matter) == "5"
        whole.check(matter)
        shutil.rmtree(matter)
    print(f"killed {count} times within {seconds:.3f} s: {lost} times it had format 5 afterwards")
    assert lost >= count // 3, "most moments must fall into the run, not after it"


@pytest.mark.alone
def test_killed_at_10_moments(mother: subprocess.Popen[str], whole: Whole, tmp_path: Path, seed: int) -> None:
    kill_often(mother, whole, tmp_path, 10, seed)


@pytest.mark.soak
def test_killed_at_200_moments(mother: subprocess.Popen[str], whole: Whole, tmp_path: Path, seed: int) -> None:
    kill_often(mother, whole, tmp_path, 200, seed)


FAULTS = {
    "full": Fault(error=errno.ENOSPC, lasting=True),
    "half": Fault(error=errno.ENOSPC, lasting=True, half=True),
    "full-once": Fault(error=errno.ENOSPC),
    "broken": Fault(error=errno.EIO, lasting=True),
    "broken-once": Fault(error=errno.EIO),
}
SAID = ("full", "unreachable")


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    made = Faulty(tmp_path_factory.mktemp("library"))
    yield made
    made.close()


def fail_often(faulty: Faulty, whole: Whole, folder: Path, seed: int, many: int = 0) -> None:
    """Each call that writes fails in each way, or some of them by chance."""
    calls = faulty.run(folder, ["status", "--matter", str(unpacked(folder / "counted"))], Fault()).calls
    every = [(at, kind) for at in range(1, calls + 1) for kind in FAULTS]
    failed = 0
    for at, kind in random.Random(seed).sample(every, many) if many else every:
        form, place = FAULTS[kind], folder / "place"
        matter = unpacked(place)
        ran = faulty.run(place, ["status", "--matter", str(matter)], Fault(at, form.error, form.lasting, form.half))
        about = (at, kind, ran)
        if ran.code:
            failed += 1
            error = ran.answer["error"]
            told = f"{error['message']} {error['hint']}"
            assert error["code"] in SAID, about
            assert "backup" not in told, about
            assert "as it was before" not in told or stored_format(matter) == "5", about
        whole.check(matter)
        shutil.rmtree(place)
    print(f"{calls} calls, {many or len(every)} faults, {failed} failed")
    assert failed


@pytest.mark.slow
def test_some_faults(faulty: Faulty, whole: Whole, tmp_path: Path, seed: int) -> None:
    fail_often(faulty, whole, tmp_path, seed, 25)


@pytest.mark.soak
def test_all_faults(faulty: Faulty, whole: Whole, tmp_path: Path, seed: int) -> None:
    fail_often(faulty, whole, tmp_path, seed)


def check_refused(matter: Path) -> None:
    before = state(matter)
    with pytest.raises(Unwritable) as refused:
        tc.open(matter)
    assert f"{matter} has format 5 and must be brought forward to format 7" in refused.value.message
    assert "Copy its folder" in refused.value.hint
    assert "truecopy status --matter COPY" in refused.value.hint
    assert state(matter) == before


def test_one_that_cannot_be_written_to_says_what_to_do(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truecopy.matter.store._writable", lambda path: False)
    check_refused(old)


@pytest.mark.alone
def test_one_on_a_read_only_disk_says_what_to_do_and_its_copy_works(tmp_path: Path, whole: Whole) -> None:
    with disk(tmp_path / "disk") as small:
        matter = unpacked(small.place)
        small.read_only()
        check_refused(matter)
        whole.check(Path(shutil.copytree(matter, tmp_path / "copy")))


@pytest.mark.slow
def test_two_processes_at_once_both_answer(old: Path, whole: Whole) -> None:
    command = [sys.executable, "-m", "truecopy", "documents", "--json", "--matter", str(old)]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    answers = [json.loads(process.communicate()[0]) for process in both]
    assert [answer["ok"] for answer in answers] == [True, True]
    assert answers[0]["documents"] == answers[1]["documents"]
    whole.check(old)


def test_a_matter_that_another_process_writes_to_is_busy(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An earlier truecopy may be adding a wave for hours."""
    monkeypatch.setattr("truecopy.matter.store.PATIENCE", 0.3)
    before = state(old)
    with held(old / "matter.lock"), pytest.raises(MatterBusy, match="Another truecopy is writing"):
        tc.open(old)
    assert state(old) == before


def test_a_matter_that_is_open_and_becomes_an_older_one_is_not_read(tmp_path: Path, old: Path) -> None:
    """Somebody restores a backup of format 5 while a program has the matter open."""
    now = Path(shutil.copytree(old, tmp_path / "now"))
    opened = tc.open(now)
    opened.documents()
    shutil.rmtree(now)
    shutil.copytree(old, now)
    with pytest.raises(MatterBusy, match="has format 5 now"):
        opened.documents()


# Hostile ones


def refused(matter: Path, match: str) -> None:
    before = state(matter)
    for _ in range(2):
        with pytest.raises(MatterError, match=match):
            tc.open(matter)
    assert state(matter) == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE passages (number INTEGER PRIMARY KEY)",
        "CREATE VIEW more AS SELECT * FROM documents",
        "CREATE TRIGGER more AFTER INSERT ON audit BEGIN DELETE FROM documents; END",
        "CREATE INDEX documents_by_words ON documents (words)",
        "ALTER TABLE documents ADD COLUMN more GENERATED ALWAYS AS (hex(path))",
        "UPDATE facts SET value = '6' WHERE name = 'format'",
        "UPDATE facts SET value = 'five' WHERE name = 'format'",
    ],
)
def test_a_schema_that_is_not_that_of_format_5_is_refused(old: Path, statement: str) -> None:
    """One more table, view, trigger, index or column; and the tables of format 5 under the name of another format."""
    change(old, statement)
    refused(old, "which truecopy has not made")


def test_tables_of_this_format_that_say_that_they_are_older_are_refused(old: Path) -> None:
    tc.open(old)
    change(old, "UPDATE facts SET value = '5' WHERE name = 'format'")
    refused(old, "has no .*, so it is damaged")


def test_a_missing_table_is_named(old: Path) -> None:
    change(old, "DROP TABLE dense_families")
    refused(old, "has no dense_families, so it is damaged")


CELLS = {
    "UPDATE documents SET original = 5000 WHERE number = 3": "documents holds a value in original",
    "UPDATE documents SET original = number + 1 WHERE number = 3": "documents holds a value in original",
    "UPDATE documents SET wave = 3 WHERE number = 1": "documents holds a value in wave",
    "UPDATE documents SET status = 'good' WHERE number = 3": "documents holds a value in status",
    "UPDATE documents SET status = '' WHERE number = 3": "documents holds a value in status",
    "UPDATE documents SET sha256 = x'00' WHERE number = 3": "documents holds a value in sha256",
    "UPDATE documents SET words = 'many' WHERE number = 3": "documents holds a value in words",
    "UPDATE documents SET shingles = -1 WHERE number = 3": "documents holds a value in shingles",
    "UPDATE documents SET text = 5000 WHERE number = 1": "documents holds a value in text",
    "UPDATE texts SET body = 'a text' WHERE number = 2": "texts holds a value in body",
    "UPDATE texts SET body = x'' WHERE number = 2": "texts holds a value in body",
    "DELETE FROM texts WHERE number = 3": "documents holds a value in text",
    "UPDATE pairs SET longer = 1.5": "pairs holds a value in longer",
    "UPDATE pairs SET kind = 'odd'": "pairs holds a value in kind",
    "UPDATE pairs SET b = b + 5000": "pairs holds a value in b",
    "UPDATE pairs SET a = b, b = a": "pairs holds a value in a",
    "UPDATE OR IGNORE pairs SET relation = 'odd'": "pairs holds a value in relation",
    "UPDATE group_members SET principal = 5000 WHERE document = 1": "group_members holds a value in principal",
    "UPDATE group_members SET grouping = 'odd' WHERE document = 1": "group_members holds a value in grouping",
    "UPDATE groupings SET rule = 'odd'": "groupings holds a value in rule",
    "UPDATE dense_families SET family = 5000": "dense_families holds a value in family",
    "UPDATE dense_families SET left_out = -5": "dense_families holds a value in left_out",
    "UPDATE segments SET wave = 2 WHERE name = 'wave-0001.streams.segment'": "names a file that is not of type",
    "UPDATE segments SET name = '../' || name WHERE kind = 'streams'": "names a file that is not of type",
    "UPDATE segments SET kind = 'odd' WHERE kind = 'streams'": "names a file that is not of type",
    "UPDATE segments SET checksum = 'odd' WHERE kind = 'streams'": "segments holds a value in checksum",
    "DELETE FROM segments WHERE kind = 'vocabulary' AND wave = 2": "segments holds a value in wave",
}


@pytest.mark.parametrize("statement", CELLS)
def test_a_forged_cell_is_refused(old: Path, statement: str) -> None:
    change(old, statement)
    refused(old, CELLS[statement])


def other_documents(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"numbers": arrays["numbers"] + 1}


def foreign_words(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"words": arrays["words"] + np.uint32(1 << 30)}


def places_outside(arrays: dict[str, Any]) -> dict[str, Any]:
    offsets = arrays["offsets"].copy()
    offsets[1:-1] += 1 << 33
    return {"offsets": offsets}


def marks_outside(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"marks": np.full(int(arrays["mark_offsets"][-1]), 1 << 62, np.uint64)}


def wide_words(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"words": arrays["words"].astype(np.uint64)}


def one_more(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"room": np.zeros(1, np.int64)}


def letters_not_utf8(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"letters": np.full_like(arrays["letters"], 0xF7)}


def ends_not_in_order(arrays: dict[str, Any]) -> dict[str, Any]:
    return {"letter_ends": arrays["letter_ends"][::-1].copy()}


def a_word_twice(arrays: dict[str, Any]) -> dict[str, Any]:
    hashes, ends = arrays["hashes"].copy(), arrays["letter_ends"]
    letters = arrays["letters"].copy()
    lengths = np.diff(ends, prepend=0)
    one, other = np.flatnonzero(lengths == np.bincount(lengths).argmax())[:2]
    letters[ends[other] - lengths[other] : ends[other]] = letters[ends[one] - lengths[one] : ends[one]]
    hashes[other] = hashes[one]
    return {"hashes": hashes, "letters": letters}


def forge(matter: Path, name: str, more: dict[str, Any]) -> None:
    """Put other arrays into a segment, with a right checksum everywhere."""
    spec, found = read_any(matter / name)
    found |= more
    entries = [({"name": one, "dtype": a.dtype.str, "shape": list(a.shape)}, a.tobytes()) for one, a in found.items()]
    checksum = write_forged(matter / name, spec, entries)
    change(matter, f"UPDATE segments SET checksum = '{checksum}' WHERE name = '{name}'")


FORGED = (
    (STREAMS, other_documents), (STREAMS, foreign_words), (STREAMS, places_outside), (STREAMS, marks_outside),
    (STREAMS, wide_words), (STREAMS, one_more), (VOCABULARY, letters_not_utf8), (VOCABULARY, ends_not_in_order),
    (VOCABULARY, a_word_twice),
)  # fmt: skip


@pytest.mark.parametrize(("name", "how"), FORGED, ids=lambda one: getattr(one, "__name__", None))
def test_forged_words_are_refused_and_named(old: Path, name: str, how: Any) -> None:
    forge(old, name, how(read_any(old / name)[1]))
    refused(old, f"{name} does not hold what it says")


def test_a_damaged_segment_is_refused_and_named(old: Path) -> None:
    (old / STREAMS).write_bytes((old / STREAMS).read_bytes()[:-40] + b"\0" * 40)
    refused(old, f"{STREAMS} is damaged")


def test_words_of_another_version_are_not_taken_for_ours(old: Path) -> None:
    spec, found = read_any(old / STREAMS)
    entries = [({"name": one, "dtype": a.dtype.str, "shape": list(a.shape)}, a.tobytes()) for one, a in found.items()]
    checksum = write_forged(old / STREAMS, {**spec, "version": 2}, entries)
    change(old, f"UPDATE segments SET checksum = '{checksum}' WHERE name = '{STREAMS}'")
    before = state(old)
    with pytest.raises(tc.TruecopyError):
        tc.open(old)
    assert state(old) == before
