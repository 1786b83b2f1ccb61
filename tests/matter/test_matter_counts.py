"""How many documents pass a filter: looked up in the tallies, and as many as the list has."""

from __future__ import annotations

import sqlite3
from itertools import product
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.model import STATUSES, Filter

BASE = " ".join(f"clause{n} binds the party{n} and its successors{n}." for n in range(30))
FIGURES = (
    (), *((status,) for status in STATUSES), ("copies",), ("near-copies",), ("to-read",), ("not-searched",),
    ("copies", "unique"),
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter of two waves and two custodians, with copies, a member, a doubt, and a file that cannot be read."""
    place = tmp_path_factory.mktemp("counts")
    rooms = {
        "one": {"a.txt": BASE, "b.txt": BASE + " The end.", "copy.txt": BASE, "short.txt": "Nothing.", "none.txt": ""},
        "two": {"again.txt": BASE.upper(), "other.txt": " ".join(f"word{n}" for n in range(90))},
    }
    for name, texts in rooms.items():
        (place / name).mkdir()
        for file, text in texts.items():
            (place / name / file).write_text(text)
    for file in ("damaged.docx", "the same.docx"):
        (place / "two" / file).write_bytes(b"PK\x03\x04 no archive")
    (place / "two" / "doubt.txt").write_bytes("Größe".encode("cp850") + b" 1\xd52 " + bytes(range(0xC0, 0xF0)))
    matter = tc.create(place / "m")
    matter.add(place / "one", custodian="Ann")
    matter.add(place / "two", custodian="Ben")
    return place / "m"


def test_as_many_documents_are_counted_as_are_listed(folder: Path) -> None:
    """Whatever is asked: statuses and figures, waves, custodians, doubts, copies, and all of it together."""
    matter, counted = tc.open(folder), set()
    for given in product(FIGURES, ((), ("wave 1",), ("wave 2",)), ((), ("Ann",), ("Ann", "Ben")), *2 * [(False, True)]):
        wanted = Filter(*given)
        listed = len(matter.document_page(wanted, limit=None))
        assert matter.document_count(wanted) == listed, wanted
        counted.add(listed)
    assert len(counted) > 4
    assert matter.document_count(Filter(doubted=True)) == matter.doubted() == 1
    assert matter.document_count(Filter()) == matter.counts().documents == len(matter.documents())
    assert matter.document_count(Filter(waves=("no such wave",))) == 0


def test_counts_are_looked_up(folder: Path) -> None:
    """No document is looked at for them, so that they cost the same in a matter of any size."""
    matter = tc.open(folder)
    before = matter.document_count(Filter(("unique",)))
    connection = sqlite3.connect(folder / "matter.sqlite", isolation_level=None)
    connection.execute("UPDATE tallies SET documents = documents * 1000 WHERE status = 'unique'")
    connection.close()
    assert matter.document_count(Filter(("unique",))) == before * 1000 > 0
