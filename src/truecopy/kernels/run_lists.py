"""Runs of one and of three words of many texts in one sorted array: how it is made, sorted and checked.

An entry is 64 bits: the upper half of a run's hash (its tag), two bits that tell what the text is listed for, six that
tell about how long it is, and the text. So the texts that have a run are neighbours, in four classes one after the
other: those that are listed under it for `contains` alone, for both relations, for `similar` alone, and for nothing.
Within a class they are in order of their lengths, so that those of fitting length are neighbours too.

For `contains` a text is listed under its rarest shingles, for `similar` under its pieces (kernels/pieces). How these
find it, and why nothing is missed, is in kernels/touch_runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.contain import HITS
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.mix import shingle_hash
from truecopy.kernels.pieces import choose_runs, pieces_wanted

Array = Any

MANY = 65535
"""Occurrences and texts are counted up to here."""
OWNERS = 1 << 24
"""Texts of a block are fewer than this; the bits above tell the length and the class."""
LENGTHS = 64
"""Steps of length that are told apart, each an eighth longer than the one before."""
CONTAINS, BOTH, SIMILAR, NEITHER = 0, 1, 2, 3
"""The classes of entries: what the text is listed for."""
RADIX = 11
"""Bits that are sorted by at a time."""
CLASSES = 1024
MOST_CLASSES = 64 + 32 * 10
"""Classes that counts up to `MANY` can have, and more."""
_COMMON, _MOST_COMMON = 30_000, 1000
"""A word of number n is expected in one of (n + 1) / 30 texts: most common words have the lowest numbers."""
_SELDOM = 16
"""A run of three words is expected to be so much rarer than its rarest word."""
_COUNTED = 16
"""An occurrence that was counted weighs so much more than one that is expected."""

TAG = np.uint64(32)
CLASS = np.uint64(30)
_LENGTH = np.uint64(24)
OWNER = np.uint64(OWNERS - 1)
LENGTH_AND_OWNER = np.uint64((1 << 30) - 1)
_ZERO = np.uint64(0)


@part
def class_of(count: int) -> int:
    """Counts as fewer numbers in the same order: up to 63 as they are, then 32 for each doubling."""
    doubled = 0
    while count >= 64:
        count >>= 1
        doubled += 1
    return 32 * doubled + count


@part
def room_for(words: int) -> int:
    """A power of two of slots, one and a half times as many as a text has words, or more."""
    size = 64
    while size < 3 * words // 2:
        size *= 2
    return size


@part
def first_from(entries: Array, begin: int, end: int, value: np.uint64) -> int:
    """The first entry that is not less than a value."""
    while begin < end:
        middle = (begin + end) // 2
        if entries[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@part
def _longest(offsets: Array, first: int, last: int) -> int:
    longest = 0
    for text in range(first, last):
        longest = max(longest, offsets[text + 1] - offsets[text])
    return longest


@part
def length_step(length: int) -> int:
    """About how long a text is; never falls as texts get longer."""
    step, edge = 0, 10
    while edge < length and step < LENGTHS - 1:
        edge += edge // 8 + 1
        step += 1
    return step


@part
def _word_tag(words: Array, keys: Array, i: int) -> int:
    return np.int64(shingle_hash(keys[words[i]], _ZERO, _ZERO) >> TAG)


@part
def _shingle_tag(words: Array, keys: Array, i: int) -> int:
    return np.int64(shingle_hash(keys[words[i]], keys[words[i + 1]], keys[words[i + 2]]) >> TAG)


@part
def _place_in(table: Array, size: int, tag: int, tags: Array, at: int, found: int) -> int:
    """Which of the tags from tags[at] on is the given one; if none of the `found` ones is, it becomes the next.

    `table` has so many slots in use, a power of two, each -1 or the place of a tag.
    """
    slot = tag & (size - 1)  # tags are well mixed
    while table[slot] >= 0 and tags[at + table[slot]] != tag:
        slot = (slot + 1) & (size - 1)
    if table[slot] < 0:
        table[slot] = found
        tags[at + found] = np.uint32(tag)
    return np.int64(table[slot])


@part
def distinct_runs(
    words: Array, begin: int, end: int, keys: Array, table: Array, tags: Array, at: int, places: Array, here: int
) -> tuple[int, int]:
    """The tags of a text's distinct runs, from tags[at] on: shingles first, then words; how many of either.

    `places` receives from `here` on, for each word, the places of the word and of the shingle that begins there.
    """
    size = room_for(end - begin)
    table[:size] = -1
    shingles = 0
    for i in range(begin, end - 2):
        place = _place_in(table, size, _shingle_tag(words, keys, i), tags, at, shingles)
        shingles += place == shingles
        places[here + i - begin, 1] = place
    table[:size] = -1
    found = 0
    for i in range(begin, end):
        place = _place_in(table, size, _word_tag(words, keys, i), tags, at + shingles, found)
        found += place == found
        places[here + i - begin, 0] = shingles + place
    return shingles, found


@part
def most_listed(size: int, loss: int, whole: int) -> int:
    """How many of a text's shingles it is listed under: what it may lose, one more, and one in HITS."""
    return min(size, size * loss // whole + 1 + size // HITS)


@kernel
def count_tags(words: Array, offsets: Array, keys: Array, first: int, last: int, bits: int, counts: Array) -> None:
    """How often runs with each value of the first `bits` of their tags occur in texts from `first` to `last`."""
    shift = 32 - bits
    for text in range(first, last):
        for i in range(offsets[text], offsets[text + 1]):
            slot = _word_tag(words, keys, i) >> shift
            counts[slot] += np.uint16(counts[slot] < MANY)
        for i in range(offsets[text], offsets[text + 1] - 2):
            slot = _shingle_tag(words, keys, i) >> shift
            counts[slot] += np.uint16(counts[slot] < MANY)


@part
def _expected(words: Array, i: int, length: int) -> int:
    """In how many of a thousand texts a run may be, by the numbers of its words."""
    rarest = np.int64(words[i])
    for j in range(i + 1, i + length):
        rarest = max(rarest, np.int64(words[j]))
    likely = min(_COMMON // (rarest + 1) + 1, _MOST_COMMON)
    return likely if length == 1 else max(likely // _SELDOM, 1)


@part
def mark_rarest(by_class: Array, classes: Array, size: int, wanted: int, rare: Array) -> None:
    """Mark so many of the runs of the lowest classes."""
    missing, level = wanted, -1
    while missing > 0:
        level += 1
        missing -= by_class[level]
    for i in range(size):
        rare[i] = classes[i] <= level
        if classes[i] == level and missing < 0:
            missing += 1
            rare[i] = False


@kernel
def make_entries(
    words: Array,
    offsets: Array,
    keys: Array,
    counts: Array,
    bits: int,
    prices: Array,
    loss: int,
    least: int,
    whole: int,
    shortest: Array,
    first: int,
    last: int,
    text_sizes: Any,
    entries: Array,
    bucket_bits: int,
    buckets: Array,
) -> int:
    """The entries of texts from `first` to `last`, one text's after the other's; and how many are in each bucket.

    A text of at least shortest[0] shingles is listed for `contains` under its rarest ones, one of at least shortest[1]
    words for `similar` under its pieces; a piece that occurs twice has two entries. `text_sizes` receive how many
    shingles, pieces and entries each text has. A bucket is a value of the first bits. Returns how many were made.
    """
    sizes, pieces, runs = text_sizes
    longest = _longest(offsets, first, last)
    table = np.empty(room_for(longest), np.int32)
    tags, places = np.empty(2 * longest, np.uint32), np.empty((longest, 2), np.int32)
    shift, bucket_shift = 32 - bits, 32 - bucket_bits
    by_class, classes = np.empty(CLASSES, np.int64), np.empty(longest, np.int16)
    rare, of_piece = np.empty(longest, np.bool_), np.empty(2 * longest, np.int32)
    costs, chosen = np.empty((2, longest), np.int64), np.empty(longest, np.uint8)
    impossible = 4 * prices[len(prices) - 1]
    made, price = 0, len(prices) // 2
    for text in range(first, last):
        begin, length = offsets[text], offsets[text + 1] - offsets[text]
        size, found = distinct_runs(words, begin, begin + length, keys, table, tags, 0, places, 0)
        rare[:size] = False
        if size >= shortest[0]:
            by_class[:MOST_CLASSES] = 0
            for i in range(size):
                classes[i] = class_of(np.int64(counts[np.int64(tags[i]) >> shift]))
                by_class[classes[i]] += 1
            mark_rarest(by_class, classes, size, most_listed(size, loss, whole), rare)
        of_piece[: size + found] = 0
        taken = 0
        if length >= shortest[1]:
            for i in range(length):
                often = np.int64(counts[np.int64(tags[places[i, 0]]) >> shift]) - 1
                costs[0, i] = 2 * (_COUNTED * often + _expected(words, begin + i, 1))
                costs[1, i] = impossible
            for i in range(length - 2):
                often = np.int64(counts[np.int64(tags[places[i, 1]]) >> shift]) - 1
                costs[1, i] = 2 * (_COUNTED * often + _expected(words, begin + i, 3))
            taken, price = choose_runs(costs, length, pieces_wanted(length, least), prices, price, chosen)
            i = 0
            while i < length:
                if chosen[i] > 0:
                    of_piece[places[i, 0 if chosen[i] == 1 else 1]] += 1
                i += max(np.int64(chosen[i]), 1)
        before, step = made, length_step(length)
        for i in range(size + found):
            listed = i < size and rare[i]
            sort = (BOTH if listed else SIMILAR) if of_piece[i] > 0 else CONTAINS if listed else NEITHER
            entry = (np.uint64(tags[i]) << TAG) | (np.uint64(step) << _LENGTH) | np.uint64(text)
            entries[made] = entry | (np.uint64(sort) << CLASS)
            for _ in range(1, of_piece[i]):
                made += 1
                entries[made] = entry | (np.uint64(SIMILAR) << CLASS)
            made += 1
            buckets[np.int64(tags[i]) >> bucket_shift] += max(np.int64(of_piece[i]), 1)
        sizes[text], pieces[text], runs[text] = size, taken, made - before
    return made


@kernel
def scatter_entries(entries: Array, bucket_bits: int, ends: Array, out: Array) -> None:
    """Put entries where their bucket has room; `ends` says where that begins, and moves on."""
    shift = np.uint64(64 - bucket_bits)
    for i in range(len(entries)):
        bucket = entries[i] >> shift if bucket_bits > 0 else np.uint64(0)
        out[ends[bucket]] = entries[i]
        ends[bucket] += 1


@kernel
def gather_entries(part: Array, cuts: Array, text: int, ends: Array, out: Array) -> None:
    """Put the entries of some buckets of a part where each bucket has room, with `text` added to their texts.

    `cuts` says where each bucket of the part begins, and where the last one ends. `ends` says where there is room, and
    moves on.
    """
    for bucket in range(len(ends)):
        place = ends[bucket]
        for i in range(cuts[bucket] - cuts[0], cuts[bucket + 1] - cuts[0]):
            out[place] = part[i] + np.uint64(text)
            place += 1
        ends[bucket] = place


@part
def sort_by(values: Array, scratch: Array, begin: int, end: int, low: int, bits: int, counts: Array) -> None:
    """Sort values[begin:end] by so many bits from bit `low` on; equal ones stay in their order."""
    done = 0
    while done < bits:
        width = min(RADIX, bits - done)
        shift, mask = np.uint64(low + done), np.uint64((1 << width) - 1)
        counts[: (1 << width) + 1] = 0
        for i in range(begin, end):
            counts[np.int64((values[i] >> shift) & mask) + 1] += 1
        for i in range(1 << width):
            counts[i + 1] += counts[i]
        for i in range(begin, end):
            place = np.int64((values[i] >> shift) & mask)
            scratch[counts[place]] = values[i]
            counts[place] += 1
        for i in range(begin, end):
            values[i] = scratch[i - begin]
        done += width


@kernel
def sort_buckets(
    entries: Array, buckets: Array, bucket_bits: int, first: int, last: int, slot_bits: int, starts: Array
) -> None:
    """Sort the entries of some buckets, which are in order of their texts; count those of slot s in starts[s + 1]."""
    largest = 0
    for bucket in range(first, last):
        largest = max(largest, buckets[bucket + 1] - buckets[bucket])
    scratch = np.empty(largest, np.uint64)
    counts = np.empty((1 << RADIX) + 1, np.int64)
    shift = np.uint64(32 - slot_bits)
    for bucket in range(first, last):
        # By the bits that tell length and class, and by what the bucket does not say of the tag.
        sort_by(entries, scratch, buckets[bucket], buckets[bucket + 1], 24, 40 - bucket_bits, counts)
        for i in range(buckets[bucket], buckets[bucket + 1]):
            starts[((entries[i] >> TAG) >> shift) + np.uint64(1)] += 1


@kernel
def check_entries(entries: Array, lengths: Array, runs: Array, listed: Array, pieces: Array) -> bool:
    """Whether entries ascend and tell lengths, and texts have as many of each sort as they should: these are counted
    down to zero.
    """
    for i in range(len(entries)):
        if i > 0 and entries[i] < entries[i - 1]:
            return False
        owner = np.int64(entries[i] & OWNER)
        if owner >= len(runs) or (entries[i] & LENGTH_AND_OWNER) >> _LENGTH != np.uint64(length_step(lengths[owner])):
            return False
        sort = np.int64((entries[i] >> CLASS) & np.uint64(3))
        runs[owner] -= 1
        listed[owner] -= sort <= BOTH
        pieces[owner] -= BOTH <= sort <= SIMILAR
    for owner in range(len(runs)):
        if runs[owner] != 0 or listed[owner] != 0 or pieces[owner] != 0:
            return False
    return True
