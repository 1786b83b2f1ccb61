"""`bands`: sketches that share enough of their slots, at a recall that you ask for; approximate, and says how much.

A row is found if it agrees with the query in all slots of one band (index/cuts: how many bands, of how many rows, and
why that reaches the recall), and only rows that truly have enough equal slots are hits. The threshold comes with each
call, so a block is not made for one: it keeps its rows in up to 64 orders, each by the slots from one of 64 places on,
and any number of rows up to 32 is a beginning of such an order. Every second order reaches twice as far, every fourth
four times, so that bands of more rows never overlap. Where no cut of these reaches the recall, all rows are counted,
which is exact; so is a query whose bands hold more rows than there are. The orders take 8 bytes for each row and
order, 512 beside a sketch of 1,024.

All pairs are found with bands of any size, sorted when asked (kernels/bands). The cost is the rows times the bands,
plus the pairs that meet; each pair is given once, though it may be looked at in several bands. Boilerplate makes rows
agree that are not near. Rows with equal sketches are represented by the first, so a thousand copies meet others once;
what they add is their own pairs, which are all true. Bands in which very many rows agree are left out, as far as the
recall allows (index/cuts: `spare`). One case remains: texts that all share nearly as much as is asked for do meet, and
all pairs of such a family are looked at, which takes as long as looking at everything.

Candidates for verification on the texts (`band_candidates`) are pairs that meet and have at least `least_equal` equal
slots: at the least resemblance that texts at the threshold have, one pair in a million has fewer. Without this test,
one common passage in a band would make a pair of every two texts that have it, each to be compared word by word for
nothing. The millionth is subtracted from the stated recall. Texts whose lengths differ too much to be similar do not
meet at all, which loses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import I32, I64, U32, Flags, Places, Stored, Values
from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.cuts import MOST_ROWS, Cut, aim, cut_for, disjoint
from truecopy.index.equality import row_hashes
from truecopy.index.found import Found
from truecopy.index.index import Advance, Index
from truecopy.index.limits import Limit, Share
from truecopy.index.rows import Rows
from truecopy.kernels.arrays import read_only
from truecopy.kernels.bands import hash_band, look_in_bands, order_band, pairs_of_band
from truecopy.progress import in_passes
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec
from truecopy.stopping import check
from truecopy.threads import Pool
from truecopy.threshold import WHOLE, ten_thousandths

MOST_ORDERS = 64
DEFAULT_RECALL = 0.999
_PAIRS_AT_ONCE = 1 << 16
_HITS_AT_ONCE = 1 << 12
_MANY = 5_000
"""With this many rows or more, bands are weighed before they are read."""
_PAIRS_A_ROW = 100
"""A band with this many pairs for each row, or more, is expensive."""


class Bands(Index):
    """Finds sketches by bands of their slots."""

    name = "bands"
    accepts = (Share,)

    takes = ("recall",)

    def __init__(self, spec: Spec, *, recall: float = DEFAULT_RECALL) -> None:
        if isinstance(recall, bool) or not isinstance(recall, int | float) or not 0 < recall <= 1:
            raise BadSetting(
                f"The recall was given as {recall!r}, but it must be over 0 and up to 1.", "Give for example 0.999."
            )
        super().__init__(spec, recall=recall)
        self._aim = aim(recall)

    def build(self, rows: Rows) -> dict[str, Stored]:
        """The reliable rows, in the order of each band's slots, with the first of them."""
        places = np.flatnonzero(rows.reliable).astype(np.int32)
        values = read_only(rows.values)
        stride, count = layout(values.shape[1])
        keys, order = np.empty((count, len(places)), np.uint32), np.empty((count, len(places)), np.int32)
        for band in range(count):
            first = band * stride
            last = min(first + reach(band, stride, count), values.shape[1])
            order_band(values, places, first, last, keys[band], order[band])
        return {"keys": keys, "order": order}

    def sound(self, block: Block) -> bool:
        """Whether every order names rows that exist."""
        arrays, rows = block.arrays, block.rows
        _, count = layout(rows.values.shape[1])
        shape = (count, int(rows.reliable.sum()))
        if set(arrays) != {"keys", "order"} or any(array.shape != shape for array in arrays.values()):
            return False
        order = arrays["order"]
        if arrays["keys"].dtype != np.uint32 or order.dtype != np.int32:
            return False
        return bool(order.size == 0 or (order.min() >= 0 and order.max() < len(rows)))

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:  # noqa: ARG002
        """Rows that meet each query in a band and have enough equal slots."""
        values = read_only(block.rows.values)
        slots = values.shape[1]
        need = _need(limit, slots)
        cut = cut_for(slots, need, self._aim, stored_bands)
        stride, _ = layout(slots)
        bands, rows = (_chosen(slots, cut.rows)[: cut.bands], cut.rows) if cut else (np.empty(0, np.int64), 1)
        given = (
            values, read_only(block.arrays["order"][0]),  # every reliable row, in some order
            read_only(block.arrays["keys"]), read_only(block.arrays["order"]),
            read_only(queries.values), read_only(queries.reliable), bands, stride, rows, need,
        )  # fmt: skip
        found, examined, at, room = [], 0, 0, _HITS_AT_ONCE
        while at < len(queries):
            query, place, equal = (np.empty(room, np.int64) for _ in range(3))
            at, hits, looked, more = look_in_bands(*given, at, query, place, equal)
            found.append(Found.make(query[:hits], place[:hits], equal[:hits], slots, 0))
            examined += looked
            room = max(room, more)
        whole = Found.together(found)
        return Found(whole.query, whole.place, whole.value, whole.whole, examined)

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """Every pair that meets in a band and has enough equal slots."""
        rows = block.rows
        slots = rows.values.shape[1]
        cut = self.cut(limit)
        places = np.flatnonzero(rows.reliable)
        copies = Copies.of(rows, places)
        x, y, equal, examined = meeting_pairs(Meeting.of_all(rows.values, copies.firsts), cut, threads, advance)
        one, other, value = copies.expand(x, y, equal, slots)
        return Found.make(np.minimum(one, other), np.maximum(one, other), value, slots, examined)

    def cut(self, limit: Limit) -> Cut:
        """The cut that finds all pairs; with bands of one row, every pair that shares a slot meets."""
        slots = self._slots()
        need = _need(limit, slots)
        return cut_for(slots, need, self._aim, disjoint) or Cut(slots, 1, 1.0, need)

    def recall(self, limit: Limit) -> float:
        """The chance that a hit at the threshold is found: the lesser of search and pairs."""
        slots = self._slots()
        searched = cut_for(slots, _need(self._checked(limit), slots), self._aim, stored_bands)
        return min(searched.recall if searched else 1.0, self.cut(limit).recall)

    def _slots(self) -> int:
        parameters = dict(self.spec.parameters)
        return int(parameters["slots"] if "slots" in parameters else parameters["n"])

    def _checked(self, limit: Limit) -> Limit:
        if isinstance(limit, Share) and limit.of != "slots":
            raise BadSetting(f"The bands index was asked for the share of {limit.of!r}.", "Ask for a share of slots.")
        return super()._checked(limit)


