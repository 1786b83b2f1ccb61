"""Exact word-level Levenshtein distance with a cutoff, for many pairs of texts.

The cutoff is a contract: a distance up to the limit is exact, and a greater one is given as limit + 1.

Each pair takes these steps and leaves as early as it can:

1. common ends are trimmed; a length difference over the limit ends it;
2. furthest-reaching diagonals (Ukkonen 1985; Landau and Vishkin 1989): time grows with the square of
   the distance, so near copies end here. How far it got with a few edits tells how many edits the
   whole pair may need, and so whether to go on or to change to the next step. Texts of up to 512 words
   then go to step 5, in a single strip;
3. where the limit seems out of reach: a lower bound in linear time. A run of words of y that x does not have must be
   hit by an edit, and runs that do not overlap are hit by different ones (Ukkonen 1992, maximal matches). We look at
   runs of up to three words, and only for where in x they can be aligned within the limit: a table of hashes tells in
   which sixteenths of x a run begins. Runs that share a slot make the bound lower, never wrong. Most long texts that
   have their words in common but not their sentences end here: they are the bulk of what costs time at low floors;
4. an alignment through words that occur once in each text gives a distance that can be reached: mostly the
   distance itself, or close to it. From here on the limit is no higher than that, and the runs are counted for it;
5. a banded bit-parallel matrix (`strip.py`), 512 rows at a time. After each strip the band is cut to
   the columns from which the limit can still be met: column j with distance v needs at least
   |rows left − columns left| more, and at least as many as there are runs to be hit in the columns left (as the
   heuristic of A* does; Groot Koerkamp and Ivanov 2024). An empty band ends the pair.

Memory is proportional to the two texts and to the vocabulary, never to the product of the texts.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.align import longest_chain
from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.strip import LANES, MARGIN, STRIP, advance_strip
from truecopy.kernels.strip import differences_below as _differences_below

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

FIRST_LOOK = 4
"""After this many edits the diagonals' progress is judged for the first time."""
STEP_COST = 4
"""Time of one step on a diagonal, in nanoseconds as measured; only the ratios matter."""
COLUMN_COST = 7
"""Time of one column of a strip."""
SETUP_COST = 10
"""Time a word to number the words of a pair and to align them;"""
SHORT_SETUP_COST = 2
"""where all rows fit into a strip: to number them, without an alignment."""
NOTING_COST = 6
"""Time a word to note the runs of one text, or to look up those of the other."""
LARGE_GAP = 8
"""A part between anchors that is longer than the whole divided by this is not looked at closely."""
MOST_DIAGONALS = 20_000
MOST_SLOTS = 1 << 21
"""Slots for runs of words, at most; of a text with more than half a million words, more runs share each."""
BLOCKS = 16
"""A slot has a bit for each of these parts of a text: where in it a run occurs."""
AT_ONCE = 64
"""Columns whose runs are looked for in the same parts of the other text."""
UNREACHED = -(1 << 40)
DONE, WITHIN, OVER = 0, 1, 2
"""What diagonals say: the pair is done; or not, and if it goes on as it began, ends within or over the limit."""

differences_below = rare_part(_differences_below)


