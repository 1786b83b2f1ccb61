"""Which part of a text another text was taken from, for many pairs.

1. We count the shingles of the contained text, and give each place of the containing text the number of its shingle
   among them, or none. A text that is there word for word, shingle after shingle, is found by Knuth, Morris and Pratt's
   search of one row of numbers in another: the part is the first place where it is, and nothing below is asked.
   Counts alone would not do: in a few words repeated, other orders of them hold the same shingles.
2. Places that are not in a row of `SOLID` (or of as many shingles as the contained text has) are set aside, as long as
   enough others remain: they are phrases that the two share by chance.
3. Shingles that are rare in the contained text say where it would begin, if hardly a word was changed.
   Most of them agree on one beginning, give or take a shift by words put in or left out. If what follows there
   holds nine tenths of what the whole text holds, we look at nothing else: the order of words decides between
   passages of like words.
4. A region holds a shingle as often as both have it: sum(min(times in the contained text, times in the region)),
   so that phrases that occur everywhere count no more often than they were taken.
   The shortest region that holds nine tenths of what there is says how long the part may be. Of the regions no
   longer than that (or than the contained text) we keep those that hold most; of these we take the shortest, and
   of the shortest the first. Each search is one walk of two places over the text. An end with only a few
   scattered phrases is cut off.
5. Both ends move on as far as the words around them can be aligned, because a changed word near the end of an
   excerpt takes away the shingles around it. A match scores 1, all else -1; reaching the end of the contained
   text scores `END`. The part begins and ends with a word that both texts have.

Time and memory are linear in the lengths of the two texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.mix import shingle_hash

Array = Any

RUN = 3
"""Words of a shingle; where none is shared, shorter runs are tried."""
SOLID = 4
"""So many shared shingles in a row are not there by chance: six words."""
NEEDED, OF = 9, 10
"""The share of what the two have in common that the part must hold."""
THIN = 20
"""A thin end is cut off where it holds no more than what the part holds, divided by this."""
TIMES = 16
"""Shingles that occur more often in the contained text do not say where it begins."""
DRIFT = 32
"""Words put in and left out may shift the contained text by its length divided by this, plus eight."""
AROUND = 64
"""How many words are aligned at a time beyond an end of the part."""
END = 3
NEAR = 2


@part
def _key(words: Array, word_keys: Array, i: int, run: int) -> np.uint64:
    zero = np.uint64(0)
    second = word_keys[words[i + 1]] if run > 1 else zero
    third = word_keys[words[i + 2]] if run > 2 else zero
    value = shingle_hash(word_keys[words[i]], second, third)
    return value if value != zero else np.uint64(1)


@rare_part
def _room(length: int) -> int:
    """Slots of a table for a text of this many words: a power of two, at least twice as many."""
    size = 16
    while size < 2 * length:
        size *= 2
    return size


@rare_part
def _number(
    words: Array, word_keys: Array, a0: int, a1: int, b0: int, b1: int, run: int,
    keys: Array, times: Array, stands: Array, earlier: Array, order: Array, ids: Array,
) -> int:  # fmt: skip
    """Count the contained text's shingles by their slot, and put the slot of each of the other's into `ids`, or -1.

    `stands` is the last place of a shingle, `earlier` the place before that one; `order` has the slot of each place.

    Returns how many places of the containing text have one in a row, where that is most.
    """
    size = _room(a1 - a0)
    mask = np.uint64(size - 1)
    keys[:size] = np.uint64(0)
    times[:size] = 0
    for i in range(a0, a1 - run + 1):
        key = _key(words, word_keys, i, run)
        slot = key & mask
        while keys[slot] != np.uint64(0) and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        keys[slot] = key
        earlier[i - a0] = stands[slot]  # for the first of a slot it is whatever was there: nobody asks
        stands[slot] = i - a0
        order[i - a0] = np.int64(slot)
        times[slot] += 1
    row, most = 0, 0
    for j in range(b0, b1 - run + 1):
        key = _key(words, word_keys, j, run)
        slot = key & mask
        while keys[slot] != np.uint64(0) and keys[slot] != key:
            slot = (slot + np.uint64(1)) & mask
        found = keys[slot] == key
        ids[j - b0] = np.int64(slot) if found else -1
        row = row + 1 if found else 0
        most = max(most, row)
    return most


@rare_part
def _word_for_word(order: Array, shingles: int, ids: Array, places: int, borders: Array) -> int:
    """The first place where the contained text's shingles are one after the other, or -1: Knuth, Morris and Pratt.

    borders[i] = how many of its first shingles are also the last ones of its first i + 1, if not all of these.
    """
    borders[0] = 0
    equal = 0
    for i in range(1, shingles):
        while equal > 0 and order[i] != order[equal]:
            equal = borders[equal - 1]
        equal += order[i] == order[equal]
        borders[i] = equal
    equal = 0
    for place in range(places):
        while equal > 0 and ids[place] != order[equal]:
            equal = borders[equal - 1]
        equal += ids[place] == order[equal]
        if equal == shingles:
            return place - shingles + 1
    return -1


@rare_part
def _held(ids: Array, places: int, times: Array, seen: Array, least: int) -> int:
    """What the whole text holds at places in a row of at least `least`."""
    seen[:] = 0
    held = 0
    begin = 0
    for place in range(places + 1):
        if place < places and ids[place] >= 0:
            continue
        if place - begin >= least:
            for k in range(begin, place):
                seen[ids[k]] += 1
                held += seen[ids[k]] <= times[ids[k]]
        begin = place + 1
    return held


@rare_part
def _drop_short(ids: Array, places: int, least: int) -> None:
    """Set aside the places that are not in a row of `least`."""
    begin = 0
    for place in range(places + 1):
        if place < places and ids[place] >= 0:
            continue
        if place - begin < least:
            ids[begin:place] = -1
        begin = place + 1


@rare_part
def _begin(
    ids: Array, places: int, times: Array, stands: Array, earlier: Array, words: int, shift: int, votes: Array
) -> int:
    """Where the contained text begins, as most of its shingles say, give or take `shift`: the first such place.

    It may lie before the containing text, by up to `words`. votes[v] are those for the place v - words.
    """
    votes[: places + words] = 0
    for place in range(places):
        slot = ids[place]
        if slot < 0 or times[slot] > TIMES:
            continue
        stand = stands[slot]
        for _ in range(times[slot]):
            votes[place - stand + words] += 1
            stand = earlier[stand]
    most, begin, sum_of_votes = 0, 0, 0
    for v in range(places + words):
        sum_of_votes += votes[v]
        if v > shift:
            sum_of_votes -= votes[v - shift - 1]
        if sum_of_votes > most:
            most, begin = sum_of_votes, max(0, v - shift)
    while begin < places + words - 1 and votes[begin] == 0:
        begin += 1
    return begin - words


@rare_part
def _most(ids: Array, places: int, times: Array, seen: Array, longest: int) -> int:
    """The most that any region of `longest` places holds."""
    seen[:] = 0
    held = 0
    most = 0
    for place in range(places):
        if place >= longest:
            slot = ids[place - longest]
            if slot >= 0:
                held -= seen[slot] <= times[slot]
                seen[slot] -= 1
        slot = ids[place]
        if slot >= 0:
            seen[slot] += 1
            held += seen[slot] <= times[slot]
            most = max(most, held)
    return most


@rare_part
def _shortest(ids: Array, places: int, times: Array, seen: Array, needed: int) -> tuple[int, int]:
    """The first of the shortest regions that hold enough: its first and its last place."""
    seen[:] = 0
    held = 0
    begin = 0
    first, last = 0, places
    for place in range(places):
        slot = ids[place]
        if slot < 0:
            continue
        seen[slot] += 1
        held += seen[slot] <= times[slot]
        while held >= needed:
            if place - begin < last - first:
                first, last = begin, place
            slot = ids[begin]
            if slot >= 0:
                held -= seen[slot] <= times[slot]
                seen[slot] -= 1
            begin += 1
    return first, last


@rare_part
def _thin(ids: Array, low: int, high: int, times: Array, seen: Array, whole: int, step: int, marks: Array) -> int:
    """How many places to cut off at an end of the region low … high: those that hold at most `whole` / `THIN` and are
    less than half as dense. `whole` is what the region holds; `step` leads from that end into the region.
    """
    seen[:] = 0
    place = high if step > 0 else low
    for _ in range(high - low + 1):  # towards that end: what is held elsewhere in the region is not held there
        slot = ids[place]
        marks[place] = 0
        if slot >= 0:
            seen[slot] += 1
            marks[place] = seen[slot] <= times[slot]
        place -= step
    held, balance, least, cut = 0, 0, 0, 0
    for k in range(high - low + 1):
        place += step
        held += marks[place]
        if THIN * held > whole:
            break
        balance += 2 * (high - low + 1) * marks[place] - whole
        if balance < least:
            least, cut = balance, k + 1
    return cut


@part
def _equal_words(words: Array, word_keys: Array, i: int, i_end: int, j: int, j_end: int, step: int, most: int) -> int:
    """How many words are equal from two places on, forwards or backwards, up to `most`."""
    count = 0
    while count < most and i != i_end and j != j_end and word_keys[words[i]] == word_keys[words[j]]:
        i += step
        j += step
        count += 1
    return count


@rare_part
def _agree(words: Array, word_keys: Array, i: int, i_end: int, j: int, j_end: int, step: int) -> int:
    """How many of the next `AROUND` words of one text are at about the same distance in the other."""
    agree = 0
    for d in range(min(AROUND, abs(i_end - i), abs(j_end - j))):
        word = word_keys[words[i + step * d]]
        for e in range(max(0, d - NEAR), min(d + NEAR + 1, abs(j_end - j))):
            if word_keys[words[j + step * e]] == word:
                agree += 1
                break
    return agree


@rare_part
def _partner(
    words: Array, word_keys: Array, a0: int, a1: int, b0: int, b1: int, place: int, run: int, step: int,
    low: int, high: int,
) -> int:  # fmt: skip
    """The place in the contained text that a shingle at an end of the part came from, or -1.

    `step` leads into the part, and the text would begin between `low` and `high`. Several places may agree with the
    words of the part about as well as the best one does; of these it is the one nearest to the end, so that the part
    does not grow by words that it holds already.
    """
    key = _key(words, word_keys, place, run)
    a_end, b_end = (a1, b1) if step > 0 else (a0 - 1, b0 - 1)
    inner = 0 if step > 0 else run - 1
    lowest, highest = max(a0, place - high + a0), min(a1 - run, place - low + a0)
    best = 0
    for nearest in range(2):
        i = lowest if step > 0 else highest
        while i >= lowest and i <= highest:
            if _key(words, word_keys, i, run) == key:
                agree = _agree(words, word_keys, i + inner, a_end, place + inner, b_end, step)
                if nearest and 4 * agree >= 3 * best:
                    return i
                best = max(best, agree)
            i += step
    return -1


@rare_part
def _reach(
    words: Array, word_keys: Array, i: int, i_end: int, j: int, j_end: int, step: int, end: int, scores: Array
) -> int:  # fmt: skip
    """How many words of the containing text, from j on, go with words of the contained one from i on.

    `end` is what it is worth to reach i_end.
    """
    start = j
    while True:
        equal = _equal_words(words, word_keys, i, i_end, j, j_end, step, abs(i_end - i))
        i += step * equal
        j += step * equal
        high, wide = min(AROUND, abs(i_end - i)), min(AROUND, abs(j_end - j))
        best, best_u, best_v = 0, 0, 0
        for v in range(wide + 1):
            scores[v] = -v
        for u in range(1, high + 1):
            corner = scores[0]
            scores[0] = -u
            for v in range(1, wide + 1):
                same = word_keys[words[i + step * (u - 1)]] == word_keys[words[j + step * (v - 1)]]
                through = corner + (1 if same else -1)
                corner = scores[v]
                scores[v] = max(through, corner - 1, scores[v - 1] - 1)
                worth = through + (end if i + step * u == i_end else 0)
                if same and worth > best:
                    best, best_u, best_v = worth, u, v
        if best_u == 0:
            return abs(j - start)
        i += step * best_u
        j += step * best_v


@rare_part
def _region(
    ids: Array, places: int, words: int, run: int, times: Array, stands: Array, earlier: Array, seen: Array,
    votes: Array,
) -> tuple[int, int, int, int, int]:  # fmt: skip
    """The first and the last shingle of the part; how many it holds; between which places the text would begin."""
    held = _held(ids, places, times, seen, 1)
    least = min(SOLID, words - run + 1)
    solid = _held(ids, places, times, seen, least)
    if 2 * solid >= held:
        held = solid
        _drop_short(ids, places, least)
    shift = words // DRIFT + 8
    begin = _begin(ids, places, times, stands, earlier, words, shift, votes)
    low, high = max(begin, 0), min(begin + words + shift - run + 1, places)
    near = _held(ids[low:high], high - low, times, seen, 1)
    if OF * near >= NEEDED * held:
        held = near
    else:
        low, high, begin, shift = 0, places, -words, words + places
    region = ids[low:high]
    first, last = _shortest(region, high - low, times, seen, (NEEDED * held + OF - 1) // OF)
    longest = max(((last - first + 1) * OF + NEEDED - 1) // NEEDED, words - run + 1)
    held = _most(region, high - low, times, seen, longest)
    first, last = _shortest(region, high - low, times, seen, held)
    cut = _thin(region, first, last, times, seen, held, np.int64(1), votes)
    last -= _thin(region, first, last, times, seen, held, np.int64(-1), votes)
    return first + cut + low, last + low, held, begin, begin + shift


@kernel
def find_parts(words: Array, offsets: Array, word_keys: Array, contained: Array, containing: Array, out: Array) -> None:
    """out[k] = the words of the text containing[k] that contained[k] was taken from, end exclusive; equal if none."""
    longest, widest = 1, 1
    for k in range(len(contained)):
        longest = max(longest, offsets[contained[k] + 1] - offsets[contained[k]])
        widest = max(widest, offsets[containing[k] + 1] - offsets[containing[k]])
    keys = np.empty(_room(longest), np.uint64)
    times = np.empty(len(keys), np.int32)
    seen = np.empty(len(keys), np.int32)
    stands = np.empty(len(keys), np.int32)
    earlier = np.empty(longest, np.int32)
    order = np.empty(longest, np.int32)
    ids = np.empty(widest, np.int32)
    votes = np.empty(longest + widest, np.int32)
    scores = np.empty(AROUND + 1, np.int64)
    for k in range(len(contained)):
        a0, a1 = offsets[contained[k]], offsets[contained[k] + 1]
        b0, b1 = offsets[containing[k]], offsets[containing[k] + 1]
        out[k, 0], out[k, 1] = 0, 0
        run = np.int64(min(RUN, a1 - a0, b1 - b0))
        row = 0
        while run > 0:
            row = _number(words, word_keys, a0, a1, b0, b1, run, keys, times, stands, earlier, order, ids)
            if row > 0:
                break
            run -= 1
        if run == 0:
            continue
        shingles = a1 - a0 - run + 1
        if row >= shingles:
            place = _word_for_word(order, shingles, ids, b1 - b0 - run + 1, votes)
            if place >= 0:
                out[k, 0], out[k, 1] = place, place + a1 - a0
                continue
        some = seen[: _room(a1 - a0)]
        found = _region(ids, b1 - b0 - run + 1, a1 - a0, run, times, stands, earlier, some, votes)
        first, last, low, high = found[0] + b0, found[1] + b0, found[3] + b0, found[4] + b0
        left = shingles - found[2]  # shingles of the contained text that the part does not hold
        out[k, 0], out[k, 1] = first - b0, last + run - b0
        i = _partner(words, word_keys, a0, a1, b0, b1, first, run, np.int64(1), low, high)
        if i >= 0:
            end = max(i - 1 - left, a0 - 1)
            worth = END if end == a0 - 1 else 0
            out[k, 0] -= _reach(words, word_keys, i - 1, end, first - 1, b0 - 1, np.int64(-1), worth, scores)
        i = _partner(words, word_keys, a0, a1, b0, b1, last, run, np.int64(-1), low, high)
        if i >= 0:
            end = min(i + run + left, a1)
            worth = END if end == a1 else 0
            out[k, 1] += _reach(words, word_keys, i + run, end, last + run, b1, np.int64(1), worth, scores)
