"""What the overlap index derives from bags of words: order of length, histograms, and lists of the rarest words.

The order of the words is the block's own: by how many of its texts have each, the rarest first. It is stored in the
block, so words that appear later change nothing in it; words of a query that the block does not know count as rarer
than all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, U16, U32, U64, Argument, Places, Values
from truecopy.errors import BadSetting
from truecopy.index.rows import Rows
from truecopy.kernels import overlap
from truecopy.kernels.arrays import read_only
from truecopy.threads import in_pieces
from truecopy.threshold import WHOLE

_LONGEST = 1 << 32
_SPARSE = 4
"""Word numbers are counted in a table, unless it would be more than this many times as long as the rows."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Rows in order of length; lists and windows name places in this order."""

    rows: Rows
    order: Places
    """The row at each place."""
    lengths: Places
    """Words of each, in that order."""
    histograms: U64
    bits: U64
    """Which words each has at all, by their hashes."""
    sums: U16
    """Of all counters."""
    common: Places
    """Of the counters of common words, and how many words these are."""

    def __len__(self) -> int:
        return len(self.order)

    def take(self, places: Places) -> Ordered:
        """Some of the places."""
        return Ordered(
            self.rows, self.order[places], self.lengths[places], self.histograms[places], self.bits[places],
            self.sums[places], self.common[places],
        )  # fmt: skip

    def side(self) -> tuple[Argument, ...]:
        """As the kernels take one side of a comparison."""
        bags = (self.rows.values, self.rows.counts, self.rows.offsets)
        parts = (*bags, self.order, self.lengths, self.histograms, self.bits, self.sums, self.common)
        return tuple(read_only(part) for part in parts if part is not None)


@dataclass(frozen=True, slots=True)
class Lists:
    """For each word, rarest first, the places whose prefix it is in, with the words before it."""

    words: Places
    """The words, in order of their numbers."""
    ranks: Places
    """Which list each has."""
    starts: Places
    texts: Places
    before: U32

    def within(self, slacks: Places) -> Lists:
        """The lists of the shorter prefixes that rows have when they may lose less."""
        kept = self.before <= slacks[self.texts]
        if kept.all():
            return self
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(kept)])
        return Lists(self.words, self.ranks, ends[self.starts], self.texts[kept], self.before[kept])

    def arrays(self) -> tuple[Places, Places, U32]:
        """As the kernels take them."""
        return read_only(self.starts), read_only(self.texts), read_only(self.before)

    def reads(self, prefixes: Prefixes, slacks: Places) -> Places:
        """The most entries that each query may have to read, by how many words it may lose."""
        sizes = self.starts[prefixes.ranks + 1] - self.starts[prefixes.ranks]
        sizes[(prefixes.ranks < 0) | (prefixes.lost > np.repeat(slacks, prefixes.ends - prefixes.begins))] = 0
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        found: Places = ends[prefixes.ends] - ends[prefixes.begins]
        return found


@dataclass(frozen=True, slots=True)
class Prefixes:
    """The lists that each query asks, rarest word first, and how many words come before each."""

    ranks: Places
    """-1 for words without a list."""
    lost: U32
    begins: Places
    ends: Places

    def arrays(self) -> tuple[Argument, ...]:
        """As the kernels take them."""
        return tuple(map(read_only, (self.ranks, self.lost, self.begins, self.ends)))

    def take(self, queries: Places) -> Prefixes:
        """Those of some queries."""
        return Prefixes(self.ranks, self.lost, self.begins[queries], self.ends[queries])