def layout(slots: int) -> tuple[int, int]:
    """How far apart stored bands begin, and how many there are."""
    stride = -(-slots // MOST_ORDERS)
    return stride, slots // stride


def reach(band: int, stride: int, count: int) -> int:
    """The most rows that a stored band can have without overlapping the next that has as many."""
    steps = band & -band if band else 1 << count.bit_length()
    return min(MOST_ROWS, stride * steps)


def _chosen(slots: int, rows: int) -> I64:
    """The stored bands that have this many rows and do not overlap."""
    stride, count = layout(slots)
    step = 1
    while step * stride < rows:
        step *= 2
    bands = np.arange(0, count, step, dtype=np.int64)
    return bands[bands * stride + rows <= slots]


def stored_bands(slots: int, rows: int) -> int:
    """How many stored bands have this many rows."""
    return len(_chosen(slots, rows))


def _need(limit: Limit, slots: int) -> int:
    assert isinstance(limit, Share)
    return max(1, -(-limit.least * slots // WHOLE))


@dataclass(frozen=True, slots=True)
class Meeting:
    """Rows among which pairs are looked for, in order of length."""

    values: Values
    places: Places
    lengths: I64
    least: int
    """The least that the shorter length may be of the longer, in ten-thousandths of a per cent."""
    fresh: Flags
    families: Places | None = None
    """A number for each, or -1; pairs of one family are passed over."""

    @classmethod
    def of_all(cls, values: Values, places: Places, fresh: Flags | None = None) -> Meeting:
        """Whatever their length."""
        marked = np.ones(len(places), np.bool_) if fresh is None else fresh
        return cls(values, places, np.zeros(len(places), np.int64), 0, marked)


def meeting_pairs(
    among: Meeting, cut: Cut, threads: int, advance: Callable[[int], None] | None
) -> tuple[I64, I64, I64, int]:
    """Pairs of rows that meet in a band and have enough equal slots: positions, equal slots, pairs counted.

    Threads read the bands; a pair belongs to the first band in which it meets, so that no thread waits for another.
    """
    values, places = read_only(among.values), read_only(among.places.astype(np.int32))
    lengths, fresh = read_only(among.lengths), read_only(among.fresh)
    count = len(places)

    def of_band(firsts: I64) -> tuple[list[I64], int]:
        keys, order = _sorted_band(values, places, int(firsts[-1]), cut.rows)
        last_fresh = np.maximum.accumulate(np.where(fresh[order], np.arange(count), -1))
        x, y, equal = (np.empty(_PAIRS_AT_ONCE, np.int64) for _ in range(3))
        found, examined, at, other = [], 0, 0, -1
        while at < count:
            check()
            at, other, pairs, looked = pairs_of_band(
                values, places, lengths, among.least, WHOLE, fresh, last_fresh, keys, order,
                read_only(firsts), cut.rows, cut.need, at, other, x, y, equal,
            )  # fmt: skip
            some = np.stack([x[:pairs], y[:pairs], equal[:pairs]])
            found.append(some if among.families is None else some[:, _apart(among.families, some[0], some[1])])
            examined += looked
        return found, examined

    def told(band: tuple[list[I64], int]) -> tuple[list[I64], int]:
        tell(count)
        return band

    with Pool(max(threads, 1)) as pool:
        firsts = _cheap_bands(values, places, cut, pool) if count else np.empty(0, np.int64)
        tell = in_passes(advance or (lambda _: None), max(len(firsts), 1))
        parts = [told(band) for band in pool.map(of_band, [firsts[: band + 1] for band in range(len(firsts))])]
    pairs = np.concatenate([np.empty((3, 0), np.int64), *(piece for found, _ in parts for piece in found)], axis=1)
    return pairs[0], pairs[1], pairs[2], sum(examined for _, examined in parts)


def _apart(families: Places, x: I64, y: I64) -> Flags:
    """Which pairs are not of one family."""
    apart: Flags = (families[x] < 0) | (families[x] != families[y])
    return apart


def _sorted_band(values: Values, places: I32, first: int, rows: int) -> tuple[U32, I32]:
    keys, order = np.empty(len(places), np.uint32), np.empty(len(places), np.int32)
    hash_band(values, places, first, rows, keys, order)
    return keys, order


def _cheap_bands(values: Values, places: I32, cut: Cut, pool: Pool) -> I64:
    """The first slots of the bands to read, without bands in which very many rows agree, if the recall allows it."""
    usual = np.arange(cut.bands, dtype=np.int64) * cut.rows
    if len(places) < _MANY or not cut.spare:
        return usual
    every = np.arange(disjoint(values.shape[1], cut.rows), dtype=np.int64) * cut.rows

    def pairs(first: int) -> int:
        keys, _ = _sorted_band(values, places, first, cut.rows)
        sizes = np.diff(np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1], [True]])))
        return int((sizes * (sizes - 1)).sum()) // 2

    costs = np.array(list(pool.map(pairs, every.tolist())), np.int64)
    worst = np.argsort(-costs, kind="stable")[: cut.spare]
    worst = worst[costs[worst] > _PAIRS_A_ROW * len(places)]
    return np.delete(every, worst) if len(worst) else usual


