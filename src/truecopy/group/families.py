"""Dense families: thousands of texts of one form; not every pair of them can be stored.

A family is all texts that chains of pairs connect. If it has more than a set number of texts, it keeps each text's
pairs with its principal and with its nearest neighbors; the other pairs are counted, and can be computed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels.star import join_families

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Thinned:
    """Which pairs are kept, and which texts are in a dense family."""

    keep: Array
    dense: Array
    """For each text the number of its dense family, or -1."""


def thin(
    a: Array,
    b: Array,
    distance: Array,
    longer: Array,
    principal: Array,
    dense: int,
    nearest: int,
    before: Array,
) -> Thinned:
    """Thin the pairs of families with more than `dense` texts.

    `principal` is each text's principal (-1 for none); `before` has rows of already paired texts.
    """
    texts = len(principal)
    parent = np.arange(texts, dtype=np.int64)
    join_families(
        np.concatenate([a, before[:, 0]]).astype(np.int64),
        np.concatenate([b, before[:, 1]]).astype(np.int64),
        parent,
    )
    sizes = np.bincount(parent, minlength=texts)
    family = np.where(sizes[parent] > dense, parent, -1)
    inside = family[a] >= 0
    if not inside.any():
        return Thinned(np.ones(len(a), np.bool_), family)
    keep = ~inside | (principal[a] == b) | (principal[b] == a)
    rows = np.flatnonzero(inside)
    ends = np.concatenate([a[rows], b[rows]])
    apart = np.tile(distance[rows] / longer[rows], 2)
    order = np.lexsort((np.tile(rows, 2), apart, ends))
    firsts = np.searchsorted(ends[order], ends[order])
    near = order[np.arange(len(order)) - firsts < nearest]
    keep[rows[near % len(rows)]] = True
    return Thinned(keep, family)
