"""Tokenizing: UTF-8 bytes → hashes, spans and spelling of the words, for a batch of texts in one buffer.

A word (contract) is a maximal run of letters, marks and numbers in the folded text; in scripts without
spaces each base character with its marks is a word of its own. Marks with no letter or number before them are no word.

The hash of a word is what signatures are made of, and frozen. With w the UTF-8 form of the folded word, cut
into little-endian 64-bit chunks, the last one padded with zero bytes, all arithmetic modulo 2^64:

    h = 0x9E3779B97F4A7C15;  for each chunk: h = (h ^ chunk) * 0xD6E8FEB86659FD93;  h ^= h >> 32
    then murmur3's finalizer: h ^= h >> 33; h *= 0xFF51AFD7ED558CCD; h ^= h >> 33;
                              h *= 0xC4CEB9FE1A85EC53; h ^= h >> 33

so words of up to 8 bytes never collide. Longer ones can be made to: the hash can be undone. So it finds words and never
decides; `kernels.vocabulary` compares their spelling. Tables are searched by a key that nobody can foresee, with two
numbers that each process draws anew and nothing keeps:

    k = secret[0];  for each chunk: k = the halves of the product (k ^ chunk) * secret[1] of 128 bits, exclusive-or
    then its two highest bits say whether the word has more than 8 and more than 16 bytes

A truncated product would not do: differences in the highest bits of chunks stay there, whatever the secret is.

Plain ASCII takes a path of its own: 64 bytes become a bitmap of word bytes, and words are the runs of ones.
Everything else goes code point by code point through `fold`.
"""

from __future__ import annotations

import numpy as np

from truecopy.kernels.fold import (
    LETTER,
    MARK,
    POINT_SHIFT,
    SOLO,
    START_MASK,
    WORD_CLASS,
    Array,
    Int,
    fold_segment,
    info_of,
    next_segment,
)
from truecopy.kernels.jit import kernel, part
from truecopy.kernels.machine import fold_product, load_8, store_8, trailing_zeros

HASH_START = np.uint64(0x9E3779B97F4A7C15)
HASH_FACTOR = np.uint64(0xD6E8FEB86659FD93)
HASH_END_1 = np.uint64(0xFF51AFD7ED558CCD)
HASH_END_2 = np.uint64(0xC4CEB9FE1A85EC53)
U0, U1, U7, U8, U32, U33, U56 = (np.uint64(number) for number in (0, 1, 7, 8, 32, 33, 56))
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
U63 = np.uint64(63)
LONG, VERY_LONG = np.uint64(1 << 63), np.uint64(1 << 62)
"""Set in the keys of words of more than 8 and of more than 16 bytes: no short word has the key of a long one."""
LINE_FEED = 10
# Eight bytes at once.
HIGH = np.uint64(0x8080808080808080)
LOW = np.uint64(0x7F7F7F7F7F7F7F7F)
LOWER = np.uint64(0x2020202020202020)
LETTER_BIT = np.uint64(0x4040404040404040)
"""Set in ASCII letters and not in ASCII digits."""
FROM_A, PAST_Z, FROM_0, PAST_9 = (np.uint64(0x0101010101010101 * byte) for byte in (0x1F, 0x05, 0x50, 0x46))
"""Added to a byte below 128, these set its high bit where the byte is ≥ "a", > "z", ≥ "0", > "9"."""
GATHER = np.uint64(0x0102040810204080)
"""Times eight bytes of 0 or 1, this gathers them as the bits of the uppermost byte."""
BLOCK = 64
MARGIN = BLOCK + 8
"""The plain path reads whole blocks, and eight bytes from any byte of a word: never past the buffer."""

# The word that is being built, as one small array. SPELLED is how much is spelled so far, BEGUN where the word's is.
HASH, KEYED, CHUNK, FILLED, START, END, OPEN, ALONE, SPELLED, BEGUN = range(10)
NUMBERS = 10


@part
def mix(state: np.uint64, chunk: np.uint64, factor: np.uint64, shift: np.uint64) -> np.uint64:
    """One step of the hash."""
    state = (state ^ chunk) * factor
    return state ^ state >> shift


@part
def key_of(state: np.uint64, length: Int) -> np.uint64:
    """The key of a word of this many bytes."""
    key = state & ~(LONG | VERY_LONG)
    if length > 8:
        key |= LONG
    if length > 16:
        key |= VERY_LONG
    return key


