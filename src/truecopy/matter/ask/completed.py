"""What dense families have left out, computed when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.group.alike import Alike
from truecopy.match.judge import Judged, Passages, judge_in_parts
from truecopy.match.relations import floors_of
from truecopy.matter.checked import places_of
from truecopy.matter.sql.pairs import PairRows
from truecopy.model import MEASURED
from truecopy.pairing import finder_of
from truecopy.settings import MatterSettings
from truecopy.text.streams import Bags
from truecopy.text.texts import Texts

_COMPARED_AT_ONCE = 1 << 21
"""Pairs that are compared at a time when documents are completed."""


@dataclass(frozen=True, slots=True)
class Completing:
    """What computing the pairs of dense families needs."""

    texts: Texts
    bags: Bags
    date_of: Callable[[I64], I64]
    """The dates of passages (`match.dates.moments`)."""
    settings: MatterSettings
    threads: int

    def pairs(self, stored: PairRows, families: list[I64], threshold: float) -> PairRows:
        """Stored pairs of a relation with all that dense families have left out."""
        parts, finder = [], finder_of(stored.relation)
        for family in families:
            part = self._of(family)
            fresh = np.ones(len(family), np.bool_)
            found = finder.find(part.texts.streams, part.bags, threshold, 1.0, fresh, self.threads).pairs
            parts += list(part._judged(*_but(stored, family, found.a, found.b)))
        return _with(stored, parts)

    def links(self, families: list[I64], numbers: I64, threshold: float) -> I64:
        """All `similar` pairs that some documents have in their dense families: a, b, distance, longer."""
        parts = [np.empty((0, 4), np.int64)]
        for family in families:
            wanted = family[np.isin(family, numbers)]
            if not len(wanted):
                continue
            part = self._of(family)
            every, asked = np.arange(len(family)), np.searchsorted(family, wanted)
            alike = Alike(part.texts.streams, part.bags, every, threshold, self.threads)
            at_once = max(_COMPARED_AT_ONCE // len(family), 1)
            for first in range(0, len(asked), at_once):
                some = asked[first : first + at_once]
                links = alike.links(some, every)
                x, y = family[some[links.x]], family[links.y]
                parts.append(np.stack([np.minimum(x, y), np.maximum(x, y), links.distance, links.longer], axis=1))
        return np.unique(np.concatenate(parts), axis=0)

    def edges(self, stored: PairRows, pairs: I64) -> PairRows:
        """Stored `similar` pairs with some others that are similar, given as rows of two passages."""
        a, b = (np.searchsorted(self.texts.numbers, column) for column in pairs.reshape(-1, 2).T)
        return _with(stored, list(self._judged(*_but(stored, self.texts.numbers, a, b))))

    def _of(self, family: I64) -> Completing:
        """Only the texts of a family."""
        if len(family) == len(self.texts):
            return self
        part = self.texts.take(places_of(self.texts.numbers, family, "dense_families.passage"))
        return replace(self, texts=part, bags=part.bags(self.threads))

    def _judged(self, a: I32, b: I32) -> Iterator[_Part]:
        """The measures and kinds of pairs of texts, some at a time."""
        texts = self.texts
        dates = self.date_of(texts.numbers)
        passages = Passages.of(texts.streams, texts.signs, dates, texts.vocabulary, self.bags)
        for judged in judge_in_parts(passages, a, b, floors_of(self.settings), self.threads, far=False):
            yield _columns_of_judged(judged, texts.numbers), judged.kinds


_Part = tuple[I64, list[str]]


def _codes(a: I64, b: I64, texts: int) -> I64:
    codes: I64 = np.minimum(a, b).astype(np.int64) * texts + np.maximum(a, b)
    return codes


def _but(stored: PairRows, numbers: I64, a: I64, b: I64) -> tuple[I32, I32]:
    """Pairs of places in `numbers` that are not stored, each once, a < b."""
    most = int(max(numbers.max(initial=0), stored.columns[:, :2].max(initial=0))) + 1
    codes = np.unique(_codes(numbers[a], numbers[b], most))
    codes = codes[~np.isin(codes, _codes(stored.columns[:, 0], stored.columns[:, 1], most))]
    first, second = (np.searchsorted(numbers, column).astype(np.int32) for column in (codes // most, codes % most))
    return first, second


def _with(stored: PairRows, parts: list[_Part]) -> PairRows:
    """Stored pairs with others, in order."""
    every = np.concatenate([stored.columns, *(columns for columns, _ in parts)])
    kinds = [*stored.kinds, *(kind for _, some in parts for kind in some)]
    order = np.lexsort((every[:, 1], every[:, 0]))
    return PairRows(stored.relation, every[order], [kinds[i] for i in order.tolist()])


def _columns_of_judged(judged: Judged, numbers: I64) -> I64:
    """As `PairRows` has them."""
    measured = [judged.measured[name] for name in MEASURED]
    return np.stack([numbers[judged.a], numbers[judged.b], *measured], axis=1)
