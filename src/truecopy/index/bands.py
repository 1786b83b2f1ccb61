"""Candidates for `similar` from bands of sketches: approximate, with the recall it was asked for.

An edit of one word touches at most three shingles on either side. So texts of similarity s (as a share) have
a resemblance of at least (1 − 3(1 − s)) / (1 + 3(1 − s)), wherever the edits fall; equality of shingles in
repetitive texts can only be rarer than that by the repetitions. With that resemblance r, the chance that all
`rows` places of at least one of `bands` bands agree is 1 − (1 − r^rows)^bands. The parameters are the ones
with the most rows (the fewest false candidates) whose chance reaches the recall.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import BadSetting
from truecopy.kernels.sketch import band_keys
from truecopy.model import SHINGLE
from truecopy.sign.signatures import Signatures
from truecopy.sign.words import SLOTS
from truecopy.threshold import ten_thousandths

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Bands:
    """How sketches are cut, and the recall that follows."""

    bands: int
    rows: int
    recall: float

    def __str__(self) -> str:
        return f"bands(bands={self.bands}, rows={self.rows})"


def least_resemblance(threshold: float) -> float:
    """The resemblance (0 to 1) that texts at the threshold have at least.

    >>> round(least_resemblance(80), 3)
    0.25
    """
    lost = SHINGLE * (1 - ten_thousandths(threshold) / 1_000_000)
    return max(0.0, (1 - lost) / (1 + lost))


def recall_at(resemblance: float, bands: int, rows: int) -> float:
    """The chance that two texts of a resemblance meet in a band."""
    return float(1 - (1 - resemblance**rows) ** bands)


def derive_bands(threshold: float, recall: float, slots: int = SLOTS) -> Bands:
    """Bands and rows that reach a recall at a threshold.

    >>> str(derive_bands(80, 0.999))
    'bands(bands=108, rows=2)'
    """
    resemblance = least_resemblance(threshold)
    for rows in range(8, 0, -1):
        for bands in range(1, slots // rows + 1):
            reached = recall_at(resemblance, bands, rows)
            if reached >= recall:
                return Bands(bands, rows, reached)
    raise BadSetting(
        f"No cut of {slots} places reaches a recall of {recall:g} at a threshold or floor of {threshold:g}.",
        "Use --recall exact, or a higher --floor.",
    )


def band_candidates(signatures: Signatures, cut: Bands, eligible: Array, fresh: Array) -> tuple[Array, Array]:
    """Every pair of eligible texts that meets in a band and has a fresh text, as two sorted columns."""
    texts = np.flatnonzero(eligible)
    keys = np.empty((len(texts), cut.bands), np.uint64)
    band_keys(np.ascontiguousarray(signatures.values[texts]), cut.rows, keys)
    found = np.empty(0, np.int64)
    count = len(eligible)
    for band in range(cut.bands):
        order = np.argsort(keys[:, band], kind="stable")
        values = keys[order, band]
        edges = np.flatnonzero(np.concatenate([[True], values[1:] != values[:-1], [True]]))
        sizes = np.diff(edges)
        codes = [found]
        for start, size in zip(edges[:-1][sizes > 1].tolist(), sizes[sizes > 1].tolist(), strict=True):
            members = np.sort(texts[order[start : start + size]])
            x, y = np.triu_indices(size, 1)
            meets = fresh[members[x]] | fresh[members[y]]
            codes.append(members[x][meets] * count + members[y][meets])
        found = np.unique(np.concatenate(codes))
    return (found // count).astype(np.int32), (found % count).astype(np.int32)
