"""Folding: UTF-8 bytes → folded code points, each with the bytes that it came from.

The folded form of a text X is toNFKC_Casefold(NFD(X)) of the Unicode Standard (definition D146). Before
that, ignorable code points (soft hyphen, joiners, variation selectors, byte order mark) are dropped, and
the two halfwidth sound marks of katakana become marks. Two texts have the same folded form whenever they
are canonically equivalent, or differ in case, compatibility forms or ignorable code points only.

Most code points are *quick*: they fold to one code point that neither reorders nor composes with anything
before it. A quick code point before another one needs no normalization. Everything else is a *segment*,
from one quick code point up to the next one (or one whose folded form begins with one: ß, which is ss): decomposed,
reordered, composed.

U+0345 (iota below) is a mark that folds to a letter. It is reordered as a mark and becomes the letter after
that; otherwise canonically equivalent Greek texts would fold differently.

The tables (made by tools/make_unicode_tables.py) are one array of 32-bit numbers. It begins with the places
where its sections begin, and where the last one ends:

    PAGES   for each 128 code points: where their entries begin in the next section
    INFOS   one entry for each code point c:
            bits 0-2   word class of the folded form: 1 letter, 2 mark, 3 number, 0 other;
                       4 is added for base characters of scripts without spaces
            bit 3      quick: bits 8-31 hold the folded code point minus c, plus 2^21;
                       else: bits 8-31 hold a range of the pool, as offset << 5 | length
    POOL    decomposed folded forms: code point | combining class << 21
    ROWS    three numbers each, sorted, a row of zeros last: two code points and their primary composite;
            or a folded code point, 0, and the range of the pool that holds its canonical decomposition
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part

Array = np.ndarray[Any, np.dtype[Any]]
Int = Any
"""A machine integer: Numba gives it its type."""

PAGES, INFOS, POOL, ROWS, ROWS_END = range(5)
PAGES_AT = 5
INFOS_AT = PAGES_AT + (0x110000 >> 7)
"""Where the first two sections begin. Constants, because every code point needs them."""
WORD_CLASS = 7
LETTER, MARK, SOLO = 1, 2, 4
QUICK = 8
DELTA_BIAS = 1 << 21
LAST_POINT = 0x10FFFF
REPLACEMENT = 0xFFFD
IOTA_BELOW, IOTA = 0x345, 0x3B9
HANGUL, SYLLABLES = 0xAC00, 11172
SHORT_RUN = 24
"""Runs of marks up to this length are sorted by insertion, longer ones by counting."""
# A decomposed code point in one number: combining class, code point, and the byte where its original begins.
CLASS_SHIFT, POINT_SHIFT, POINT_MASK, START_MASK = 53, 32, 0x1FFFFF, 0xFFFFFFFF


@part
def read_point(data: Array, at: Int, end: Int) -> tuple[Int, Int]:
    """The code point at a place and the place behind it; broken UTF-8 gives U+FFFD, never a stray read."""
    point: Int = np.int64(data[at])
    size: Int = 1
    if point >= 0x80:
        size = 2 + (point >= 0xE0) + (point >= 0xF0)
        if at + size > end or point < 0xC0 or point > 0xF4:
            return np.int64(REPLACEMENT), at + 1
        point = (point & 127 >> size) << 6 | np.int64(data[at + 1]) & 63
        if size > 2:
            point = point << 6 | np.int64(data[at + 2]) & 63
        if size > 3:
            point = point << 6 | np.int64(data[at + 3]) & 63
        if point > LAST_POINT:
            point = np.int64(REPLACEMENT)
    return point, at + size


@part
def info_of(point: Int, tables: Array) -> Int:
    """The tables' entry for a code point."""
    return np.int64(tables[INFOS_AT + tables[PAGES_AT + (point >> 7)] + (point & 127)])


@rare_part
def find(tables: Array, first: Int, second: Int) -> Int:
    """The last number of the row that begins with these two, or 0."""
    low, high = 0, (tables[ROWS_END] - tables[ROWS]) // 3 - 1
    while low < high:
        middle = (low + high) >> 1
        row = tables[ROWS] + 3 * middle
        if np.int64(tables[row]) << 21 | tables[row + 1] < first << 21 | second:
            low = middle + 1
        else:
            high = middle
    row = tables[ROWS] + 3 * low
    return np.int64(tables[row + 2]) if tables[row] == first and tables[row + 1] == second else np.int64(0)


@part
def begins_anew(info: Int, tables: Array) -> bool:
    """Whether a code point that is not quick begins with one that is: what comes before cannot change it."""
    if info >> 8 & 31 == 0:
        return False
    first = np.int64(tables[tables[POOL] + (info >> 13)])
    return first <= LAST_POINT and info_of(first, tables) & QUICK != 0


@part
def next_segment(data: Array, at: Int, end: Int, tables: Array) -> tuple[Int, Int, Int, Int]:
    """Where the segment that begins here ends, and how much scratch folding it takes.

    A quick code point before another one needs no scratch: then the folded code point and its word class are
    returned too.
    """
    point, stop = read_point(data, at, end)
    info = info_of(point, tables)
    quick = info & QUICK
    size: Int = 4 if quick else 1 + (info >> 8 & 31)  # no canonical decomposition is longer than four
    while stop < end:
        after, following = read_point(data, stop, end)
        after_info = info_of(after, tables)
        if after_info & QUICK or begins_anew(after_info, tables):
            break
        quick = np.int64(0)
        size += after_info >> 8 & 31
        stop = following
    return stop, 0 if quick else size, point + (info >> 8) - DELTA_BIAS, info & WORD_CLASS


