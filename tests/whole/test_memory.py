"""Memory while scanning: at most 2.5 times the text, 2.5 KB a document, 100 bytes a pair, and a constant."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from whole_process import watch
from whole_room import document

import truecopy as tc
from collections_data import collection

RUNTIME = 300 << 20
"""Python, NumPy, Numba, SQLAlchemy, scratch for the longest text and buffers of a fixed size: the stated constant."""
TIMES_TEXT = 2.5
"""Words, bags and what is listed of them, as benchmarks/memory.py promises it."""
DOCUMENT = 2560
"""Bytes for each document: its row, its hashes, what its words are compared by."""
PAIR = 100
"""Bytes for each stored pair, of which a collection can have many more than documents."""


def peak_and_bound(folder: Path, workplace: Path) -> tuple[int, int]:
    """What a scan took at most, and what it may take by the promise."""
    ran = watch(workplace, "scan", str(folder), "--matter", str(workplace / "matter"), "--json", timeout=600)
    assert ran.code == 0, ran.err
    documents = json.loads(ran.out)["documents"]
    matter = tc.open(workplace / "matter")
    text = sum(document.size for document in matter.documents())  # plain text, all of it
    floors = (("similar", matter.settings.floor), ("contains", matter.settings.contains_floor))
    pairs = sum(matter.count_pairs(floor, relation) for relation, floor in floors)
    more = (ran.peak - RUNTIME - DOCUMENT * documents) / text
    print(
        f"{folder.name}: {documents:,} documents, {text / 1e6:.1f} MB of text, peak {ran.peak / 1e6:.0f} MB "
        f"= {RUNTIME / 1e6:.0f} MB + {more:.2f} × text + 2.5 KB a document, "
        f"{pairs:,} pairs, {ran.seconds:.1f} s"
    )
    return ran.peak, int(TIMES_TEXT * text) + DOCUMENT * documents + PAIR * pairs + RUNTIME


@pytest.fixture(scope="module", autouse=True)
def compiled(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Kernels are compiled before anything is measured: that is done once for each installation."""
    folder = tmp_path_factory.mktemp("compiled")
    (folder / "one.txt").write_text(document(1, 1, "base"))
    (folder / "two.txt").write_text(document(1, 1, "light"))
    ran = watch(folder / "run", "scan", str(folder), "--matter", str(folder / "matter"), "--json", timeout=600)
    assert ran.code == 0, ran.err
    print(f"two documents: peak {ran.peak / 1e6:.0f} MB")


@pytest.mark.alone
def test_a_scan_keeps_to_its_memory(tmp_path: Path) -> None:
    """Real documents, some of them large."""
    peak, bound = peak_and_bound(collection("policies"), tmp_path)
    assert 0 < peak <= bound


def write_short(room: Path, documents: int) -> Path:
    """Documents of about 2 KB in families of four; one in eight is by itself."""
    for family in range(documents // 4):
        folder = room / str(family)
        folder.mkdir(parents=True)
        words = document(3, family, "base").split()[:310]
        for variant in range(4):
            alone = family % 2 and variant == 3
            own = [f"{word}{variant}" for word in words] if alone else words
            (folder / f"{variant}.txt").write_text(" ".join([f"party{variant}of{family}", *own]))
    return room


@pytest.mark.alone
def test_many_short_documents_keep_to_what_each_may_take(tmp_path: Path) -> None:
    """What more documents add is held to the promise without its constant, which thousands of them fit into."""
    few, few_bound = peak_and_bound(write_short(tmp_path / "few", 3_000), tmp_path / "of-few")
    many, bound = peak_and_bound(write_short(tmp_path / "many", 12_000), tmp_path / "of-many")
    assert 0 < many <= bound
    assert many - few <= bound - few_bound


@pytest.mark.soak
def test_many_small_documents_keep_to_what_each_may_take(tmp_path: Path) -> None:
    """Twelve thousand short texts in families of four: what each document costs beside its words."""
    room = tmp_path / "room"
    for family in range(3_000):
        folder = room / str(family)
        folder.mkdir(parents=True)
        base = document(3, family, "base").split("\n\n")[0]
        for variant in range(4):
            (folder / f"{variant}.txt").write_text(f"{base} signed by party{variant} of {family}")
    peak, bound = peak_and_bound(room, tmp_path / "work")
    assert 0 < peak <= bound


@pytest.mark.soak
@pytest.mark.parametrize("name", ["agreements", "bills", "notices", "mail-scanned"])
def test_a_large_scan_keeps_to_its_memory(name: str, tmp_path: Path) -> None:
    peak, bound = peak_and_bound(collection(name), tmp_path)
    assert 0 < peak <= bound
