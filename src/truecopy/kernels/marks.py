"""Figure marks: the signs between words that change what a text says, each with the word that it belongs to.

They are not words (contract), but $100 is not €100, ☒ is not ☐, and 1.500 is not 1,500. A mark is one number: the
word's number in its text << 32 | the sign's code point, as the table of signs spells it (every minus is "-").

What counts, in the stretch between two words:

    currency, percent, box   wherever it is; ≤, ≥ and ≠ count as boxes do
    sign                     a plus or minus directly before a digit, or before a currency sign that is: -5, -$5
    point                    a point or comma directly before a digit, with no word directly before it: .5, $.50
    separator                up to two signs, whatever they are, between two digits with no white space: 1.500, 10-12;
                             and the bar of a fraction that is one character: ½ is 1/2

A mark belongs to one of the two words around it: to a figure rather than another word, then to the one that it touches,
then to the one behind it (a percent sign: to the one before it).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.fold import POINT_MASK, POOL, QUICK, Array, Int, info_of, read_point
from truecopy.kernels.jit import kernel, part, rare_part

CURRENCY, PERCENT, BOX, SIGN, SPACE, IGNORED, PLAIN, POINT = 1, 2, 3, 4, 5, 6, 7, 8
"""Classes of signs; PLAIN has a class for its spelling only, and 0 is anything else."""
BAR = 47
"""What is inside a fraction that is one character."""
KIND, NUMBER = 3, 3
"""The part of a word class that tells letters, marks and numbers apart, in scripts without spaces too; numbers."""
LONGEST_SEPARATOR = 2
SHIFT = np.uint64(32)


@part
def sign_of(point: Int, signs: Array) -> tuple[Int, Int]:
    """Class and spelling of a code point; `signs` has rows of (code point, class, spelling), sorted."""
    low, high = 0, len(signs)
    while low < high:
        middle = (low + high) >> 1
        if signs[middle, 0] < point:
            low = middle + 1
        else:
            high = middle
    if low < len(signs) and signs[low, 0] == point:
        return np.int64(signs[low, 1]), np.int64(signs[low, 2])
    return np.int64(0), point


@part
def is_number(data: Array, at: Int, end: Int, tables: Array, last: Int) -> bool:
    """Whether the character here is a number; one that folds to several (½) counts by its first, or by its `last`."""
    if data[at] < 0x80:
        return 48 <= data[at] <= 57
    point, _ = read_point(data, at, end)
    info = info_of(point, tables)
    if info & QUICK:
        return info & KIND == NUMBER
    length, first = info >> 8 & 31, tables[POOL] + (info >> 13)
    for place in range(length):  # the first, or the last, that is part of a word
        point = np.int64(tables[first + (length - 1 - place if last else place)]) & POINT_MASK
        kind = info_of(point, tables) & KIND
        if kind:
            return kind == NUMBER
    return False


@part
def is_number_before(data: Array, at: Int, begin: Int, tables: Array) -> bool:
    """Whether a digit or another number ends here."""
    place = at - 1
    while place > begin and data[place] & 0xC0 == 0x80:
        place -= 1
    return is_number(data, place, at, tables, 1)


@part
def may_mark(
    data: Array, begin: Int, end: Int, low: Int, high: Int, there: Any, tables: Array, classes: Array, signs: Array
) -> bool:
    """Whether there can be a mark between two words: almost never, and then nothing more is looked at."""
    at = begin
    signed = False
    while at < end:
        point, behind = np.int64(data[at]), at + 1
        if point >= 0x80:
            point, behind = read_point(data, at, end)
        kind = np.int64(classes[point]) if point < len(classes) else sign_of(point, signs)[0]
        if kind == CURRENCY or kind == PERCENT or kind == BOX:
            return True
        signed = signed or kind == SIGN or (kind == POINT and (at > begin or not there[0]))
        at = behind
    if signed and there[1] and is_number(data, end, high, tables, 0):
        return True
    if not there[0] or not there[1] or data[begin] <= 32 or data[end - 1] <= 32:
        return False
    return is_number_before(data, begin, low, tables) and is_number(data, end, high, tables, 0)


@rare_part
def separator(data: Array, begin: Int, end: Int, signs: Array) -> Int:
    """How many signs there are between two digits, if they make one figure; else 0."""
    count = 0
    at = begin
    while at < end:
        point, at = read_point(data, at, end)
        kind, _ = sign_of(point, signs)
        if kind == SPACE:
            return 0
        if kind != IGNORED:
            count += 1
            if count > LONGEST_SEPARATOR:
                return 0
    return count


@rare_part
def belongs(kind: Int, touches: Any, numbers: Any, there: Any) -> Int:
    """Which of two words a mark belongs to: 0 the one before it, 1 the one behind it."""
    first = 0 if kind == PERCENT else 1
    for rank in range(4):  # touching figure, figure, touching word, word
        for side in (first, 1 - first):
            if there[side] and (rank & 1 or touches[side]) and (rank >= 2 or numbers[side]):
                return side
    return first


@part
def put(out: Array, count: Int, word: Int, spelling: Int) -> Int:
    """Store a mark where there is room; returns the new number of marks."""
    if count < len(out):
        out[count] = np.uint64(word) << SHIFT | np.uint64(spelling)
    return count + 1


@part
def is_fraction(point: Int) -> bool:
    """Whether a character is two numbers with a bar between them."""
    return 0xBC <= point <= 0xBE or 0x2150 <= point <= 0x215E or point == 0x2189


@rare_part
def find_in_gap(
    data: Array, begin: Int, end: Int, low: Int, high: Int, word: Int, there: Any, tables: Array, signs: Array,
    out: Array, count: Int,
) -> Int:  # fmt: skip
    """Marks between word - 1 and word of a text that is data[low:high]; returns the new number of marks."""
    numbers = (
        there[0] and is_number_before(data, begin, low, tables),
        there[1] and is_number(data, end, high, tables, 0),
    )
    joined = numbers[0] and numbers[1] and separator(data, begin, end, signs) > 0
    at = begin
    before = SIGN if not there[0] else 0  # the class of what is directly before; 0: a word
    sign: Int = np.int64(0)  # a plus or minus, and a point, that only currency signs have followed so far
    point_here: Int = np.int64(0)
    while at < end:
        point, behind = read_point(data, at, end)
        kind, spelling = sign_of(point, signs)
        if kind != IGNORED:
            counts = kind == CURRENCY or kind == PERCENT or kind == BOX
            if counts or (joined and kind != SPACE):
                side = belongs(kind, (before == 0, behind == end), numbers, there) if counts else 1
                count = put(out, count, word - 1 + side, spelling)
            if kind == SIGN:
                sign = spelling
            elif kind != CURRENCY and kind != POINT:
                sign = np.int64(0)
            loose = before == SPACE or before == CURRENCY or before == SIGN
            point_here = spelling if kind == POINT and loose else np.int64(0)
            before = kind if kind else PLAIN
        at = behind
    if numbers[1] and not joined:
        if sign:
            count = put(out, count, word, sign)
        if point_here:
            count = put(out, count, word, point_here)
    return count


@kernel
def find_marks(
    data: Array, text_offsets: Array, starts: Array, ends: Array, offsets: Array, tables: Array, classes: Array,
    signs: Array, out: Array, out_offsets: Array,
) -> Int:  # fmt: skip
    """The marks of every text, in order; returns their number, which may be more than there is room for.

    `classes` has the class of each of the first code points, `signs` is the table of `sign_of`.
    """
    count: Int = np.int64(0)
    for text in range(len(offsets) - 1):
        low, high = text_offsets[text], text_offsets[text + 1]
        words = offsets[text + 1] - offsets[text]
        out_offsets[text] = count
        if words == 0:
            continue
        for word in range(words + 1):
            row = offsets[text] + word
            begin = low + np.int64(ends[row - 1]) if word > 0 else low
            end = low + np.int64(starts[row]) if word < words else high
            if end < begin and is_fraction(read_point(data, end, high)[0]):
                count = put(out, count, word, BAR)  # both words are in one character
            if end <= begin or (data[begin] <= 32 and end - begin == 1):
                continue  # most words: nothing but a space before them
            if (
                end - begin == 2
                and data[end - 1] <= 32
                and data[begin] < 0x80
                and data[begin] != 36
                and data[begin] != 37
            ):
                continue  # or a comma and a space
            there = (word > 0, word < words)
            if not may_mark(data, begin, end, low, high, there, tables, classes, signs):
                continue
            count = find_in_gap(data, begin, end, low, high, word, there, tables, signs, out, count)
    out_offsets[len(offsets) - 1] = count
    return count
