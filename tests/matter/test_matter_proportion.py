"""What a matter from a stranger costs is in proportion to what is on the disk, whatever its files say of themselves."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import zstandard
from forge import put_arrays, put_bodies, read_any, read_words, write_forged

import truecopy as tc
from truecopy.errors import DamagedSegment, MatterError
from truecopy.segments import read_segment, write_segment
from truecopy.stopping import Stopped
from truecopy.text.word_lists import WordList

VOCABULARIES = ("wave-0001.vocabulary.000001.segment", "wave-0002.vocabulary.000002.segment")


@pytest.fixture
def matter(tmp_path: Path) -> Path:
    """A small matter of two waves."""
    for name, text in (("first", "The lessee pays the rent."), ("second", "The lessor repairs the roof.")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(text)
    tc.scan(tmp_path / "first", tmp_path / "matter").add(tmp_path / "second")
    return tmp_path / "matter"


def name_it(matter: Path, name: str, checksum: str) -> None:
    """Let the database know the checksum of a forged segment."""
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    connection.execute("UPDATE segments SET checksum = ? WHERE name = ?", (checksum, name))
    connection.close()


# Words


def with_words(arrays: dict[str, np.ndarray], word: str, times: int) -> dict[str, np.ndarray]:
    """A vocabulary with one word at its end, many times; in order of hash, as if it was an honest one."""
    letters, ends = np.frombuffer(word.encode() * times, np.uint8), arrays["letter_ends"]
    more = int(ends[-1]) + len(word) * np.arange(1, times + 1)
    made = WordList.of(
        np.concatenate([arrays["hashes"], np.zeros(times, np.uint64)]),
        np.concatenate([arrays["letters"], letters]),
        np.concatenate([ends, more]),
    )
    return made.arrays()


@pytest.mark.parametrize(("name", "word", "times"), [
    (VOCABULARIES[0], "b", 2), (VOCABULARIES[0], "b", 150_000), (VOCABULARIES[1], "b", 150_000),
    (VOCABULARIES[1], "twelve bytes", 2), (VOCABULARIES[1], "more than sixteen", 2),
])  # fmt: skip
def test_a_vocabulary_with_a_word_twice_is_refused(matter: Path, name: str, word: str, times: int) -> None:
    """Equal words have equal keys, so a table of many of them took time that grows with the square of their number."""
    put_arrays(matter, name, with_words(read_any(matter / name)[1], word, times))
    with pytest.raises(MatterError, match=rf"{name} does not hold what it says it holds: it has a word twice"):
        read_words(matter)
    assert any(name in found and "twice" in found for found in tc.open(matter).verify())


@pytest.mark.parametrize("change", ["by_hash", "sorted_hashes"])
def test_a_vocabulary_that_is_not_in_order_is_refused(matter: Path, change: str) -> None:
    """Words are found by halving: in a list that is not in order, some would not be."""
    _, arrays = read_any(matter / VOCABULARIES[0])
    put_arrays(matter, VOCABULARIES[0], arrays | {change: arrays[change][::-1].copy()})
    with pytest.raises(MatterError, match=rf"{VOCABULARIES[0]} does not hold what it says it holds: its words"):
        read_words(matter)
    assert any(VOCABULARIES[0] in found and "order" in found for found in tc.open(matter).verify())


@pytest.mark.parametrize("true_hash", [True, False])
def test_a_word_that_an_earlier_wave_has_is_named_by_the_doctor(matter: Path, true_hash: bool) -> None:
    """Each list is searched by itself, and the first that has a word counts: the second would never be found."""
    (_, first), (_, second) = (read_any(matter / name) for name in VOCABULARIES)
    ends = first["letter_ends"].tolist()
    words = [first["letters"][begin:end].tobytes() for begin, end in zip([0, *ends], ends, strict=False)]
    longer = with_words(second, "lessee", 1)
    if true_hash:
        hashes = np.append(second["hashes"], first["hashes"][words.index(b"lessee")])
        longer = WordList.of(hashes, longer["letters"], longer["letter_ends"]).arrays()
    last = len(first["hashes"]) + len(longer["hashes"]) - 1
    put_arrays(matter, VOCABULARIES[1], longer, last=last)
    assert any(VOCABULARIES[1] in found and "twice" in found for found in tc.open(matter).verify())


# Segments


def test_a_header_is_short(matter: Path) -> None:
    """A header is parsed only if it is not longer than any of ours: Python's objects take thirty times its size."""
    spec = b'{"arrays": [], "spec": {"x": [' + b"[]," * (1 << 20) + b"[]]}}"
    for name in VOCABULARIES:
        name_it(matter, name, write_forged(matter / name, spec, []))
    tracemalloc.start()
    try:
        with pytest.raises(MatterError, match=r"vocabulary\.000001\.segment does not hold what it says"):
            read_words(matter)
        assert tracemalloc.get_traced_memory()[1] < 1 << 23
    finally:
        tracemalloc.stop()


