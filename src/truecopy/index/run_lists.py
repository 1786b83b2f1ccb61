"""Stored runs of words: what `touched_runs` asks which stored texts can be paired with a fresh one at all.

A block holds every distinct word and shingle of its texts in one sorted array (8 bytes each; kernels/run_lists). It is
made once for a wave; blocks are merged by their sorted arrays, without texts.

build_lists    word streams → a block
gather         word streams → what becomes a block, or a part of one, when it is merged: out of memory, not sorted yet
merge_lists    several blocks → one; `Merging` makes its entries some at a time
sound          whether arrays from a file are a block: no other ever reaches a kernel
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from truecopy.array_types import I32, I64, U16, U32, U64
from truecopy.errors import BadSetting
from truecopy.kernels import run_lists
from truecopy.kernels.arrays import read_only
from truecopy.kernels.contain import HITS
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED
from truecopy.stopping import check
from truecopy.streamed import Sliceable
from truecopy.threads import Pool, in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

Entries = Sliceable[np.uint64]
K = TypeVar("K")

_MOST_BITS = 22
"""At most 2^22 counters (8 MB for each thread): where there are more runs, some share one: that costs only time."""
_WORDS_AT_ONCE = 1 << 18
_BUCKET = 14
"""Entries are sorted in buckets of about 2^14, which fit a core's second cache."""
_MOST_BUCKETS = 12
"""There are at most 2^12 of them."""
_MOST_PARTS = 128
"""Parts that are gathered: more would be read in too small pieces."""
_SLOT = 3
"""About 2^3 entries share a slot of the table that says where entries begin."""
_MOST_SLOTS = 28
_MERGED_AT_ONCE = 1 << 22
"""Entries that are in memory at a time while blocks are merged, as a rule (32 MB)."""
PRICES: I64 = np.unique((2 * np.geomspace(0.5, 1 << 21, 48)).astype(np.int64) | 1)
"""What a piece may cost, twice; a step of a third is near enough."""


@dataclass(frozen=True, slots=True)
class RunLists:
    """The runs of some texts."""

    contains: int
    """The lowest share, in ten-thousandths, that texts are listed for."""
    similar: int
    """The same for `similar`."""
    entries: U64
    """Tag, what the text is listed for, and text of every distinct word and shingle of every text; ascending."""
    sizes: I32
    """Distinct shingles of each text."""
    lengths: I32
    """Words of each text."""
    pieces: I32
    """Pieces that each text is listed under for `similar`."""
    runs: I32
    """Entries of each text."""
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
        return sum(getattr(self, name).nbytes for name in ARRAYS)

    def cuts(self, bucket_bits: int) -> I64:
        """Where the entries of each bucket begin, and where all end."""
        if bucket_bits <= self.slot_bits:  # without a look at the entries, which would bring them into memory
            return self.starts[:: 1 << (self.slot_bits - bucket_bits)]
        edges = np.arange(1, 1 << bucket_bits, dtype=np.uint64) << np.uint64(64 - bucket_bits)
        return np.array([0, *np.searchsorted(self.entries, edges), len(self.entries)], np.int64)

    def parts(self, bucket_bits: int) -> list[tuple[Entries, I64]]:
        """Its entries, and where those of each bucket begin."""
        return [(self.entries, self.cuts(bucket_bits))]

    @property
    def total(self) -> int:
        """How many entries there are."""
        return len(self.entries)


@dataclass(frozen=True, slots=True)
class Gathered:
    """The runs of some texts before they are sorted, which they are when they are merged."""

    contains: int
    similar: int
    """As of `RunLists`; so are the arrays of texts."""
    kept: Sequence[Entries]
    """The entries of ranges of texts; of each range bucket by bucket, and in each bucket in the order of the texts."""
    in_buckets: I64
    """How many of each range are in each of 2^12 buckets."""
    sizes: I32
    lengths: I32
    pieces: I32
    runs: I32

    def __len__(self) -> int:
        return len(self.sizes)

    def parts(self, bucket_bits: int) -> list[tuple[Entries, I64]]:
        """The entries of each range, and where those of each bucket begin."""
        counts = self.in_buckets.reshape(len(self.kept), 1 << bucket_bits, -1).sum(2)
        return [(kept, _begins(own)) for kept, own in zip(self.kept, counts, strict=True)]

    @property
    def total(self) -> int:
        """How many entries there are."""
        return int(self.in_buckets.sum())


ARRAYS = ("entries", "sizes", "lengths", "pieces", "runs", "starts")


