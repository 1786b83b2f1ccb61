"""The exact join of texts by pieces: words and runs of three words that other texts seldom have.

Take any runs of words of the longer text that do not overlap. Whoever turns it into the shorter text with d edits
spoils at most d of them, because an edit is inside one run at most. So of `slack` + m such pieces, where `slack` is how
many edits are allowed, at least m are found word for word in every text that is similar. A text is listed under its
pieces; every shorter text looks up all its words and runs of three, and meets at least m times whatever it is similar
to. What meets too seldom is not compared. (Pieces of one length, against all runs of the other text: Qin et al. 2011.)

Which pieces are taken changes only the time. They are chosen so that as few other texts as possible have them: every
run costs the number of times that it occurs elsewhere, and a table of best sums from the end of the text to its start
tells which runs cost least. A price for each piece, found by halving, makes them as many as are wanted. Occurrences are
counted in tables that several runs may share: a counter can be too high, never too low. A piece that occurs nowhere
else costs nothing, and nobody has to be listed under it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.mix import shingle_hash
from truecopy.kernels.overlap import compared
from truecopy.kernels.slots import is_marked, owner_of, rest_after, rest_of

Array = Any

WHOLE = 1_000_000
LONGEST = 3
"""Words of the longer sort of pieces; the others are single words."""
MANY = 65535
"""Occurrences are counted up to here."""
MOST_HITS = 255
"""Hits are counted up to here, in a byte each: what is asked for beyond it costs only comparisons."""
_NOTHING = np.uint64(0)


@part
def _run(words: Array, keys: Array, i: int, length: int) -> np.uint64:
    """The hash of the word at a place, or of the run of three from there on; never 0."""
    if length == 1:
        value = shingle_hash(keys[words[i]], _NOTHING, _NOTHING)
    else:
        value = shingle_hash(keys[words[i]], keys[words[i + 1]], keys[words[i + 2]])
    return value if value != _NOTHING else np.uint64(1)


@part
def slack_of(length: int, least: int) -> int:
    """How many edits two texts may be apart, of which the longer has so many words."""
    return length - (least * length + WHOLE - 1) // WHOLE


@part
def pieces_wanted(length: int, least: int) -> int:
    """How many pieces a text has: one for each edit, and some more, which must be met."""
    slack = slack_of(length, least)
    return slack + min(2 + length // 128, length - slack)


@kernel
def count_runs(words: Array, offsets: Array, keys: Array, first: int, last: int, bits: int, counts: Array) -> None:
    """How often runs of three words occur in texts from `first` to `last`, by the first `bits` of their hashes."""
    shift = np.uint64(64 - bits)
    for text in range(first, last):
        for i in range(offsets[text], offsets[text + 1] - LONGEST + 1):
            slot = np.int64(_run(words, keys, i, LONGEST) >> shift)
            counts[slot] += np.uint16(counts[slot] < MANY)


@part
def _how_many(costs: Array, words: int, price: int) -> int:
    """How many pieces are worth their price, if each may cost so much."""
    next_value, second_value, third_value = 0, 0, 0
    next_count, second_count, third_count = 0, 0, 0
    for i in range(words - 1, -1, -1):
        one, three = next_value + costs[0, i] - price, third_value + costs[1, i] - price
        value = one if one < next_value else next_value
        count = next_count + 1 if one < next_value else next_count
        count = third_count + 1 if three < value else count
        value = three if three < value else value
        third_value, third_count = second_value, second_count
        second_value, second_count = next_value, next_count
        next_value, next_count = value, count
    return next_count


@part
def _choose(costs: Array, words: int, price: int, chosen: Array) -> None:
    """The length of the piece that begins at each place, if one is taken there: 0 for none."""
    next_value, second_value, third_value = 0, 0, 0
    for i in range(words - 1, -1, -1):
        one, three = next_value + costs[0, i] - price, third_value + costs[1, i] - price
        value = one if one < next_value else next_value
        run = 1 if one < next_value else 0
        chosen[i] = LONGEST if three < value else run
        value = three if three < value else value
        third_value, second_value, next_value = second_value, next_value, value


@part
def choose_runs(costs: Array, words: int, wanted: int, prices: Array, guess: int, chosen: Array) -> tuple[int, int]:
    """Choose runs that do not overlap and cost little, at least so many; returns how many, and which price they have.

    costs[0, i] is twice what the word at place i costs, costs[1, i] that of the run of three from there on; `prices`
    are odd, in order, and the last is more than one and a half times any cost of a word: at that price three single
    words beat any run of three (3c < c3 + 2p), so every word is a piece, and there are enough. Looking for the price
    begins at prices[guess]. `chosen` receives the length of the piece that begins at each place: 0 for none.
    """
    low, high, step = 0, len(prices) - 1, 1
    # Texts are much alike in this, so the price of the one before is close: steps grow until it is passed.
    middle = min(guess, high - 1)
    while low < high:
        enough = _how_many(costs, words, prices[middle]) >= wanted
        if enough:
            high = middle
        else:
            low = middle + 1
        if low > 0 and high < len(prices) - 1:
            middle = (low + high) // 2
        elif enough:
            middle = max(high - step, low)
        else:
            middle = min(low + step - 1, high - 1)
        step *= 2
    _choose(costs, words, prices[low], chosen)
    total = 0
    i = 0
    while i < words:
        run = np.int64(chosen[i])
        total += run > 0
        for j in range(i + 1, i + run):
            chosen[j] = 0
        i += max(run, 1)
    # Those that made the price necessary are left out again, if there are more than enough.
    surplus = total - wanted
    dear = prices[low - 1] if low > 0 else 0
    for i in range(words):
        run = np.int64(chosen[i])
        if surplus > 0 and run > 0 and costs[run // LONGEST, i] > dear:
            chosen[i] = 0
            surplus -= 1
            total -= 1
    return total, low


@kernel
def choose_pieces(
    words: Array,
    offsets: Array,
    order: Array,
    keys: Array,
    often: Array,
    bits: int,
    threes: Array,
    prices: Array,
    least: int,
    first: int,
    last: int,
    needed: Array,
    out: Any,
) -> tuple[int, int]:
    """The pieces of the texts at places from `first` to `last` that other texts may have.

    `often` has the occurrences of each word, `threes` those of runs of three, counted by their first `bits`; `prices`
    are as `choose_runs` takes them. `needed` receives how many pieces of each text must be met; `out` are (hashes,
    places). Returns (pieces listed, entries that may have to be read in all).
    """
    hashes, owners = out
    longest = 0
    for place in range(first, last):
        longest = max(longest, offsets[order[place] + 1] - offsets[order[place]])
    costs, runs = np.empty((2, longest), np.int64), np.empty((2, longest), np.uint64)
    chosen = np.empty(longest, np.uint8)
    shift = np.uint64(64 - bits)
    impossible = 4 * prices[len(prices) - 1]
    listed, reads, price = 0, 0, len(prices) // 2
    for place in range(first, last):
        begin = offsets[order[place]]
        length = offsets[order[place] + 1] - begin
        # Loops of a line each fetch memory ahead. Costs are even, so that no price is the same as one.
        for i in range(length - LONGEST + 1):
            runs[1, i] = _run(words, keys, begin + i, LONGEST)
        for i in range(length - LONGEST + 1):
            costs[1, i] = 2 * (np.int64(threes[np.int64(runs[1, i] >> shift)]) - 1)
        for i in range(max(length - LONGEST + 1, 0), length):
            costs[1, i] = impossible
        for i in range(length):
            costs[0, i] = 2 * (min(np.int64(often[words[begin + i]]), MANY) - 1)
        total, price = choose_runs(costs, length, pieces_wanted(length, least), prices, price, chosen)
        found = 0
        for i in range(length):
            run = np.int64(chosen[i])
            if run > 0 and costs[run // LONGEST, i] > 0:
                hashes[listed + found] = runs[1, i] if run == LONGEST else _run(words, keys, begin + i, 1)
                owners[listed + found] = place
                reads += costs[run // LONGEST, i] // 2
                found += 1
        needed[place] = total - slack_of(length, least)
        if found >= needed[place]:  # else nobody can have enough of them
            listed += found
    return listed, reads


@part
def _first_after(entries: Array, begin: int, end: int, place: int) -> int:
    while begin < end:
        middle = (begin + end) // 2
        if owner_of(entries[middle]) <= place:
            begin = middle + 1
        else:
            end = middle
    return begin


@part
def _count_met(
    entries: Array,
    begin: int,
    end: int,
    rest: np.uint64,
    place: int,
    high: int,
    hits: Array,
    met: Array,
    others: int,
) -> int:
    """Note the longer texts of fitting length that are listed under a run."""
    for entry in range(_first_after(entries, begin, end, place), end):
        other = owner_of(entries[entry])
        if other >= high:
            break
        if rest_of(entries[entry]) == rest:
            met[others] = other
            others += hits[other] == 0
            hits[other] += np.uint8(hits[other] < MOST_HITS)
    return others


@part
def _distinct(runs: Array, present: int, table: Array) -> int:
    """Leave each run once; `table` is empty before and after."""
    size = 64
    while size < 2 * present:
        size *= 2
    mask = np.uint64(size - 1)
    distinct = 0
    for i in range(present):
        value = runs[i]
        slot = value & mask
        while table[slot] != _NOTHING and table[slot] != value:
            slot = (slot + np.uint64(1)) & mask
        runs[distinct] = value
        distinct += table[slot] == _NOTHING
        table[slot] = value
    table[:size] = _NOTHING
    return distinct


@kernel
def probe_pieces(
    texts: Any,
    side: Any,
    high: Array,
    needed: Array,
    listed: Any,
    fresh: Array,
    families: Array,
    least: int,
    first: int,
    last: int,
    out: Any,
) -> tuple[int, int, int]:
    """Every text at places from `first` to `last` with each longer one that it may be similar to.

    `texts` are (words, offsets, keys), `side` the bags by place as kernels/overlap takes them; `high` is the first
    place that is too long for each; `listed` is what index/slots gives. A pair needs a fresh text; two of one family
    are passed over. Returns (place reached, pairs found, a number without meaning); it stops before a text whose pairs
    may not fit.
    """
    words, offsets, keys = texts
    terms, counts, bag_offsets, order, lengths, histograms, word_bits, sums, common = side
    mark_bits, marks, bits, starts, inner, entries, core = listed
    longest = 0
    for place in range(first, last):
        longest = max(longest, lengths[place])
    runs = np.empty(2 * longest, np.uint64)
    bounds = np.empty((2 * longest, 2), np.int64)
    room = 64
    while room < 4 * longest:
        room *= 2
    table = np.zeros(room, np.uint64)
    hits, met = np.zeros(len(order), np.uint8), np.empty(len(order) + 1, np.int64)
    mark_shift, shift = np.uint64(64 - mark_bits), np.uint64(64 - bits)
    fetched = np.uint64(0)
    found = 0
    for place in range(first, last):
        begin = offsets[order[place]]
        length = lengths[place]
        present = 0
        for run in (1, LONGEST):  # loops without branches fetch memory ahead
            for i in range(length - run + 1):
                value = _run(words, keys, begin + i, run)
                runs[present] = value
                present += np.int64(is_marked(marks, value >> mark_shift))
        distinct = _distinct(runs, present, table)
        in_core = core[place] if len(core) > 0 else False
        for i in range(distinct):
            slot = np.int64(runs[i] >> shift)
            bounds[i, 0] = starts[slot]
            bounds[i, 1] = starts[slot + 1]
        for i in range(distinct):
            if bounds[i, 0] < bounds[i, 1]:
                fetched ^= entries[bounds[i, 0]]
        others = 0
        for i in range(distinct):
            rest = rest_after(runs[i], bits)
            middle = inner[np.int64(runs[i] >> shift)] if len(core) > 0 else bounds[i, 1]
            others = _count_met(entries, bounds[i, 0], middle, rest, place, high[place], hits, met, others)
            if not in_core:
                others = _count_met(entries, middle, bounds[i, 1], rest, place, high[place], hits, met, others)
        if found + others > len(out[0]):
            for i in range(others):
                hits[met[i]] = 0
            return place, found, np.int64(fetched)
        family = families[place]
        for i in range(others):
            other = met[i]
            enough = hits[other] >= min(needed[other], MOST_HITS)
            hits[other] = 0
            if not enough or not (fresh[place] or fresh[other]) or (family >= 0 and families[other] == family):
                continue
            need = (least * lengths[other] + WHOLE - 1) // WHOLE
            shared = compared(
                terms, counts, bag_offsets, order, histograms, word_bits, sums, common, place, length,
                terms, counts, bag_offsets, order, histograms, word_bits, sums, common, other, lengths[other],
                need, False,
            )  # fmt: skip
            if shared >= 0:
                out[0][found] = place
                out[1][found] = other
                found += 1
    return last, found, np.int64(fetched)
