"""Words as numbers: word → number with a growing table, and bags of words in order of rarity.

A vocabulary is arrays that grow together (`hashes`, `keys`, `heads`, `letters` with `letter_ends`) and an
open-addressing table whose size is a power of two. Where a search begins depends on a word's key, which nobody can
foresee (`kernels.tokenize`), so that no text makes searches long. A slot holds the upper half of a key and the word's
number + 1; 0 is an empty slot.

Whether two words are the same is decided by what is spelled. Up to eight bytes the hash tells the spelling, because it
can be undone; up to sixteen it does so together with the first eight bytes, the head. Longer words are compared letter
by letter. A key says which of the three a word is.

The kernels stop where something is full and say how far they got; the caller makes room and goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.machine import fold_product, load_8
from truecopy.kernels.tokenize import U0, U1, U32, U63, VERY_LONG, key_of

Array = Any
LONGEST = 1 << 15
"""Words up to this many bytes are kept as they are spelled."""
LOW = np.uint64(0xFFFFFFFF)
SPARE = 8
"""Bytes that `letters` has beyond the last word."""


@part
def _is_spelled(spelling: Array, begin: int, end: int, letters: Array, first: int) -> bool:
    """Whether a word of more than sixteen bytes is the one at `first`, which is as long."""
    shift = first - begin
    begin += 8
    while begin + 8 < end:
        if load_8(spelling, begin) != load_8(letters, begin + shift):
            return False
        begin += 8
    return load_8(spelling, end - 8) == load_8(letters, end - 8 + shift)


@part
def _find(
    key: np.uint64, hashed: np.uint64, spelling: Array, begin: int, end: int,
    table: Array, hashes: Array, heads: Array, letters: Array, letter_ends: Array,
) -> np.uint64:  # fmt: skip
    """The slot of a word, or the empty one where it belongs."""
    mask = np.uint64(len(table) - 1)
    slot = key & mask
    headed = U0 - (key >> U63)  # all ones for a long word
    head = load_8(spelling, begin) & headed
    entry = table[slot]
    while entry != U0:
        number = (entry & LOW) - U1
        if (entry ^ key) >> U32 == U0 and (hashes[number] ^ hashed) | (heads[number] & headed ^ head) == U0:
            if not key & VERY_LONG:
                break
            first = letter_ends[number - U1] if number else 0
            same = letter_ends[number] - first == end - begin
            if same and _is_spelled(spelling, begin, end, letters, first):
                break
        slot = (slot + U1) & mask
        entry = table[slot]
    return slot


@rare_part
def _is_same(keys: Array, letters: Array, letter_ends: Array, one: int, other: int) -> bool:
    """Whether two numbered words are spelled the same."""
    end, other_end = letter_ends[one], letter_ends[other]
    begin = letter_ends[one - 1] if one else 0
    other_begin = letter_ends[other - 1] if other else 0
    if keys[one] != keys[other] or end - begin != other_end - other_begin:
        return False
    for i in range(end - begin):
        if letters[begin + i] != letters[other_begin + i]:
            return False
    return True


@kernel
def insert_words(
    keys: Array, hashes: Array, spelling: Array, spelling_ends: Array, gap: int, first: int, table: Array,
    known_keys: Array, known_hashes: Array, heads: Array, letters: Array, letter_ends: Array, size: int, out: Array,
) -> tuple[int, int]:  # fmt: skip
    """Give every word from position `first` on its number; new words are appended to the vocabulary.

    Word i is what is spelled before spelling_ends[i], from `gap` bytes after the end of the word before it; there are
    `SPARE` bytes after the last. Returns (position reached, vocabulary size); -1 - position where the word there has
    more than `LONGEST` bytes and must be named otherwise.
    """
    begin = spelling_ends[first - 1] + gap if first else 0
    for word in range(first, len(keys)):
        end = spelling_ends[word]
        key = keys[word]
        slot = _find(key, hashes[word], spelling, begin, end, table, known_hashes, heads, letters, letter_ends)
        if table[slot] == U0:
            if end - begin > LONGEST:
                return -1 - word, size
            used = letter_ends[size - 1] if size else 0
            if size >= len(letter_ends) or 2 * size >= len(table) or used + end - begin + SPARE > len(letters):
                return word, size
            for i in range(end - begin):
                letters[used + i] = spelling[begin + i]
            letter_ends[size] = used + end - begin
            known_keys[size] = key
            known_hashes[size] = hashes[word]
            heads[size] = load_8(spelling, begin)
            size += 1
            table[slot] = (key & ~LOW) | np.uint64(size)
        out[word] = np.uint32(table[slot] & LOW) - np.uint32(1)
        begin = end + gap
    return len(keys), size


@kernel
def find_words(
    keys: Array, hashes: Array, spelling: Array, spelling_ends: Array, table: Array, known_hashes: Array, heads: Array,
    letters: Array, letter_ends: Array, out: Array,
) -> None:  # fmt: skip
    """The number of each word, -1 where the vocabulary does not have it."""
    begin = 0
    for word in range(len(keys)):
        end = spelling_ends[word]
        slot = _find(keys[word], hashes[word], spelling, begin, end, table, known_hashes, heads, letters, letter_ends)
        out[word] = np.int64(table[slot] & LOW) - 1
        begin = end


@kernel
def fill_table(keys: Array, letters: Array, letter_ends: Array, table: Array) -> int:
    """Fill an empty, larger table with the words that are already numbered.

    Returns the number of the first word that is there already, -1 if none is. A stored vocabulary may have one word a
    million times; equal words have equal keys, and a row of them in the table would be walked for each of them. So
    only the first gets a slot.
    """
    mask = np.uint64(len(table) - 1)
    repeated = -1
    for number in range(len(keys)):
        key = keys[number]
        slot = key & mask
        entry = table[slot]
        while entry != U0:
            if (entry ^ key) >> U32 == U0 and _is_same(keys, letters, letter_ends, np.int64(entry & LOW) - 1, number):
                break
            slot = (slot + U1) & mask
            entry = table[slot]
        if entry == U0:
            table[slot] = (key & ~LOW) | np.uint64(number + 1)
        elif repeated < 0:
            repeated = number
    return repeated


@kernel
def word_keys(letters: Array, letter_ends: Array, secret: Array, keys: Array, heads: Array) -> None:
    """The keys and heads of words that are spelled one after the other, with `SPARE` bytes after the last."""
    begin = 0
    for word in range(len(letter_ends)):
        end = letter_ends[word]
        key = secret[0]
        for at in range(begin, end, 8):
            chunk = load_8(letters, at)
            if end - at < 8:
                chunk &= (U1 << np.uint64(8 * (end - at))) - U1
            key = fold_product(key ^ chunk, secret[1])
        keys[word] = key_of(key, end - begin)
        heads[word] = load_8(letters, begin)
        begin = end


@kernel
def count_distinct(words: Array, offsets: Array, sizes: Array, frequencies: Array) -> None:
    """Distinct words of every text, and for every word the number of texts that have it."""
    seen = np.full(len(frequencies), -1, np.int64)
    for text in range(len(offsets) - 1):
        distinct = 0
        for i in range(offsets[text], offsets[text + 1]):
            word = words[i]
            if seen[word] != text:
                seen[word] = text
                frequencies[word] += 1
                distinct += 1
        sizes[text] = distinct


@kernel
def fill_bags(words: Array, offsets: Array, starts: Array, posting_starts: Array, terms: Array, counts: Array) -> None:
    """Every text's distinct words, rarest (highest number) first, with how often each occurs.

    `starts` is where each text's bag begins; `posting_starts` is where each word's list would begin
    if the bags were listed by word. Going through the words from the rarest to the most common and
    appending each to its texts sorts all bags in linear time.
    """
    texts = len(offsets) - 1
    vocabulary = len(posting_starts) - 1
    posting_texts = np.empty(posting_starts[vocabulary], np.int32)
    posting_counts = np.empty(posting_starts[vocabulary], np.uint32)
    fill = posting_starts[:vocabulary].copy()
    seen = np.full(vocabulary, -1, np.int64)
    for text in range(texts):
        for i in range(offsets[text], offsets[text + 1]):
            word = words[i]
            if seen[word] != text:
                seen[word] = text
                posting_texts[fill[word]] = text
                posting_counts[fill[word]] = 1
                fill[word] += 1
            else:
                posting_counts[fill[word] - 1] += np.uint32(1)
    place = starts[:texts].copy()
    for word in range(vocabulary - 1, -1, -1):
        for i in range(posting_starts[word], posting_starts[word + 1]):
            text = posting_texts[i]
            terms[place[text]] = word
            counts[place[text]] = posting_counts[i]
            place[text] += 1
