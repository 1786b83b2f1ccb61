"""Stored shingles: which stored texts can contain a fresh text, or be contained in one, at all.

A block holds every distinct shingle of its texts in one sorted array (8 bytes each), as kernels/shingle_lists says, and
why it misses nothing. It is made once for a wave; blocks are merged by their sorted arrays, without the texts.

build    word streams → a block
merge    several blocks → one, into an array that may be a mapped file
touch    marks the texts of a block that can matter to fresh ones
sound    whether arrays from a file are a block: no other ever reaches a kernel
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import BadSetting
from truecopy.index.rounds import in_batches
from truecopy.kernels import shingle_lists
from truecopy.kernels.arrays import read_only
from truecopy.kernels.contain import HITS
from truecopy.model import SHORTEST_CONTAINED
from truecopy.stopping import check
from truecopy.threads import Pool, in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

Bools = NDArray[np.bool_]
I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U16 = NDArray[np.uint16]
U32 = NDArray[np.uint32]
U64 = NDArray[np.uint64]

_MOST_TEXTS = 1 << 31
_MOST_BITS = 22
"""At most 2^22 counters (8 MB for each thread): where there are more shingles, some share one: that costs only time."""
_WORDS_AT_ONCE = 1 << 20
_BUCKET = 14
"""Entries are sorted in buckets of about 2^14, which fit a core's second cache."""
_MOST_BUCKETS = 12
"""There are at most 2^12 of them."""
_SLOT = 4
"""About 2^4 entries share a slot of the table that says where entries begin."""
_MOST_SLOTS = 28
_COPIES = 1 << 20
"""Entries of long runs that are copied at a time, and two for each text of the block: 12 MB for a million texts."""
_LARGEST = 1 << 14
"""Fresh texts in a batch, at most."""


@dataclass(frozen=True, slots=True)
class ShingleLists:
    """The shingles of some texts."""

    floor: int
    """The lowest share, in ten-thousandths, that texts are listed for."""
    entries: U64
    """Tag, whether the text is not listed under it, and text of every distinct shingle of every text; ascending."""
    sizes: I32
    """Distinct shingles of each text."""
    starts: I64
    """Where the entries with each value of the tag's first bits begin; a power of two of them, and where all end."""

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def slot_bits(self) -> int:
        """How many bits of a tag choose its slot."""
        return (len(self.starts) - 1).bit_length() - 1

    @property
    def nbytes(self) -> int:
        """Bytes that the arrays take."""
        return self.entries.nbytes + self.sizes.nbytes + self.starts.nbytes


@dataclass(frozen=True, slots=True)
class Examined:
    """What finding the touched texts took."""

    read: int
    """Entries that were read."""
    met: int
    """Pairs of a fresh text and a stored one that shared one of the shingles that count."""


def build(words: U32, offsets: I64, keys: U64, floor: float, threads: int) -> ShingleLists:
    """The block of some texts; `keys` has a value for each word number, the same for all blocks that are asked.

    Texts are listed for the floor, a percentage, and everything above it.
    """
    least, texts = ten_thousandths(floor, "floor"), len(offsets) - 1
    _check_texts(texts)
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    sizes = np.zeros(texts, np.int32)
    parts, in_buckets = _entries(words, offsets, keys, least, sizes, threads)
    bucket_bits = in_buckets.shape[1].bit_length() - 1
    # Bucket by bucket, and in each the texts in their order: sorting keeps it.
    buckets = np.concatenate([np.zeros(1, np.int64), np.cumsum(in_buckets.sum(0))])
    places = np.cumsum(in_buckets, axis=0) - in_buckets + buckets[:-1]
    entries = np.empty(int(buckets[-1]), np.uint64)

    def scatter(part: int) -> None:
        shingle_lists.scatter_entries(read_only(parts[part]), bucket_bits, places[part], entries)
        parts[part] = parts[part][:0]

    with Pool(max(threads, 1)) as pool:
        list(pool.map(scatter, range(len(parts))))
    return ShingleLists(least, entries, sizes, _sorted(entries, buckets, bucket_bits, threads))


