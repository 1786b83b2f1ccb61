"""The matter's folder: made once, opened when whole, refused with a sentence otherwise."""

from __future__ import annotations

import shutil
import sqlite3
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import BadSetting, BelowFloor, MatterError, NotFound, UnreadableInput, UsageError
from truecopy.matter.sql import readers
from truecopy.read import discover

SENTENCE = "The parties agree that clause {n} of this agreement binds {who} and its successors in every respect. "


@pytest.fixture
def room(tmp_path: Path) -> Path:
    """A small data room: a text, a version of it, a copy, an excerpt, and odd ones."""
    folder = tmp_path / "room"
    folder.mkdir()
    base = "".join(SENTENCE.format(n=n, who="Acme") for n in range(40))
    (folder / "a.txt").write_text(base)
    (folder / "b.txt").write_text(base.replace("clause 7 ", "section seven "))
    (folder / "c.txt").write_text(base)
    (folder / "d.txt").write_text(base.upper().replace(". ", ".\n\n"))
    (folder / "e.txt").write_text("".join(SENTENCE.format(n=n, who="Acme") for n in range(10, 22)))
    (folder / "f.txt").write_text("")
    (folder / "g.txt").write_text("1 2 3 4 5 6 7 8 9 10 11 12")
    (folder / "h.txt").write_text("a short note")
    return folder


def test_a_matter_answers(room: Path, tmp_path: Path) -> None:
    """Statuses, groups, pairs and neighbors are as the contract defines them."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    documents = {document.path: document for document in matter.documents()}
    assert {path: document.status for path, document in documents.items()} == {
        "a.txt": "principal", "b.txt": "member", "c.txt": "same-file", "d.txt": "same-text", "e.txt": "unique",
        "f.txt": "empty", "g.txt": "numbers-only", "h.txt": "too-short",
    }  # fmt: skip
    assert sum(matter.statuses().values()) == len(documents) == 8
    (group,) = matter.groups().groups
    assert {member.document.path for member in group.members} | {group.principal.path} == {
        "a.txt", "b.txt", "c.txt", "d.txt",
    }  # fmt: skip
    contains = matter.pairs(80, "contains", expand=True).pairs
    assert {(pair.a.path, pair.b.path) for pair in contains if "e.txt" in (pair.a.path, pair.b.path)} == {
        ("a.txt", "e.txt"), ("b.txt", "e.txt"), ("c.txt", "e.txt"), ("d.txt", "e.txt"),
    }  # fmt: skip
    assert all(pair.scores.similarity is not None for pair in contains)
    assert [hit.document.path for hit in matter.similar("a.txt")][:2] == ["c.txt", "d.txt"]


def test_thresholds_are_views(room: Path, tmp_path: Path) -> None:
    """Any threshold from the floor on is answered from stored pairs; below it is refused, by name of the floor."""
    matter = tc.scan(room, tmp_path / "m", report=False, threshold=90, floor=85)
    assert matter.groups(85).threshold == 85
    with pytest.raises(BelowFloor, match="floor of 85"):
        matter.groups(84.9)
    with pytest.raises(BelowFloor, match="truecopy floor 60"):
        matter.pairs(60)


def test_the_floor_can_be_lowered(room: Path, tmp_path: Path) -> None:
    """After lowering, pairs equal those of a matter made with that floor; raising is refused."""
    high = tc.scan(room, tmp_path / "high", report=False, threshold=99, floor=99)
    low = tc.scan(room, tmp_path / "low", report=False, threshold=99, floor=20)
    assert len(high.pairs(99).pairs) < len(low.pairs(20).pairs)
    high.lower_floor(20)
    assert tc.open(tmp_path / "high").pairs(20) == low.pairs(20)
    assert high.groups() == low.groups()
    with pytest.raises(BadSetting, match="only be lowered"):
        high.lower_floor(50)


def test_a_file_from_outside(room: Path, tmp_path: Path) -> None:
    """A file that is not in the matter finds what is like it, copies included, best first."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    outside = tmp_path / "outside.txt"
    outside.write_text((room / "a.txt").read_text().replace("clause 9 ", "section 9 "))
    hits = matter.similar(outside)
    assert [hit.document.path for hit in hits] == ["a.txt", "c.txt", "d.txt", "b.txt"]
    assert hits[0].similarity == hits[2].similarity > hits[3].similarity
    outside.write_bytes((room / "a.txt").read_bytes())
    assert [hit.kind for hit in matter.similar(outside)][:3] == ["same-file", "same-file", "same-text"]


