"""The star algorithm, for one wave and for waves that follow.

Documents are taken in the order of the principal rule. One that is similar at the threshold to no earlier
principal becomes a principal; any other is a member of the principal it is most similar to (ties: the
earlier principal). Groups that exist already stay as they are: a new document goes to the most similar
existing principal, and only those that have none are grouped among themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from truecopy.array_types import Flags, Places
from truecopy.kernels.star import assign_stars


@dataclass(frozen=True, slots=True)
class Assignment:
    """For each text its principal (itself, if it is one), and whether it has any link at the threshold."""

    principal: Places
    linked: Flags
    """Texts that are similar to some other, but are neither members nor have members."""
    shown: Places = field(default_factory=lambda: np.empty(0, np.int64))
    """Of dense families: for each linked text one that it is similar to, -1 for the others."""


def star(
    order: Places, a: Places, b: Places, distances: Places, longer: Places, settled: Places | None = None
) -> Assignment:
    """Group texts 0 … n-1 by the pairs that reach the threshold.

    `order` lists all texts by the principal rule. `settled` holds the principal of each text that an earlier
    wave has grouped, and -1 for the others.
    """
    count = len(order)
    ends = np.concatenate([a, b]).astype(np.int64)
    others = np.concatenate([b, a]).astype(np.int64)
    by_text = np.lexsort((others, ends))
    starts = np.searchsorted(ends[by_text], np.arange(count + 1)).astype(np.int64)
    neighbors = np.ascontiguousarray(others[by_text])
    both_distances = np.concatenate([distances, distances]).astype(np.int64)[by_text]
    both_longer = np.concatenate([longer, longer]).astype(np.int64)[by_text]
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    links = (starts, neighbors, both_distances, both_longer, rank)

    order = np.ascontiguousarray(order, np.int64)
    before = np.full(count, -1, np.int64) if settled is None else settled.astype(np.int64)
    principal = before.copy()
    assign_stars(order, *links, before, principal, False)  # to existing groups, without seeing each other
    assign_stars(order, *links, principal, principal, True)  # then among themselves
    has_members = np.zeros(count, np.bool_)
    has_members[principal[principal != np.arange(count)]] = True
    alone = (principal == np.arange(count)) & ~has_members
    return Assignment(principal, alone & (np.diff(starts) > 0))
