"""What a question or a wave asks of the database is looked up in its indexes: no row is read for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import NotFound
from truecopy.matter.ask.naming import named, not_named, numbers_named, numbers_of
from truecopy.matter.before import StoredBefore
from truecopy.matter.sql import documents
from truecopy.matter.state import State

TEXT = "The tenant shall pay the rent on the first day of every month, whatever the weather is like on that day. "
NAMES = ("a/minutes.txt", "b/minutes.txt", "b/Lease.txt", "c/lease of 2020.txt", "c/other.txt", "3", "zebra.txt")


@pytest.fixture(scope="module")
def matter(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    room = tmp_path_factory.mktemp("lookups") / "room"
    for number, name in enumerate(NAMES):
        (room / name).parent.mkdir(parents=True, exist_ok=True)
        (room / name).write_text(TEXT + " ".join(f"clause{n}x{number}" for n in range(30)))
    return tc.scan(room, room.parent / "m", report=False)


@contextmanager
def watched(matter: tc.Matter) -> Iterator[tuple[State, list[str]]]:
    """A state of a matter, and the statements that it was asked, with their values."""
    statements: list[str] = []
    with matter.asking() as state:
        driver: Any = state.connection.connection.dbapi_connection
        driver.set_trace_callback(statements.append)
        try:
            yield state, statements
        finally:
            driver.set_trace_callback(None)


def walks(state: State, statements: list[str]) -> list[str]:
    """The statements that read a table or an index from its beginning to its end, and how SQLite says so."""
    driver: Any = state.connection.connection.dbapi_connection
    found = []
    driver.set_trace_callback(None)
    for statement in [one for one in statements if one.startswith("SELECT")]:
        plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}")]
        found += [f"{step}: {statement}" for step in plan if step.startswith("SCAN")]
    return found


@pytest.mark.parametrize("name", ["nobody.txt", "a/nobody.txt", "TC-000099", "99", "minutes", "b\\nobody.txt", "é"])
def test_a_name_that_nobody_has_is_looked_up(name: str, matter: tc.Matter) -> None:
    """So are the documents that are suggested in its place; all but the first are found by how their names begin."""
    with watched(matter) as (state, statements):
        assert named(state, name) is None
        assert isinstance(not_named(state, name), NotFound)
        assert len(statements) >= 3
        assert not walks(state, statements)


@pytest.mark.parametrize(
    ("name", "paths"),
    [
        ("minutes", {"a/minutes.txt", "b/minutes.txt"}), ("lease", {"b/Lease.txt", "c/lease of 2020.txt"}),
        ("LEASE o", {"c/lease of 2020.txt"}), ("zeb", {"zebra.txt"}), ("a/zeb", {"zebra.txt"}), ("ther", set()),
    ],
)  # fmt: skip
def test_documents_beyond_the_first_are_suggested_by_how_their_names_begin(
    name: str, paths: set[str], matter: tc.Matter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(documents, "_LOOKED_THROUGH", 0)
    with pytest.raises(NotFound) as refused:
        matter.document(name)
    assert {path for path in NAMES if f"({path})" in refused.value.hint} == paths


def test_the_first_documents_are_looked_through(matter: tc.Matter) -> None:
    """A part in the middle of a path suggests a document, and no document is suggested twice."""
    with pytest.raises(NotFound, match="no document") as refused:
        matter.document("ther")
    assert "c/other.txt" in refused.value.hint
    with pytest.raises(NotFound, match="no document") as refused:
        matter.document("minutes")
    assert refused.value.hint.count("a/minutes.txt") == 1


class Coming:
    """A document of a wave."""

    def __init__(self, number: int, path: str) -> None:
        self.number, self.id, self.path = number, f"TC-{number:06d}", path


ASKED = (
    "tc-2", "TC-000003", "3", "lease.txt", "LEASE.txt", "b\\Lease.txt", "minutes.txt", "a/minutes.txt", "nobody.txt",
    "other.txt", "new.txt", "zebra.txt", "8", "99", "", "\udcff", "a\0b", "/zebra.txt",
)  # fmt: skip


def test_many_names_are_looked_up(matter: tc.Matter) -> None:
    """They mean what they mean among all documents, and no table is walked for them."""
    coming = [Coming(8, "d/new.txt"), Coming(9, "d/zebra.txt")]
    with watched(matter) as (state, statements):
        found = numbers_named(state, ASKED, coming)
        assert statements
        assert not walks(state, statements)
    assert found == numbers_of([*matter.documents(), *coming], ASKED)
    assert found["zebra.txt"] == [matter.document("zebra.txt").number]
    assert found["8"] == found["new.txt"] == [8]
    assert found["minutes.txt"] == found["nobody.txt"] == []


def test_a_wave_reads_no_name_but_those_that_are_given(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the rule `given`, every wave read every document."""
    monkeypatch.setattr("truecopy.matter.sql.documents.DocumentTable.walk", lambda _: pytest.fail("all were read"))
    with watched(matter) as (state, statements):
        assert len(StoredBefore(state).given(["other.txt", "tc-1"], [])) == 2
        assert not walks(state, [one for one in statements if "documents" in one])


