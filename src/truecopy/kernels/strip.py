"""One strip of the edit-distance matrix, 64 rows to a machine word and eight words to a vector.

Myers' bit-parallel step (1999; in Hyyrö's form of 2003) carries the vertical differences of one block of 64
rows from one column to the next, given whether its word matches each row and the horizontal difference
that comes in from above. Eight blocks lie one below the other; each runs one column behind the block above
it, so that all take their step at once, as one vector. LLVM cannot find this out by itself, so this
one function is written in its language. It runs on any processor. A column must wait for the one before it,
and that takes longer than the steps themselves: with AVX-512, eight blocks take no longer than four.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

LANES = 8
STRIP = 64 * LANES
MARGIN = LANES
"""Places before column 0, and after the last, that `carry` must have."""

_BYTE = ir.IntType(8)
_LANE = ir.IntType(32)
_WORD = ir.IntType(64)
_VECTOR = ir.VectorType(_WORD, LANES)
_BELOW = ir.Constant(ir.VectorType(_LANE, LANES), [LANES, *range(LANES - 1)])
"""Picks, for each block, what left the block above it; for the first, what comes in from outside."""


def _all(value: int) -> ir.Constant:
    return ir.Constant(_VECTOR, [value] * LANES)


def _word(value: int) -> ir.Constant:
    return ir.Constant(_WORD, value)


def _lane(value: int) -> ir.Constant:
    return ir.Constant(_LANE, value)


class _Strip:
    """Writes the code of one strip: where its arrays are, and the state that goes from column to column."""

    def __init__(self, builder: Any, columns: Any, places: Any, masks: Any, carry: Any) -> None:
        self.builder, self.columns, self.places, self.masks, self.carry = builder, columns, places, masks, carry

        def variable(value: Any) -> Any:
            return cgutils.alloca_once_value(builder, value)  # type: ignore[no-untyped-call]

        self.plus, self.minus = variable(_all(-1)), variable(_all(0))
        self.plus_out, self.minus_out = variable(_all(0)), variable(_all(0))
        # row 0 of the masks matches nothing: blocks that have not begun stay as they are
        self.symbols = [variable(_word(0)) for _ in range(LANES)]

    def step(self, column: Any, inside: bool) -> None:
        """Block k goes over column − k; past the last column the first blocks only run on."""
        build = self.builder
        for k in range(LANES - 1, 0, -1):
            build.store(build.load(self.symbols[k - 1]), self.symbols[k])
        above_plus = above_minus = symbol = _word(0)
        if inside:
            word = build.zext(build.load(build.gep(self.columns, [column])), _WORD)
            symbol = build.zext(build.load(build.gep(self.places, [word])), _WORD)
            code = build.load(build.gep(self.carry, [build.add(column, _word(MARGIN))]))
            above_plus = build.zext(build.and_(code, ir.Constant(_BYTE, 1)), _WORD)
            above_minus = build.zext(build.lshr(code, ir.Constant(_BYTE, 1)), _WORD)
        build.store(symbol, self.symbols[0])
        match = _all(0)
        for k in range(LANES):
            place = build.add(build.load(self.symbols[k]), _word(k))
            match = build.insert_element(match, build.load(build.gep(self.masks, [place])), _lane(k))
        self._advance(match, above_plus, above_minus)
        last = _lane(LANES - 1)
        code = build.or_(
            build.extract_element(build.load(self.plus_out), last),
            build.shl(build.extract_element(build.load(self.minus_out), last), _word(1)),
        )
        place = build.add(column, _word(MARGIN - (LANES - 1)))
        build.store(build.trunc(code, _BYTE), build.gep(self.carry, [place]))

    def _advance(self, match: Any, above_plus: Any, above_minus: Any) -> None:
        build = self.builder

        def incoming(out: Any, above: Any) -> Any:
            first = build.insert_element(_all(0), above, _lane(0))
            return build.shuffle_vector(build.load(out), first, _BELOW)

        plus_in, minus_in = incoming(self.plus_out, above_plus), incoming(self.minus_out, above_minus)
        plus, minus = build.load(self.plus), build.load(self.minus)
        vertical = build.or_(match, minus)
        match = build.or_(match, minus_in)
        horizontal = build.or_(build.xor(build.add(build.and_(match, plus), plus), plus), match)
        up = build.or_(minus, build.not_(build.or_(horizontal, plus)))
        down = build.and_(plus, horizontal)
        build.store(build.lshr(up, _all(63)), self.plus_out)
        build.store(build.lshr(down, _all(63)), self.minus_out)
        up = build.or_(build.shl(up, _all(1)), plus_in)
        down = build.or_(build.shl(down, _all(1)), minus_in)
        build.store(build.or_(down, build.not_(build.or_(vertical, up))), self.plus)
        build.store(build.and_(up, vertical), self.minus)

    def save(self, state: Any, k: int) -> None:
        """Block k's vertical differences, which are those of the last column by now."""
        build = self.builder
        for variable, place in ((self.plus, k), (self.minus, LANES + k)):
            value = build.extract_element(build.load(variable), _lane(k))
            build.store(value, build.gep(state, [_word(place)]))


@intrinsic
def advance_strip(
    _typing: Any, columns: Any, places: Any, masks: Any, carry: Any, _low: Any, _high: Any, state: Any
) -> Any:
    """`advance_strip(columns, places, masks, carry, low, high, state)`: go down 512 rows, over columns low to high.

    columns: uint32, for each column the number of its word
    places: uint16, for each word number where its masks begin: 0 for a word that no row has, which has none
    masks: uint64, for each word LANES words with one bit for each of the 512 rows that it matches
    carry: uint8, from `MARGIN` on, the row above on entry and the last row on return: for each column
           1 where the distance is one more than in the column before it, 2 where it is one less, else 0
    state: uint64, receives the vertical differences in the last column: LANES words that mark
           +1 and LANES words that mark −1
    """
    signature = types.void(columns, places, masks, carry, types.int64, types.int64, state)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def data(k: int) -> Any:
            return context.make_array(signature.args[k])(context, builder, args[k]).data

        strip = _Strip(builder, data(0), data(1), data(2), data(3))
        with cgutils.for_range_slice(builder, args[4], args[5], _word(1)) as (column, _):
            strip.step(column, inside=True)
        for k in range(LANES):
            strip.save(data(6), k)
            if k < LANES - 1:
                strip.step(builder.add(args[5], _word(k)), inside=False)
        return context.get_dummy_value()

    return signature, generate


def differences_below(state: NDArray[np.uint64], rows: int) -> int:
    """What the first `rows` rows of a strip add to its top row, in the last column."""
    total = 0
    for k in range((rows + 63) // 64):
        others = np.uint64(max(64 * (k + 1) - rows, 0))
        for place in (k, LANES + k):
            bits = (state[place] << others) >> others
            bits -= (bits >> np.uint64(1)) & np.uint64(0x5555555555555555)
            bits = (bits & np.uint64(0x3333333333333333)) + ((bits >> np.uint64(2)) & np.uint64(0x3333333333333333))
            bits = (bits + (bits >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
            bits += bits >> np.uint64(8)
            bits += bits >> np.uint64(16)
            bits += bits >> np.uint64(32)
            count = np.int64(bits & np.uint64(127))
            total += count if place == k else -count
    return total
