"""The paper's own range search: random projections, as Stroz Friedberg published it, for comparison.

Algorithms 1 (Gaussian) and 2 (Rademacher) of "similar document detection for e-discovery" keep the documents x whose
projections are within |(x − q)ᵀ uₖ| ≤ ρ = τ r / √d on each of m random vectors, with r = γ |q|₂ (sign/projections.py).
To be faster, the paper puts two ranges of one dimension before them:

    ||x|₂ − |q|₂| ≤ γ |q|₂      which loses nothing
    ||x|₁ − |q|₁| ≤ γ |q|₂      which loses pairs: |x|₁ may differ by up to √d times as much

After them it checks what is left. You can have each range alone, and an answer says how many documents each left, so
that you can repeat the paper's tables 1 and 2 and figure 2. The first range is found by bisection, as in the paper;
each later one is applied to what the one before left.

This does not follow the protocol of the indexes, because it loses pairs and cannot say how many; `projections` is the
exact one.

>>> from truecopy.sign import letters
>>> paper = PaperProjections(letters.spec())
>>> paper.add(letters.sign(["The Lessee shall pay.", "The Lessee shall pay!", "Other words."], letters.spec()))
>>> found = paper.search(letters.sign(["The Lessee shall pay"], letters.spec()), Gamma(0.025))
>>> found.numbers.tolist(), list(found.left.items())[:2]
([0, 1], [('norm', 2), ('letters', 2)])
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import F64, I32, I64
from truecopy.errors import BadSetting
from truecopy.index.limits import Gamma
from truecopy.index.linear import near
from truecopy.index.rows import Rows, joined, rows_of
from truecopy.sign.families import row_form
from truecopy.sign.family import must_be_of, whole
from truecopy.sign.projections import COUNT, SEED, project, projections, reach
from truecopy.sign.signatures import Signatures, names
from truecopy.spec import Spec

_AT_ONCE = 1 << 17
"""Rows that are projected in one piece."""
_OFF = 1 + 1e-12
"""Room for rounding, so that the range of norms loses nothing."""


@dataclass(frozen=True, slots=True)
class PaperHits:
    """What the ranges left, in order of number, and how many documents each of them left."""

    numbers: I64
    left: dict[str, int]
    """By range, in order: norm, letters, projection 1 to m, check; those that were not asked for are not in it."""


class PaperProjections:
    """Finds most of the letter counts within γ times the norm of a query."""

    def __init__(self, spec: Spec, *, distribution: str = "rademacher", m: int = COUNT, seed: int = SEED) -> None:
        must_be_of("letters", spec)
        _, width = row_form(spec)
        assert width is not None
        self.spec = spec
        self.vectors = projections(m, width, seed, distribution)
        self._rows = Rows(spec, np.empty((0, width), np.uint32), np.empty(0, np.bool_))
        self._columns: dict[str, F64] = {}
        self._sorted: dict[str, tuple[I32, F64]] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, signatures: Signatures | Rows) -> None:
        """Add documents; they are numbered in order."""
        self.spec.must_equal(signatures.spec)
        rows = signatures if isinstance(signatures, Rows) else rows_of(signatures)
        self._rows = joined((self._rows, rows)) if len(self) else rows
        self._columns = self._described(self._rows)
        self._sorted = {}
        for name in ("norm", "letters", "projection 1"):  # any of them may be the first range
            order = np.argsort(self._columns[name], kind="stable").astype(np.int32)
            self._sorted[name] = order, self._columns[name][order]

    def search(
        self,
        query: Signatures | Rows,
        limit: Gamma,
        *,
        tau: float | None = None,
        norm: bool = True,
        letters: bool = True,
        projected: int | None = None,
        check: bool = True,
    ) -> PaperHits:
        """What is left after the ranges that are asked for; `projected` projections are used, else all.

        τ is the paper's τ₀ where none is given; `norm` and `letters` are the two filters, `check` the one at the end.
        """
        self.spec.must_equal(query.spec)
        asked = query if isinstance(query, Rows) else rows_of(query)
        if len(asked) != 1:
            raise BadSetting(f"{len(asked)} queries were given, but one was expected.", "Search for each of them.")
        many = len(self.vectors.whole) if projected is None else projected
        whole("projected", many, 0, len(self.vectors.whole))
        if not (norm or letters or many):
            raise BadSetting("No range was asked for.", "Ask for one of norm, letters and projected.")
        if not len(self):
            return PaperHits(np.empty(0, np.int64), {})
        own = self._described(asked)
        radius = limit.gamma * float(own["norm"][0])
        ranges = {"norm": radius * _OFF} if norm else {}
        ranges |= {"letters": radius} if letters else {}
        width = self._rows.values.shape[1]
        ranges |= {f"projection {k}": reach(radius, width, tau) for k in range(1, many + 1)}
        places, left = self._ranged(own, ranges)
        if check:
            places = places[near(self._rows.take(places), asked, limit, False)[0]]
            left["check"] = len(places)
        return PaperHits(np.sort(places).astype(np.int64), left)

    def _ranged(self, own: dict[str, F64], ranges: dict[str, float]) -> tuple[I32, dict[str, int]]:
        """The documents within every range of the query, and how many were left after each."""
        left: dict[str, int] = {}
        places = np.empty(0, np.int32)
        for name, radius in ranges.items():
            middle = float(own[name][0])
            if not left:
                order, keys = self._sorted[name]
                low, high = (
                    np.searchsorted(keys, middle - radius, "left"),
                    np.searchsorted(keys, middle + radius, "right"),
                )
                places = order[low:high]
            else:
                places = places[np.abs(self._columns[name][places] - middle) <= radius]
            left[name] = len(places)
        return places, left

    def _described(self, rows: Rows) -> dict[str, F64]:
        """What ranges are over: |x|₂, |x|₁ and the projections."""
        many = len(self.vectors.whole)
        found = {name: np.empty(len(rows)) for name in ("norm", "letters")}
        found |= {f"projection {k}": np.empty(len(rows)) for k in range(1, many + 1)}
        for first in range(0, len(rows), _AT_ONCE):
            some = rows.slice(first, first + _AT_ONCE)
            counts = some.values.astype(np.float64)
            here = slice(first, first + len(some))
            found["norm"][here] = np.sqrt((counts * counts).sum(axis=1))
            found["letters"][here] = counts.sum(axis=1)
            made = project(Signatures(self.spec, some.values, some.reliable, names(None, len(some))), self.vectors)
            for k in range(many):
                found[f"projection {k + 1}"][here] = made[:, k]
        return found
