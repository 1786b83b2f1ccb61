"""A matter is data, never code: what somebody else has put into one harms nobody who opens it.

Commands run in processes of their own: what is tried here used to crash them, hang them, or change files elsewhere.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import zstandard
from forge import put_arrays, put_bodies, read_any, read_words

import truecopy as tc
from truecopy.assured import Assurance
from truecopy.errors import MatterError, TruecopyError
from truecopy.matter.sql import guard
from truecopy.progress import SILENT
from truecopy.report import write_html
from truecopy.report.beside import write_beside
from whole.whole_process import watch

STREAMS, VOCABULARY = "wave-0001.streams.000001.segment", "wave-0001.vocabulary.000001.segment"


@dataclass(frozen=True)
class Ran:
    """How a command went; -11 is a crash."""

    code: int
    said: str


def run(*arguments: str | Path, timeout: float = 60) -> Ran:
    """A command in a process of its own."""
    command = [sys.executable, "-m", "truecopy", *map(str, arguments)]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, check=False, stdin=subprocess.DEVNULL
    )
    return Ran(ran.returncode, ran.stdout + ran.stderr)


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A file of the user's, outside the matter."""
    file = tmp_path / "canary.txt"
    file.write_text("untouched")
    return file


def change(matter: Path, *statements: str) -> None:
    """Change the database as its owner can."""
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    connection.execute("PRAGMA writable_schema = ON")
    for statement in statements:
        connection.execute(statement)
    connection.close()


def forge(matter: Path, name: str, **arrays: np.ndarray) -> None:
    """Put other arrays into a segment, with a right checksum everywhere."""
    put_arrays(matter, name, read_any(matter / name)[1] | arrays)


# Segments


@pytest.mark.slow
def test_forged_places_of_words_crash_nothing(matter: Path, canary: Path) -> None:
    """Offsets that lead far outside the file are refused by name; `status` used to end with a segmentation fault."""
    _, arrays = read_any(matter / STREAMS)
    offsets = arrays["offsets"].copy()
    offsets[1:-1] += 1 << 33
    forge(matter, STREAMS, offsets=offsets)
    assert run("status", "--matter", matter).code == 0
    ran = run("add", canary, "--matter", matter)
    assert ran.code == 1, ran
    assert f"{STREAMS} does not hold what it says" in ran.said


@pytest.mark.slow
def test_forged_word_numbers_crash_nothing(matter: Path, canary: Path) -> None:
    """Words beyond the vocabulary are refused; kernels used to write behind their arrays ("double free")."""
    _, arrays = read_any(matter / STREAMS)
    forge(matter, STREAMS, words=arrays["words"] + np.uint32(1 << 30))
    assert run("status", "--matter", matter).code == 0
    ran = run("add", canary, "--matter", matter)
    assert ran.code == 1, ran
    assert f"{STREAMS} does not hold what it says" in ran.said


def marks_outside(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"marks": arrays["marks"] | np.uint64(1 << 62)}


def letters_not_utf8(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"letters": np.full_like(arrays["letters"], 0xF7)}


def ends_not_in_order(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"letter_ends": arrays["letter_ends"][::-1].copy()}


