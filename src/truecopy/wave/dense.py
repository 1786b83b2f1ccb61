"""Dense families of a wave and all before it: what is known, what is kept, how many pairs are not, and their stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I32, I64
from truecopy.group.alike import Alike
from truecopy.group.dense_star import dense_star
from truecopy.group.families import Families
from truecopy.group.kept import Nearest, with_longest, with_principals
from truecopy.match.relations import RELATIONS, floors_of
from truecopy.pairing import Verified, at_places, every_shingle, finder_of, in_order
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
class Stored:
    """The pairs of a wave that are to be stored."""

    pairs: Mapping[str, Verified]
    """By relation; of places among the passages that are looked at."""
    shingles: I64
    """Distinct ones of each passage that has a pair."""


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
    found: Mapping[str, Verified],
    shingles: I64,
    principals: Mapping[int, int],
    shown: Mapping[int, int],
    settings: MatterSettings,
    threads: int,
) -> Stored:
    """The pairs to store: those found outside of dense families, and what is kept of these.

    `shingles` are those of the passages that pairs were looked for with. `principals` has at least those of all
    passages of dense families. `shown` has linked passages, each with one that it is similar to: these pairs are kept
    too, so that a stored pair shows what is said of a document. Each pair that is kept for one relation is verified for
    the others as well: its kind depends on all.
    """
    dense = [family for one in known.values() for family in one.families.dense()]
    if not dense:
        return Stored(found, shingles)
    places = np.unique(np.concatenate(dense))
    texts, fresh = looked_at.texts(places), looked_at.fresh[places]
    heads = np.array([principals.get(number, -1) for number in texts.numbers.tolist()], np.int64)
    heads = _places_of(heads, texts.numbers)
    nearest = Nearest(texts.streams, fresh, settings.nearest, threads)
    links = np.array(sorted((min(pair), max(pair)) for pair in shown.items()), np.int64).reshape(-1, 2)
    kept = [_inside(links, texts.numbers)]
    for relation in RELATIONS:
        every = known[relation.name].families
        families = every.only(places)
        if not relation.grouped:
            kept.append(with_longest(families, fresh, texts.streams.lengths, nearest))
            continue
        kept.append(with_principals(families, fresh, heads, nearest))
        for other in found.values():  # what another relation holds for, and was passed over for this one
            inside = every.inside(other.a, other.b)
            kept.append(_inside(np.stack([other.a[inside], other.b[inside]], axis=1), places))
    pairs = np.concatenate([pair[0] for pair in kept]), np.concatenate([pair[1] for pair in kept])
    own, floors, stored = every_shingle(texts.streams, threads), floors_of(settings), {}
    for name, one in found.items():
        more = finder_of(name).verify(texts.streams, pairs, own, floors[name], threads)
        stored[name] = in_order([one, at_places(more, places)])
    shingles = shingles.copy()
    shingles[places] = own
    return Stored(stored, shingles)


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
    stored: Stored,
    count: Callable[[str, I64], int],
    settings: MatterSettings,
) -> list[FamilyChanges]:
    """What becomes of the families; `count` says how many pairs of a relation the matter has whose first passage is one
    of some.
    """
    changes, floors = [], floors_of(settings)
    for relation, one in known.items():
        found = stored.pairs[relation]
        families = one.families.copy()
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
            most = finder_of(relation).most(looked_at.lengths[family], stored.shingles[family], floors[relation])
            left_out[int(labels[family[0]])] = most - have
        known_before = changed[one.labels[changed] > 0]
        gone = dict(zip(one.labels[known_before].tolist(), labels[known_before].tolist(), strict=True))
        moved = dict(zip(looked_at.numbers[changed].tolist(), labels[changed].tolist(), strict=True))
        changes.append(FamilyChanges(relation, moved, left_out, gone))
    return changes


class DenseStars:
    """Groups the passages of dense families at a threshold."""

    def __init__(self, texts: Texts, bags: Bags, families: list[I64], threshold: float, threads: int) -> None:
        """`families` are passages."""
        self._texts, self._bags, self._threshold, self._threads = texts, bags, threshold, threads
        self.families = families

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
        return order[stars.principal], np.where(stars.shown < 0, -1, every[stars.shown])
