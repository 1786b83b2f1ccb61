"""The nearest texts of each text of a dense family, by the estimate of sketches (`sign/words`), ties by id."""

from __future__ import annotations

import numpy as np

from truecopy.array_types import Places
from truecopy.kernels.arrays import read_only
from truecopy.kernels.nearest import nearest_sketches
from truecopy.sign.words import sign_streams
from truecopy.text.streams import Streams
from truecopy.threads import in_pieces


def nearest_texts(streams: Streams, family: Places, asking: Places, count: int, threads: int) -> tuple[Places, Places]:
    """For each text of `asking` its `count` nearest of the family, as two columns; a pair may come both ways.

    Nearest are those whose sketches are equal in the most places. Texts of `family` are in the order of their ids.
    """
    values = sign_streams(part_of(streams, family), threads).values
    low = np.ascontiguousarray(values.astype(np.uint8)).view(np.uint64)
    values, low = read_only(values), read_only(low)
    places = read_only(np.searchsorted(family, asking).astype(np.int32))

    def some(first: int, last: int) -> Places:
        out = np.empty((last - first, min(count, len(family) - 1)), np.int32)
        nearest_sketches(values, low, places, first, last, out)
        return out

    if not len(asking):
        return asking, asking
    found = np.concatenate(in_pieces(some, np.full(len(asking), len(family), np.int64), threads))
    return np.repeat(asking, found.shape[1]), family[found.ravel()]


def part_of(streams: Streams, texts: Places) -> Streams:
    """Some of the texts, as a set of their own."""
    lengths = streams.lengths[texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    source = np.repeat(streams.offsets[texts] - offsets[:-1], lengths) + np.arange(int(offsets[-1]))
    return Streams(streams.words[source], offsets, streams.hashes)
