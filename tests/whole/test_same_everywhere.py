"""The same two texts with the same dates have the same measures, relations and kind wherever they are asked for:
`pairs`, `groups`, `compare`, `similar` by words and by every method, inside and outside, `--against`, at any floor.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from whole_judged import (
    Judge,
    Paper,
    must_be_complete,
    of_form,
    of_groups,
    of_methods,
    of_pairs,
    of_sides,
    of_similar,
    rooms,
    with_text,
)

import truecopy as tc
from truecopy.matter.matter import Matter
from truecopy.matter.store import Store
from truecopy.settings import MatterSettings
from truecopy.sign import METHODS

FLOORS = st.sampled_from([50, 60, 70, 72.5, 80, 90, 95])
WIDEST: dict[str, dict[str, float]] = {
    "letters": {"gamma": 4.0},
    "fingerprint": {},
    "terms": {"terms": 2.0, "length": 100.0},
    **{method: {"distance": 32} for method in ("simhash", "topsig", "minhash4")},
}
"""How near is near enough, so that much is found."""
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[list[Paper]], MatterSettings, str]:
    """Waves of documents, the settings of a matter, and a method that it is signed with."""
    papers = draw(rooms())
    cut = draw(st.integers(1, len(papers)))
    waves = [papers[:cut], papers[cut:]] if cut < len(papers) else [papers]
    floor, contains = float(draw(FLOORS)), float(draw(FLOORS))
    made = MatterSettings(threshold=max(floor, draw(st.sampled_from([70.0, 80.0, 95.0]))), floor=floor)
    made = replace(made, contains_floor=contains, dense=draw(st.sampled_from([2000, 3])), nearest=1)
    return waves, made, draw(st.sampled_from(METHODS))


def everything_agrees(folder: Path, waves: list[list[Paper]], made: MatterSettings, method: str) -> None:
    """Every answer about every two documents is what `compare` says of them."""
    matter = written(folder, waves, made)
    matter.sign(method)
    judge, floors = Judge(matter), {"similar": made.floor, "contains": made.contains_floor}
    thresholds = [None, *(one for one in (made.floor, 70, 85, 99) if one >= made.floor)]
    said = [*of_pairs(matter, floors), *of_groups(matter, thresholds)]
    reach = WIDEST.get(method, {"resemblance": 1.5})
    for asked in with_text(matter):
        outside = None if asked.copy_of else Path(asked.root) / asked.path  # a copy has its original's date
        said += of_similar(matter, made.floor, asked, outside)
        said += of_methods(matter, asked, outside, reach)
        if outside is not None:
            said += [*of_form(matter, asked, outside), *of_sides(matter, asked, outside)]
    for one in said:
        judge.check(one)
    must_be_complete(matter, judge, floors)


def written(folder: Path, waves: list[list[Paper]], made: MatterSettings) -> Matter:
    matter = Matter(Store.create(folder / "m", made))
    for number, papers in enumerate(waves):
        room = folder / f"wave {number}"
        room.mkdir()
        for place, paper in enumerate(papers):
            paper.write(room, f"{number}-{place}")
        matter.add(room)
    return matter


@given(histories())
@settings(max_examples=6, suppress_health_check=QUIET)
def test_the_same_two_texts_are_the_same_wherever_it_is_asked(
    history: tuple[list[list[Paper]], MatterSettings, str],
) -> None:
    """Also in two waves, in dense families, for copies, and for texts of a few words."""
    with tempfile.TemporaryDirectory() as folder:
        everything_agrees(Path(folder), *history)


@pytest.mark.soak
@given(histories())
@settings(max_examples=60, suppress_health_check=QUIET)
def test_the_same_two_texts_are_the_same_wherever_it_is_asked_more_often(
    history: tuple[list[list[Paper]], MatterSettings, str],
) -> None:
    """The same, for more collections."""
    with tempfile.TemporaryDirectory() as folder:
        everything_agrees(Path(folder), *history)


@given(rooms(), st.tuples(FLOORS, FLOORS), st.tuples(FLOORS, FLOORS))
@settings(max_examples=5, suppress_health_check=QUIET)
def test_a_floor_that_was_lowered_is_a_floor_from_the_beginning(
    papers: list[Paper], similar: tuple[float, float], contains: tuple[float, float]
) -> None:
    """Pairs, their measures and kinds, and all answers are those of a matter that was made with these floors."""
    low, high = (
        MatterSettings(threshold=95, floor=pick(similar), contains_floor=pick(contains)) for pick in (min, max)
    )
    with tempfile.TemporaryDirectory() as folder:
        for name in ("low", "high"):
            (Path(folder) / name).mkdir()
        expected = written(Path(folder) / "low", [papers], low)
        lowered = written(Path(folder) / "high", [papers], high)
        lowered.lower_floor(low.floor)
        lowered.lower_floor(low.contains_floor, "contains")
        floors = {"similar": low.floor, "contains": low.contains_floor}
        for relation, floor in floors.items():
            assert rows(lowered, relation, floor) == rows(expected, relation, floor)
        judge = Judge(lowered)
        for one in of_pairs(lowered, floors):
            judge.check(one)
        for asked in with_text(lowered):
            for one in of_similar(lowered, low.floor, asked, None):
                judge.check(one)
        must_be_complete(lowered, judge, floors)


def rows(matter: tc.Matter, relation: str, floor: float) -> list[tuple[object, ...]]:
    found = matter.pairs(floor, relation, expand=True)
    return [(pair.a.path, pair.b.path, pair.scores, pair.kind) for pair in found]


@given(rooms())
@settings(max_examples=5, suppress_health_check=QUIET)
def test_two_files_are_compared_without_a_matter_as_in_one_with_the_usual_floors(papers: list[Paper]) -> None:
    """Measures, kind and the sentence about it; a copy of an earlier document has that one's date in a matter."""
    with tempfile.TemporaryDirectory() as folder:
        matter = written(Path(folder), [papers], MatterSettings())
        documents = [one for one in with_text(matter) if not one.copy_of]
        for a in documents:
            for b in documents:
                files = (Path(one.root) / one.path for one in (a, b))
                assert tc.compare(*files) == matter.compare(a, b)
