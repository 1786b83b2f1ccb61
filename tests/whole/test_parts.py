"""A wave that is joined in parts, because its texts do not fit into the memory that is allowed: every row of the matter
is the one that joining it at once makes. The collections are made by Hypothesis.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_related import related_texts

import truecopy as tc
from truecopy.errors import BadSetting
from truecopy.matter.change import room
from truecopy.memory import LEAST, machine_memory, memory_allowed
from truecopy.wave.parts import cut_in_parts

OWN_TIME = {"audit", "waves"}
"""Tables with times in them."""


@contextmanager
def room_for(words: int) -> Iterator[None]:
    """So many words may be joined at once."""
    fewest, each = room.FEWEST_WORDS, room.BYTES_A_WORD
    room.FEWEST_WORDS, room.BYTES_A_WORD = words, 1 << 62
    try:
        yield
    finally:
        room.FEWEST_WORDS, room.BYTES_A_WORD = fewest, each


def rows_of(folder: Path) -> dict[str, list[Any]]:
    """All rows of a matter, without times."""
    with closing(sqlite3.connect(folder / "matter.sqlite")) as database:
        named = database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        tables = [name for (name,) in named if name not in OWN_TIME and not name.startswith("sqlite_")]
        return {table: sorted(map(repr, database.execute(f'SELECT * FROM "{table}"'))) for table in tables}


@st.composite
def collections(draw: st.DrawFn) -> list[list[str]]:
    """Waves of texts that are versions, excerpts and copies of each other."""
    texts = related_texts(draw(st.randoms(use_true_random=False)), 120)
    return [[next(texts) for _ in range(draw(st.integers(1, 30)))] for _ in range(draw(st.integers(1, 3)))]


def add_all(matter: Path, waves: list[Path], **chosen: Any) -> None:
    made = tc.scan(waves[0], matter, report=False, **chosen)
    for wave in waves[1:]:
        made.add(wave)
    assert made.verify() == []


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(collections(), st.integers(1, 400), st.sampled_from([2, 5, 1000]), st.sampled_from([60, 75]))
def test_parts_give_the_same_rows(waves: list[list[str]], words: int, dense: int, floor: int) -> None:
    chosen = {"settings": tc.MatterSettings(dense=dense, nearest=2, floor=floor, threshold=80)}
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for number, texts in enumerate(waves):
            paths.append(Path(folder) / f"wave-{number}")
            paths[-1].mkdir()
            for place, text in enumerate(texts):
                (paths[-1] / f"{number}-{place}.txt").write_text(text)
        add_all(Path(folder) / "at-once", paths, **chosen)
        with room_for(words):
            add_all(Path(folder) / "in-parts", paths, **chosen)
        assert rows_of(Path(folder) / "in-parts") == rows_of(Path(folder) / "at-once")
        assert sorted(one.name for one in (Path(folder) / "in-parts").iterdir()) == sorted(
            one.name for one in (Path(folder) / "at-once").iterdir()
        )


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 50), max_size=60), st.integers(1, 120))
def test_parts_follow_one_another_and_fit(lengths: list[int], words: int) -> None:
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.array(lengths, np.int64))])
    parts = cut_in_parts(offsets, words)
    assert [first for first, _ in parts] == [0, *(last for _, last in parts[:-1])]
    assert parts[-1][1] == len(lengths)
    for first, last in parts:
        assert last - first <= 1 or offsets[last] - offsets[first] <= words or not offsets[-1]
    assert len(parts) <= 1 + 2 * (int(offsets[-1]) // words + 1) + sum(one > words for one in lengths)


@pytest.mark.parametrize(
    ("said", "bytes_allowed"),
    [("4GB", 4_000_000_000), ("1.5 gb", 1_500_000_000), ("800M", 800_000_000), ("2GiB", 2 << 30), (10**9, 10**9)],
)
def test_sizes_of_memory(said: str | int, bytes_allowed: int) -> None:
    assert memory_allowed(said) == bytes_allowed


@pytest.mark.parametrize("said", ["", "much", "-4GB", "4 XB", "nan", "1e9", True, "0", "99MB", 5, "٣GB", "9" * 40])
def test_other_sizes_are_refused(said: Any) -> None:
    with pytest.raises(BadSetting, match="The memory is"):
        memory_allowed(said)


def test_half_of_the_memory_is_used_if_nothing_is_said() -> None:
    assert LEAST <= memory_allowed(None) <= max(machine_memory() // 2, LEAST)
