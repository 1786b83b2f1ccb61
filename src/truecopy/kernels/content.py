"""Content words: which words of a vocabulary carry the subject, and what light stem each has.

The stem joins the plural and the verb endings of English, and nothing else; it is a key, not a word:

    parties, party → party; leases, leased, leasing, lease → leas; controlled, controls → control

1. plural: ies → y; sses, xes, zes, ches, shes lose es; other s is dropped, but not of ss, us, is
2. ing, then ed (ied → y), where at least three letters with a vowel are left; then eed → ee
3. a final e, then one of two equal final consonants, where at least three letters are left

So a stem is the beginning of a word, or that with a y for its last letter.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.fold import LETTER, MARK, SOLO, WORD_CLASS, info_of, read_point
from truecopy.kernels.jit import kernel, rare_part
from truecopy.kernels.machine import fold_product

Array = Any
A, D, E, G, H, I, N, S, U, X, Y, Z = (ord(letter) for letter in "adeghinsuxyz")
C = ord("c")
O = ord("o")
FEWEST_LETTERS = 3


@rare_part
def _hash(word: Array, length: int, secret: Array) -> np.uint64:
    """Where the search for a word begins: it depends on a secret, so that no words make searches long."""
    value = secret[0]
    for i in range(length):
        value = fold_product(value ^ np.uint64(word[i]), secret[1])
    return value


@rare_part
def _is_vowel(letter: int) -> bool:
    return letter == A or letter == E or letter == I or letter == O or letter == U or letter == Y


@rare_part
def _stands(word: Array, length: int) -> bool:
    """Whether the first letters of a word are enough to be a verb's stem."""
    if length < FEWEST_LETTERS:
        return False
    for i in range(length):
        if _is_vowel(word[i]):
            return True
    return False


@rare_part
def _stem(word: Array, length: int) -> int:
    """Put the stem of an ASCII word in its place; returns the stem's length."""
    if length > 3 and word[length - 1] == S:
        second, third = word[length - 2], word[length - 3]
        if second == E and third == I and length > 4:
            word[length - 3] = Y
            length -= 2
        elif second == E and (
            third == X
            or third == Z
            or (third == S and word[length - 4] == S)
            or (third == H and (word[length - 4] == C or word[length - 4] == S))
        ):
            length -= 2
        elif second != S and second != U and second != I:
            length -= 1
    if (
        length > 5
        and word[length - 3] == I
        and word[length - 2] == N
        and word[length - 1] == G
        and _stands(word, length - 3)
    ):
        length -= 3
    if length > 3 and word[length - 2] == E and word[length - 1] == D:
        if word[length - 3] == I and length > 4:
            word[length - 3] = Y
            length -= 2
        elif word[length - 3] != E and _stands(word, length - 2):
            length -= 2
    if length > 3 and word[length - 3] == E and word[length - 2] == E and word[length - 1] == D:
        length -= 1
    if length > FEWEST_LETTERS and word[length - 1] == E:
        length -= 1
    if length > FEWEST_LETTERS and word[length - 1] == word[length - 2] and not _is_vowel(word[length - 1]):
        length -= 1
    return length


@rare_part
def _is_stop(word: Array, length: int, secret: Array, stops: Array, stop_starts: Array, table: Array) -> bool:
    """Whether a word is in the stop list."""
    mask = np.uint64(len(table) - 1)
    slot = _hash(word, length, secret) & mask
    while table[slot] != 0:
        begin, end = stop_starts[table[slot] - 1], stop_starts[table[slot]]
        k = 0
        while k < length and k < end - begin and stops[begin + k] == word[k]:
            k += 1
        if k == length and k == end - begin:
            return True
        slot = (slot + np.uint64(1)) & mask
    return False


