"""Term signatures: the rarest words of texts, and comparing them in order of rarity.

Words are numbered by rarity, 0 the rarest; a table gives the number of a word's hash. A text's words set the bits of
their numbers, and a second row of bits tells which 64 of the first have any. So reading the bits in order sorts the
words, and takes time by the length of the text and not by the size of the table.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.distinct import slot_of
from truecopy.kernels.fold import read_point
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import trailing_zeros

Array = Any
PADDING = 1 << 23
"""Entries from here on are words that the table leaves out, by their hash."""
UNUSED = (1 << 24) - 1
HEAD = 4
"""Bytes before the entries: length, date."""
MOST = 65535
"""The greatest length and the greatest date that two bytes hold."""
WHOLE = np.int64(1_000_000)
"""One hundred per cent, in ten-thousandths of a per cent."""
TOO_UNLIKE_IN_LENGTH, TOO_FAR_IN_TIME = -1, -2
"""Given as the number of terms compared where none were."""
U0, U1 = np.uint64(0), np.uint64(1)
ZERO, NINE, FIRST_LETTER, ASCII = 48, 57, 65, 128


@part
def number_of(key: np.uint64, keys: Array, numbers: Array, secret: Array) -> int:
    """The number of a word, by its hash; -1 where the table does not have it."""
    mask = np.uint64(len(keys) - 1)
    if key == U0:
        key = U1  # as the table was filled: 0 is an empty slot
    slot = slot_of(key, secret, mask)
    while keys[slot] != U0:
        if keys[slot] == key:
            return np.int64(numbers[slot])
        slot = (slot + U1) & mask
    return np.int64(-1)


@part
def note(number: int, place: int, bits: Array, summary: Array, firsts: Array) -> None:
    """Note a word, and where it came first."""
    group = number >> 6
    bit = U1 << np.uint64(number & 63)
    if bits[group] & bit == U0:
        bits[group] |= bit
        summary[group >> 6] |= U1 << np.uint64(group & 63)
        firsts[number] = place


@part
def lowest(bits: Array, summary: Array, least: int, chosen: Array) -> int:
    """The lowest numbers noted that are not below `least`; returns how many there were, and forgets all."""
    count: Any = np.int64(0)
    for row in range(len(summary)):
        groups = summary[row]
        summary[row] = U0
        while groups:
            group = 64 * row + trailing_zeros(groups)
            groups &= groups - U1
            left = bits[group]
            bits[group] = U0
            while left:
                number = 64 * group + trailing_zeros(left)
                left &= left - U1
                if number >= least:
                    if count < len(chosen):
                        chosen[count] = number
                    count += 1
    return count


@part
def is_number(data: Array, at: int, end: int, classes: Array) -> int:
    """1 if a word is written with numbers only; ignorable code points do not count."""
    if data[at] >= FIRST_LETTER and data[at] < ASCII:
        return 0
    while at < end:
        point, at = read_point(data, at, end)
        if (point < ZERO or point > NINE) and classes[point] == 0:
            return 0
    return 1


@part
def pad(
    hashes: Array, begin: int, end: int, keys: Array, numbers: Array, secret: Array, seen: Array, filled: int,
    chosen: Array,
) -> int:  # fmt: skip
    """Fill up with words that the table leaves out, in order of first appearance; returns the number of entries."""
    before = filled
    for token in range(begin, end):
        if filled == len(chosen):
            break
        if number_of(hashes[token], keys, numbers, secret) < 0:
            low = np.int64(hashes[token] & np.uint64(PADDING - 1))
            if low == PADDING - 1:
                low -= 1  # the greatest entry means none
            bit = U1 << np.uint64(low & 63)
            if seen[low >> 6] & bit == U0:
                seen[low >> 6] |= bit
                chosen[filled] = PADDING + low
                filled += 1
    for place in range(before, filled):
        seen[(chosen[place] - PADDING) >> 6] = U0
    return filled


@kernel
def sign_terms(
    data: Array,
    text_offsets: Array,
    hashes: Array,
    starts: Array,
    ends: Array,
    word_offsets: Array,
    keys: Array,
    numbers: Array,
    secret: Array,
    classes: Array,
    bits: Array,
    summary: Array,
    firsts: Array,
    seen: Array,
    dates: Array,
    least: int,
    rows: Array,
    reliable: Array,
) -> None:
    """The signature of every text, and whether it has `least` words of the table and not mostly numbers.

    `bits`, `summary` and `seen` are zeros, before and after.
    """
    terms = (rows.shape[1] - HEAD) // 3
    chosen = np.empty(terms, np.int64)
    for text in range(len(text_offsets) - 1):
        base = text_offsets[text]
        begin, end = word_offsets[text], word_offsets[text + 1]
        digits: Any = np.int64(0)
        for token in range(begin, end):
            number = number_of(hashes[token], keys, numbers, secret)
            if number >= 0:
                note(number, token - begin, bits, summary, firsts)
            else:
                digits += is_number(data, base + np.int64(starts[token]), base + np.int64(ends[token]), classes)
        known = lowest(bits, summary, 0, chosen)
        filled = known if known < terms else terms
        if filled < terms:
            filled = pad(hashes, begin, end, keys, numbers, secret, seen, filled, chosen)
        length = end - begin if end - begin < MOST else MOST
        rows[text, 0], rows[text, 1] = length & 255, length >> 8
        rows[text, 2], rows[text, 3] = dates[text] & 255, dates[text] >> 8
        for entry in range(terms):
            value = chosen[entry] if entry < filled else UNUSED
            rows[text, HEAD + 3 * entry] = value & 255
            rows[text, HEAD + 3 * entry + 1] = value >> 8 & 255
            rows[text, HEAD + 3 * entry + 2] = value >> 16
        reliable[text] = known >= least and 2 * digits <= end - begin


@kernel
def choose_terms(
    hashes: Array,
    word_offsets: Array,
    keys: Array,
    numbers: Array,
    secret: Array,
    bits: Array,
    summary: Array,
    firsts: Array,
    least: int,
    chosen: Array,
    positions: Array,
) -> None:
    """The lowest numbers from `least` on of every text, -1 after the last, and where each word comes first."""
    for text in range(len(word_offsets) - 1):
        begin = word_offsets[text]
        for token in range(begin, word_offsets[text + 1]):
            number = number_of(hashes[token], keys, numbers, secret)
            if number >= least:
                note(number, token - begin, bits, summary, firsts)
        chosen[text, :] = -1
        lowest(bits, summary, least, chosen[text])
        for place in range(chosen.shape[1]):
            if chosen[text, place] >= 0:
                positions[text, place] = firsts[chosen[text, place]]


@part
def walk(a: Array, of_a: int, b: Array, of_b: int, needed: int, early: bool) -> tuple[int, int]:
    """The entries that two signatures share, and how far down it went in the one where it went further.

    Entries of the table ascend and are merged. Padding is not in order: each entry of one is looked up in the other.
    With `early` it stops as soon as the number needed is reached, or can no longer be reached.
    """
    at: Any = np.int64(0)
    other: Any = np.int64(0)
    shared: Any = np.int64(0)
    while at < of_a and other < of_b:
        left = of_a - at if of_a - at < of_b - other else of_b - other
        if early and (shared >= needed or shared + left < needed):
            break
        first, second = a[at], b[other]
        if first >= PADDING and second >= PADDING:
            break
        if first == second:
            shared += 1
        if first <= second:
            at += 1
        if second <= first:
            other += 1
    begin: Any = other
    while at < of_a and begin < of_b and a[at] >= PADDING and b[begin] >= PADDING:
        left = of_a - at if of_a - at < of_b - other else of_b - other
        if early and (shared >= needed or shared + left < needed):
            break
        for place in range(begin, of_b):
            if b[place] == a[at]:
                shared += 1
                other += 1
                break
        at += 1
    return shared, at if at > other else other


@kernel
def compare_terms(
    a: Array,
    heads_a: Array,
    b: Array,
    heads_b: Array,
    threshold: int,
    shortest: int,
    days: int,
    similar: Array,
    compared: Array,
) -> None:
    """For every two signatures: whether they share enough, and how many terms were compared to tell.

    Heads hold the number of entries, the length and the date. `shortest` is the least that the shorter length may be of
    the longer, and `threshold` the share of entries, both in ten-thousandths of a per cent; `days` below 0 lets every
    date pass.
    """
    for row in range(len(a)):
        of_a, long_a, day_a = heads_a[row, 0], heads_a[row, 1], heads_a[row, 2]
        for column in range(len(b)):
            of_b, long_b, day_b = heads_b[column, 0], heads_b[column, 1], heads_b[column, 2]
            similar[row, column] = False
            shorter, longer = (long_a, long_b) if long_a < long_b else (long_b, long_a)
            if WHOLE * shorter < shortest * longer:
                compared[row, column] = TOO_UNLIKE_IN_LENGTH
                continue
            apart = day_a - day_b if day_a > day_b else day_b - day_a
            if days >= 0 and day_a > 0 and day_b > 0 and apart > days:
                compared[row, column] = TOO_FAR_IN_TIME
                continue
            most = of_a if of_a > of_b else of_b
            needed = (threshold * most + WHOLE - 1) // WHOLE
            shared, gone = walk(a[row], of_a, b[column], of_b, needed, True)
            similar[row, column] = most > 0 and shared >= needed
            compared[row, column] = gone


@kernel
def shared_terms(a: Array, heads_a: Array, b: Array, heads_b: Array, out: Array) -> None:
    """The similarity (0 to 100) of every two signatures: shared entries, of the entries of the longer one."""
    for row in range(len(a)):
        for column in range(len(b)):
            of_a, of_b = heads_a[row, 0], heads_b[column, 0]
            most = of_a if of_a > of_b else of_b
            shared, _ = walk(a[row], of_a, b[column], of_b, np.int64(0), False)
            out[row, column] = 100.0 * shared / most if most else 0.0
