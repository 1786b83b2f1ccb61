"""What the contract suite tries every index on: rows of each kind, limits, and how to make both by chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truecopy.index.index import Index
from truecopy.index.limits import Distance, Equal, Gamma, Limit, Share
from truecopy.index.rows import BAGS, SHINGLES, Rows
from truecopy.sign import make_spec
from truecopy.spec import Spec

Random = np.random.Generator


@dataclass(frozen=True)
class Case:
    """An index with rows that it is for: families of near copies among strangers, and limits to ask with."""

    name: str
    index: type[Index]
    spec: Spec
    rows: Callable[[Random, int], Rows]
    limits: tuple[Limit, ...]
    pair_limits: tuple[Limit, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def make(self) -> Index:
        return self.index(self.spec, **self.options)

    @property
    def for_pairs(self) -> tuple[Limit, ...]:
        return self.pair_limits or self.limits


def sets_of(spec: Spec, sets: list[np.ndarray], **more: Any) -> Rows:
    """Rows of sets, each sorted."""
    offsets = np.zeros(len(sets) + 1, np.int64)
    np.cumsum([len(each) for each in sets], out=offsets[1:])
    values = np.concatenate([np.empty(0, np.uint64), *map(np.sort, sets)]).astype(np.uint64)
    return Rows(spec, values, np.diff(offsets) > 0, offsets, **more)


def bit_rows(bits: int) -> tuple[Spec, Callable[[Random, int], Rows]]:
    spec = make_spec("simhash", bits=bits)

    def rows(random: Random, count: int) -> Rows:
        """Families of a few flipped bits; equal rows; strangers."""
        heads = random.integers(0, 256, (max(1, count // 4), bits // 8), dtype=np.uint8)
        values = heads[random.integers(0, len(heads), count)]
        unpacked = np.unpackbits(values, axis=1)
        flips = random.integers(0, random.choice([1, 4, 12, bits]), count)
        for row, many in enumerate(flips.tolist()):
            unpacked[row, random.choice(bits, min(many, bits), replace=False)] ^= 1
        return Rows(spec, np.packbits(unpacked, axis=1), np.ones(count, np.bool_))

    return spec, rows


def key_rows() -> tuple[Spec, Callable[[Random, int], Rows]]:
    spec = make_spec("fingerprint")

    def rows(random: Random, count: int) -> Rows:
        """Few keys, so that many are equal, of texts of all lengths."""
        keys = random.integers(0, 256, (max(1, count // 3), 20), dtype=np.uint8)[
            random.integers(0, max(1, count // 3), count)
        ]
        lengths = random.integers(1, 300, (count, 1))
        return Rows(spec, keys, random.random(count) < 0.95, heads=lengths)

    return spec, rows


def letter_rows(greatest: int, alphabet: str = "latin") -> tuple[Spec, Callable[[Random, int], Rows]]:
    spec = make_spec("letters", alphabet=alphabet)
    width = 62 if alphabet == "latin" else 256

    def rows(random: Random, count: int) -> Rows:
        """Families of like counts, of all norms, with empty texts and texts at the very border among them."""
        heads = np.floor(
            random.random((max(1, count // 4), width)) ** 4 * greatest ** random.random((max(1, count // 4), 1))
        )
        values = heads[random.integers(0, len(heads), count)]
        spread = random.choice([0.0, 0.01, 0.05, 0.3], (count, 1))
        values = np.maximum(0, np.rint(values * (1 + spread * random.normal(size=values.shape))))
        values[random.random(count) < 0.1] = 0
        exact = random.random(count) < 0.2  # scaled by 1.025 or 1.05: exactly at γ where counts are multiples of 40
        values[exact] = np.floor(values[exact] / 40) * 40 * random.choice([1, 1.025, 1.05], (int(exact.sum()), 1))
        return Rows(spec, np.minimum(values, 2**32 - 1).astype(np.uint32), np.ones(count, np.bool_))

    return spec, rows


def slot_rows(slots: int) -> tuple[Spec, Callable[[Random, int], Rows]]:
    spec = make_spec("words", slots=slots)

    def rows(random: Random, count: int) -> Rows:
        heads = random.integers(0, 2**32, (max(1, count // 4), slots), dtype=np.uint32)
        values = heads[random.integers(0, len(heads), count)]
        other = random.random((count, slots)) < random.choice([0.0, 0.05, 0.3, 0.6, 1.0], (count, 1))
        values = np.where(other, random.integers(0, 2**32, (count, slots), dtype=np.uint32), values)
        return Rows(spec, values.astype(np.uint32), random.random(count) < 0.95)

    return spec, rows


def set_rows(spec: Spec, *, universe: int = 400, heads: bool = False) -> tuple[Spec, Callable[[Random, int], Rows]]:
    def rows(random: Random, count: int) -> Rows:
        """Subsets, supersets and mixtures of a few sets; common entries that nearly all have; empty sets."""
        common = np.arange(5)
        wholes = [
            random.choice(np.arange(5, universe), random.integers(1, min(60, universe - 5)), replace=False)
            for _ in range(4)
        ]
        sets = []
        for _ in range(count):
            base = wholes[random.integers(0, len(wholes))]
            kept = base[random.random(len(base)) < random.choice([0.1, 0.5, 0.9, 1.0])]
            added = random.integers(5, universe, random.choice([0, 0, 2, 40]))
            every = common if random.random() < 0.8 else common[:0]
            sets.append(np.unique(np.concatenate([kept, added, every])) * (1 if heads else 0x1F3D5B79A1))
        sets = [each if random.random() < 0.95 else each[:0] for each in sets]
        more = {}
        if heads:
            lengths, days = random.integers(0, 300, count), random.integers(0, 200, count)
            more = {"heads": np.stack([lengths, np.where(random.random(count) < 0.2, 0, days)], axis=1)}
        return sets_of(spec, sets, **more)

    return spec, rows


def bag_rows() -> tuple[Spec, Callable[[Random, int], Rows]]:
    def rows(random: Random, count: int) -> Rows:
        """Bags in the frozen order: the greatest word number, the rarest word, first."""
        heads = [random.integers(0, 120, random.integers(10, 60)) for _ in range(4)]
        terms, counts, sizes = [], [], []
        for _ in range(count):
            words = heads[random.integers(0, len(heads))].copy()
            changed = random.random(len(words)) < random.choice([0.0, 0.1, 0.3])
            words[changed] = random.integers(0, 120, int(changed.sum()))
            found, often = np.unique(
                words[: random.integers(0, len(words) + 1) if random.random() < 0.1 else None], return_counts=True
            )
            terms.append(found[::-1])
            counts.append(often[::-1])
            sizes.append(len(found))
        offsets = np.zeros(count + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        values = np.concatenate([np.empty(0, np.uint32), *terms]).astype(np.uint32)
        return Rows(
            BAGS,
            values,
            np.array(sizes) > 0,
            offsets,
            np.concatenate([np.empty(0, np.uint32), *counts]).astype(np.uint32),
        )

    return BAGS, rows


RADII = tuple(Distance(most) for most in (0, 1, 3, 8, 40))
GAMMAS = tuple(Gamma(gamma) for gamma in (0, 0.025, 0.05, 0.3, 2))
SET_SHARES = tuple(Share(percent, of) for percent in (1, 30, 80, 100) for of in ("either", "query", "row", "smaller"))
SET_PAIRS = tuple(Share(percent, of) for percent in (1, 30, 80, 100) for of in ("either", "smaller"))
OVERLAPS = tuple(Share(percent, "longer") for percent in (5, 50, 70, 80, 90, 100))
TERM_SHARES = (*OVERLAPS, Share(80, "longer", length=20), Share(50, "longer", length=20, weeks=6))
SLOT_SHARES = tuple(Share(percent, "slots") for percent in (10, 50, 80, 100))

__all__ = ["SHINGLES", "Equal"]
