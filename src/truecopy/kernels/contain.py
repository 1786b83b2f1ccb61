"""Which texts may be contained in which others: exact candidates from shingles that few texts have.

If a share T of a text's n distinct shingles must be found in another text, it may lose `slack` of them. Among
any `slack` + 1 of its shingles at least one is found there. So it is enough to list each text under its
`slack` + 1 rarest shingles and to look up the shingles of every other text. If `slack` + m are listed, at least
m of them are found; that drops most texts that share a phrase by chance. Shingles that only one text has are
not listed, and no other text contains a text that has more than `slack` of them.

Rarity comes from a table of counters that several shingles may share: a counter can be too high but never
too low, which costs time and never a pair.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part
from truecopy.kernels.mix import shingle_hash
from truecopy.kernels.slots import is_marked, owner_of, rest_after, rest_of

Array = Any
MANY = 255
HITS = 16
"""Beyond the first, one listed shingle in this many must be found."""


@part
def _shingle(words: Array, word_keys: Array, i: int) -> np.uint64:
    return shingle_hash(word_keys[words[i]], word_keys[words[i + 1]], word_keys[words[i + 2]])


@kernel
def count_texts(
    words: Array, offsets: Array, word_keys: Array, bits: int, texts: Array, slots: Array, last: Array, counts: Array
) -> None:
    """For each of 2^bits slots, how many texts have a shingle there (up to `MANY`).

    It counts the texts from texts[0] to texts[1], in the slots from slots[0] to slots[1].
    """
    shift = np.uint64(64 - bits)
    for text in range(texts[0], texts[1]):
        for i in range(offsets[text], offsets[text + 1] - 2):
            slot = np.int64(_shingle(words, word_keys, i) >> shift)
            if slot >= slots[0] and slot < slots[1] and last[slot] != text:
                last[slot] = text
                if counts[slot] < MANY:
                    counts[slot] += np.uint8(1)


@part
def _distinct(
    words: Array, offsets: Array, word_keys: Array, text: int, table: Array, out: Array, firsts: Array
) -> int:
    """A text's distinct shingles, and where in the text each comes first.

    `table` is scratch: a power of two of slots, at least one and a half times as many as the text has words.
    """
    found = 0
    need = 3 * (offsets[text + 1] - offsets[text]) // 2
    size = 64
    while size < need:
        size *= 2
    table[:size] = np.uint64(0)
    mask = np.uint64(size - 1)
    for i in range(offsets[text], offsets[text + 1] - 2):
        value = _shingle(words, word_keys, i)
        if value == np.uint64(0):
            value = np.uint64(1)
        slot = value & mask
        while table[slot] != np.uint64(0) and table[slot] != value:
            slot = (slot + np.uint64(1)) & mask
        if table[slot] == np.uint64(0):
            table[slot] = value
            out[found] = value
            firsts[i] = 1
            found += 1
    return found


@kernel
def list_rare(
    words: Array,
    offsets: Array,
    word_keys: Array,
    bits: int,
    counts: Array,
    loss: int,
    whole: int,
    shortest: int,
    first: int,
    last: int,
    sizes: Array,
    firsts: Array,
    keys: Array,
    owners: Array,
) -> int:
    """From text `first` to `last`: the rarest shingles that other texts may have, and all distinct ones counted.

    `loss` / `whole` is the share that may be missing. Returns how many entries were listed.
    """
    longest = 0
    for text in range(first, last):
        longest = max(longest, offsets[text + 1] - offsets[text])
    room = 64
    while room < 3 * longest // 2:
        room *= 2
    table = np.empty(room, np.uint64)
    shingles = np.empty(longest + 1, np.uint64)
    shift = np.uint64(64 - bits)
    by_count = np.empty(MANY + 2, np.int64)
    listed = 0
    for text in range(first, last):
        found = _distinct(words, offsets, word_keys, text, table, shingles, firsts)
        sizes[text] = found
        if found < shortest:
            continue
        slack = found * loss // whole
        by_count[:] = 0
        for i in range(found):
            by_count[np.int64(counts[np.int64(shingles[i] >> shift)])] += 1
        if by_count[1] > slack:
            continue
        missing = min(found, slack + 1 + found // HITS) - by_count[1]
        level = 1
        while missing > 0:
            level += 1
            missing -= by_count[level]
        surplus = -missing
        for i in range(found):
            count = np.int64(counts[np.int64(shingles[i] >> shift)])
            if count < 2 or count > level:
                continue
            if count == level and surplus > 0:
                surplus -= 1
                continue
            keys[listed] = shingles[i]
            owners[listed] = text
            listed += 1
    return listed


@kernel
def find_containing(
    texts: Any,
    sizes: Array,
    firsts: Array,
    loss: int,
    whole: int,
    listed: Any,
    fresh: Array,
    families: Array,
    order: Array,
    first: int,
    last: int,
    out: Any,
) -> tuple[int, int, int]:
    """Every text from order[first] to order[last - 1] with the texts that may be contained in it.

    `texts` are (words, offsets, keys of words); `listed` is what index/slots gives. Pairs of texts with one number in
    `families` are passed over, unless it is -1. `out` are (contained, containing). Returns (text reached, pairs found,
    a number without meaning): it stops before a text whose pairs might not fit.
    """
    words, offsets, word_keys = texts
    mark_bits, marks, bits, starts, inner, entries, core = listed
    contained, containing = out
    longest = 0
    for place in range(first, last):
        longest = max(longest, offsets[order[place] + 1] - offsets[order[place]])
    runs, bounds = np.empty(longest + 1, np.uint64), np.empty((longest + 1, 2), np.int64)
    hits, met = np.zeros(len(offsets) - 1, np.int32), np.empty(len(offsets), np.int32)
    mark_shift, shift = np.uint64(64 - mark_bits), np.uint64(64 - bits)
    found, fetched = 0, np.uint64(0)
    for place in range(first, last):
        if found + len(sizes) > len(contained):
            return place, found, np.int64(fetched)
        text = np.int64(order[place])
        family = families[text]
        in_core = len(core) > 0 and core[text]
        present = 0
        for i in range(offsets[text], offsets[text + 1] - 2):  # loops without branches fetch memory ahead
            value = _shingle(words, word_keys, i)
            value = value if value != np.uint64(0) else np.uint64(1)
            runs[present] = value
            present += np.int64(firsts[i]) & np.int64(is_marked(marks, value >> mark_shift))
        for i in range(present):
            slot = np.int64(runs[i] >> shift)
            bounds[i, 0] = starts[slot]
            bounds[i, 1] = inner[slot] if in_core else starts[slot + 1]
        for i in range(present):
            if bounds[i, 0] < bounds[i, 1]:
                fetched ^= entries[bounds[i, 0]]
        others = 0
        for i in range(present):
            rest = rest_after(runs[i], bits)
            for entry in range(bounds[i, 0], bounds[i, 1]):
                if rest_of(entries[entry]) != rest:
                    continue
                other = owner_of(entries[entry])
                if family >= 0 and families[other] == family:
                    continue
                met[others] = other
                others += hits[other] == 0
                hits[other] += 1
        for i in range(others):
            other = np.int64(met[i])
            often = hits[other]
            hits[other] = 0
            # Of slack + m listed shingles at least m are found; see `list_rare`.
            kept = sizes[other] - sizes[other] * loss // whole
            if other == text or often < min(1 + sizes[other] // HITS, kept):
                continue
            # The text with fewer shingles is the contained one (ties: the earlier).
            if sizes[other] > sizes[text] or (sizes[other] == sizes[text] and other > text):
                continue
            if fresh[other] or fresh[text]:
                contained[found] = other
                containing[found] = text
                found += 1
    return last, found, np.int64(fetched)


@kernel
def count_contained(
    words: Array,
    offsets: Array,
    word_keys: Array,
    sizes: Array,
    firsts: Array,
    loss: int,
    whole: int,
    contained: Array,
    containing: Array,
    shared: Array,
) -> None:
    """How many distinct shingles of each contained text the containing one has; -1 where too many are missing.

    Pairs come in order of the containing text, whose shingles are put into a table once. It gives a pair up as soon
    as too many shingles are missing.
    """
    most = 0
    for i in range(len(containing)):
        most = max(most, sizes[containing[i]])
    room = 64
    while room < 3 * most // 2:
        room *= 2
    table = np.empty(room, np.uint64)
    mask = np.uint64(0)
    built = -1
    for pair in range(len(contained)):
        whole_text = np.int64(containing[pair])
        if whole_text != built:
            built = whole_text
            size = 64
            while size < 3 * sizes[built] // 2:
                size *= 2
            mask = np.uint64(size - 1)
            table[:size] = np.uint64(0)
            for i in range(offsets[built], offsets[built + 1] - 2):
                if firsts[i]:
                    value = _shingle(words, word_keys, i)
                    if value == np.uint64(0):
                        value = np.uint64(1)
                    slot = value & mask
                    while table[slot] != np.uint64(0):
                        slot = (slot + np.uint64(1)) & mask
                    table[slot] = value
        text = np.int64(contained[pair])
        missing = 0
        allowed = sizes[text] * loss // whole
        for i in range(offsets[text], offsets[text + 1] - 2):
            if firsts[i]:
                value = _shingle(words, word_keys, i)
                if value == np.uint64(0):
                    value = np.uint64(1)
                slot = value & mask
                while table[slot] != np.uint64(0) and table[slot] != value:
                    slot = (slot + np.uint64(1)) & mask
                if table[slot] == np.uint64(0):
                    missing += 1
                    if missing > allowed:
                        break
        shared[pair] = sizes[text] - missing if missing <= allowed else -1
