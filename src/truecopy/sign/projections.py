"""Random projections of letter counts: the paper turns one search in 62 dimensions into a few in one dimension.

Stroz Friedberg's paper on similar document detection for e-discovery, algorithms 1 (Gaussian) and 2
(Rademacher). With vectors u of dimension d, each entry of mean 0 and variance 1/d, a document within r of the query has

    |(x − q)ᵀ u| ≤ ρ = τ · r / √d     with high probability for τ = τ₀ = C₁ ln(2 m(r,q) / δ) + C₂ √ln(2 m(r,q) / δ)

So searching each projection for q ± ρ and keeping what all of them find loses little. The paper's C₁ = C₂ = 1,
m(r,q) = 10 and δ = 0.1 give τ₀ = 7.6.

Where we depart from it, and why: vectors are made from a seed by hashing and are whole multiples of one number, so that
projections are sums of integers, equal on every machine; a stored projection stays valid.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from truecopy.array_types import F64, I64
from truecopy.errors import BadSetting
from truecopy.sign.family import between, choose, must_be_of, whole
from truecopy.sign.hashes import mix, words
from truecopy.sign.signatures import Signatures

COUNT, SEED = 8, 1
_MASK = (1 << 64) - 1
_GRAIN = 30
"""Gaussian entries are multiples of 2^-30."""
_HALF = 15
"""Whole numbers are cut to this many bits, so that sums of products fit into 64 bits."""


@dataclass(frozen=True, slots=True)
class ProjectionMatrix:
    """m vectors of dimension d: `whole` numbers times `grain` (a power of two), over √d."""

    distribution: str
    seed: int
    whole: I64
    grain: float

    @property
    def vectors(self) -> F64:
        """The vectors as the paper has them, one a row."""
        return self.scaled(self.whole.astype(np.float64))

    def scaled(self, sums: F64) -> F64:
        """Sums of whole numbers as sums of entries."""
        found: F64 = sums * self.grain / math.sqrt(self.whole.shape[1])
        return found


@functools.lru_cache(maxsize=16)
def projections(
    m: int = COUNT, dimension: int = 62, seed: int = SEED, distribution: str = "rademacher"
) -> ProjectionMatrix:
    """m random vectors of a dimension (62 for latin, 256 for extended letters): `rademacher` or `gaussian`."""
    whole("m", m, 1, 4096)
    whole("dimension", dimension, 1, 65536)
    whole("seed", seed, 0, _MASK)
    choose("distribution", distribution, ("rademacher", "gaussian"))
    drawn = words(mix(seed), m * dimension).tolist()
    if distribution == "rademacher":
        entries, grain = [1 if x >> 63 else -1 for x in drawn], 1.0
    else:
        normal = NormalDist()
        entries = [round(normal.inv_cdf(((x >> 12) + 0.5) / 2**52) * 2**_GRAIN) for x in drawn]
        grain = 2.0**-_GRAIN
    return ProjectionMatrix(distribution, seed, np.array(entries, np.int64).reshape(m, dimension), grain)


def project(signatures: Signatures, onto: ProjectionMatrix) -> F64:
    """Every text's counts projected onto every vector: one row a text."""
    must_be_of("letters", signatures.spec)
    counts = signatures.values.astype(np.int64)
    if counts.shape[1] != onto.whole.shape[1]:
        given = f"Projections of {onto.whole.shape[1]} dimensions were given for counts of {counts.shape[1]}."
        raise BadSetting(given, f"Make projections with dimension={counts.shape[1]}.")
    coarse, fine = onto.whole >> _HALF, onto.whole & ((1 << _HALF) - 1)
    sums = (counts @ coarse.T).astype(np.float64) * (1 << _HALF) + (counts @ fine.T).astype(np.float64)
    return onto.scaled(sums)


def tau0(neighbors: float = 10, delta: float = 0.1, c1: float = 1, c2: float = 1) -> float:
    """The paper's τ₀ (formula 2) for a number of expected neighbors and a chance δ of losing one.

    >>> round(tau0(), 3)
    7.6
    """
    between("neighbors", neighbors, 1, 1e18)
    if isinstance(delta, bool) or not 0 < delta <= 1:
        given = f"The parameter delta was given as {delta!r}, but it must be above 0 and at most 1."
        raise BadSetting(given, "Choose another value, or leave delta out.")
    between("c1", c1, 0, 1e9)
    between("c2", c2, 0, 1e9)
    logarithm = math.log(2 * neighbors / delta)
    return c1 * logarithm + c2 * math.sqrt(logarithm)


def reach(r: float, dimension: int = 62, tau: float | None = None) -> float:
    """ρ = τ r / √d: how far a projection may be from the query's for texts within distance r (τ₀ if not given)."""
    whole("dimension", dimension, 1, 65536)
    if isinstance(r, bool) or not 0 <= r < math.inf:
        raise BadSetting(f"The parameter r was given as {r!r}, but it must be 0 or more.", "Give a distance.")
    return (tau0() if tau is None else tau) * r / math.sqrt(dimension)
