"""Questions never write: no row, no file, no lock; a matter that is only asked stays as it is, byte for byte."""

from __future__ import annotations

import hashlib
import inspect
import os
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.matter.matter import Matter
from truecopy.matter.sql import readers, unseen
from truecopy.matter.store import Store
from truecopy.model import Filter
from truecopy.report import write_html
from truecopy.settings import MatterSettings
from truecopy.sign import METHODS

CHANGES = {"add", "change_settings", "lower_floor", "sign", "rebuild_indexes", "discard_if_empty"}
NEITHER = {"close", "snapshot", "asking"}
"""What opens or closes, and answers nothing by itself."""
A, B = "a.txt", "b.txt"
Ask = Callable[[Matter, Path], object]
QUESTIONS: dict[str, Ask] = {
    "documents": lambda m, _: m.documents(),
    "document_page": lambda m, _: [m.document_page(Filter(("copies",))), m.document_page(after=A, limit=2)],
    "each_document": lambda m, _: list(m.each_document()),
    "document_count": lambda m, _: m.document_count(Filter(waves=("wave 1",))),
    "document": lambda m, _: [m.document(A), m.document(2), m.document("TC-000001")],
    "find": lambda m, _: [m.find(A), m.find(2), m.find("nobody.txt")],
    "text": lambda m, _: [m.text(one) for one in m.documents()],
    "missing_principals": lambda m, _: m.missing_principals(),
    "statuses": lambda m, _: m.statuses(),
    "counts": lambda m, _: [m.counts(), m.counts("wave 2")],
    "copied": lambda m, _: m.copied(),
    "custodians": lambda m, _: m.custodians(),
    "links_not_followed": lambda m, _: m.links_not_followed(),
    "doubted": lambda m, _: m.doubted(),
    "spare": lambda m, outside: m.spare(outside.with_name("new.csv")),
    "waves": lambda m, _: m.waves(),
    "signings": lambda m, _: m.signings(),
    "signatures": lambda m, _: [m.signatures(method).values.tolist() for method in METHODS],
    "text_owners": lambda m, _: m.text_owners(),
    "groups": lambda m, _: [m.groups(), m.groups(72), m.groups(95, complete=False)],
    "group_page": lambda m, _: [m.group_page(limit=1), m.group_page(A)],
    "largest_groups": lambda m, _: m.largest_groups(2),
    "each_group": lambda m, _: list(m.each_group()),
    "group": lambda m, _: [m.group(one) for one in m.documents()],
    "group_places": lambda m, _: m.group_places(m.documents()),
    "linked_page": lambda m, _: m.linked_page(),
    "group_count": lambda m, _: m.group_count(),
    "pairs": lambda m, _: [m.pairs(70, "similar", expand=True), m.pairs(80, "contains", expand=True), m.pairs()],
    "pair_page": lambda m, _: [m.pair_page(limit=2), m.pair_page(80, "contains", (A, B))],
    "each_pair": lambda m, _: list(m.each_pair(70)),
    "similar": lambda m, outside: [m.similar(outside, 70), *(m.similar(one, 70) for one in m.documents() if one.words)],
    "near": lambda m, outside: [m.near(one, method).hits for method in METHODS for one in (A, outside)],
    "containing": lambda m, outside: [m.containing(one, least).hits for one in (B, outside) for least in (30, 80)],
    "heads_since_wave": lambda m, _: m.heads_since_wave(),
    "count_containing": lambda m, outside: [m.count_containing(one) for one in (B, outside)],
    "contained_in": lambda m, outside: [m.contained_in(one, least).hits for one in (A, outside) for least in (30, 80)],
    "rebuilt": lambda m, _: m.rebuilt(),
    "indexes": lambda m, _: m.indexes(),
    "containments": lambda m, _: m.containments().a.tolist(),
    "distances": lambda m, _: m.distances()[0].tolist(),
    "only_contained": lambda m, _: m.only_contained(),
    "left_out": lambda m, _: [m.left_out(), m.left_out("contains")],
    "count_pairs": lambda m, _: m.count_pairs(80),
    "sides": lambda m, outside: m.sides(A, outside),
    "compare": lambda m, outside: [m.compare(A, B), m.compare(B, outside)],
    "facts": lambda m, _: m.facts(),
    "recall": lambda m, _: m.recall(),
    "verify": lambda m, _: m.verify(),
    "unfinished_rows": lambda m, _: m.unfinished_rows(),
    "threshold_for": lambda m, _: m.threshold_for("contains", None),
    # Beside the matter's own methods
    "redline": lambda m, outside: tc.redline(A, outside, m),
    "report": lambda m, outside: write_html(m, outside.with_name("report.html")).name,
}


