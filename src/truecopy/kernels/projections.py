"""Letter counts in a tree of boxes: directions, coordinates, the order of rows, and the search for what is near.

For rows x and q with norms n and N, n = t · N, and with unit vectors x̂ = x / n and q̂ = q / N,

    |x − q|² = N² · ((1 − t)² + t · |x̂ − q̂|²),     |x̂ − q̂|² ≥ Σₖ (x̂·vₖ − q̂·vₖ)²   for orthonormal vₖ,

so a row can only be within R · N of q where the sum of squares is at most f(t) = (R² − (1 − t)²) / t. The coordinates
x̂·vₖ are kept as multiples of 2^-14. That rounding changes each by at most half a unit, a row by √M / 2 units in
length, and this is added to the length that is allowed: no bound ever drops a row that is near.

Rows are put in order by halving: each part is halved along the direction, or the logarithm of the norm, in which it
spreads the most. Leaves hold LEAF rows; every node knows the box around its rows.
The node over the leaves a to b is halved at (a + b) // 2, and that number is its place among the boxes (leaf a has the
place leaves + a), so children are found without storing anything.

Distances are sums of integers. They stay within 64 bits where both norms are below 2^31, and are otherwise left to
the caller, marked by FAR; so are pairs so near to the limit that 64-bit arithmetic cannot tell.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part

Array = Any
M = 16
"""Directions."""
LEAF = 32
"""Rows of a leaf."""
UNIT = 16384.0
"""Coordinates are multiples of 1 / UNIT; they are at most 1, and differences of two rows' at most √2 in length."""
ROUNDED = 0.5 * 4.0 + 0.01
"""How far rounding moves a row's coordinates, in units: √M / 2, and more than enough for errors of 64-bit sums."""
NORMS = 5e-7
"""How far the ratio of two norms of 32-bit precision may be off, in parts of it: 4 · 2^-24, and some more."""
SURE = 1e-9
"""How far squared norms and limits in 64-bit numbers may be off, with room to spare."""
SAFE = 2.0**31 - 1024
"""Norms below this have squared distances below 2^63: counts are not negative."""
FAR = -1
UNDECIDED = -2
ALL = np.int32(2**31 - 1)
STEP, STRIDE, CYCLE = 1103515245, 12345, 1 << 31
"""Pseudo-random numbers: x · STEP + STRIDE modulo CYCLE, whose upper bits are good."""
PICKS = CYCLE >> 8
DEPTH = 128
"""Nodes that can wait in a search: at most one a level and one more, and levels are fewer than 64."""


# --- directions and coordinates --------------------------------------------------------------------------


@kernel
def add_products(values: Array, step: int, sums: Array, products: Array) -> int:
    """Add the unit vectors of evenly spaced rows, and their products; returns how many rows that are.

    Rows without letters are left out.
    """
    width = values.shape[1]
    used = 0
    for row in range(0, len(values), step):
        total = 0.0
        for i in range(width):
            total += np.float64(values[row, i]) * np.float64(values[row, i])
        if total == 0.0:
            continue
        used += 1
        for i in range(width):
            one = np.float64(values[row, i])
            if one > 0.0:
                sums[i] += one / math.sqrt(total)
                share = one / total
                for j in range(width):
                    products[i, j] += share * np.float64(values[row, j])
    return used


@kernel
def turn(covariances: Array, vectors: Array, turned: Array) -> None:
    """Directions (rows) times a matrix of covariances, made orthonormal: the first stay nearest to what they were.

    A plain loop in a fixed order, so that all machines agree. A direction of which nothing is left becomes zero.
    """
    many, width = vectors.shape
    for k in range(many):
        before = 0.0
        for i in range(width):
            total = 0.0
            for j in range(width):
                total += covariances[i, j] * vectors[k, j]
            turned[k, i] = total
            before += total * total
        for time in range(2 * k):  # each of the others twice: enough to be orthogonal to the last bits
            other = time % k
            dot = 0.0
            for i in range(width):
                dot += turned[k, i] * turned[other, i]
            for i in range(width):
                turned[k, i] -= dot * turned[other, i]
        length = 0.0
        for i in range(width):
            length += turned[k, i] * turned[k, i]
        scale = 1.0 / math.sqrt(length) if length > 1e-18 * before and length > 1e-280 else 0.0
        for i in range(width):
            turned[k, i] *= scale


