"""A first wave of many documents: its indexes are made after its rows, and nothing else is different."""

from __future__ import annotations

import gc
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import truecopy
from truecopy.collecting import seldom_collecting
from truecopy.matter.sql import bulk, tables
from truecopy.matter.sql.documents import DocumentRow
from truecopy.wave import packed as packing

TEXT = "The tenant shall pay the rent of {} euro for the flat in street number {} on the first day of each month."


def dumped(folder: Path) -> tuple[list[Any], list[Any]]:
    """The schema of a matter's database, and its rows but for times and checksums."""
    connection = sqlite3.connect(folder / "matter.sqlite")
    schema = sorted(connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_master"), key=str)
    names = ("documents", "passages", "pairs", "group_members", "groups", "families", "tallies")
    rows = [(name, row) for name in names for row in connection.execute(f"SELECT * FROM {name}")]
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    return schema, sorted(rows, key=str)


def test_indexes_that_are_made_late_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = tmp_path / "papers"
    papers.mkdir()
    for number in range(40):
        (papers / f"{number}.txt").write_text(TEXT.format(100 + number // 2, number % 7))
    found = {}
    for many in (1, 10_000):
        monkeypatch.setattr(bulk, "_MANY", many)
        truecopy.scan(papers, matter=tmp_path / str(many))
        found[many] = dumped(tmp_path / str(many))
    assert found[1] == found[10_000]
    indexes = {entry[1] for entry in found[1][0] if entry[0] == "index"}
    assert indexes >= {str(index.name) for table in tables.metadata.tables.values() for index in table.indexes}
    matter = truecopy.open(tmp_path / "1")
    (papers / "more.txt").write_text(TEXT.format(1, 2))
    assert matter.add(papers).documents == 1


def test_rows_have_the_columns_of_the_table() -> None:
    assert DocumentRow._fields == tuple(column.name for column in tables.documents.columns)


def test_texts_are_packed_the_same_alone_and_together(monkeypatch: pytest.MonkeyPatch) -> None:
    import zstandard

    texts = [b"", b"one", b"two " * 5000, b"", b"three"]
    together = packing.packed(texts)
    one = zstandard.ZstdCompressor(level=1)
    assert together == [one.compress(text) if text else b"" for text in texts]
    assert packing.packed([]) == []
    assert packing.packed([b"", b""]) == [b"", b""]

    class Plain:
        """What a build of zstandard offers that compresses one text at a time."""

        compress = one.compress

    monkeypatch.setattr(packing, "_compressor", Plain)
    assert packing.packed(texts) == together


def test_the_collector_is_as_it_was_when_the_last_has_left() -> None:
    before = gc.get_threshold()
    first, second = seldom_collecting(), seldom_collecting()
    first.__enter__()
    second.__enter__()
    assert gc.get_threshold()[0] > before[0]
    first.__exit__(None, None, None)
    assert gc.get_threshold()[0] > before[0]
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before
    gc.set_threshold(0)
    try:
        with seldom_collecting():
            assert gc.get_threshold()[0] == 0
    finally:
        gc.set_threshold(*before)
