"""The truth that recall is measured against: every pair of texts compared by rapidfuzz, nothing sampled.

Only lengths are looked at before: a pair that differs too much in length cannot reach the threshold.
The words are the contract's; each distinct word becomes one code point, so that rapidfuzz compares strings.
Results are kept in the temporary folder, under a digest of the words and the threshold.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from common import KEPT

Codes = npt.NDArray[np.int64]
"""Pairs of texts a < b as a · texts + b, sorted."""
_SURROGATES = 0xD800, 0x800
"""First code point that is no character, and how many there are."""


def similar_pairs(texts: Sequence[bytes], threshold: int, shortest: int = 10) -> Codes:
    """Every pair at the threshold (a whole percentage) of texts with at least `shortest` words."""
    from truecopy.text import tokenize

    tokens = tokenize(texts)
    digest = hashlib.sha256(f"{threshold} {shortest}".encode())
    digest.update(tokens.offsets.tobytes())
    digest.update(tokens.hashes.tobytes())
    kept = KEPT / f"truth-{digest.hexdigest()[:32]}.npy"
    if kept.is_file():
        loaded: Codes = np.load(kept)
        return loaded
    found = _brute_force(strings_of(tokens.hashes, tokens.offsets), np.diff(tokens.offsets), threshold, shortest)
    KEPT.mkdir(exist_ok=True)
    part = kept.with_suffix(f".{os.getpid()}.part.npy")  # two benchmarks may find the same truth at the same time
    np.save(part, found)
    part.replace(kept)
    return found


def strings_of(hashes: npt.NDArray[np.uint64], offsets: npt.NDArray[np.int64]) -> list[str]:
    """Texts of words as strings, a code point for each distinct word."""
    distinct, numbers = np.unique(hashes, return_inverse=True)
    first, gap = _SURROGATES
    if len(distinct) + gap > 0x10FFFF:
        raise SystemExit(f"{len(distinct):,} distinct words do not fit into the code points of Unicode.")
    points = numbers.astype(np.uint32)
    points[points >= first] += gap
    return [points[offsets[i] : offsets[i + 1]].tobytes().decode("utf-32-le") for i in range(len(offsets) - 1)]


def _brute_force(strings: list[str], lengths: npt.NDArray[Any], threshold: int, shortest: int) -> Codes:
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    order = np.argsort(lengths, kind="stable")
    order = order[lengths[order] >= shortest]
    sorted_lengths = lengths[order].astype(np.int64)
    allowed = sorted_lengths * (100 - threshold) // 100
    first_fitting = np.searchsorted(sorted_lengths, sorted_lengths - allowed)
    codes: list[Codes] = []
    for place in range(len(order)):
        shorter = order[first_fitting[place] : place]
        if len(shorter) == 0:
            continue
        limit = int(allowed[place])
        distances = process.cdist(
            [strings[order[place]]],
            [strings[text] for text in shorter],
            scorer=Levenshtein.distance,
            score_cutoff=limit,
            dtype=np.int32,
        )[0]
        codes.append(as_codes(shorter[distances <= limit], order[place], len(strings)))
    return np.sort(np.concatenate(codes)) if codes else np.empty(0, np.int64)


def as_codes(x: npt.ArrayLike, y: npt.ArrayLike, texts: int) -> Codes:
    """Pairs as single numbers, whichever way round they come."""
    x, y = np.asarray(x, np.int64), np.asarray(y, np.int64)
    codes: Codes = np.minimum(x, y) * texts + np.maximum(x, y)
    return codes


def recall(found: Codes, true: Codes) -> float:
    """The share of the true pairs that were found."""
    return 1.0 if len(true) == 0 else float(np.isin(true, found).mean())