def test_against_a_form(room: Path, tmp_path: Path) -> None:
    """`against` compares every readable document with one file, also those that are not similar."""
    matter = tc.scan(room, tmp_path / "m", report=False, against=room / "e.txt")
    assert matter.scanned is not None
    hits = matter.scanned.against.hits
    assert hits[0].document.path == "e.txt"
    assert hits[0].similarity == 100
    assert {hit.document.path for hit in hits} == {"a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "h.txt"}
    a = next(hit for hit in hits if hit.document.path == "a.txt")
    assert a.containment[0] == 100
    assert a.similarity == pytest.approx(100 * 12 / 40, abs=0.1)
    assert a.kind != hits[-1].kind == "unrelated"


def test_a_second_scan_is_refused(room: Path, tmp_path: Path) -> None:
    """A matter with documents is never scanned over; the sentence says what to do."""
    tc.scan(room, tmp_path / "m", report=False)
    with pytest.raises(UsageError, match="truecopy add"):
        tc.scan(room, tmp_path / "m", report=False)


def test_folders_that_are_not_matters(tmp_path: Path) -> None:
    """Missing, foreign, damaged and newer folders are told apart, each with its own sentence."""
    with pytest.raises(NotFound, match="no matter"):
        tc.open(tmp_path / "nowhere")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "file.txt").write_text("x")
    with pytest.raises(UsageError, match="neither empty nor a matter"):
        tc.create(tmp_path / "foreign")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "matter.sqlite").write_text("not a database" * 100)
    with pytest.raises(MatterError, match="damaged"):
        tc.open(tmp_path / "broken")
    tc.create(tmp_path / "newer")
    with sqlite3.connect(tmp_path / "newer" / "matter.sqlite") as connection:
        connection.execute("UPDATE facts SET value = '99' WHERE name = 'format'")
    connection.close()
    with pytest.raises(MatterError, match="newer truecopy"):
        tc.open(tmp_path / "newer")


def test_a_damaged_segment_is_named(room: Path, tmp_path: Path) -> None:
    """`verify` finds a changed byte in a segment and a changed audit entry; a whole matter has none."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    assert matter.verify() == []
    segment = next((tmp_path / "m").glob("*.streams.*.segment"))
    data = bytearray(segment.read_bytes())
    data[len(data) // 2] ^= 1
    segment.write_bytes(data)
    with sqlite3.connect(tmp_path / "m" / "matter.sqlite") as connection:
        connection.execute("UPDATE audit SET details = '{}'")
    connection.close()
    wrong = matter.verify()
    assert len(wrong) == 2
    assert any(segment.name in sentence for sentence in wrong)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"threshold": 0}, "percentage"),
        ({"threshold": 101}, "percentage"),
        ({"threshold": 80.00001}, "four decimals"),
        ({"threshold": float("nan")}, "percentage"),
        ({"threshold": 80, "floor": 90}, "not be over the threshold"),
        ({"recall": 0.2}, "0.5 to 1"),
        ({"recall": "most"}, "'exact'"),
        ({"rule": "newest"}, "longest"),
        ({"rule": "given"}, "--principals"),
    ],
)
def test_bad_settings_get_one_sentence(tmp_path: Path, settings: dict[str, object], said: str) -> None:
    """Each bad setting is refused with a sentence, and no matter is made."""
    with pytest.raises(BadSetting, match=said):
        tc.create(tmp_path / "m", **settings)  # type: ignore[arg-type]
    assert not (tmp_path / "m").exists()


def test_the_floor_of_contains_can_be_lowered(room: Path, tmp_path: Path) -> None:
    """The refusal names the command that lowers this floor, and after it the pairs are there."""
    shared = "".join(SENTENCE.format(n=n, who="Acme") for n in range(20))
    (room / "half.txt").write_text(shared + " ".join(f"own{i}" for i in range(60)))
    matter = tc.scan(room, tmp_path / "m", report=False)
    with pytest.raises(BelowFloor, match="--relation contains"):
        matter.pairs(30, "contains")
    before = len(matter.pairs(80, "contains").pairs)
    similar = matter.pairs(70)
    matter.lower_floor(30, "contains")
    again = tc.open(tmp_path / "m")
    assert len(again.pairs(30, "contains").pairs) > before == len(again.pairs(80, "contains").pairs)
    assert again.pairs(70) == similar


def test_one_document_means_one(room: Path, tmp_path: Path) -> None:
    """Where one document is wanted, a folder and an archive of several are refused, not guessed at."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    with pytest.raises(UsageError, match="is a folder"):
        tc.compare(room / "a.txt", room)
    with zipfile.ZipFile(tmp_path / "two.zip", "w") as archive:
        archive.write(room / "a.txt", "a.txt")
        archive.write(room / "b.txt", "b.txt")
    with pytest.raises(UsageError, match="holds 2 documents"):
        matter.similar(tmp_path / "two.zip")