@part
def store(
    count: Int,
    state: np.uint64,
    key: np.uint64,
    start: Int,
    end: Int,
    spelled: Int,
    hashes: Array,
    keys: Array,
    starts: Array,
    ends: Array,
    spelling: Array,
    spelling_ends: Array,
) -> Int:
    """Store a word where there is room; returns the new number of words."""
    if count < len(hashes):
        state = mix(state, state >> U33, HASH_END_1, U33)
        hashes[count] = mix(state, U0, HASH_END_2, U33)
        keys[count] = key
        starts[count] = start
        ends[count] = end
    if spelled < len(spelling):
        spelling[spelled] = LINE_FEED
    if count < len(spelling_ends):
        spelling_ends[count] = spelled
    return count + 1


@part
def take(word: Array, point: Int, kind: Int, start: Int, stop: Int, secret: Array, spelling: Array) -> None:
    """Begin a word with a folded code point, or add it to the open one; and to the spelling, where there is room."""
    if not word[OPEN]:
        word[HASH] = HASH_START
        word[KEYED] = secret[0]
        word[CHUNK] = word[FILLED] = word[END] = 0
        word[START] = start
        word[BEGUN] = word[SPELLED]
        word[OPEN] = 1
        word[ALONE] = kind & SOLO
    if start < np.int64(word[START]):  # marks may have been reordered
        word[START] = start
    if stop > np.int64(word[END]):
        word[END] = stop
    code, size = point, 1  # its UTF-8 bytes, the first one lowest
    if point >= 0x80:
        code, top = 0, 0x3F  # the greatest number that the first byte holds
        while size == 1 or point > top:
            code = code << 8 | 0x80 | point & 0x3F
            point >>= 6
            top >>= 1
            size += 1
        code = code << 8 | 0xFE ^ top << 1 | point
    spelled = np.int64(word[SPELLED])
    if spelled + size <= len(spelling):
        for byte in range(size):
            spelling[spelled + byte] = code >> 8 * byte & 0xFF
    word[SPELLED] = spelled + size
    filled = np.int64(word[FILLED])
    chunk = word[CHUNK] | np.uint64(code) << np.uint64(8 * filled)
    filled += size
    if filled >= 8:
        word[HASH] = mix(word[HASH], chunk, HASH_FACTOR, U32)
        word[KEYED] = fold_product(word[KEYED] ^ chunk, secret[1])
        filled -= 8
        chunk = np.uint64(code) >> np.uint64(8 * (size - filled))
    word[CHUNK] = chunk
    word[FILLED] = filled


@part
def plain_words(
    data: Array,
    at: Int,
    end: Int,
    base: Int,
    count: Int,
    spelled: Int,
    secret: Array,
    hashes: Array,
    keys: Array,
    starts: Array,
    ends: Array,
    spelling: Array,
    spelling_ends: Array,
) -> tuple[Int, Int, Int, Int]:
    """Words of plain ASCII from a place between words, up to where code points must be taken one by one.

    Returns that place, the number of words, how much is spelled, and whether there was a letter. It stops before the
    last word or sign in front of a byte that is not ASCII, because a mark may follow it.
    """
    entered = begin = at
    carry = seen = high = U0
    keyed_start, keyed_factor = secret[0], secret[1]
    while at < end and at + MARGIN <= len(data) and not high & HIGH:
        bits, high = word_bits(data, at)
        limit = end - at if end - at < BLOCK else BLOCK
        if high & HIGH:
            place = 0
            while place < limit and data[at + place] < 0x80:
                place += 1
            limit = place
        inside = (U1 << np.uint64(limit)) - U1 if limit < BLOCK else ALL
        bits &= inside
        before = bits << U1 | carry
        opening = bits & ~before
        closing = before & ~bits & inside
        if opening and not carry:
            begin = at + trailing_zeros(opening)
            opening &= opening - U1
        while closing:
            stop = at + trailing_zeros(closing)
            closing &= closing - U1
            state, keyed = HASH_START, keyed_start
            fits = spelled + stop - begin + 8 <= len(spelling)
            place = begin
            while place < stop:
                chunk = load_8(data, place) | LOWER
                if stop - place < 8:
                    chunk &= (U1 << np.uint64(8 * (stop - place))) - U1
                seen |= chunk
                state = mix(state, chunk, HASH_FACTOR, U32)
                keyed = fold_product(keyed ^ chunk, keyed_factor)
                if fits:
                    store_8(spelling, spelled + place - begin, chunk)
                place += 8
            spelled += stop - begin
            count = store(
                count, state, key_of(keyed, stop - begin), begin - base, stop - base, spelled, hashes, keys, starts,
                ends, spelling, spelling_ends,
            )  # fmt: skip
            spelled += 1
            if opening:
                begin = at + trailing_zeros(opening)
                opening &= opening - U1
        if limit:
            carry = bits >> np.uint64(limit - 1) & U1
        at += limit
    has_letter = 1 if seen & LETTER_BIT else 0
    if carry:
        return begin, count, spelled, has_letter
    return at - 1 if at > entered else at, count, spelled, has_letter


