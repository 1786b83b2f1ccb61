"""Two waves that are computed at the same time by two processes, and committed in either order: the documents, pairs,
statuses and groups are those of one wave after the other. The histories are made by Hypothesis.
"""

from __future__ import annotations

import multiprocessing
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_related import related_texts

import truecopy as tc
from truecopy.matter.change import add as adding
from truecopy.pipeline import compute_wave

SETTINGS: dict[str, Any] = {"report": False, "floor": 60, "threshold": 80}
Texts = list[str]
History = tuple[Texts, Texts, Texts, bool]
"""What the matter begins with, the two waves, and whether the other process commits first."""


@st.composite
def histories(draw: st.DrawFn) -> History:
    """Texts that are versions, excerpts and copies of each other across all waves."""
    texts = related_texts(draw(st.randoms(use_true_random=False)), 90)
    waves = [[next(texts) for _ in range(draw(st.integers(least, 9)))] for least in (0, 1, 1)]
    return waves[0], waves[1], waves[2], draw(st.booleans())


def write(folder: Path, texts: Texts) -> Path:
    folder.mkdir()
    for number, text in enumerate(texts):
        (folder / f"{folder.name}-{number}.txt").write_text(text)
    return folder


def state_of(folder: Path) -> dict[str, Any]:
    """Everything that the order of waves decides."""
    matter = tc.open(folder)
    assert matter.verify() == []
    with matter.snapshot():
        return {
            "documents": [(one.id, one.path, one.wave, one.status, one.copy_of) for one in matter.documents()],
            "similar": matter.pairs(matter.settings.floor, expand=True),
            "contains": matter.pairs(matter.settings.contains_floor, "contains", expand=True),
            "groups": matter.groups(),
            "counts": (matter.counts(), matter.statuses()),
        }


def other_process(told: Connection) -> None:
    """Adds waves; after computing each for the first time, it says so and waits until it may go on."""

    def compute_and_wait(*given: Any, **named: Any) -> Any:
        result = compute_wave(*given, **named)
        if waiting:
            waiting.clear()
            told.send("computed")
            told.recv()
        return result

    adding.compute_wave = compute_and_wait  # type: ignore[attr-defined]
    while (order := told.recv()) is not None:
        matter, wave = order
        waiting = ["for the first time"]
        tc.open(matter).add(wave, wave="theirs")
        told.send("committed")


@contextmanager
def beside() -> Iterator[Connection]:
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=other_process, args=(there,), daemon=True)
    process.start()
    try:
        yield here
        here.send(None)
        process.join(60)
    finally:
        process.kill()
        process.join()


@pytest.fixture(scope="module")
def other() -> Iterator[Connection]:
    with beside() as connection:
        yield connection


def check(history: History, other: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    first, mine, theirs, they_first = history
    folder = Path(tempfile.mkdtemp())
    try:
        rooms = [write(folder / name, texts) for name, texts in (("base", first), ("mine", mine), ("theirs", theirs))]
        after, both = folder / "after", folder / "both"
        for matter in (after, both):
            opened = tc.create(matter, **{name: value for name, value in SETTINGS.items() if name != "report"})
            if first:
                opened.add(rooms[0], wave="base")
        for name, room in sorted([("mine", rooms[1]), ("theirs", rooms[2])], reverse=they_first):
            tc.open(after).add(room, wave=name)
        computed: list[int] = []

        def compute_beside(*given: Any, **named: Any) -> Any:
            if computed:
                return compute_wave(*given, **named)
            other.send((str(both), str(rooms[2])))
            result = compute_wave(*given, **named)
            computed.append(result.after)
            assert other.recv() == "computed"
            if they_first:
                other.send("go on")
                assert other.recv() == "committed"
            return result

        monkeypatch.setattr(adding, "compute_wave", compute_beside)
        tc.open(both).add(rooms[1], wave="mine")
        if not they_first:
            other.send("go on")
            assert other.recv() == "committed"
        assert state_of(both) == state_of(after)
    finally:
        monkeypatch.undo()
        shutil.rmtree(folder, ignore_errors=True)


_NO_CLOCK: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck)}


@settings(max_examples=15, **_NO_CLOCK)
@given(histories())
def test_two_waves_at_once_are_as_one_after_the_other(
    other: Connection, monkeypatch: pytest.MonkeyPatch, history: History
) -> None:
    check(history, other, monkeypatch)


@pytest.mark.soak
@settings(max_examples=200, **_NO_CLOCK)
@given(histories())
def test_two_hundred_histories(other: Connection, monkeypatch: pytest.MonkeyPatch, history: History) -> None:
    check(history, other, monkeypatch)