def test_a_matter_that_cannot_be_written_can_be_read(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a read-only disk every question is answered as before, and writing is refused by its name."""
    pairs = tc.scan(room, tmp_path / "m", report=False).pairs(80)
    monkeypatch.setattr("truecopy.matter.store._writable", lambda path: False)
    matter = tc.open(tmp_path / "m")
    assert matter.pairs(80) == pairs
    with pytest.raises(MatterError, match="read-only"):
        matter.add(room)


def test_a_snapshot_sees_one_state(room: Path, tmp_path: Path) -> None:
    """What a second process adds while somebody reads is seen by nobody who reads in a snapshot, and by all others."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    later = tmp_path / "later.txt"
    later.write_text((room / "a.txt").read_text().replace("clause 9 ", "section nine "))
    with matter.snapshot():
        before = matter.documents()
        tc.open(tmp_path / "m").add(later)
        assert matter.documents() == before
        assert sum(matter.statuses().values()) == len(before)
        assert all(later.name != hit.document.path for hit in matter.similar("a.txt"))
    assert len(matter.documents()) == len(before) + 1
    assert [hit.document.path for hit in matter.similar("a.txt")].count(later.name) == 1


def test_readers_and_a_writer_side_by_side(room: Path, tmp_path: Path) -> None:
    """Waves come in while others ask: every answer is that of some state, and none fails."""
    tc.scan(room, tmp_path / "m", report=False)
    texts = [(room / "a.txt").read_text().replace(f"clause {n} ", f"section {n} ") for n in range(10, 22)]
    stop = threading.Event()

    def ask() -> int:
        asked = 0
        mine = tc.open(tmp_path / "m")
        while not stop.is_set():
            with mine.snapshot():
                documents = len(mine.documents())
                assert sum(mine.statuses().values()) == documents
                grouping, pairs = mine.groups(), mine.pairs()
                assert {pair.a.number for pair in pairs.pairs} <= set(range(1, documents + 1))
                assert sum(1 + len(group.members) for group in grouping.groups) <= documents
            mine.groups()  # without a snapshot of its own, too
            asked += 1
        return asked

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(ask) for _ in range(2)]
        try:
            for place, text in enumerate(texts):
                (tmp_path / f"{place}.txt").write_text(text)
                tc.open(tmp_path / "m").add(tmp_path / f"{place}.txt", threads=1)
        finally:
            stop.set()
        assert all(reader.result() for reader in readers)
    assert len(tc.open(tmp_path / "m").documents()) == 8 + len(texts)


def test_principals_that_are_not_there_are_named(room: Path, tmp_path: Path) -> None:
    matter = tc.scan(room, tmp_path / "m", rule="given", given=["b.txt", "nobody.txt", "TC-000001"], report=False)
    assert matter.missing_principals() == ["nobody.txt"]


def test_wrong_questions_are_refused_and_not_answered_with_a_number(room: Path, tmp_path: Path) -> None:
    matter = tc.scan(room, tmp_path / "m", report=False)
    with pytest.raises(NotFound, match="has no wave 'bogus'"):
        matter.counts("bogus")
    with pytest.raises(BelowFloor):
        matter.count_pairs(10)
    with pytest.raises(UsageError, match="relation 'bogus'"):
        matter.count_pairs(80, "bogus")
    with pytest.raises(UsageError, match=r"its name is x\.pdf"):
        tc.scan(room, tmp_path / "other", report="x.pdf")
    assert not (tmp_path / "other").exists()
    with pytest.raises(NotFound, match="No path was given"):
        matter.add([])


def test_a_file_without_words_is_similar_to_nothing(room: Path, tmp_path: Path) -> None:
    matter = tc.scan(room, tmp_path / "m", report=False)
    empty = tmp_path / "empty.txt"
    empty.write_text(" ...\n")
    with pytest.raises(UnreadableInput, match="no words"):
        matter.similar(empty)


