"""Which stored bags overlap enough with some query: each is found once, and then passed over (exact).

The tests are those of kernels/overlap, so nothing is missed. But no pair is noted: a stored text that one query has
found is marked, and no later query looks at it. So a family of copies costs what its first few queries cost.

A query either asks the lists of its rarest words, or tries every text of fitting length that is not marked. The second
way goes through the texts some at a time, all queries for each, so that a text's bits are fetched from memory once.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import LANES, count_only_in
from truecopy.kernels.overlap import BITS, WHOLE, compared, enough_met, meet
from truecopy.kernels.sorting import greatest_first

Array = Any

KNOWN = 0
"""The family of texts that are marked. Every query is of this family too, and passes it over; others have -1."""
_TILE = 128
"""Texts whose bits (16 KB) stay in the fastest cache while all queries look at them."""


@kernel
def fill_query_prefixes(
    bags: Any, words: Array, word_ranks: Array, starts: Array, most_lost: Array, first: int, last: int, out: Any
) -> None:
    """The words of each query from `first` to `last`, the rarest of the block first, with what is lost before each.

    `bags` are (terms, counts, offsets). A word that the block does not know has the rank -1 and comes first. `out` are
    (ranks, words lost before, for each query the entries in the lists of its prefix).
    """
    terms, counts, offsets = bags
    ranks, lost_before, entries = out
    longest = 0
    for query in range(first, last):
        longest = max(longest, offsets[query + 1] - offsets[query])
    order = np.empty(longest, np.uint64)
    for query in range(first, last):
        begin = offsets[query]
        size = offsets[query + 1] - begin
        in_order = True
        end = len(words)
        for i in range(size):
            term = terms[begin + i]
            if i == 0 or term > terms[begin + i - 1]:
                end = len(words)  # otherwise it comes before the last one
            low = 0
            high = end
            while low < high:
                middle = (low + high) // 2
                if words[middle] < term:
                    low = middle + 1
                else:
                    high = middle
            end = low + 1 if low < len(words) else low
            known = low < len(words) and words[low] == term
            rank = np.int64(word_ranks[low]) if known else -1
            order[i] = (np.uint64(0xFFFFFFFE - rank) << np.uint64(32)) | np.uint64(i)
            in_order = in_order and (i == 0 or order[i] < order[i - 1])
        if not in_order:
            greatest_first(order[:size])
        lost = np.int64(0)
        reads = np.int64(0)
        for i in range(size):
            rank = 0xFFFFFFFE - np.int64(order[i] >> np.uint64(32))
            ranks[begin + i] = rank
            lost_before[begin + i] = lost
            if rank >= 0 and lost <= most_lost[query]:
                reads += starts[rank + 1] - starts[rank]
            lost += np.int64(counts[begin + np.int64(order[i] & np.uint64(0xFFFFFFFF))])
        entries[query] = reads


@kernel
def touch_by_lists(
    asking: Any,
    windows: Any,
    prefixes: Any,
    listed: Any,
    lists: Any,
    least: int,
    floor: int,
    table: int,
    which: Array,
    first: int,
    last: int,
    families: Array,
) -> int:
    """Mark what the queries which[first:last] overlap enough with, by lists; returns how many texts were looked at.

    Arguments are those of `overlap.probe_lists`; `windows` are (first and last place of fitting length).
    """
    x_terms, x_counts, x_offsets, x_order, x_lengths, x_histograms, x_bits, x_sums, x_common = asking
    y_terms, y_counts, y_offsets, y_order, y_lengths, y_histograms, y_bits, y_sums, y_common = listed
    low, high = windows
    ranks, lost_before, begins, ends = prefixes
    starts, texts, before = lists
    seen = np.full(len(y_order) if table == 0 else 1 << (64 - table), -1, np.int64)
    shares = np.zeros(len(seen), np.int64)
    met = np.empty(len(seen), np.int64)
    examined = 0
    for turn in range(first, last):
        query = np.int64(which[turn])
        length = x_lengths[query]
        candidates = meet(
            ranks, lost_before, begins[query], ends[query], query, length, low[query], high[query],
            starts, texts, before, y_lengths, families, KNOWN, least, table, seen, shares, met,
        )  # fmt: skip
        for at in range(candidates):
            other = seen[met[at]] & 0xFFFFFFFF
            other_length = y_lengths[other]
            if not enough_met(shares[met[at]], length, other_length, least, floor):
                continue
            examined += 1
            need = (least * max(length, other_length) + WHOLE - 1) // WHOLE
            shared = compared(
                x_terms, x_counts, x_offsets, x_order, x_histograms, x_bits, x_sums, x_common, query, length,
                y_terms, y_counts, y_offsets, y_order, y_histograms, y_bits, y_sums, y_common, other, other_length,
                need, False,
            )  # fmt: skip
            if shared >= 0:
                families[other] = KNOWN
    return examined


@part
def _can_fit(x_bits: Array, x: int, y_bits: Array, y: int, room: int) -> bool:
    """Whether one text has at most so many words that another lacks, as far as bits tell."""
    lost = count_only_in(x_bits, BITS * x, y_bits, BITS * y)
    return lost <= room and lost + count_only_in(x_bits, BITS * x + LANES, y_bits, BITS * y + LANES) <= room


@kernel
def touch_by_trying(
    asking: Any,
    windows: Any,
    listed: Any,
    least: int,
    which: Array,
    left: Any,
    first: int,
    last: int,
    families: Array,
) -> int:
    """The same without lists, for texts that are not marked, by length: those from `first` to `last`.

    `left` are (their places, their lengths, the words that others must share with each that is the longer one);
    `windows` are (where the texts of fitting length begin, where those as long as the query begin, where they end), in
    `left`. Returns how many pairs were looked at.
    """
    x_terms, x_counts, x_offsets, x_order, x_lengths, x_histograms, x_bits, x_sums, x_common = asking
    y_terms, y_counts, y_offsets, y_order, y_lengths, y_histograms, y_bits, y_sums, y_common = listed
    low, middle, high = windows
    places, lengths, needed = left
    fitting = np.empty(_TILE, np.int64)
    examined = 0
    for begin in range(first, last, _TILE):
        end = min(begin + _TILE, last)
        for turn in range(len(which)):
            query = np.int64(which[turn])
            length = x_lengths[query]
            need = (least * length + WHOLE - 1) // WHOLE
            found = 0
            for i in range(max(low[query], begin), min(middle[query], end)):
                fitting[found] = i
                found += _can_fit(y_bits, places[i], x_bits, query, lengths[i] - need)
            for i in range(max(middle[query], begin), min(high[query], end)):
                fitting[found] = i
                found += _can_fit(x_bits, query, y_bits, places[i], length - needed[i])
            examined += max(min(high[query], end) - max(low[query], begin), 0)
            for at in range(found):
                other = np.int64(places[fitting[at]])
                if families[other] == KNOWN:
                    continue
                shared = compared(
                    x_terms, x_counts, x_offsets, x_order, x_histograms, x_bits, x_sums, x_common, query, length,
                    y_terms, y_counts, y_offsets, y_order, y_histograms, y_bits, y_sums, y_common,
                    other, y_lengths[other], max(need, needed[fitting[at]]), False,
                )  # fmt: skip
                if shared >= 0:
                    families[other] = KNOWN
    return examined