@part
def by_strips(n: int, m: int, limit: int) -> int:
    """The time that strips take, at most."""
    return COLUMN_COST * (n // STRIP + 1) * min(limit + STRIP, m)


@rare_part
def diagonals(x: U32, y: U32, limit: int, reach: I64) -> tuple[int, int]:
    """(distance, DONE) where found; (-1, DONE) where over the limit; where strips should be faster, (-1, the prospect).

    `reach[middle + k]` is the furthest row that these edits reach on the diagonal k = column − row.
    The texts' first words differ.
    """
    n = len(x)
    m = len(y)
    goal = m - n
    middle = len(reach) // 2
    # a diagonal further out than these cannot come back to the goal within the limit
    lowest = max(max(-((limit - goal) // 2), -n), 2 - middle)
    highest = min(min((limit + goal) // 2, m), middle - 2)
    reach[middle] = 0
    reach[middle + lowest - 1] = UNREACHED
    reach[middle + highest + 1] = UNREACHED
    edits = 0
    look = FIRST_LOOK
    while edits < limit:
        edits += 1
        low = max(max(-edits, lowest), goal - (limit - edits))
        high = min(min(edits, highest), goal + (limit - edits))
        # what fewer edits reached: the diagonals from 1 - edits to edits - 1
        before = reach[middle + low - 1] if low > 1 - edits else UNREACHED
        here = reach[middle + low] if -edits < low < edits else UNREACHED
        best = 0
        for k in range(low, high + 1):
            after = reach[middle + k + 1] if k < edits - 1 else UNREACHED
            end = min(n, m - k)
            i = min(max(before, max(here, after) + 1), end)
            while i < end and x[np.uint64(i)] == y[np.uint64(i + k)]:
                i += 1
            before = here
            here = after
            reach[middle + k] = i
            best = max(best, 2 * i + k)
        if low <= goal <= high and reach[middle + goal] >= n:
            return edits, DONE
        if edits >= look:
            look += look // 2
            expected = min((edits * (n + m)) // max(best, 1), limit)
            by_diagonals = STEP_COST * (expected * expected - edits * edits)
            setup = SETUP_COST if n > STRIP else SHORT_SETUP_COST
            if by_diagonals > by_strips(n, m, expected) + setup * (n + m) or edits >= middle - 2:
                return -1, OVER if expected == limit else WITHIN
    return -1, DONE


@part
def two_words(first: np.uint32, second: np.uint32) -> np.uint64:
    """A hash of a run of two words: its upper bits are the slot."""
    return ((np.uint64(first) << np.uint64(32)) | np.uint64(second)) * np.uint64(0x9E3779B97F4A7C15)


@part
def three_words(two: np.uint64, third: np.uint32) -> np.uint64:
    """The same of a run of three words, from that of the first two."""
    return ((two ^ (two >> np.uint64(32))) + np.uint64(third)) * np.uint64(0xC2B2AE3D27D4EB4F)


@part
def slot_bits(words: int) -> int:
    """Four slots a word, or as many as there are, as a power of two."""
    bits = 8
    while (1 << bits) < 4 * words and (1 << bits) < MOST_SLOTS:
        bits += 1
    return bits


@rare_part
def note_runs(text: U32, slots: U16) -> None:
    """Note in which parts of a text each run of two and of three words begins."""
    bits = slot_bits(len(text))
    for slot in range(1 << bits):
        slots[slot] = 0
    shift = np.uint64(64 - bits)
    scale = (BLOCKS << 32) // len(text)
    for i in range(len(text) - 1):
        place = np.uint16(1 << ((i * scale) >> 32))
        two = two_words(text[i], text[i + 1])
        slots[two >> shift] |= place
        if i + 2 < len(text):
            slots[three_words(two, text[i + 2]) >> shift] |= place


@rare_part
def edits_ahead(
    y: U32, columns: U32, goal: int, start: int, length: int, limit: int, slots: U16, codes: U8, ahead: I32
) -> int:
    """A number of edits that no alignment within the limit can do without; over the limit, it may be too low.

    ahead[j] is how many of them are in y[j:] alone. `start` is where y begins in its text, `length` that of the other,
    whose runs are noted; `goal` the diagonal (column − row) of the end.
    """
    # matches are on these diagonals: from others there is no way back to the goal within the limit
    lowest = -((limit - goal) // 2)
    highest = (limit + goal) // 2
    m = len(y)
    shift = np.uint64(64 - slot_bits(length))
    scale = (BLOCKS << 32) // length
    ahead[m] = 0
    edits = 0
    found = np.uint64(0)  # whether the next column (2) and the one after it (1) have an edit more ahead than is behind
    for block in range((m - 1) // AT_ONCE, -1, -1):
        low = block * AT_ONCE
        high = min(low + AT_ONCE, m)
        first = (min(max(start + low - highest, 0), length - 1) * scale) >> 32
        last = (min(max(start + high - lowest, 0), length - 1) * scale) >> 32
        near = np.uint16(((1 << (last + 1)) - 1) & ~((1 << first) - 1))
        # A run of one, two or three words from here on that the other text does not have near here needs an edit, if
        # no run that begins in it has needed one: bit f of the code tells whether it is one more where `found` is f.
        inner = max(min(high, m - 2), low)
        for j in range(low, inner):
            two = two_words(y[j], y[j + 1])
            without = np.uint8((slots[three_words(two, y[j + 2]) >> shift] & near) == 0)
            without |= np.uint8((slots[two >> shift] & near) == 0) * np.uint8(3)
            codes[j - low] = without | np.uint8(columns[j] == 0) * np.uint8(15)
        for j in range(inner, high):
            codes[j - low] = np.uint8(columns[j] == 0) * np.uint8(15)
        for j in range(high - 1, low - 1, -1):  # without a branch: no processor could foresee it
            more = (np.uint64(codes[j - low]) >> found) & np.uint64(1)
            found = (more << np.uint64(1)) | (found >> np.uint64(1))
            edits += np.int64(more)
            ahead[j] = edits
        if edits > limit:
            break
    return edits


@rare_part
def banded(
    x: I32, y: U32, limit: int, ahead: I32, total: int, local: U16, masks: U64, carry: U8, state: U64
) -> int:  # fmt: skip
    """The distance where it is at most the limit, else -1.

    `x` holds dense word numbers from 1, `y` the same (0 for a word that is not in `x`). `local` and `masks` are all
    zero, before and after. The limit is at least the difference of the lengths.
    From column j on there are at least ahead[j] edits, `total` in all; where that is 0, `ahead` is not looked at.
    """
    n = len(x)
    m = len(y)
    one = np.uint64(1)
    row = 0
    low = 0
    left = 0  # the distance at column `low` of the row above the strip
    known = 0  # from here to the right the row above was not computed: insertions only
    high = min(m, max(m - n, 0) + (limit - abs(m - n)) // 2 + STRIP)
    while True:
        rows = min(STRIP, n - row)
        end = 0  # of the masks: only the words of these rows have some, so that they stay in the fastest memory
        for r in range(rows):
            word = x[row + r]
            if local[word] == 0:
                end += LANES
                local[word] = end
            masks[np.int64(local[word]) + (r >> 6)] |= one << np.uint64(r & 63)
        for j in range(MARGIN + known, MARGIN + high):
            carry[j] = 1
        corner = left
        if row + rows == n:
            for j in range(MARGIN + low, MARGIN + high):
                corner += np.int64(carry[j] & 1) - np.int64(carry[j] >> 1)
        advance_strip(y, local, masks, carry, low, high, state)
        for r in range(rows):
            local[x[row + r]] = 0
        for place in range(LANES, end + LANES):
            masks[place] = np.uint64(0)
        row += rows
        if row == n:
            distance = corner + differences_below(state, rows)
            return distance if high == m and distance <= limit else -1
        # the next band: the cells of the last row from which the limit can still be met
        value = left + STRIP
        gap = (m - low) - (n - row)
        first = -1
        last = -1
        lead = m  # the least distance less its column
        for j in range(low, high + 1):
            slack = limit - value - abs(gap)
            if slack >= 0 and (total == 0 or limit - value >= ahead[j]):
                if first < 0:
                    first = j
                    left = value
                lead = min(lead, value - j)
                # to the right of the goal's diagonal a column costs an insertion and a later deletion
                last = max(last, j + max(gap, 0) + slack // 2)
            code = carry[MARGIN + j]
            value += np.int64(code & 1) - np.int64(code >> 1)
            gap -= 1
        if first < 0:
            return -1
        low = first
        known = high
        high = min(m, last + STRIP)
        if total > 0:  # each column that is more than a strip away costs an insertion
            while high > low and lead + high - STRIP + ahead[high] > limit:
                high -= 1
        known = min(known, high)


@rare_part
def number_words(words: U32, begin: int, end: int, dense: I32, rows: I32, places: I32) -> None:
    """Number a text's words from 1 in order of appearance; `places`: where a word is that occurs once."""
    distinct = 0
    for i in range(end - begin):
        word = words[begin + i]
        if dense[word] == 0:
            distinct += 1
            dense[word] = distinct
            places[distinct] = i
        else:
            places[dense[word]] = -1
        rows[i] = dense[word]


@rare_part
def chain(y: U32, start: int, end: int, places: I32, seen: I32, anchors: I32) -> int:
    """The longest chain of words that occur once in each text, in the same order.

    anchors[0] receives their places in x (from `start` to `end`), anchors[1] those in y.
    `seen` is all zero, before and after.
    """
    for j in range(len(y)):
        if y[j] != 0:
            word = y[j]
            seen[word] = j + 1 if seen[word] == 0 else -1
    met = np.int64(0)
    for j in range(len(y)):
        word = y[j]
        if word != 0 and seen[word] == j + 1 and start <= places[word] < end:
            anchors[0, met] = places[word] - start
            anchors[1, met] = j
            met += 1
    for j in range(len(y)):
        seen[y[j]] = 0
    return longest_chain(anchors, met)


@rare_part
def reachable(
    x: U32, y: U32, rows: I32, columns: U32, anchors: I32, length: int, limit: int,
    reach: I64, local: U16, masks: U64, carry: U8, state: U64,
) -> int:  # fmt: skip
    """The distance of an alignment through the anchors, or the limit where that is lower."""
    total = 0
    area = len(x) * len(y)
    i = 0
    j = 0
    for k in range(length + 1):
        to_i = np.int64(anchors[0, k]) if k < length else len(x)
        to_j = np.int64(anchors[1, k]) if k < length else len(y)
        if to_i < i or to_j < j:
            continue
        end_i = to_i
        end_j = to_j
        while end_i > i and end_j > j and x[end_i - 1] == y[end_j - 1]:
            end_i -= 1
            end_j -= 1
        between = max(end_i - i, end_j - j)
        if end_i > i and end_j > j:
            between = min(between, limit - total)
            distance = -1
            if abs((end_i - i) - (end_j - j)) <= between:
                distance, prospect = diagonals(x[i:end_i], y[j:end_j], between, reach)
                if prospect != DONE and LARGE_GAP * (end_i - i) * (end_j - j) < area:
                    distance = banded(
                        rows[i:end_i], columns[j:end_j], between, anchors[2], 0, local, masks, carry, state
                    )
            if distance >= 0:
                between = distance
        total += between
        if total >= limit:
            return limit
        i = to_i
        j = to_j
        while i < len(x) and j < len(y) and x[i] == y[j]:
            i += 1
            j += 1
    return total


@kernel
def edit_distances(
    words: U32, offsets: I64, a: I32, b: I32, limits: I64, out: I64,
    dense: I32, rows: I32, columns: U32, places: I32, seen: I32, anchors: I32,
    reach: I64, slots: U16, local: U16, masks: U64, carry: U8, state: U64,
) -> None:  # fmt: skip
    """Distances of the texts a[i] and b[i] where at most limits[i], else limits[i] + 1.

    Equal a in a row share their set-up. The arrays from `dense` on are `scratch`, made by the caller
    because code that allocates takes long to compile.
    """
    numbered = -1  # the text whose words have dense numbers
    noted = -1  # the text whose runs are noted
    for p in range(len(a)):
        begin, end = offsets[a[p]], offsets[a[p] + 1]
        low, high = begin, end
        other_low, other_high = offsets[b[p]], offsets[b[p] + 1]
        while low < high and other_low < other_high and words[low] == words[other_low]:
            low += 1
            other_low += 1
        while low < high and other_low < other_high and words[high - 1] == words[other_high - 1]:
            high -= 1
            other_high -= 1
        n, m = high - low, other_high - other_low
        longer = max(n, m)
        limit = min(limits[p], longer)
        if longer - min(n, m) > limit:
            out[p] = limits[p] + 1
            continue
        if n == 0 or m == 0:
            out[p] = longer
            continue
        x, y = words[low:high], words[other_low:other_high]
        distance, prospect = diagonals(x, y, limit, reach)
        if prospect != DONE:
            if numbered != a[p]:
                if numbered >= 0:
                    for place in range(offsets[numbered], offsets[numbered + 1]):
                        dense[words[place]] = 0
                numbered = np.int64(a[p])
                number_words(words, begin, end, dense, rows, places)
            for j in range(m):
                columns[j] = dense[y[j]]
            start = low - begin
            ahead = anchors[3]
            edits = 0
            if prospect == OVER and n > STRIP and by_strips(n, m, limit) > NOTING_COST * (n + m):
                if noted != a[p]:
                    noted = np.int64(a[p])
                    note_runs(words[begin:end], slots)
                edits = edits_ahead(y, columns, m - n, start, end - begin, limit, slots, carry, ahead)
            if n > STRIP and 2 * edits <= limit:  # a lower limit saves nothing in a single strip
                length = chain(columns[:m], start, start + n, places, seen, anchors)
                limit = reachable(
                    x, y, rows[start:], columns, anchors, length, limit, reach, local, masks, carry, state
                )
                edits = 0
                if by_strips(n, m, limit) > NOTING_COST * (n + m):
                    if noted != a[p]:
                        noted = np.int64(a[p])
                        note_runs(words[begin:end], slots)
                    edits = edits_ahead(y, columns, m - n, start, end - begin, limit, slots, carry, ahead)
            if edits <= limit:
                distance = banded(rows[start : start + n], columns[:m], limit, ahead, edits, local, masks, carry, state)
        out[p] = distance if distance >= 0 else limits[p] + 1


def scratch(longest: int, vocabulary: int) -> tuple[NDArray[Any], ...]:
    """Room for pairs of texts of up to `longest` words, with word numbers below `vocabulary`.

    Zeros come from the system untouched: what a pair does not need takes no memory.
    """
    return (
        np.zeros(vocabulary, np.int32),
        np.empty(longest, np.int32),
        np.empty(longest, np.uint32),
        np.empty(longest + 1, np.int32),
        np.zeros(longest + 1, np.int32),
        np.empty((4, longest + 1), np.int32),
        np.empty(2 * min(longest, MOST_DIAGONALS) + 8, np.int64),
        np.empty(min(max(8 * longest, 256), MOST_SLOTS), np.uint16),
        np.zeros(longest + 1, np.uint16),
        np.zeros((STRIP + 1) * LANES, np.uint64),
        np.empty(longest + 2 * MARGIN, np.uint8),
        np.empty(2 * LANES, np.uint64),
    )
