"""`projections`: letter counts near a query, exactly, for any γ.

Stroz Friedberg's paper on similar document detection for e-discovery turns a search in 62 dimensions into a few in one
dimension, along random directions, and loses a pair now and then. As future work it names directions that follow the
covariance of the data. This index does that, and loses nothing:

* Directions are orthonormal. If a row is within r of the query, all its projections together differ from the query's
by at most r in length. So the sum of their squared differences is a lower bound that always holds.
* The norm is a direction of its own. Rows are compared as unit vectors, and these may differ only by what is left of r
once the norms differ: |x − q|² = (|x| − |q|)² + |x| |q| |x/|x| − q/|q||².
* Rows of similar norm are together and, within them, those with similar projections: each part is halved along the
direction in which it spreads the most, down to leaves of a few rows (kernels/projections.py). A search visits the
leaves whose box it reaches.
* What remains is measured in integers, and integers decide |x − q|² ≤ γ² |q|², by fractions.

For pairs the limit is γ times the greater of the two norms. The paper's own algorithms are in paper_projections.py.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from truecopy.array_types import F64, I16, I32, I64, Stored, Values
from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.found import Found
from truecopy.index.index import Advance, Index
from truecopy.index.limits import Gamma, Limit
from truecopy.index.rows import Rows
from truecopy.kernels.arrays import read_only
from truecopy.kernels.projections import (
    DEPTH,
    FAR,
    LEAF,
    UNDECIDED,
    M,
    add_products,
    arrange,
    enclose,
    find_near,
    find_pairs,
    project,
    turn,
)
from truecopy.threads import Pool

_SAMPLE = 20_000
"""Directions are made from this many rows, evenly spaced."""
_ROUNDS = 12
_ROOM = 1 << 14
"""Room for this many hits at first."""
_MOST_ROOM = 1 << 20
_ROWS_AT_ONCE = 1 << 14
"""Rows of a block whose pairs are looked for in one piece."""
_MOST_ROWS = (1 << 31) - 1
_LARGEST = (1 << 63) - 1


class Projections(Index):
    """Finds letter counts within γ times a norm."""

    name = "projections"
    accepts = (Gamma,)

    def build(self, rows: Rows) -> dict[str, Stored]:
        """Directions, the order of the tree, coordinates and norms in that order, and the boxes of all nodes."""
        if len(rows) > _MOST_ROWS:
            said = f"{len(rows)} rows were given for one block, but it can have {_MOST_ROWS}."
            raise BadSetting(said, "Add them in several parts.")
        values = read_only(rows.values)
        vectors = directions(values)
        coordinates, norms, _ = _projected(values, vectors)
        order = np.arange(len(rows), dtype=np.int32)
        single = norms.astype(np.float32)
        arrange(read_only(coordinates), read_only(single), order)
        coordinates, single = coordinates[order], single[order]
        nodes = 2 * -(-len(rows) // LEAF)
        boxes, spans = np.empty((nodes, 2, M), np.int16), np.empty((nodes, 2), np.float32)
        boxes[:, 0], boxes[:, 1] = 32767, -32768
        spans[:, 0], spans[:, 1] = np.inf, 0
        enclose(read_only(coordinates), read_only(single), boxes, spans)
        return {
            "directions": vectors,
            "order": order,
            "coordinates": coordinates,
            "norms": single,
            "boxes": boxes,
            "spans": spans,
        }

    def sound(self, block: Block) -> bool:
        """Whether the arrays have the form that kernels rely on: they index by the order and by the size of leaves."""
        rows, nodes = len(block), 2 * -(-len(block) // LEAF)
        expected: dict[str, tuple[tuple[int, ...], type]] = {
            "directions": ((block.rows.values.shape[1], M), np.float64),
            "order": ((rows,), np.int32),
            "coordinates": ((rows, M), np.int16),
            "norms": ((rows,), np.float32),
            "boxes": ((nodes, 2, M), np.int16),
            "spans": ((nodes, 2), np.float32),
        }
        if set(block.arrays) != set(expected):
            return False
        for name, (shape, dtype) in expected.items():
            if block.arrays[name].shape != shape or block.arrays[name].dtype != dtype:
                return False
        order = block.arrays["order"]
        return bool(rows == 0 or (order.min() >= 0 and order.max() < rows))

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:
        """The rows of a block within γ times the norm of each query; for pairs, of the greater norm."""
        assert isinstance(limit, Gamma)
        asked = read_only(queries.values)
        coordinates, lengths, rest = _projected(asked, block.arrays["directions"])
        most = np.array([min(limit.most(norm), _LARGEST) for norm in _squared_norms(asked)], np.int64)
        state, begins, ends = np.array([0, -1], np.int64), np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
        values, order, spots, norms, boxes, spans = _searched(block)
        coordinates, lengths = read_only(coordinates), read_only(lengths)
        rest, most = read_only(rest), read_only(most)
        room, parts, examined = _ROOM, [], 0
        while len(block) and state[0] < len(queries):
            who, places = np.empty(room, np.int32), np.empty(room, np.int32)
            measures = np.empty(room, np.int64)
            found, seen = find_near(
                values,
                order,
                spots,
                norms,
                boxes,
                spans,
                asked,
                coordinates,
                lengths,
                rest,
                most,
                _square(limit),
                pairing,
                state,
                begins,
                ends,
                who,
                places,
                measures,
            )
            parts.append(_decided(block, queries, who[:found], places[:found], measures[:found], limit, pairing))
            examined += seen
            room = min(4 * room, _MOST_ROOM)
        together = Found.together(parts)
        return replace(together, examined=examined)

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """Every pair of a block, each found once: from the row that comes first in the tree."""
        assert isinstance(limit, Gamma)

        def some(start: int) -> Found:
            stop = min(start + _ROWS_AT_ONCE, len(block))
            found = _pairs_of(block, limit, start, stop)
            if advance:
                advance(stop - start)
            return found

        with Pool(max(threads, 1)) as pool:
            return Found.together(list(pool.map(some, range(0, len(block), _ROWS_AT_ONCE))))


def directions(values: Values) -> F64:
    """Orthonormal directions (columns) along which the unit vectors of some counts spread the most.

    No vector gets longer when projected onto them: by Gershgorin's theorem the greatest eigenvalue of VᵀV is at
    most its greatest sum of a row, and V is divided by the root of that where rounding made it more than 1.
    """
    width = values.shape[1]
    sums, products = np.zeros(width), np.zeros((width, width))
    used = max(1, add_products(values, max(1, len(values) // _SAMPLE), sums, products))
    covariances = products / used - sums[:, None] / used * (sums / used)
    # Starting from the letters that vary the most, each a direction of its own.
    vectors = np.zeros((M, width))
    vectors[np.arange(M), np.argsort(-np.diagonal(covariances), kind="stable")[:M]] = 1
    for _ in range(_ROUNDS):
        turned = np.empty_like(vectors)
        turn(read_only(covariances), read_only(vectors), turned)
        vectors = turned
    longest = np.abs((vectors[:, None] * vectors[None]).sum(axis=2)).sum(axis=1).max() * (1 + 1e-12)
    columns: F64 = np.ascontiguousarray(vectors.T) / np.sqrt(max(1.0, longest))
    return columns


def _projected(values: Values, vectors: F64) -> tuple[I16, F64, F64]:
    coordinates = np.empty((len(values), M), np.int16)
    norms, rest = np.empty(len(values)), np.empty(len(values))
    project(values, read_only(vectors), coordinates, norms, rest)
    return coordinates, norms, rest


def _searched(block: Block) -> tuple[Stored, ...]:
    """The arrays of a block that kernels search, in their order."""
    names = ("order", "coordinates", "norms", "boxes", "spans")
    return read_only(block.rows.values), *(read_only(block.arrays[name]) for name in names)


def _square(limit: Gamma) -> float:
    """γ² as kernels use it in bounds; the bounds allow for its rounding, and integers decide."""
    try:
        return float(limit.share**2)
    except OverflowError:
        return float("inf")


def _squared_norms(values: Values) -> list[int]:
    """Exactly, in Python's integers."""
    if int(values.max(initial=0)) ** 2 * values.shape[1] < 1 << 63:
        wide = values.astype(np.int64)
        return [int(norm) for norm in (wide * wide).sum(axis=1)]
    return [sum(count * count for count in row) for row in values.tolist()]


