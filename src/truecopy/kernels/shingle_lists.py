"""All shingles of many texts in one sorted array, and which of its texts can contain a fresh text or be inside one.

An entry is 64 bits: the upper half of a shingle's hash (its tag), a bit that is 0 where the text is listed under the
shingle, and the text. So the texts that have a tag are one run of entries, those that are listed under it first.

Why nothing is missed: a text of n shingles of which a share must be found in another text may lose `slack` of them, so
of any slack + m of its shingles at least m are found there (kernels/contain). Each stored text is listed under its
slack + m rarest ones; a fresh text looks up all of its shingles among the listed entries, and meets m times whatever it
contains. And of its own slack + m shingles that are rarest in the block, it meets m among all entries of whatever
contains it. Shingles that share a tag can only add to what is met.

A text is only marked, and then passed over. Runs that are long are copied once for many fresh texts, without the texts
that are marked: so neither a family of copies nor a phrase that every text has is read again and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.contain import HITS
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.mix import shingle_hash

Array = Any

MANY = 65535
"""Texts are counted up to here."""
OTHERS = 1 << 31
"""The bit of entries whose text is not listed under the shingle."""
RADIX = 11
"""Bits that are sorted by at a time."""
CLASSES = 1024
_MOST_CLASSES = 64 + 32 * 10
"""Classes that counts up to `MANY` can have, and more."""
_LONG = 64
"""Runs of more entries are copied."""
_WORDS_AT_ONCE = 1 << 20
"""Words of fresh texts whose shingles are looked up together, in order of their tags: neighbours share memory."""
_AHEAD = 64
"""Shingles whose entries are fetched from memory at the same time."""

_TAG = np.uint64(32)
_OWNER = np.uint64(OTHERS - 1)
_LOW = np.uint64(0xFFFFFFFF)


@part
def _class_of(count: int) -> int:
    """Counts as fewer numbers in the same order: up to 63 as they are, then 32 for each doubling."""
    doubled = 0
    while count >= 64:
        count >>= 1
        doubled += 1
    return 32 * doubled + count


@part
def _room_for(words: int) -> int:
    """A power of two of slots, one and a half times as many as a text has words, or more."""
    size = 64
    while size < 3 * words // 2:
        size *= 2
    return size


@part
def _longest(offsets: Array, first: int, last: int) -> int:
    longest = 0
    for text in range(first, last):
        longest = max(longest, offsets[text + 1] - offsets[text])
    return longest


@part
def _distinct(words: Array, begin: int, end: int, keys: Array, table: Array, tags: Array, at: int) -> int:
    """The tags of a text's distinct shingles, from tags[at] on; returns how many there are. `table` is scratch."""
    size = _room_for(end - begin)
    table[:size] = np.uint64(0)
    mask = np.uint64(size - 1)
    found = 0
    for i in range(begin, end - 2):
        value = shingle_hash(keys[words[i]], keys[words[i + 1]], keys[words[i + 2]])
        if value == np.uint64(0):
            value = np.uint64(1)
        slot = value & mask
        while table[slot] != np.uint64(0) and table[slot] != value:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] == np.uint64(0):
            table[slot] = value
            tags[at + found] = np.uint32(value >> _TAG)
            found += 1
    return found


