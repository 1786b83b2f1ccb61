"""Dense families of a wave and all before it: what is known, what is kept, how many pairs are not, and their stars."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truecopy.group.alike import Alike
from truecopy.group.dense_star import dense_star
from truecopy.group.families import Families
from truecopy.group.kept import Nearest, most_contained_pairs, most_similar_pairs, with_longest, with_principals
from truecopy.pairing import Contained, Similar, keep_contained, keep_similar
from truecopy.settings import MatterSettings
from truecopy.text.streams import Bags
from truecopy.text.texts import Texts

Flags = NDArray[np.bool_]
I64 = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class StoredFamilies:
    """What is stored of a relation: families, and the pairs, as places of texts."""

    families: Families
    a: I64
    b: I64


def stored_families(texts: int, pairs: I64, members: I64, dense: int) -> StoredFamilies:
    """The families of so many texts, by the stored pairs, and by the members of families that are dense already: rows
    of two places.
    """
    families = Families(texts, dense)
    if families.possible:
        for joined in (pairs, members):
            if len(joined):
                families.join(joined[:, 0], joined[:, 1])
    return StoredFamilies(families, pairs[:, 0], pairs[:, 1])


def keep_dense(
    texts: Texts,
    known: Mapping[str, StoredFamilies],
    found: tuple[Similar, Contained],
    fresh: Flags,
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
    families, others = known["similar"].families, known["contains"].families
    if not families.dense() and not others.dense():
        return found
    heads = np.array([principals.get(number, -1) for number in texts.numbers.tolist()], np.int64)
    principal = np.where(heads >= 0, np.searchsorted(texts.numbers, heads), -1)
    nearest = Nearest(texts.streams, fresh, settings.nearest, threads)
    kept = [with_principals(families, fresh, principal, nearest)]
    kept.append(with_longest(others, fresh, texts.streams.lengths, nearest))
    links = np.array(sorted((min(pair), max(pair)) for pair in shown.items()), np.int64).reshape(-1, 2)
    places = np.searchsorted(texts.numbers, links).astype(np.int32)
    kept.append((places[:, 0], places[:, 1]))
    inside = families.inside(contained.a, contained.b)
    kept.append((contained.a[inside], contained.b[inside]))
    pairs = np.concatenate([pair[0] for pair in kept]), np.concatenate([pair[1] for pair in kept])
    contained = keep_contained(texts.streams, contained, pairs, settings.contains_floor, threads)
    return keep_similar(texts.streams, similar, pairs, settings.floor, threads), contained


def density(
    settings: MatterSettings,
    texts: Texts,
    known: Mapping[str, StoredFamilies],
    stored: tuple[Similar, Contained],
) -> list[tuple[str, int, int, int]]:
    """The passages of dense families, and how many of their pairs are not stored, at most: rows of the database."""
    similar, contained = stored
    rows = []
    for relation, a, b in (("similar", similar.a, similar.b), ("contains", contained.a, contained.b)):
        before = known[relation]
        families = before.families
        inside = np.zeros(len(families), np.int64)
        for x, y in ((before.a, before.b), (a, b)):
            inside += np.bincount(families.labels[x[families.inside(x, y)]], minlength=len(families))
        for family in families.dense():
            first = int(family[0])
            if relation == "similar":
                most = most_similar_pairs(texts.streams.lengths[family], settings.floor)
            else:
                most = most_contained_pairs(contained.sizes[family])
            left = {first: most - int(inside[first])}
            head = int(texts.numbers[first])
            rows += [(relation, int(texts.numbers[text]), head, left.get(text, 0)) for text in family.tolist()]
    return rows


class DenseStars:
    """Groups the passages of dense families at a threshold."""

    def __init__(self, texts: Texts, bags: Bags, families: list[I64], threshold: float, threads: int) -> None:
        """`families` are passages."""
        self._texts, self._bags, self._threshold, self._threads = texts, bags, threshold, threads
        self.families = families
        self.shown: dict[int, int] = {}
        """Linked passages that were found, each with one that it is similar to."""

    def stars(self, order: I64, settled: Mapping[int, int]) -> tuple[I64, I64]:
        """The principals of passages that are given in rule order; and of those that are linked a passage that shows
        it, -1 for the others.
        """
        places = np.searchsorted(self._texts.numbers, order)
        alike = Alike(self._texts.streams, self._bags, places, self._threshold, self._threads)
        rank = {number: place for place, number in enumerate(order.tolist())}
        before = np.array([rank[settled[number]] if number in settled else -1 for number in order.tolist()], np.int64)
        stars = dense_star(alike, places, before)
        shown = np.where(stars.shown < 0, -1, order[stars.shown])
        self.shown.update({a: b for a, b in zip(order.tolist(), shown.tolist(), strict=True) if b >= 0})
        return order[stars.principal], shown
