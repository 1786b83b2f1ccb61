"""Counting: how often n-grams and words occur, and in how many texts.

A table of counts is an open-addressing table, a row of four numbers for each slot, so that counting an n-gram touches
one line of the processor's cache:

    KEY        the entry's bytes and their number, where they are at most seven, or eight of ASCII (seven bits each):
               entries are then told apart exactly; else a hash under the number 255, and the bytes are compared
    NUMBER     the entry's number from 1; 0 in an empty slot
    DOCUMENTS  texts that it occurs in (lower half), and the last of them, counted from 1 (upper half)
    OCCURS     how often it occurs

Where a search begins, and the hash of long entries, depend on a secret (`kernels.secret`): no text makes searches long.
`letters` and `ends` hold the entries' bytes by number. A kernel stops where one of them is full and says how far it
got; the caller makes room and goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.distinct import slot_of
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import fold_product, load_8
from truecopy.kernels.ngrams import bytes_hash, first_gram, next_point
from truecopy.kernels.tokenize import HASH_END_1, HASH_END_2, HASH_FACTOR, HASH_START, U0, U32, U33, mix

Array = Any
KEY, NUMBER, DOCUMENTS, OCCURS = range(4)
LOW = np.uint64(0xFFFFFFFF)
U1 = np.uint64(1)
U56 = np.uint64(56)
HIGH = np.uint64(0x8080808080808080)
HASHED = np.uint64(0xFF)
AT_ONCE = 256
"""N-grams whose keys are made before they are counted."""


@part
def _key(data: Array, begin: int, end: int, secret: Array) -> np.uint64:
    """The key of the entry data[begin:end]; the array must hold eight bytes from every place before `end`."""
    length = end - begin
    if length == 8 and load_8(data, begin) & HIGH == U0:
        word = load_8(data, begin)
        word = (word & np.uint64(0x007F007F007F007F)) | (word & np.uint64(0x7F007F007F007F00)) >> U1
        word = (word & np.uint64(0x00003FFF00003FFF)) | (word & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2)
        word = (word & np.uint64(0x000000000FFFFFFF)) | (word & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4)
        return word | (np.uint64(8) << U56)
    if length > 7:
        value = secret[0]
        for at in range(begin, end, 8):
            word = load_8(data, at)
            if end - at < 8:
                word &= (U1 << np.uint64(8 * (end - at))) - U1
            value = fold_product(value ^ word, secret[1])
        return value | (HASHED << U56)
    word = load_8(data, begin) & ((U1 << np.uint64(8 * length)) - U1)
    return word | (np.uint64(length) << U56)


@part
def _home(key: np.uint64, slots: int, secret: Array) -> np.uint64:
    """Where the search for a key begins."""
    return slot_of(key, secret, np.uint64(slots - 1))


@part
def _slot(
    table: Array, key: np.uint64, data: Array, begin: int, end: int, letters: Array, ends: Array, secret: Array
) -> np.uint64:
    """The slot of an entry, or the empty one where it belongs."""
    mask = np.uint64(len(table) - 1)
    slot = _home(key, len(table), secret)
    while table[slot, NUMBER] != U0:
        if table[slot, KEY] == key:
            if key >> U56 != HASHED:
                break
            number = np.int64(table[slot, NUMBER])
            first = ends[number - 2] if number > 1 else 0
            same = ends[number - 1] - first == end - begin
            i = 0
            while same and i < end - begin:
                same = letters[first + i] == data[begin + i]
                i += 1
            if same:
                break
        slot = (slot + U1) & mask
    return slot


@part
def _has_room(table: Array, size: int, letters: Array, ends: Array, length: int) -> bool:
    used = ends[size - 1] if size else 0
    return size < len(ends) and 2 * size < len(table) and used + length <= len(letters)


@part
def _append(
    table: Array, slot: np.uint64, key: np.uint64, data: Array, begin: int, end: int, size: int, letters: Array,
    ends: Array,
) -> None:  # fmt: skip
    used = ends[size - 1] if size else 0
    for i in range(end - begin):
        letters[used + i] = data[begin + i]
    ends[size] = used + end - begin
    table[slot, KEY] = key
    table[slot, NUMBER] = size + 1


@part
def _next_grams(
    data: Array, end: int, n: int, place: Array, keys: Array, begins: Array, stops: Array, secret: Array
) -> int:
    """Keys and places of the next n-grams of a text that ends at `end`, as many as there is room for.

    `place` holds where the next n-gram begins and where it ends. Where the text is ASCII, an n-gram is n bytes: eight
    are taken at a time, without looking at a single byte.
    """
    begin, stop = place[0], place[1]
    mask = (U1 << np.uint64(8 * min(n, 7))) - U1
    length = np.uint64(n) << U56
    found = 0
    while stop <= end and found < AT_ONCE:
        while (
            n < 8
            and found + 8 <= AT_ONCE
            and stop - begin == n
            and begin + 16 <= end
            and (load_8(data, begin) | load_8(data, begin + 8)) & HIGH == U0
        ):
            for i in range(8):
                keys[found + i] = (load_8(data, begin + i) & mask) | length
                begins[found + i] = begin + i
                stops[found + i] = stop + i
            found += 8
            begin += 8
            stop += 8
        if found == AT_ONCE or stop > end:
            break
        keys[found] = _key(data, begin, stop, secret)
        begins[found] = begin
        stops[found] = stop
        found += 1
        begin = next_point(data, begin, end)
        stop = end + 1 if stop == end else next_point(data, stop, end)
    place[0], place[1] = begin, stop
    return found


@kernel
def count_grams(
    data: Array, offsets: Array, n: int, before: int, place: Array, table: Array, letters: Array, ends: Array,
    secret: Array,
) -> bool:  # fmt: skip
    """Count the n-grams of texts; False where room ran out.

    `before` is how many texts this table has counted already. `place` says where to begin and how far it got: where the
    next n-gram begins and ends, its text, the entries so far, and the n-grams counted. It starts as (0, -1, 0, …): the
    kernel finds the ends of a text's first n-gram.
    """
    keys = np.empty(AT_ONCE, np.uint64)
    begins = np.empty(AT_ONCE, np.int64)
    stops = np.empty(AT_ONCE, np.int64)
    size = place[3]
    for text in range(place[2], len(offsets) - 1):
        end = offsets[text + 1]
        if place[1] < 0:
            first_gram(data, offsets[text], end, n, place)
        seen = np.uint64(before + text + 1) << U32
        found = _next_grams(data, end, n, place, keys, begins, stops, secret)
        while found:
            for i in range(found):
                slot = _slot(table, keys[i], data, begins[i], stops[i], letters, ends, secret)
                if table[slot, NUMBER] == U0:
                    if not _has_room(table, size, letters, ends, stops[i] - begins[i]):
                        place[0], place[1], place[2], place[3] = begins[i], stops[i], text, size
                        place[4] += i
                        return False
                    _append(table, slot, keys[i], data, begins[i], stops[i], size, letters, ends)
                    size += 1
                count = table[slot, DOCUMENTS]
                table[slot, DOCUMENTS] = ((count & LOW) + np.uint64(count & ~LOW != seen)) | seen
                table[slot, OCCURS] += U1
            place[4] += found
            found = _next_grams(data, end, n, place, keys, begins, stops, secret)
        place[1] = -1
    place[2], place[3] = len(offsets) - 1, size
    return True


@kernel
def add_counts(
    data: Array, data_ends: Array, documents: Array, occurs: Array, first: int, size: int, table: Array, letters: Array,
    ends: Array, secret: Array,
) -> tuple[int, int]:  # fmt: skip
    """Add entries that are counted already, from entry `first` on; returns how far it got, and the table's entries."""
    for entry in range(first, len(data_ends)):
        begin = data_ends[entry - 1] if entry else 0
        end = data_ends[entry]
        key = _key(data, begin, end, secret)
        slot = _slot(table, key, data, begin, end, letters, ends, secret)
        if table[slot, NUMBER] == U0:
            if not _has_room(table, size, letters, ends, end - begin):
                return entry, size
            _append(table, slot, key, data, begin, end, size, letters, ends)
            size += 1
        table[slot, DOCUMENTS] += np.uint64(documents[entry])
        table[slot, OCCURS] += np.uint64(occurs[entry])
    return len(data_ends), size