# How much is asked


def selects(statements: list[str]) -> list[str]:
    return [one for one in statements if one.startswith("SELECT")]


@pytest.mark.parametrize(
    ("question", "most"),
    [
        ("group_page", 3), ("document_page", 1), ("compare", 2), ("compare a copy", 5), ("a file", 4),
    ],
)  # fmt: skip
def test_a_question_asks_the_database_no_more_than_it_needs(question: str, most: int, copied: tc.Matter) -> None:
    """A page of groups: their principals, their members, the documents. A comparison: two documents. What
    is similar to a file: whether a document has its name, path or file name, and the documents that are found.
    """
    ask = {
        "group_page": lambda: copied.group_page(limit=3),
        "document_page": lambda: copied.document_page(limit=3),
        "compare": lambda: copied.compare("TC-000001", "TC-000003"),
        "a file": lambda: copied.similar(copied.path.parent / "outside.txt", 70),
        "compare a copy": lambda: copied.compare("TC-000002", "TC-000003"),
    }[question]
    with copied.snapshot(), watched(copied) as (state, statements):
        ask()
        statements.clear()
        ask()
        assert len(selects(statements)) <= most, selects(statements)
        assert not walks(state, statements)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> tc.Matter:
    """A matter with a copy in it, and with documents that are similar."""
    room = tmp_path_factory.mktemp("copied") / "room"
    room.mkdir()
    for number in range(6):
        words = f"{TEXT * 4} number {max(number, 1)} of these"
        (room / f"{number}.txt").write_text(words)
    (room.parent / "outside.txt").write_text(f"{TEXT * 4} number 1 of those")
    return tc.scan(room, room.parent / "m", report=False)


def test_the_connection_that_was_used_last_is_used_next(matter: tc.Matter) -> None:
    """Its pages are in memory: with others that take turns, every question would read its pages again."""
    with ThreadPoolExecutor(3) as pool:
        together = Barrier(3)

        def ask(_: int) -> None:
            with matter.snapshot():
                together.wait(30)
                matter.statuses()
                together.wait(30)

        list(pool.map(ask, range(3)))
    used = set()
    for _ in range(6):
        with matter.asking() as state:
            used.add(id(state.connection.connection.dbapi_connection))
    assert len(used) == 1


def test_a_file_that_is_asked_about_is_hashed_once(matter: tc.Matter, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its MD5 and SHA-1 are for exports, and nobody exports it."""
    outside = matter.path.parent / "outside.txt"
    outside.write_text(TEXT + " ".join(f"clause{n}x3" for n in range(30)))
    for name in ("md5", "sha1"):
        monkeypatch.setattr(f"truecopy.read.documents.{name}", lambda *_, **__: pytest.fail("it was hashed"))
    assert matter.similar(outside)