@rare_part
def decompose(data: Array, at: Int, end: Int, base: Int, tables: Array, scratch: Array) -> Int:
    """Fill the scratch with the decomposed segment; returns the number of code points."""
    count = 0
    while at < end:
        point, following = read_point(data, at, end)
        info = info_of(point, tables)
        pool = info >> 8
        if info & QUICK:  # only the first of a segment can be
            point += pool - DELTA_BIAS
            pool = find(tables, point, np.int64(0))
            syllable = point - HANGUL
            scratch[0] = point << POINT_SHIFT | at - base
            count = 0 if pool else 1
            if 0 <= syllable < SYLLABLES:
                scratch[0] = 0x1100 + syllable // 588 << POINT_SHIFT | at - base
                scratch[1] = 0x1161 + syllable // 28 % 21 << POINT_SHIFT | at - base
                scratch[2] = 0x11A7 + syllable % 28 << POINT_SHIFT | at - base
                count = 3 if syllable % 28 else 2
        for index in range(pool & 31):
            value = np.int64(tables[tables[POOL] + (pool >> 5) + index])
            scratch[count] = value << POINT_SHIFT | at - base
            count += 1
        at = following
    return count


@rare_part
def reorder(scratch: Array, first: Int, last: Int) -> None:
    """Sort a run of marks by combining class, stably; long runs by counting: hostile ones stay linear."""
    if last - first <= SHORT_RUN:
        for index in range(first + 1, last):
            mark = scratch[index]
            hole = index
            while hole > first and scratch[hole - 1] >> CLASS_SHIFT > mark >> CLASS_SHIFT:
                scratch[hole] = scratch[hole - 1]
                hole -= 1
            scratch[hole] = mark
        return
    places = len(scratch) - 257  # where each combining class begins
    copy = places - last
    for index in range(places, places + 257):
        scratch[index] = 0
    for index in range(first, last):
        scratch[copy + index] = scratch[index]
        scratch[places + 1 + (scratch[index] >> CLASS_SHIFT)] += 1
    for index in range(places, places + 256):
        scratch[index + 1] += scratch[index]
    for index in range(copy + first, copy + last):
        place = places + (scratch[index] >> CLASS_SHIFT)
        scratch[first + scratch[place]] = scratch[index]
        scratch[place] += 1


@rare_part
def compose_pair(first: Int, second: Int, tables: Array) -> Int:
    """The primary composite of two code points, or 0."""
    if 0x1100 <= first < 0x1113 and 0x1161 <= second < 0x1176:
        return HANGUL + ((first - 0x1100) * 21 + second - 0x1161) * 28
    if 0 <= first - HANGUL < SYLLABLES and 0x11A7 < second < 0x11C3 and (first - HANGUL) % 28 == 0:
        return first + second - 0x11A7
    return find(tables, first, second)


@rare_part
def fold_segment(data: Array, at: Int, end: Int, base: Int, tables: Array, scratch: Array) -> Int:
    """Fold the bytes of one segment; returns the number of folded code points.

    The first quarter of the scratch then holds each folded code point << 32 | where its original begins,
    counted from `base`; the second quarter holds where each original ends.
    """
    count = decompose(data, at, end, base, tables, scratch)
    stops = len(scratch) >> 2
    kept = 0
    starter = -1
    last_class: Int = np.int64(0)
    sorted_to = 0
    for index in range(count):
        if index >= sorted_to and scratch[index] >> CLASS_SHIFT:
            sorted_to = index + 1
            while sorted_to < count and scratch[sorted_to] >> CLASS_SHIFT:
                sorted_to += 1
            reorder(scratch, index, sorted_to)
        combining = scratch[index] >> CLASS_SHIFT
        point = scratch[index] >> POINT_SHIFT & POINT_MASK
        start = scratch[index] & START_MASK
        stop = read_point(data, base + start, end)[1] - base
        if point == IOTA_BELOW:  # always last of its run
            point = np.int64(IOTA)
            combining = np.int64(0)
        composite: Int = np.int64(0)
        if starter >= 0 and (kept == starter + 1 or last_class < combining):
            composite = compose_pair(scratch[starter] >> POINT_SHIFT, point, tables)
        if composite:
            start = min(start, scratch[starter] & START_MASK)
            scratch[starter] = composite << POINT_SHIFT | start
            scratch[stops + starter] = max(stop, scratch[stops + starter])
            continue
        scratch[kept] = point << POINT_SHIFT | start
        scratch[stops + kept] = stop
        if combining == 0:
            starter = kept
        last_class = combining
        kept += 1
    return kept


@kernel
def fold_text(data: Array, tables: Array, scratch: Array, points: Array, starts: Array, ends: Array) -> Int:
    """Fold one text; returns the number of folded code points, or -1 - (the room needed) where arrays are too small.

    Where the scratch is too small for a segment it returns -1, and scratch[0] is the room that is needed.
    """
    at, count = 0, 0
    end = len(data)
    stops = len(scratch) >> 2
    while at < end:
        stop, size, point, _ = next_segment(data, at, end, tables)
        if size > stops:
            scratch[0] = size
            return -1
        kept = 1
        if size:
            kept = fold_segment(data, at, stop, 0, tables, scratch)
        else:
            scratch[0] = point << POINT_SHIFT | at
            scratch[stops] = stop
        for index in range(kept):
            if count < len(points):
                points[count] = scratch[index] >> POINT_SHIFT
                starts[count] = scratch[index] & START_MASK
                ends[count] = scratch[stops + index]
            count += 1
        at = stop
    return count if count <= len(points) else -1 - count
