"""Bits within a distance: tables of sorted keys over parts of the rows, and the search that reads as few as it can.

Multi-index hashing (Norouzi, Punjani, Fleet 2012) with the general pigeonhole principle (Qin et al. 2018). A row is
cut into as many chunks as there are tables. If two rows differ in at most r bits, and chunk t is allotted a[t] bits
(-1: it is skipped) so that the sum of a[t] + 1 is r + 1, then some chunk differs in at most a[t]: otherwise every
chunk would differ in at least a[t] + 1, and the rows in r + 1. So any such allotment misses nothing, and each query
takes the one that its own cells make cheapest: a chunk that very many rows share is skipped, and a rare one takes on
its bits.

Table t holds for each row the 64 bits that begin with chunk t (rows of up to 64 bits are rotated, so that the key is
the whole row), sorted, each beside its row. `starts` says where the keys of each cell begin; a cell is the first
`depth` bits of the chunk. A large cell is a sorted list and so a trie, which the search descends by bisection: the bits
that its keys share with each other and not with the query may be enough to skip all of them.

Costs are whole picoseconds, measured once; a decision depends on sizes only, never on a clock.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import config, types
from numba.extending import intrinsic

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.machine import trailing_zeros

Array = Any

DIGIT = 8
"""Bits that one pass of the sort covers."""
LEAF = 256
"""Up to this many keys are looked at one by one and not divided further."""
STACK = 128
CELL, CELL_IN_CACHE, IN_CACHE = 400_000, 60_000, 2_000_000
"""What it costs to visit a cell; less where a table is small enough to stay in the processor's cache."""
KEY, NODE, PEEK = 500, 20_000, 2_500
"""What it costs to look at a key of a cell, to divide a large one, and to ask how large one is."""
ROW, WORD = 700, 500
"""What it costs to look at a row in a scan of all, and for each further word of it."""
NEAR = 10_000
"""What it costs to look up the row of a key that is near, where the key is not the whole row."""
AUTO, TABLES, SCAN = 0, 1, 2
"""Which way a search goes: the cheaper one, or the one that a test asks for."""
FAR = np.int64(1) << np.int64(60)

if config.DISABLE_JIT:  # type: ignore[attr-defined]

    def ones(bits: np.uint64) -> int:
        """How many bits are set."""
        return int(bits).bit_count()

    def leading_zeros(bits: np.uint64) -> int:
        """Zeros before the highest bit that is set."""
        return 64 - int(bits).bit_length()

