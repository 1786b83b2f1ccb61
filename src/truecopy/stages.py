"""The stages of a join as pure functions over arrays, for engines that keep texts elsewhere and know no vocabulary.

entries  what some texts are found by: keys of 64 bits, the same for a word or shingle wherever its text is
join     the entries of all texts, or all those of some keys → candidate pairs
verify   candidates with their streams → pairs that reach a floor, measured

An engine makes entries of its texts part by part, brings those of one key together, joins them, and verifies each pair
where the words of both are. Two texts that are similar, or of which one contains the other, always share a key:

prefixes  Of L words a text may lose `slack`, so the first words that two similar texts share, in any order that is the
          same for all texts, is within the first words of each that together occur more than `slack` times.
rare      Of n shingles a text may lose `slack`, so another one that contains it has at least one of its first
          slack + 1, in any order. These are listed; all shingles of the other text look them up.
bands     Sketches that agree in all slots of a band; these miss as much as the recall says (index/cuts).

The order is that of the keys. A word or shingle that very many texts have makes very many pairs, which cost time:
name such keys as `common`, the same for all texts, and they come last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, U64, Flags
from truecopy.index.cuts import derive_bands
from truecopy.index.overlap_lists import least_shared
from truecopy.index.shingles import shingle_rows
from truecopy.match.measures import distinct_shingles
from truecopy.match.relations import CONTAINS
from truecopy.model import SHORTEST_PAIRED
from truecopy.pairing import Contained, Similar, verified_contained, verified_similar
from truecopy.sign.hashes import mixed
from truecopy.sign.words import sign_streams
from truecopy.text.streams import Streams, make_bags
from truecopy.threshold import WHOLE, ten_thousandths

_NONE: U64 = np.empty(0, np.uint64)


@dataclass(frozen=True, slots=True)
class Entries:
    """What texts are found by, as columns."""

    keys: U64
    texts: I64
    """The number of the text; the caller's own."""
    listed: Flags
    """Two entries of one key are a pair if one of them is listed."""

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, which: Flags | I64) -> Entries:
        """Some of them."""
        return Entries(self.keys[which], self.texts[which], self.listed[which])


def together(parts: Sequence[Entries]) -> Entries:
    """The entries of several parts."""
    return Entries(
        np.concatenate([_NONE, *(part.keys for part in parts)]),
        np.concatenate([np.empty(0, np.int64), *(part.texts for part in parts)]),
        np.concatenate([np.empty(0, np.bool_), *(part.listed for part in parts)]),
    )


def prefix_entries(streams: Streams, texts: I64, floor: float, common: U64 = _NONE, threads: int = 1) -> Entries:
    """For `similar`: the words of which every text that is similar at the floor has one too; keys are their hashes."""
    bags = make_bags(streams.words, streams.offsets, len(streams.hashes), threads)
    lengths = streams.lengths
    slacks = lengths - least_shared(lengths, ten_thousandths(floor, "floor"))
    slacks[lengths < SHORTEST_PAIRED] = -1
    owners, order, keys = _in_order(streams.hashes[bags.terms], bags.offsets, common)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(bags.counts[order], dtype=np.int64)])
    kept = ends[:-1] - ends[bags.offsets[owners]] <= slacks[owners]
    return Entries(keys[kept], texts[owners[kept]], np.ones(int(kept.sum()), np.bool_))


def rare_entries(streams: Streams, texts: I64, floor: float, common: U64 = _NONE, threads: int = 1) -> Entries:
    """For `contains`: every shingle; those of which a text that contains this one at the floor has one are listed."""
    rows = shingle_rows(streams.words, streams.offsets, streams.hashes, threads)
    assert rows.offsets is not None
    sizes = np.diff(rows.offsets)
    slacks = sizes * (WHOLE - ten_thousandths(floor, "floor")) // WHOLE
    slacks[~CONTAINS.is_enough(sizes)] = -1
    owners, _, keys = _in_order(rows.values, rows.offsets, common)
    listed = np.arange(len(keys)) - rows.offsets[owners] <= slacks[owners]
    return Entries(keys, texts[owners], listed)


def band_entries(streams: Streams, texts: I64, floor: float, recall: float, threads: int = 1) -> Entries:
    """For `similar` with a recall below 1: a key for each band of a text's sketch."""
    cut, signatures = derive_bands(floor, recall), sign_streams(streams, threads)
    paired = np.flatnonzero(signatures.reliable & (streams.lengths >= SHORTEST_PAIRED))
    slots = signatures.values[paired].astype(np.uint64)
    keys = []
    for band in range(cut.bands):
        key = np.full(len(paired), band, np.uint64)
        for slot in range(band * cut.rows, (band + 1) * cut.rows):
            key = mixed(key) ^ slots[:, slot]
        keys.append(mixed(key))
    made = np.concatenate([_NONE, *keys])
    return Entries(made, np.tile(texts[paired], cut.bands), np.ones(len(made), np.bool_))


def join(entries: Entries) -> tuple[I64, I64]:
    """Every two texts that share a key of which one of them is listed: a < b, each pair once, in order."""
    order = np.argsort(entries.keys, kind="stable")
    keys, listed = entries.keys[order], entries.listed[order]
    names, texts = np.unique(entries.texts[order], return_inverse=True)
    found = np.empty(0, np.int64)
    here, apart = np.arange(len(keys)), 1
    while True:
        here = here[here + apart < len(keys)]
        here = here[keys[here] == keys[here + apart]]
        if not len(here):
            break
        met = here[listed[here] | listed[here + apart]]
        one, other = texts[met], texts[met + apart]
        codes = np.minimum(one, other) * len(names) + np.maximum(one, other)
        found = np.union1d(found, codes[one != other])
        apart += 1
    return names[found // max(len(names), 1)], names[found % max(len(names), 1)]


def verify_similar(streams: Streams, a: I64, b: I64, floor: float, threads: int = 1) -> Similar:
    """The pairs of places a[i] < b[i] in the streams whose similarity reaches the floor, with their distances."""
    return verified_similar(streams, a.astype(np.int32), b.astype(np.int32), floor, threads)


def verify_contained(
    streams: Streams, a: I64, b: I64, floor: float, threads: int = 1, shingles: I64 | None = None
) -> Contained:
    """The pairs of places a[i] < b[i] of which one text contains the other at the floor, with what they share.

    `shingles` are the distinct ones of each text in the streams, for who has counted them before; otherwise those of
    the texts in the pairs are counted.
    """
    if shingles is None:
        texts = np.unique(np.concatenate([a, b])).astype(np.int32)
        shingles = np.zeros(len(streams), np.int64)
        shingles[texts] = distinct_shingles(streams.words, streams.offsets, streams.keys, texts, threads)
    return verified_contained(streams, a.astype(np.int32), b.astype(np.int32), shingles, floor, threads)


def _in_order(keys: U64, offsets: I64, common: U64) -> tuple[I64, I64, U64]:
    """The keys of each text in the order of all texts, common ones last: their texts, where they were, and the keys."""
    owners = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    order = np.lexsort((keys, np.isin(keys, common), owners))
    return owners, order, keys[order]
