"""Which texts of an array of runs (kernels/run_lists) one text can be similar to: what a single question asks.

kernels/touch_runs finds the same for many texts at once, in arrays that are as long as the block: for a wave that is
worth it, for one text it is not. Here only the neighbours of the text's own runs are read and counted, in a table that
follows them. Why nothing is missed is the same: of slack + m pieces of the longer text, which do not overlap, the
shorter one has at least m (kernels/pieces). Each stored text is listed under its pieces, and the longer ones of them
are found by all runs of the text that is asked about; the shorter ones by its own pieces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.pieces import choose_runs, pieces_wanted, slack_of
from truecopy.kernels.run_lists import (
    BOTH,
    CLASS,
    CONTAINS,
    MANY,
    NEITHER,
    OWNER,
    OWNERS,
    SIMILAR,
    TAG,
    distinct_runs,
    first_from,
    length_step,
    room_for,
)

Array = Any

_AHEAD = 64
"""Runs whose entries are fetched from memory at the same time."""
_FEW = 16
"""So many entries are looked at one by one."""
_MIXED, _SHIFT = 0x9E3779B1, 9
"""Texts are spread over a table by a product with this number, without its last bits."""
_LISTED, _EVERY = (BOTH, SIMILAR), (CONTAINS, NEITHER)
"""From which class to which a text is listed for `similar`, or has a run at all."""


@kernel
def runs_of(words: Array, keys: Array, tags: Array, places: Array) -> int:
    """The tags of a text's distinct runs, and which of them begin at each word, as `distinct_runs` gives them; returns
    how many there are.
    """
    table = np.empty(room_for(len(words)), np.int32)
    shingles, found = distinct_runs(words, 0, len(words), keys, table, tags, 0, places, 0)
    return shingles + found


@part
def _first_near(entries: Array, begin: int, end: int, value: np.uint64) -> int:
    """The same, for where it is not far from the beginning: as a rule, what is looked for is there."""
    step = 1
    while begin + step <= end and entries[begin + step - 1] < value:
        begin += step
        step *= 2
    return first_from(entries, begin, min(begin + step - 1, end), value)


@part
def _neighbours(tags: Array, entries: Array, starts: Array, slot_bits: int, bounds: Array) -> np.uint64:
    """bounds[i] = where the entries with the tag of run i begin and end. Returns a number without meaning."""
    shift, fetched, used = np.uint64(32 - slot_bits), np.uint64(0), len(tags)
    for i in range(used):
        if i % _AHEAD == 0:  # fetch what the next ones need, all at the same time
            ahead = min(_AHEAD, used - i)
            for j in range(i, i + ahead):
                slot = np.int64(np.uint64(tags[j]) >> shift)
                bounds[j, 0], bounds[j, 1] = starts[slot], starts[slot + 1]
            for j in range(i, i + ahead):
                if bounds[j, 0] < bounds[j, 1]:
                    fetched ^= entries[bounds[j, 0]] ^ entries[bounds[j, 1] - 1]
        tag = np.uint64(tags[i])
        begin, end = _first_near(entries, bounds[i, 0], bounds[i, 1], tag << TAG), bounds[i, 1]
        few = max(begin, end - _FEW)
        while end > few and entries[end - 1] >> TAG > tag:
            end -= 1
        if end > begin and entries[end - 1] >> TAG > tag:  # another run that many texts have
            end = first_from(entries, begin, end, (tag + np.uint64(1)) << TAG)
        bounds[i, 0], bounds[i, 1] = begin, end
    return fetched


@part
def _fitting(entries: Array, bound: Any, tag: np.uint64, sort: int, low: int, high: int, window: Array) -> int:
    """Where, among some neighbours of a run, those of a class and of `low` to `high` words are; returns how many."""
    head = (tag << TAG) | (np.uint64(sort) << CLASS)
    first = _first_near(entries, bound[0], bound[1], head | np.uint64(length_step(low) * OWNERS))
    last = _first_near(entries, first, bound[1], head | np.uint64(length_step(high) * OWNERS + OWNERS - 1))
    window[0], window[1] = first, last
    return last - first


@part
def _all_fitting(
    tags: Array, weights: Array, entries: Array, bounds: Array, sorts: Any, low: int, high: int, windows: Array
) -> int:
    """The same for all runs that have a weight, and classes from one to another; returns how many there are in all."""
    total = 0
    for i in range(len(weights)):
        if weights[i] > 0 and bounds[i, 0] < bounds[i, 1]:
            begin, tag = bounds[i, 0], np.uint64(tags[i])
            for sort in range(sorts[0], sorts[1] + 1):
                total += _fitting(entries, (begin, bounds[i, 1]), tag, sort, low, high, windows[i, sort])
                begin = windows[i, sort, 1]
    return total


@part
def _room(entries: int, texts: int) -> int:
    """A power of two, twice as large as the texts that so many entries can name, or larger."""
    size = 64
    while size < 2 * min(entries, texts):
        size *= 2
    return size


@part
def _count(weights: Array, entries: Array, bounds: Array, sorts: Any, windows: Array, who: Array, hits: Array) -> None:
    """Count hits for the texts that the windows name, in a table whose free slots are -1."""
    mask = len(who) - 1
    for i in range(len(weights)):
        if weights[i] > 0 and bounds[i, 0] < bounds[i, 1]:
            for sort in range(sorts[0], sorts[1] + 1):
                for entry in range(windows[i, sort, 0], windows[i, sort, 1]):
                    owner = np.int64(entries[entry] & OWNER)
                    slot = ((owner * _MIXED) >> _SHIFT) & mask
                    while who[slot] >= 0 and who[slot] != owner:
                        slot = (slot + 1) & mask
                    who[slot] = owner
                    hits[slot] += weights[i]


@part
def _choose_own(
    places: Array, bounds: Array, least: int, prices: Array, costs: Array, chosen: Array, weights: Any
) -> int:
    """How many of the text's own pieces each run is, by how many texts have it; returns how many must be met."""
    length = len(places)
    impossible = 4 * prices[len(prices) - 1]
    for i in range(length):
        run = places[i, 0]
        costs[0, i] = 2 * min(bounds[run, 1] - bounds[run, 0], MANY)
        costs[1, i] = impossible
    for i in range(length - 2):
        run = places[i, 1]
        costs[1, i] = 2 * min(bounds[run, 1] - bounds[run, 0], MANY)
    taken, _ = choose_runs(costs, length, pieces_wanted(length, least), prices, len(prices) // 2, chosen)
    weights[:] = 0
    i = 0
    while i < length:
        words = np.int64(chosen[i])
        if words > 0:
            weights[places[i, 0 if words == 1 else 1]] += 1
        i += max(words, 1)
    return taken - slack_of(length, least)


@kernel
def near_one(tags: Array, places: Array, block: Any, slot_bits: int, limits: Any, prices: Array) -> Array:
    """The texts of a block that may be similar to a text, whose runs are given as `runs_of` gives them.

    `block` are (entries, where the slots begin, words and pieces of each text); `limits` are (the least share, of what
    whole, the fewest words); `prices` are as `choose_runs` takes them. Texts of the same length may be there twice.
    """
    entries, starts, lengths, pieces = block
    least, whole, shortest = limits
    used, length = len(tags), len(places)
    bounds, windows = np.empty((used, 2), np.int64), np.empty((used, NEITHER + 1, 2), np.int64)
    weights = np.ones(used, np.int32)
    _neighbours(tags, entries, starts, slot_bits, bounds)

    most = length * whole // least
    size = _room(_all_fitting(tags, weights, entries, bounds, _LISTED, length, most, windows), len(lengths))
    who, hits = np.full(size, -1, np.int32), np.zeros(size, np.int32)
    _count(weights, entries, bounds, _LISTED, windows, who, hits)
    longer = 0
    for slot in range(size):
        owner = who[slot]
        if owner >= 0:
            other = np.int64(lengths[owner])
            if length <= other <= most and hits[slot] >= pieces[owner] - slack_of(other, least):
                who[longer] = owner
                longer += 1

    costs, chosen = np.empty((2, length), np.int64), np.empty(length, np.uint8)
    needed = _choose_own(places, bounds, least, prices, costs, chosen, weights)
    fewest = max((least * length + whole - 1) // whole, shortest)
    size = _room(_all_fitting(tags, weights, entries, bounds, _EVERY, fewest, length, windows), len(lengths))
    others, hits = np.full(size, -1, np.int32), np.zeros(size, np.int32)
    _count(weights, entries, bounds, _EVERY, windows, others, hits)
    shorter = 0
    for slot in range(size):
        owner = others[slot]
        if owner >= 0 and hits[slot] >= needed and fewest <= lengths[owner] <= length:
            others[shorter] = owner
            shorter += 1

    found = np.empty(longer + shorter, np.int32)
    for i in range(longer):
        found[i] = who[i]
    for i in range(shorter):
        found[longer + i] = others[i]
    return found


@kernel
def share_enough(
    asked: Array, own: Array, words: Array, offsets: Array, texts: Array, least: int, whole: int, enough: Array
) -> None:
    """Mark which of some texts share enough of their words with one, whatever the order.

    `asked` are its words in order of their numbers, each once, and `own` how often it has each.
    """
    size, length = 64, 0
    while size < 2 * len(asked):
        size *= 2
    table, left = np.full(size, -1, np.int32), np.empty(len(own), np.int64)
    for i in range(len(asked)):
        length += own[i]
        slot = ((np.int64(asked[i]) * _MIXED) >> _SHIFT) & (size - 1)
        while table[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        table[slot] = i
    for turn in range(len(texts)):
        begin, end = offsets[texts[turn]], offsets[texts[turn] + 1]
        need = (least * max(length, end - begin) + whole - 1) // whole
        left[:] = own
        lacking = end - begin - need
        for i in range(begin, end):
            word = np.int64(words[i])
            slot = ((word * _MIXED) >> _SHIFT) & (size - 1)
            while table[slot] >= 0 and np.int64(asked[table[slot]]) != word:
                slot = (slot + 1) & (size - 1)
            if table[slot] >= 0 and left[table[slot]] > 0:
                left[table[slot]] -= 1
            else:
                lacking -= 1
                if lacking < 0:
                    break
        enough[turn] = lacking >= 0
