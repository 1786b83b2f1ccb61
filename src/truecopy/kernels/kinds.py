"""What decides between kinds, for many pairs: how the words of one text relate to those of the other.

`breaks` says for each word whether a paragraph (1) or a sentence (2) begins with it. `marks` are the figure marks of
all texts (`kernels.marks`), those of text t at mark_offsets[t] up to mark_offsets[t + 1]. All questions are answered
from these and from word numbers; no text is needed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.align import align
from truecopy.kernels.align import scratch as align_scratch
from truecopy.kernels.jit import kernel, rare_part

PARAGRAPH, SENTENCE = 1, 2

# What is found out about a pair, in the order of the kinds.
EQUAL, SAME_WORDS, INSERTION, EXCERPT, ELABORATION, NONE = range(6)

EXCERPT_LONGER = 125
"""A text that an excerpt was taken from has at least this many words to each 100 of the excerpt."""
EXCERPT_SHARE = 90
"""At least this many of each 100 words of an excerpt are found in its parts."""
FEW = 3
"""An excerpt has at most this many parts."""
PART_GAP = 10
"""A part goes on over up to this many words of the longer text between two words of an excerpt."""
SHORTEST_PART = 8
FAR = 2048
"""Once an end of an addition was found, the search for a better one looks no further ahead than this."""
WORD_SHIFT, POINT_BITS = np.uint64(32), np.uint64(0xFFFFFFFF)
"""A mark is word << 32 | code point."""
RUN_AHEAD = 16
"""A run of this many equal words decides where an addition ends."""

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]


@rare_part
def same_words(x: U32, y: U32, dropped: U8, partner: I32) -> bool:
    """Whether the texts are equal once the words that `dropped` marks are left out, and some word is left.

    partner[i] is the place in y of each word of x that was not left out, else -1.
    """
    i = 0
    j = 0
    left = False
    while True:
        while i < len(x) and dropped[x[i]]:
            partner[i] = -1
            i += 1
        while j < len(y) and dropped[y[j]]:
            j += 1
        if i == len(x) or j == len(y):
            return left and i == len(x) and j == len(y)
        if x[i] != y[j]:
            return False
        left = True
        partner[i] = j
        i += 1
        j += 1


@rare_part
def equal_marks(own: U64, others: U64) -> bool:
    """Whether two texts have the same marks at the same words."""
    if len(own) != len(others):
        return False
    for k in range(len(own)):
        if own[k] != others[k]:
            return False
    return True


@rare_part
def partners_agree(x_marks: U64, y_marks: U64, partner: I32, words: int, alone: bool) -> bool:
    """Whether each of `words` words of x has the same marks as its partner in y.

    `alone`: words of y without a partner may have marks of their own.
    """
    k = 0
    for m in range(len(x_marks)):
        place = np.int64(partner[np.int64(x_marks[m] >> WORD_SHIFT)])
        if place < 0:
            return False
        wanted = np.uint64(place) << WORD_SHIFT | x_marks[m] & POINT_BITS
        while k < len(y_marks) and y_marks[k] < wanted:
            k += 1
        if k == len(y_marks) or y_marks[k] != wanted:
            return False
        k += 1
    if not alone:
        return len(x_marks) == len(y_marks)
    found = 0  # marks of y at partners: each must be one of those above
    i = 0
    for m in range(len(y_marks)):
        place = np.int64(y_marks[m] >> WORD_SHIFT)
        while i < words and partner[i] < place:
            i += 1
        if i < words and partner[i] == place:
            found += 1
    return found == len(x_marks)


@rare_part
def latest(x: U32, y: U32, partner: I32) -> bool:
    """Whether x is y with words left out; partner[i] = the latest place in y that word i can be."""
    j = len(y) - 1
    for i in range(len(x) - 1, -1, -1):
        while j >= i and y[j] != x[i]:
            j -= 1
        if j < i:
            return False
        partner[i] = j
        j -= 1
    return True


@rare_part
def additions(x: U32, y: U32, breaks: U8, partner: I32) -> int:
    """y is x with words added: are they sentences and phrases, whole paragraphs, or some of each (`NONE`)?

    Words are taken from the left as long as they are equal; where they are not, the addition ends at the place
    from which most words are equal. partner[i] holds the latest place for word i on entry, its place on return.
    """
    inside = 0
    whole = 0
    i = np.int64(0)
    j = np.int64(0)
    while i < len(x) or j < len(y):
        if i < len(x) and j < len(y) and x[i] == y[j]:
            partner[i] = j
            i += 1
            j += 1
            continue
        end = len(y)
        if i < len(x):
            longest = 0
            for place in range(j + 1, np.int64(partner[i]) + 1):
                run = 0
                while (
                    run < RUN_AHEAD
                    and i + run < len(x)
                    and place + run <= partner[i + run]
                    and y[place + run] == x[i + run]
                ):
                    run += 1
                if run > longest:
                    longest = run
                    end = place
                if run == RUN_AHEAD or (run > 0 and i + run == len(x)):
                    break
                if place - j > FAR and longest > 0:
                    break
        added = placed(y, breaks, j, end)
        if added == NONE:
            return NONE
        if added == INSERTION:
            inside += 1
        else:
            whole += 1
        j = end
    if whole == 0:
        return INSERTION
    if inside == 0:
        return ELABORATION
    return NONE


@rare_part
def placed(y: U32, breaks: U8, start: int, end: int) -> int:
    """Whether the words from start to end are whole paragraphs (`ELABORATION`) or inside one (`INSERTION`).

    "Rent. The [tenant insures. The] tenant pays" is the same addition as "Rent. [The tenant insures.] The tenant
    pays": every such place is tried.
    """
    found = NONE
    inner = 0  # paragraphs that begin strictly inside
    for place in range(start + 1, end):
        if breaks[place] == PARAGRAPH:
            inner += 1
    while True:
        if breaks[start] == PARAGRAPH and (end == len(y) or breaks[end] == PARAGRAPH):
            return ELABORATION
        if inner == 0:
            found = INSERTION
        if start == 0 or y[start - 1] != y[end - 1]:
            return found
        if breaks[start] == PARAGRAPH:
            inner += 1
        start -= 1
        end -= 1
        if breaks[end] == PARAGRAPH:
            inner -= 1


@rare_part
def found_in_parts(x: U32, partner: I32, parts: I64) -> int:
    """How many words of x lie in the `FEW` largest contiguous parts of the other text; parts[k]: words of part k.

    A part is contiguous where its words are `EXCERPT_SHARE` of what the other text has there.
    """
    for k in range(FEW):
        parts[k] = 0
    size = 0
    first = 0
    last = -1
    for i in range(len(x) + 1):
        place = np.int64(partner[i]) if i < len(x) else -1
        if i < len(x) and place < 0:
            continue
        if i == len(x) or (last >= 0 and place - last > PART_GAP):
            k = FEW - 1
            contiguous = 100 * size >= EXCERPT_SHARE * (last - first + 1)
            if contiguous and size >= SHORTEST_PART and size > parts[k]:
                while k > 0 and parts[k - 1] < size:
                    parts[k] = parts[k - 1]
                    k -= 1
                parts[k] = size
            size = 0
        if size == 0:
            first = place
        size += 1
        last = place
    total = 0
    for k in range(FEW):
        total += parts[k]
    return total


@kernel
def decide_kinds(
    words: U32, offsets: I64, breaks: U8, marks: U64, mark_offsets: I64, dropped: U8, a: I32, b: I32, out: U8,
    partner: I32, gaps: I32, keys: U64, places: I32, slots: I32, anchors: I32, table: U16, parts: I64,
) -> None:  # fmt: skip
    """out[p] = the first of EQUAL … NONE that holds for the texts a[p] and b[p]; from `partner` on is scratch."""
    for p in range(len(a)):
        short, long = np.int64(a[p]), np.int64(b[p])
        if offsets[short + 1] - offsets[short] > offsets[long + 1] - offsets[long]:
            short, long = long, short
        x = words[offsets[short] : offsets[short + 1]]
        y = words[offsets[long] : offsets[long + 1]]
        x_marks = marks[mark_offsets[short] : mark_offsets[short + 1]]
        y_marks = marks[mark_offsets[long] : mark_offsets[long + 1]]
        starts = breaks[offsets[long] : offsets[long + 1]]
        out[p] = NONE
        i = 0
        while i < len(x) and x[i] == y[i]:
            i += 1
        if i == len(y):
            if equal_marks(x_marks, y_marks):
                out[p] = EQUAL
            continue
        if same_words(x, y, dropped, partner) and partners_agree(x_marks, y_marks, partner, len(x), False):
            out[p] = SAME_WORDS
            continue
        if len(x) == 0:
            continue
        added = NONE
        if len(x) < len(y) and latest(x, y, partner):
            added = additions(x, y, starts, partner)
            if added != NONE and not partners_agree(x_marks, y_marks, partner, len(x), True):
                added = NONE
        if added != INSERTION and 100 * len(y) >= EXCERPT_LONGER * len(x):
            align(x, y, partner, gaps, keys, places, slots, anchors, table)
            if 100 * found_in_parts(x, partner, parts) >= EXCERPT_SHARE * len(x):
                added = EXCERPT
        out[p] = added


def scratch(longest: int) -> tuple[NDArray[Any], ...]:
    """Room for pairs of texts of up to `longest` words."""
    return (np.empty(longest, np.int32), *align_scratch(longest), np.empty(FEW, np.int64))
