"""Which texts of an array of runs (kernels/run_lists) can matter to fresh texts: fresh runs are looked up in it.

Why nothing is missed. For `contains`: a text of n shingles of which a share must be found in another text may lose
`slack` of them, so of any slack + m of its shingles at least m are found there (kernels/contain). Each stored text is
listed under its slack + m rarest ones; a fresh text looks up all of its shingles among the listed entries, and meets m
times whatever it contains. And of its own slack + m shingles that are rarest in what is stored, it meets m among all
entries of whatever contains it. For `similar`: of slack + m pieces of the longer text, which do not overlap, the
shorter one has at least m (kernels/pieces). Each stored text is listed under its pieces, which every fresh text that is
shorter looks up; and a fresh text looks up its own pieces among all entries of the texts that are shorter. Runs that
share a tag can only add to what is met.

A text is only marked, and then passed over. Neighbours that are many are copied once for many fresh texts, without the
texts that are marked: so neither a family of copies nor a phrase that every text has is read again and again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.overlap import compared
from truecopy.kernels.pieces import LONGEST, choose_runs, pieces_wanted, slack_of
from truecopy.kernels.run_lists import (
    BOTH,
    CLASS,
    CLASSES,
    CONTAINS,
    LENGTH_AND_OWNER,
    LENGTHS,
    MANY,
    MOST_CLASSES,
    NEITHER,
    OWNER,
    OWNERS,
    RADIX,
    SIMILAR,
    TAG,
    class_of,
    distinct_runs,
    length_step,
    mark_rarest,
    most_listed,
    room_for,
    sort_by,
)

Array = Any

_LONG = 64
"""More neighbours than these are copied."""
_FEW = 16
"""So many entries are looked at one by one; among more, halving is faster."""
_MUCH_LONGER = 8
"""Shingles of texts that are so many times as long as what they may contain are not counted."""
_AHEAD = 64
"""Runs whose entries are fetched from memory at the same time."""

_LOW = np.uint64(0xFFFFFFFF)
_EVERY = LENGTHS * OWNERS


@kernel
def gather_runs(
    words: Array,
    offsets: Array,
    keys: Array,
    which: Array,
    first: int,
    last: int,
    tags: Array,
    places: Array,
    ends: Array,
    order: Array,
) -> int:
    """The distinct runs of fresh texts from which[first] on, as far as there is room; returns the text reached.

    `tags` receives those of one text after the other, `places` which run begins at each word, `ends` where each text's
    words end, its shingles and its runs; `order` their places and tags, by tag.
    """
    longest = 0
    for turn in range(first, last):
        longest = max(longest, offsets[which[turn] + 1] - offsets[which[turn]])
    table = np.empty(room_for(longest), np.int32)
    used, here, turn = 0, 0, first
    while turn < last:
        begin, end = offsets[which[turn]], offsets[which[turn] + 1]
        if turn > first and here + end - begin > len(places):
            break
        shingles, found = distinct_runs(words, begin, end, keys, table, tags, used, places, here)
        here += end - begin
        ends[turn - first, 0], ends[turn - first, 1] = here, used + shingles
        used += shingles + found
        ends[turn - first, 2] = used
        turn += 1
    for i in range(used):
        order[i] = (np.uint64(tags[i]) << TAG) | np.uint64(i)
    scratch, counts = np.empty(used, np.uint64), np.empty((1 << RADIX) + 1, np.int64)
    sort_by(order, scratch, 0, used, 32, 32, counts)
    return turn


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
def _copy(entries: Array, begin: int, ends: Array, at: int, upto: int, known: Array, pool: Array, used: int) -> int:
    """Copy the neighbours of some classes that are not marked, and tell anew where the classes end.

    Returns how much of the pool is used then, -1 if it is full and nothing was changed.
    """
    if used + ends[at, upto] > len(pool):
        return -1
    i = 0
    for sort in range(upto + 1):
        until = ends[at, sort]
        for entry in range(begin + i, begin + until):
            pool[used] = np.int64(entries[entry] & LENGTH_AND_OWNER)
            used += not known[np.int64(entries[entry] & OWNER)]
        i = until
        ends[at, sort] = used
    return used


@part
def _count_classes(entries: Array, begin: int, until: int, tag: np.uint64, ends: Array, at: int) -> None:
    """How many entries from `begin` on have a tag, up to the end of each class; none that has it is at `until`."""
    contains, both, similar, sort = 0, 0, 0, np.uint64(0)
    few = min(until, begin + _FEW)
    end = begin
    while end < few and entries[end] >> TAG == tag:
        sort = (entries[end] >> CLASS) & np.uint64(3)
        contains += sort < np.uint64(1)
        both += sort < np.uint64(2)
        similar += sort < np.uint64(3)
        end += 1
    if end < until and end == few and entries[end] >> TAG == tag:  # there are many: look for where each class ends
        if entries[until - 1] >> TAG == tag:
            end = until
        else:
            end = _first_from(entries, few, until, (tag + np.uint64(1)) << TAG)
        if sort < np.uint64(1):
            contains = _first_from(entries, few, end, (tag << TAG) | (np.uint64(1) << CLASS)) - begin
        if sort < np.uint64(2):
            both = _first_from(entries, few, end, (tag << TAG) | (np.uint64(2) << CLASS)) - begin
        if sort < np.uint64(3):
            similar = _first_from(entries, few, end, (tag << TAG) | (np.uint64(3) << CLASS)) - begin
    ends[at, 0], ends[at, 1], ends[at, 2], ends[at, 3] = contains, both, similar, end - begin


@kernel
def find_runs(
    order: Array,
    used: int,
    entries: Array,
    starts: Array,
    slot_bits: int,
    upto: int,
    known: Array,
    pool: Array,
    begins: Array,
    ends: Array,
    where: Array,
) -> tuple[int, int]:
    """Where in a block the neighbours of each run begin, and how many there are up to the end of each class.

    `order` has so many runs by tag. `where` receives where the neighbours begin and how many there are. `begins` and
    `ends` tell the same by class; but where there are many up to the class `upto`, they are in the pool, without those
    that are marked: then begins[i] is -1 - place. Returns (entries that were copied, a number without meaning).
    """
    shift = np.uint64(32 - slot_bits)
    bounds, fetched = np.empty((_AHEAD, 2), np.int64), np.uint64(0)
    filled, copied, before = 0, 0, -1
    for i in range(used):
        tag, place = order[i] >> TAG, np.int64(order[i] & _LOW)
        if i % _AHEAD == 0:  # fetch what the next ones need, all at the same time
            ahead = min(_AHEAD, used - i)
            for j in range(ahead):
                slot = np.int64((order[i + j] >> TAG) >> shift)
                bounds[j, 0], bounds[j, 1] = starts[slot], starts[slot + 1]
            for j in range(ahead):
                if bounds[j, 0] < bounds[j, 1]:
                    fetched ^= entries[bounds[j, 0]] ^ entries[bounds[j, 1] - 1]
        if before >= 0 and tag == order[before] >> TAG:
            same = np.int64(order[before] & _LOW)
            begins[place] = begins[same]
            for sort in range(4):
                ends[place, sort] = ends[same, sort]
            where[place, 0], where[place, 1] = where[same, 0], where[same, 1]
            continue
        before = i
        begin, until = bounds[i % _AHEAD, 0], bounds[i % _AHEAD, 1]
        begin = _first_from(entries, begin, until, tag << TAG) if until - begin > _FEW else begin
        while begin < until and entries[begin] >> TAG < tag:
            begin += 1
        begins[place] = begin
        _count_classes(entries, begin, until, tag, ends, place)
        where[place, 0], where[place, 1] = begin, ends[place, NEITHER]
        if ends[place, upto] > _LONG:
            copied += ends[place, upto]
            after_copy = _copy(entries, begin, ends, place, upto, known, pool, filled)
            if after_copy >= 0:
                begins[place] = -1 - filled
                for sort in range(upto + 1):
                    ends[place, sort] -= filled
                filled = after_copy
    return copied, np.int64(fetched)


@part
def _first_key(entries: Array, pool: Array, copied: bool, begin: int, end: int, key: int) -> int:
    """The first of some neighbours of one class that is not shorter than a length, or not before a text of it."""
    while begin < end:
        middle = (begin + end) // 2
        here = np.int64(pool[middle]) if copied else np.int64(entries[middle] & LENGTH_AND_OWNER)
        if here < key:
            begin = middle + 1
        else:
            end = middle
    return begin


@part
def _walk(
    begin: int,
    ends: Array,
    at: int,
    sort: int,
    weight: int,
    entries: Array,
    pool: Array,
    steps: tuple[int, int],
    low: int,
    high: int,
    sizes: Array,
    known: Array,
    hits: Array,
    met: Array,
    others: int,
) -> int:
    """Count hits for the texts of a class of neighbours that are not marked, of a length within `steps` and of a size
    from `low` to `high`; returns how many texts were met.
    """
    copied = begin < 0
    begin = -1 - begin if copied else begin
    last = begin + ends[at, sort]
    first = begin + (ends[at, sort - 1] if sort > 0 else 0)
    if last - first > _FEW and steps[0] > 0:
        first = _first_key(entries, pool, copied, first, last, steps[0])
    for i in range(first, last):
        key = np.int64(pool[i]) if copied else np.int64(entries[i] & LENGTH_AND_OWNER)
        if key >= steps[1]:
            break
        owner = key & (OWNERS - 1)
        if hits[owner] == 0:
            if key < steps[0] or known[owner] or sizes[owner] < low or sizes[owner] > high:
                continue
            met[others] = owner
            others += 1
        hits[owner] += weight
    return others


@part
def _count(
    begin: int,
    ends: Array,
    at: int,
    sort: int,
    weight: int,
    entries: Array,
    pool: Array,
    steps: tuple[int, int],
    hits: Array,
    met: Array,
    others: int,
) -> int:
    """Count hits for the texts of a class of neighbours whose length is within `steps`, whether they are marked or not:
    looking at nothing else, and without a branch, is faster. Returns how many texts were met.
    """
    copied = begin < 0
    begin = -1 - begin if copied else begin
    last = begin + ends[at, sort]
    first = begin + (ends[at, sort - 1] if sort > 0 else 0)
    if last - first > _FEW:
        first = _first_key(entries, pool, copied, first, last, steps[0])
    for i in range(first, last):
        key = np.int64(pool[i]) if copied else np.int64(entries[i] & LENGTH_AND_OWNER)
        if key >= steps[1]:
            break
        owner = key & (OWNERS - 1)
        more = weight if key >= steps[0] else 0
        met[others] = owner
        others += more > 0 and hits[owner] == 0
        hits[owner] += more
    return others


@part
def _steps(low: int, high: int) -> tuple[int, int]:
    """From which to below which length and owner the texts of a length from `low` to `high` are."""
    return length_step(low) * OWNERS, (length_step(high) + 1) * OWNERS


@part
def _may_be_similar(bags: Any, text: int, length: int, owner: int, other: int, least: int, whole: int) -> bool:
    """Whether a fresh text and a stored one share enough words, whatever their order."""
    asking, stored, place_of = bags
    terms, counts, offsets, order, _, histograms, bits, sums, common = asking
    own_terms, own_counts, own_offsets, own_order, _, own_histograms, own_bits, own_sums, own_common = stored
    need = (least * max(length, other) + whole - 1) // whole
    return compared(
        terms, counts, offsets, order, histograms, bits, sums, common, text, length,
        own_terms, own_counts, own_offsets, own_order, own_histograms, own_bits, own_sums, own_common,
        np.int64(place_of[owner]), other, need, False,
    ) >= 0  # fmt: skip


@part
def _lacks_more(
    terms: Array, counts: Array, begin: int, end: int, other_terms: Array, i: int, other_end: int, most: int
) -> bool:
    """Whether another text lacks more than so many of the words that a text has once or twice."""
    lacking = 0
    for own in range(begin, end):  # both have the greatest numbers first
        while i < other_end and other_terms[i] > terms[own]:
            i += 1
        lacking += counts[own] <= 2 and (i == other_end or other_terms[i] != terms[own])
        if lacking > most:
            return True
    return False


@part
def _may_contain(bags: Any, text: int, owner: int, fresh_inside: bool, slack: int) -> bool:
    """Whether one text may have all but `slack` of the other's shingles, by their words.

    A word that it lacks spoils three shingles, or fewer at the two ends, where six are missing in all; and no shingle
    has more than three words. So it lacks at most `slack` + 2 words. (Words that occur more often do not count: where
    one or two words are repeated again and again, three shingles can be the same.)
    """
    asking, stored, _ = bags
    terms, counts, offsets, _, _, _, _, _, _ = asking
    own_terms, own_counts, own_offsets, _, _, _, _, _, _ = stored
    if fresh_inside:
        return not _lacks_more(
            terms, counts, offsets[text], offsets[text + 1],
            own_terms, own_offsets[owner], own_offsets[owner + 1], slack + 2,
        )  # fmt: skip
    return not _lacks_more(
        own_terms, own_counts, own_offsets[owner], own_offsets[owner + 1],
        terms, offsets[text], offsets[text + 1], slack + 2,
    )  # fmt: skip


@part
def _is_neighbour(entries: Array, begin: int, count: int, key: int) -> bool:
    """Whether a text, given with its step of length, is among so many entries of one tag."""
    if count <= 2 * _FEW:
        for i in range(begin, begin + count):
            if np.int64(entries[i] & LENGTH_AND_OWNER) == key:
                return True
        return False
    tag = (entries[begin] >> TAG) << TAG
    for sort in range(4):
        wanted = tag | (np.uint64(sort) << CLASS) | np.uint64(key)
        found = _first_from(entries, begin, begin + count, wanted)
        if found < begin + count and entries[found] == wanted:
            return True
    return False


@part
def _shares_shingles(entries: Array, where: Array, begin: int, end: int, owner: int, length: int, fewest: int) -> bool:
    """Whether a stored text of so many words has at least so many of a fresh text's shingles, as far as it is worth
    counting: a long text has many short ones in it, and would be gone through for each of them.
    """
    left, key = end - begin - fewest, length_step(length) * OWNERS + owner
    if left < 0:
        return False
    if end - begin > _MUCH_LONGER * fewest:
        return True
    for i in range(begin, end):
        if not _is_neighbour(entries, where[i, 0], where[i, 1], key):
            left -= 1
            if left < 0:
                return False
    return True


@kernel
def meet_listed(
    offsets: Array,
    which: Array,
    first: int,
    last: int,
    ends: Array,
    block: Any,
    bags: Any,
    found: Any,
    limits: Any,
    counts: Array,
    known: Array,
) -> tuple[int, int]:
    """Mark the texts of a block that are listed under enough runs of a fresh text, which[first:last], for it to contain
    them or be similar to them.

    `block` are (entries, shingles and words of each text, the pieces of it that must be met), `bags` (those of the
    fresh texts and of the block's, as kernels/overlap takes them, and where each text of the block is among these),
    `found` (begins, ends, pool, where) as `find_runs` gives them. `limits` are (for `contains`: whether it is asked
    for, the share that may be missing, that which texts are listed for, of what whole, the fewest shingles; for
    `similar`: whether it is asked for, the least share, the fewest words). `counts` are the neighbours of each run so
    far, in all blocks. Returns (entries read, texts met).
    """
    entries, sizes, lengths, asked = block
    begins, run_ends, pool, where = found
    contains, loss, floor_loss, whole, fewest, similar, least, shortest = limits
    hits, met = np.zeros(len(sizes), np.int32), np.empty(len(sizes) + 1, np.int32)
    read, every_met, begin = 0, 0, 0
    for turn in range(last - first):
        middle, end = ends[turn, 1], ends[turn, 2]
        length = offsets[which[first + turn] + 1] - offsets[which[first + turn]]
        size = middle - begin
        for i in range(begin, end):
            counts[i] += run_ends[i, NEITHER]
        if contains and size >= fewest:
            others = 0
            for i in range(begin, middle):
                for sort in (CONTAINS, BOTH):
                    others = _walk(
                        begins[i], run_ends, i, sort, 1, entries, pool,
                        (0, _EVERY), fewest, size, sizes, known, hits, met, others,
                    )  # fmt: skip
                read += run_ends[i, BOTH]
            every_met += others
            for i in range(others):
                owner = np.int64(met[i])
                inside = np.int64(sizes[owner])
                slack = inside * loss // whole
                if (
                    hits[owner] >= most_listed(inside, floor_loss, whole) - slack
                    and _may_contain(bags, which[first + turn], owner, False, slack)
                    and _shares_shingles(entries, where, begin, middle, owner, lengths[owner], inside - slack)
                ):
                    known[owner] = True
                hits[owner] = 0
        if similar and length >= shortest:
            others, steps = 0, _steps(length, length * whole // least)
            for i in range(begin, end):
                for sort in (BOTH, SIMILAR):
                    others = _count(begins[i], run_ends, i, sort, 1, entries, pool, steps, hits, met, others)
                read += run_ends[i, SIMILAR] - run_ends[i, CONTAINS]
            every_met += others
            for i in range(others):
                owner = np.int64(met[i])
                enough = hits[owner] >= asked[owner]
                hits[owner] = 0
                if not enough or known[owner]:
                    continue
                other = np.int64(lengths[owner])
                if length <= other <= length * whole // least:
                    text = which[first + turn]
                    known[owner] = _may_be_similar(bags, text, length, owner, other, least, whole)
        begin = end
    return read, every_met


@kernel
def choose_own(
    offsets: Array,
    which: Array,
    first: int,
    last: int,
    ends: Array,
    places: Array,
    prices: Array,
    limits: Any,
    counts: Array,
    rare: Array,
    weights: Array,
    needed: Array,
) -> None:
    """Which runs of each fresh text, which[first:last], are looked up among all entries, by their counts.

    `rare` marks its rarest shingles, `weights` how many of its pieces each run is; `needed` how many must be met.
    """
    contains, loss, _, whole, fewest, similar, least, shortest = limits
    longest = _longest_of(offsets, which, first, last)
    by_class, classes = np.empty(CLASSES, np.int64), np.empty(longest, np.int16)
    costs, chosen = np.empty((LONGEST, longest), np.int64), np.empty(longest, np.uint8)
    impossible = 4 * prices[len(prices) - 1]
    begin, here = 0, 0
    for turn in range(last - first):
        middle, end, until = ends[turn, 1], ends[turn, 2], ends[turn, 0]
        size, length = middle - begin, until - here
        rare[begin:end] = False
        weights[begin:end] = 0
        needed[turn, :] = 0
        if contains and size >= fewest:
            by_class[:MOST_CLASSES] = 0
            for i in range(size):
                classes[i] = class_of(min(counts[begin + i], MANY))
                by_class[classes[i]] += 1
            wanted = most_listed(size, loss, whole)
            mark_rarest(by_class, classes, size, wanted, rare[begin:middle])
            needed[turn, 0] = wanted - size * loss // whole
            present = 0
            for i in range(begin, middle):
                present += rare[i] and counts[i] > 0
            if present < needed[turn, 0]:
                rare[begin:middle] = False
        if similar and length >= shortest:
            for i in range(length):
                costs[0, i] = 2 * min(counts[begin + places[here + i, 0]], MANY)
                costs[1, i] = impossible
                costs[2, i] = impossible
            for i in range(length - 2):
                costs[2, i] = 2 * min(counts[begin + places[here + i, 1]], MANY)
            taken = choose_runs(costs, length, pieces_wanted(length, least), prices, chosen)
            needed[turn, 1] = taken - slack_of(length, least)
            present = 0
            i = 0
            while i < length:
                run = np.int64(chosen[i])
                if run > 0:
                    present += costs[run - 1, i] > 0
                    weights[begin + places[here + i, 0 if run == 1 else 1]] += 1
                i += max(run, 1)
            if present < needed[turn, 1]:  # nobody has enough of them
                weights[begin:end] = 0
        begin, here = end, until


@part
def _longest_of(offsets: Array, which: Array, first: int, last: int) -> int:
    longest = 0
    for turn in range(first, last):
        longest = max(longest, offsets[which[turn] + 1] - offsets[which[turn]])
    return longest


@kernel
def meet_any(
    offsets: Array,
    which: Array,
    first: int,
    last: int,
    ends: Array,
    block: Any,
    bags: Any,
    found: Any,
    limits: Any,
    rare: Array,
    weights: Array,
    needed: Array,
    known: Array,
) -> tuple[int, int]:
    """Mark the texts of a block that have enough of the chosen runs of a fresh text to contain it, or to be the shorter
    one of two similar texts; arguments and answer are those of `meet_listed`.
    """
    entries, sizes, lengths, _ = block
    begins, run_ends, pool, where = found
    _, loss, _, whole, _, _, least, shortest = limits
    hits, met = np.zeros(len(sizes), np.int32), np.empty(len(sizes) + 1, np.int32)
    read, every_met, begin = 0, 0, 0
    for turn in range(last - first):
        middle, end = ends[turn, 1], ends[turn, 2]
        length = offsets[which[first + turn] + 1] - offsets[which[first + turn]]
        size = middle - begin
        if needed[turn, 0] > 0:
            others = 0
            for i in range(begin, middle):
                if rare[i]:
                    for sort in range(4):
                        others = _walk(
                            begins[i], run_ends, i, sort, 1, entries, pool,
                            (0, _EVERY), size, 1 << 40, sizes, known, hits, met, others,
                        )  # fmt: skip
                    read += run_ends[i, NEITHER]
            every_met += others
            for i in range(others):
                owner = np.int64(met[i])
                if (
                    hits[owner] >= needed[turn, 0]
                    and _may_contain(bags, which[first + turn], owner, True, size * loss // whole)
                    and _shares_shingles(
                        entries, where, begin, middle, owner, lengths[owner], size - size * loss // whole
                    )
                ):
                    known[owner] = True
                hits[owner] = 0
        if needed[turn, 1] > 0:
            others = 0
            fewest = max((least * length + whole - 1) // whole, shortest)
            steps = _steps(fewest, length)
            for i in range(begin, end):
                if weights[i] > 0:
                    for sort in range(4):
                        others = _count(
                            begins[i], run_ends, i, sort, np.int64(weights[i]), entries, pool, steps, hits, met, others
                        )
                    read += run_ends[i, NEITHER]
            every_met += others
            for i in range(others):
                owner = np.int64(met[i])
                enough = hits[owner] >= needed[turn, 1]
                hits[owner] = 0
                if not enough or known[owner]:
                    continue
                other = np.int64(lengths[owner])
                if fewest <= other <= length:
                    text = which[first + turn]
                    known[owner] = _may_be_similar(bags, text, length, owner, other, least, whole)
        begin = end
    return read, every_met