def test_a_floor_lowered_while_an_add_waits_holds_for_it(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The settings of an add are those of the moment when it is committed."""
    tc.scan(room, tmp_path / "m", floor=90, threshold=90, report=False)
    later = tmp_path / "later"
    later.mkdir()
    words = [f"term{n}" for n in range(100)]
    (later / "x.txt").write_text(" ".join(words))
    (later / "y.txt").write_text(" ".join(words[:75] + [f"other{n}" for n in range(25)]))  # 75 % similar

    def discover_slowly(*given: Any) -> Any:
        tc.open(tmp_path / "m").lower_floor(70)
        return discover(*given)

    monkeypatch.setattr("truecopy.matter.change.add.discover", discover_slowly)
    tc.open(tmp_path / "m").add(later)
    found = tc.open(tmp_path / "m").pairs(70).pairs
    assert [round(pair.scores.similarity or 0) for pair in found if pair.a.path == "x.txt"] == [75]


def test_who_cannot_write_reads_the_log_too(room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was added last may stand in the database's log only, as after a kill."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    later = tmp_path / "later.txt"
    later.write_text("a text that came later and that has more than ten words in it")
    with matter.snapshot():  # keeps the log from being taken into the database
        tc.open(tmp_path / "m").add(later)
        assert (tmp_path / "m" / "matter.sqlite-wal").stat().st_size > 0
        monkeypatch.setattr("truecopy.matter.store._writable", lambda _: False)
        seen = tc.open(tmp_path / "m").documents()
    assert seen[-1].path == "later.txt"
    assert len(seen) == 9


@pytest.fixture
def later(tmp_path: Path) -> Path:
    file = tmp_path / "later.txt"
    file.write_text("a text that came later and that has more than ten words in it")
    return file


def test_who_reads_from_a_copy_sees_what_is_added_later(
    room: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the log can be read only from a copy, each question makes its own: no answer is of an earlier state."""
    matter = tc.scan(room, tmp_path / "m", report=False)
    for name in ("later", "last"):
        (tmp_path / f"{name}.txt").write_text(f"a text that came {name} and that has more than ten words in it")
    with matter.snapshot():  # keeps the log from being taken into the database
        tc.open(tmp_path / "m").add(tmp_path / "later.txt")
        shutil.copytree(tmp_path / "m", tmp_path / "left")
    (tmp_path / "left" / "matter.sqlite-shm").unlink()  # as after a kill and a restart
    with monkeypatch.context() as patched:
        patched.setattr("truecopy.matter.store._writable", lambda _: False)
        reader = tc.open(tmp_path / "left")
        assert len(reader.documents()) == 9
    tc.open(tmp_path / "left").add(tmp_path / "last.txt")
    with monkeypatch.context() as patched:
        patched.setattr("truecopy.matter.store._writable", lambda _: False)
        assert [one.path for one in reader.documents()][-2:] == ["later.txt", "last.txt"]


def test_a_disk_that_was_full_for_a_moment_does_not_keep_a_process_from_writing(
    room: Path, later: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite shares the files beside the database among the connections of a process: one that was opened without
    writing them is not kept.
    """
    matter = tc.scan(room, tmp_path / "m", report=False)
    with matter.snapshot():
        tc.open(tmp_path / "m").rebuild_indexes()
        shutil.copytree(tmp_path / "m", tmp_path / "left")  # with the log and its index, as after a kill
    real = readers._opened

    def full(path: Path, how: str) -> Any:
        if how == "mode=rw":
            error = sqlite3.OperationalError("database or disk is full")
            error.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise error
        return real(path, how)

    with monkeypatch.context() as patched:
        patched.setattr(readers, "_opened", full)
        opened = tc.open(tmp_path / "left")
        assert len(opened.documents()) == 8
    assert opened.add(later).documents == 1
    assert len(opened.documents()) == 9


def test_a_matter_whose_scan_has_not_ended_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    """Stopped before anything was stored, it would answer every question with nothing."""
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_text("a text of some words")
    tc.create(tmp_path / "matter")
    (tmp_path / "matter" / "scan.unfinished").write_text("{}")
    with pytest.raises(MatterError, match="run the same scan again"):
        tc.open(tmp_path / "matter")
    assert tc.scan(tmp_path / "room", tmp_path / "matter", report=False).counts().documents == 1
    assert tc.open(tmp_path / "matter").counts().documents == 1


def test_the_doctor_knows_the_words_of_a_file_that_was_read_in_two_ways(tmp_path: Path) -> None:
    """The same bytes as a page and as plain text: one document's words are compared, the other's are kept as well."""
    room = tmp_path / "room"
    room.mkdir()
    page = (
        "<html><body><p class='unseen'>The lessee shall pay the rent on the first day of each month.</p></body></html>"
    )
    for name in ("a.html", "b.txt"):
        (room / name).write_text(page, encoding="utf-8")
    matter = tc.scan(room, tmp_path / "matter", report=False)
    first, second = matter.documents()
    assert (second.status, second.copy_of) == ("same-file", first.id)
    assert second.words > first.words, "the tags are words of the plain text"
    assert matter.verify() == []
