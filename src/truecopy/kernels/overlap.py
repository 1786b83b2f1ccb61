"""The exact join of bags of words: every two texts whose bags overlap enough.

Texts come in order of length, shortest first, and are named by their place in that order. Words come in one fixed
order, rarest first (any order is exact; a good one is only faster). A text of L words that may lose `slack` of them
shares at least one word of its prefix (the rarest words that together occur more than `slack` times) with every text
that it can be similar to, and the rarest word that both share is in the prefix of each. So only texts that meet in
a prefix are tested, by the cheapest test first: length, position (what is already lost on either side), which words
they have at all, a histogram of both bags, and last the bags themselves. Every test drops only pairs that provably
overlap too little. Nothing is missed. (Prefix and position filters: Bayardo, Ma and Srikant 2007; Xiao et al. 2008.)

Two copies of one form, filled in differently, nearly always meet in some word. So prefixes are longer than necessary:
of `slack` + e words at most `slack` are unshared, so a pair must meet e times. One of the two prefixes ends first, in
the order of the words, and up to there both are listed whole; so it is enough to ask for the lesser e of the two.
(Wang, Li and Feng 2012.)

Which words a text has at all is a set of 1024 bits, one for each word by its hash. A bit that is set for one text and
not for the other is a word at least that the other lacks: the shorter text must not have more of them than it may lose.

A histogram is 256 counters of 7 bits, 8 of them in a word of 64 bits, so that eight are compared at a time. A full
counter stays at 127, and what it leaves out counts as if all of it were shared: with h the counters of a bag
of L words, S their sum and O = L − S what they leave out,

    shared ≤ Σ min(hx, hy) + min(Ox, Oy)     since min(hx + ox, hy + oy) ≤ min(hx, hy) + min(ox, oy)
           = Sx − Σ max(hx − hy, 0) + min(Ox, Oy)

where o > 0 only for counters that are full: if one of the two is not, o of the lower is 0 and the minimum is its h.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import LANES, count_only_in

Array = Any
FULL = 127
OWN = 104
"""The words with the lowest numbers, the most common ones, have counters of their own: the first 4 have 4 each, the
next 12 have 2, filled one after the other, so that these hold more; the others share the second half."""
HISTOGRAM = 32
"""Words of 64 bits in a histogram."""
BITS = 2 * LANES
"""Words of 64 bits in a set of bits."""
WHOLE = 1_000_000
EXTENSION = 8
"""Prefixes are longer than necessary by the number of words that may be lost, divided by this."""

_GUARDS = np.uint64(0x8080808080808080)
_EVEN = np.uint64(0x00FF00FF00FF00FF)
_ONES = np.uint64(0x0001000100010001)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def count_words(
    terms: Array, counts: Array, offsets: Array, order: Array, slacks: Array, prefixes: bool, out: Array
) -> None:
    """How many texts have each word; with `prefixes`, in their first words that occur more than `slack` times."""
    for place in range(len(order)):
        lost = 0
        for i in range(offsets[order[place]], offsets[order[place] + 1]):
            if prefixes and lost > slacks[place]:
                break
            out[terms[i]] += 1
            lost += np.int64(counts[i])


@kernel
def fill_lists(
    terms: Array,
    counts: Array,
    offsets: Array,
    order: Array,
    slacks: Array,
    ranks: Array,
    prefixes: bool,
    ends: Array,
    texts: Array,
    before: Array,
) -> int:
    """Lists of the texts that have each word in their prefix, by place, with the words left before it.

    `ranks` puts the words in order, rarest first; `prefixes` says that each bag is in that order. `ends` holds where
    the list of each rank begins, with room for what `count_words` counted, and becomes where it ends. Returns the
    entries of all lists.
    """
    for place in range(len(order)):
        gone = 0
        for i in range(offsets[order[place]], offsets[order[place] + 1]):
            if prefixes and gone > slacks[place]:
                break
            rank = ranks[terms[i]]
            texts[ends[rank]] = place
            before[ends[rank]] = counts[i]
            ends[rank] += 1
            gone += np.int64(counts[i])
    # All entries, rarest word first: a text's prefix is its entries until it has lost more than it may.
    lost = np.zeros(len(order), np.int64)
    kept = 0
    begin = 0
    for rank in range(len(ends)):
        for i in range(begin, ends[rank]):
            place = texts[i]
            often = np.int64(before[i])
            if lost[place] <= slacks[place]:
                texts[kept] = place
                before[kept] = lost[place]
                kept += 1
            lost[place] += often
        begin = ends[rank]
        ends[rank] = kept
    return kept


@kernel
def fill_prefixes(starts: Array, texts: Array, before: Array, ends: Array, ranks: Array, lost: Array) -> None:
    """The lists inverted: the ranks of each text's prefix, rarest first, with the words lost before each.

    `ends` holds where each text's part begins, and becomes where it ends.
    """
    for rank in range(len(starts) - 1):
        for i in range(starts[rank], starts[rank + 1]):
            slot = ends[texts[i]]
            ranks[slot] = rank
            lost[slot] = before[i]
            ends[texts[i]] += 1


@kernel
def fill_histograms(
    terms: Array,
    counts: Array,
    offsets: Array,
    order: Array,
    first: int,
    last: int,
    histograms: Array,
    bits: Array,
    sums: Array,
    common: Array,
) -> None:
    """Each bag from `first` to `last` as 256 counters of a byte and as 1024 bits, given as zeros; and their sum.

    `common` receives the sum of the counters of common words, and how many words these are.
    """
    for place in range(first, last):
        total = 0
        held = 0
        words = 0
        for i in range(offsets[order[place]], offsets[order[place] + 1]):
            term = np.int64(terms[i])
            spread = np.uint64(term) * _GOLDEN
            bits[place, np.int64(spread >> np.uint64(60))] |= np.uint64(1) << (
                (spread >> np.uint64(54)) & np.uint64(63)
            )
            bucket = 128 + np.int64(spread >> np.uint64(57))
            own = 1
            if term < OWN:
                own = 4 if term < 4 else 2 if term < 16 else 1
                bucket = 4 * term if term < 4 else 16 + 2 * (term - 4) if term < 16 else 40 + term - 16
            left = np.int64(counts[i])
            if term < OWN:
                words += left
            for at in range(bucket, bucket + own):
                more = min(left, FULL - np.int64(histograms[place, at]))
                histograms[place, at] += np.uint8(more)
                total += more
                left -= more
                if term < OWN:
                    held += more
        sums[place] = total
        common[place, 0] = held
        common[place, 1] = words


@part
def _above(x_histograms: Array, x: int, y_histograms: Array, y: int, words: int) -> int:
    """Σ max(hx − hy, 0) over all counters, or over those of common words, which come first."""
    above = np.uint64(0)
    for word in range(words):
        # The eighth bit of each byte is free: it stays where the difference is not negative, and makes a mask.
        apart = (x_histograms[x, word] | _GUARDS) - y_histograms[y, word]
        guards = apart & _GUARDS
        apart &= guards - (guards >> np.uint64(7))
        above += (apart & _EVEN) + ((apart >> np.uint64(8)) & _EVEN)
    return np.int64((above * _ONES) >> np.uint64(48))


@part
def _shared_words(
    x_terms: Array,
    x_counts: Array,
    x: int,
    x_end: int,
    x_left: int,
    y_terms: Array,
    y_counts: Array,
    y: int,
    y_end: int,
    y_left: int,
    common: int,
    need: int,
    counted: bool,
) -> int:
    """How many words two bags share, -1 if fewer than `need`; unless `counted`, it may stop once they are enough.

    `x_left` and `y_left` are the words of each that are not common; of the common ones at most `common` are shared.
    """
    shared = 0
    while x < x_end and y < y_end and min(x_terms[x], y_terms[y]) >= OWN:
        if x_terms[x] == y_terms[y]:
            shared += np.int64(min(x_counts[x], y_counts[y]))
            if shared >= need and not counted:
                return shared
            x_left -= np.int64(x_counts[x])
            y_left -= np.int64(y_counts[y])
            x += 1
            y += 1
        elif x_terms[x] > y_terms[y]:
            x_left -= np.int64(x_counts[x])
            x += 1
        else:
            y_left -= np.int64(y_counts[y])
            y += 1
        if shared + min(x_left, y_left) + common < need:
            return -1
    while x < x_end and y < y_end:
        if x_terms[x] == y_terms[y]:
            shared += np.int64(min(x_counts[x], y_counts[y]))
            x += 1
            y += 1
        elif x_terms[x] > y_terms[y]:
            x += 1
        else:
            y += 1
    return shared if shared >= need else -1


@part
def _first_at_least(texts: Array, begin: int, end: int, place: int) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if texts[middle] < place:
            begin = middle + 1
        else:
            end = middle
    return begin


@part
def _slot_of(seen: Array, shift: int, query: int, other: int) -> int:
    """Where a query notes what it knows of a text.

    Where `seen` has a place for each text, `shift` is 0; else it is a table of 2 ** (64 - shift) places. Places that
    earlier queries filled count as empty.
    """
    if shift == 0:
        return other
    slot = np.int64((np.uint64(other) * _GOLDEN) >> np.uint64(shift))
    while seen[slot] >> 32 == query and seen[slot] & 0xFFFFFFFF != other:
        slot += 1
        if slot == len(seen):
            slot = 0
    return slot


@part
def _slack(length: int, least: int) -> int:
    return length - (least * length + WHOLE - 1) // WHOLE


@part
def _extended(length: int, least: int) -> int:
    """How many words come before the last one of a prefix that is longer than necessary."""
    slack = _slack(length, least)
    return min(slack + slack // EXTENSION, length - 1)


@part
def enough_met(share: int, length: int, other_length: int, least: int, floor: int) -> bool:
    """Whether a query and a text share enough words of their prefixes; lists are made for `floor`."""
    if share >= _extended(length, least) - _slack(length, least) + 1:
        return True
    return share >= _extended(other_length, floor) - _slack(other_length, least) + 1


@part
def meet(
    ranks: Array,
    lost_before: Array,
    begin: int,
    end: int,
    query: int,
    length: int,
    low: int,
    high: int,
    starts: Array,
    texts: Array,
    before: Array,
    y_lengths: Array,
    families: Array,
    family: int,
    least: int,
    table: int,
    seen: Array,
    shares: Array,
    met: Array,
) -> int:
    """Note the texts of fitting length that a query meets in its prefix, and how many words they can share there.

    Those of the query's own family are passed over, if it has one. Returns how many are worth a closer look, by
    position; `met` tells where they are noted.
    """
    most_lost = _extended(length, least)
    candidates = 0
    for at in range(begin, end):
        lost = np.int64(lost_before[at])
        if lost > most_lost:
            break
        rank = ranks[at]
        if rank < 0:
            continue
        # The list does not say how often the text has the word: count it as often as the query has it.
        often = (np.int64(lost_before[at + 1]) if at + 1 < end else length) - lost
        last = starts[rank + 1]
        for i in range(_first_at_least(texts, starts[rank], last, low), last):
            other = np.int64(texts[i])
            if other >= high:
                break
            if family >= 0 and families[other] == family:
                continue
            slot = _slot_of(seen, table, query, other)
            key = (query << 32) | other
            if seen[slot] == key:
                shares[slot] += often
                continue
            seen[slot] = key
            shares[slot] = often
            # The word is the rarest one that both share: all before it is lost.
            need = (least * max(length, y_lengths[other]) + WHOLE - 1) // WHOLE
            if min(length - lost, y_lengths[other] - np.int64(before[i])) >= need:
                met[candidates] = slot
                candidates += 1
    return candidates


@kernel
def probe_lists(
    asking: Any,
    windows: Any,
    prefixes: Any,
    listed: Any,
    lists: Any,
    least: int,
    floor: int,
    table: int,
    counted: bool,
    first: int,
    last: int,
    out: Any,
) -> tuple[int, int, int]:
    """Every query from `first` to `last` with each listed text that it overlaps enough with.

    `asking` and `listed` are (terms, counts, offsets, order, lengths, histograms, bits, sums, common); `windows` are
    (the first and last place of fitting length, the query's own place or -1, the places that ask too, the families of
    places or nothing): of two that ask, the longer one finds the pair, and two of one family are not compared. `floor`
    is the share that the lists are made for. `prefixes` are (ranks, words lost before, where each query's begin and
    end), `lists` (starts, texts, before). Returns (query reached, pairs found, texts looked at): it stops before a
    query whose pairs might not fit into `out`.
    """
    x_terms, x_counts, x_offsets, x_order, x_lengths, x_histograms, x_bits, x_sums, x_common = asking
    y_terms, y_counts, y_offsets, y_order, y_lengths, y_histograms, y_bits, y_sums, y_common = listed
    low, high, own, asks, families = windows
    ranks, lost_before, begins, ends = prefixes
    starts, texts, before = lists
    seen = np.full(len(y_order) if table == 0 else 1 << (64 - table), -1, np.int64)
    shares = np.zeros(len(seen), np.int64)
    met = np.empty(len(seen), np.int64)
    found = 0
    examined = 0
    for query in range(first, last):
        if found + high[query] - low[query] > len(out[0]):
            return query, found, examined
        length = x_lengths[query]
        family = families[own[query]] if len(families) > 0 else -1
        candidates = meet(
            ranks, lost_before, begins[query], ends[query], query, length, low[query], high[query],
            starts, texts, before, y_lengths, families, family, least, table, seen, shares, met,
        )  # fmt: skip
        for at in range(candidates):
            other = seen[met[at]] & 0xFFFFFFFF
            if own[query] >= 0 and (other == own[query] or (other > own[query] and asks[other])):
                continue
            other_length = y_lengths[other]
            if not enough_met(shares[met[at]], length, other_length, least, floor):
                continue
            examined += 1
            need = (least * max(length, other_length) + WHOLE - 1) // WHOLE
            shared = compared(
                x_terms, x_counts, x_offsets, x_order, x_histograms, x_bits, x_sums, x_common, query, length,
                y_terms, y_counts, y_offsets, y_order, y_histograms, y_bits, y_sums, y_common, other, other_length,
                need, counted,
            )  # fmt: skip
            if shared >= 0:
                out[0][found] = query
                out[1][found] = other
                out[2][found] = shared
                found += 1
    return last, found, examined


@part
def unlike(x_bits: Array, x: int, x_length: int, y_bits: Array, y: int, y_length: int, need: int) -> bool:
    """Whether their bits show that two texts share fewer words than they need."""
    x_at, y_at = BITS * x, BITS * y
    if x_length <= y_length:
        lost = count_only_in(x_bits, x_at, y_bits, y_at)
        if lost <= x_length - need:
            lost += count_only_in(x_bits, x_at + LANES, y_bits, y_at + LANES)
        return lost > x_length - need
    lost = count_only_in(y_bits, y_at, x_bits, x_at)
    if lost <= y_length - need:
        lost += count_only_in(y_bits, y_at + LANES, x_bits, x_at + LANES)
    return lost > y_length - need


@part
def compared(
    x_terms: Array,
    x_counts: Array,
    x_offsets: Array,
    x_order: Array,
    x_histograms: Array,
    x_bits: Array,
    x_sums: Array,
    x_common: Array,
    x: int,
    x_length: int,
    y_terms: Array,
    y_counts: Array,
    y_offsets: Array,
    y_order: Array,
    y_histograms: Array,
    y_bits: Array,
    y_sums: Array,
    y_common: Array,
    y: int,
    y_length: int,
    need: int,
    counted: bool,
) -> int:
    """How much two texts share, -1 if too little: by their bits, their histograms, and then by their bags."""
    if unlike(x_bits, x, x_length, y_bits, y, y_length, need):
        return -1
    x_sum = np.int64(x_sums[x])
    left_out = min(x_length - x_sum, y_length - np.int64(y_sums[y]))
    if x_sum - _above(x_histograms, x, y_histograms, y, HISTOGRAM) + left_out < need:
        return -1
    common = x_common[x, 0] - _above(x_histograms, x, y_histograms, y, HISTOGRAM // 2)
    common += min(x_common[x, 1] - x_common[x, 0], y_common[y, 1] - y_common[y, 0])
    x_row = x_order[x]
    y_row = y_order[y]
    return _shared_words(
        x_terms, x_counts, x_offsets[x_row], x_offsets[x_row + 1], x_length - x_common[x, 1],
        y_terms, y_counts, y_offsets[y_row], y_offsets[y_row + 1], y_length - y_common[y, 1],
        common, need, counted,
    )  # fmt: skip


@kernel
def probe_all(
    asking: Any, windows: Any, listed: Any, least: int, counted: bool, first: int, last: int, out: Any
) -> tuple[int, int, int]:
    """The same pairs without lists: every text of fitting length is tried. Faster where there are few."""
    x_terms, x_counts, x_offsets, x_order, x_lengths, x_histograms, x_bits, x_sums, x_common = asking
    y_terms, y_counts, y_offsets, y_order, y_lengths, y_histograms, y_bits, y_sums, y_common = listed
    low, high, own, asks, families = windows
    found = 0
    examined = 0
    for query in range(first, last):
        if found + high[query] - low[query] > len(out[0]):
            return query, found, examined
        length = x_lengths[query]
        family = families[own[query]] if len(families) > 0 else -1
        for other in range(low[query], high[query]):
            if family >= 0 and families[other] == family:
                continue
            if own[query] >= 0 and (other == own[query] or (other > own[query] and asks[other])):
                continue
            examined += 1
            other_length = y_lengths[other]
            need = (least * max(length, other_length) + WHOLE - 1) // WHOLE
            shared = compared(
                x_terms, x_counts, x_offsets, x_order, x_histograms, x_bits, x_sums, x_common, query, length,
                y_terms, y_counts, y_offsets, y_order, y_histograms, y_bits, y_sums, y_common, other, other_length,
                need, counted,
            )  # fmt: skip
            if shared >= 0:
                out[0][found] = query
                out[1][found] = other
                out[2][found] = shared
                found += 1
    return last, found, examined