def never_hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the test fail if a segment is hashed."""

    def hashed(_: object) -> bytes:
        raise AssertionError("it was hashed")

    monkeypatch.setattr("truecopy.segments._hashed", hashed)


def made_sparse(file: Path, size: int) -> None:
    """Give a file a size; skipped where the system gives it the room."""
    try:
        os.truncate(file, size)
    except OSError:
        pytest.skip("this disk has no files with holes")
    if not hasattr(os, "SEEK_HOLE") or file.stat().st_blocks * 512 > 1 << 24:
        pytest.skip("this disk has no files with holes")


@pytest.mark.parametrize("size", [1 << 20, 1 << 34, 1 << 38])
def test_a_file_with_a_hole_behind_it_is_not_hashed(matter: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """14 GB of nothing took 55 seconds and as much memory, and 40 GB were called missing."""
    never_hashed(monkeypatch)
    made_sparse(matter / VOCABULARIES[0], size)
    with pytest.raises(MatterError, match=r"not on the disk|does not hold what it says"):
        load_any(matter / VOCABULARIES[0])


def test_an_array_of_holes_is_not_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A header that is true to the size of the file does not help it."""
    never_hashed(monkeypatch)
    size = 1 << 34
    header = {"arrays": [{"name": "a", "dtype": "|u1", "shape": [size], "place": 0}], "spec": {}}
    (tmp_path / "a").write_bytes(lead_of(header))
    made_sparse(tmp_path / "a", len(lead_of(header)) + size + 32)
    with pytest.raises(DamagedSegment, match="not on the disk"):
        load_any(tmp_path / "a")


def lead_of(header: object) -> bytes:
    """What a segment begins with."""
    text = json.dumps(header).encode()
    lead = b"TCSEG\0\1\0" + len(text).to_bytes(8, "little") + text
    return lead + b"\0" * (-len(lead) % 64)


def load_any(path: Path) -> None:
    read_segment(path, "0" * 64)


