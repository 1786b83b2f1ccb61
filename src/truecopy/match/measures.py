"""The measures over sets, for many texts and pairs, on threads: shingles and content words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truecopy.array_types import I32, I64, U32, U64
from truecopy.kernels.arrays import read_only
from truecopy.match.threads import run


def distinct_shingles(words: U32, offsets: I64, keys: U64, texts: I32, threads: int) -> I64:
    """How many distinct shingles each of the texts has; none where it has one or two words."""
    from truecopy.kernels.shingles import distinct_shingles as kernel

    words, offsets, keys, texts = read_only(words), read_only(offsets), read_only(keys), read_only(texts)
    out = np.empty(len(texts), np.int64)

    def work(low: int, high: int) -> None:
        kernel(words, offsets, keys, texts[low:high], out[low:high])

    run(work, np.diff(offsets)[texts] + 16, threads)
    return out


def shared_shingles(
    words: U32,
    offsets: I64,
    keys: U64,
    a: I32,
    b: I32,
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> I64:
    """How many distinct shingles the texts a[i] and b[i] share; fastest if equal `a` are next to each other."""
    from truecopy.kernels.shingles import shared_shingles as kernel

    words, offsets, keys = read_only(words), read_only(offsets), read_only(keys)
    a, b = read_only(a), read_only(b)
    out = np.empty(len(a), np.int64)
    length = np.diff(offsets)

    def work(low: int, high: int) -> None:
        kernel(words, offsets, keys, a[low:high], b[low:high], out[low:high])

    run(work, length[a] + length[b] + 16, threads, advance)
    return out


def shared_terms(
    bag_terms: U32,
    bag_offsets: I64,
    content: I32,
    a: I32,
    b: I32,
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> tuple[I64, I64]:
    """Distinct content words that the texts a[i] and b[i] share, and how many the text with fewer has.

    `bag_terms` are the distinct word numbers of each text; `content` is what `text.content` gives.
    """
    from truecopy.kernels.content import shared_terms as kernel

    bag_terms, bag_offsets = read_only(bag_terms), read_only(bag_offsets)
    a, b = read_only(a), read_only(b)
    shared, fewer = np.empty(len(a), np.int64), np.empty(len(a), np.int64)
    stems, found = read_only(content), int(content.max(initial=0))
    length = np.diff(bag_offsets)

    def work(low: int, high: int) -> None:
        part = slice(low, high)
        marks = np.zeros((2, found + 1), np.int32)
        kernel(bag_terms, bag_offsets, stems, a[part], b[part], marks, shared[part], fewer[part])

    run(work, length[a] + length[b] + 16, threads, advance)
    return shared, fewer