@kernel
def move_counts(table: Array, larger: Array, secret: Array) -> None:
    """Put every row of a table into a larger, empty one."""
    mask = np.uint64(len(larger) - 1)
    for row in range(len(table)):
        if table[row, NUMBER] != U0:
            key = table[row, KEY]
            slot = _home(key, len(larger), secret)
            while larger[slot, NUMBER] != U0:
                slot = (slot + U1) & mask
            for column in range(4):
                larger[slot, column] = table[row, column]


@kernel
def count_words(numbers: Array, offsets: Array, before: int, seen: Array, documents: Array, occurs: Array) -> None:
    """Count the words of texts, given as numbers; `seen` holds the last text that had each, counted from 1."""
    for text in range(len(offsets) - 1):
        for i in range(offsets[text], offsets[text + 1]):
            word = numbers[i]
            occurs[word] += 1
            if seen[word] != before + text + 1:
                seen[word] = before + text + 1
                documents[word] += 1


@kernel
def entry_hashes(letters: Array, ends: Array, as_words: bool, out: Array) -> None:
    """The tokenizer's hash of every folded word, or `bytes_hash` of every n-gram.

    The array must hold eight bytes from every place of an entry.
    """
    begin = 0
    for entry in range(len(ends)):
        end = ends[entry]
        if as_words:
            value = HASH_START
            for at in range(begin, end, 8):
                chunk = load_8(letters, at)
                if end - at < 8:
                    chunk &= (U1 << np.uint64(8 * (end - at))) - U1
                value = mix(value, chunk, HASH_FACTOR, U32)
            value = mix(value, value >> U33, HASH_END_1, U33)
            out[entry] = mix(value, U0, HASH_END_2, U33)
        else:
            out[entry] = bytes_hash(letters, begin, end)
        begin = end