@pytest.mark.parametrize("change", ["longer", "shorter", "a gap", "twice"])
def test_a_segment_is_its_arrays_and_nothing_else(tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its size and the places of its arrays follow from its header, and both are looked at before it is hashed."""
    never_hashed(monkeypatch)
    places = {"a gap": [0, 128], "twice": [0, 0]}.get(change, [0, 64])
    table = [{"name": str(i), "dtype": "|u1", "shape": [64], "place": place} for i, place in enumerate(places)]
    size = {"longer": 129, "shorter": 127, "a gap": 192, "twice": 64}[change]
    (tmp_path / "a").write_bytes(lead_of({"arrays": table, "spec": {}}) + bytes(size) + bytes(32))
    with pytest.raises(DamagedSegment, match="does not hold what it says"):
        load_any(tmp_path / "a")


def test_a_disk_that_compresses_is_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A segment of ours may have runs of zeros that take no room; it is read as long as enough of it is there."""
    monkeypatch.setattr("truecopy.segments._FREE_HOLES", 1 << 16)
    values = np.zeros(1 << 22, np.uint8)
    values[:: 1 << 18] = 1
    checksum = write_segment(tmp_path / "whole", {}, {"a": values})
    data = (tmp_path / "whole").read_bytes()
    with (tmp_path / "holed").open("wb") as file:
        for place in range(0, len(data), 1 << 12):
            piece = data[place : place + (1 << 12)]
            file.seek(place)
            if any(piece):
                file.write(piece)
    np.testing.assert_array_equal(read_segment(tmp_path / "holed", checksum)[1]["a"], values)


def test_too_little_memory_is_not_called_damage(matter: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that cannot be mapped is neither missing nor to be restored from a backup."""

    def mapped(*_: object) -> None:
        raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))

    monkeypatch.setattr("truecopy.segments._mapped", mapped)
    with pytest.raises(MatterError, match="does not fit into the memory") as caught:
        load_any(matter / VOCABULARIES[0])
    assert not isinstance(caught.value, DamagedSegment)
    assert "backup" not in str(caught.value)


def test_a_stop_is_heard_while_a_segment_is_hashed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is hashed in pieces."""
    monkeypatch.setattr("truecopy.segments._PIECE", 1 << 10)
    checksum = write_segment(tmp_path / "a", {}, {"a": np.arange(1 << 16)})
    seen = []

    def check() -> None:
        seen.append(1)
        if len(seen) == 3:
            raise Stopped

    monkeypatch.setattr("truecopy.segments.check", check)
    with pytest.raises(Stopped):
        read_segment(tmp_path / "a", checksum)


# Texts


def put_text(matter: Path, text: bytes, **cells: int) -> None:
    """Put another text in the place of the first, and other numbers into its row of the documents table."""
    put_bodies(matter, {1: zstandard.ZstdCompressor(level=1).compress(text)})
    connection = sqlite3.connect(matter / "matter.sqlite", isolation_level=None)
    for name, value in cells.items():
        connection.execute(f"UPDATE documents SET {name} = ? WHERE text = 1", (value,))
    connection.close()


WORDY = {"ascii": "word ", "accents": "é ", "without spaces": "中", "marks": "é́ "}


@pytest.mark.parametrize("word", WORDY)
@pytest.mark.parametrize("told", [None, 1 << 39])
def test_a_text_has_no_more_words_than_its_document_and_the_disk(matter: Path, word: str, told: int | None) -> None:
    """A few kilobytes that truly stand for fifty million words are refused at the first word that cannot be."""
    text = WORDY[word].encode()
    put_text(matter, text * ((1 << 24) // len(text)), **({} if told is None else {"words": told}))
    tracemalloc.start()
    try:
        with pytest.raises(MatterError, match="more words than its document"):
            tc.open(matter).text("TC-000001")
        assert tracemalloc.get_traced_memory()[1] < (1 << 24 if told is None else 1 << 26)
    finally:
        tracemalloc.stop()
    assert "the stored text 1 is damaged" in tc.open(matter).verify()


@pytest.mark.parametrize("word", ["word ", "é ", "中", "wörd\n", " ", "w", "\u1100\u1161", "e\u0301", "😀 x"])
def test_large_texts_of_any_script_are_read(tmp_path: Path, word: str) -> None:
    """Wherever a piece is cut, no word too many is counted."""
    text = word * ((5 << 20) // len(word.encode())) + " end"
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_text(text, encoding="utf-8")
    made = tc.scan(tmp_path / "room", tmp_path / "made")
    assert made.text("TC-000001") == text
    assert made.verify() == []


def test_large_bytes_that_are_no_text_are_refused(matter: Path) -> None:
    """Before a kernel takes them for one."""
    for wrong in (b"\xff" * (3 << 20), b"\x80" * (3 << 20), b"a" * (3 << 20) + b"\xe4"):
        put_text(matter, wrong)
        with pytest.raises(MatterError, match="stored text"):
            tc.open(matter).text("TC-000001")