@kernel
def project(values: Array, vectors: Array, coordinates: Array, norms: Array, rest: Array) -> None:
    """Coordinates and norm of each row, and how far rounding moved its coordinates."""
    sums = np.empty(M)
    for row in range(len(values)):
        for k in range(M):
            sums[k] = 0.0
        total = 0.0
        for i in range(values.shape[1]):
            count = np.float64(values[row, i])
            if count > 0.0:
                total += count * count
                for k in range(M):
                    sums[k] += count * vectors[i, k]
        norms[row] = math.sqrt(total)
        scale = UNIT / norms[row] if total > 0.0 else 0.0
        off = 0.0
        for k in range(M):
            exact = sums[k] * scale
            coordinates[row, k] = np.int16(np.rint(exact))
            off += (exact - np.rint(exact)) ** 2
        rest[row] = math.sqrt(off)


# --- the order of rows -----------------------------------------------------------------------------------


@part
def logarithm(norm: float) -> float:
    """Of a norm, in units; all norms below one letter count alike."""
    return UNIT * math.log(max(np.float64(norm), 0.5))


@part
def widest(order: Array, coordinates: Array, norms: Array, first: int, last: int) -> int:
    """The direction along which some rows spread the most, M for the norm; judged by a sample of about a hundred."""
    step = max(1, (last - first) // 128)
    best, most = M, -1.0
    for k in range(M, -1, -1):
        total, squares, used = 0.0, 0.0, 0.0
        for i in range(first, last, step):
            row = order[i]
            value = logarithm(norms[row]) if k == M else np.float64(coordinates[row, k])
            total += value
            squares += value * value
            used += 1.0
        spread = squares / used - total / used * (total / used)
        if spread > most:
            best, most = k, spread
    return best


@part
def halve(order: Array, keys: Array, first: int, middle: int, last: int) -> None:
    """Rows with lesser keys before the middle, those with greater ones from it on (Hoare's selection)."""
    low, high = first, last - 1
    state = last
    while low < high:
        # Three pseudo-random places from a fixed seed, so that no order of rows is slow.
        state = (state * STEP + STRIDE) % CYCLE
        x = keys[low + (state >> 8) * (high - low + 1) // PICKS]
        state = (state * STEP + STRIDE) % CYCLE
        y = keys[low + (state >> 8) * (high - low + 1) // PICKS]
        state = (state * STEP + STRIDE) % CYCLE
        z = keys[low + (state >> 8) * (high - low + 1) // PICKS]
        pivot = max(min(x, y), min(max(x, y), z))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            break


@kernel
def arrange(coordinates: Array, norms: Array, order: Array) -> None:
    """Put `order`, which names every row once, into the order of the tree."""
    rows = len(order)
    keys = np.empty(rows, np.float32)
    begins, ends = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    begins[0], ends[0] = 0, (rows + LEAF - 1) // LEAF
    waiting = 1
    while waiting:
        waiting -= 1
        a, b = begins[waiting], ends[waiting]
        if b - a < 2:
            continue
        middle = (a + b) // 2
        first, last = a * LEAF, min(b * LEAF, rows)
        along = widest(order, coordinates, norms, first, last)
        for i in range(first, last):
            keys[i] = norms[order[i]] if along == M else np.float32(coordinates[order[i], along])
        halve(order, keys, first, middle * LEAF, last)
        begins[waiting], ends[waiting] = a, middle
        begins[waiting + 1], ends[waiting + 1] = middle, b
        waiting += 2


@kernel
def enclose(coordinates: Array, norms: Array, boxes: Array, spans: Array) -> None:
    """The box of every node, and the least and greatest norm in it; rows are in the order of the tree.

    Boxes and spans come empty: the least is greater than the greatest.
    """
    rows = len(norms)
    leaves = (rows + LEAF - 1) // LEAF
    for row in range(rows):
        node = leaves + row // LEAF
        spans[node, 0], spans[node, 1] = min(spans[node, 0], norms[row]), max(spans[node, 1], norms[row])
        for k in range(M):
            boxes[node, 0, k] = min(boxes[node, 0, k], coordinates[row, k])
            boxes[node, 1, k] = max(boxes[node, 1, k], coordinates[row, k])
    begins, ends = np.empty(leaves + 1, np.int64), np.empty(leaves + 1, np.int64)
    begins[0], ends[0] = 0, leaves
    made = 1 if leaves > 1 else 0
    for at in range(leaves):  # every node over two leaves or more, parents first
        if at >= made:
            break
        middle = (begins[at] + ends[at]) // 2
        for half in range(2):
            a = middle if half else begins[at]
            b = ends[at] if half else middle
            if b - a > 1:
                begins[made], ends[made] = a, b
                made += 1
    for at in range(made - 1, -1, -1):
        a, b = begins[at], ends[at]
        node = (a + b) // 2
        for half in range(2):
            c = node if half else a
            d = b if half else node
            child = (c + d) // 2 if d - c > 1 else leaves + c
            spans[node, 0] = min(spans[node, 0], spans[child, 0])
            spans[node, 1] = max(spans[node, 1], spans[child, 1])
            for k in range(M):
                boxes[node, 0, k] = min(boxes[node, 0, k], boxes[child, 0, k])
                boxes[node, 1, k] = max(boxes[node, 1, k], boxes[child, 1, k])


# --- bounds ----------------------------------------------------------------------------------------------


@part
def allowed(t: float, square: float, pairing: bool) -> float:
    """f(t), the greatest |x̂ − q̂|² of a row that is near enough and has t times the query's norm; `square` is R²."""
    if t <= 0.0:
        return 4.0 if square >= 1.0 - SURE else -1.0
    limit = square * t * t if pairing and t > 1.0 else square
    return (limit - (1.0 - t) * (1.0 - t)) / t


@part
def reach(low: float, high: float, square: float, pairing: bool, slack: float) -> np.int32:
    """The greatest sum of squared differences of coordinates, in units, of rows of norms low to high times the query's.

    -1 where no row of such a norm is near enough. f rises and falls, with one maximum at √(1 − R²), for pairs of
    t > 1 at 1 / √(1 − R²); where that is outside the range, f is greatest at an end of the range, or at 1.
    """
    best = max(allowed(low, square, pairing), allowed(high, square, pairing))
    if low < 1.0 < high:
        best = max(best, allowed(1.0, square, pairing))
    if square < 1.0:
        top = math.sqrt(1.0 - square)
        if low < top < high:
            best = max(best, allowed(top, square, pairing))
        if pairing and low < 1.0 / top < high:
            best = max(best, allowed(1.0 / top, square, pairing))
    best = best * (1.0 + SURE) + 1e-12
    if best < 0.0:
        return np.int32(-1)
    if best >= 3.9:
        return ALL
    length = UNIT * math.sqrt(best) + slack
    return np.int32(length * length) + np.int32(1)


@part
def apart(coordinates: Array, row: int, asked: Array, query: int) -> np.int32:
    """The sum of squared differences of two rows' coordinates."""
    total = np.int32(0)
    for k in range(M):
        difference = np.int32(np.int32(coordinates[row, k]) - np.int32(asked[query, k]))
        total = np.int32(total + np.int32(difference * difference))
    return total


@part
def outside(boxes: Array, node: int, asked: Array, query: int) -> np.int32:
    """The squared distance of coordinates from a box."""
    total = np.int32(0)
    for k in range(M):
        value = np.int32(asked[query, k])
        below, above = np.int32(boxes[node, 0, k] - value), np.int32(value - boxes[node, 1, k])
        gap = np.int32(max(max(below, above), np.int32(0)))
        total = np.int32(total + np.int32(gap * gap))
    return total


@part
def between(boxes: Array, node: int, other: int) -> np.int32:
    """The squared distance between two boxes."""
    total = np.int32(0)
    for k in range(M):
        below = np.int32(np.int32(boxes[node, 0, k]) - np.int32(boxes[other, 1, k]))
        above = np.int32(np.int32(boxes[other, 0, k]) - np.int32(boxes[node, 1, k]))
        gap = np.int32(max(max(below, above), np.int32(0)))
        total = np.int32(total + np.int32(gap * gap))
    return total


@part
def squared_distance(
    values: Array, row: int, queries: Array, query: int, most: int, square: float, pairing: bool, safe: bool
) -> int:
    """The squared distance where it is near enough, FAR where it is not, UNDECIDED where the caller must decide.

    Pairs are near where it is at most R² times the greater squared norm; a query's limit is `most`, a whole number.
    """
    if not safe:
        return UNDECIDED
    width = values.shape[1]
    total: Any = np.int64(0)
    if not pairing:
        i = 0
        while i < width:  # stops early
            stop = min(i + 16, width)
            while i < stop:
                difference = np.int64(values[row, i]) - np.int64(queries[query, i])
                total += difference * difference
                i += 1
            if total > most:
                return FAR
        return total
    one: Any = np.int64(0)
    other: Any = np.int64(0)
    for i in range(width):
        count, asked = np.int64(values[row, i]), np.int64(queries[query, i])
        total += (count - asked) * (count - asked)
        one += count * count
        other += asked * asked
    if total == 0:
        return total
    limit = square * np.float64(max(one, other))
    if np.float64(total) > limit * (1.0 + SURE):
        return FAR
    return total if np.float64(total) < limit * (1.0 - SURE) else UNDECIDED


@part
def by_norms(
    low: float, high: float, least: float, greatest: float, square: float, pairing: bool, slack: float
) -> np.int32:
    """`reach` for rows of norms low to high and queries of norms least to greatest."""
    if greatest == 0.0:  # only an empty text is near an empty one; among pairs also what R · its own norm reaches
        return ALL if low == 0.0 or (pairing and square >= 1.0 - SURE) else np.int32(-1)
    if least == 0.0:
        return ALL
    return reach(low / greatest * (1.0 - NORMS), high / least * (1.0 + NORMS), square, pairing, slack)


@part
def least_ratio(square: float) -> float:
    """Rows that are near enough have at least this many times the query's norm."""
    return max(0.0, (1.0 - math.sqrt(square)) * (1.0 - NORMS) - NORMS)


@part
def greatest_ratio(square: float, pairing: bool) -> float:
    """Rows that are near enough have at most this many times the query's norm; for pairs |x| − |q| ≤ R |x|."""
    if not pairing:
        return (1.0 + math.sqrt(square)) * (1.0 + NORMS)
    return (1.0 + NORMS) / (1.0 - math.sqrt(square)) * (1.0 + SURE) if square < 0.99 else np.inf


@part
def reach_at_most(square: float, pairing: bool, slack: float) -> np.int32:
    """`reach` for rows of whatever norm: f at its maximum."""
    if square >= 1.0:
        return ALL
    top = math.sqrt(1.0 - square)
    return reach(top, top, square, pairing, slack)


# --- searches --------------------------------------------------------------------------------------------


@kernel
def find_near(
    values: Array,
    order: Array,
    coordinates: Array,
    norms: Array,
    boxes: Array,
    spans: Array,
    queries: Array,
    asked: Array,
    lengths: Array,
    rest: Array,
    most: Array,
    square: float,
    pairing: bool,
    state: Array,
    begins: Array,
    ends: Array,
    who: Array,
    places: Array,
    measures: Array,
) -> tuple[int, int]:
    """Rows near each query, as far as there is room: how many, and how many were looked at.

    `state` holds the next query and how many nodes wait for it, -1 where it has not begun; `begins` and `ends` hold the
    nodes. Called again with all of these, it goes on; it is done when no query is left.
    """
    rows, leaves = len(order), len(boxes) // 2
    found, examined = 0, 0
    for query in range(state[0], len(queries)):
        own = np.float64(lengths[query])
        slack = ROUNDED + rest[query]
        # These three tests cost little and rule out most nodes.
        shortest = own * least_ratio(square)
        longest = own * greatest_ratio(square, pairing) if own > 0.0 else np.inf
        widest_reach = reach_at_most(square, pairing, slack) if own > 0.0 else ALL
        waiting = state[1]
        if waiting < 0:
            begins[0], ends[0] = 0, leaves
            waiting = 1
        while waiting:
            if found + LEAF > len(places):
                state[0], state[1] = query, waiting
                return found, examined
            waiting -= 1
            a, b = begins[waiting], ends[waiting]
            node = (a + b) // 2 if b - a > 1 else leaves + a
            low, high = np.float64(spans[node, 0]), np.float64(spans[node, 1])
            if high < shortest or low > longest:
                continue
            away = outside(boxes, node, asked, query)
            if away > widest_reach:
                continue
            far = by_norms(low, high, own, own, square, pairing, slack)
            if away > far:
                continue
            if b - a > 1:
                begins[waiting], ends[waiting] = node, b
                begins[waiting + 1], ends[waiting + 1] = a, node
                waiting += 2
                continue
            last = min(rows, (a + 1) * LEAF)
            examined += last - a * LEAF
            for row in range(a * LEAF, last):
                away = apart(coordinates, row, asked, query)
                if away > far:
                    continue
                norm = np.float64(norms[row])
                if away > by_norms(norm, norm, own, own, square, pairing, slack):
                    continue
                safe = norm < SAFE and own < SAFE
                value = squared_distance(values, order[row], queries, query, most[query], square, pairing, safe)
                if value != FAR:
                    who[found], places[found], measures[found] = query, order[row], value
                    found += 1
        state[1] = -1
    state[0] = len(queries)
    return found, examined


@kernel
def find_pairs(
    values: Array,
    order: Array,
    coordinates: Array,
    norms: Array,
    boxes: Array,
    spans: Array,
    square: float,
    first: int,
    last: int,
    ones: Array,
    others: Array,
    measures: Array,
) -> tuple[int, int, int, int]:
    """Pairs of a row at a place of the tree's order, from first to last, and a later one, as far as there is room.

    Returns the first place not answered, the pairs, how many pairs that place has, and the rows looked at. The leaves
    near a leaf's box are found once, and each row of the leaf is compared with their rows.
    """
    rows, leaves = len(order), len(boxes) // 2
    begins, ends = np.empty(DEPTH, np.int64), np.empty(DEPTH, np.int64)
    near = np.empty(leaves, np.int32)
    slack = 2.0 * ROUNDED
    found, many, examined, mine = 0, 0, 0, -1
    ratio, inverse = least_ratio(square), greatest_ratio(square, True)
    widest_reach = reach_at_most(square, True, slack)
    for row in range(first, last):
        if row // LEAF != mine:
            mine, many = row // LEAF, 0
            home = leaves + mine
            least, greatest = np.float64(spans[home, 0]), np.float64(spans[home, 1])
            begins[0], ends[0] = 0, leaves
            waiting = 1
            while waiting:
                waiting -= 1
                a, b = begins[waiting], ends[waiting]
                if b <= mine:  # the earlier rows have found their pairs with this one
                    continue
                node = (a + b) // 2 if b - a > 1 else leaves + a
                low, high = np.float64(spans[node, 0]), np.float64(spans[node, 1])
                if high < least * ratio or (greatest > 0.0 and low > greatest * inverse):
                    continue
                away = between(boxes, node, home)
                if least > 0.0 and away > widest_reach:
                    continue
                if away > by_norms(low, high, least, greatest, square, True, slack):
                    continue
                if b - a > 1:
                    begins[waiting], ends[waiting] = node, b
                    begins[waiting + 1], ends[waiting + 1] = a, node
                    waiting += 2
                else:
                    near[many] = a
                    many += 1
        own = np.float64(norms[row])
        hits, seen = 0, 0
        for at in range(many):
            node = leaves + near[at]
            low, high = np.float64(spans[node, 0]), np.float64(spans[node, 1])
            if high < own * ratio or (own > 0.0 and low > own * inverse):
                continue
            away = outside(boxes, node, coordinates, row)
            if own > 0.0 and away > widest_reach:
                continue
            far = by_norms(low, high, own, own, square, True, slack)
            if away > far:
                continue
            start, stop = max(row + 1, near[at] * LEAF), min(rows, (near[at] + 1) * LEAF)
            seen += stop - start
            for other in range(start, stop):
                away = apart(coordinates, other, coordinates, row)
                if away > far:
                    continue
                norm = np.float64(norms[other])
                if away > by_norms(norm, norm, own, own, square, True, slack):
                    continue
                safe = norm < SAFE and own < SAFE
                value = squared_distance(values, order[other], values, order[row], -1, square, True, safe)
                if value != FAR:
                    if found + hits < len(ones):
                        ones[found + hits] = order[row]
                        others[found + hits] = order[other]
                        measures[found + hits] = value
                    hits += 1
        if found + hits > len(ones):
            return row, found, hits, examined
        found += hits
        examined += seen
    return last, found, 0, examined
