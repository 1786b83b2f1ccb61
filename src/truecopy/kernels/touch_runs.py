"""Which texts of an array of runs (kernels/run_lists) can matter to fresh texts: fresh runs are looked up in it.

Why nothing is missed. For `contains`: a text of n shingles of which a share must be found in another text may lose
`slack` of them, so of any slack + m of its shingles at least m are found there (kernels/contain). Each stored text is
listed under its slack + m rarest ones; a fresh text looks up all of its shingles among the listed entries, and meets m
times whatever it contains. And of its own slack + m shingles that are rarest in what is stored, it meets m among all
entries of whatever contains it. For `similar`: of slack + m pieces of the longer text, which do not overlap, the
shorter one has at least m (kernels/pieces). Each stored text is listed under its pieces, which every fresh text that is
shorter looks up; and a fresh text looks up its own pieces among all entries of the texts that are shorter. Runs that
share a tag can only add to what is met.

Most of the time goes into waiting for memory, because runs are looked up all over it. So the runs of some thousand
fresh texts are looked up together, in order of their tags, each tag once for all texts that have it: what is read of an
array comes in the order in which it is stored. What a text meets is noted run by run, then put in order of the fresh
texts and counted for one after the other.

A text is only marked, and then passed over: a family of copies is not gone through again and again.
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
    first_from,
    length_step,
    mark_rarest,
    most_listed,
    room_for,
    sort_by,
)

Array = Any

_FEW = 16
"""So many entries are looked at one by one; among more, halving is faster."""
_MUCH_LONGER = 8
"""Shingles of texts that are so many times as long as what they may contain are not counted."""
_AHEAD = 64
"""Runs whose entries are fetched from memory at the same time."""
_SLICE = 4096
"""Neighbours of a run that are noted at a time, for all fresh texts that have it."""
PART = 128
"""Texts that are noted one after the other for a fresh text (512 bytes), before the next part of the room is taken."""
MOST_HITS = 255
"""Hits are counted up to here, in a byte each: what is asked for beyond it costs only comparisons."""

_LOW = np.uint64(0xFFFFFFFF)
_NO_LIMIT = np.int64(1 << 40)
_NEVER = np.uint64(0x9E3779B97F4A7C15)
"""What is fetched ahead must be used for something, or it would not be fetched: it is compared with this."""
INSIDE, ALIKE = 0, 1
"""Which relation something was noted for."""


@kernel
def gather_runs(
    words: Array,
    offsets: Array,
    keys: Array,
    which: Array,
    first: int,
    last: int,
    places: Array,
    ends: Array,
    order: Array,
    turns: Array,
    chosen: Array,
    groups: Array,
    run_of: Array,
    used_for: Array,
) -> tuple[int, int]:
    """The distinct runs of the fresh texts which[first:last]; returns how many there are of all texts, and of all tags.

    They have places, one text's after the other's: shingles first, then words. `places` receives which run begins at
    each word, `ends` where each text's words end, its shingles and its runs; `order` tags and places, by tag, `turns`
    whose run each is, `groups` where each tag begins in that order, and `run_of` which tag the run of each place has.
    `chosen` and `used_for` tell, as `meet` takes them, that shingles count for either relation, and words for one.
    """
    longest = 0
    for turn in range(first, last):
        longest = max(longest, offsets[which[turn] + 1] - offsets[which[turn]])
    table, tags = np.empty(room_for(longest), np.int32), np.empty(len(order), np.uint32)
    used, here = 0, 0
    for turn in range(last - first):
        begin, end = offsets[which[first + turn]], offsets[which[first + turn] + 1]
        shingles, found = distinct_runs(words, begin, end, keys, table, tags, used, places, here)
        here += end - begin
        ends[turn, 0], ends[turn, 1] = here, used + shingles
        for i in range(used, used + shingles + found):
            order[i] = (np.uint64(tags[i]) << TAG) | np.uint64(i)
            run_of[i] = turn
        used += shingles + found
        ends[turn, 2] = used
    scratch, counts = np.empty(used, np.uint64), np.empty((1 << RADIX) + 1, np.int64)
    sort_by(order, scratch, 0, used, 32, 32, counts)
    distinct = 0
    for i in range(used):
        place = np.int64(order[i] & _LOW)
        if i == 0 or order[i] >> TAG != order[i - 1] >> TAG:
            groups[distinct] = i
            used_for[distinct] = 0
            distinct += 1
        turns[i] = run_of[place]
        chosen[i] = 2 + np.int32(place < ends[turns[i], 1])
        used_for[distinct - 1] |= np.uint8(chosen[i])
        run_of[place] = distinct - 1
    groups[distinct] = used
    return used, distinct


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
            end = first_from(entries, few, until, (tag + np.uint64(1)) << TAG)
        if sort < np.uint64(1):
            contains = first_from(entries, few, end, (tag << TAG) | (np.uint64(1) << CLASS)) - begin
        if sort < np.uint64(2):
            both = first_from(entries, begin + contains, end, (tag << TAG) | (np.uint64(2) << CLASS)) - begin
        if sort < np.uint64(3):
            similar = first_from(entries, begin + both, end, (tag << TAG) | (np.uint64(3) << CLASS)) - begin
    ends[at, 0], ends[at, 1], ends[at, 2], ends[at, 3] = contains, both, similar, end - begin


@part
def _find_ahead(
    order: Array,
    groups: Array,
    first: int,
    last: int,
    block: Any,
    begins: Array,
    ends: Array,
    counts: Array,
    bounds: Array,
) -> np.uint64:
    """Where in a block the neighbours of some tags begin, and how many there are up to the end of each class.

    They are also added to `counts`, for all blocks together. Returns a number without meaning: what is read first needs
    no answer, so that it is fetched from memory for all tags at the same time.
    """
    entries, starts, shift = block
    fetched = np.uint64(0)
    for run in range(first, last):
        slot = np.int64((order[groups[run]] >> TAG) >> shift)
        bounds[run - first, 0], bounds[run - first, 1] = starts[slot], starts[slot + 1]
    for run in range(first, last):
        if bounds[run - first, 0] < bounds[run - first, 1]:
            fetched ^= entries[bounds[run - first, 0]] ^ entries[bounds[run - first, 1] - 1]
    for run in range(first, last):
        tag = order[groups[run]] >> TAG
        begin, until = bounds[run - first, 0], bounds[run - first, 1]
        begin = first_from(entries, begin, until, tag << TAG) if until - begin > _FEW else begin
        while begin < until and entries[begin] >> TAG < tag:
            begin += 1
        begins[run] = begin
        _count_classes(entries, begin, until, tag, ends, run)
        counts[run] += ends[run, NEITHER]
    return fetched


@part
def _fetch_ahead(entries: Array, used_for: Array, first: int, last: int, begins: Array, ends: Array) -> np.uint64:
    """Fetch the neighbours of some tags from memory, as far as they are wanted."""
    fetched = np.uint64(0)
    for run in range(first, last):
        if used_for[run] > 0 and ends[run, NEITHER] > 0:
            fetched ^= entries[begins[run]] ^ entries[begins[run] + ends[run, SIMILAR] - (ends[run, SIMILAR] > 0)]
    return fetched


@part
def _first_key(entries: Array, begin: int, end: int, key: int, share: int) -> int:
    """The first of some neighbours of one class that is not shorter than a length, which about so many of 1024 texts
    are: it is looked for from there on, because every look is a wait for memory.
    """
    guess = begin + (end - begin) * share // 1024
    step = 4
    if guess < end and np.int64(entries[guess] & LENGTH_AND_OWNER) < key:
        begin = guess + 1
        while begin + step < end and np.int64(entries[begin + step] & LENGTH_AND_OWNER) < key:
            begin += step + 1
            step *= 2
        end = min(end, begin + step)
    else:
        end = guess
        while end - step > begin and np.int64(entries[end - step] & LENGTH_AND_OWNER) >= key:
            end -= step
            step *= 2
        begin = max(begin, end - step)
    while begin < end:
        middle = (begin + end) // 2
        if np.int64(entries[middle] & LENGTH_AND_OWNER) < key:
            begin = middle + 1
        else:
            end = middle
    return begin


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
def _fetch_bags(bags: Any, met: Array, first: int, last: int) -> np.uint64:
    """Fetch from memory what tells first that stored texts share too few words; returns a number without meaning."""
    _, stored, place_of = bags
    _, _, _, _, _, histograms, bits, _, _ = stored
    fetched = np.uint64(0)
    for i in range(first, last):
        fetched ^= np.uint64(place_of[met[i]])
    for i in range(first, last):
        place = np.int64(place_of[met[i]])
        fetched ^= bits[place, 0] ^ np.uint64(histograms[place, 0])
    return fetched


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
        found = first_from(entries, begin, begin + count, wanted)
        if found < begin + count and entries[found] == wanted:
            return True
    return False


@part
def _shares_shingles(
    entries: Array, found: Any, run_of: Array, begin: int, end: int, owner: int, length: int, fewest: int
) -> bool:
    """Whether a stored text of so many words has at least so many of a fresh text's shingles, as far as it is worth
    counting: a long text has many short ones in it, and would be gone through for each of them.
    """
    begins, run_ends, _ = found
    left, key = end - begin - fewest, length_step(length) * OWNERS + owner
    if left < 0:
        return False
    if end - begin > _MUCH_LONGER * fewest:
        return True
    for place in range(begin, end):
        run = run_of[place]
        if not _is_neighbour(entries, begins[run], np.int64(run_ends[run, NEITHER]), key):
            left -= 1
            if left < 0:
                return False
    return True


@part
def _tally(texts: Array, first: int, last: int, wanted: int, hits: Array, met: Array, others: int) -> int:
    """Count texts that were noted; those that were met so often are put into `met`. Returns how many these are."""
    for i in range(first, last):
        text = np.int64(texts[i])
        often = np.int64(hits[text]) + 1
        met[others] = text
        others += often == wanted
        hits[text] = np.uint8(min(often, MOST_HITS))
    return others


@part
def _new_part(room: Any) -> int:
    """A part of the room that is free; -1 if there is none."""
    texts, following, _, _, _, used, _, _, _ = room
    if (used[0] + 1) * PART > len(texts):
        return -1
    following[used[0]] = -1
    used[0] += 1
    return np.int64(used[0] - 1)


@part
def _empty_room(room: Any) -> None:
    """Nothing is noted."""
    _, _, heads, lasts, ends, used, _, _, _ = room
    heads[:], lasts[:], ends[:], used[:] = -1, -1, 0, 0


@part
def _count_at_once(room: Any) -> None:
    """Count what is noted of the only text that asks, before there is room for all of it."""
    for sort in range(2):
        room[8][sort] = _tally_parts(sort, 0, 1, room[8][sort], room)
    _empty_room(room)


@part
def _note_near(
    near: Array,
    near_texts: Array,
    fitting: int,
    members: tuple[int, int],
    turns: Array,
    chosen: Array,
    sort: int,
    bounds: Array,
    room: Any,
) -> bool:
    """Note some neighbours of a run for each fresh text that has it and for which they fit.

    `near` is what must be within a fresh text's bounds. False if there is not enough room; where only one text asks,
    what is noted is counted at once, and there is.
    """
    texts, following, heads, lasts, ends, _, _, _, _ = room
    for i in range(members[0], members[1]):
        turn = np.int64(turns[i])
        low, high = bounds[sort, turn, 0], bounds[sort, turn, 1]
        if low >= high:
            continue
        for _ in range(chosen[i] & 1 if sort == INSIDE else chosen[i] >> 1):
            at, j = ends[sort, turn], 0
            while j < fitting:
                if at == (lasts[sort, turn] + 1) * PART:  # the part is full, or there is none
                    new = _new_part(room)
                    if new < 0:
                        if heads.shape[1] > 1:
                            return False
                        ends[sort, turn] = at
                        _count_at_once(room)
                        new = _new_part(room)
                    if heads[sort, turn] < 0:
                        heads[sort, turn] = new
                    else:
                        following[lasts[sort, turn]] = new
                    lasts[sort, turn] = new
                    at = new * PART
                until = min(fitting, j + (lasts[sort, turn] + 1) * PART - at)
                while j < until:
                    texts[at] = near_texts[j]
                    at += low <= near[j] < high
                    j += 1
            ends[sort, turn] = at
    return True


@part
def _tally_parts(sort: int, turn: int, wanted: int, others: int, room: Any) -> int:
    """Count all that is noted for a fresh text."""
    texts, following, heads, _, ends, _, hits, met, _ = room
    place = heads[sort, turn]
    while place >= 0:
        end = ends[sort, turn] if following[place] < 0 else (place + 1) * PART
        others = _tally(texts, place * PART, end, wanted, hits[sort], met[sort], others)
        place = following[place]
    return others


@part
def _count_met(sort: int, turn: int, wanted: int, room: Any) -> int:
    """Count what a fresh text has met; returns how many texts it met so often."""
    others = room[8]
    return _tally_parts(sort, turn, 1 if others[sort] > 0 else wanted, others[sort], room)


@part
def _forget_met(sort: int, turn: int, room: Any) -> int:
    """Forget what a fresh text has met, for the next one; returns how much it was."""
    texts, following, heads, _, ends, _, hits, _, others = room
    place, counted = heads[sort, turn], 0
    while place >= 0:
        end = ends[sort, turn] if following[place] < 0 else (place + 1) * PART
        for i in range(place * PART, end):
            hits[sort, texts[i]] = 0
        counted += end - place * PART
        place = following[place]
    if others[sort] > 0:  # more was counted than is noted now
        hits[sort, :] = 0
        counted += others[sort]
        others[sort] = 0
    return counted


@part
def _fewest_met(length: int, listed: int) -> int:
    """How many pieces are met of any text that is similar and not shorter, at least: listed texts have as many more
    than edits are allowed, and longer texts have no fewer than shorter ones.
    """
    return pieces_wanted(length, listed) - slack_of(length, listed)


@part
def _lengths(length: int, least: int, whole: int, shortest: int, listed: bool) -> tuple[int, int]:
    """From how many to how many words a text has that can be similar: a longer one, or a shorter one."""
    if listed:
        return length, length * whole // least
    return max((least * length + whole - 1) // whole, shortest), length


@part
def _set_bounds(asking: Any, needed: Array, limits: Any, listed: bool, bounds: Array, every: Array) -> None:
    """How many shingles a text must have for one relation to each fresh one, and which key for the other; of no fresh
    text that asks for nothing. `every` receives what holds for all of them.
    """
    offsets, which, first, last, ends, _, _, _ = asking
    contains, _, _, whole, fewest, similar, least, shortest, _ = limits
    begin = 0
    for turn in range(last - first):
        length, size = offsets[which[first + turn] + 1] - offsets[which[first + turn]], ends[turn, 1] - begin
        if contains and size >= fewest and (listed or needed[turn, INSIDE] > 0):
            bounds[INSIDE, turn, 0] = fewest if listed else size
            bounds[INSIDE, turn, 1] = size + 1 if listed else _NO_LIMIT
        if similar and length >= shortest and (listed or needed[turn, ALIKE] > 0):
            low, high = _lengths(length, least, whole, shortest, listed)
            bounds[ALIKE, turn, 0] = length_step(low) * OWNERS
            bounds[ALIKE, turn, 1] = (length_step(high) + 1) * OWNERS
        begin = ends[turn, 2]
        for sort in range(2):
            if bounds[sort, turn, 0] < bounds[sort, turn, 1]:
                every[sort, 0] = min(every[sort, 0], bounds[sort, turn, 0])
                every[sort, 1] = max(every[sort, 1], bounds[sort, turn, 1])


@kernel
def note_met(
    asking: Any,
    order: Array,
    chosen: Array,
    used_for: Array,
    needed: Array,
    block: Any,
    found: Any,
    limits: Any,
    listed: bool,
    share: int,
    known: Array,
    room: Any,
) -> bool:
    """Note the texts of a block that fresh texts meet: `listed`, those that they may contain, and longer ones that may
    be similar, which are listed under their runs; else those that may contain them and shorter ones, which have their
    rarest shingles and their pieces.

    `asking` are (offsets, which, first, last, and of `gather_runs` ends, turns, groups, run_of), `order` are the runs
    by tag. `chosen` tells of each in this order twice how often it counts for `similar`, and one more if it counts for
    `contains`; `used_for` the same of each tag. `needed` is how often a text must be met, where it depends on the fresh
    text. `block` are (entries, starts, how far a tag is shifted to be a place there, shingles and words of each text,
    the pieces of it that must be met). `found` are where the neighbours of each tag begin, how many there are up to the
    end of each class, and their sum for all blocks; they are found when it is `listed`. `limits` are (for `contains`:
    whether it is asked for, the share that may be missing, that which texts are listed for, of what whole, the fewest
    shingles; for `similar`: whether it is asked for, the least share, the fewest words, the least share that texts are
    listed for). About `share` of 1024 texts are shorter than all that may be similar. `room` receives what is noted, as
    `judge_met` takes it. False if there is not enough room for several fresh texts together.
    """
    _, _, first, last, _, turns, groups, _ = asking
    entries, starts, shift, sizes, _, _ = block
    begins, run_ends, sums = found
    _empty_room(room)
    bounds, every = np.zeros((2, last - first, 2), np.int64), np.zeros((2, 2), np.int64)
    every[:, 0] = _NO_LIMIT
    _set_bounds(asking, needed, limits, listed, bounds, every)
    near, near_texts = np.empty(_SLICE, np.int64), np.empty(_SLICE, np.int32)
    ahead, fetched = np.empty((_AHEAD, 2), np.int64), np.uint64(0)
    first_class, last_class = (BOTH, SIMILAR) if listed else (CONTAINS, NEITHER)
    for run in range(len(groups) - 1):
        if run % _AHEAD == 0:
            until = min(run + _AHEAD, len(groups) - 1)
            if listed:
                fetched ^= _find_ahead(
                    order, groups, run, until, (entries, starts, shift), begins, run_ends, sums, ahead
                )
            else:
                fetched ^= _fetch_ahead(entries, used_for, run, until, begins, run_ends)
        members, use = (groups[run], groups[run + 1]), used_for[run]
        at, end = begins[run], begins[run] + run_ends[run, BOTH if listed else NEITHER]
        while use & 1 > 0 and at < end:
            until, fitting = min(end, at + _SLICE), 0
            while at < until:
                text = np.int64(entries[at] & OWNER)
                near[fitting], near_texts[fitting] = sizes[text], text
                fitting += every[INSIDE, 0] <= sizes[text] < every[INSIDE, 1] and not known[text]
                at += 1
            if not _note_near(near, near_texts, fitting, members, turns, chosen, INSIDE, bounds, room):
                return False
        for kind in range(first_class, last_class + 1):
            at = begins[run] + (run_ends[run, kind - 1] if kind > 0 else 0)
            end = begins[run] + run_ends[run, kind]
            if use > 1 and end - at > _FEW:
                at = _first_key(entries, at, end, every[ALIKE, 0], share)
            while use > 1 and at < end:
                until, fitting = min(end, at + _SLICE), 0
                while at < until:
                    key = np.int64(entries[at] & LENGTH_AND_OWNER)
                    if key >= every[ALIKE, 1]:
                        until, end = at, at
                    else:
                        near[fitting], near_texts[fitting] = key, key & (OWNERS - 1)
                        fitting += key >= every[ALIKE, 0] and not known[key & (OWNERS - 1)]
                        at += 1
                if not _note_near(near, near_texts, fitting, members, turns, chosen, ALIKE, bounds, room):
                    return False
    return fetched != _NEVER


@kernel
def judge_met(
    asking: Any, needed: Array, block: Any, bags: Any, found: Any, limits: Any, listed: bool, known: Array, room: Any
) -> tuple[int, int]:
    """Mark the texts that were noted often enough, and that share enough words with the fresh text; arguments are those
    of `meet`. `bags` are those of the fresh texts and of the block's, as kernels/overlap takes them, and where each
    text of the block is among these. Returns how much was counted, and how many texts were met that often.

    `room` are what `meet` has noted: texts in parts, which part follows each, the first one of each relation and fresh
    text, the last one and where it ends, how many there are; and for counting, hits of each text, those that were met,
    and how many of them were met while there was no room to note them.
    """
    offsets, which, first, last, ends, _, _, run_of = asking
    entries, _, _, sizes, lengths, asked = block
    _, loss, floor_loss, whole, _, _, least, shortest, listed_for = limits
    hits, met = room[6], room[7]
    counted, every_met, begin, fetched = 0, 0, 0, np.uint64(0)
    for turn in range(last - first):
        text, middle = which[first + turn], ends[turn, 1]
        here = _count_met(INSIDE, turn, 1, room)
        every_met += here
        for i in range(here):
            other = np.int64(met[INSIDE, i])
            size = np.int64(sizes[other]) if listed else middle - begin
            slack = size * loss // whole
            wanted = most_listed(size, floor_loss, whole) - slack if listed else needed[turn, INSIDE]
            if (
                hits[INSIDE, other] >= min(wanted, MOST_HITS)
                and not known[other]
                and _may_contain(bags, text, other, not listed, slack)
                and _shares_shingles(entries, found, run_of, begin, middle, other, lengths[other], size - slack)
            ):
                known[other] = True
        counted += _forget_met(INSIDE, turn, room)
        length = offsets[text + 1] - offsets[text]
        low, high = _lengths(length, least, whole, shortest, listed)
        seldom = _fewest_met(length, listed_for) if listed else needed[turn, ALIKE]
        here = _count_met(ALIKE, turn, min(seldom, MOST_HITS), room)
        every_met += here
        close = 0
        for i in range(here):
            other = np.int64(met[ALIKE, i])
            wanted = np.int64(asked[other]) if listed else needed[turn, ALIKE]
            met[ALIKE, close] = other
            close += hits[ALIKE, other] >= min(wanted, MOST_HITS) and not known[other] and low <= lengths[other] <= high
        for i in range(close):
            if i % _AHEAD == 0:
                fetched ^= _fetch_bags(bags, met[ALIKE], i, min(i + _AHEAD, close))
            other = np.int64(met[ALIKE, i])
            # Only ever marked, never unmarked: other threads mark the same texts meanwhile.
            if not known[other] and _may_be_similar(bags, text, length, other, np.int64(lengths[other]), least, whole):
                known[other] = True
        counted += _forget_met(ALIKE, turn, room)
        begin = ends[turn, 2]
    return counted, every_met + np.int64(fetched == _NEVER)


@kernel
def choose_own(
    offsets: Array,
    which: Array,
    first: int,
    last: int,
    ends: Array,
    places: Array,
    order: Array,
    run_of: Array,
    prices: Array,
    limits: Any,
    counts: Array,
    chosen: Array,
    used_for: Array,
    needed: Array,
) -> None:
    """Which runs of each fresh text, which[first:last], are looked up among all entries, by how many have them.

    `chosen`, `used_for` and `needed` receive what `meet` takes: its rarest shingles and its pieces, and how many of
    either must be met.
    """
    contains, loss, _, whole, fewest, similar, least, shortest, _ = limits
    longest = 0
    for turn in range(first, last):
        longest = max(longest, offsets[which[turn] + 1] - offsets[which[turn]])
    by_class, classes = np.empty(CLASSES, np.int64), np.empty(longest, np.int16)
    costs, of_words = np.empty((2, longest), np.int64), np.empty(longest, np.uint8)
    rare, weights = np.zeros(len(chosen), np.bool_), np.zeros(len(chosen), np.int32)
    impossible = 4 * prices[len(prices) - 1]
    begin, here, price = 0, 0, len(prices) // 2
    for turn in range(last - first):
        middle, end, until = ends[turn, 1], ends[turn, 2], ends[turn, 0]
        size, length = middle - begin, until - here
        needed[turn, :] = 0
        if contains and size >= fewest:
            by_class[:MOST_CLASSES] = 0
            for i in range(size):
                classes[i] = class_of(min(counts[run_of[begin + i]], MANY))
                by_class[classes[i]] += 1
            wanted = most_listed(size, loss, whole)
            mark_rarest(by_class, classes, size, wanted, rare[begin:middle])
            needed[turn, 0] = wanted - size * loss // whole
            present = 0
            for i in range(begin, middle):
                present += rare[i] and counts[run_of[i]] > 0
            if present < needed[turn, 0]:  # nobody has enough of them
                needed[turn, 0] = 0
                rare[begin:middle] = False
        if similar and length >= shortest:
            for i in range(length):
                costs[0, i] = 2 * min(counts[run_of[begin + places[here + i, 0]]], MANY)
                costs[1, i] = impossible
            for i in range(length - 2):
                costs[1, i] = 2 * min(counts[run_of[begin + places[here + i, 1]]], MANY)
            taken, price = choose_runs(costs, length, pieces_wanted(length, least), prices, price, of_words)
            needed[turn, 1] = taken - slack_of(length, least)
            present = 0
            i = 0
            while i < length:
                run = np.int64(of_words[i])
                if run > 0:
                    present += costs[run // LONGEST, i] > 0
                    weights[begin + places[here + i, 0 if run == 1 else 1]] += 1
                i += max(run, 1)
            if present < needed[turn, 1]:
                needed[turn, 1] = 0
                weights[begin:end] = 0
        begin, here = end, until
    used_for[:] = 0
    for i in range(len(chosen)):
        place = np.int64(order[i] & _LOW)
        chosen[i] = 2 * weights[place] + np.int32(rare[place])
        used_for[run_of[place]] |= np.uint8(rare[place]) | (np.uint8(2) if weights[place] > 0 else np.uint8(0))
