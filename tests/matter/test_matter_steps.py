"""A question takes as many steps of the database in a large matter as in a small one: it never walks through rows.

`test_matter_lookups` looks at the plans of statements. A plan does not tell how many rows are stepped over until a page
is full, so here SQLite counts the steps of its own machine.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.matter.sql import tables
from truecopy.model import STATUSES, Filter

SIZES = (30, 300)
FEW = 12
"""Documents of the last wave, in either matter."""


def text(seed: int) -> str:
    return " ".join(f"word{place}x{seed}" for place in range(30))


def write(folder: Path, documents: dict[str, str | bytes]) -> Path:
    folder.mkdir(parents=True)
    for name, body in documents.items():
        (folder / name).write_bytes(body.encode() if isinstance(body, str) else body)
    return folder


def made(base: Path, families: int) -> tc.Matter:
    """Families of three: a text, a version of it, and a copy; then a wave of a few documents of every sort."""
    early: dict[str, str | bytes] = {}
    for seed in range(families):
        early |= {f"{seed}.txt": text(seed), f"{seed} again.txt": f"{text(seed)} more", f"{seed} copy.txt": text(seed)}
        early[f"{seed} alone.txt"] = text(10_000 + seed)
    late: dict[str, str | bytes] = {f"late {seed}.txt": text(20_000 + seed) for seed in range(FEW - 7)}
    late |= {
        "again.txt": f"{text(0)} other",
        "copy.txt": text(0),
        "sheet.txt": "17 4 2020",
        "sheet copy.txt": "17 4 2020",
    }
    late |= {"none.txt": "", "short.txt": "rent is due", "page.txt": f"{text(3)} caf\xe9 na\xefve".encode("latin-1")}
    matter = tc.create(base / "m")
    matter.add(write(base / "early", early), wave="first", custodian="many")
    matter.add(write(base / "late", late), wave="last", custodian="few")
    return matter


@pytest.fixture(scope="module")
def matters(tmp_path_factory: pytest.TempPathFactory) -> list[tc.Matter]:
    return [made(tmp_path_factory.mktemp(f"steps{size}"), size) for size in SIZES]


def steps(matter: tc.Matter, ask: Callable[[tc.Matter], Any]) -> int:
    """Steps of SQLite's machine that a question takes; it was asked before, so nothing is opened for it."""
    with matter.snapshot(), matter.asking() as state:
        driver: Any = state.connection.connection.dbapi_connection
        taken = []

        def step() -> int:
            taken.append(1)
            return 0

        ask(matter)
        driver.set_progress_handler(step, 1)
        try:
            ask(matter)
        finally:
            driver.set_progress_handler(None, 0)
        return len(taken)


FIGURES = ("copies", "near-copies", "to-read", "not-searched")
FILTERS = [
    Filter(),
    *(Filter((status,)) for status in (*STATUSES, *FIGURES)),
    Filter(("unique", "member", "same-file")),
    Filter(("copies", "empty")),
    *(Filter(waves=waves) for waves in (("first",), ("last",), ("first", "last"))),
    *(Filter(custodians=custodians) for custodians in (("many",), ("few",), ("few", "many"), ("nobody",))),
    Filter(doubted=True),
    Filter(copied=True),
    Filter(("unique",), ("last",), ("few",)),
    Filter(("copies",), ("last",), ("few", "many"), copied=True),
]
QUESTIONS: dict[str, Callable[[tc.Matter], Any]] = {
    "statuses": lambda m: m.statuses(),
    "counts": lambda m: (m.counts(), m.counts("last"), m.copied(), m.doubted(), m.custodians()),
    "group count": lambda m: m.group_count(),
    "document": lambda m: m.document("TC-000007"),
    "path": lambda m: m.document("late 1.txt"),
    "text": lambda m: m.text("TC-000007"),
    "similar": lambda m: m.similar("TC-000007"),
    "compare": lambda m: m.compare("TC-000007", "TC-000009"),
    "group": lambda m: m.group("TC-000007"),
    "places": lambda m: m.group_places(m.document_page(limit=9)),
    "groups": lambda m: (m.group_page(limit=5), m.group_page(after=m.group_page(limit=5)[-1].id, limit=5)),
    "largest groups": lambda m: m.largest_groups(5),
    "linked": lambda m: m.linked_page(limit=5),
    "pairs": lambda m: m.pair_page(limit=5),
    "pairs that contain": lambda m: m.pair_page(relation="contains", limit=5),
    "heads": lambda m: m.heads_since_wave(),
}