@part
def _most_listed(size: int, loss: int, whole: int) -> int:
    """How many of a text's shingles it is listed under: what it may lose, one more, and one in HITS."""
    return min(size, size * loss // whole + 1 + size // HITS)


@kernel
def count_tags(
    words: Array,
    offsets: Array,
    keys: Array,
    first: int,
    last: int,
    bits: int,
    tags: Array,
    sizes: Array,
    counts: Array,
) -> None:
    """The distinct shingles of texts from `first` to `last`: their tags, where the text's words are; how many; and in
    how many texts those with each value of their first `bits` are (up to `MANY`).
    """
    table = np.empty(_room_for(_longest(offsets, first, last)), np.uint64)
    shift = np.uint64(32 - bits)
    for text in range(first, last):
        found = _distinct(words, offsets[text], offsets[text + 1], keys, table, tags, offsets[text])
        sizes[text] = found
        for i in range(offsets[text], offsets[text] + found):
            slot = np.uint64(tags[i]) >> shift
            if counts[slot] < MANY:
                counts[slot] += np.uint16(1)


@kernel
def make_entries(
    tags: Array,
    offsets: Array,
    sizes: Array,
    counts: Array,
    bits: int,
    loss: int,
    whole: int,
    shortest: int,
    first: int,
    last: int,
    entries: Array,
    bucket_bits: int,
    buckets: Array,
) -> None:
    """The entries of texts from `first` to `last`, one text's after the other's; and how many are in each bucket.

    A text of at least `shortest` shingles is listed under its rarest ones. A bucket is a value of the first bits.
    """
    shift, bucket_shift = np.uint64(32 - bits), np.uint64(32 - bucket_bits)
    by_class, classes = np.empty(CLASSES, np.int64), np.empty(_longest(offsets, first, last), np.int16)
    made = 0
    for text in range(first, last):
        begin, size = offsets[text], np.int64(sizes[text])
        level, surplus = -1, 0
        if size >= shortest:
            by_class[:_MOST_CLASSES] = 0
            for i in range(size):
                classes[i] = _class_of(np.int64(counts[np.uint64(tags[begin + i]) >> shift]))
                by_class[classes[i]] += 1
            missing = _most_listed(size, loss, whole)
            while missing > 0:
                level += 1
                missing -= by_class[level]
            surplus = -missing
        for i in range(size):
            tag = np.uint64(tags[begin + i])
            listed = level >= 0 and classes[i] <= level
            if listed and surplus > 0 and classes[i] == level:
                surplus -= 1
                listed = False
            entries[made] = (tag << _TAG) | np.uint64(text) | np.uint64(0 if listed else OTHERS)
            made += 1
            buckets[tag >> bucket_shift] += 1


@kernel
def scatter_entries(entries: Array, bucket_bits: int, ends: Array, out: Array) -> None:
    """Put entries where their bucket has room; `ends` says where that begins, and moves on."""
    shift = np.uint64(64 - bucket_bits)
    for i in range(len(entries)):
        bucket = entries[i] >> shift if bucket_bits > 0 else np.uint64(0)
        out[ends[bucket]] = entries[i]
        ends[bucket] += 1


@part
def _sort_by(values: Array, scratch: Array, begin: int, end: int, low: int, bits: int, counts: Array) -> None:
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
        # By the bit that tells whether the text is listed, and by what the bucket does not say of the tag.
        _sort_by(entries, scratch, buckets[bucket], buckets[bucket + 1], 31, 33 - bucket_bits, counts)
        for i in range(buckets[bucket], buckets[bucket + 1]):
            starts[((entries[i] >> _TAG) >> shift) + np.uint64(1)] += 1


@kernel
def check_entries(entries: Array, sizes: Array, listed: Array) -> bool:
    """Whether entries ascend and every text has as many as it should, counted down to zero in the two arrays."""
    for i in range(len(entries)):
        if i > 0 and entries[i] < entries[i - 1]:
            return False
        owner = np.int64(entries[i] & _OWNER)
        if owner >= len(sizes):
            return False
        sizes[owner] -= 1
        if entries[i] & np.uint64(OTHERS) == np.uint64(0):
            listed[owner] -= 1
    for owner in range(len(sizes)):
        if sizes[owner] != 0 or listed[owner] != 0:
            return False
    return True


@part
def _first_from(entries: Array, begin: int, end: int, value: np.uint64) -> int:
    """The first entry that is not less than a value."""
    while begin < end:
        middle = (begin + end) // 2
        if entries[middle] < value:
            begin = middle + 1
        else:
            end = middle
    return begin


@part
def _copy_run(entries: Array, begin: int, end: int, known: Array, pool: Array, used: int) -> int:
    """Copy the owners of a run that are not marked; returns how much of the pool is used then, -1 if it is full."""
    for i in range(begin, end):
        owner = np.int64(entries[i] & _OWNER)
        if not known[owner]:
            if used == len(pool):
                return -1
            pool[used] = owner
            used += 1
    return used


@part
def _walk(
    begin: int,
    count: int,
    entries: Array,
    pool: Array,
    size: int,
    inside: bool,
    sizes: Array,
    known: Array,
    stamp: int,
    notes: Any,
    met: int,
) -> int:
    """Count a hit for every text of a run that is not marked and of fitting size; returns how many texts were met."""
    seen, hits, owners = notes
    copied = begin < 0
    begin = -1 - begin if copied else begin
    for i in range(begin, begin + count):
        owner = np.int64(pool[i]) if copied else np.int64(entries[i] & _OWNER)
        if known[owner]:
            continue
        if seen[owner] == stamp:
            hits[owner] += 1
        elif (sizes[owner] <= size) if inside else (sizes[owner] >= size):
            seen[owner] = stamp
            hits[owner] = 1
            owners[met] = owner
            met += 1
    return met


@kernel
def touch_by_shingles(
    words: Array,
    offsets: Array,
    keys: Array,
    entries: Array,
    starts: Array,
    sizes: Array,
    slot_bits: int,
    floor_loss: int,
    loss: int,
    whole: int,
    shortest: int,
    copies: int,
    which: Array,
    first: int,
    last: int,
    known: Array,
) -> tuple[int, int, int]:
    """Mark the stored texts that may be inside one of the fresh texts which[first:last], or contain it.

    `loss` / `whole` is the share that may be missing, `floor_loss` that which the stored texts are listed for. There is
    room for so many `copies` of entries of long runs; those that do not fit are read where they are. Returns (entries
    of runs that were read, texts that were met, a number without meaning).
    """
    longest, total = 0, 0
    for turn in range(first, last):
        length = offsets[which[turn] + 1] - offsets[which[turn]]
        longest, total = max(longest, length), total + length
    room = max(longest, min(_WORDS_AT_ONCE, total))
    table = np.empty(_room_for(longest), np.uint64)
    tags = np.empty(room, np.uint32)
    order, scratch = np.empty(room, np.uint64), np.empty(room, np.uint64)
    counts = np.empty((1 << RADIX) + 1, np.int64)
    # Of each shingle: where its run begins (in the pool: -1 - place) and how many entries are listed; where all begin
    # and how many there are; whether it is one of the text's rarest.
    listed, every = np.empty((room, 2), np.int64), np.empty((room, 2), np.int64)
    rare = np.empty(room, np.bool_)
    pool = np.empty(copies, np.int32)
    by_class = np.empty(CLASSES, np.int64)
    begins = np.empty(last - first + 1, np.int64)
    seen, hits = np.zeros(len(sizes), np.int64), np.zeros(len(sizes), np.int64)
    notes = (seen, hits, np.empty(len(sizes), np.int32))
    shift = np.uint64(32 - slot_bits)
    bounds, fetched = np.empty((_AHEAD, 2), np.int64), np.uint64(0)
    stamp, read, every_met = 0, 0, 0
    turn = first
    while turn < last:
        # The shingles of some texts, and their runs.
        some, used = turn, 0
        begins[0] = 0
        while turn < last and used + offsets[which[turn] + 1] - offsets[which[turn]] <= room:
            begin, end = offsets[which[turn]], offsets[which[turn] + 1]
            found = _distinct(words, begin, end, keys, table, tags, used)
            used += found if found >= shortest else 0
            turn += 1
            begins[turn - some] = used
        for i in range(used):
            order[i] = (np.uint64(tags[i]) << _TAG) | np.uint64(i)
        _sort_by(order, scratch, 0, used, 32, 32, counts)
        filled = 0
        begin, middle, end, copy = 0, 0, 0, 0
        for i in range(used):
            tag, place = order[i] >> _TAG, np.int64(order[i] & _LOW)
            if i % _AHEAD == 0:  # fetch what the next ones need, all at the same time
                ahead = min(_AHEAD, used - i)
                for j in range(ahead):
                    slot = np.int64((order[i + j] >> _TAG) >> shift)
                    bounds[j, 0], bounds[j, 1] = starts[slot], starts[slot + 1]
                for j in range(ahead):
                    if bounds[j, 0] < bounds[j, 1]:
                        fetched ^= entries[bounds[j, 0]] ^ entries[bounds[j, 1] - 1]
            if i == 0 or tag != order[i - 1] >> _TAG:
                until = bounds[i % _AHEAD, 1]
                begin = _first_from(entries, bounds[i % _AHEAD, 0], until, tag << _TAG)
                middle = begin
                if begin < until and entries[begin] >> _TAG == tag:
                    middle = _first_from(entries, begin, until, (tag << _TAG) | np.uint64(OTHERS))
                end = middle
                if middle < until and entries[middle] >> _TAG == tag:
                    end = _first_from(entries, middle, until, (tag << _TAG) | _LOW)
                    while end < until and entries[end] >> _TAG == tag:
                        end += 1
                copy = 0
                if middle - begin > _LONG:
                    after = _copy_run(entries, begin, middle, known, pool, filled)
                    read += middle - begin
                    if after >= 0:
                        copy = -1 - filled
                        middle = begin + after - filled  # only its length is used from here on
                        filled = after
                # `end` stays: it counts how common the shingle is
            listed[place, 0] = copy if copy < 0 else begin
            listed[place, 1] = middle - begin
            every[place, 0] = begin
            every[place, 1] = end - begin
        # The rarest shingles of each text; their long runs without what is marked.
        for own in range(some, turn):
            begin, end = begins[own - some], begins[own - some + 1]
            if begin == end:
                continue
            by_class[:] = 0
            for i in range(begin, end):
                by_class[_class_of(every[i, 1])] += 1
            missing, level = _most_listed(end - begin, loss, whole), -1
            while missing > 0:
                level += 1
                missing -= by_class[level]
            for i in range(begin, end):
                own_class = _class_of(every[i, 1])
                rare[i] = own_class <= level
                if own_class == level and missing < 0:
                    missing += 1
                    rare[i] = False
        done, copy, after = np.uint64(0), 0, 0
        for i in range(used):
            tag, place = order[i] >> _TAG, np.int64(order[i] & _LOW)
            if not rare[place] or every[place, 1] <= _LONG:
                continue
            if copy == 0 or tag != done:
                after = _copy_run(entries, every[place, 0], every[place, 0] + every[place, 1], known, pool, filled)
                read += every[place, 1]
                if after < 0:
                    break
                done, copy = tag, -1 - filled
                filled = after
            every[place, 0] = copy
            every[place, 1] = after + 1 + copy
        # Each text with what it meets.
        for own in range(some, turn):
            begin, end = begins[own - some], begins[own - some + 1]
            size = end - begin
            met = 0
            stamp += 1
            for i in range(begin, end):
                read += listed[i, 1]
                met = _walk(listed[i, 0], listed[i, 1], entries, pool, size, True, sizes, known, stamp, notes, met)
            every_met += met
            for at in range(met):
                owner = np.int64(notes[2][at])
                inside = np.int64(sizes[owner])
                if hits[owner] >= _most_listed(inside, floor_loss, whole) - inside * loss // whole:
                    known[owner] = True
            needed = _most_listed(size, loss, whole) - size * loss // whole
            present = 0
            for i in range(begin, end):
                present += rare[i] and every[i, 1] > 0
            if present < needed:
                continue
            met = 0
            stamp += 1
            for i in range(begin, end):
                if rare[i]:
                    read += every[i, 1]
                    met = _walk(every[i, 0], every[i, 1], entries, pool, size, False, sizes, known, stamp, notes, met)
            every_met += met
            for at in range(met):
                owner = np.int64(notes[2][at])
                if hits[owner] >= needed:
                    known[owner] = True
    return read, every_met, np.int64(fetched)
