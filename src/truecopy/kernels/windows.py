"""Byte windows → fingerprints → the signatures mod, min, sketch and bsw (docs/reference/signatures.md).

Fingerprints are made a block of windows at a time, from the bytes of the block alone. `fast`: a running sum of the
bytes, each times a power of G's inverse, gives every window of a block by one difference and one product, in loops
that become vector instructions. `rabin`: two halves of a block roll side by side, because each step of one waits for
a table.

`tables` holds for fast: the constant that a whole window has, then `block` powers of G, then powers of G's inverse;
for rabin: what a byte adds, and what a byte that leaves has added, 256 each. Sets are sorted here, so that no entry
ever becomes a Python object.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from truecopy.kernels.jit import kernel, part, rare_part
from truecopy.kernels.mix import mix
from truecopy.kernels.ngrams import GOLDEN, bytes_hash, further

Array = Any
ALL = 0xFFFFFFFFFFFFFFFF
LOW = 0xFFFFFFFF
TRIES = 64
"""How many places an empty one asks before it takes the next full one."""
_CROWD = 32
_FEW = 24
_WIDE = 32


@part
def _fast(data: Array, at: int, many: int, window: int, tables: Array, block: int, sums: Array, out: Array) -> None:
    """Fingerprints of the `many` windows from `at` on."""
    powers = tables[1 : 1 + block]
    inverse = tables[1 + block :]
    letters = data[at : at + many + window - 1]
    total = np.uint64(0)
    sums[0] = total
    upto = sums[1:]
    for i in range(len(letters)):
        total += np.uint64(letters[i]) * inverse[i]
        upto[i] = total
    behind = sums[window : window + many]
    for i in range(many):
        out[i] = mix((behind[i] - sums[i]) * powers[i] + tables[0])


@part
def _rabin(data: Array, at: int, many: int, window: int, tables: Array, out: Array) -> None:
    """The same by Rabin's polynomial; the windows' second half begins at `middle`."""
    adds, leaves = tables[:256], tables[256:]
    middle = many - many // 2
    first, second = np.uint64(0), np.uint64(0)
    early = data[at : at + window]
    late = data[at + many // 2 : at + many // 2 + window]
    for i in range(window):
        first = (first << np.uint64(8)) ^ adds[(first >> np.uint64(56)) ^ np.uint64(early[i])]
        second = (second << np.uint64(8)) ^ adds[(second >> np.uint64(56)) ^ np.uint64(late[i])]
    # The second half is as long as the first: with an odd number, they share the window in the middle.
    out[0], out[many // 2] = first, second
    come, go, here = data[at + window :], data[at:], out[1:]
    come_late, go_late, there = come[many // 2 :], go[many // 2 :], here[many // 2 :]
    for i in range(middle - 1):
        step = adds[come[i]] ^ leaves[go[i]]
        first = ((first << np.uint64(8)) ^ step) ^ adds[first >> np.uint64(56)]
        here[i] = first
        step = adds[come_late[i]] ^ leaves[go_late[i]]
        second = ((second << np.uint64(8)) ^ step) ^ adds[second >> np.uint64(56)]
        there[i] = second


@part
def _fingerprints(
    data: Array, at: int, many: int, window: int, rabin: bool, tables: Array, sums: Array, out: Array
) -> None:
    if rabin:
        _rabin(data, at, many, window, tables, out)
    else:
        _fast(data, at, many, window, tables, len(out), sums, out)


@part
def _next_block(
    data: Array, at: int, end: int, window: int, rabin: bool, tables: Array, sums: Array, out: Array
) -> int:
    """Fingerprints of the windows from `at` on, as many as `out` has room for; a shorter text is one window."""
    if end - at >= window:
        many = min(end - at - window + 1, len(out))
        _fingerprints(data, at, many, window, rabin, tables, sums, out)
        return many
    value = np.uint64(0)
    for i in range(at, end):
        byte = np.uint64(data[i])
        if rabin:
            value = (value << np.uint64(8)) ^ tables[(value >> np.uint64(56)) ^ byte]
        else:
            value = value * np.uint64(GOLDEN) + byte + np.uint64(1)
    out[0] = value if rabin else mix(value)
    return 1


@part
def _windows(begin: int, end: int, window: int) -> int:
    """How many windows a text has."""
    return 0 if end == begin else max(end - begin - window + 1, 1)


@part
def _turned(value: np.uint64, turn: np.uint64) -> np.uint64:
    """Rotated to the right by 0 to 63 bits."""
    return (value >> turn) | (value << ((np.uint64(64) - turn) & np.uint64(63)))


@rare_part
def _by_digit(values: Array, shift: np.uint64, counts: Array, out: Array) -> None:
    """Copy values, sorted by eight of their bits, stably."""
    for i in range(257):
        counts[i] = 0
    for i in range(len(values)):
        counts[((values[i] >> shift) & np.uint64(255)) + np.uint64(1)] += 1
    for i in range(256):
        counts[i + 1] += counts[i]
    for i in range(len(values)):
        digit = (values[i] >> shift) & np.uint64(255)
        out[counts[digit]] = values[i]
        counts[digit] += 1


@rare_part
def _crowded(values: Array, shift: np.uint64) -> bool:
    """Whether many values, sorted by their bits from `shift` on, agree in them."""
    for i in range(_CROWD, len(values)):
        if values[i] >> shift == values[i - _CROWD] >> shift:
            return True
    return False


@rare_part
def _insert(values: Array) -> None:
    """Sort few values, or values that are almost in order."""
    for i in range(1, len(values)):
        value = values[i]
        place = i
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@rare_part
def _as_set(values: Array, spare: Array, counts: Array) -> int:
    """Sort values and drop repeated ones; returns how many are left."""
    size = len(values)
    if size > _FEW:
        most, shift = np.uint64(0), np.uint64(0)
        for i in range(size):
            most = max(most, values[i])
        while most >> shift > np.uint64(0xFFFF):
            shift += np.uint64(1)
        # The highest 16 bits tell almost all hashes apart; where they do not, all bits are sorted.
        _by_digit(values, shift, counts, spare)
        _by_digit(spare[:size], shift + np.uint64(8), counts, values)
        if _crowded(values, shift):
            for step in range(0, 64, 16):
                _by_digit(values, np.uint64(step), counts, spare)
                _by_digit(spare[:size], np.uint64(step + 8), counts, values)
    _insert(values)
    left = min(size, 1)
    for i in range(1, size):
        values[left] = values[i]
        left += np.int64(values[i] != values[left - 1])
    return left


@part
def _divisible(prints: Array, divisor: Array, out: Array) -> int:
    """Copy the fingerprints that n divides.

    n = odd · 2^turn divides F exactly where F times odd's inverse, rotated by `turn`, is at most (2^64 - 1) / n.
    """
    inverse, turn, limit = divisor[0], divisor[1], divisor[2]
    found = 0
    if limit >> np.uint64(60):
        # Where n is small, it divides too often for the processor to guess when.
        for i in range(len(prints)):
            out[found] = prints[i]
            found += np.int64(_turned(prints[i] * inverse, turn) <= limit)
        return found
    for i in range(len(prints)):
        if _turned(prints[i] * inverse, turn) <= limit:
            out[found] = prints[i]
            found += 1
    return found


@kernel
def mod_sets(
    data: Array,
    offsets: Array,
    first: int,
    window: int,
    rabin: bool,
    tables: Array,
    block: int,
    divisor: Array,
    out: Array,
    spare: Array,
    ends: Array,
) -> int:
    """The fingerprints that n divides, of the texts from `first` on.

    `ends` holds where each text's entries end in `out`. Returns the number of the first text that did not fit.
    """
    prints, sums = np.empty(block, np.uint64), np.empty(block + window, np.uint64)
    counts = np.empty(257, np.int64)
    begun = ends[first]
    for text in range(first, len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        left, size = _windows(at, end, window), begun
        while left > 0:
            if size + block > len(out):
                size = begun + _as_set(out[begun:size], spare, counts)
                if 2 * (size + block) > len(out):
                    return text
            many = _next_block(data, at, end, window, rabin, tables, sums, prints)
            size += _divisible(prints[:many], divisor, out[size:])
            at += many
            left -= many
        begun += _as_set(out[begun:size], spare, counts)
        ends[text + 1] = begun
    return len(offsets) - 1


@part
def _boundaries(prints: Array, divisor: Array, marks: Array) -> int:
    """Note which fingerprints n divides; returns how many."""
    inverse, turn, limit = divisor[0], divisor[1], divisor[2]
    found = 0
    for i in range(len(prints)):
        if _turned(prints[i] * inverse, turn) <= limit:
            marks[found] = i
            found += 1
    return found


@part
def _least(prints: Array, least: np.uint64) -> np.uint64:
    """The smallest of some fingerprints and one more."""
    for i in range(len(prints)):
        least = min(least, prints[i])
    return least


@part
def _smallest_of_chunks(prints: Array, marks: Array, smallest: np.uint64, out: Array) -> np.uint64:
    """The smallest fingerprint of each chunk that ends at a mark; returns the one of the chunk that is still open."""
    start = 0
    for i in range(len(marks)):
        out[i] = _least(prints[start : marks[i] + 1], smallest)
        start, smallest = marks[i] + 1, np.uint64(ALL)
    return _least(prints[start:], smallest)


@part
def _whole_chunks(data: Array, chunk: int, behind: int, end: int, marks: Array, out: Array) -> int:
    """The hash of each chunk that ends with a marked window; the first window ends at `behind`, or with the text."""
    for i in range(len(marks)):
        stop = min(behind + marks[i], end)
        out[i] = bytes_hash(data, chunk, stop)
        chunk = stop
    return chunk


@kernel
def bsw_sets(
    data: Array,
    offsets: Array,
    first: int,
    window: int,
    rabin: bool,
    tables: Array,
    block: int,
    divisor: Array,
    whole: bool,
    out: Array,
    spare: Array,
    ends: Array,
) -> int:
    """The smallest fingerprint of each chunk, or the hash of its bytes; else as `mod_sets`."""
    prints, sums = np.empty(block, np.uint64), np.empty(block + window, np.uint64)
    counts = np.empty(257, np.int64)
    marks = np.empty(block, np.int64)
    begun = ends[first]
    for text in range(first, len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        left, size = _windows(at, end, window), begun
        chunk, smallest, open_chunk = at, np.uint64(ALL), False
        while left > 0:
            if size + block + 1 > len(out):
                size = begun + _as_set(out[begun:size], spare, counts)
                if 2 * (size + block + 1) > len(out):
                    return text
            many = _next_block(data, at, end, window, rabin, tables, sums, prints)
            found = _boundaries(prints[:many], divisor, marks)
            size += found
            if whole:
                chunk = _whole_chunks(data, chunk, at + window, end, marks[:found], out[size - found :])
            else:
                smallest = _smallest_of_chunks(prints[:many], marks[:found], smallest, out[size - found :])
            open_chunk = found == 0 or marks[found - 1] < many - 1
            at += many
            left -= many
        if open_chunk:
            out[size] = bytes_hash(data, chunk, end) if whole else smallest
            size += 1
        begun += _as_set(out[begun:size], spare, counts)
        ends[text + 1] = begun
    return len(offsets) - 1


@part
def _smallest(prints: Array, most: np.uint64, out: Array) -> int:
    """Copy the fingerprints up to `most`."""
    found = 0
    for i in range(len(prints)):
        if prints[i] <= most:
            out[found] = prints[i]
            found += 1
    return found


@kernel
def min_sets(
    data: Array,
    offsets: Array,
    window: int,
    rabin: bool,
    tables: Array,
    block: int,
    n: int,
    out: Array,
    ends: Array,
) -> None:
    """The n smallest fingerprints of each text; `out` has room for all."""
    prints, sums = np.empty(block, np.uint64), np.empty(block + window, np.uint64)
    kept, spare = np.empty(2 * n + 2 * block, np.uint64), np.empty(2 * n + 2 * block, np.uint64)
    counts = np.empty(257, np.int64)
    for text in range(len(offsets) - 1):
        begin, end = offsets[text], offsets[text + 1]
        windows, size = _windows(begin, end, window), 0
        # A guess at the n-th smallest that is too great even if half of all windows have occurred before, as they may
        # in legal texts. If it is too small after all, the text is read again with a greater one.
        share = (2.0 * n + 4.0 * np.sqrt(n) + 16.0) / max(windows, 1)
        guess = np.uint64(share * 2.0**64) if share < 0.9 else np.uint64(ALL)
        while True:
            most, at, left, size = guess, begin, windows, 0
            while left > 0:
                if size + block > len(kept):
                    size = _as_set(kept[:size], spare, counts)
                    if size >= n:
                        size = n
                        most = kept[n - 1]
                many = _next_block(data, at, end, window, rabin, tables, sums, prints)
                size += _smallest(prints[:many], most, kept[size:])
                at += many
                left -= many
            size = min(_as_set(kept[:size], spare, counts), n)
            if size == n or guess == np.uint64(ALL):
                break
            guess = guess << np.uint64(3) if guess >> np.uint64(60) == np.uint64(0) else np.uint64(ALL)
        for i in range(size):
            out[ends[text] + i] = kept[i]
        ends[text + 1] = ends[text] + size


@part
def _densify(places: Array, full: Array) -> None:
    """Fill empty places from full ones, the same way for every text; an empty place holds 2^32."""
    n = np.uint64(len(places))
    last = -1
    for place in range(len(places)):
        if places[place] <= np.uint64(LOW):
            last = place if last < 0 else last
    # The next full place from each on, in a circle.
    for place in range(len(places) - 1, -1, -1):
        if places[place] <= np.uint64(LOW):
            last = place
        full[place] = last
    for place in range(len(places)):
        if full[place] == place:
            continue
        source = full[place]
        for attempt in range(1, TRIES + 1):
            asked = ((further(np.uint64(place), np.uint64(attempt)) >> np.uint64(32)) * n) >> np.uint64(32)
            if full[asked] == np.int64(asked):
                source = np.int64(asked)
                break
        places[place] = places[source]


@kernel
def one_permutation(
    data: Array, offsets: Array, window: int, rabin: bool, tables: Array, block: int, out: Array
) -> None:
    """Sketches by one permutation, densified."""
    prints, sums = np.empty(block, np.uint64), np.empty(block + window, np.uint64)
    n = np.uint64(out.shape[1])
    places, full = np.empty(out.shape[1], np.uint64), np.empty(out.shape[1], np.int64)
    for text in range(len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        left = _windows(at, end, window)
        if left == 0:
            out[text] = np.uint32(LOW)
            continue
        places[:] = np.uint64(LOW) + np.uint64(1)
        while left > 0:
            many = _next_block(data, at, end, window, rabin, tables, sums, prints)
            for i in range(many):
                place = ((prints[i] >> np.uint64(32)) * n) >> np.uint64(32)
                low = prints[i] & np.uint64(LOW)
                if low < places[place]:
                    places[place] = low
            at += many
            left -= many
        _densify(places, full)
        for i in range(len(places)):
            out[text, i] = np.uint32(places[i])


@kernel
def n_hashes(
    data: Array,
    offsets: Array,
    window: int,
    rabin: bool,
    tables: Array,
    block: int,
    others: Array,
    factors: Array,
    out: Array,
) -> None:
    """Sketches by n hashes of every window: a block of windows for one place after the other."""
    prints, sums = np.empty(block, np.uint64), np.empty(block + window, np.uint64)
    values = np.empty(block + _WIDE, np.uint32)
    for text in range(len(offsets) - 1):
        at, end = offsets[text], offsets[text + 1]
        left = _windows(at, end, window)
        row = out[text]
        row[:] = np.uint32(LOW)
        while left > 0:
            many = _next_block(data, at, end, window, rabin, tables, sums, prints)
            for i in range(many):
                values[i] = np.uint32(mix(prints[i]) >> np.uint64(32))
            # Repeat the last one: a loop over a multiple of _WIDE has no slow rest, and the smallest value stays.
            values[many : many + _WIDE] = values[many - 1]
            some = values[: (many + _WIDE - 1) // _WIDE * _WIDE]
            for place in range(len(row)):
                other, factor, least = others[place], factors[place], row[place]
                for i in range(len(some)):
                    least = min(least, np.uint32(np.uint32(some[i] ^ other) * factor))
                row[place] = least
            at += many
            left -= many


@kernel
def set_overlaps(
    a: Array, a_offsets: Array, b: Array, b_offsets: Array, limit: int, shared: Array, either: Array
) -> None:
    """For each pair of sets, the `limit` smallest entries of their union: how many are in both, how many there are."""
    for i in range(len(a_offsets) - 1):
        for j in range(len(b_offsets) - 1):
            x, x_end, y, y_end = a_offsets[i], a_offsets[i + 1], b_offsets[j], b_offsets[j + 1]
            seen, both = 0, 0
            while x < x_end and y < y_end and seen < limit:
                from_a, from_b = a[x], b[y]
                x += np.int64(from_a <= from_b)
                y += np.int64(from_b <= from_a)
                both += np.int64(from_a == from_b)
                seen += 1
            shared[i, j] = both
            either[i, j] = min(seen + (x_end - x) + (y_end - y), limit)