def grows(matters: list[tc.Matter], ask: Callable[[tc.Matter], Any]) -> bool:
    """Whether ten times the documents take more than a few steps more: a tree of pages may be one page deeper."""
    small, large = (steps(matter, ask) for matter in matters)
    return large > 1.3 * small + 100


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_takes_no_more_steps_in_a_larger_matter(name: str, matters: list[tc.Matter]) -> None:
    assert not grows(matters, QUESTIONS[name])


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_a_page_takes_no_more_steps_in_a_larger_matter(wanted: Filter, matters: list[tc.Matter]) -> None:
    """From the beginning, and after a document; and how many documents there are."""
    assert not grows(matters, lambda m: m.document_page(wanted, limit=5))
    assert not grows(matters, lambda m: m.document_page(wanted, after="TC-000020", limit=5))
    assert not grows(matters, lambda m: m.document_count(wanted))


@pytest.mark.parametrize("wanted", FILTERS, ids=str)
def test_pages_have_what_a_walk_through_all_documents_finds(wanted: Filter, matters: list[tc.Matter]) -> None:
    """In order of addition, however they are cut."""
    for matter in matters:
        every = list(matter.documents())
        found = [one for one in every if passes(one, wanted)]
        assert matter.document_page(wanted, limit=None) == found
        assert matter.document_count(wanted) == len(found)
        for after, limit in ((0, 1), (7, 5), (25, 3), (len(every) - 4, 9)):
            following = [one for one in found if one.number > after][:limit]
            assert matter.document_page(wanted, after=after or None, limit=limit) == following


def passes(one: tc.Document, wanted: Filter) -> bool:
    """By the definition of each filter."""
    copied = bool(one.copy_of)
    figures = {one.status}
    figures |= {"copies"} if copied else set()
    figures |= {"not-searched"} if one.status in ("unreadable", "too-large", "excluded", "unsearchable") else set()
    figures |= {"near-copies"} if one.status == "member" and not copied else set()
    if one.status in ("numbers-only", "too-short", "principal", "linked", "unique") and not copied:
        figures |= {"to-read"}
    return (
        (not wanted.figures or not figures.isdisjoint(wanted.figures))
        and (not wanted.waves or one.wave in wanted.waves)
        and (not wanted.custodians or one.custodian in wanted.custodians)
        and (not wanted.doubted or bool(one.doubt))
        and (not wanted.copied or copied)
    )


def test_a_walk_would_be_noticed(matters: list[tc.Matter]) -> None:
    """What has to read everything takes more steps in the larger matter."""
    assert grows(matters, lambda m: m.count_pairs(80))
    assert grows(matters, lambda m: list(m.each_document()))


def test_opening_a_matter_loads_nothing_that_reads_files_or_compiles(matters: list[tc.Matter]) -> None:
    """Whoever opens a matter waits for what is loaded: parsers, archives and kernels come when they are needed."""
    code = "import sys, truecopy as tc; tc.open(sys.argv[1]).statuses(); print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code, matters[0].path], capture_output=True, text=True, check=True)
    loaded = set(ran.stdout.split())
    assert "truecopy.matter.matter" in loaded
    assert loaded.isdisjoint(
        {"truecopy.read.run", "truecopy.read.workers", "truecopy.read.archives", "numba", "pyarrow"}
    )


def test_columns_share_their_types() -> None:
    """A class for every column took longer to make than anything else of a matter took to load."""
    types = {type(column.type) for table in tables.metadata.tables.values() for column in table.columns}
    assert len(types) <= 5
