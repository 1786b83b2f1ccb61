"""Texts without a letter beside texts with some: they are grouped by equality only, and hide nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import truecopy as tc
from naive import NaiveGrouping, naive_grouping
from truecopy.matter.ask.groups import linked_page
from truecopy.matter.matter import Matter
from truecopy.matter.store import Store
from truecopy.settings import MatterSettings

SHEET = " ".join(map(str, range(1, 21)))
QUIET = (HealthCheck.too_slow, HealthCheck.data_too_large)


@st.composite
def sheets(draw: st.DrawFn) -> str:
    """Figures, of which some are others, or words; some texts are too short to be paired."""
    start = draw(st.sampled_from([100, 100, 100, 200]))
    words = [str(start + place) for place in range(draw(st.sampled_from([9, 12, 14, 14])))]
    for _ in range(draw(st.integers(0, 3))):
        words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(["7", "8", "due", "paid"]))
    return " ".join([*words, *draw(st.sampled_from([[], [], ["total"], ["sum", "total"]]))])


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[list[str]], MatterSettings]:
    """Waves of such texts, and the settings of a matter."""
    texts = draw(st.lists(sheets(), min_size=2, max_size=12))
    cuts = sorted(draw(st.sets(st.integers(1, len(texts) - 1), max_size=2)))
    waves = [texts[a:b] for a, b in zip([0, *cuts], [*cuts, len(texts)], strict=True)]
    dense = draw(st.sampled_from([2000, 2, 4]))
    return waves, MatterSettings(threshold=draw(st.sampled_from([70.0, 80.0, 90.0])), dense=dense, nearest=1)


def written(folder: Path, waves: list[list[str]], made: MatterSettings) -> Matter:
    matter = Matter(Store.create(folder / "m", made))
    for number, texts in enumerate(waves):
        room = folder / f"wave-{number}"
        room.mkdir()
        for place, text in enumerate(texts):
            (room / f"{number}-{place:03d}.txt").write_text(text)
        matter.add(room)
    return matter


def groups_said(grouping: tc.Grouping) -> dict[int, set[int]]:
    return {
        group.principal.number - 1: {member.document.number - 1 for member in group.members}
        for group in grouping.groups
    }


def groups_of(naive: NaiveGrouping) -> dict[int, set[int]]:
    found: dict[int, set[int]] = {}
    for place, head in naive.principals.items():
        if place != head:
            found.setdefault(head, set()).add(place)
    return found


def links_said(linked: list[tc.Linked] | tuple[tc.Linked, ...]) -> dict[int, set[int]]:
    return {one.document.number - 1: {int(link.id[3:]) - 1 for link in one.links} for one in linked}


def everything_is_as_the_contract_says(folder: Path, waves: list[list[str]], made: MatterSettings) -> None:
    matter = written(folder, waves, made)
    expected = naive_grouping(waves, int(made.threshold))
    assert {one.number - 1: one.status for one in matter.documents()} == expected.statuses
    for grouping in (matter.groups(), matter.groups(complete=False)):
        assert groups_said(grouping) == groups_of(expected)
        assert links_said(grouping.linked).keys() == expected.links.keys()
    assert links_said(matter.groups().linked) == expected.links
    with matter.asking() as state:
        assert links_said(linked_page(state, made.threshold)) == expected.links
    assert matter.verify() == []
    for threshold in {70, 80, 85, 95} - {int(made.threshold)}:
        view = naive_grouping([[text for wave in waves for text in wave]], threshold)
        assert groups_said(matter.groups(threshold)) == groups_of(view)
        assert links_said(matter.groups(threshold).linked) == view.links
    if made.floor > 60:  # statuses stay, and are still shown by stored pairs
        matter.lower_floor(60)
        assert links_said(matter.groups().linked) == expected.links
        assert matter.verify() == []


@given(histories())
@settings(max_examples=25, deadline=None, suppress_health_check=QUIET)
def test_statuses_groups_and_links_are_those_of_the_contract(history: tuple[list[list[str]], MatterSettings]) -> None:
    """In waves, at other thresholds, in dense families; and the doctor finds nothing wrong."""
    with tempfile.TemporaryDirectory() as folder:
        everything_is_as_the_contract_says(Path(folder), *history)


@pytest.mark.soak
@given(histories())
@settings(max_examples=250, deadline=None, suppress_health_check=QUIET)
def test_statuses_groups_and_links_are_those_of_the_contract_more_often(
    history: tuple[list[list[str]], MatterSettings],
) -> None:
    """The same, for more collections."""
    with tempfile.TemporaryDirectory() as folder:
        everything_is_as_the_contract_says(Path(folder), *history)


def test_a_text_with_letters_is_linked_to_a_sheet(tmp_path: Path) -> None:
    """The sheet keeps its status and is in no group; pair, hit and link name each other."""
    matter = written(tmp_path, [[SHEET, f"{SHEET} total"]], MatterSettings())
    assert [one.status for one in matter.documents()] == ["numbers-only", "linked"]
    assert len(matter.pairs().pairs) == 1
    assert [hit.document.id for hit in matter.similar("TC-000002")] == ["TC-000001"]
    assert links_said(matter.groups().linked) == links_said(matter.groups(90).linked) == {1: {0}}
    assert matter.groups().groups == ()
    assert matter.verify() == []


@pytest.mark.parametrize("dense", [2000, 2])
def test_a_text_becomes_linked_when_a_sheet_comes(dense: int, tmp_path: Path) -> None:
    """Also in a family that is dense, where the sheet that shows it is a stored pair."""
    made = MatterSettings(dense=dense, nearest=1)
    other = SHEET.replace(" 7 ", " 70 ").replace(" 9 ", " 90 ")
    matter = written(tmp_path, [[f"{SHEET} total"], [SHEET], [other, f"{other} 99"]], made)
    assert matter.document(1).status == "linked"
    assert matter.counts().documents == 4
    assert matter.verify() == []
    assert links_said(matter.groups().linked)[0] == {1, 2, 3}


def test_members_outrank_links(tmp_path: Path) -> None:
    """A text that a sheet and another text are similar to is the principal of that one."""
    matter = written(tmp_path, [[f"{SHEET} total"], [SHEET], [f"{SHEET} totals"]], MatterSettings())
    assert [one.status for one in matter.documents()] == ["principal", "numbers-only", "member"]
    assert matter.verify() == []
