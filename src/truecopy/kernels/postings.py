"""Sets of 64-bit entries by inverted lists: every set that shares enough with a given one, exactly.

All entries of a block have one order O of rarity: by the length of their list (in how many sets they are; of long
ones, its leading bits), then by the entry itself. Prefix filtering (Chaudhuri, Ganti, Kaushik 2006; Bayardo, Ma,
Srikant 2007) in that order, on both sides, misses nothing, whatever the order is, as long as there is only one:

Let a set q of n entries and a set x of m share at least t. Take the entry that is first in O of those they share; let
i entries of q and j entries of x come before it. All that they share comes from there on, so

    t ≤ min(n − i, m − j).                                                                                        (1)

Hence x is in the lists of the first n − t + 1 entries of q in O, and in the list where it is met first, j ≤ m − t. How
much is needed, t, comes with each query; so every entry of a list is kept with its *depth*, j / m, and lists are in
order of depth. Where a set must share a part T of its own entries, only entries of depth ≤ 1 − T can be the first that
it shares (t ≥ T · m), and each list is read no further than that. Boilerplate is an entry that nearly all sets have: it
comes deep in each, so its list is hardly read at all, however long it is (Cherkasova and others 2009 note what lists
of more than 1,000 cost). Where O puts it late in q, it is not touched.

Reading only the beginnings misses nothing. Of the entries that q and x share, later ones in O are deeper in x. So if
the first is too deep or too late, all others are as well; and x is first met, if at all, at the first entry shared,
where (1) is tested. A set that fails there fails at all later ones, and need not be remembered.

Depths are kept as floor(65536 · j / m), and compared with floor(65536 · (1 − T)): rounding down keeps the order, so a
depth that is small enough stays so.

A set that was met and may still be a hit is measured: its entries are looked up in a table of q's, until too many are
missing; or, where the set is far larger, q's entries are looked up in it. Where reading all lists of q costs less than
that, as for low thresholds and for families of thousands, shared entries are counted from the lists instead.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.machine import fold_product
from truecopy.kernels.mix import mix

Array = Any

EITHER, QUERY, ROW, SMALLER, LONGER = range(5)
"""What a share is of."""
DEEPEST = 1 << 16
"""Depths are multiples of 1 / this."""
EXACT = 256
"""List lengths from here on are told apart by their leading bits."""
CLASSES = EXACT + 64 * 32
WHOLE = 1_000_000
"""One hundred per cent."""
_SMALL = 24
"""Lists up to this length are put in order by insertion."""
_AS_LONG = 2
"""Lists up to this many times as long as what would be read of them are counted in one go."""
_MEASURED = 16
"""What measuring a row costs beyond half of the query's entries, in counted places of a list."""
_FAR_LARGER = 16
"""A set this many times as large as the query is not read: the query's entries are looked up in it."""


# --- lookup ------------------------------------------------------------------------------------------------


@part
def _find(key: np.uint64, keys: Array, slots: Array, shift: np.uint64) -> int:
    """The place of a mixed entry among the keys; -1 where it is not there."""
    slot = np.int64(key >> shift) if shift < np.uint64(64) else 0
    low, high = np.int64(slots[slot]), np.int64(slots[slot + 1])
    end = high
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < end and keys[low] == key else -1


@kernel
def find_keys(values: Array, keys: Array, slots: Array, bits: int, out: Array) -> None:
    """The place of each entry among the keys, all of which are there."""
    shift = np.uint64(64 - bits)
    for i in range(len(values)):
        out[i] = _find(mix(values[i]), keys, slots, shift)


# --- building ----------------------------------------------------------------------------------------------


@part
def _class(length: int) -> int:
    """How common an entry is, by the length of its list: exactly for short ones, by seven leading bits for others."""
    if length < EXACT:
        return length
    turn = 0
    while length >= 128:
        length >>= 1
        turn += 1
    return EXACT + 64 * (turn - 2) + length - 64


