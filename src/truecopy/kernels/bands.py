"""Bands of sketches: rows in order of a run of their slots, and the pairs that agree in all slots of one.

A stored band keeps its rows in the order of the slots from its first one on. The rows that agree with a query in the
first slot are then neighbors, and so are those that agree in the first two, and so on (Bawa, Condie and Ganesan: LSH
Forest, 2005): one order serves every number of rows. All pairs are found without it, by sorting a hash of each band.

Two rows that meet in several bands are looked at in the first of them only. The slots themselves tell which that is, so
nothing is remembered and memory is that of the output. Rows that meet are compared slot by slot.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.mix import mix

Array = Any
_FEW = 12
"""Up to this many rows are not worth dividing further."""
_NEAR = 8
"""Most near rows have met in one of the first bands: these are asked before slots are counted, the others after."""
_STEP = 64
"""Count this many slots before asking whether enough can still follow."""


@part
def _radix(keys: Array, order: Array, spare_keys: Array, spare_order: Array, counts: Array) -> None:
    """Sort keys and what belongs to each, stably, in four passes of eight bits."""
    for turn in range(4):
        shift = np.uint32(8 * turn)
        counts[:] = 0
        for i in range(len(keys)):
            counts[((keys[i] >> shift) & np.uint32(255)) + np.uint32(1)] += 1
        for digit in range(256):
            counts[digit + 1] += counts[digit]
        for i in range(len(keys)):
            digit = (keys[i] >> shift) & np.uint32(255)
            spare_keys[counts[digit]] = keys[i]
            spare_order[counts[digit]] = order[i]
            counts[digit] += 1
        for i in range(len(keys)):
            keys[i] = spare_keys[i]
            order[i] = spare_order[i]


@rare_part
def _insert(values: Array, order: Array, begin: int, end: int, slot: int, last: int) -> None:
    """Sort a few rows by their slots from one on."""
    for i in range(begin + 1, end):
        row = order[i]
        j = i
        while j > begin:
            other = order[j - 1]
            at = slot
            while at < last - 1 and values[row, at] == values[other, at]:
                at += 1
            if values[row, at] >= values[other, at]:
                break
            order[j] = other
            j -= 1
        order[j] = row


@rare_part
def _divide(values: Array, order: Array, begin: int, end: int, slot: int) -> tuple[int, int]:
    """Put rows below, equal to and above a middle value of a slot apart; where the equal ones begin and end."""
    x, y, z = values[order[begin], slot], values[order[(begin + end) // 2], slot], values[order[end - 1], slot]
    pivot = max(min(x, y), min(max(x, y), z))
    low, at, high = begin, begin, end
    while at < high:
        row = order[at]
        value = values[row, slot]
        if value < pivot:
            order[at] = order[low]
            order[low] = row
            low += 1
            at += 1
        elif value > pivot:
            high -= 1
            order[at] = order[high]
            order[high] = row
        else:
            at += 1
    return low, high


@rare_part
def _sort_slots(values: Array, order: Array, begin: int, end: int, slot: int, last: int, stack: Array) -> None:
    """Multikey quicksort (Bentley and Sedgewick 1997): equal rows cost one look at each slot.

    The greatest part waits at the bottom, so that the stack holds no more than two for each halving.
    """
    top = 1
    stack[0, 0], stack[0, 1], stack[0, 2] = begin, end, slot
    while top:
        top -= 1
        begin, end, slot = stack[top, 0], stack[top, 1], stack[top, 2]
        if slot >= last or end - begin < 2:
            continue
        if end - begin <= _FEW:
            _insert(values, order, begin, end, slot, last)
            continue
        low, high = _divide(values, order, begin, end, slot)
        stack[top, 0], stack[top, 1], stack[top, 2] = begin, low, slot
        stack[top + 1, 0], stack[top + 1, 1], stack[top + 1, 2] = low, high, slot + 1
        stack[top + 2, 0], stack[top + 2, 1], stack[top + 2, 2] = high, end, slot
        for last_of in (top, top + 1, top):  # three exchanges put the smallest on top
            size, above = stack[last_of, 1] - stack[last_of, 0], stack[last_of + 1, 1] - stack[last_of + 1, 0]
            if size < above:
                for i in range(3):
                    kept = stack[last_of, i]
                    stack[last_of, i] = stack[last_of + 1, i]
                    stack[last_of + 1, i] = kept
        top += 3


@kernel
def order_band(values: Array, places: Array, first: int, last: int, keys: Array, order: Array) -> None:
    """Some rows in the order of their slots from `first` to `last`; `keys` are those of the first."""
    counts = np.empty(257, np.int64)
    stack = np.empty((256, 3), np.int64)
    for i in range(len(places)):
        keys[i] = values[places[i], first]
        order[i] = places[i]
    _radix(keys, order, np.empty_like(keys), np.empty_like(order), counts)
    begin = 0
    while begin < len(keys):
        end = begin + 1
        while end < len(keys) and keys[end] == keys[begin]:
            end += 1
        if end - begin > 1:
            _sort_slots(values, order, begin, end, first + 1, last, stack)
        begin = end


@kernel
def hash_band(values: Array, places: Array, first: int, rows: int, keys: Array, order: Array) -> None:
    """Hashes of `rows` slots in order, and the position in `places` of each, ascending where hashes are equal."""
    counts = np.empty(257, np.int64)
    for i in range(len(places)):
        key = np.uint64(first)
        for slot in range(first, first + rows):
            key = mix(key ^ (np.uint64(values[places[i], slot]) + np.uint64(0x9E3779B97F4A7C15)))
        keys[i] = np.uint32(key & np.uint64(0xFFFFFFFF))
        order[i] = i
    _radix(keys, order, np.empty_like(keys), np.empty_like(order), counts)


@part
def _agree(one: Array, other: Array, first: int, rows: int) -> bool:
    for slot in range(first, first + rows):
        if one[slot] != other[slot]:
            return False
    return True


@part
def _met(one: Array, other: Array, firsts: Array, begin: int, end: int, rows: int) -> bool:
    """Whether two rows meet in one of some bands."""
    for band in range(begin, end):
        if _agree(one, other, firsts[band], rows):
            return True
    return False


@part
def _equal_slots(one: Array, other: Array, need: int) -> int:
    """How many slots are equal; -1 as soon as they cannot be `need`."""
    equal = 0
    slot = 0
    while slot < len(one):
        last = min(slot + _STEP, len(one))
        some = np.int32(0)
        for i in range(slot, last):
            some += np.int32(one[i] == other[i])
        equal += np.int64(some)
        slot = last
        if equal + len(one) - slot < need:
            return -1
    return equal


@part
def _narrow(values: Array, order: Array, begin: int, end: int, query: Array, slot: int) -> tuple[int, int]:
    """Of rows in the order of a slot, those that have the query's."""
    wanted = query[slot]
    low, high = begin, end
    while low < high:
        middle = (low + high) // 2
        if values[order[middle], slot] < wanted:
            low = middle + 1
        else:
            high = middle
    first = low
    high = end
    while low < high:
        middle = (low + high) // 2
        if values[order[middle], slot] <= wanted:
            low = middle + 1
        else:
            high = middle
    return first, low


