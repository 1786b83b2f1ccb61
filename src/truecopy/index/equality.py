"""`equality`: rows that are equal, by a sorted hash of each; exact.

It compares fingerprints and other keys. A row's 64-bit hash finds it, and its bytes decide.
"""

from __future__ import annotations

import numpy as np

from truecopy.array_types import U64, Flags, Places, Stored
from truecopy.index.blocks import Block
from truecopy.index.found import Found
from truecopy.index.index import Index
from truecopy.index.limits import Equal, Limit, shortest_share
from truecopy.index.rows import Rows
from truecopy.sign.hashes import mixed
from truecopy.threshold import WHOLE

_ENTRIES_AT_ONCE = 1 << 20
"""How many entries of sets are compared at a time."""


class Equality(Index):
    """Finds equal rows."""

    name = "equality"
    accepts = (Equal,)

    def build(self, rows: Rows) -> dict[str, Stored]:
        """Hashes in order, with the row of each."""
        hashes = row_hashes(rows)
        order = np.argsort(hashes, kind="stable")
        return {"hashes": hashes[order], "order": order.astype(np.int64)}

    def sound(self, block: Block) -> bool:
        """Whether hashes and order have a place for each row."""
        rows, arrays = len(block), block.arrays
        if set(arrays) != {"hashes", "order"} or any(array.shape != (rows,) for array in arrays.values()):
            return False
        order = arrays["order"]
        if arrays["hashes"].dtype != np.uint64 or order.dtype != np.int64:
            return False
        hashes = arrays["hashes"]
        if (hashes[1:] < hashes[:-1]).any():
            return False
        return bool(rows == 0 or (order.min() >= 0 and order.max() < rows))

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:  # noqa: ARG002
        """Rows with the query's hash whose bytes are equal."""
        assert isinstance(limit, Equal)
        hashes, order = block.arrays["hashes"], block.arrays["order"]
        asked = row_hashes(queries)
        begins, ends = np.searchsorted(hashes, asked, "left"), np.searchsorted(hashes, asked, "right")
        query = np.repeat(np.arange(len(queries)), ends - begins)
        firsts = np.cumsum(ends - begins) - (ends - begins)
        place = order[np.repeat(begins - firsts, ends - begins) + np.arange(len(query))]
        equal = equal_rows(queries, query, block.rows, place, limit)
        return Found.make(query[equal], place[equal], np.zeros(int(equal.sum()), np.int64), 1, len(query))


def equal_rows(queries: Rows, query: Places, rows: Rows, place: Places, limit: Equal) -> Flags:
    """Whether rows are equal, entry for entry, and both are reliable."""
    if rows.offsets is None:
        equal = (queries.values[query] == rows.values[place]).all(axis=1)
    else:
        assert queries.offsets is not None
        equal = np.diff(queries.offsets)[query] == np.diff(rows.offsets)[place]
        alike = np.flatnonzero(equal)
        sizes = np.diff(queries.offsets)[query[alike]]
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // _ENTRIES_AT_ONCE)) + 1
        for some in np.split(alike, cuts):
            equal[some] = _equal_sets(queries.take(query[some]), rows.take(place[some]))
    equal = equal & queries.reliable[query] & rows.reliable[place]
    if rows.heads is not None and rows.spec.method == "fingerprint":
        assert queries.heads is not None
        one, other = queries.heads[query, 0], rows.heads[place, 0]
        shortest = shortest_share(limit.length)
        equal &= np.minimum(one, other) * WHOLE >= shortest * np.maximum(one, other)
    found_equal: Flags = equal
    return found_equal


def _equal_sets(some: Rows, others: Rows) -> Flags:
    """Whether sets of the same sizes are equal, one by one."""
    assert some.offsets is not None
    unlike = np.concatenate([np.zeros(1, np.int64), np.cumsum(some.values != others.values)])
    same: Flags = unlike[some.offsets[1:]] == unlike[some.offsets[:-1]]
    return same


def row_hashes(rows: Rows) -> U64:
    """A 64-bit hash of each row's entries."""
    if rows.offsets is None:
        width = rows.values.shape[1] * rows.values.itemsize  # said, not derived: there may be no row to derive it from
        data = np.ascontiguousarray(rows.values).view(np.uint8).reshape(len(rows), width)
        padded = np.zeros((len(rows), -(-data.shape[1] // 8) * 8), np.uint8)
        padded[:, : data.shape[1]] = data
        words = padded.view("<u8")
        found = np.full(len(rows), data.shape[1], np.uint64)
        for column in range(words.shape[1]):
            found = mixed(found * np.uint64(0x9E3779B97F4A7C15) ^ words[:, column])
        return found
    entries = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed(rows.values.astype(np.uint64)))])
    sums: U64 = entries[rows.offsets[1:]] - entries[rows.offsets[:-1]]
    return mixed(sums ^ np.diff(rows.offsets).astype(np.uint64))
