"""What an index holds of each text: a row of fixed width, or a set of entries, in one form for every method."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truecopy.array_types import I64, U32, Flags, Places, Stored, Values
from truecopy.sign.families import row_form
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec
from truecopy.text.streams import Bags

BAGS = Spec.make("bags", 1, profile="plain")
"""Bags of words: entries are word numbers in the frozen order of rarity, and how often each occurs."""
SHINGLES = Spec.make("shingles", 2, k=3, profile="plain")
"""The distinct shingles of a text, in order of their hashes."""
FINGERPRINT = 20
"""Bytes of a fingerprint's key."""
_HEADS = {"terms": 2, "fingerprint": 1}
"""Methods whose texts have heads, and how many numbers each."""
_SUMMED_AT_ONCE = 1 << 20
"""Counts that are summed up at a time: NumPy makes them twice as wide on the way."""
PARTS = ("values", "reliable", "offsets", "counts", "heads")


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of some texts."""

    spec: Spec
    values: Values
    reliable: Flags
    """False where a signature is not reliable: methods that estimate shares then find it near nothing."""
    offsets: I64 | None = None
    """For sets: the entries of row i are values[offsets[i]:offsets[i + 1]]."""
    counts: U32 | None = None
    """For bags: how often each entry occurs."""
    heads: I64 | None = None
    """What else is known of each text: for terms its length in words and its day, for fingerprints its length."""

    def __len__(self) -> int:
        return len(self.reliable)

    @property
    def sizes(self) -> I64:
        """Entries of each row; for bags, words."""
        if self.offsets is None:
            return np.full(len(self), self.values.shape[1], np.int64)
        if self.counts is None:
            return np.diff(self.offsets)
        sizes = np.zeros(len(self), np.int64)
        cuts = np.searchsorted(self.offsets, np.arange(0, len(self.values), _SUMMED_AT_ONCE)[1:])
        for first, last in itertools.pairwise([0, *cuts.tolist(), len(self)]):
            begin, end = int(self.offsets[first]), int(self.offsets[last])
            ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts[begin:end], dtype=np.int64)])
            sizes[first:last] = np.diff(ends[self.offsets[first : last + 1] - begin])
        return sizes

    @property
    def nbytes(self) -> int:
        """Bytes that the rows take."""
        return sum(part.nbytes for part in self.arrays().values())

    def arrays(self) -> dict[str, Stored]:
        """As they are stored."""
        return {name: part for name in PARTS if (part := getattr(self, name)) is not None}

    def take(self, places: Places) -> Rows:
        """Some of the rows, in the order given."""
        places = np.asarray(places, np.int64)
        heads = None if self.heads is None else self.heads[places]
        if self.offsets is None:
            return replace(self, values=self.values[places], reliable=self.reliable[places], heads=heads)
        begins, sizes = self.offsets[places], self.offsets[places + 1] - self.offsets[places]
        offsets = np.zeros(len(places) + 1, np.int64)
        np.cumsum(sizes, out=offsets[1:])
        entries = np.repeat(begins - offsets[:-1], sizes) + np.arange(offsets[-1])
        counts = None if self.counts is None else self.counts[entries]
        return Rows(self.spec, self.values[entries], self.reliable[places], offsets, counts, heads)

    def slice(self, first: int, last: int) -> Rows:
        """A run of rows, without copying."""
        heads = None if self.heads is None else self.heads[first:last]
        if self.offsets is None:
            return replace(self, values=self.values[first:last], reliable=self.reliable[first:last], heads=heads)
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        counts = None if self.counts is None else self.counts[begin:end]
        offsets = self.offsets[first : last + 1] - begin
        return Rows(self.spec, self.values[begin:end], self.reliable[first:last], offsets, counts, heads)

    def whole(self) -> bool:
        """Whether the arrays fit each other and the spec; no others ever reach a kernel."""
        texts, entries, spec = len(self.reliable), len(self.values), self.spec
        dtype, width = form(spec)
        if self.values.dtype != dtype or self.reliable.dtype != np.bool_ or self.reliable.ndim != 1:
            return False
        if (self.heads is None) == (spec.method in _HEADS) or (self.counts is None) == (spec == BAGS):
            return False
        if self.heads is not None and not _fits(self.heads, (texts, _HEADS[spec.method]), np.int64):
            return False
        if width is not None or self.offsets is None:
            return self.offsets is None and self.values.shape == (texts, width)
        places = self.offsets
        if self.values.ndim != 1 or not _fits(places, (texts + 1,), np.int64):
            return False
        if self.counts is not None and not _fits(self.counts, (entries,), np.uint32):
            return False
        return bool(places[0] == 0 and places[-1] == entries and (places[1:] >= places[:-1]).all())


def _fits(array: Stored, shape: tuple[int, ...], dtype: Any) -> bool:
    return array.shape == shape and array.dtype == dtype


@functools.lru_cache(maxsize=64)
def form(spec: Spec) -> tuple[np.dtype[Any], int | None]:
    """The type of a spec's entries, and how many a row has; None where that varies."""
    if spec == BAGS:
        return np.dtype(np.uint32), None
    if spec == SHINGLES or spec.method == "terms":
        return np.dtype(np.uint64), None
    if spec.method == "fingerprint":
        return np.dtype(np.uint8), FINGERPRINT
    return row_form(spec)


def joined(parts: Iterable[Rows]) -> Rows:
    """Rows one after the other; all must be made by one spec."""
    some = list(parts)
    if len(some) == 1:
        return some[0]
    for part in some[1:]:
        some[0].spec.must_equal(part.spec)

    def together(name: str) -> Stored | None:
        found = [getattr(part, name) for part in some]
        return None if found[0] is None else np.concatenate(found)

    values, reliable = together("values"), together("reliable")
    assert values is not None
    assert reliable is not None
    offsets = None
    if some[0].offsets is not None:
        shifts = itertools.accumulate((len(part.values) for part in some), initial=0)
        ends = [part.offsets[1:] + shift for part, shift in zip(some, shifts, strict=False) if part.offsets is not None]
        offsets = np.concatenate([np.zeros(1, np.int64), *ends])
    return Rows(some[0].spec, values, reliable, offsets, together("counts"), together("heads"))


def rows_of(signatures: Signatures) -> Rows:
    """The rows of signatures of any method; terms become sets of terms, with length and day beside them."""
    spec, reliable = signatures.spec, np.asarray(signatures.reliable)
    if spec.method == "terms":
        from truecopy.sign.terms import as_sets

        return Rows(spec, *as_sets(signatures))
    if spec.method == "fingerprint":
        from truecopy.sign.fingerprint import as_keys

        keys, lengths = as_keys(signatures)
        return Rows(spec, keys, reliable, heads=lengths[:, None])
    return Rows(spec, signatures.values, reliable, signatures.offsets)


def rows_of_bags(bags: Bags) -> Rows:
    """Bags of words as rows."""
    return Rows(BAGS, bags.terms, np.diff(bags.offsets) > 0, bags.offsets, bags.counts)
