"""Which contained texts the report lists: those that no group and no link shows.

A collection of thousands of short notices has millions of such pairs, so all of this is done over columns, and a holder
becomes an object only where somebody looks at it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from truecopy.model import Document, Grouping
from truecopy.report.page import ContainedText, Holder

if TYPE_CHECKING:
    from truecopy.array_types import F64, I8, I32, Flags
    from truecopy.matter.sql.pairs import Containments

MOST_CONTAINED = 50_000
"""Rows of contained texts in a page, some 600 kB, and in a workbook; a dense family can have millions."""
_SHOWN_EVEN_SO = ("excerpt", "contained")
"""A group does not say which of its documents is a part of which."""


def contained_texts(
    pairs: Containments, grouping: Grouping, documents: Sequence[Document]
) -> tuple[tuple[ContainedText, ...], int]:
    """Each text that is contained in others, with those others, most complete first; and how many pairs are left out.

    Two texts that are similar at the threshold are left out if they are in one group, or linked.
    """
    import numpy as np

    if not len(pairs.a):
        return (), 0
    by_number = {one.number: one for one in documents}
    words = np.zeros(max(by_number) + 1, np.int64)
    for number, one in by_number.items():
        words[number] = one.words
    apart = ~_together(pairs, grouping, documents, len(words))
    a, b = pairs.a[apart], pairs.b[apart]
    sizes = pairs.a_shingles[apart], pairs.b_shingles[apart]
    # The one of which more is in the other is the contained one; of two that hold each other, that with fewer words.
    turned = (sizes[1] < sizes[0]) | ((sizes[1] == sizes[0]) & (words[b] < words[a]))
    part, whole = np.where(turned, b, a), np.where(turned, a, b)
    share = 100.0 * pairs.shared[apart] / np.where(turned, sizes[1], sizes[0])
    counts = np.bincount(part, minlength=len(words))
    order = np.lexsort((whole, -share, part, -counts[part]))
    part, whole, share, kinds = part[order], whole[order], share[order], pairs.kinds[apart][order]
    starts = np.flatnonzero(np.r_[True, part[1:] != part[:-1]][: len(part)])
    ends = np.append(starts, len(part))[1:]
    found = tuple(
        ContainedText(
            by_number[int(part[start])],
            Holders(by_number, whole[start:end], share[start:end], kinds[start:end], pairs.names),
        )
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
    )
    return found, len(pairs.a) - len(part)


def most_holders(contained: Sequence[ContainedText], rows: int | None = None) -> int:
    """How many documents a list names, at most, for one contained text, so that all together have so many rows.

    Each has at least one, and what a text with few holders does not need is left to the others.
    """
    rows = left = MOST_CONTAINED if rows is None else rows
    sizes = sorted(len(one.holders) for one in contained)
    for done, size in enumerate(sizes):
        most = max(left // (len(sizes) - done), 1)
        if size > most:
            return most
        left -= size
    return rows


class Holders(Sequence[Holder]):
    """The documents that hold a text, most complete first; each is made when it is asked for."""

    __slots__ = ("_documents", "_kinds", "_names", "_numbers", "_shares")

    def __init__(
        self, documents: Mapping[int, Document], numbers: I32, shares: F64, kinds: I8, names: Sequence[str]
    ) -> None:
        self._documents, self._numbers, self._shares = documents, numbers, shares
        self._kinds, self._names = kinds, names

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, place: int) -> Holder: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Holder]: ...

    def __getitem__(self, place: int | slice) -> Holder | Sequence[Holder]:
        if isinstance(place, slice):
            return Holders(self._documents, self._numbers[place], self._shares[place], self._kinds[place], self._names)
        document = self._documents[int(self._numbers[place])]
        return Holder(document, float(self._shares[place]), self._names[int(self._kinds[place])])

    def __iter__(self) -> Iterator[Holder]:
        columns = self._numbers.tolist(), self._shares.tolist(), self._kinds.tolist()
        for number, share, kind in zip(*columns, strict=True):
            yield Holder(self._documents[number], share, self._names[kind])


def _together(pairs: Containments, grouping: Grouping, documents: Sequence[Document], numbers: int) -> Flags:
    """Which pairs other lists show already."""
    import numpy as np

    group = np.zeros(numbers, np.int64)
    for place, one in enumerate(grouping.groups, 1):
        group[[one.principal.number, *(member.document.number for member in one.members)]] = place
    same = (group[pairs.a] == group[pairs.b]) & (group[pairs.a] > 0)
    if grouping.linked:
        known = {one.id: one.number for one in documents}
        links = [sorted((one.document.number, known[link.id])) for one in grouping.linked for link in one.links]
        codes = [first * numbers + second for first, second in links]
        lower, upper = np.minimum(pairs.a, pairs.b), np.maximum(pairs.a, pairs.b)
        same |= np.isin(lower.astype(np.int64) * numbers + upper, codes)
    shown = [place for place, name in enumerate(pairs.names) if name in _SHOWN_EVEN_SO]
    together: Flags = same & pairs.similar & ~np.isin(pairs.kinds, shown)
    return together