def _pairs_of(block: Block, limit: Gamma, start: int, stop: int) -> Found:
    """The pairs of some rows of a block, by their places in the tree, with all later ones."""
    ones, others = np.empty(_ROOM, np.int32), np.empty(_ROOM, np.int32)
    measures = np.empty(_ROOM, np.int64)
    values, order, spots, norms, boxes, spans = _searched(block)
    parts, examined = [], 0
    while start < stop:
        after, found, more, seen = find_pairs(
            values, order, spots, norms, boxes, spans, _square(limit), start, stop, ones, others, measures
        )
        query, place = np.minimum(ones[:found], others[:found]), np.maximum(ones[:found], others[:found])
        parts.append(_decided(block, block.rows, query, place, measures[:found], limit, True))
        examined += seen
        room = max(more, min(4 * len(ones), _MOST_ROOM))
        if after < stop and room > len(ones):
            ones, others, measures = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64)
        start = after
    return replace(Found.together(parts), examined=examined)


def _decided(block: Block, queries: Rows, query: I32, place: I32, measured: I64, limit: Gamma, pairing: bool) -> Found:
    """What a kernel found; what it left undecided is decided in Python's integers."""
    open_ones = np.flatnonzero(measured == UNDECIDED)
    if not len(open_ones):
        return Found.make(query, place, measured, 1, 0)
    value: I64 = measured.copy()
    for at in open_ones.tolist():
        one, other = queries.values[query[at]].tolist(), block.rows.values[place[at]].tolist()
        squared = sum((x - y) ** 2 for x, y in zip(one, other, strict=True))
        norm = sum(x * x for x in one)
        norm = max(norm, sum(y * y for y in other)) if pairing else norm
        value[at] = min(squared, _LARGEST) if squared <= limit.most(norm) else FAR
    kept = value != FAR
    return Found.make(query[kept], place[kept], value[kept], 1, 0)
