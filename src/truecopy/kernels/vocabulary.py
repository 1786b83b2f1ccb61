"""Words as numbers: hash → number with a growing table, and bags of words in order of rarity.

A vocabulary is four arrays that grow together (`hashes`, `checks`, `letters` with `letter_ends`)
and an open-addressing table (`keys`, `numbers`) whose size is a power of two. The kernel stops
where one of them is full and says how far it got; the caller grows them and goes on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel

Array = Any
LONGEST = 1 << 15
"""Words up to this many bytes are kept as they are spelled."""


@kernel
def insert_words(
    data: Array,
    text_offsets: Array,
    hashes: Array,
    checks: Array,
    starts: Array,
    ends: Array,
    word_offsets: Array,
    first: int,
    keys: Array,
    numbers: Array,
    known_hashes: Array,
    known_checks: Array,
    letters: Array,
    letter_ends: Array,
    size: int,
    out: Array,
) -> tuple[int, int]:
    """Give every word from position `first` on its number; new words are appended to the vocabulary.

    Returns (position reached, vocabulary size); the position is -1 where two unlike words share a hash.
    `letters` receives a new word's bytes with A–Z in lower case, which is its folded form if it is ASCII. A word of
    more than `LONGEST` bytes is kept as # and its hash: a file of 50 MB can be one word.
    """
    mask = np.uint64(len(keys) - 1)
    text = 0
    for word in range(first, word_offsets[-1]):
        while word >= word_offsets[text + 1]:
            text += 1
        key = hashes[word]
        if key == np.uint64(0):
            key = np.uint64(1)
        slot = key & mask
        while keys[slot] != key and keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        if keys[slot] == key:
            number = numbers[slot]
            if known_checks[number] != checks[word]:
                return -1, size
            out[word] = number
            continue
        begin = letter_ends[size - 1] if size else 0
        length = np.int64(ends[word]) - np.int64(starts[word])
        too_long = length > LONGEST
        if too_long:
            length = 17
        if size >= len(letter_ends) or 2 * size >= len(keys) or begin + length > len(letters):
            return word, size
        source = text_offsets[text] + np.int64(starts[word])
        if too_long:
            letters[begin] = 35
            for i in range(16):
                digit = np.uint8((key >> np.uint64(60 - 4 * i)) & np.uint64(15))
                letters[begin + 1 + i] = digit + np.uint8(48) if digit < 10 else digit + np.uint8(87)
            length = 0
            letter_ends[size] = begin + 17
        else:
            letter_ends[size] = begin + length
        for i in range(length):
            byte = data[source + i]
            if byte >= 65 and byte <= 90:
                byte += np.uint8(32)
            letters[begin + i] = byte
        keys[slot] = key
        numbers[slot] = size
        known_hashes[size] = key
        known_checks[size] = checks[word]
        out[word] = size
        size += 1
    return word_offsets[-1], size


@kernel
def rehash(hashes: Array, keys: Array, numbers: Array) -> None:
    """Fill an empty, larger table with the words that are already numbered."""
    mask = np.uint64(len(keys) - 1)
    for number in range(len(hashes)):
        slot = hashes[number] & mask
        while keys[slot] != np.uint64(0):
            slot = (slot + np.uint64(1)) & mask
        keys[slot] = hashes[number]
        numbers[slot] = number


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
