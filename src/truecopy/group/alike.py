"""Which of some texts are similar at a threshold to which others, and which one is the most similar: exact, and without
all pairs of a family.

Bags of words bound the distance from below: a text shares at most as many words with another as their bags do. So the
most promising other is verified first, and then only those that could still be better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import Places
from truecopy.index.overlap import Between
from truecopy.index.rows import rows_of_bags
from truecopy.kernels.star import assign_stars
from truecopy.match.verify import edit_distances
from truecopy.text.streams import Bags, Streams
from truecopy.threshold import limits, ten_thousandths

_FIRST_LOOKS = 2
"""How many others are verified one by one before all that are left."""


@dataclass(frozen=True, slots=True)
class Links:
    """Pairs that reach the threshold: places in the two lists of texts that were asked about."""

    x: Places
    y: Places
    distance: Places
    longer: Places

    def take(self, rows: Places) -> Links:
        """Some of them."""
        return Links(self.x[rows], self.y[rows], self.distance[rows], self.longer[rows])


class Alike:
    """Texts of one set, compared at one threshold."""

    def __init__(self, streams: Streams, bags: Bags, texts: Places, threshold: float, threads: int) -> None:
        """`texts` are those that will be asked about."""
        self._streams = streams
        self._lengths = streams.lengths
        self._threshold = threshold
        self._threads = threads
        self._between = Between(rows_of_bags(bags), texts, ten_thousandths(threshold))

    def links(self, x: Places, y: Places) -> Links:
        """Every pair of a text of x and another of y that reaches the threshold."""
        found, _ = self._candidates(x, y)
        return self._verified(x, y, found, limits(found.longer, self._threshold))

    def best(self, x: Places, y: Places, rank: Places, earlier: Places | None = None) -> Links:
        """For each text of x that reaches the threshold with any of y: the most similar one, ties by `rank` of y.

        With `earlier`, a rank for each of x, only those of y with a lower rank.
        """
        left, lost = self._candidates(x, y)
        if earlier is not None:
            rows = np.flatnonzero(rank[left.y] < earlier[left.x])
            left, lost = left.take(rows), lost[rows]
        # Most promising first: by the least distance that the bags allow.
        order = np.lexsort((rank[left.y], lost / left.longer, left.x))
        left, lost = left.take(order), lost[order]
        best_distance, best_longer = np.full(len(x), -1, np.int64), np.ones(len(x), np.int64)
        parts = []
        for look in range(_FIRST_LOOKS + 1):
            known = best_distance[left.x] >= 0
            hopeful = ~known | (lost * best_longer[left.x] <= best_distance[left.x] * left.longer)
            rows = np.flatnonzero(hopeful)
            left, lost = left.take(rows), lost[rows]
            now = np.ones(len(left.x), np.bool_)
            if look < _FIRST_LOOKS:
                now[1:] = left.x[1:] != left.x[:-1]
            tried = left.take(np.flatnonzero(now))
            allowed = limits(tried.longer, self._threshold)
            known = best_distance[tried.x] >= 0
            better = best_distance[tried.x] * tried.longer // best_longer[tried.x]
            found = self._verified(x, y, tried, np.where(known, np.minimum(allowed, better), allowed))
            parts.append(found)
            ahead = best_distance[found.x] < 0
            ahead |= found.distance * best_longer[found.x] < best_distance[found.x] * found.longer
            # In the last look a text may come several times; its best is decided below.
            best_distance[found.x[ahead]], best_longer[found.x[ahead]] = found.distance[ahead], found.longer[ahead]
            rows = np.flatnonzero(~now)
            left, lost = left.take(rows), lost[rows]
        return _most_similar(_joined(parts), len(x), rank)

    def _candidates(self, x: Places, y: Places) -> tuple[Links, Places]:
        """Pairs whose bags overlap enough, without distances; and the least distance that the bags allow."""
        at_x, at_y, shared = self._between.pairs(x, y, self._threads)
        rows = np.flatnonzero(x[at_x] != y[at_y])
        at_x, at_y, shared = at_x[rows], at_y[rows], shared[rows]
        longer = np.maximum(self._lengths[x[at_x]], self._lengths[y[at_y]])
        return Links(at_x, at_y, np.zeros(len(rows), np.int64), longer), longer - shared

    def _verified(self, x: Places, y: Places, pairs: Links, allowed: Places) -> Links:
        a, b = x[pairs.x].astype(np.int32), y[pairs.y].astype(np.int32)
        found = edit_distances(self._streams.words, self._streams.offsets, a, b, allowed, self._threads)
        holds = np.flatnonzero(found <= allowed)
        return Links(pairs.x[holds], pairs.y[holds], found[holds], pairs.longer[holds])


def _joined(parts: list[Links]) -> Links:
    names = ("x", "y", "distance", "longer")
    return Links(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _most_similar(links: Links, count: int, rank: Places) -> Links:
    """One link for each x: fractions are compared in integers."""
    order = np.argsort(links.x, kind="stable")
    links = links.take(order)
    starts = np.searchsorted(links.x, np.arange(count + 1)).astype(np.int64)
    everyone = np.arange(count + len(links.x), dtype=np.int64)
    everyone[:count] = -1
    chosen = np.full(len(everyone), -1, np.int64)
    ranks = np.concatenate([np.zeros(count, np.int64), rank[links.y].astype(np.int64)])
    assign_stars(
        np.arange(count, dtype=np.int64), starts, count + np.arange(len(links.x), dtype=np.int64),
        links.distance.astype(np.int64), links.longer.astype(np.int64), ranks, everyone, chosen, False,
    )  # fmt: skip
    chosen = chosen[:count]
    return links.take(chosen[chosen >= 0] - count)