@kernel
def fill_classes(starts: Array, out: Array) -> None:
    """How common each key is."""
    for k in range(len(out)):
        out[k] = _class(starts[k + 1] - starts[k])


@kernel
def fill_lists(places: Array, offsets: Array, ends: Array, owners: Array) -> None:
    """Put each row into the lists of its entries; ends[k] moves on from where list k begins to where it ends."""
    for row in range(len(offsets) - 1):
        for i in range(offsets[row], offsets[row + 1]):
            owners[ends[places[i]]] = row
            ends[places[i]] += 1


@kernel
def fill_depths(order: Array, starts: Array, offsets: Array, owners: Array, depths: Array) -> None:
    """The depth of each entry in its row; `order` are the keys from the rarest on. Lists are put in order of depth."""
    before = np.zeros(len(offsets) - 1, np.int64)
    longest = 0
    for k in range(len(starts) - 1):
        longest = max(longest, starts[k + 1] - starts[k])
    spare_owners, spare_depths = np.empty(longest, np.int32), np.empty(longest, np.uint16)
    counts = np.zeros(257, np.int64)
    for k in order:
        for p in range(starts[k], starts[k + 1]):
            row = owners[p]
            size = offsets[row + 1] - offsets[row]
            depths[p] = np.uint16(before[row] * DEEPEST // size)
            before[row] += 1
        if starts[k + 1] - starts[k] <= _SMALL:
            _insert(owners, depths, starts[k], starts[k + 1])
        else:
            _radix(owners, depths, starts[k], starts[k + 1], 0, spare_owners, spare_depths, counts)
            _radix(owners, depths, starts[k], starts[k + 1], 8, spare_owners, spare_depths, counts)


@rare_part
def _insert(owners: Array, depths: Array, start: int, end: int) -> None:
    for p in range(start + 1, end):
        owner, depth = owners[p], depths[p]
        at = p
        while at > start and depths[at - 1] > depth:
            owners[at], depths[at] = owners[at - 1], depths[at - 1]
            at -= 1
        owners[at], depths[at] = owner, depth


@rare_part
def _radix(
    owners: Array, depths: Array, start: int, end: int, turn: int, spare_owners: Array, spare_depths: Array,
    counts: Array,
) -> None:  # fmt: skip
    """Sort a list by eight bits of its depths, stably."""
    counts[:] = 0
    for p in range(start, end):
        counts[((depths[p] >> turn) & 255) + 1] += 1
    for digit in range(256):
        counts[digit + 1] += counts[digit]
    for p in range(start, end):
        digit = (depths[p] >> turn) & 255
        spare_owners[counts[digit]], spare_depths[counts[digit]] = owners[p], depths[p]
        counts[digit] += 1
    for p in range(start, end):
        owners[p], depths[p] = spare_owners[p - start], spare_depths[p - start]


# --- what is needed ------------------------------------------------------------------------------------------


@part
def _whole(of_what: int, n: int, m: int) -> int:
    """What the share is of; for resemblance, the entries of both, less the shared ones."""
    if of_what == EITHER:
        return n + m
    if of_what == QUERY:
        return n
    if of_what == ROW:
        return m
    return min(n, m) if of_what == SMALLER else max(n, m)


@part
def _enough(of_what: int, least: int, shared: int, n: int, m: int) -> bool:
    """Whether these shared entries reach the share."""
    if of_what == EITHER:  # shared / (n + m - shared) ≥ T
        return shared * (WHOLE + least) >= least * (n + m)
    return shared * WHOLE >= least * _whole(of_what, n, m)


@part
def _needed(of_what: int, least: int, n: int, m: int) -> int:
    """The fewest shared entries that reach it."""
    of = WHOLE + least if of_what == EITHER else WHOLE
    return max(1, (least * _whole(of_what, n, m) + of - 1) // of)


@part
def _allowed(filters: Array, one: Array, other: Array) -> bool:
    """Whether two rows, by (length, day), pass the filters (shortest share, days); -1 lets everything pass."""
    if filters[0] >= 0 and min(one[0], other[0]) * WHOLE < filters[0] * max(one[0], other[0]):
        return False
    return filters[1] < 0 or one[1] <= 0 or other[1] <= 0 or abs(one[1] - other[1]) <= filters[1]


# --- measuring -----------------------------------------------------------------------------------------------


@part
def _slot(value: np.uint64, turn: np.uint64, secret: Array) -> np.uint64:
    """Where a search begins. It depends on a secret, so that no entries make searches long."""
    return fold_product(value ^ secret[0], secret[1]) >> turn


@part
def _shared(values: Array, begin: int, end: int, asked: Array, table: Array, turn: np.uint64, secret: Array,
            zero: bool, needed: int) -> int:  # fmt: skip
    """Entries of a row that are among those asked for; -1 as soon as they cannot be enough."""
    n, m = len(asked), end - begin
    missing = 0
    if m > _FAR_LARGER * n:
        for i in range(n):
            low, high = begin, end
            while low < high:
                middle = (low + high) >> 1
                if values[middle] < asked[i]:
                    low = middle + 1
                else:
                    high = middle
            if low == end or values[low] != asked[i]:
                missing += 1
                if missing > n - needed:
                    return -1
        return n - missing
    mask = np.uint64(len(table) - 1)
    for i in range(begin, end):
        value = values[i]
        if value == np.uint64(0):
            missing += not zero
        else:
            slot = _slot(value, turn, secret)
            while table[slot] != np.uint64(0) and table[slot] != value:
                slot = (slot + np.uint64(1)) & mask
            missing += table[slot] != value
        if missing > m - needed:
            return -1
    return m - missing


# --- a query -------------------------------------------------------------------------------------------------


@rare_part
def _gather(
    asked: Array, keys: Array, slots: Array, shift: np.uint64, starts: Array, some: Array, ordered: Array, ends: Array
) -> tuple[int, int]:
    """The keys of the query's entries that have one, the rarest first; how many, and how long all lists are.

    Entries must come in order, so that those of one class stay in it; -1 where they do not.
    """
    present, total = 0, 0
    ends[:] = 0
    for i in range(len(asked)):
        if i > 0 and asked[i] <= asked[i - 1]:
            return -1, 0
        k = _find(mix(asked[i]), keys, slots, shift)
        if k >= 0:
            length = np.int64(starts[k + 1]) - np.int64(starts[k])
            some[present] = k
            present += 1
            total += length
            ends[_class(length) + 1] += 1
    for each in range(1, len(ends)):
        ends[each] += ends[each - 1]
    for i in range(present):
        each = _class(np.int64(starts[some[i] + 1]) - np.int64(starts[some[i]]))
        ordered[ends[each]] = some[i]
        ends[each] += 1
    return present, total


@rare_part
def _plan(
    n: int, ordered: Array, starts: Array, depths: Array, of_what: int, least: int, once: bool, lists: Array
) -> tuple[int, int]:
    """Which lists are to be read, from where to where, and the query's entries before: how many lists and places."""
    fewest = max(1, (least * n + WHOLE - 1) // WHOLE)
    early = n - fewest + 1
    last = n if of_what in (ROW, SMALLER) else early
    fully = early if of_what == QUERY or (of_what == SMALLER and not once) else 0
    cut = (WHOLE - least) * DEEPEST // (WHOLE + least if once and of_what == EITHER else WHOLE)
    # In a join the larger row finds the smaller one, so 2 T / (1 + T) of the smaller one is shared.
    many, places = 0, 0
    absent = n - len(ordered)  # entries that no row has are the rarest
    for before in range(absent, last):
        k = ordered[before - absent]
        low, high = np.int64(starts[k]), np.int64(starts[k + 1])
        begin, length = low, high - low
        if before >= fully and np.int64(depths[high - 1]) > cut:
            while low < high:
                middle = (low + high) >> 1
                if np.int64(depths[middle]) <= cut:
                    low = middle + 1
                else:
                    high = middle
        if high > begin and length > once:  # in a list of one, a row finds itself only
            lists[many, 0], lists[many, 1], lists[many, 2] = begin, high, before
            many += 1
            places += high - begin
    return many, places


@part
def _place(row: int, seen: Array, turn: np.uint64, secret: Array) -> np.uint64:
    """Where a row is in a table of rows, or can be put."""
    mask = np.uint64(len(seen) - 1)
    slot = _slot(np.uint64(row), turn, secret)
    while seen[slot] != -1 and seen[slot] != row:
        slot = (slot + np.uint64(1)) & mask
    return slot


@rare_part
def _table(asked: Array, table: Array, turn: np.uint64, secret: Array) -> bool:
    """Put the query's entries into a table; whether 0 is one, which the table cannot hold."""
    table[:] = np.uint64(0)
    mask = np.uint64(len(table) - 1)
    zero = False
    for value in asked:
        if value == np.uint64(0):
            zero = True
            continue
        slot = _slot(value, turn, secret)
        while table[slot] != np.uint64(0) and table[slot] != value:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = value
    return zero


@rare_part
def _turn(size: int) -> np.uint64:
    """How far to shift for as many slots as this, a power of two."""
    turn = 64
    while size > 1:
        size >>= 1
        turn -= 1
    return np.uint64(turn)


@rare_part
def _room(entries: int) -> int:
    """Slots for this many entries: a power of two, twice as many or more."""
    size = 4
    while size < 2 * entries:
        size *= 2
    return size


@part
def _before(row: int, m: int, query: int, n: int) -> bool:
    """Whether, in a join, the other row is the one that finds this row."""
    return m < n or (m == n and row < query)


@rare_part
def _meet(
    query: int, n: int, lists: Array, owners: Array, depths: Array, offsets: Array, of_what: int, least: int,
    once: bool, seen: Array, turn: np.uint64, secret: Array, used: Array, counts: Array,
) -> int:  # fmt: skip
    """Read what was planned; returns how many rows were met that may be hits, with their places in the table."""
    met = 0
    for each in range(len(lists)):
        left = n - lists[each, 2]
        for p in range(lists[each, 0], lists[each, 1]):
            row = np.int64(owners[p])
            m = offsets[row + 1] - offsets[row]
            if once and not _before(row, m, query, n):
                continue
            # At least this many of the row's entries come before this one: see above, (1).
            passed = (np.int64(depths[p]) * m + DEEPEST - 1) // DEEPEST
            if not _enough(of_what, least, min(left, m - passed), n, m):
                continue
            slot = _place(row, seen, turn, secret)
            if seen[slot] == -1:
                seen[slot] = row
                counts[slot] = 0
                used[met] = np.int64(slot)
                met += 1
    return met


@rare_part
def _count(
    query: int, n: int, ordered: Array, starts: Array, owners: Array, offsets: Array, once: bool, met: int,
    seen: Array, turn: np.uint64, secret: Array, used: Array, counts: Array,
) -> int:  # fmt: skip
    """Read every list of the query, and count how often each row was met; where none was before, enter them all."""
    entering = met == 0
    for k in ordered:
        for p in range(np.int64(starts[k]), np.int64(starts[k + 1])):
            row = np.int64(owners[p])
            slot = _place(row, seen, turn, secret)
            if seen[slot] != -1:
                counts[slot] += 1
            elif entering and not (once and not _before(row, offsets[row + 1] - offsets[row], query, n)):
                seen[slot] = row
                counts[slot] = 1
                used[met] = np.int64(slot)
                met += 1
    return met


@rare_part
def _write_hits(
    query: int, own: Array, asked_heads: Array, values: Array, offsets: Array, heads: Array, of_what: int, least: int,
    filters: Array, secret: Array, counted: bool, room: Array, seen: Array, used: Array, counts: Array,
    out_query: Array, out_row: Array, out_shared: Array,
) -> int:  # fmt: skip
    """Write down which of the rows that were met are hits, and empty their table; how many hits there are."""
    n, found = len(own), 0
    table = room[: _room(n)]
    turn = _turn(len(table))
    zero = _table(own, table, turn, secret) if len(used) and not counted else False
    filtered = len(heads) > 0 and len(asked_heads) > 0
    for slot in used:
        row = np.int64(seen[slot])
        seen[slot] = -1
        begin, end = offsets[row], offsets[row + 1]
        if filtered and not _allowed(filters, asked_heads[query], heads[row]):
            continue
        if counted:
            shared = np.int64(counts[slot])
        else:
            needed = _needed(of_what, least, n, end - begin)
            shared = _shared(values, begin, end, own, table, turn, secret, zero, needed)
        if shared > 0 and _enough(of_what, least, shared, n, end - begin):
            out_query[found], out_row[found], out_shared[found] = query, row, shared
            found += 1
    return found


@kernel
def find_near(
    asked: Array, asked_offsets: Array, asked_heads: Array,
    values: Array, offsets: Array, heads: Array,
    keys: Array, slots: Array, bits: int, starts: Array, owners: Array, depths: Array,
    of_what: int, least: int, filters: Array, secret: Array, once: bool, first: int, last: int,
    out_query: Array, out_row: Array, out_shared: Array,
) -> tuple[int, int, int]:  # fmt: skip
    """The rows that share enough with each query from `first` to `last`, and how much.

    With `once` queries are the rows themselves, and each pair is found by the larger row (ties: the later).
    Returns (query reached, hits, rows met that might have been hits): it stops before a query whose hits might not fit.
    The query reached is -1 where one has entries out of order.
    """
    most, rows = 0, len(offsets) - 1
    for query in range(first, last):
        most = max(most, asked_offsets[query + 1] - asked_offsets[query])
    some, ordered, ends = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(CLASSES + 1, np.int64)
    lists = np.empty((most, 3), np.int64)
    table = np.empty(_room(most), np.uint64)
    seen, used, counts = np.full(64, -1, np.int32), np.empty(64, np.int64), np.empty(64, np.int32)
    shift = np.uint64(64 - bits)
    found, examined = 0, 0
    for query in range(first, last):
        own = asked[asked_offsets[query] : asked_offsets[query + 1]]
        n = len(own)
        present, total = _gather(own, keys, slots, shift, starts, some, ordered, ends)
        if present < 0:
            return -1, found, examined
        listed = ordered[:present]
        many, places = _plan(n, listed, starts, depths, of_what, least, once, lists)
        if places == 0:
            continue
        counted = total <= _AS_LONG * places
        bound = min(total if counted else places, rows)
        if found + bound > len(out_row):
            return query, found, examined
        size = _room(bound)
        if size > len(seen):
            seen, used, counts = np.full(size, -1, np.int32), np.empty(size, np.int64), np.empty(size, np.int32)
        there, turn, met = seen[:size], _turn(size), 0
        if not counted:
            met = _meet(
                query, n, lists[:many], owners, depths, offsets, of_what, least, once, there, turn, secret, used, counts
            )
            if met == 0:
                continue
            counted = total <= met * (_MEASURED + n // 2)
        if counted:
            met = _count(query, n, listed, starts, owners, offsets, once, met, there, turn, secret, used, counts)
        examined += met
        found += _write_hits(
            query, own, asked_heads, values, offsets, heads, of_what, least, filters, secret, counted, table, there,
            used[:met], counts, out_query[found:], out_row[found:], out_shared[found:],
        )  # fmt: skip
    return last, found, examined