def words_beyond(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    words = arrays["words"] + np.uint32(1 << 30)
    return {"words": words, "room": np.array([1 + int(words.max())], np.int64)}


def fewer_texts(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: np.delete(arrays[name], 1) for name in ("offsets", "mark_offsets")}


def wide_words(arrays: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {"words": arrays["words"].astype(np.uint64)}


FORGED = (
    (STREAMS, marks_outside), (STREAMS, words_beyond), (STREAMS, fewer_texts), (STREAMS, wide_words),
    (VOCABULARY, letters_not_utf8), (VOCABULARY, ends_not_in_order),
)  # fmt: skip


@pytest.mark.parametrize(("name", "how"), FORGED, ids=lambda one: getattr(one, "__name__", None))
def test_forged_words_are_refused_and_named(matter: Path, name: str, how) -> None:
    """Whatever a kernel relies on is checked before one runs, and the doctor names the file."""
    forge(matter, name, **how(read_any(matter / name)[1]))
    with pytest.raises(MatterError, match=r"segment|streams"):
        read_words(matter)
    assert any(name in found for found in tc.open(matter).verify())


def test_words_that_are_not_those_of_the_text_are_found_by_the_doctor(matter: Path) -> None:
    """Two words that change places leave a file that is whole in itself; the texts tell."""
    _, arrays = read_any(matter / STREAMS)
    words = arrays["words"].copy()
    words[[0, 1]] = words[[1, 0]]
    forge(matter, STREAMS, words=words)
    assert "the stored words of document 1 are not those of its text" in tc.open(matter).verify()


def test_signatures_of_another_width_are_refused(matter: Path) -> None:
    """The spec says how wide a row is, and the file does not decide that."""
    name = next(file.name for file in sorted(matter.glob("wave-0001.signatures-simhash.*.segment")))
    values = read_any(matter / name)[1]["values"]
    forge(matter, name, values=values[:, :2].copy())
    with pytest.raises(MatterError, match=r"signatures-simhash"):
        tc.open(matter).signatures("simhash")
    assert any(name in found for found in tc.open(matter).verify())


def test_an_index_that_lies_is_found_by_the_doctor(matter: Path) -> None:
    """A block that is whole in itself but of other texts is made again, and compared."""
    name = next(file.name for file in sorted(matter.glob("index-overlap.*.segment")))
    counts = read_any(matter / name)[1]["counts"]
    forge(matter, name, counts=counts + np.uint32(1))
    assert any(name in found for found in tc.open(matter).verify())


@pytest.mark.parametrize("kind", ["streams", "vocabulary", "texts", "signatures-simhash", "index-overlap"])
def test_the_doctor_believes_no_note_that_a_file_was_checked_before(
    matter: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that loses a bit changes no time of a file, so that a note still seems to be good."""
    monkeypatch.setattr(Assurance, "holds", lambda *_: True)
    file = next(file for file in sorted(matter.glob("*.segment")) if f"{kind}." in file.name)
    data = bytearray(file.read_bytes())
    data[-33] ^= 1  # the last byte of the arrays
    file.write_bytes(data)
    assert any(file.name in found for found in tc.open(matter).verify())


# The database


ENDLESS = (
    "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) "
    "SELECT 'similar' AS relation, x AS family, 0 AS left_out FROM n"
)


@pytest.mark.slow
def test_a_view_in_place_of_a_table_does_not_hang_status(matter: Path) -> None:
    """A recursive view under the name of a table is refused; `status` used to run for ever."""
    change(matter, "DROP TABLE dense_families", f"CREATE VIEW dense_families AS {ENDLESS}")
    ran = run("status", "--matter", matter, timeout=30)
    assert ran.code == 1, ran
    assert "view dense_families" in ran.said


FOREIGN = (
    "CREATE VIEW v AS SELECT 1",
    "CREATE TABLE t (x)",
    "CREATE INDEX more ON documents (date)",
    "CREATE TRIGGER g AFTER INSERT ON audit BEGIN DELETE FROM pairs; END",
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "ALTER TABLE waves ADD COLUMN y GENERATED ALWAYS AS (number + 1) VIRTUAL",
    "ALTER TABLE waves ADD COLUMN z",
    "DROP INDEX documents_by_text",
    "UPDATE sqlite_master SET sql = replace(sql, 'path TEXT', 'path INTEGER') WHERE name = 'documents'",
)


@pytest.mark.parametrize("statement", FOREIGN)
def test_a_database_holds_our_tables_and_nothing_else(matter: Path, statement: str) -> None:
    """Views, triggers, virtual tables, generated columns, tables and indexes that we have not made are refused."""
    change(matter, statement)
    with pytest.raises(MatterError, match=r"has not made|has no documents_by_text"):
        tc.open(matter)


def test_pairs_of_documents_that_are_not_there_are_refused(matter: Path, tmp_path: Path) -> None:
    """A pair names a number that no document has: the report says so, and does not look it up in its tables."""
    change(matter, "UPDATE OR IGNORE pairs SET a = 1000000 WHERE relation = 'contains'")
    with pytest.raises(MatterError, match="pairs"):
        write_html(tc.open(matter), tmp_path / "report.html", SILENT)


@pytest.mark.parametrize(
    "changed", ["sql = CAST(x'ff4352454154' AS TEXT)", "name = CAST(x'706169ff80' AS TEXT), sql = 'CREATE'"]
)
def test_a_schema_that_is_not_text_is_refused(matter: Path, changed: str) -> None:
    """Bytes that are not UTF-8 in the schema, or in SQLite's message about it, are damage, and no mistake of ours."""
    change(matter, f"UPDATE sqlite_master SET {changed} WHERE name = 'pairs'")
    with pytest.raises(MatterError, match="damaged"):
        tc.open(matter)


WALKS = {"documents": ("groups", "documents"), "passages": ("groups",)}
"""Tables, and the commands that are about every row of them."""


@pytest.mark.alone
@pytest.mark.parametrize("table", WALKS)
def test_pages_that_lead_to_a_billion_rows_are_not_walked(matter: Path, table: str) -> None:
    """Few pages that name each other many times stand for more rows than anyone can read: every command gives up."""
    multiply(matter / "matter.sqlite", table)
    for command in (["status"], ["groups", "--threshold", "75"], ["documents"], ["similar", "TC-000001"]):
        ran = watch(matter.parent / "watched", *command, "--matter", str(matter), timeout=60)
        # Others look up the rows that they name, and never walk the table.
        assert ran.code == int(command[0] in WALKS[table]), ran
        assert ran.seconds < 30, ran
        assert ran.peak < 1 << 30, ran
        assert "Something went wrong" not in ran.err
    begun = time.process_time()
    found = tc.open(matter).verify()
    assert any("database" in one for one in found)
    assert time.process_time() - begun < 30, "the doctor gives up a few times, once for each thing that it looks at"


@pytest.mark.slow
def test_a_schema_of_more_entries_than_anyone_can_read_is_refused(matter: Path) -> None:
    """SQLite reads the whole schema before the first statement; pages that repeat it a trillion times are given up."""
    multiply_schema(matter / "matter.sqlite", 5)
    for command in ("status", "doctor", "add"):
        ran = run(command, *([matter.parent] if command == "add" else []), "--matter", matter, timeout=60)
        assert ran.code == 1, ran
        assert "lead in circles" in " ".join(ran.said.split())


def multiply_schema(database: Path, levels: int) -> None:
    """Put pages below the root of the schema that name each other many times, and at the end one harmless entry."""
    connection = sqlite3.connect(database)
    name, table, root = connection.execute(
        "SELECT name, tbl_name, rootpage FROM sqlite_master WHERE sql IS NULL ORDER BY name LIMIT 1"
    ).fetchone()
    connection.close()
    data = database.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    pages = [data[place : place + size] for place in range(0, len(data), size)]
    words = [b"index", name.encode(), table.encode()]
    head = bytes([13 + 2 * len(word) for word in words]) + b"\x04\x00"
    record = bytes([len(head) + 1]) + head + b"".join(words) + root.to_bytes(4, "big")
    entry = bytes([len(record)]) + b"\x01" + record
    place = (size - len(entry)).to_bytes(2, "big")
    leaf = b"\x0d\0\0\0\x01" + place + b"\0" + place
    pages.append(leaf.ljust(size - len(entry), b"\0") + entry)
    for _ in range(levels):
        pages.append(interior(size, [len(pages)] * 400, b""))
    first = pages[0]
    count = int.from_bytes(first[103:105], "big")
    if first[100] == 0x0D:  # its entries move to a page of their own
        cells = first[108 + 2 * count :]
        pages.append(first[100 : 108 + 2 * count] + bytes(100) + cells)
        children = [len(pages), len(pages) - 1]
    else:
        places = [int.from_bytes(first[112 + 2 * i : 114 + 2 * i], "big") for i in range(count)]
        children = [int.from_bytes(first[place : place + 4], "big") for place in places]
        children += [int.from_bytes(first[108:112], "big"), len(pages)]
    pages[0] = interior(size, children, first[:100])
    whole = b"".join(pages)
    database.write_bytes(whole[:28] + len(pages).to_bytes(4, "big") + whole[32:])


def interior(size: int, children: list[int], before: bytes) -> bytes:
    """A page that names others."""
    cells = [child.to_bytes(4, "big") + b"\x01" for child in children[:-1]]
    start = size - sum(map(len, cells))
    head = b"\x05\0\0" + len(cells).to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0"
    places = b"".join((start + 5 * i).to_bytes(2, "big") for i in range(len(cells)))
    return (before + head + children[-1].to_bytes(4, "big") + places).ljust(start, b"\0") + b"".join(cells)


def test_rows_that_hold_more_text_than_the_file_are_refused(tmp_path: Path) -> None:
    """One chain of pages can be the text of every row; the connection counts what a statement gives."""
    database = tmp_path / "some.sqlite"
    with contextlib.closing(sqlite3.connect(database)) as plain, plain:
        plain.execute("CREATE TABLE t (x)")
        plain.execute("INSERT INTO t VALUES (?)", ("a" * (1 << 20),))
    with contextlib.closing(guard.connect(database, 5, guard.Wary)) as connection:
        same = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) SELECT x FROM t, n"
        connection.patience.begin()
        assert len(connection.execute(same, (60,)).fetchall()) == 60
        connection.patience.begin()
        with pytest.raises(sqlite3.DatabaseError, match="more text than its file"):
            connection.execute(same, (80,)).fetchall()


def multiply(database: Path, table: str) -> None:
    """Put pages over the root of a table, each of which names the next many times, and so its rows."""
    connection = sqlite3.connect(database)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    connection.close()
    data = database.read_bytes()
    size = int.from_bytes(data[16:18], "big")
    pages = [data[place : place + size] for place in range(0, len(data), size)]
    old, levels = pages[root - 1], 6
    for level in range(levels):
        child = len(pages) + 1
        cell = child.to_bytes(4, "big") + b"\x01"  # the page below, and a row number
        count = (size - 12) // (len(cell) + 2)
        start = size - count * len(cell)
        head = b"\x05\0\0" + count.to_bytes(2, "big") + start.to_bytes(2, "big") + b"\0" + child.to_bytes(4, "big")
        places = b"".join((start + i * len(cell)).to_bytes(2, "big") for i in range(count))
        made = (head + places).ljust(start, b"\0") + cell * count
        if level == 0:
            pages[root - 1] = made
        else:
            pages[-1] = made
        pages.append(old)
    pages[0] = pages[0][:28] + len(pages).to_bytes(4, "big") + pages[0][32:]
    database.write_bytes(b"".join(pages))


@pytest.mark.slow
def test_a_journal_beside_the_database_removes_no_file(matter: Path, canary: Path) -> None:
    """SQLite believes a journal, and removes the file that it names once it is played back; so none is let near."""
    plant_journal(matter / "matter.sqlite", canary)
    ran = run("status", "--matter", matter)
    assert canary.read_text() == "untouched"
    assert ran.code == 1, ran
    assert "matter.sqlite-journal" in ran.said


def plant_journal(database: Path, names: Path) -> None:
    """A journal that is played back, and names another file as the list of journals that it belongs to."""
    data, magic, nonce = database.read_bytes(), bytes.fromhex("d9d505f920a163d7"), 7
    size = int.from_bytes(data[16:18], "big")
    numbers = (1, nonce, len(data) // size, 512, size)
    header = (magic + b"".join(number.to_bytes(4, "big") for number in numbers)).ljust(512, b"\0")
    checked = nonce + sum(data[place] for place in range(size - 200, 0, -200))
    record = (1).to_bytes(4, "big") + data[:size] + checked.to_bytes(4, "big")
    name = os.fsencode(names)
    after = (0x40000000 // size + 1, len(name), sum(name))
    tail = after[0].to_bytes(4, "big") + name + after[1].to_bytes(4, "big") + after[2].to_bytes(4, "big") + magic
    database.with_name(f"{database.name}-journal").write_bytes(header + record + tail)


def test_a_scan_that_was_ended_at_its_first_write_can_be_run_again(tmp_path: Path) -> None:
    """A journal beside a database without tables is our own, from a matter that was hardly begun."""
    matter, room = tmp_path / "matter", tmp_path / "room"
    for folder in (matter, room):
        folder.mkdir()
    (room / "a.txt").write_text("A text of a few words.")
    for name in ("matter.sqlite", "matter.sqlite-journal"):
        (matter / name).write_bytes(bytes(512))
    assert len(tc.scan(room, matter).documents()) == 1
    assert not (matter / "matter.sqlite-journal").exists()


CELLS = (
    ("documents", "words", "'many'"), ("documents", "wave", "77"), ("documents", "passage", "35"),
    ("documents", "path", "x'ff00'"), ("documents", "size", "-1"), ("documents", "status", "'lost'"),
    ("documents", "copy_of", "9000"), ("documents", "text", "9000"), ("documents", "id", "''"),
    ("waves", "details", f"'{'[' * 40_000}'"), ("waves", "details", "'{}'"), ("waves", "documents", "-5"),
    ("pairs", "distance", "longer + 1"), ("pairs", "longer", "1 << 62"), ("pairs", "b", "a"), ("pairs", "kind", "'x'"),
    ("pairs", "shared_shingles", "a_shingles + b_shingles + 1"), ("pairs", "a_shingles", "0.5"),
    ("group_members", "principal", "9000"), ("dense_families", "left_out", "'x'"), ("dense_families", "family", "-1"),
    ("signings", "spec", "'{}'"), ("signings", "statistics", "'../x'"), ("segments", "checksum", "5"),
    ("segments", "name", "'../' || name"), ("segments", "name", "'/tmp/' || name"), ("segments", "kind", "'streams'"),
    ("segments", "wave", "1 << 40"), ("audit", "hash", "'x'"), ("groupings", "threshold", "'x'"),
    ("segments", "first", "'x'"), ("segments", "last", "-2"), ("segments", "unit", "'clause'"),
    ("passages", "unit", "'x'"), ("passages", "document", "9000"), ("passages", "words", "-1"),
    ("passages", "shingles", "0.5"), ("passages", "place", "'x'"), ("documents", "custodian", "x'00'"),
    ("groups", "documents", "0"), ("groups", "principal", "9000"), ("groupings", "unit", "'x'"),
    ("tallies", "documents", "-1"), ("tallies", "status", "'lost'"), ("tallies", "copied", "2"),
    ("families", "family", "0"), ("families", "relation", "'x'"), ("families", "passage", "9000"),
)  # fmt: skip


@pytest.mark.parametrize(("table", "column", "value"), CELLS)
def test_the_doctor_names_a_cell_that_cannot_be(matter: Path, table: str, column: str, value: str) -> None:
    """Wrong types, numbers that lead nowhere, scores out of range, JSON of another form: each is a finding."""
    change(matter, f"UPDATE OR IGNORE {table} SET {column} = {value}")
    try:
        found = tc.open(matter).verify()
    except MatterError as error:  # it cannot even be opened
        found = [error.message]
    assert any(f"table {table}" in one for one in found), found


SETTINGS = ('{"threshold": "80"}', '{"floor": NaN}', '{"dense": -5}', '{"given": 5}', '{"rule": "x"}', "[]", "{" * 9999)


@pytest.mark.parametrize("settings", SETTINGS)
def test_settings_of_another_form_are_refused(matter: Path, settings: str) -> None:
    """The settings are parsed within limits, and every value has the type and the range that the code relies on."""
    change(matter, f"UPDATE facts SET value = '{settings}' WHERE name = 'settings'")
    with pytest.raises(MatterError, match=r"setting|table facts"):
        tc.open(matter)


def test_a_whole_matter_is_fine(matter: Path) -> None:
    """The doctor finds nothing in a matter that nobody has touched, with copies, versions, waves and signatures."""
    assert tc.open(matter).verify() == []


# Texts


@pytest.mark.slow
def test_a_text_is_unpacked_within_the_size_that_it_may_have(matter: Path) -> None:
    """A few kilobytes that stand for half a gigabyte are refused before they are unpacked."""
    bomb = zstandard.ZstdCompressor(level=1).compress(bytes(1 << 29))
    assert len(bomb) < 1 << 15
    put_bodies(matter, dict.fromkeys(range(1, 100), bomb))
    ran = run("compare", "TC-000001", "TC-000002", "--matter", matter)
    assert ran.code == 1, ran
    assert "stored text" in ran.said


def bodies() -> dict[str, bytes]:
    pack = zstandard.ZstdCompressor(level=1)
    plain = pack.compress(b"A text of some words." * 100)
    lying = bytearray(pack.compress(b"a" * (1 << 20)))
    lying[6:10] = (100).to_bytes(4, "little")
    return {
        "no size": zstandard.ZstdCompressor(level=1, write_content_size=False).compress(b"A text." * 100),
        "two frames": plain + plain,
        "more behind it": plain + b"x",
        "a lying size": bytes(lying),
        "not UTF-8": pack.compress(b"\xff\xfe" * 100),
        "no frame": b"A text.",
    }


@pytest.mark.parametrize("how", bodies())
def test_a_stored_text_is_one_frame_that_states_its_size(matter: Path, how: str) -> None:
    """Anything else is refused, and named by the doctor."""
    put_bodies(matter, {1: bodies()[how]})
    opened = tc.open(matter)
    with pytest.raises(MatterError, match="stored text"):
        opened.text("TC-000001")
    assert "the stored text 1 is damaged" in opened.verify()


# Files


@pytest.mark.slow
def test_similar_does_not_write_through_a_planted_link(matter: Path, canary: Path) -> None:
    """A link where an index was going to be written led `similar` to a file outside, and it was overwritten."""
    name = next(file.name for file in sorted(matter.glob("index-overlap.*.segment")))
    (matter / name).write_bytes(b"damaged, so that it is made again")
    waves = name.split(".")[1]
    for serial in range(30):
        (matter / f"index-overlap.{waves}.{serial:06d}.segment.part").symlink_to(canary)
    outside = canary.with_name("asked.txt")
    outside.write_text(tc.open(matter).text("TC-000001"))
    ran = run("similar", outside, "--matter", matter)
    assert canary.read_text() == "untouched"
    assert ran.code == 0, ran


OWN = (
    *(f"matter.sqlite{end}" for end in ("", "-wal", "-shm")),
    "matter.lock",
    "scan.lock",
    "wave.lock",
    "scan.unfinished",
    STREAMS,
)


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("what", ["link", "pipe"])
def test_links_and_pipes_in_a_matter_are_refused(matter: Path, tmp_path: Path, name: str, what: str) -> None:
    """What truecopy opens in a matter is a file: no link is followed, and no pipe is waited for."""
    there = matter / name
    elsewhere = tmp_path / "elsewhere"
    if there.exists():
        there.replace(elsewhere)
    else:
        elsewhere.write_bytes(b"")
    before = elsewhere.read_bytes()
    if what == "link":
        there.symlink_to(elsewhere)
    else:
        os.mkfifo(there)
    ran = run("groups", "--threshold", "75", "--matter", matter, timeout=30)
    assert ran.code == 1, ran
    assert elsewhere.read_bytes() == before
    assert what in ran.said or (name == "matter.sqlite" and "not a matter" in ran.said)


def test_a_matter_may_be_reached_by_a_link(matter: Path, tmp_path: Path) -> None:
    """Where a matter is kept is its user's choice."""
    (tmp_path / "link").symlink_to(matter)
    assert len(tc.open(tmp_path / "link").documents()) == len(tc.open(matter).documents())


def test_the_mark_of_a_scan_is_not_written_through_a_link(tmp_path: Path, canary: Path) -> None:
    """A link under the name of the mark is replaced or refused, not followed."""
    matter, room = tmp_path / "new", tmp_path / "room"
    for folder in (matter, room):
        folder.mkdir()
    (room / "a.txt").write_text("A text of a few words.")
    (matter / "scan.unfinished").symlink_to(canary)
    with pytest.raises(MatterError, match="link"):
        tc.scan(room, matter)
    assert canary.read_text() == "untouched"


def test_the_sweep_leaves_files_alone_that_are_not_ours(matter: Path, tmp_path: Path) -> None:
    """A writer removes segments that no row names and files that were never finished, and nothing else."""
    name = STREAMS.replace("0001", "0009")
    ours = (name, f"{name}.0123456789abcdef.part")
    theirs = ("notes.part", "my.segment", f"{name}.backup")
    for name in (*ours, *theirs):
        (matter / name).write_text("x")
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_text("A text that is new.")
    tc.open(matter).add(tmp_path / "room")
    assert [name for name in ours if (matter / name).exists()] == []
    assert [name for name in theirs if (matter / name).exists()] == list(theirs)


def test_pages_beside_a_report_are_not_written_through_a_link(matter: Path, tmp_path: Path) -> None:
    """A link under the name of the folder for redlines could lead anywhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (matter / "report-files").symlink_to(elsewhere)
    opened = tc.open(matter)
    group = opened.groups().groups[0]
    with pytest.raises(TruecopyError, match="link"):
        write_beside(opened, [(group, group.members[0])], matter / "report.html", SILENT, "private")
    assert list(elsewhere.iterdir()) == []
