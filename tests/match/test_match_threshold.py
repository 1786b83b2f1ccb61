"""Thresholds are integers: what is exactly at the threshold is in."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truecopy.errors import BadSetting
from truecopy.match.threshold import limit, limits, meets, scaled

thresholds = st.integers(0, 1_000_000).map(lambda ten_thousandths: ten_thousandths / 10_000)


@given(st.integers(0, 10**9), thresholds)
def test_the_limit_is_the_greatest_distance_that_meets_the_threshold(longer: int, threshold: float) -> None:
    greatest = limit(longer, threshold)
    exact = Fraction(scaled(threshold), 10_000)
    assert 100 * greatest <= (100 - exact) * longer < 100 * (greatest + 1)
    assert meets(greatest, longer, threshold)
    assert not meets(greatest + 1, longer, threshold)
    assert limits(np.array([longer]), threshold)[0] == greatest


def test_a_pair_exactly_at_a_threshold_that_floats_get_wrong_is_in() -> None:
    """1 − 0.7 is a little more than 0.3 in floating point; 30 of 100 words must still pass, 31 must not."""
    assert limit(100, 70) == 30
    assert limit(1000, 82.3) == 177
    assert limit(10, 100) == 0
    assert limit(0, 80) == 0
    assert limit(7, "0") == 7


@pytest.mark.parametrize("bad", [-1, 100.0001, 80.12345, float("nan"), float("inf"), "eighty", ""])
def test_a_threshold_out_of_range_or_too_fine_is_refused_in_one_sentence(bad: float | str) -> None:
    with pytest.raises(BadSetting, match=r"0 to 100 with at most 4 digits"):
        scaled(bad)
