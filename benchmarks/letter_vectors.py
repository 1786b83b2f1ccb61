"""Letter counts in any number, made from those of real documents, with families of near copies of every size.

real_counts     letter counts of the texts of some collections
make            so many vectors: parts of real documents put together, and edited copies of them

In the real collections (100,177 texts) most documents have no neighbor within γ = 0.025 and a few have hundreds:
of 1,283 by chance, the document itself included, 75 % have 1, 90 % at most 2, 95 % 4, 99 % 15, and one has 153; within
0.05 the figures are 2, 3, 6, 46 and 367. Here the share of documents in families of k or more is 0.4 / k^0.6, so that a
larger collection has larger families (up to 40,000), and the tail is as long, or longer.

A family has a head: a part of a real document, with a part of another one for three in four. Cutting takes letters out
by chance, which leaves the noise that a sample of so many letters has. A member is the head with a share of its letters
taken out and letters of a third document put in: none for one in four, else 0.05 % to 10 %.

Numbers by chance come from a hash of the seed, the family, the row and the letter: the same on every machine.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt
from common import collection

from truecopy.sign import letters

Array = npt.NDArray[Any]

FEW = ("policies", "licenses", "site-policy")
LARGEST = 40_000
"""Members of the largest families."""


def real_counts(data: Path, names: tuple[str, ...], first: int | None = None) -> tuple[Array, set[str]]:
    """Letter counts of the texts of collections that have any letters, and which collections were generated."""
    counts, generated = [], set()
    for name in names:
        texts = collection(name, data, first)
        generated |= {name} if texts.generated else set()
        files = [file for file in texts.files if file.suffix != ".pdf"]
        decoded = [file.read_bytes().decode("utf-8", "replace") for file in files]
        counts.append(letters.sign(decoded, letters.spec()).values)
    together = np.concatenate(counts)
    return together[together.any(axis=1)], generated


def make(count: int, real: Array, seed: int = 1) -> Array:
    """So many vectors."""
    dice = np.random.default_rng(seed)
    # Of families by size, the share of documents in those of k or more is 0.4 / k^0.6: of families themselves, one in
    # k as many have k members.
    sizes = np.arange(1, LARGEST + 1)
    reached = np.where(sizes == 1, 1.0, 0.4 * sizes**-0.6)
    documents = reached - np.append(reached[1:], 0.0)
    chances = documents / sizes
    drawn = dice.choice(sizes, int(1.2 * count * chances.sum()) + 100, p=chances / chances.sum())
    ends = np.cumsum(drawn)
    drawn = drawn[: 1 + int(np.searchsorted(ends, count))]
    family = np.repeat(np.arange(len(drawn), dtype=np.int32), drawn)[:count]
    assert len(family) == count
    dice.shuffle(family)
    vectors = np.empty((count, real.shape[1]), np.uint32)
    _fill(real, family, np.uint64(seed), vectors)
    return vectors


@numba.njit(nogil=True)
def _mixed(x: Any) -> Any:
    """Stafford's mixer: bits by chance from a number."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@numba.njit(nogil=True)
def _share(x: Any) -> float:
    """A number from 0 to 1."""
    return np.float64(_mixed(x) >> np.uint64(11)) / 9007199254740992.0


@numba.njit(nogil=True)
def _part(count: float, share: float, x: Any) -> float:
    """How many of so many letters are in a part, each with the same chance: whole letters, with that noise.

    A few are drawn one by one; for more, the sum of four even numbers stands for the bell curve.
    """
    bits = _mixed(x)
    if count <= 4.0:
        kept = 0.0
        for i in range(int(count)):
            if np.float64((bits >> np.uint64(16 * i)) & np.uint64(65535)) < 65536.0 * share:
                kept += 1.0
        return kept
    total = 0.0
    for i in range(4):
        total += np.float64((bits >> np.uint64(16 * i)) & np.uint64(65535))
    normal = (total / 65536.0 - 2.0) * math.sqrt(3.0)
    return min(count, max(0.0, np.rint(count * share + normal * math.sqrt(count * share * (1.0 - share)))))


@numba.njit(nogil=True)
def _fill(real: Array, family: Array, seed: Any, out: Array) -> None:
    documents, width = np.uint64(len(real)), real.shape[1]
    totals = np.empty(len(real))
    for i in range(len(real)):
        totals[i] = real[i].sum()
    head = np.empty(width)
    big = np.uint64(0x9E3779B97F4A7C15)
    for row in range(len(family)):
        base = _mixed(seed * big + np.uint64(family[row]) * np.uint64(1024))
        own = _mixed(base + big * np.uint64(row + 1))
        one, other = _mixed(base + np.uint64(1)) % documents, _mixed(base + np.uint64(2)) % documents
        first = 0.3 + 0.7 * _share(base + np.uint64(3))
        second = 0.05 + 0.95 * _share(base + np.uint64(4)) if _share(base + np.uint64(5)) < 0.75 else 0.0
        size = 0.0
        for i in range(width):
            head[i] = _part(np.float64(real[one, i]), first, base + np.uint64(16 + i))
            head[i] += _part(np.float64(real[other, i]), second, base + np.uint64(512 + i))
            size += head[i]
        rate = 0.0
        if _share(own + np.uint64(1)) >= 0.25:
            rate = 0.0005 * 200.0 ** _share(own + np.uint64(2))
        third = _mixed(own + np.uint64(3)) % documents
        added = min(1.0, rate * _share(own + np.uint64(4)) * size / max(totals[third], 1.0))
        removed = rate * _share(own + np.uint64(5))
        for i in range(width):
            kept = head[i]
            if rate > 0.0:
                kept -= _part(head[i], removed, own + np.uint64(16 + i))
                kept += _part(np.float64(real[third, i]), added, own + np.uint64(512 + i))
            out[row, i] = np.uint32(kept)
