"""The star algorithm for a dense family: exact, by comparing texts with principals only.

Texts come in rule order, some at a time. Each is compared with the principals that there are. Those that are similar
to none of them are compared with each other, which gives the new principals; then the others of the batch are
compared with these, as far as they come later. So the work is texts times principals, never texts times texts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from truecopy.array_types import Flags, Places
from truecopy.group.alike import Alike
from truecopy.group.star import Assignment, star

_SMALLEST, _LARGEST = 16, 1024
"""Texts in a batch: few at first, because the first ones have no principals to be compared with."""
_COMPARED_AT_ONCE = 1 << 21
"""Pairs that a batch may make with the principals, at most."""


_NOBODY = np.empty(0, np.int64)


def dense_star(
    alike: Alike, order: Places, settled: Places | None = None, aside: tuple[Places, Places] = (_NOBODY, _NOBODY)
) -> Assignment:
    """Group the texts of a dense family, given in rule order.

    `settled` holds the principal of each that an earlier wave has grouped (a place in `order`), and -1 for the others.
    Principals come as places in `order` too. `aside` are texts of the family that are in no group, of earlier waves and
    new ones: a text that is alone but similar to one of them is linked. In `shown` they follow the places in `order`.
    """
    count = len(order)
    principal = np.full(count, -1, np.int64) if settled is None else settled.astype(np.int64)
    old = np.flatnonzero(principal == np.arange(count))
    was_old = principal >= 0
    for batch in _batches(np.flatnonzero(principal < 0), len(old)):
        found = alike.best(order[batch], order[old], old)
        principal[batch[found.x]] = old[found.y]
    heads = np.zeros(0, np.int64)
    waiting = np.flatnonzero(principal < 0)
    size = _SMALLEST
    while len(waiting):
        room = max(_COMPARED_AT_ONCE // max(len(heads), 1), _SMALLEST)
        batch, waiting = waiting[: min(size, room)], waiting[min(size, room) :]
        size = min(2 * size, _LARGEST)
        heads = np.concatenate([heads, _one_batch(alike, order, batch, heads, principal)])
    shown = _linked(alike, order, principal, was_old, aside)
    return Assignment(principal, shown >= 0, shown)


def _batches(texts: Places, others: int) -> Iterator[Places]:
    size = min(max(_COMPARED_AT_ONCE // max(others, 1), _SMALLEST), _LARGEST)
    for first in range(0, len(texts) if others else 0, size):
        yield texts[first : first + size]


def _one_batch(alike: Alike, order: Places, batch: Places, heads: Places, principal: Places) -> Places:
    """Give each text of a batch its principal; returns the new ones."""
    known = alike.best(order[batch], order[heads], heads)
    principal[batch[known.x]] = heads[known.y]
    alone = np.flatnonzero(principal[batch] < 0)
    among = alike.links(order[batch[alone]], order[batch[alone]])
    once = among.take(np.flatnonzero(among.x < among.y))
    stars = star(np.arange(len(alone)), once.x, once.y, once.distance, once.longer)
    new: Places = batch[alone[stars.principal == np.arange(len(alone))]]
    principal[new] = new
    members = np.flatnonzero(principal[batch] != batch)
    best = alike.best(order[batch[members]], order[new], new, batch[members])
    # More similar than the earlier principal that it has; ties stay with the earlier one.
    before, before_longer = np.full(len(batch), -1, np.int64), np.ones(len(batch), np.int64)
    before[known.x], before_longer[known.x] = known.distance, known.longer
    at = members[best.x]
    better = (before[at] < 0) | (best.distance * before_longer[at] < before[at] * best.longer)
    principal[batch[at[better]]] = new[best.y[better]]
    return new


def _linked(alike: Alike, order: Places, principal: Places, was_old: Flags, aside: tuple[Places, Places]) -> Places:
    """For each principal without members a text that it is similar to, else -1; no two principals are similar.

    Of principals of earlier waves only those that a new text is similar to are told: the others are as they were.
    """
    count = len(order)
    members = principal != np.arange(count)
    has_members = np.zeros(count, np.bool_)
    has_members[principal[members]] = True
    shown = np.full(count, -1, np.int64)
    every = np.concatenate([order, *aside])
    beside, new_beside = np.arange(count, len(every)), np.arange(count + len(aside[0]), len(every))
    for old in (False, True):
        alone = np.flatnonzero(~members & ~has_members & (was_old == old))
        others = np.flatnonzero(members & ~was_old) if old else np.flatnonzero(members)
        others = np.concatenate([others, new_beside if old else beside])
        first, size = 0, _SMALLEST
        while first < len(others) and len(alone):
            some = others[first : first + min(size, max(_COMPARED_AT_ONCE // len(alone), _SMALLEST))]
            first, size = first + len(some), min(2 * size, _LARGEST)
            found = alike.links(every[alone], every[some])
            shown[alone[found.x]] = some[found.y]
            alone = alone[shown[alone] < 0]
    return shown
