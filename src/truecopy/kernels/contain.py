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
def count_entries(keys: Array, bits: int, starts: Array) -> None:
    """Count entries by slot, the `bits` high bits of the key: slot s is counted in starts[s + 2]."""
    shift = np.uint64(64 - bits)
    for i in range(len(keys)):
        starts[np.int64(keys[i] >> shift) + 2] += 1


@kernel
def place_entries(
    keys: Array, owners: Array, bits: int, starts: Array, sorted_keys: Array, sorted_owners: Array
) -> None:
    """Put entries where their slot begins; starts[s + 1] moves on from there to where slot s ends."""
    shift = np.uint64(64 - bits)
    for i in range(len(keys)):
        slot = np.int64(keys[i] >> shift) + 1
        sorted_keys[starts[slot]] = keys[i]
        sorted_owners[starts[slot]] = owners[i]
        starts[slot] += 1


@kernel
def find_containing(
    words: Array,
    offsets: Array,
    word_keys: Array,
    sizes: Array,
    firsts: Array,
    loss: int,
    whole: int,
    bits: int,
    starts: Array,
    keys: Array,
    owners: Array,
    fresh: Array,
    families: Array,
    core: Array,
    inner: Array,
    order: Array,
    first: int,
    last: int,
    contained: Array,
    containing: Array,
) -> tuple[int, int]:
    """Every text from order[first] to order[last - 1] with the texts that may be contained in it.

    Pairs of texts with one number in `families` are passed over, unless it is -1. `core` marks one family, or is
    empty: its entries come last in each slot, from `inner` on, and its texts do not look at them. Returns (text
    reached, pairs found): it stops before a text whose pairs might not fit.
    """
    shift = np.uint64(64 - bits)
    seen = np.full(len(offsets) - 1, -1, np.int32)
    hits = np.zeros(len(offsets) - 1, np.int32)
    met = np.empty(len(offsets) - 1, np.int32)
    found = 0
    for place in range(first, last):
        if found + len(sizes) > len(contained):
            return place, found
        text = np.int64(order[place])
        others = 0
        family = families[text]
        in_core = len(core) > 0 and core[text]
        for i in range(offsets[text], offsets[text + 1] - 2):
            if not firsts[i]:
                continue
            value = _shingle(words, word_keys, i)
            if value == np.uint64(0):
                value = np.uint64(1)
            slot = np.int64(value >> shift)
            for entry in range(starts[slot], inner[slot] if in_core else starts[slot + 1]):
                if keys[entry] != value:
                    continue
                other = np.int64(owners[entry])
                if family >= 0 and families[other] == family:
                    continue
                if seen[other] == text:
                    hits[other] += 1
                else:
                    seen[other] = text
                    hits[other] = 1
                    met[others] = other
                    others += 1
        for i in range(others):
            other = np.int64(met[i])
            # Of slack + m listed shingles at least m are found; see `list_rare`.
            kept = sizes[other] - sizes[other] * loss // whole
            if other == text or hits[other] < min(1 + sizes[other] // HITS, kept):
                continue
            # The text with fewer shingles is the contained one (ties: the earlier).
            if sizes[other] > sizes[text] or (sizes[other] == sizes[text] and other > text):
                continue
            if fresh[other] or fresh[text]:
                contained[found] = other
                containing[found] = text
                found += 1
    return last, found


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
