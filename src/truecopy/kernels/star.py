"""The star algorithm: which texts are principals, and whose members the others are.

The lexicographically first maximal independent set in a given order (see group/star for the rules).
"""

from __future__ import annotations

from typing import Any

from truecopy.kernels.jit import kernel

Array = Any


@kernel
def assign_stars(
    order: Array,
    starts: Array,
    neighbors: Array,
    distances: Array,
    longer: Array,
    rank: Array,
    settled: Array,
    principal: Array,
    found: bool,
) -> None:
    """Give each text of `order` a principal: itself, or the most similar principal that came before it.

    `neighbors` from starts[i] to starts[i + 1] are the texts similar to i, with the distance and the longer
    length that their similarity comes from: fractions are compared by cross-multiplication, never as floats.
    A text whose `principal` is not -1 is left alone. Only texts that are their own principal in `settled` can be
    joined; with `found`, a text that can join none becomes a principal itself. Ties go to the lower `rank`.
    """
    for i in range(len(order)):
        text = order[i]
        if principal[text] >= 0:
            continue
        best = -1
        for j in range(starts[text], starts[text + 1]):
            other = neighbors[j]
            if settled[other] != other:
                continue
            if best < 0:
                best = j
                continue
            ahead = distances[j] * longer[best] - distances[best] * longer[j]
            if ahead < 0 or (ahead == 0 and rank[other] < rank[neighbors[best]]):
                best = j
        if best >= 0:
            principal[text] = neighbors[best]
        elif found:
            principal[text] = text


@kernel
def join_families(a: Array, b: Array, parent: Array) -> None:
    """Give each text the lowest text that a chain of pairs connects it with (union-find)."""
    for i in range(len(a)):
        x = a[i]
        y = b[i]
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        while parent[y] != y:
            parent[y] = parent[parent[y]]
            y = parent[y]
        if x < y:
            parent[y] = x
        elif y < x:
            parent[x] = y
    for text in range(len(parent)):
        parent[text] = parent[parent[text]]