@dataclass(frozen=True, slots=True)
class Copies:
    """Rows with equal sketches, represented by the first."""

    members: Places
    """Places, those of equal rows together."""
    starts: Places
    """Where the members of each row begin, and the end."""

    @classmethod
    def of(cls, rows: Rows, places: Places) -> Copies:
        """Rows with all slots equal: a hash finds them, and the slots decide."""
        hashes = row_hashes(rows)[places]
        order = np.lexsort((places, hashes))
        members = places[order]
        same = np.zeros(len(members), np.bool_)
        at = np.flatnonzero(hashes[order][1:] == hashes[order][:-1]) + 1
        same[at] = (rows.values[members[at]] == rows.values[members[at - 1]]).all(axis=1)
        return cls(members, np.append(np.flatnonzero(~same), len(members)))

    @property
    def firsts(self) -> Places:
        """The row that represents each set of copies."""
        return self.members[self.starts[:-1]]

    def expand(self, x: I64, y: I64, equal: I64, slots: int) -> tuple[Places, Places, I64]:
        """Pairs of copies of two rows, and of copies of one."""
        sizes = np.diff(self.starts)
        each, within = _products(sizes[x], sizes[y])
        one = self.members[self.starts[x][each] + within // sizes[y][each]]
        other = self.members[self.starts[y][each] + within % sizes[y][each]]
        several = np.flatnonzero(sizes > 1)
        own, inside = _products(sizes[several], sizes[several])
        first, second = inside // sizes[several][own], inside % sizes[several][own]
        own, first, second = own[first < second], first[first < second], second[first < second]
        begin = self.starts[several][own]
        return (
            np.concatenate([one, self.members[begin + first]]),
            np.concatenate([other, self.members[begin + second]]),
            np.concatenate([equal[each], np.full(len(own), slots, np.int64)]),
        )


def _products(x: Places, y: Places) -> tuple[Places, Places]:
    """For sets of x · y things: which set each is of, and its number there."""
    sizes = x * y
    each = np.repeat(np.arange(len(sizes)), sizes)
    return each, np.arange(len(each)) - np.repeat(np.cumsum(sizes) - sizes, sizes)


def band_candidates(
    signatures: Signatures,
    cut: Cut,
    eligible: Flags,
    fresh: Flags,
    *,
    lengths: I64 | None = None,
    threshold: float = 100,
    threads: int = 1,
    advance: Callable[[int], None] | None = None,
    families: Places | None = None,
) -> tuple[I32, I32]:
    """Every pair of eligible texts that is worth verifying and has a fresh text, as two sorted columns.

    Where lengths in words are given, pairs that cannot be similar at the threshold are left out; where families are
    given (a number for each text, or -1), pairs of one family are.
    """
    texts = np.flatnonzero(eligible & signatures.reliable)
    among = Meeting.of_all(signatures.values, texts, fresh[texts])
    if lengths is not None:
        texts = texts[np.argsort(lengths[texts], kind="stable")]
        ordered = np.ascontiguousarray(lengths[texts], np.int64)
        among = Meeting(signatures.values, texts, ordered, ten_thousandths(threshold), fresh[texts])
    if families is not None:
        among = replace(among, families=families[texts])
    x, y, _, _ = meeting_pairs(among, cut, threads, advance)
    a, b = np.minimum(texts[x], texts[y]), np.maximum(texts[x], texts[y])
    by_a = np.lexsort((b, a))
    return a[by_a].astype(np.int32), b[by_a].astype(np.int32)
