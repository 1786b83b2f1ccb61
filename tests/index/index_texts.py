"""Small sets of texts as arrays, for tests of the index."""

from __future__ import annotations

import numpy as np

from truecopy.text.streams import Bags, Streams, make_bags


def streams_of(texts: list[list[int]]) -> Streams:
    """Texts given as lists of small word numbers."""
    lengths = [len(text) for text in texts]
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    words = np.array([word for text in texts for word in text], np.uint32)
    vocabulary = int(words.max(initial=0)) + 1
    hashes = np.random.default_rng(11).integers(1, 2**63, vocabulary).astype(np.uint64)
    return Streams(words, offsets, hashes)


def bags_of(streams: Streams) -> Bags:
    """Their bags; the word numbers are taken as the order of rarity."""
    return make_bags(streams.words, streams.offsets, len(streams.hashes), 2)