@part
def word_bits(data: Array, at: Int) -> tuple[np.uint64, np.uint64]:
    """A bit for each of 64 bytes, set for ASCII letters and digits; and the bytes ored together."""
    bits = high = U0
    for group in range(8):
        eight = load_8(data, at + 8 * group)
        low = eight & LOW
        lower = low | LOWER
        found = (lower + FROM_A & ~(lower + PAST_Z) | low + FROM_0 & ~(low + PAST_9)) & ~eight & HIGH
        bits |= (found >> U7) * GATHER >> U56 << np.uint64(8 * group)
        high |= eight
    return bits, high


@kernel
def tokenize(
    data: Array,
    offsets: Array,
    tables: Array,
    secret: Array,
    word: Array,
    scratch: Array,
    hashes: Array,
    keys: Array,
    starts: Array,
    ends: Array,
    word_offsets: Array,
    letters: Array,
    spelling: Array,
    spelling_ends: Array,
) -> Int:
    """Words of every text; returns their number, or -1 - (the room needed) where the arrays are too small.

    `spelling` receives the folded words in UTF-8, each ended by a line feed, and `spelling_ends` where each ends, its
    line feed not counted; both may be empty. word[SPELLED] is then the room that all of it needs (and eight bytes
    more); `word` is room for `NUMBERS` numbers. Where the scratch is too small for a segment it returns -1, and
    scratch[0] is the room that is needed.
    """
    word[OPEN] = word[SPELLED] = 0
    count: Int = np.int64(0)
    stops = len(scratch) >> 2
    for text in range(len(offsets) - 1):
        base, end = offsets[text], offsets[text + 1]
        at = base
        word_offsets[text] = count
        has_letter = index = kept = 0
        while True:
            point: Int = np.int64(0)
            kind: Int = np.int64(0)
            start: Int = np.int64(0)
            stop: Int = np.int64(0)
            if index < kept:  # folded code points of a segment
                point = scratch[index] >> POINT_SHIFT
                kind = info_of(point, tables) & WORD_CLASS
                start, stop = scratch[index] & START_MASK, scratch[stops + index]
                index += 1
            elif at < end:
                if not word[OPEN] and at + MARGIN <= len(data) and not load_8(data, at) & HIGH:
                    at, count, spelled, found = plain_words(
                        data, at, end, base, count, np.int64(word[SPELLED]), secret, hashes, keys, starts, ends,
                        spelling, spelling_ends,
                    )  # fmt: skip
                    word[SPELLED] = spelled
                    has_letter |= found
                start = at - base
                following, size, point, kind = next_segment(data, at, end, tables)
                if size > stops:
                    scratch[0] = size
                    return -1
                if size:
                    index, kept = 0, fold_segment(data, at, following, base, tables, scratch)
                at = following
                if size:
                    continue
                stop = following - base
            elif not word[OPEN]:
                break
            if word[OPEN] and (kind == 0 or (kind != MARK and (kind & SOLO or word[ALONE]))):
                if word[FILLED]:
                    word[HASH] = mix(word[HASH], word[CHUNK], HASH_FACTOR, U32)
                    word[KEYED] = fold_product(word[KEYED] ^ word[CHUNK], secret[1])
                word[OPEN] = 0
                start_of, end_of, spelled_to = np.int64(word[START]), np.int64(word[END]), np.int64(word[SPELLED])
                key = key_of(word[KEYED], spelled_to - np.int64(word[BEGUN]))
                count = store(
                    count, word[HASH], key, start_of, end_of, spelled_to, hashes, keys, starts, ends, spelling,
                    spelling_ends,
                )  # fmt: skip
                word[SPELLED] = spelled_to + 1
            if kind and (kind != MARK or word[OPEN]):  # a mark with nothing before it is no word
                take(word, point, kind, start, stop, secret, spelling)
                if kind & 3 == LETTER:
                    has_letter = 1
        letters[text] = has_letter
    word_offsets[len(offsets) - 1] = count
    return count if count <= len(hashes) else -1 - count