@rare_part
def _first_with(
    word: Array, length: int, secret: Array, letters: Array, starts: Array, lengths: Array, lasts: Array, table: Array
) -> np.uint64:
    """The slot of the first word with this stem, or the empty one where it belongs.

    The stem of word i is its first lengths[i] letters, the last of them replaced by lasts[i].
    """
    mask = np.uint64(len(table) - 1)
    slot = _hash(word, length, secret) & mask
    while table[slot] != 0:
        other = table[slot] - 1
        if lengths[other] == length and lasts[other] == word[length - 1]:
            k = 0
            while k < length - 1 and letters[starts[other] + k] == word[k]:
                k += 1
            if k == length - 1:
                break
        slot = (slot + np.uint64(1)) & mask
    return slot


@kernel
def content_words(
    letters: Array, starts: Array, tables: Array, stops: Array, stop_starts: Array, secret: Array, word: Array,
    table: Array, out: Array,
) -> int:  # fmt: skip
    """out[i] = the number of the light stem of word i, from 1; 0 where it is not a content word. Returns how many.

    `letters` are folded words in UTF-8; `stops` are the words of the stop list in the same form. `word` is scratch of
    the length of the longest word, `table` an empty table with a power of two of slots, more than there are words.
    """
    stop_table = np.zeros(1024, np.int32)
    stop_mask = np.uint64(1023)
    lengths = np.empty(len(starts) - 1, np.int32)
    lasts = np.empty(len(starts) - 1, np.uint8)
    found = 0
    for i in range(len(stop_starts) - 1):
        length = stop_starts[i + 1] - stop_starts[i]
        slot = _hash(stops[stop_starts[i] : stop_starts[i + 1]], length, secret) & stop_mask
        while stop_table[slot] != 0:
            slot = (slot + np.uint64(1)) & stop_mask
        stop_table[slot] = i + 1
    for i in range(len(starts) - 1):
        begin, end = starts[i], starts[i + 1]
        out[i] = 0
        count = 0
        plain = True
        at = begin
        while at < end:
            point, at = read_point(letters, at, end)
            plain = plain and point < 128
            kind = info_of(point, tables) & WORD_CLASS
            if kind & ~SOLO == LETTER:
                count += 1
            elif kind != MARK:
                count = -1
                break
        if count < FEWEST_LETTERS:
            continue
        length = end - begin
        for k in range(length):
            word[k] = letters[begin + k]
        if _is_stop(word, length, secret, stops, stop_starts, stop_table):
            continue
        if plain:
            length = _stem(word, length)
        lengths[i], lasts[i] = length, word[length - 1]
        slot = _first_with(word, length, secret, letters, starts, lengths, lasts, table)
        if table[slot] == 0:
            table[slot] = i + 1
            found += 1
            out[i] = found
        else:
            out[i] = out[table[slot] - 1]
    return found


@kernel
def shared_terms(
    terms: Array, offsets: Array, stems: Array, a: Array, b: Array, marks: Array, shared: Array, fewer: Array
) -> None:
    """Distinct stems that the texts a[i] and b[i] share, and how many the text with fewer stems has.

    `terms` are the distinct word numbers of each text, `stems` the stem number of each word;
    `marks` is scratch of two rows, zero, with a column for each stem number. Equal a in a row share their marks.
    """
    owner = 0
    count_a = 0
    for i in range(len(a)):
        if i == 0 or a[i] != a[i - 1]:
            owner = i + 1
            count_a = 0
            for t in range(offsets[a[i]], offsets[a[i] + 1]):
                stem = stems[terms[t]]
                if stem != 0 and marks[0, stem] != owner:
                    marks[0, stem] = owner
                    count_a += 1
        count_b = 0
        both = 0
        for t in range(offsets[b[i]], offsets[b[i] + 1]):
            stem = stems[terms[t]]
            if stem != 0 and marks[1, stem] != i + 1:
                marks[1, stem] = i + 1
                count_b += 1
                if marks[0, stem] == owner:
                    both += 1
        shared[i] = both
        fewer[i] = min(count_a, count_b)
