"""The distinct shingles of texts as rows that `postings` takes."""

from __future__ import annotations

import numpy as np

from truecopy.array_types import I64, U32, U64
from truecopy.index.rows import SHINGLES, Rows
from truecopy.kernels.arrays import read_only
from truecopy.kernels.shingle_sets import shingle_sets
from truecopy.threads import Pool

_CHUNKS = 32


def shingle_rows(words: U32, offsets: I64, keys: U64, threads: int = 1) -> Rows:
    """The shingles of each text of a stream of word numbers; `keys` has a value for each number.

    A row has as many entries as the contract counts distinct shingles: none for a text of one or two words.
    """
    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    texts = len(offsets) - 1
    sizes = np.zeros(texts, np.int64)

    def some(first: int) -> U64:
        last = min(first + chunk, texts)
        out = np.empty(offsets[last] - offsets[first], np.uint64)
        found = shingle_sets(words, offsets, keys, first, last, out, sizes)
        return out[:found].copy()

    chunk = max(1, -(-texts // _CHUNKS))
    with Pool(max(threads, 1)) as pool:
        parts = list(pool.map(some, range(0, texts, chunk)))
    places = np.zeros(texts + 1, np.int64)
    np.cumsum(sizes, out=places[1:])
    return Rows(SHINGLES, np.concatenate([np.empty(0, np.uint64), *parts]), sizes > 0, places)
