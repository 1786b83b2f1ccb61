"""Arrow streams of results: read right by a reader of our own and by real ones, and freed whatever happens."""

from __future__ import annotations

import gc
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api_arrow import Reader, moved, release, values
from api_results import EMPTY, FULL, documents, grouping

from truecopy import arrow
from truecopy.listing import Tabular

FORMATS = {"string": "u", "int64": "l", "float64": "g", "bool": "b"}


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Every test frees what it has read."""
    gc.collect()
    before = len(arrow._kept), len(arrow._structures)
    yield
    gc.collect()
    assert (len(arrow._kept), len(arrow._structures)) == before


class Table:
    """Anything that has a stream."""

    def __init__(self, fields: list[arrow.Field], rows: Any) -> None:
        self.fields, self.rows = fields, rows

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return arrow.stream(self.fields, self.rows)


def fields_of(result: Tabular) -> list[tuple[str, str, bool]]:
    return [(column.name, FORMATS[column.type], column.optional) for column in result._table()]


@pytest.mark.parametrize("name", FULL)
def test_a_stream_holds_the_rows(name: str):
    """Names, types, values and what is missing are those of `rows()`; and again when it is read again."""
    result = FULL[name]
    for _ in range(2):
        reader = Reader(result)
        assert reader.fields == fields_of(result)
        assert reader.rows() == result.rows()


@pytest.mark.parametrize("name", EMPTY)
def test_the_stream_of_an_empty_result_has_columns(name: str):
    reader = Reader(EMPTY[name])
    assert reader.fields == fields_of(EMPTY[name])
    assert reader.rows() == []


def test_every_type_with_and_without_missing_values():
    """Edges: nothing but missing values, empty strings, the largest numbers, characters beyond the first plane."""
    fields = [arrow.Field(kind, kind, True) for kind in FORMATS]
    rows = [
        (None, None, None, None), ("", 0, 0.0, False), ("Ω 𝔘 \u202e\n\0", 2**63 - 1, 1e308, True),
        ("x" * 70_000, -(2**63), -0.5, True), (None, 1, None, False), ("é", None, 2.5, None),
        ("", 7, 0.1, True), ("z", 8, 0.2, True), ("last", 9, 0.3, False),
    ]  # fmt: skip
    read = Reader(Table(fields, rows)).rows()
    assert [tuple(row.values()) for row in read] == rows
    only = [(None, None, None, None)] * 17
    assert [tuple(row.values()) for row in Reader(Table(fields, only)).rows()] == only
    assert Reader(Table([arrow.Field("flag", "bool", False)], [(True,)] * 9)).rows() == [{"flag": True}] * 9


def test_half_a_surrogate_is_replaced():
    """A name that is no Unicode cannot be written as UTF-8; the rest of the table can."""
    assert Reader(Table([arrow.Field("path", "string", False)], [("a\ud800b",), ("c",)])).rows() == [
        {"path": "a?b"}, {"path": "c"},
    ]  # fmt: skip


def test_a_hundred_thousand_rows_come_in_batches():
    result = documents(100_000)
    reader = Reader(result)
    sizes = []
    while (batch := reader.next()) is not None:
        sizes.append(batch.length)
        release(batch)
    release(reader.stream)
    assert sizes == [65_536, 34_464]
    assert Reader(result).rows() == result.rows()


def test_two_readers_of_one_result_do_not_meet():
    result = documents(5)
    first, second = Reader(result), Reader(result)
    assert first.rows() == second.rows() == result.rows()


# Who frees what


def test_a_capsule_that_nobody_reads_frees_its_stream():
    result = documents(3)
    before = len(arrow._kept), len(arrow._structures)
    capsules = [result.__arrow_c_stream__() for _ in range(100)]
    assert (len(arrow._kept), len(arrow._structures)) == (before[0] + 100, before[1] + 100)
    del capsules
    assert (len(arrow._kept), len(arrow._structures)) == before


def test_batches_outlive_their_stream_and_columns_their_batch():
    """A reader may keep one column, move it, and let everything else go."""
    reader = Reader(documents(3))
    batch = reader.next()
    assert batch is not None
    release(reader.stream)
    path = moved(batch.children[1].contents)
    release(batch)
    gc.collect()
    assert values(path, "u") == ["Verträge/1.docx", "Verträge/2.docx", "Verträge/3.docx"]
    release(path)


def test_memory_does_not_grow():
    """Twenty readings, and twenty that stop after the first batch, leave nothing behind."""
    result = documents(2_000)

    def read(times: int) -> None:
        for _ in range(times):
            Reader(result).rows()
            reader = Reader(result)
            batch = reader.next()
            assert batch is not None
            release(batch)
            release(reader.stream)
        gc.collect()

    read(2)
    tracemalloc.start()
    try:
        read(2)
        before = tracemalloc.get_traced_memory()[0]
        read(20)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 50_000  # one table has some 700,000 bytes


def test_an_exception_on_its_way_survives_the_release():
    """A call that fails drops its arguments while its exception is set: Python code in `release` would lose it."""
    with pytest.raises(TypeError, match="has no len"):
        len(documents(3).__arrow_c_stream__())


def test_rows_that_cannot_be_made_are_an_error_of_the_reader():
    """The message says what happened, and holds no value of a row."""

    def rows() -> Iterator[tuple[str]]:
        yield ("good",)
        raise RuntimeError("privileged words")

    reader = Reader(Table([arrow.Field("text", "string", False)], rows()))
    with pytest.raises(OSError, match=r"The rows could not be made: RuntimeError\.$"):
        reader.next()
    release(reader.stream)


@pytest.mark.parametrize("bad", [[("a",), (None,)], [("a",), (5,)], [("a",), ("b", "c")]])
def test_a_row_that_does_not_fit_the_columns_is_an_error(bad: list[Any]):
    reader = Reader(Table([arrow.Field("text", "string", False)], bad))
    with pytest.raises(OSError, match="The rows could not be made"):
        reader.next()
    release(reader.stream)


def run(code: str) -> None:
    """In a process of its own, which must end well and silently."""
    setup = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
    ended = subprocess.run(
        [sys.executable, "-c", setup + code], check=False, capture_output=True, text=True, timeout=120
    )
    assert (ended.returncode, ended.stderr) == (0, "")


def test_the_first_streams_may_be_made_in_many_threads_at_once():
    run(
        "import threading\nfrom api_arrow import Reader\nfrom api_results import documents\n"
        "gate = threading.Barrier(8)\nread = []\n"
        "def work():\n    gate.wait()\n    read.extend(len(Reader(documents(5)).rows()) for _ in range(20))\n"
        "threads = [threading.Thread(target=work) for _ in range(8)]\n"
        "[one.start() for one in threads]\n[one.join() for one in threads]\nassert read == [5] * 160, read\n"
    )


def test_a_process_may_end_with_streams_still_open():
    run(
        "from api_arrow import Reader\nfrom api_results import documents\n"
        "capsule = documents(3).__arrow_c_stream__()\nreader = Reader(documents(3))\nbatch = reader.next()\n"
    )


# Real readers, where they are installed


@pytest.mark.parametrize("name", [*FULL, *(f"empty {name}" for name in EMPTY)])
def test_pyarrow_reads_results(name: str):
    pyarrow = pytest.importorskip("pyarrow")
    result = EMPTY[name.removeprefix("empty ")] if name.startswith("empty ") else FULL[name]
    table = pyarrow.table(result)
    table.validate(full=True)
    assert table.to_pylist() == result.rows()
    assert table.equals(result.to_arrow())
    assert [field.nullable for field in table.schema] == [column.optional for column in result._table()]


def test_a_failing_call_on_a_table_of_pyarrow_says_why():
    """The table goes while the KeyError is set."""
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(KeyError, match="nope"):
        pyarrow.table(documents(3)).select(["nope"])


def test_pandas_gets_the_stated_types():
    pandas = pytest.importorskip("pandas")
    full, empty = FULL["answer"].to_pandas(), EMPTY["answer"].to_pandas()
    assert full.dtypes.equals(empty.dtypes)
    assert (str(full.dtypes["start"]), str(full.dtypes["words"]), str(full.dtypes["path"])) == (
        "Int64", "int64", "string",
    )  # fmt: skip
    assert full["start"].tolist() == [10, pandas.NA, pandas.NA]
    assert full["similarity"].tolist() == [91.5, 88.0, 87.0]
    assert list(grouping().to_pandas()["role"]).count("member") == 6


def test_polars_reads_results():
    polars = pytest.importorskip("polars")
    for results in (FULL, EMPTY):
        for result in results.values():
            frame = polars.DataFrame(result)
            assert frame.columns == [column.name for column in result._table()]
            assert frame.to_dicts() == result.rows()


def test_duckdb_reads_results():
    duckdb = pytest.importorskip("duckdb")
    result = grouping(5)
    connection = duckdb.connect()
    connection.register("result", result)
    for _ in range(2):
        assert connection.sql("select role, count(*) from result group by role order by role").fetchall() == [
            ("linked", 1), ("member", 10), ("principal", 5),
        ]  # fmt: skip
    connection.close()