@part
def _of_key(keys: Array, wanted: np.uint32) -> tuple[int, int]:
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    first = low
    high = len(keys)
    step = 1
    while low + step < high and keys[low + step] <= wanted:  # runs are short: look near by first
        low += step
        step *= 2
    high = min(high, low + step)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] <= wanted:
            low = middle + 1
        else:
            high = middle
    return first, low


@kernel
def look_in_bands(
    values: Array,
    places: Array,
    keys: Array,
    order: Array,
    queries: Array,
    asking: Array,
    bands: Array,
    stride: int,
    rows: int,
    need: int,
    start: int,
    out_query: Array,
    out_place: Array,
    out_equal: Array,
) -> tuple[int, int, int, int]:
    """For each query from `start` on, the rows that meet it in a band and have `need` equal slots.

    A query for which the bands hold more rows than there are is answered by counting all of `places`, and so are all
    where no band is given. Returns (query reached, hits, rows looked at, room that the next query needs): it stops
    before a query whose hits might not fit.
    """
    begins = np.empty(len(bands), np.int64)
    ends = np.empty(len(bands), np.int64)
    found = 0
    examined = 0
    for query in range(start, len(queries)):
        if not asking[query]:
            continue
        asked = queries[query]
        total = 0
        for i in range(len(bands)):
            band = bands[i]
            first = band * stride
            begin, end = _of_key(keys[band], asked[first])
            slot = first + 1
            while slot < first + rows and end - begin > _FEW:
                begin, end = _narrow(values, order[band], begin, end, asked, slot)
                slot += 1
            begins[i] = begin
            ends[i] = end
            total += end - begin
        everything = len(bands) == 0 or total > len(places)
        room = len(places) if everything else total
        if found + room > len(out_place):
            return query, found, examined, room
        if everything:
            examined += len(places)
            for i in range(len(places)):
                equal = _equal_slots(asked, values[places[i]], need)
                if equal >= need:
                    out_query[found] = query
                    out_place[found] = places[i]
                    out_equal[found] = equal
                    found += 1
            continue
        for i in range(len(bands)):
            first = bands[i] * stride
            for at in range(begins[i], ends[i]):
                place = order[bands[i], at]
                row = values[place]
                if not _agree(asked, row, first, rows):
                    continue
                before = False
                for j in range(i):
                    if _agree(asked, row, bands[j] * stride, rows):
                        before = True
                        break
                if before:
                    continue
                examined += 1
                equal = _equal_slots(asked, row, need)
                if equal >= need:
                    out_query[found] = query
                    out_place[found] = place
                    out_equal[found] = equal
                    found += 1
    return len(queries), found, examined, 0