def merge(blocks: Sequence[ShingleLists], threads: int, room: U64 | None = None) -> ShingleLists:
    """One block over the texts of several, one block's after the other's.

    Entries are written into `room`, if it is given (an array of as many, which may be a mapped file), a bucket at a
    time. All blocks must be made for one floor, and with the same keys.
    """
    if not blocks or len({block.floor for block in blocks}) > 1:
        raise BadSetting(
            "Blocks of different floors were given, or none.", "Merge blocks that were made for one floor."
        )
    firsts = list(itertools.accumulate((len(block) for block in blocks), initial=0))
    _check_texts(firsts[-1])
    total = sum(len(block.entries) for block in blocks)
    entries = np.empty(total, np.uint64) if room is None else room
    if entries.shape != (total,) or entries.dtype != np.uint64:
        raise BadSetting(
            f"Room for {total:,} entries is needed, but another array was given.", "Give one of that size."
        )
    bucket_bits = _bucket_bits(total)
    edges = np.arange(1, 1 << bucket_bits, dtype=np.uint64) << np.uint64(64 - max(bucket_bits, 1))
    cuts = np.array([[0, *np.searchsorted(block.entries, edges), len(block.entries)] for block in blocks], np.int64)
    buckets = cuts.sum(0)

    def fill(first: int, last: int) -> None:
        for bucket in range(first, last):
            place = int(buckets[bucket])
            for block, text, cut in zip(blocks, firsts, cuts, strict=False):
                part = block.entries[cut[bucket] : cut[bucket + 1]]
                np.add(part, np.uint64(text), out=entries[place : place + len(part)])
                place += len(part)

    starts = _sorted(entries, buckets, bucket_bits, threads, fill)
    return ShingleLists(blocks[0].floor, entries, np.concatenate([block.sizes for block in blocks]), starts)


def touch(
    block: ShingleLists, words: U32, offsets: I64, keys: U64, floor: float, known: Bools, threads: int
) -> Examined:
    """Mark in `known` every text of the block that may contain a fresh text at the floor, or be contained in one.

    `known` has a mark for each text of the block; those that are marked already are passed over. `keys` are those that
    the block was made with.
    """
    least = ten_thousandths(floor, "floor")
    if least < block.floor:
        said = f"The floor is {floor:g}, but what is stored was listed for {block.floor / 10_000:g} and above."
        raise BadSetting(said, "Ask for a higher floor, or build the block again for this one.")
    if known.shape != (len(block),) or known.dtype != np.bool_:
        raise BadSetting("What is known was not given as a mark for each text of the block.", "Give as many as it has.")
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    lengths = np.diff(offsets)
    given = (words, offsets, keys, read_only(block.entries), read_only(block.starts), read_only(block.sizes))
    losses = (block.slot_bits, WHOLE - block.floor, WHOLE - least, WHOLE, SHORTEST_CONTAINED)
    copies = _COPIES + 2 * len(block)
    examined = np.zeros(2, np.int64)
    # A text of fewer words has fewer shingles.
    for batch in in_batches(lengths, np.flatnonzero(lengths >= SHORTEST_CONTAINED + 2), _LARGEST):
        which = read_only(batch)

        def some(first: int, last: int, which: I64 = which) -> tuple[int, int, int]:
            return shingle_lists.touch_by_shingles(*given, *losses, copies, which, first, last, known)

        if known.all():
            break
        for found in in_pieces(some, lengths[batch], threads):
            examined += found[:2]
    return Examined(int(examined[0]), int(examined[1]))


