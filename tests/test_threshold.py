"""Thresholds: percentages above 1 and up to 100, as numbers or with a sign; everything else is refused by name."""

from __future__ import annotations

import pytest

from truecopy.api import make_settings
from truecopy.errors import BadSetting
from truecopy.index.methods import Asked, containment_limit, limit_for
from truecopy.index.rows import SHINGLES
from truecopy.settings import MatterSettings
from truecopy.spec import Spec
from truecopy.threshold import percentage, reaches, ten_thousandths


@pytest.mark.parametrize(
    ("given", "meant"),
    [(80, 80.0), ("80", 80.0), ("80%", 80.0), (" 80 % ", 80.0), ("92.5%", 92.5), (1.0001, 1.0001), (100, 100.0)],
)
def test_a_percentage_is_taken_with_and_without_its_sign(given, meant):
    assert percentage(given) == meant


@pytest.mark.parametrize(("given", "meant"), [(0.8, "80"), ("0.8", "80"), (".925", "92.5"), (1, "100"), (0.0001, "80")])
def test_a_share_is_refused_with_what_may_be_meant(given, meant):
    with pytest.raises(BadSetting, match=rf"did you mean {meant}\?") as refused:
        percentage(given)
    assert str(given) in refused.value.message


@pytest.mark.parametrize(
    "given",
    [
        0,
        -1,
        -0.5,
        100.0001,
        101,
        "101%",
        "1%",
        "0.8%",
        80.00001,
        float("nan"),
        float("inf"),
        "",
        "%",
        "lots",
        "8O",
        "80%%",
        "1e400",
    ],
)
def test_what_is_no_percentage_is_refused_with_what_was_given(given):
    with pytest.raises(BadSetting, match="must be a percentage above 1 and up to 100") as refused:
        percentage(given, "floor")
    assert refused.value.message.startswith(f"The floor is {given if isinstance(given, int) else ''}")
    assert "did you mean" not in refused.value.message


def test_a_pair_exactly_at_the_threshold_is_in():
    """In integers: no rounding decides."""
    assert reaches(4, 5, percentage("80%"))
    assert not reaches(799_999, 1_000_000, 80)
    assert ten_thousandths(percentage("99.9999%")) == 999_999


@pytest.mark.parametrize("name", ["threshold", "floor", "contains_floor"])
def test_settings_take_and_refuse_the_same(name):
    assert getattr(MatterSettings(**{"threshold": 90, "floor": 10, name: "85%"}), name) == 85.0
    with pytest.raises(BadSetting, match="did you mean 85"):
        MatterSettings(**{"threshold": 90, "floor": 10, name: 0.85})


def test_the_floor_follows_a_low_threshold_that_was_given_with_its_sign():
    assert make_settings("60%").floor == 60.0
    with pytest.raises(BadSetting, match=r"threshold is 0\.6.*did you mean 60"):
        make_settings(0.6)


def test_a_matter_that_was_made_with_a_share_can_still_be_opened():
    """It was allowed then; only new ones are refused."""
    assert MatterSettings.from_json({"threshold": 0.8, "floor": 0.7}).threshold == 0.8


def test_shares_of_signatures_are_refused_too():
    terms = Spec.make("terms", 1)
    with pytest.raises(BadSetting, match=r"share of terms is 0\.8.*did you mean 80"):
        limit_for(terms, Asked(terms=0.8))
    with pytest.raises(BadSetting, match=r"resemblance is 0\.5.*did you mean 50"):
        limit_for(Spec.make("mod", 1), Asked(resemblance=0.5))
    with pytest.raises(BadSetting, match=r"threshold is 0\.9.*did you mean 90"):
        containment_limit(SHINGLES, True, 0.9)
