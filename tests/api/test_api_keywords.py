"""Keywords that a function does not have are refused by name, before anything is read or made."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.errors import BadSetting, UnknownKeyword, UsageError
from truecopy.matter.store import Store
from truecopy.settings import MatterSettings


def test_an_unknown_keyword_is_named_with_the_near_one(tmp_path: Path):
    """Of a scan; no matter is made, and the path is not even looked at."""
    folder = tmp_path / "matter"
    with pytest.raises(
        UnknownKeyword, match=r"scan\(\) has no keyword 'treshold'\. Did you mean threshold\?"
    ) as refused:
        tc.scan(tmp_path / "nowhere", folder, treshold=80)
    assert isinstance(refused.value, TypeError)
    assert isinstance(refused.value, tc.TruecopyError)
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "keyword", "near"),
    [
        ("add", "waves", "wave"), ("groups", "treshold", "threshold"), ("pairs", "relations", "relation"),
        ("similar", "tresholds", "threshold"), ("near", "gama", "gamma"), ("lower_floor", "flor", "floor"),
    ],
)  # fmt: skip
def test_every_method_of_a_matter_refuses_unknown_keywords(tmp_path: Path, name: str, keyword: str, near: str):
    matter = tc.create(tmp_path / "m")
    with pytest.raises(UnknownKeyword, match=rf"{name}\(\) has no keyword '{keyword}'\. Did you mean {near}\?"):
        getattr(matter, name)("x", **{keyword: 1})
    assert matter.waves() == []


def test_creating_refuses_unknown_keywords(tmp_path: Path):
    with pytest.raises(UnknownKeyword, match=r"create\(\) has no keyword 'recal'\. Did you mean recall\?"):
        tc.create(tmp_path / "m", recal="exact")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(("keyword", "near"), [("bit", "bits"), ("thread", "threads"), ("replaced", "replace")])
def test_signing_refuses_what_the_method_does_not_have(tmp_path: Path, keyword: str, near: str):
    """A method's parameters and signing's own keywords are both thought of."""
    matter = tc.create(tmp_path / "m")
    with pytest.raises(BadSetting, match=rf"simhash has no parameter {keyword}\. Did you mean {near}\?"):
        matter.sign("simhash", **{keyword: 1})
    assert matter.signings() == {}


def test_a_wrong_parameter_is_named_even_while_another_process_writes(tmp_path: Path):
    """It is looked at first; waiting for the other to end would not make it right."""
    matter = tc.create(tmp_path / "m")
    with Store.open(tmp_path / "m").writing(), pytest.raises(BadSetting, match="has no parameter bit"):
        matter.sign("simhash", bit=64)


def test_settings_are_given_in_one_way_only(tmp_path: Path):
    """As an object, or by name; both together may contradict each other."""
    with pytest.raises(UsageError, match="Both settings and threshold and rule were given"):
        tc.scan(tmp_path, tmp_path / "m", settings=MatterSettings(), threshold=90, rule="earliest")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, MatterSettings()),
        ({"threshold": 60}, MatterSettings(60.0, 60.0)),
        ({"floor": 75.0, "recall": "exact"}, MatterSettings(80.0, 75.0, recall=1.0)),
        ({"rule": "given", "given": ["a.txt"]}, MatterSettings(rule="given", given=("a.txt",))),
        ({"settings": MatterSettings(90.0, 85.0)}, MatterSettings(90.0, 85.0)),
    ],
)
def test_a_scan_uses_the_settings_that_it_was_given(tmp_path: Path, given: dict[str, Any], stored: MatterSettings):
    (tmp_path / "a.txt").write_text("one text of a few words")
    assert tc.scan(tmp_path / "a.txt", tmp_path / "m", report=False, **given).settings == stored


def test_signatures_stay_visible():
    """Editors and `help` show the keywords of the function itself."""
    assert list(inspect.signature(tc.scan).parameters)[:3] == ["paths", "matter", "threshold"]
    assert list(inspect.signature(tc.Matter.pairs).parameters) == ["self", "threshold", "relation", "expand"]