def sound(block: ShingleLists, texts: int) -> bool:
    """Whether everything that kernels rely on holds of arrays that were read, for so many texts."""
    entries, sizes, starts = block.entries, block.sizes, block.starts
    forms = ((entries, np.uint64), (sizes, np.int32), (starts, np.int64))
    if any(not isinstance(array, np.ndarray) or array.dtype != of or array.ndim != 1 for array, of in forms):
        return False
    if not 0 < block.floor <= WHOLE or len(sizes) != texts or texts >= _MOST_TEXTS or (texts and int(sizes.min()) < 0):
        return False
    slots = len(starts) - 1
    if slots < 1 or slots & (slots - 1) or slots > 1 << _MOST_SLOTS:
        return False
    if starts[0] != 0 or starts[-1] != len(entries) or bool((starts[1:] < starts[:-1]).any()):
        return False
    counted = sizes.astype(np.int64)
    listed = np.where(
        counted >= SHORTEST_CONTAINED,
        np.minimum(counted, counted * (WHOLE - block.floor) // WHOLE + 1 + counted // HITS),
        0,
    )
    if not shingle_lists.check_entries(read_only(entries), counted, listed):
        return False
    edges = (
        np.arange(slots, dtype=np.uint64) << np.uint64(64 - block.slot_bits) if slots > 1 else np.zeros(1, np.uint64)
    )
    return bool(np.array_equal(np.searchsorted(entries, edges), starts[:-1]))


def _check_texts(texts: int) -> None:
    if texts >= _MOST_TEXTS:
        raise BadSetting(f"{texts:,} texts do not fit into one block.", "Add the texts in several parts.")


def _ranges(offsets: I64, parts: int) -> list[tuple[int, int]]:
    """Texts from, to: about as many words in each."""
    cuts = np.searchsorted(offsets, np.linspace(0, int(offsets[-1]), parts + 1)[1:-1]).clip(0, len(offsets) - 1)
    return list(itertools.pairwise([0, *cuts.tolist(), len(offsets) - 1]))


def _entries(
    words: U32, offsets: I64, keys: U64, least: int, sizes: I32, threads: int
) -> tuple[list[U64], NDArray[np.int64]]:
    """The entries of ranges of texts, in the order of the texts; and how many of each range are in each bucket."""
    bits = min(_MOST_BITS, max(10, len(words).bit_length() - 1))
    tags = np.empty(len(words), np.uint32)
    counts = _count(words, offsets, keys, bits, tags, sizes, threads)
    ranges = _ranges(offsets, max(1, -(-len(words) // _WORDS_AT_ONCE)))
    bucket_bits = _bucket_bits(int(sizes.sum(dtype=np.int64)))
    in_buckets = np.zeros((len(ranges), 1 << bucket_bits), np.int64)
    given = (read_only(tags), offsets, read_only(sizes), read_only(counts), bits, WHOLE - least, WHOLE)

    def make(part: int) -> U64:
        first, last = ranges[part]
        made = np.empty(int(sizes[first:last].sum(dtype=np.int64)), np.uint64)
        shingle_lists.make_entries(*given, SHORTEST_CONTAINED, first, last, made, bucket_bits, in_buckets[part])
        return made

    with Pool(max(threads, 1)) as pool:
        return list(pool.map(make, range(len(ranges)))), in_buckets


def _count(words: U32, offsets: I64, keys: U64, bits: int, tags: U32, sizes: I32, threads: int) -> U16:
    """The tags and sizes of texts, and in how many texts those with each value of their first bits are.

    Each thread counts some of the texts. A sum that stops at a limit does not depend on how they are split.
    """
    parts = _ranges(offsets, max(threads, 1))

    def count(first: int, last: int) -> U16:
        counts = np.zeros(1 << bits, np.uint16)
        own = offsets[first : last + 1] - offsets[first]
        for some in _ranges(own, max(1, -(-int(own[-1]) // _WORDS_AT_ONCE))):
            check()
            shingle_lists.count_tags(words, offsets, keys, first + some[0], first + some[1], bits, tags, sizes, counts)
        return counts

    with Pool(len(parts)) as pool:
        total, *others = pool.map(count, *zip(*parts, strict=True))
    for counts in others:
        np.minimum(total, shingle_lists.MANY - counts, out=total)
        total += counts
    return total


def _bucket_bits(entries: int) -> int:
    return min(max(entries.bit_length() - _BUCKET, 0), _MOST_BUCKETS)


def _sorted(entries: U64, buckets: I64, bucket_bits: int, threads: int, fill: Any = None) -> I64:
    """Sort entries that are in their buckets, or that `fill` puts there; returns where each slot begins."""
    slot_bits = min(max(len(entries).bit_length() - _SLOT, bucket_bits), _MOST_SLOTS)
    starts, buckets = np.zeros((1 << slot_bits) + 1, np.int64), read_only(buckets)

    def sort(first: int, last: int) -> None:
        if fill is not None:
            fill(first, last)
        shingle_lists.sort_buckets(entries, buckets, bucket_bits, first, last, slot_bits, starts)

    in_pieces(sort, np.diff(buckets) + 64, threads)
    np.cumsum(starts, out=starts)
    return starts
