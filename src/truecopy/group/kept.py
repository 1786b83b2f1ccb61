"""What is kept of dense families: each text's pair with its principal, or with the longest text where a relation has no
principals, and its pairs with the texts that are nearest by sketch. Callers verify them. Texts of earlier waves keep
what they have: only pairs of fresh texts are made. What is not kept is bounded, not counted.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import Flags, Places
from truecopy.group.families import Families
from truecopy.group.nearest import nearest_texts
from truecopy.index.overlap_lists import least_shared
from truecopy.match.relations import CONTAINS
from truecopy.text.streams import Streams
from truecopy.threshold import ten_thousandths


class Nearest:
    """The nearest texts of dense families; two relations that have the same family share them."""

    def __init__(self, streams: Streams, fresh: Flags, count: int, threads: int) -> None:
        self._streams, self._fresh, self._count, self._threads = streams, fresh, count, threads
        self._made: dict[bytes, tuple[Places, Places]] = {}

    def pairs(self, family: Places) -> tuple[Places, Places]:
        """Each fresh text of a family with its nearest."""
        key = family.tobytes()
        if key not in self._made:
            asking = family[self._fresh[family]]
            self._made[key] = nearest_texts(self._streams, family, asking, self._count, self._threads)
        return self._made[key]


def with_principals(families: Families, fresh: Flags, principal: Places, nearest: Nearest) -> tuple[Places, Places]:
    """For `similar`: the pairs to verify, a < b in order; `principal` has that of each text, -1 for none."""
    a, b = [], []
    for family in families.dense():
        members = family[fresh[family] & (principal[family] >= 0) & (principal[family] != family)]
        near = nearest.pairs(family)
        a += [members, near[0]]
        b += [principal[members], near[1]]
    return _once(a, b, len(families))


def with_longest(families: Families, fresh: Flags, lengths: Places, nearest: Nearest) -> tuple[Places, Places]:
    """For `contains`: the pairs to verify, a < b in order."""
    a, b = [], []
    for family in families.dense():
        longest = family[np.argmax(lengths[family])]
        others = family[(family != longest) & (fresh[family] | fresh[longest])]
        near = nearest.pairs(family)
        a += [np.full(len(others), longest), near[0]]
        b += [others, near[1]]
    return _once(a, b, len(families))


def most_similar_pairs(lengths: Places, floor: float) -> int:
    """How many pairs of texts of these lengths can be similar at a floor: those whose lengths are close enough."""
    ordered = np.sort(lengths)
    low = np.searchsorted(ordered, least_shared(ordered, ten_thousandths(floor)))
    return int((np.arange(len(ordered)) - low).sum())


def most_contained_pairs(shingles: Places) -> int:
    """How many pairs of texts with so many shingles there can be of which one contains the other."""
    enough = int(CONTAINS.is_enough(shingles).sum())
    return enough * (enough - 1) // 2


def _once(a: list[Places], b: list[Places], texts: int) -> tuple[Places, Places]:
    """Each pair once, the lower text first."""
    if not a:
        return np.empty(0, np.int32), np.empty(0, np.int32)
    x, y = np.concatenate(a).astype(np.int64), np.concatenate(b).astype(np.int64)
    codes = np.unique(np.minimum(x, y) * texts + np.maximum(x, y))
    return (codes // texts).astype(np.int32), (codes % texts).astype(np.int32)
