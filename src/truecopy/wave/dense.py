"""Dense families of a wave and all before it: what is known, what is kept, how many pairs are not, and their stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.group.alike import Alike
from truecopy.group.dense_star import dense_star
from truecopy.group.families import Families
from truecopy.group.kept import Nearest, most_contained_pairs, most_similar_pairs, with_longest, with_principals
from truecopy.pairing import (
    Contained,
    Similar,
    at_places,
    in_order,
    shingles_of,
    verified_contained,
    verified_similar,
)
from truecopy.settings import MatterSettings
from truecopy.text.streams import Bags
from truecopy.text.texts import Texts
from truecopy.wave.looked import LookedAt


@dataclass(frozen=True, slots=True)
class KnownFamilies:
    """The families of some texts, by the pairs of a relation that are known so far."""

    families: Families
    labels: I64
    """The family that the matter has each text in: its first passage; 0 for none."""

    @classmethod
    def of(cls, labels: I64, dense: int) -> KnownFamilies:
        """As the matter has them; of a family that is dense, or may become so, all texts must be given."""
        families = Families(len(labels), dense)
        known = np.flatnonzero(labels)
        _, first, which = np.unique(labels[known], return_index=True, return_inverse=True)
        families.join(known, known[first][which])
        return cls(families, labels)


@dataclass(frozen=True, slots=True)
class FamilyChanges:
    """What a wave does to the families of one relation."""

    relation: str
    families: dict[int, int]
    """Passages that are in another family than before."""
    left_out: dict[int, int]
    """The dense families among those that were looked at, and how many pairs each lacks, at most."""
    gone: dict[int, int]
    """Families that others took in, and which; all their passages move with them."""


def keep_dense(
    looked_at: LookedAt,
    known: Mapping[str, KnownFamilies],
    found: tuple[Similar, Contained],
    principals: Mapping[int, int],
    shown: Mapping[int, int],
    settings: MatterSettings,
    threads: int,
) -> tuple[Similar, Contained]:
    """The pairs to store: those found outside of dense families, and what is kept of these.

    `principals` has at least those of all passages of dense families. `shown` has linked passages, each with one that
    it is similar to: these pairs are kept too, so that a stored pair shows what is said of a document. Each pair that
    is kept for one relation is verified for the other as well: its kind depends on both.
    """
    similar, contained = found
    every = [known[name].families for name in ("similar", "contains")]
    dense = [family for families in every for family in families.dense()]
    if not dense:
        return found
    places = np.unique(np.concatenate(dense))
    texts, fresh = looked_at.texts(places), looked_at.fresh[places]
    families, others = (one.only(places) for one in every)
    heads = np.array([principals.get(number, -1) for number in texts.numbers.tolist()], np.int64)
    nearest = Nearest(texts.streams, fresh, settings.nearest, threads)
    kept = [with_principals(families, fresh, _places_of(heads, texts.numbers), nearest)]
    kept.append(with_longest(others, fresh, texts.streams.lengths, nearest))
    links = np.array(sorted((min(pair), max(pair)) for pair in shown.items()), np.int64).reshape(-1, 2)
    kept.append(_inside(links, texts.numbers))
    inside = every[0].inside(contained.a, contained.b)
    kept.append(_inside(np.stack([contained.a[inside], contained.b[inside]], axis=1), places))
    pairs = np.concatenate([pair[0] for pair in kept]), np.concatenate([pair[1] for pair in kept])
    counted = shingles_of(texts.streams, settings.contains_floor, threads)
    sizes = contained.sizes.copy()
    sizes[places] = counted.sizes
    more = verified_contained(texts.streams, counted, pairs, settings.contains_floor, threads)
    more_similar = verified_similar(texts.streams, similar, *pairs, settings.floor, threads)
    return (
        in_order([similar, at_places(more_similar, places)], len(looked_at)),
        in_order([replace(contained, sizes=sizes), at_places(more, places)], len(looked_at)),
    )


def _places_of(numbers: I64, among: I64) -> I64:
    """Where some numbers are among others, which are in order; -1 for those that are not."""
    places = np.searchsorted(among, numbers).clip(max=len(among) - 1)
    return np.where(among[places] == numbers, places, -1)


def _inside(pairs: I64, among: I64) -> tuple[I32, I32]:
    """Pairs of which both are among some numbers, by their places there."""
    places = _places_of(pairs.ravel().astype(np.int64), among).reshape(-1, 2)
    both = places[(places >= 0).all(axis=1)].astype(np.int32)
    return both[:, 0], both[:, 1]


def family_changes(
    looked_at: LookedAt,
    known: Mapping[str, KnownFamilies],
    stored: tuple[Similar, Contained],
    count: Callable[[str, I64], int],
    settings: MatterSettings,
) -> list[FamilyChanges]:
    """What becomes of the families; `count` says how many pairs of a relation the matter has whose first passage is one
    of some.
    """
    changes = []
    joined: dict[str, Similar | Contained] = dict(zip(known, stored, strict=True))
    for relation, one in known.items():
        found = joined[relation]
        families = one.families
        families.join(found.a, found.b)
        sizes = np.bincount(families.first, minlength=len(families))
        # A family is named by its first passage, which need not be among those that are looked at.
        named = np.where(one.labels > 0, one.labels, looked_at.numbers)
        first = np.full(len(families), np.iinfo(np.int64).max)
        np.minimum.at(first, families.first, named)
        labels = np.where((sizes[families.first] > 1) | (one.labels > 0), first[families.first], 0)
        changed = np.flatnonzero(labels != one.labels)
        left_out = {}
        for family in families.dense():
            inside = families.labels[found.a] == family[0]
            have = count(relation, looked_at.numbers[family]) + int(inside.sum())
            left_out[int(labels[family[0]])] = _most(relation, family, looked_at, stored[1], settings) - have
        known_before = changed[one.labels[changed] > 0]
        gone = dict(zip(one.labels[known_before].tolist(), labels[known_before].tolist(), strict=True))
        moved = dict(zip(looked_at.numbers[changed].tolist(), labels[changed].tolist(), strict=True))
        changes.append(FamilyChanges(relation, moved, left_out, gone))
    return changes


def _most(relation: str, family: I64, looked_at: LookedAt, contained: Contained, settings: MatterSettings) -> int:
    """How many pairs of a relation a family can have, at most."""
    if relation == "similar":
        return most_similar_pairs(looked_at.lengths[family], settings.floor)
    return most_contained_pairs(contained.sizes[family])


class DenseStars:
    """Groups the passages of dense families at a threshold."""

    def __init__(self, texts: Texts, bags: Bags, families: list[I64], threshold: float, threads: int) -> None:
        """`families` are passages."""
        self._texts, self._bags, self._threshold, self._threads = texts, bags, threshold, threads
        self.families = families
        self.shown: dict[int, int] = {}
        """Linked passages that were found, each with one that it is similar to."""

    def stars(self, order: I64, settled: Mapping[int, int], aside: tuple[I64, I64]) -> tuple[I64, I64]:
        """The principals of passages that are given in rule order; and of those that are linked a passage that shows
        it, -1 for the others. `aside` are those that are in no group, of earlier waves and new ones.
        """
        every = np.concatenate([order, *aside])
        places = np.searchsorted(self._texts.numbers, every)
        alike = Alike(self._texts.streams, self._bags, places, self._threshold, self._threads)
        rank = {number: place for place, number in enumerate(order.tolist())}
        before = np.array([rank[settled[number]] if number in settled else -1 for number in order.tolist()], np.int64)
        ends = len(order), len(order) + len(aside[0])
        stars = dense_star(alike, places[: ends[0]], before, (places[slice(*ends)], places[ends[1] :]))
        shown = np.where(stars.shown < 0, -1, every[stars.shown])
        self.shown.update({a: b for a, b in zip(order.tolist(), shown.tolist(), strict=True) if b >= 0})
        return order[stars.principal], shown