@kernel
def pairs_of_band(
    values: Array,
    places: Array,
    lengths: Array,
    least: int,
    whole: int,
    fresh: Array,
    last_fresh: Array,
    keys: Array,
    order: Array,
    firsts: Array,
    rows: int,
    need: int,
    at: int,
    other: int,
    out_x: Array,
    out_y: Array,
    out_equal: Array,
) -> tuple[int, int, int, int]:
    """Pairs of `places` that meet in the last of some bands and in none before it, and have `need` equal slots.

    Bands are given by their first slots.

    Lengths ascend with the position in `places`; pairs whose shorter one is under least / whole of the longer are not
    looked at, nor are those without a fresh row: `last_fresh` gives, for each entry of `order`, the place of the last
    fresh one up to it. It starts at the pair (at, other) of `order`, and returns (at, other, pairs, pairs looked at):
    where it stopped because the buffers are full, else the end.
    """
    found = 0
    examined = 0
    while at < len(keys):
        x = order[at]
        shortest = least * lengths[x]
        row = values[places[x]]
        while True:
            if other >= 0 and not fresh[x]:
                other = last_fresh[other]
            if other < 0 or keys[other] != keys[at]:
                break
            y = order[other]
            if lengths[y] * whole < shortest:
                break
            if found == len(out_x):
                return at, other, found, examined
            beside = values[places[y]]
            other -= 1
            if not _agree(row, beside, firsts[len(firsts) - 1], rows):
                continue
            if _met(row, beside, firsts, 0, min(_NEAR, len(firsts) - 1), rows):
                continue
            equal = _equal_slots(row, beside, need)
            if equal >= need and _met(row, beside, firsts, _NEAR, len(firsts) - 1, rows):
                continue
            examined += 1
            if equal >= need:
                out_x[found] = y
                out_y[found] = x
                out_equal[found] = equal
                found += 1
        other = at
        at += 1
    return at, other, found, examined
