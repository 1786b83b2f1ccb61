"""`linear`: looks at every row; exact for every method and limit, and the oracle of all other indexes.

It is written in plain array operations that show what each measure is, and keeps nothing but the rows.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import I64, Exact, Places, Stored, Values
from truecopy.index.blocks import Block
from truecopy.index.equality import equal_rows
from truecopy.index.found import Found
from truecopy.index.index import Index
from truecopy.index.limits import Distance, Equal, Gamma, Limit, Share
from truecopy.index.rows import Rows
from truecopy.kernels.arrays import read_only
from truecopy.kernels.windows import set_overlaps


class Linear(Index):
    """Finds rows by looking at all of them."""

    name = "linear"
    accepts = (Distance, Gamma, Share, Equal)

    def build(self, rows: Rows) -> dict[str, Stored]:  # noqa: ARG002
        """Nothing: the rows are enough."""
        return {}

    def sound(self, block: Block) -> bool:
        """Whether there is nothing beside the rows."""
        return not block.arrays

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:
        """Measure every row against every query."""
        found = []
        for query in range(len(queries)):
            one = queries.slice(query, query + 1)
            place, value, whole = near(block.rows, one, limit, pairing)
            found.append(Found.make(query, place, value, whole, len(block)))
        return Found.together(found)


def near(rows: Rows, query: Rows, limit: Limit, pairing: bool) -> tuple[Places, Exact, I64 | int]:
    """The rows that are near one query, with the measure of each."""
    if isinstance(limit, Distance):
        differing = np.bitwise_count(rows.values ^ query.values).sum(axis=1, dtype=np.int64)
        place = np.flatnonzero(differing <= limit.most)
        return place, differing[place], 1
    if isinstance(limit, Gamma):
        return _near_letters(rows, query, limit, pairing)
    if isinstance(limit, Equal):
        place = np.arange(len(rows))
        place = place[equal_rows(query, np.zeros(len(rows), np.int64), rows, place, limit)]
        return place, np.zeros(len(place), np.int64), 1
    if limit.of == "slots":
        shared = (rows.values == query.values).sum(axis=1, dtype=np.int64)
        shared[~rows.reliable] = 0
        whole = np.full(len(rows), rows.values.shape[1] if query.reliable[0] else 0, np.int64)
        shared = shared if query.reliable[0] else np.zeros(len(rows), np.int64)
    elif limit.of == "smallest":
        shared, whole = _among_smallest(rows, query)
    else:
        shared = shared_entries(rows, query)
        whole = limit.whole(shared, int(query.sizes[0]), rows.sizes)
    holds = limit.reached(shared, whole)
    if rows.heads is not None and query.heads is not None:
        holds &= limit.allows(query.heads[0], rows.heads)
    place = np.flatnonzero(holds)
    return place, shared[place], whole[place]


def _near_letters(rows: Rows, query: Rows, limit: Gamma, pairing: bool) -> tuple[Places, Exact, int]:
    """In Python's integers where a sum of squares could leave 64 bits."""
    counts, asked = rows.values, query.values
    squared = _sums_of_squares(np.maximum(counts, asked) - np.minimum(counts, asked))
    norm = int(_sums_of_squares(asked)[0])
    # As objects: the query's norm may leave 64 bits where those of these rows do not.
    own = _sums_of_squares(counts).astype(object)
    norms = np.maximum(own, norm) if pairing else np.full(len(rows), norm, object)
    distinct, which = np.unique(norms, return_inverse=True)
    allowed = np.array([limit.most(int(each)) for each in distinct], object)[which]
    place = np.flatnonzero(squared.astype(object) <= allowed)
    return place, squared[place], 1


def _among_smallest(rows: Rows, query: Rows) -> tuple[I64, I64]:
    """Of the n smallest entries of each row and the query together: how many both have, and how many there are."""
    assert rows.offsets is not None
    assert query.offsets is not None
    shared, either = np.empty((1, len(rows)), np.int64), np.empty((1, len(rows)), np.int64)
    most = int(rows.spec.parameter("n") or 0)
    asked = read_only(query.values), read_only(query.offsets)
    set_overlaps(*asked, read_only(rows.values), read_only(rows.offsets), most, shared, either)
    return shared[0], either[0]


def _sums_of_squares(counts: Values) -> Exact:
    """Of each row of 32-bit counts. A square fits into 64 bits; where a sum may not, halves are summed separately."""
    wide = counts.astype(np.uint64)
    squares = wide * wide
    if int(counts.max(initial=0)) ** 2 * counts.shape[1] < 1 << 63:
        sums: I64 = squares.sum(axis=1).astype(np.int64)
        return sums
    upper, lower = (squares >> np.uint64(32)).sum(axis=1), (squares & np.uint64(0xFFFFFFFF)).sum(axis=1)
    exact: Exact = upper.astype(object) * (1 << 32) + lower.astype(object)
    return exact


def shared_entries(rows: Rows, query: Rows) -> I64:
    """How many entries each row has in common with the query; for bags, how many words."""
    assert rows.offsets is not None
    asked = query.values
    order = np.argsort(asked, kind="stable")
    if not len(asked):
        return np.zeros(len(rows), np.int64)
    at = np.minimum(np.searchsorted(asked[order], rows.values), len(asked) - 1)
    common = asked[order][at] == rows.values
    each = common.astype(np.int64)
    if rows.counts is not None and query.counts is not None:
        each *= np.minimum(rows.counts, query.counts[order][at])
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(each)])
    shared: I64 = ends[rows.offsets[1:]] - ends[rows.offsets[:-1]]
    return shared