def build_lists(
    words: U32,
    offsets: I64,
    keys: U64,
    contains: float,
    similar: float,
    threads: int,
    counts: U16 | None = None,
) -> RunLists:
    """The block of some texts; `keys` has a value for each word number, the same for all blocks that are asked.

    Texts are listed for two floors, percentages, and everything above them. `counts` says which runs are rare; it is
    made of these texts if it is left out, and given where they are a part of more texts: parts whose counts are those
    of all become, merged, the block of all.
    """
    floors, texts = (ten_thousandths(contains, "floor"), ten_thousandths(similar, "floor")), len(offsets) - 1
    _check_texts(texts)
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    text_sizes = tuple(np.zeros(texts, np.int32) for _ in range(3))
    counts = count_runs(words, offsets, keys, threads) if counts is None else counts
    ranges, bucket_bits = word_ranges(offsets, max(1, -(-len(words) // _WORDS_AT_ONCE))), _bucket_bits(2 * len(words))
    texts_given = (words, offsets, keys)
    parts, in_buckets = _entries(
        texts_given, floors, text_sizes, counts, ranges, bucket_bits, threads, lambda made, _: made.copy()
    )
    # Bucket by bucket, and in each the texts in their order: sorting keeps it.
    buckets = _begins(in_buckets.sum(0))
    places = np.cumsum(in_buckets, axis=0) - in_buckets + buckets[:-1]
    entries = np.empty(int(buckets[-1]), np.uint64)

    def scatter(part: int) -> None:
        run_lists.scatter_entries(read_only(parts[part]), bucket_bits, places[part], entries)
        parts[part] = np.empty(0, np.uint64)  # nothing is in memory twice for long

    with Pool(max(threads, 1)) as pool:
        list(pool.map(scatter, range(len(parts))))
    sizes, pieces, runs = text_sizes
    lengths = np.diff(offsets).astype(np.int32)
    return RunLists(*floors, entries, sizes, lengths, pieces, runs, _sorted(entries, buckets, bucket_bits, threads))


def gather(
    words: U32,
    offsets: I64,
    keys: U64,
    contains: float,
    similar: float,
    threads: int,
    keep: Callable[[U64], Entries],
) -> Gathered:
    """The runs of more texts than should be in memory with all their runs; `keep` takes entries out of it.

    Merged, they are the block that `build_lists` makes.
    """
    floors, texts = (ten_thousandths(contains, "floor"), ten_thousandths(similar, "floor")), len(offsets) - 1
    _check_texts(texts)
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    text_sizes = tuple(np.zeros(texts, np.int32) for _ in range(3))
    counts = count_runs(words, offsets, keys, threads)
    ranges = word_ranges(offsets, min(max(1, -(-len(words) // _WORDS_AT_ONCE)), _MOST_PARTS))

    def put(made: U64, in_buckets: I64) -> Entries:
        out = np.empty(len(made), np.uint64)
        run_lists.scatter_entries(read_only(made), _MOST_BUCKETS, _begins(in_buckets)[:-1], out)
        return keep(out)

    kept, in_buckets = _entries((words, offsets, keys), floors, text_sizes, counts, ranges, _MOST_BUCKETS, threads, put)
    sizes, pieces, runs = text_sizes
    return Gathered(*floors, kept, in_buckets, sizes, np.diff(offsets).astype(np.int32), pieces, runs)


def merge_lists(blocks: Sequence[RunLists], threads: int) -> RunLists:
    """One block over the texts of several, one block's after the other's; in memory."""
    merging = Merging.of(blocks, threads)
    entries, place = np.empty(merging.total, np.uint64), 0
    for piece in merging.entries():
        entries[place : place + len(piece)] = piece
        place += len(piece)
    of_texts = merging.of_texts()
    return RunLists(blocks[0].contains, blocks[0].similar, entries, **of_texts, starts=merging.starts())


@dataclass(frozen=True, slots=True)
class Merging:
    """Several blocks that become one, whose entries are made some buckets at a time, and never all in memory."""

    blocks: Sequence[RunLists | Gathered]
    parts: list[tuple[Entries, int]]
    """Their entries, and the first text of the block in the merged one."""
    cuts: I64
    """Of each part, where the entries of each bucket begin."""
    threads: int
    counted: I64
    """How many entries each slot has, one place later, as far as entries were made; then where each begins."""

    @classmethod
    def of(cls, blocks: Sequence[RunLists | Gathered], threads: int) -> Merging:
        """All blocks must be made for the same floors, and with the same keys."""
        if not blocks or len({(block.contains, block.similar) for block in blocks}) > 1:
            raise BadSetting(
                "Blocks of different floors were given, or none.", "Merge blocks that were made for the same floors."
            )
        firsts = list(itertools.accumulate((len(block) for block in blocks), initial=0))
        _check_texts(firsts[-1])
        total = sum(block.total for block in blocks)
        bucket_bits = _bucket_bits(total)
        parts = [
            (kept, first, cuts)
            for block, first in zip(blocks, firsts, strict=False)
            for kept, cuts in block.parts(bucket_bits)
        ]
        cuts = np.array([own for _, _, own in parts], np.int64)
        slots = np.zeros((1 << _slot_bits(total, bucket_bits)) + 1, np.int64)
        return cls(blocks, [(kept, first) for kept, first, _ in parts], cuts, threads, slots)

    @property
    def total(self) -> int:
        """How many entries there are."""
        return int(self.cuts[:, -1].sum())

    @property
    def slots(self) -> int:
        """How many places `starts` has."""
        return len(self.counted)

    def entries(self) -> Iterator[U64]:
        """The entries, sorted; an array may be used again for those that follow."""
        buckets = self.cuts.sum(0)
        count = len(buckets) - 1
        wanted = np.arange(_MERGED_AT_ONCE, self.total, _MERGED_AT_ONCE)
        edges = np.unique([0, *np.searchsorted(buckets, wanted).tolist(), count]) if count else np.zeros(1, np.int64)
        room = np.empty(int(np.diff(buckets[edges]).max(initial=0)), np.uint64)
        bucket_bits, slot_bits = count.bit_length() - 1, (self.slots - 1).bit_length() - 1
        for first, last in itertools.pairwise(edges.tolist()):
            check()
            here = room[: int(buckets[last] - buckets[first])]
            places = buckets[first : last + 1] - buckets[first]

            def make(begin: int, end: int, first: int = first, here: U64 = here, places: I64 = places) -> None:
                self._fill(first + begin, first + end, here, places[begin:end].copy())
                run_lists.sort_buckets(here, read_only(places), bucket_bits, begin, end, slot_bits, self.counted)

            in_pieces(make, np.diff(places) + 64, self.threads)
            yield here

    def _fill(self, first: int, last: int, out: U64, places: I64) -> None:
        """Put the entries of some buckets where they are sorted: in the order of their texts."""
        for (kept, text), every in zip(self.parts, self.cuts, strict=True):
            cuts = every[first : last + 1]
            some = kept[int(cuts[0]) : int(cuts[-1])]
            run_lists.gather_entries(read_only(some), read_only(cuts), text, places, out)

    def starts(self) -> I64:
        """Where each slot begins, once all entries were made."""
        return np.cumsum(self.counted)

    def of_texts(self) -> dict[str, I32]:
        """What is told of each text."""
        return {name: np.concatenate([getattr(block, name) for block in self.blocks]) for name in ARRAYS[1:-1]}


def sound(block: RunLists, texts: int) -> bool:
    """Whether everything that kernels rely on holds of arrays that were read, for so many texts."""
    forms = {"entries": np.uint64, "starts": np.int64} | dict.fromkeys(ARRAYS[1:-1], np.int32)
    arrays = {name: getattr(block, name) for name in ARRAYS}
    if any(
        not isinstance(one, np.ndarray) or one.dtype != forms[name] or one.ndim != 1 for name, one in arrays.items()
    ):
        return False
    if not (0 < block.contains <= WHOLE and 0 < block.similar <= WHOLE) or texts >= run_lists.OWNERS:
        return False
    if any(len(arrays[name]) != texts or (texts and int(arrays[name].min()) < 0) for name in ARRAYS[1:-1]):
        return False
    entries, starts = block.entries, block.starts
    slots = len(starts) - 1
    if slots < 1 or slots & (slots - 1) or slots > 1 << _MOST_SLOTS:
        return False
    if starts[0] != 0 or starts[-1] != len(entries) or bool((starts[1:] < starts[:-1]).any()):
        return False
    counted, lengths, pieces = (arrays[name].astype(np.int64) for name in ("sizes", "lengths", "pieces"))
    slacks = lengths * (WHOLE - block.similar) // WHOLE
    if not np.where(lengths >= SHORTEST_PAIRED, (pieces > slacks) & (pieces <= lengths), pieces == 0).all():
        return False
    listed = np.where(
        counted >= SHORTEST_CONTAINED,
        np.minimum(counted, counted * (WHOLE - block.contains) // WHOLE + 1 + counted // HITS),
        0,
    )
    if not run_lists.check_entries(read_only(entries), lengths, block.runs.astype(np.int64), listed, pieces):
        return False
    edges = (
        np.arange(slots, dtype=np.uint64) << np.uint64(64 - block.slot_bits) if slots > 1 else np.zeros(1, np.uint64)
    )
    return bool(np.array_equal(np.searchsorted(entries, edges), starts[:-1]))


def _check_texts(texts: int) -> None:
    if texts >= run_lists.OWNERS:
        raise BadSetting(f"{texts:,} texts do not fit into one block.", "Add the texts in several parts.")


def word_ranges(offsets: I64, parts: int) -> list[tuple[int, int]]:
    """Texts from, to: about as many words in each."""
    cuts = np.searchsorted(offsets, np.linspace(0, int(offsets[-1]), parts + 1)[1:-1]).clip(0, len(offsets) - 1)
    return list(itertools.pairwise([0, *cuts.tolist(), len(offsets) - 1]))


def _entries(
    texts: tuple[U32, I64, U64],
    floors: tuple[int, int],
    text_sizes: tuple[I32, ...],
    counts: U16,
    ranges: Sequence[tuple[int, int]],
    bucket_bits: int,
    threads: int,
    keep: Callable[[U64, I64], K],
) -> tuple[list[K], I64]:
    """What `keep` makes of the entries of each range of texts, in the order of the texts; and how many of each range
    are in each bucket, which `keep` is given too.
    """
    offsets, bits = texts[1], len(counts).bit_length() - 1
    in_buckets = np.zeros((len(ranges), 1 << bucket_bits), np.int64)
    given = (*texts, read_only(counts), bits, read_only(PRICES), WHOLE - floors[0], floors[1], WHOLE)
    shortest = read_only(np.array([SHORTEST_CONTAINED, SHORTEST_PAIRED], np.int64))

    def make(part: int) -> K:
        check()
        first, last = ranges[part]
        # A text has at most as many words, shingles and pieces as it has words.
        made = np.empty(3 * int(offsets[last] - offsets[first]), np.uint64)
        used = run_lists.make_entries(*given, shortest, first, last, text_sizes, made, bucket_bits, in_buckets[part])
        return keep(made[:used], in_buckets[part])

    with Pool(max(threads, 1)) as pool:
        return list(pool.map(make, range(len(ranges)))), in_buckets


def count_runs(words: U32, offsets: I64, keys: U64, threads: int) -> U16:
    """How often runs with each value of the first bits of their tags occur.

    Each thread counts some of the texts. A sum that stops at a limit does not depend on how they are split.
    """
    bits = min(_MOST_BITS, max(10, len(words).bit_length() - 1))
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    parts = word_ranges(offsets, max(threads, 1))

    def count(first: int, last: int) -> U16:
        counts = np.zeros(1 << bits, np.uint16)
        own = offsets[first : last + 1] - offsets[first]
        for some in word_ranges(own, max(1, -(-int(own[-1]) // _WORDS_AT_ONCE))):
            check()
            run_lists.count_tags(words, offsets, keys, first + some[0], first + some[1], bits, counts)
        return counts

    with Pool(len(parts)) as pool:
        total, *others = pool.map(count, *zip(*parts, strict=True))
    for counts in others:
        np.minimum(total, run_lists.MANY - counts, out=total)
        total += counts
    return total


def _begins(counts: I64) -> I64:
    """Where each of some parts begins, from how many entries each has, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])


def _bucket_bits(entries: int) -> int:
    return min(max(entries.bit_length() - _BUCKET, 0), _MOST_BUCKETS)


def _slot_bits(entries: int, bucket_bits: int) -> int:
    return min(max(entries.bit_length() - _SLOT, bucket_bits), _MOST_SLOTS)


def _sorted(entries: U64, buckets: I64, bucket_bits: int, threads: int) -> I64:
    """Sort entries that are in their buckets; returns where each slot begins."""
    slot_bits = _slot_bits(len(entries), bucket_bits)
    starts, buckets = np.zeros((1 << slot_bits) + 1, np.int64), read_only(buckets)

    def sort(first: int, last: int) -> None:
        run_lists.sort_buckets(entries, buckets, bucket_bits, first, last, slot_bits, starts)

    in_pieces(sort, np.diff(buckets) + 64, threads)
    np.cumsum(starts, out=starts)
    return starts
