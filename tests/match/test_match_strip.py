"""One strip of the bit-parallel matrix equals the plain matrix, cell for cell."""

from __future__ import annotations

import numba
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from truecopy.kernels.strip import LANES, MARGIN, STRIP, advance_strip, differences_below


@numba.njit
def advance(columns, places, masks, carry, low, high, state):  # type: ignore[no-untyped-def]
    advance_strip(columns, places, masks, carry, low, high, state)


def plain_rows(above: list[int], rows: list[int], columns: list[int]) -> list[list[int]]:
    """The matrix below a given row; its left edge is reached by deletions only."""
    matrix = [above]
    for row in rows:
        line = [matrix[-1][0] + 1]
        for j, column in enumerate(columns):
            line.append(min(matrix[-1][j] + (row != column), matrix[-1][j + 1] + 1, line[j] + 1))
        matrix.append(line)
    return matrix


@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 90))
def test_a_strip_equals_the_plain_matrix(seed: int, vocabulary: int, width: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [int(word) for word in rng.integers(1, vocabulary + 1, STRIP)]
    columns = [int(word) for word in rng.integers(0, vocabulary + 1, width)]
    steps = rng.integers(-1, 2, width)
    low = int(rng.integers(0, 4))
    carry = np.full(low + width + 2 * MARGIN, 9, np.uint8)
    carry[MARGIN + low : MARGIN + low + width] = np.where(steps > 0, 1, np.where(steps < 0, 2, 0))
    masks = np.zeros((vocabulary + 1) * LANES, np.uint64)
    for place, word in enumerate(rows):
        masks[word * LANES + place // 64] |= np.uint64(1 << place % 64)
    symbols = np.array([0] * low + columns, np.uint32)
    places = np.arange(vocabulary + 1, dtype=np.uint16) * np.uint16(LANES)
    state = np.zeros(2 * LANES, np.uint64)
    advance(symbols, places, masks, carry, low, low + width, state)
    matrix = plain_rows([0, *np.cumsum(steps).tolist()], rows, columns)
    codes = carry[MARGIN + low : MARGIN + low + width].astype(np.int64)
    assert ((codes & 1) - (codes >> 1)).tolist() == np.diff(matrix[-1]).tolist()
    for height in (1, 63, 64, 65, 200, STRIP):
        assert differences_below(state, height) == matrix[height][-1] - matrix[0][-1]
