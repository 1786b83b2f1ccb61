"""Character similarity equals rapidfuzz over the folded texts, white space as one space."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from collections_data import collection
from truecopy.match import characters
from truecopy.match.characters import character_distance
from truecopy.match.compare import compare
from truecopy.text import fold


def wanted(a: str, b: str) -> tuple[int, int]:
    x, y = (re.sub(r"\s+", " ", fold(text).text) for text in (a, b))
    return Levenshtein.distance(x, y), max(len(x), len(y))


pieces = st.sampled_from(["rent ", "Rent, ", "the\n\n", "½", "契約。", "e\u0301", ".", "  ", "owner", "-"])


@given(st.lists(pieces, max_size=25).map("".join), st.lists(pieces, max_size=25).map("".join))
def test_short_texts(a: str, b: str) -> None:
    assert character_distance(a, b) == wanted(a, b)


@given(st.text(), st.text())
def test_any_texts(a: str, b: str) -> None:
    assert character_distance(a, b) == character_distance(a, b, near=False) == wanted(a, b)


@pytest.mark.parametrize(("changed", "longer", "looks"), [(1, 1, 1), (30, 1, 1), (60, 1, 1), (4, 10, 2)])
def test_code_points_are_compared_once(changed: int, longer: int, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The words tell which texts differ in few of them; for the others no narrow band is tried first. Only where few
    words differ, and long ones, the band is left, and all is looked at.
    """
    asked, distances = [], characters._distances

    def heard(texts: list[str], limits: list[int]) -> object:
        asked.append(limits)
        return distances(texts, limits)

    monkeypatch.setattr(characters, "_distances", heard)
    one = [f"word{n}" for n in range(60)]
    a, b = " ".join(one), " ".join([*(f"other{n}" * longer for n in range(changed)), *one[changed:]])
    distance, length = wanted(a, b)
    assert compare(a, b).character_similarity == pytest.approx(100 - 100 * distance / length, abs=0.01)
    assert len(asked) == looks


def test_real_texts() -> None:
    files = sorted(path for path in collection("licenses").rglob("*.txt") if path.stat().st_size < 20_000)
    for place in range(0, len(files) - 1, max(1, len(files) // 40)):
        a, b = (files[place + k].read_bytes().decode("utf-8", "replace") for k in (0, 1))
        assert character_distance(a, b) == wanted(a, b)


def test_case_and_white_space_do_not_count() -> None:
    assert compare("The  Tenant\npays.", "the tenant pays.").character_similarity == 100


def test_beyond_its_bound_the_distance_is_that_of_the_alignment_and_never_too_small(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = "the owner keeps the gate " * 30, "the tenant paints every wall " * 30
    exact, longer = character_distance(a, b)
    monkeypatch.setattr(characters, "MOST_CELLS", 1)
    monkeypatch.setattr(characters, "SHORT", 1)
    bound, same = character_distance(a, b)
    assert same == longer
    assert exact <= bound <= longer