def least_shared(lengths: Places, least: int) -> Places:
    """The fewest words that texts of given lengths must share with a shorter one, for a share in ten-thousandths."""
    needed: Places = -(-lengths * least // WHOLE)
    return needed


def most_before(lengths: Places, least: int) -> Places:
    """How many words may come before a word of the prefix, in texts of given lengths."""
    slacks = lengths - least_shared(lengths, least)
    before: Places = np.minimum(slacks + slacks // overlap.EXTENSION, np.maximum(lengths, 1) - 1)
    return before


def put_in_order(rows: Rows, shortest: int = 0, threads: int = 1) -> Ordered:
    """The rows that have enough words, by length."""
    sizes = rows.sizes
    order = np.argsort(sizes, kind="stable")
    return _described(rows, order[sizes[order] >= shortest].astype(np.int32), sizes, threads)


def some_in_order(rows: Rows, which: Places) -> Ordered:
    """Some of the rows, by length."""
    sizes = rows.sizes
    return _described(rows, which[np.argsort(sizes[which], kind="stable")].astype(np.int32), sizes, 1)


def as_given(rows: Rows, threads: int = 1) -> Ordered:
    """Queries: each row at its own place."""
    return _described(rows, np.arange(len(rows), dtype=np.int32), rows.sizes, threads)


def _described(rows: Rows, order: Places, sizes: Places, threads: int) -> Ordered:
    if len(sizes) and sizes.max() >= _LONGEST:
        said = f"A bag of {sizes.max():,} words was given, but bags have fewer than {_LONGEST:,}."
        raise BadSetting(said, "Leave that text out.")
    histograms, sums = np.zeros((len(order), overlap.HISTOGRAM), np.uint64), np.empty(len(order), np.uint16)
    bits, common = np.zeros((len(order), overlap.BITS), np.uint64), np.empty((len(order), 2), np.int64)
    given, counters = (*bags_of(rows), read_only(order)), histograms.view(np.uint8)

    def fill(first: int, last: int) -> None:
        overlap.fill_histograms(*given, first, last, counters, bits, sums, common)

    in_pieces(fill, sizes[order], threads)
    return Ordered(rows, order, sizes[order], histograms, bits, sums, common)


def make_lists(ordered: Ordered, least: int) -> Lists:
    """The lists for a share in ten-thousandths and all above it."""
    terms, counts, offsets = bags_of(ordered.rows)
    words, room = None, int(terms.max(initial=0)) + 1
    if room > _SPARSE * len(terms) + (1 << 20):
        words, numbered = np.unique(terms, return_inverse=True)
        terms, room = read_only(numbered.astype(np.uint32)), len(words)
    slacks = read_only(most_before(ordered.lengths, least))
    order = read_only(ordered.order)
    often = np.zeros(room, np.int64)
    overlap.count_words(terms, counts, offsets, order, slacks, False, often)
    present = np.flatnonzero(often)
    rarest, sorted_bags = _rarest_first(often[present])
    ranks = np.empty(len(present), np.int32)
    ranks[rarest] = np.arange(len(present), dtype=np.int32)
    if sorted_bags:
        often[:] = 0
        overlap.count_words(terms, counts, offsets, order, slacks, True, often)
    sizes = often[present][rarest]
    ends = np.cumsum(sizes) - sizes
    texts, before = np.empty(int(sizes.sum()), np.int32), np.empty(int(sizes.sum()), np.uint32)
    by_number = np.zeros(room, np.int32)
    by_number[present] = ranks
    kept = overlap.fill_lists(
        terms, counts, offsets, order, slacks, read_only(by_number), sorted_bags, ends, texts, before
    )
    named = present if words is None else words[present]
    starts = np.concatenate([np.zeros(1, np.int64), ends])
    return Lists(named.astype(np.uint32), ranks, starts, texts[:kept].copy(), before[:kept].copy())


def _rarest_first(often: Places) -> tuple[Places, bool]:
    """Words by how many texts have them, and whether bags have them in that order already: greatest first."""
    last = len(often) - 1
    if (np.diff(often) <= 0).all():
        return last - np.arange(len(often)), True
    return last - np.argsort(often[::-1], kind="stable"), False


def own_prefixes(lists: Lists, places: int) -> Prefixes:
    """Of the listed rows themselves."""
    sizes = np.bincount(lists.texts, minlength=places)
    ends = np.cumsum(sizes) - sizes
    begins = ends.copy()
    ranks, lost = np.empty(len(lists.texts), np.int32), np.empty(len(lists.texts), np.uint32)
    overlap.fill_prefixes(*lists.arrays(), ends, ranks, lost)
    return Prefixes(ranks, lost, begins, ends)


def prefixes_of(queries: Rows, lists: Lists) -> Prefixes:
    """Of queries: all their words, the rarest of the block first."""
    terms, counts, offsets = bags_of(queries)
    if not len(lists.words):
        ranks = np.full(len(terms), -1, np.int64)
    else:
        at = np.minimum(np.searchsorted(lists.words, terms), len(lists.words) - 1)
        ranks = np.where(lists.words[at] == terms, lists.ranks[at], -1).astype(np.int64)
    query = np.repeat(np.arange(len(queries)), np.diff(offsets))
    order = np.argsort((query << 32) + ranks, kind="stable")
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts[order], dtype=np.int64)])
    lost = ends[:-1] - ends[offsets[query]]
    return Prefixes(ranks[order].astype(np.int32), lost.astype(np.uint32), offsets[:-1], offsets[1:])


def bags_of(rows: Rows) -> tuple[Values, U32, I64]:
    """Words, counts and offsets of bags, as kernels take them."""
    assert rows.counts is not None
    assert rows.offsets is not None
    return read_only(rows.values), read_only(rows.counts), read_only(rows.offsets)
