"""Documents whose words are made to collide: each has its right status, stops no other, and is shown as different."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from whole_room import write_room
from whole_state import state

import truecopy as tc
from forged import ACCOUNTS, colliding_words
from naive import naive_digest
from truecopy.errors import MatterError
from truecopy.match.compare import compare
from truecopy.match.measures import distinct_shingles, shared_shingles
from truecopy.pairing import find_contained
from truecopy.text.streams import Streams

ORDER = (
    "Please transfer the whole of the purchase price under this agreement, without deduction or set-off, to the "
    "account {} of the seller no later than the closing date, and send a confirmation to both parties on the same day."
)
FORGED = ["we pay {} and nothing else is due under this agreement at all", "the seller is {} and signs here with both"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two orders that differ in a forged account number, two texts with words of one hash, and ordinary ones."""
    made = tmp_path_factory.mktemp("forged") / "documents"
    write_room(made / "room", 3, range(4))
    for name, account in zip(("one", "other"), ACCOUNTS, strict=True):
        (made / f"{name}.txt").write_text(ORDER.format(account))
    for number, word in enumerate(colliding_words(64)[:2]):
        (made / f"word-{number}.txt").write_text(FORGED[number].format(word) + f" by {ACCOUNTS[number]}")
    (made / "list.txt").write_text(" ".join(colliding_words(4096)))
    return made


@pytest.fixture(scope="module")
def matter(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    return tc.scan(folder, tmp_path_factory.mktemp("scanned") / "matter", threads=2, report=False)


def documents(matter: tc.Matter) -> dict[str, tc.Document]:
    return {document.path: document for document in matter.documents()}


def test_forged_words_are_other_words_in_a_comparison() -> None:
    """One word of many is replaced, and the difference shows it."""
    one, other = (ORDER.format(account) for account in ACCOUNTS)
    found = compare(one, other)
    assert found.kind == "revision"
    assert found.similarity == 100 * 39 / 40
    (difference,) = found.differences
    assert (difference.a_text, difference.b_text, difference.layout) == (*ACCOUNTS, False)
    assert found.resemblance < 100


def test_every_document_has_its_right_status(matter: tc.Matter) -> None:
    """No copies among the forged ones, and none of them stops the scan."""
    found = documents(matter)
    statuses = {name: found[name].status for name in ("one.txt", "other.txt", "word-0.txt", "word-1.txt", "list.txt")}
    assert statuses["one.txt"] in ("principal", "member")
    assert {statuses["one.txt"], statuses["other.txt"]} == {"principal", "member"}
    assert [statuses[name] for name in ("word-0.txt", "word-1.txt", "list.txt")] == ["unique"] * 3
    assert not [document for document in found.values() if document.copy_of and "room" not in document.path]
    assert sum(matter.statuses().values()) == len(found)


def test_pairs_of_forged_documents_say_what_comparing_says(matter: tc.Matter) -> None:
    pairs = [pair for pair in matter.pairs(70).pairs if {pair.a.path, pair.b.path} == {"one.txt", "other.txt"}]
    (pair,) = pairs
    alone = compare(*(ORDER.format(account) for account in ACCOUNTS))
    assert (pair.kind, pair.scores.similarity) == (alone.kind, alone.similarity)
    assert (pair.scores.resemblance, pair.scores.terminology) == (alone.resemblance, alone.terminology)


def test_hashes_of_words_are_stored_by_the_contract(matter: tc.Matter, folder: Path) -> None:
    """SHA-256 of the folded words, each ended by a line feed."""
    found = documents(matter)
    for name in ("one.txt", "other.txt", "word-0.txt"):
        assert found[name].words_sha256 == naive_digest((folder / name).read_text())
    assert found["one.txt"].words_sha256 != found["other.txt"].words_sha256


def test_a_file_from_outside_is_found_by_its_own_words(matter: tc.Matter, tmp_path: Path) -> None:
    """The same text but for a forged word is near, and not the same; and so for what contains it."""
    asked = tmp_path / "asked.txt"
    asked.write_text(ORDER.format(ACCOUNTS[1]).upper())
    kinds = {hit.document.path: hit.kind for hit in matter.similar(asked, threshold=70)}
    assert kinds == {"other.txt": "same-text", "one.txt": "revision"}
    asked.write_text(" ".join(colliding_words(4096)[1000:1100]))
    (hit,) = matter.containing(asked)
    assert hit.document.path == "list.txt"
    assert hit.containment == (100.0, pytest.approx(100 * 98 / 4094))
    asked.write_text(" ".join(colliding_words(4096)[1100:1000:-1]))
    assert not list(matter.containing(asked)), "the same words the other way round"


def test_no_measure_depends_on_the_hashes_of_words() -> None:
    """Shingles are told apart by word numbers: streams whose words all share one hash have the same measures."""
    dice = np.random.default_rng(8)
    base = dice.integers(0, 5000, 400).astype(np.uint32)
    words = np.concatenate([base, base[100:300], dice.integers(0, 5000, 300).astype(np.uint32)])
    offsets = np.array([0, 400, 600, 900], np.int64)
    found = []
    for hashes in (np.zeros(5000, np.uint64), dice.integers(0, 1 << 64, 5000, np.uint64)):
        streams = Streams(words, offsets, hashes)
        inside = find_contained(streams, 80, np.ones(3, np.bool_), 2)
        arrays = streams.words, streams.offsets, streams.keys
        a, b = np.array([0, 0], np.int32), np.array([1, 2], np.int32)
        shared = shared_shingles(*arrays, a, b, 1).tolist()
        sizes = distinct_shingles(*arrays, np.arange(3, dtype=np.int32), 1).tolist()
        found.append(
            (*(column.tolist() for column in inside.pairs.columns().values()), inside.shingles.tolist(), shared)
        )
    assert found[0] == found[1] == ([0], [1], [198], sizes, [198, 0])
    assert sizes == [398, 198, 298]


def test_another_process_with_another_secret_stores_the_same(folder: Path, matter: tc.Matter, tmp_path: Path) -> None:
    """Documents, statuses, pairs, groups; and the segments, with the stored indexes, to the byte."""
    command = [sys.executable, "-m", "truecopy", "scan", str(folder), "--matter", str(tmp_path / "m"), "--no-report"]
    subprocess.run([*command, "--threads", "1", "--json"], check=True, capture_output=True)
    other = tc.open(tmp_path / "m")
    assert state(other) == state(matter)
    for each in (matter, other):
        each.rebuild_indexes("shingles")
        assert [hit.document.path for hit in each.containing("list.txt")] == []
    segments = [{file.name: file.read_bytes() for file in each.path.glob("*.segment")} for each in (matter, other)]
    assert segments[0] == segments[1]
    assert {name.split(".")[0] for name in segments[0]} == {
        "wave-0001",
        "index-overlap",
        "index-runs",
        "index-shingles",
    }


def test_an_earlier_matter_is_refused_with_the_command_to_scan_again(tmp_path: Path) -> None:
    """Format 4 took forged words for equal, and its hashes of words mean something else."""
    tc.create(tmp_path / "old")
    with sqlite3.connect(tmp_path / "old" / "matter.sqlite") as connection:
        connection.execute("UPDATE facts SET value = '4' WHERE name = 'format'")
    connection.close()
    with pytest.raises(MatterError, match="has format 4, made by an earlier truecopy") as refused:
        tc.open(tmp_path / "old")
    assert "truecopy scan PATH --matter NEW" in refused.value.hint
