"""A wave that is joined in parts, because its texts do not fit into the memory that is allowed: every row of the matter
is the one that joining it at once makes. The collections are made by Hypothesis.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_related import related_texts

import truecopy as tc
from truecopy import pairing
from truecopy.errors import BadSetting
from truecopy.match.judge import Passages
from truecopy.matter.change import room
from truecopy.memory import LEAST, machine_memory, memory_allowed
from truecopy.pairing import find_similar, judge_pairs
from truecopy.text.streams import Streams
from truecopy.wave import judging
from truecopy.wave.parts import cut_in_parts

OWN_TIME = {"audit", "waves"}
"""Tables with times in them."""


@dataclass
class Seen:
    """The words of all texts that were in memory together, each time."""

    joined: list[int] = field(default_factory=list)
    judged: list[int] = field(default_factory=list)


@contextmanager
def room_for(words: int) -> Iterator[Seen]:
    """So many words may be joined at once; and what was."""
    seen = Seen()

    def find(streams: Streams, *given: Any) -> Any:
        seen.joined.append(len(streams.words))
        return find_similar(streams, *given)

    def judge(passages: Passages, *given: Any) -> Any:
        seen.judged.append(len(passages.streams.words))
        return judge_pairs(passages, *given)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "FEWEST_WORDS", words)
        patch.setattr(room, "BYTES_A_WORD", 1 << 62)
        patch.setattr(pairing, "find_similar", find)
        patch.setattr(judging, "judge_pairs", judge)
        yield seen


def most_at_once(words: int, longest: int) -> int:
    """The most words that may be in memory together; more than there is room for only where one text takes half."""
    return max(words, words // 2 + longest, 2 * longest)


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
    sizes = [draw(st.integers(1, 30)), *draw(st.lists(st.integers(1, 30) | st.integers(1, 3), max_size=3))]
    return [[next(texts) for _ in range(size)] for size in sizes]


def write_waves(folder: Path, waves: list[list[str]]) -> list[Path]:
    paths = []
    for number, texts in enumerate(waves):
        paths.append(folder / f"wave-{number}")
        paths[-1].mkdir()
        for place, text in enumerate(texts):
            (paths[-1] / f"{number}-{place:04d}.txt").write_text(text)
    return paths


def add_all(matter: Path, waves: list[Path], **chosen: Any) -> tc.Matter:
    made = tc.scan(waves[0], matter, report=False, **chosen)
    for wave in waves[1:]:
        made.add(wave)
    assert made.verify() == []
    return made


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
@given(
    collections(),
    st.integers(1, 400),
    st.sampled_from([2, 5, 1000]),
    st.sampled_from([60, 75]),
    st.sampled_from([50, 59]),
)
def test_parts_give_the_same_rows(waves: list[list[str]], words: int, dense: int, floor: int, lower: int) -> None:
    """Of each wave, and once the floor is lowered."""
    chosen = {"settings": tc.MatterSettings(dense=dense, nearest=2, floor=floor, threshold=80)}
    with tempfile.TemporaryDirectory() as folder:
        paths = write_waves(Path(folder), waves)
        at_once = add_all(Path(folder) / "at-once", paths, **chosen)
        with room_for(words) as seen:
            in_parts = add_all(Path(folder) / "in-parts", paths, **chosen)
        assert rows_of(Path(folder) / "in-parts") == rows_of(Path(folder) / "at-once")
        at_once.lower_floor(lower)
        with room_for(words) as seen_lower:
            in_parts.lower_floor(lower)
        lengths = [len(text.split()) for texts in waves for text in texts]
        for one in (seen, seen_lower):
            assert max([*one.joined, *one.judged]) <= most_at_once(words, max(lengths))
        if len({text for texts in waves for text in texts}) == len(lengths):  # no copies
            for one in (seen, seen_lower):
                assert len(one.joined) * most_at_once(words, max(lengths)) >= sum(lengths)
        assert rows_of(Path(folder) / "in-parts") == rows_of(Path(folder) / "at-once")
        assert sorted(one.name for one in (Path(folder) / "in-parts").iterdir()) == sorted(
            one.name for one in (Path(folder) / "at-once").iterdir()
        )


def versions(texts: int, words: int) -> list[str]:
    """Texts of so many words, each of which is similar to all others."""
    base = [f"word{place}" for place in range(words)]
    return [" ".join([*base[:place], f"other{place}", *base[place + 1 :]]) for place in range(texts)]


def test_a_wave_is_joined_in_parts_with_what_it_touches(tmp_path: Path) -> None:
    """One new text that sixty stored ones of 6,000 words are similar to, and then ten more."""
    texts = versions(71, 100)
    paths = write_waves(tmp_path, [texts[:60], texts[60:61], texts[61:]])
    made = add_all(tmp_path / "at-once", paths)
    assert made.count_pairs(80) == 71 * 70 // 2
    with room_for(1000) as seen:
        matter = tc.scan(paths[0], tmp_path / "in-parts", report=False)
        # Twelve parts of five texts. The first is joined alone, the next with up to five earlier texts at a time.
        assert len(seen.joined) == 1 + sum(range(1, 12))
        for wave, joins in ((paths[1], 7), (paths[2], 13 + 14)):
            seen.joined.clear()
            matter.add(wave)
            assert len(seen.joined) == joins
            assert max(seen.joined) <= 1000
    assert len(seen.judged) == 71 * 70 // 2 // 5  # each pair is two texts of a hundred words
    assert max(seen.judged) <= 1000
    assert rows_of(tmp_path / "in-parts") == rows_of(tmp_path / "at-once")
    made.lower_floor(50)
    with room_for(1000) as seen:
        matter.lower_floor(50)
    assert len(seen.joined) == 103  # fifteen parts, each with some earlier texts at a time
    assert max(seen.joined + seen.judged) <= 1000
    assert rows_of(tmp_path / "in-parts") == rows_of(tmp_path / "at-once")


def test_a_text_that_is_longer_than_the_room_is_joined_with_some_at_a_time(tmp_path: Path) -> None:
    paths = write_waves(tmp_path, [versions(20, 100), [" ".join([*versions(1, 100), *versions(1, 1000)])]])
    add_all(tmp_path / "at-once", paths)
    with room_for(500) as seen:
        add_all(tmp_path / "in-parts", paths)
    assert sorted(seen.joined)[-1] <= 1100 + 250
    assert rows_of(tmp_path / "in-parts") == rows_of(tmp_path / "at-once")


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