def test_every_method_is_a_question_or_a_change() -> None:
    """A method that is added must be put into one of the lists here."""
    public = {name for name, value in inspect.getmembers(Matter, inspect.isfunction) if not name.startswith("_")}
    assert public == (QUESTIONS.keys() - {"redline", "report"}) | CHANGES | NEITHER


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A matter with all that questions can meet: waves, copies, a dense family, signatures, and damaged indexes."""
    folder = tmp_path_factory.mktemp("asked")
    base = [f"clause{n % 97} binds party{n} and its successors{n % 13}" for n in range(80)]
    (folder / "one").mkdir()
    (folder / "two").mkdir()
    texts = {"one/a": base, "one/b": base[10:40], "one/c": base, "two/d": [*base[40:], *base[:40]]}
    texts |= {f"one/e{n}": [*base[:n], f"changed {n}", *base[n + 1 :]] for n in range(6)}
    texts |= {
        f"two/f{n}": [*base[:n], *(f"new{n}x{i} words are here" for i in range(20)), *base[n + 20 :]] for n in (1, 9)
    }
    for name, sentences in texts.items():
        (folder / f"{name}.txt").write_text(". ".join(sentences))
    (folder / "two" / "damaged.docx").write_bytes(b"PK\x03\x04 no archive")
    (folder / "outside.txt").write_text(". ".join([*base[:70], "and something else at the end"]))
    matter = Matter(Store.create(folder / "whole", MatterSettings(dense=4, nearest=1)))
    matter.add(folder / "one")
    for method in METHODS:
        matter.sign(method)
    matter.add(folder / "two")
    assert matter.left_out()
    matter.close()
    shutil.copytree(folder / "whole", folder / "damaged")
    for file in (folder / "damaged").glob("index-*.segment"):
        file.write_bytes(file.read_bytes()[:-40])
    return folder


def content(folder: Path) -> dict[str, tuple[str, int]]:
    """Every file and folder with its bytes and its time; but an empty log says nothing, and its index is where SQLite
    notes its readers.
    """
    found = {}
    for file in sorted(folder.rglob("*")):
        data = b"" if file.is_dir() else file.read_bytes()
        if not file.name.endswith("-shm") and (data or not file.name.endswith("-wal")):
            found[str(file.relative_to(folder))] = hashlib.sha256(data).hexdigest(), file.stat().st_mtime_ns
    return found


HEARD: dict[str, Any] = {"folder": None, "events": []}
_MAKES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod"}


def hear(event: str, given: tuple[Any, ...]) -> None:
    """Python tells of every file that it opens, moves or removes."""
    if HEARD["folder"] is None or event not in (*_MAKES, "open"):
        return
    if event == "open":
        flags = given[2] if isinstance(given[2], int) else 0
        if not flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND):
            return
    names = [os.fsdecode(one) for one in given if isinstance(one, str | bytes | os.PathLike)]
    if any(name.startswith(HEARD["folder"]) for name in names):
        HEARD["events"].append((event, names))


@pytest.fixture
def only_reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Path], None]]:
    """From here on, whatever would change the matter in this folder fails the test."""
    if not HEARD.setdefault("hooked", False):
        sys.addaudithook(hear)
        HEARD["hooked"] = True
    allowed = {
        sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE,
        sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_PRAGMA,
    }  # fmt: skip
    writes = {sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE}
    refused: list[tuple[object, ...]] = []

    def authorize(action: int, *given: object) -> int:
        """Views in the connection's own memory hide what is not there yet (`unseen.py`), and SQLite notes them there;
        in the matter's database nothing is made or written.
        """
        name, _, database, _ = given
        if action in allowed:
            return sqlite3.SQLITE_OK
        if database == "temp" and (
            (action == sqlite3.SQLITE_CREATE_TEMP_VIEW and name in unseen._BOUNDS)
            or (action in writes and name == "sqlite_temp_master")
        ):
            return sqlite3.SQLITE_OK
        refused.append((action, *given))
        return sqlite3.SQLITE_DENY

    real = readers.connect

    def connect(*given: Any) -> sqlite3.Connection:
        connection = real(*given)
        connection.set_authorizer(authorize)
        return connection

    def no_lock(*_: object, **__: object) -> None:
        pytest.fail("the writers' lock was asked for")

    def begin(folder: Path) -> None:
        monkeypatch.setattr(readers, "connect", connect)
        monkeypatch.setattr("truecopy.matter.store._locked", no_lock)
        HEARD["folder"], HEARD["events"] = str(folder), []

    yield begin
    HEARD["folder"] = None
    assert HEARD["events"] == []
    assert refused == []


@pytest.mark.parametrize("which", ["whole", "damaged"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_writes_nothing(
    name: str, which: str, place: Path, tmp_path: Path, only_reading: Callable[[Path], None]
) -> None:
    """SQLite is allowed to read and nothing else, Python opens no file of the matter to write, nobody takes the lock;
    and every byte and every time is as before: also where an index is damaged, and is made for the answer.
    """
    folder = Path(shutil.copytree(place / which, tmp_path / "m"))
    before = content(folder)
    only_reading(folder)
    outside = Path(shutil.copy(place / "outside.txt", tmp_path))
    matter = tc.open(folder)
    QUESTIONS[name](matter, outside)
    with matter.snapshot():
        QUESTIONS[name](matter, outside)
    matter.close()
    assert content(folder) == before


def test_what_a_connection_has_for_itself_is_in_memory(place: Path) -> None:
    """SQLite would put it into a file in a folder for such files, outside the matter."""
    store = Store.open(place / "whole")
    with store.reading() as asked, store.writing() as written:
        for state in (asked, written):
            assert state.connection.exec_driver_sql("PRAGMA temp_store").scalar() == 2
            assert state.connection.exec_driver_sql("PRAGMA database_list").all()[1:] in ([], [(1, "temp", "")])
    store.close()


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_where_nothing_can_be_written(
    name: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answer is the same, and the folder has no file more or less, as on a read-only disk."""
    folder = Path(shutil.copytree(place / "whole", tmp_path / "m"))
    outside = Path(shutil.copy(place / "outside.txt", tmp_path))
    answered = tc.open(folder)
    expected = repr(QUESTIONS[name](answered, outside))
    answered.close()
    before = content(folder)
    monkeypatch.setattr("truecopy.matter.store._writable", lambda _: False)
    matter = tc.open(folder)
    assert repr(QUESTIONS[name](matter, outside)) == expected
    matter.close()
    assert content(folder) == before
