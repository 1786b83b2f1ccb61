"""What of a matter a wave touches: the stored passages that fresh texts can be paired with, and their families.

A wave is computed over these and its own texts as if there were no others. Nothing is missed: what is not touched has
no pair with a fresh text. Of a family that is dense, or that fresh texts could make dense, all passages are touched,
because what is stored of it depends on all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64


@dataclass(frozen=True, slots=True)
class Touched:
    """Stored passages, in order."""

    passages: I64
    by_part: Sequence[I64]
    """Those that the texts of each part of the wave may be paired with."""
    families: Mapping[str, Mapping[int, int]]
    """By relation: the family of each passage that may get pairs, or that is of one family with such."""

    def labels(self, relation: str, numbers: I64) -> I64:
        """The family of each of some passages, which are in order: its first passage; 0 for none."""
        labels = np.zeros(len(numbers), np.int64)
        known = self.families[relation]
        if known:
            passages = np.fromiter(known, np.int64, len(known))
            labels[np.searchsorted(numbers, passages)] = np.fromiter(known.values(), np.int64, len(known))
        return labels
