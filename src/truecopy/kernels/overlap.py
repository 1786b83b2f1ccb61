"""The exact join: every pair of texts whose bags of words overlap enough.

Texts come in order of length, shortest first, and are named by their place in that order. A text of
L words that may lose `slack` of them shares at least one of its rarest words (its prefix: the rarest
words that together occur more than `slack` times) with every text that it can be similar to. So only
texts that meet in a prefix are looked at, and then, cheapest test first: length, position (what was
already left unshared on either side), a histogram of both bags, and at last the bags themselves.
Every test only drops pairs that provably overlap too little. Nothing is missed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part

Array = Any
BUCKETS = 256
OWN_BUCKETS = 160
"""The most common words have a bucket of the histogram each; the others share the rest."""
FULL = 65535


@kernel
def prefix_sizes(counts: Array, offsets: Array, order: Array, slacks: Array, out: Array) -> int:
    """How many of its rarest words each text's prefix holds; returns their sum."""
    total = 0
    for place in range(len(order)):
        begin, end = offsets[order[place]], offsets[order[place] + 1]
        i = begin
        lost = 0
        while i < end and lost <= slacks[place]:
            lost += np.int64(counts[i])
            i += 1
        out[place] = i - begin
        total += i - begin
    return total


@kernel
def fill_histograms(terms: Array, counts: Array, offsets: Array, order: Array, histograms: Array) -> None:
    """Each bag as 256 counters; a counter that is full makes the whole row unusable (all `FULL`)."""
    shared = np.uint64(BUCKETS - OWN_BUCKETS)
    for place in range(len(order)):
        row = histograms[place]
        row[:] = 0
        for i in range(offsets[order[place]], offsets[order[place] + 1]):
            term = np.uint64(terms[i])
            bucket = term
            if term >= np.uint64(OWN_BUCKETS):
                bucket = np.uint64(OWN_BUCKETS) + ((term * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) % shared
            count = np.int64(row[bucket]) + np.int64(counts[i])
            if count >= FULL:
                row[:] = FULL
                break
            row[bucket] = count


@kernel
def fill_postings(
    terms: Array,
    counts: Array,
    offsets: Array,
    order: Array,
    prefixes: Array,
    indexed: Array,
    starts: Array,
    texts: Array,
    before: Array,
) -> None:
    """Lists of the texts that have each word in their prefix, by place, with the words left before it.

    `starts` has a zero for each word and two more at its end; it is turned into the lists' beginnings.
    """
    for place in range(len(order)):
        if indexed[place]:
            begin = offsets[order[place]]
            for i in range(begin, begin + prefixes[place]):
                starts[np.int64(terms[i]) + 2] += 1
    for word in range(2, len(starts)):
        starts[word] += starts[word - 1]
    for place in range(len(order)):
        if indexed[place]:
            begin = offsets[order[place]]
            lost = 0
            for i in range(begin, begin + prefixes[place]):
                slot = starts[np.int64(terms[i]) + 1]
                texts[slot] = place
                before[slot] = lost
                starts[np.int64(terms[i]) + 1] += 1
                lost += np.int64(counts[i])


@part
def _histograms_allow(histograms: Array, place: int, other: int, both: int, need: int) -> bool:
    """Whether two bags of `both` words together can still share `need`, going by their histograms."""
    if histograms[place, 0] == FULL or histograms[other, 0] == FULL:
        return True
    apart = np.int32(0)
    for bucket in range(BUCKETS):
        apart += abs(np.int32(histograms[place, bucket]) - np.int32(histograms[other, bucket]))
    return both - np.int64(apart) >= 2 * need


@part
def _bags_share(
    terms: Array, counts: Array, x: int, x_end: int, y: int, y_end: int, x_left: int, y_left: int, need: int
) -> bool:
    """Whether two bags, from given places on, share at least `need` words."""
    shared = 0
    while x < x_end and y < y_end:
        if terms[x] == terms[y]:
            shared += np.int64(min(counts[x], counts[y]))
            if shared >= need:
                return True
            x_left -= np.int64(counts[x])
            y_left -= np.int64(counts[y])
            x += 1
            y += 1
        elif terms[x] > terms[y]:
            x_left -= np.int64(counts[x])
            x += 1
        else:
            y_left -= np.int64(counts[y])
            y += 1
        if shared + min(x_left, y_left) < need:
            return False
    return shared >= need


@part
def _first_at_least(texts: Array, begin: int, end: int, place: int) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if texts[middle] < place:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def probe_lists(
    terms: Array,
    counts: Array,
    offsets: Array,
    order: Array,
    lengths: Array,
    needs: Array,
    prefixes: Array,
    shortest: Array,
    histograms: Array,
    starts: Array,
    texts: Array,
    before: Array,
    probing: Array,
    first: int,
    last: int,
    longer: Array,
    shorter: Array,
) -> tuple[int, int]:
    """Every text from place `first` to `last` with each shorter, listed text that it overlaps enough with.

    Only texts marked in `probing` ask. `shortest` is the first place whose text is long enough for each
    text. Returns (place reached, pairs found): it stops before a text whose pairs might not fit.
    """
    seen = np.full(len(order), -1, np.int32)
    found = 0
    for place in range(first, last):
        if not probing[place]:
            continue
        if found + place - shortest[place] > len(longer):
            return place, found
        need = needs[place]
        end = offsets[order[place] + 1]
        lost = 0
        for x in range(offsets[order[place]], offsets[order[place]] + prefixes[place]):
            word = np.int64(terms[x])
            for i in range(_first_at_least(texts, starts[word], starts[word + 1], shortest[place]), starts[word + 1]):
                other = np.int64(texts[i])
                if other >= place:
                    break
                if seen[other] == place:
                    continue
                seen[other] = place
                # The shared word is the rarest one of both: what stands before it is lost.
                left = lengths[other] - np.int64(before[i])
                if left < need:
                    continue
                if not _histograms_allow(histograms, place, other, lengths[place] + lengths[other], need):
                    continue
                y = offsets[order[other]]
                while terms[y] != terms[x]:
                    y += 1
                y_end = offsets[order[other] + 1]
                if _bags_share(terms, counts, x, end, y, y_end, lengths[place] - lost, left, need):
                    longer[found] = place
                    shorter[found] = other
                    found += 1
            lost += np.int64(counts[x])
    return last, found


@kernel
def probe_all(
    terms: Array,
    counts: Array,
    offsets: Array,
    order: Array,
    lengths: Array,
    needs: Array,
    shortest: Array,
    histograms: Array,
    fresh: Array,
    first: int,
    last: int,
    longer: Array,
    shorter: Array,
) -> tuple[int, int]:
    """The same pairs without lists: every pair of fitting length is tried. Faster for small collections.

    A pair counts if at least one of the two is marked in `fresh`.
    """
    found = 0
    for place in range(first, last):
        if found + place - shortest[place] > len(longer):
            return place, found
        need = needs[place]
        x = offsets[order[place]]
        x_end = offsets[order[place] + 1]
        for other in range(shortest[place], place):
            if not (fresh[place] or fresh[other]):
                continue
            if not _histograms_allow(histograms, place, other, lengths[place] + lengths[other], need):
                continue
            y = offsets[order[other]]
            y_end = offsets[order[other] + 1]
            if _bags_share(terms, counts, x, x_end, y, y_end, lengths[place], lengths[other], need):
                longer[found] = place
                shorter[found] = other
                found += 1
    return last, found