else:

    @intrinsic
    def ones(_typing: Any, _bits: Any) -> Any:
        """How many bits are set, in one instruction."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.int64(types.uint64), generate

    @intrinsic
    def leading_zeros(_typing: Any, _bits: Any) -> Any:
        """Zeros before the highest bit that is set; 64 where there is none."""

        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.ctlz(arguments[0], ir.IntType(1)(0))

        return types.int64(types.uint64), generate


@part
def _key(words: Array, row: int, start: int, bits: int) -> np.uint64:
    """The bits of a row from `start` on, up to 64; a row of no more than 64 bits is rotated."""
    place, shift = start >> 6, np.uint64(start & 63)
    key = words[row, place] << shift
    if shift == np.uint64(0):
        return key
    if bits <= 64:
        mask = ~np.uint64(0) << np.uint64(64 - bits)
        return (key | (words[row, 0] >> (np.uint64(bits) - shift))) & mask
    if place + 1 < words.shape[1]:
        key |= words[row, place + 1] >> (np.uint64(64) - shift)
    return key


@part
def _first(bits: np.uint64, many: int) -> np.uint64:
    """The first bits of a key, 0 to 64 of them."""
    return bits >> np.uint64(64 - many) if many else np.uint64(0)


@rare_part
def _sorted_pass(shift: np.uint64, keys: Array, ids: Array, to_keys: Array, to_ids: Array, counts: Array) -> bool:
    """Sort keys by one digit, stably; False where all have the same."""
    mask = np.uint64((1 << DIGIT) - 1)
    counts[:] = 0
    for i in range(len(keys)):
        counts[(keys[i] >> shift) & mask] += 1
    total = 0
    for digit in range(len(counts)):
        count = counts[digit]
        if count == len(keys):
            return False
        counts[digit] = total
        total += count
    for i in range(len(keys)):
        digit_of = (keys[i] >> shift) & mask
        at = counts[digit_of]
        counts[digit_of] = at + 1
        to_keys[at] = keys[i]
        to_ids[at] = ids[i]
    return True


@kernel
def make_table(words: Array, bits: int, start: int, keys: Array, ids: Array, starts: Array) -> None:
    """One table: every row's key from `start` on, sorted, with the row it belongs to, and where each cell begins."""
    many = len(words)
    spare_keys, spare_ids = np.empty(many, np.uint64), np.empty(many, np.uint32)
    counts = np.empty(1 << DIGIT, np.int64)
    for row in range(many):
        keys[row] = _key(words, row, start, bits)
        ids[row] = row
    there = True
    for digit in range(64 // DIGIT):
        shift = np.uint64(digit * DIGIT)
        if there:
            there = not _sorted_pass(shift, keys, ids, spare_keys, spare_ids, counts)
        else:
            there = _sorted_pass(shift, spare_keys, spare_ids, keys, ids, counts)
    if not there:
        keys[:] = spare_keys
        ids[:] = spare_ids
    _cells(keys, starts)


@rare_part
def _cells(keys: Array, starts: Array) -> None:
    """Where the keys of each cell begin."""
    depth = trailing_zeros(np.uint64(len(starts) - 1))
    at = 0
    for cell in range(len(starts)):
        while at < len(keys) and np.int64(_first(keys[at], depth)) < cell:
            at += 1
        starts[cell] = at


@kernel
def thin_table(keys: Array, ids: Array, ranks: Array, to_keys: Array, to_ids: Array, starts: Array) -> None:
    """A table of some of the rows: those with a rank, under their ranks."""
    at = 0
    for i in range(len(keys)):
        rank = ranks[ids[i]]
        if rank >= 0:
            to_keys[at] = keys[i]
            to_ids[at] = rank
            at += 1
    _cells(to_keys, starts)


@part
def _next(mask: int) -> int:
    """The next greater number with as many bits set."""
    up = mask + (mask & -mask)
    return (((up ^ mask) >> 2) >> trailing_zeros(np.uint64(mask))) | up


@part
def _keys_cost(size: int, budget: int) -> int:
    """What it costs to look through a cell: all of a small one, the leaves within reach of a large one."""
    if size <= LEAF:
        return size * KEY
    level = 0
    while (LEAF << level) < size:
        level += 1
    leaves, ways = 1, 1
    for flips in range(1, min(budget, level) + 1):
        ways = ways * (level - flips + 1) // flips
        leaves += ways
    return min(size * KEY, leaves * (LEAF * KEY // 2 + level * NODE))


@rare_part
def _level_cost(starts: Array, table: int, key: np.uint64, depth: int, flips: int, most: int) -> int:
    """What it costs to visit the cells that differ from a key's own in a number of bits."""
    total, cell = 0, np.int64(_first(key, depth))
    cell_cost = CELL_IN_CACHE if starts[0, len(starts[0]) - 1] < IN_CACHE else CELL
    mask, last = (1 << flips) - 1, 1 << depth
    while mask < last:
        at = cell ^ mask
        size = np.int64(starts[table, at + 1]) - np.int64(starts[table, at])
        total += PEEK
        if size:
            total += cell_cost + _keys_cost(size, most - flips)
        if mask == 0:
            break
        mask = _next(mask)
    return total


@rare_part
def _cheapest(costs: Array, levels: Array, need: int, best: Array, taken: Array) -> int:
    """The cheapest choice of levels that add up to `need`; best[t, n] is that of n by the first t tables."""
    tables = len(levels)
    best[0, :] = FAR
    best[0, 0] = 0
    for table in range(tables):
        for sum_ in range(need + 1):
            best[table + 1, sum_] = FAR
            for level in range(min(levels[table], sum_) + 1):
                cost = best[table, sum_ - level] + costs[table, level]
                if cost < best[table + 1, sum_]:
                    best[table + 1, sum_] = cost
                    taken[table + 1, sum_] = level
    return best[tables, need]


@part
def _plan(
    starts: Array, own: Array, most: int, cap: int, costs: Array, levels: Array, best: Array, taken: Array
) -> int:
    """How many bits each table is allotted, plus one, into `levels`; what that costs, `FAR` if more than `cap`."""
    tables, need, depth = len(levels), most + 1, trailing_zeros(np.uint64(starts.shape[1] - 1))
    levels[:] = 0
    spent, ways, cheapest = 0, np.int64(1), FAR
    # Some table must take at least its even share; so all are asked up to there.
    for level in range(1, (need + tables - 1) // tables + 1):
        if level > depth + 1:
            return FAR
        spent += ways * tables * PEEK
        if 2 * spent > cap:
            return FAR
        for table in range(tables):
            cost = _level_cost(starts, table, own[table], depth, level - 1, most)
            costs[table, level] = costs[table, level - 1] + cost
            levels[table] = level
        ways = ways * (depth - level + 1) // level
    cheapest = _cheapest(costs, levels, need, best, taken)
    # A table may take on more, where asking costs little compared with what could be saved.
    level = levels[0]
    while level <= min(depth, most) and 16 * ways * PEEK < cheapest:
        for table in range(tables):
            cost = _level_cost(starts, table, own[table], depth, level, most)
            costs[table, level + 1] = costs[table, level] + cost
            levels[table] = level + 1
        cheapest = min(cheapest, _cheapest(costs, levels, need, best, taken))
        level += 1
        ways = ways * (depth - level + 1) // level
    for table in range(tables - 1, -1, -1):
        level = taken[table + 1, need]
        levels[table] = level
        need -= level
    return cheapest if cheapest < cap else FAR


# What travels together below:
#   block   words, keys, ids, starts
#   asked   queries, which of them, the most bits that may differ, the row after which hits are wanted
#   plan    a level for each table (bits allotted, plus one), bits of a chunk


@part
def _distance(words: Array, row: int, queries: Array, query: int, most: int) -> int:
    """Bits in which a row differs from a query; more than `most` as soon as that is certain."""
    total = 0
    for word in range(words.shape[1]):
        total += ones(words[row, word] ^ queries[query, word])
        if total > most:
            break
    return total


@part
def _put(out: Array, found: int, query: int, row: int, distance: int) -> int:
    """Store a hit, where there is room; returns how many there are now."""
    if found < out.shape[1]:
        out[0, found] = query
        out[1, found] = row
        out[2, found] = distance
    return found + 1


@part
def _met_before(block: Any, asked: Any, plan: Any, row: int, table: int) -> bool:
    """Whether an earlier table has given this row already."""
    words, queries, query, (levels, chunk) = block[0], asked[0], asked[1], plan
    for earlier in range(table):
        start = earlier * chunk
        differing = (words[row, start >> 6] ^ queries[query, start >> 6]) << np.uint64(start & 63)
        if ones(_first(differing, chunk)) < levels[earlier]:
            return True
    return False


@part
def _met_in_key(differing: np.uint64, levels: Array, table: int, chunk: int) -> bool:
    """The same where the key is the whole row: the chunk before the first is the last."""
    bits = len(levels) * chunk
    for back in range(1, table + 1):
        chunk_at = differing << np.uint64(bits - back * chunk)
        if ones(_first(chunk_at, chunk)) < levels[table - back]:
            return True
    return False


@part
def _look_at(
    block: Any, asked: Any, plan: Any, table: int, key: np.uint64, low: int, high: int, found: int, out: Array
) -> tuple[int, int]:
    """Take the keys that are near enough: (how many there are now, what that cost)."""
    words, keys, ids, _ = block
    queries, query, most, above = asked
    levels, chunk = plan
    whole = words.shape[1] == 1
    compared = ~np.uint64(0) if whole else ~np.uint64(0) << np.uint64(64 - chunk)
    allowed = most if whole else min(most, levels[table] - 1)
    near = np.int64(0)
    for i in range(low, high):  # only counting compares several keys in one step, and mostly none is near
        near += np.int64(ones((keys[table, i] ^ key) & compared) <= allowed)
    cost = (high - low) * KEY
    if near == 0:
        return found, cost
    if not whole:
        cost += near * (NEAR + WORD * (words.shape[1] - 1))
    for i in range(low, high):
        differing = keys[table, i] ^ key
        distance = ones(differing)
        if distance > most or ones(_first(differing, chunk)) >= levels[table]:
            continue
        row = np.int64(ids[table, i])
        if row <= above:
            continue
        if whole:
            if not _met_in_key(differing, levels, table, chunk):
                found = _put(out, found, query, row, distance)
        else:
            distance = _distance(words, row, queries, query, most)
            if distance <= most and not _met_before(block, asked, plan, row, table):
                found = _put(out, found, query, row, distance)
    return found, cost


@part
def _divide(keys: Array, table: int, low: int, high: int, bit: int) -> int:
    """The place of the first key that has a bit, of keys that are equal before it; never at an end."""
    left, right = low + 1, high - 1
    shift = np.uint64(63 - bit)
    while left < right:
        middle = (left + right) >> 1
        if (keys[table, middle] >> shift) & np.uint64(1):
            right = middle
        else:
            left = middle + 1
    return left


@part
def _visit(
    block: Any,
    asked: Any,
    plan: Any,
    table: int,
    key: np.uint64,
    low: int,
    high: int,
    found: int,
    out: Array,
    stack: Array,
) -> tuple[int, int, int]:
    """Look through a cell: (found so far, keys looked at, what that cost)."""
    keys, most, (levels, chunk) = block[1], asked[2], plan
    examined, waiting, spent = 0, 1, 0
    stack[0, 0], stack[0, 1] = low, high
    while waiting:
        waiting -= 1
        low, high = stack[waiting, 0], stack[waiting, 1]
        if high - low > LEAF:
            shared = leading_zeros(keys[table, low] ^ keys[table, high - 1])
            differing = keys[table, low] ^ key
            if ones(_first(differing, shared)) > most or ones(_first(differing, min(shared, chunk))) >= levels[table]:
                examined += 1
                continue
            # Each division is by a later bit, so the stack is large enough.
            if shared < 64:
                middle = _divide(keys, table, low, high, shared)
                stack[waiting, 0], stack[waiting, 1] = low, middle
                stack[waiting + 1, 0], stack[waiting + 1, 1] = middle, high
                waiting += 2
                continue
        examined += high - low
        found, cost = _look_at(block, asked, plan, table, key, low, high, found, out)
        spent += cost
    return found, examined, spent


@part
def _read_tables(block: Any, asked: Any, plan: Any, own: Array, found: int, out: Array, stack: Array, cap: int) -> Any:
    """Visit the cells that a plan names: (found so far, keys looked at); -1 where that turns out to cost over `cap`.

    A plan knows how large cells are, not how near their rows are: in a family of thousands nearly every key is near.
    """
    starts, (levels, _) = block[3], plan
    cells = starts.shape[1] - 1
    depth = trailing_zeros(np.uint64(cells))
    examined, spent = 0, 0
    for table in range(len(levels)):
        at = np.int64(_first(own[table], depth))
        for flips in range(levels[table]):
            mask = (1 << flips) - 1
            while mask < cells:
                low, high = np.int64(starts[table, at ^ mask]), np.int64(starts[table, (at ^ mask) + 1])
                if low < high:
                    found, looked, cost = _visit(block, asked, plan, table, own[table], low, high, found, out, stack)
                    examined += looked
                    spent += cost
                    if spent > cap:
                        return -1, examined
                if mask == 0:
                    break
                mask = _next(mask)
    return found, examined


@part
def _scan(words: Array, flat: Array, asked: Any, found: int, out: Array) -> int:
    """Look at every row, or at every word where a row is one word; returns how many are found so far."""
    queries, query, most, above = asked
    for begin in range(above + 1, len(words), LEAF):
        end = min(begin + LEAF, len(words))
        near = np.int64(words.shape[1] > 1)
        if near == 0:
            for row in range(begin, end):
                near += np.int64(ones(flat[row] ^ queries[query, 0]) <= most)
        if near:
            for row in range(begin, end):
                distance = _distance(words, row, queries, query, most)
                if distance <= most:
                    found = _put(out, found, query, row, distance)
    return found


@kernel
def find_near(
    words: Array,
    bits: int,
    keys: Array,
    ids: Array,
    starts: Array,
    queries: Array,
    most: int,
    first: int,
    begin: int,
    way: int,
    out: Array,
) -> tuple[int, int, int, int]:
    """For each query from `begin` on, the rows that differ in at most `most` bits: (query, row, bits) in columns.

    With `first` not negative, query i is row first + i itself, and only later rows are wanted.
    Returns (query reached, found, rows looked at, room wanted): it stops before a query whose rows do not fit.
    """
    tables = len(keys)
    depth, chunk = trailing_zeros(np.uint64(starts.shape[1] - 1)), bits // tables
    costs = np.zeros((tables, depth + 2), np.int64)
    levels, own = np.empty(tables, np.int64), np.empty(tables, np.uint64)
    best, taken = np.empty((tables + 1, most + 2), np.int64), np.zeros((tables + 1, most + 2), np.int64)
    stack = np.empty((STACK, 2), np.int64)
    flat = words.reshape(words.size)
    block, plan = (words, keys, ids, starts), (levels, chunk)
    found, examined = 0, 0
    for query in range(begin, len(queries)):
        above = first + query if first >= 0 else -1
        asked = (queries, query, most, above)
        for table in range(tables):
            own[table] = _key(queries, query, table * chunk, bits)
        scan = (len(words) - above - 1) * (ROW + WORD * (words.shape[1] - 1))
        cap = scan if way == AUTO else FAR if way == TABLES else 0
        now, looked = -1, 0
        if cap > 0 and _plan(starts, own, most, cap, costs, levels, best, taken) < FAR:
            now, looked = _read_tables(block, asked, plan, own, found, out, stack, cap)
        if now < 0:
            now = _scan(words, flat, asked, found, out)
            looked += len(words) - above - 1
        if now > out.shape[1]:
            return query, found, examined, now - found
        found = now
        examined += looked
    return len(queries), found, examined, 0


@kernel
def expand(first: Array, second: Array, distances: Array, begins: Array, members: Array, out: Array) -> None:
    """Pairs of groups as pairs of their members, lower place first; and the pairs within each group.

    The members of group g are at begins[g] up to begins[g + 1], in order. `out` has exactly the room that is needed.
    """
    at = 0
    for pair in range(len(first)):
        x, y = first[pair], second[pair]
        for i in range(begins[x], begins[x + 1]):
            for j in range(begins[y], begins[y + 1]):
                out[0, at] = min(members[i], members[j])
                out[1, at] = max(members[i], members[j])
                out[2, at] = distances[pair]
                at += 1
    for group in range(len(begins) - 1):
        for i in range(begins[group], begins[group + 1]):
            for j in range(i + 1, begins[group + 1]):
                out[0, at] = members[i]
                out[1, at] = members[j]
                out[2, at] = 0
                at += 1
