"""How sketches are cut into bands, and the chance that two of them meet: all slots of at least one band are equal.

Two chances, for two questions:

`chance_of_equal`  of two sketches with k of n slots equal, in random places. It is counted, not
                   approximated: of all ways to choose k of n places, those that hold none of the bands are the
                   coefficient of x^k in ((1 + x)^rows − x^rows)^bands · (1 + x)^(n − bands · rows). The formula below,
                   with k/n for the resemblance, bounds it on neither side. With more than n − k bands one is
                   untouched wherever the unequal slots fall, and the chance is 1. More equal slots only help, so the
                   chance at a threshold is the least of all hits. The index states it: its hits are shares of slots.

`recall_at`        of two texts with a resemblance; each of their slots is equal with that chance:
                   1 − (1 − resemblance^rows)^bands (Broder 1997; Indyk and Motwani 1998). This is what the curve
                   shows, and what candidates for the texts' own measures go by.

One edited word touches at most three shingles of a text. So texts of similarity s (as a share) have a resemblance of
at least (1 − 3(1 − s)) / (1 + 3(1 − s)), wherever the edits fall, if no shingle occurs twice. In texts that repeat
themselves, or have few words, it can be lower, and so can the recall exactly at the threshold.

Of several cuts we take the one with the most rows, because it meets the fewest strangers. A chance is a mean over many
collections; in one collection, the texts of a family are alike in the same slots, so their pairs are found or missed
together. Where pairs exactly at the threshold are likely, cuts therefore aim at a tenth of the allowed misses and use
all the bands that fit. The bound for similarity is far enough from what edits do; there the cut uses the fewest bands
that reach the recall.

Any band in which very many rows agree may be left out (`spare`), as long as pairs that meet at all meet, with the
chance that was asked for, in more bands than are left out.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from truecopy.array_types import F64, Places
from truecopy.errors import BadSetting
from truecopy.model import SHINGLE
from truecopy.sign.words import SLOTS
from truecopy.threshold import ten_thousandths

MOST_ROWS = 32
"""More slots than this are equal by chance so seldom that one more tells nothing."""
LOST = 1e-6
"""The share of true pairs that the check of the estimate may lose; it is taken off the stated recall."""
CAUTION = 10
"""Cuts aim at this part of the misses that are allowed."""
_WIDEST = 1 << 12
"""How many slots are cut into bands, of sketches that have more."""
_SURELY_LESS = 0.05
_MOST_SPARE = 16
_ALMOST = math.nextafter(1, 0)
"""1 is reserved for what cannot be missed."""


_WRITTEN = re.compile(r"bands\(bands=(\d+), rows=(\d+)\)")


@dataclass(frozen=True, slots=True)
class Cut:
    """How sketches are cut, and the recall that follows."""

    bands: int
    rows: int
    recall: float
    need: int = 1
    """Equal slots that a pair must have."""
    spare: int = 0
    """Bands that may be left out of all that fit."""

    def __str__(self) -> str:
        return f"bands(bands={self.bands}, rows={self.rows})"


def least_resemblance(threshold: float) -> float:
    """The least resemblance (0 to 1) of texts at the threshold.

    >>> round(least_resemblance(80), 3)
    0.25
    """
    lost = SHINGLE * (1 - ten_thousandths(threshold) / 1_000_000)
    return max(0.0, (1 - lost) / (1 + lost))


def recall_at(resemblance: float, bands: int, rows: int, beyond: int = 0) -> float:
    """The chance that two texts of a resemblance meet in a band, or in more than some."""
    band = resemblance**rows
    fewer = (math.comb(bands, met) * band**met * (1 - band) ** (bands - met) for met in range(beyond + 1))
    return float(1 - sum(fewer))


def curve(bands: int, rows: int, points: int = 101) -> F64:
    """The chance of meeting by resemblance: rows of (resemblance in per cent, chance), from 0 to 100.

    >>> curve(20, 5, 3).round(3).tolist()
    [[0.0, 0.0], [50.0, 0.47], [100.0, 1.0]]
    """
    percent = np.linspace(0, 100, points)
    return np.stack([percent, 1 - (1 - (percent / 100) ** rows) ** bands], axis=1)


def curve_by_similarity(generators: str, floor: float) -> list[tuple[float, float]]:
    """From the floor to 100: the least share of the pairs of each similarity that the named generators find.

    Nothing where all of them are exact. Of several cuts the worst one counts.

    >>> curve_by_similarity("bands(bands=20, rows=3), overlap", 90)
    [(90, 0.966457), (95.0, 0.999967), (100.0, 1.0)]
    >>> curve_by_similarity("overlap", 70)
    []
    """
    cuts = [(int(bands), int(rows)) for bands, rows in _WRITTEN.findall(generators)]
    points = sorted({floor, *(float(point) for point in range(0, 101, 5) if point > floor)})
    found = []
    for similarity in points if cuts else []:
        resemblance = least_resemblance(similarity)
        chance = min(recall_at(resemblance, *cut) for cut in cuts)
        # A chance that is 1 to the last bit of a machine number is not certain; only equal texts surely meet.
        sure = 1_000_000 if resemblance == 1 else 999_999
        found.append((similarity, min(math.floor(chance * 1_000_000), sure) / 1_000_000))
    return found


def chance_of_equal(slots: int, equal: int, bands: int, rows: int, beyond: int = 0) -> float:
    """The chance that two sketches with this many equal slots, in random places, meet in a band, or in more than some.

    >>> round(chance_of_equal(4, 2, 2, 2), 3)  # 6 ways to choose two places, of which 2 are a band
    0.333
    """
    if equal > slots - bands + beyond:
        return 1.0 if bands > beyond else 0.0
    if equal < rows * (beyond + 1):
        return 0.0
    share = equal / slots  # any number would do; this one keeps the sums near 1
    short, beside = _shares(rows, np.arange(rows), share), slots - bands * rows
    missed = 0.0
    for met in range(min(beyond, bands) + 1):
        left = equal - rows * met
        spoilt = _power(short, bands - met)[: left + 1]
        used = np.arange(len(spoilt))
        fits = left - used <= beside
        ways = float((spoilt[fits] * _shares(beside, left - used[fits], share)).sum())
        missed += math.comb(bands, met) * share ** (rows * met) * ways
    missed /= float(_shares(slots, np.array([equal]), share)[0])
    return min(max(0.0, 1 - missed), _ALMOST)


def _shares(size: int, which: Places, share: float) -> F64:
    """The binomial distribution, through logarithms of factorials."""
    fixed = math.lgamma(size + 1)
    logs = [
        fixed - math.lgamma(i + 1) - math.lgamma(size - i + 1) + i * math.log(share) + (size - i) * math.log1p(-share)
        for i in which.tolist()
    ]
    found: F64 = np.exp(np.array(logs))
    return found


def _power(polynomial: F64, exponent: int) -> F64:
    made, square = np.ones(1), polynomial
    while exponent:
        if exponent & 1:
            made = np.convolve(made, square)
        exponent >>= 1
        if exponent:
            square = np.convolve(square, square)
    return made


def derive_bands(threshold: float, recall: float, slots: int = SLOTS) -> Cut:
    """Bands and rows that reach a recall for texts at a threshold of similarity.

    >>> str(derive_bands(80, 0.999))
    'bands(bands=108, rows=2)'
    """
    found = _reaching(least_resemblance(threshold), recall, slots)
    if found is None:
        raise BadSetting(
            f"No cut of {slots} places reaches a recall of {recall:g} at a threshold or floor of {threshold:g}.",
            "Use --recall exact, or a higher --floor.",
        )
    return found


def aim(recall: float) -> float:
    """The chance to aim at, so that the recall holds in a single collection too."""
    return 1 - (1 - recall) / CAUTION


def _reaching(resemblance: float, recall: float, slots: int) -> Cut | None:
    """The fewest bands of the most rows."""
    for rows in range(min(MOST_ROWS, slots), 0, -1):
        most = slots // rows
        if recall_at(resemblance, most, rows) - LOST < recall:
            continue
        bands = next(b for b in range(1, most + 1) if recall_at(resemblance, b, rows) - LOST >= recall)
        spare, least = _spare(partial(recall_at, resemblance, most, rows), recall + LOST)
        reached = min(least, recall_at(resemblance, bands, rows))
        return Cut(bands, rows, reached - LOST, least_equal(resemblance, slots), spare)
    return None


@functools.lru_cache(maxsize=1024)
def cut_for(slots: int, equal: int, recall: float, most_bands: Callable[[int, int], int]) -> Cut | None:
    """The cut that finds sketches with this many equal slots; `most_bands` says how many bands of some rows fit."""
    for rows in range(min(MOST_ROWS, equal), 0, -1):
        bands = most_bands(slots, rows)
        if bands + equal <= slots and recall_at(equal / slots, bands, rows) < recall - _SURELY_LESS:
            continue
        reached = chance_of_equal(slots, equal, bands, rows)
        if reached >= recall:
            spare, least = _spare(partial(chance_of_equal, slots, equal, bands, rows), recall)
            return Cut(bands, rows, min(reached, least), equal, spare)
    return None


def _spare(chance: Callable[[int], float], recall: float) -> tuple[int, float]:
    """How many bands may be left out, so that the chance to meet in more than those suffices; and that chance."""
    spare, least = 0, 1.0
    while spare < _MOST_SPARE and (reached := chance(spare + 1)) >= recall:
        spare, least = spare + 1, reached
    return spare, least


def disjoint(slots: int, rows: int) -> int:
    """Bands that fit beside each other."""
    return min(slots, _WIDEST) // rows


@functools.cache
def least_equal(resemblance: float, slots: int) -> int:
    """The fewest equal slots of texts with a resemblance, but for one pair in a million.

    Chernoff's bound, exp(−n · D(x ‖ resemblance)), which also holds for the slots of one permutation: an equal slot
    leaves fewer shared shingles for the others, never more.
    """
    if resemblance >= 1:
        return slots
    for equal in range(min(math.ceil(resemblance * slots), slots) - 1, 0, -1):
        share = equal / slots
        divergence = share * math.log(share / resemblance) + (1 - share) * math.log((1 - share) / (1 - resemblance))
        if math.exp(-slots * divergence) <= LOST:
            return equal + 1
    return 1
