"""`overlap`: texts that share enough of their words, whatever the order; exact for every threshold.

Two texts of word-level similarity ≥ s share at least s · (longer length) words, because each edit spoils at most one
of them. So this index misses no similar text, and verification has little to throw away. kernels/overlap.py says how
it finds them, index/overlap_lists.py what it keeps. Lists are made for a lowest threshold, the option `floor`; below
it, all rows of fitting length are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from truecopy.array_types import Argument, Flags, Places, Stored
from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.found import Found
from truecopy.index.index import Advance, Index
from truecopy.index.limits import Limit, Share
from truecopy.index.overlap_lists import (
    Lists,
    Ordered,
    Prefixes,
    as_given,
    least_shared,
    make_lists,
    most_before,
    own_prefixes,
    prefixes_of,
    put_in_order,
    some_in_order,
)
from truecopy.index.rounds import Some, in_rounds
from truecopy.index.rows import BAGS, Rows
from truecopy.kernels import overlap
from truecopy.kernels.arrays import read_only
from truecopy.spec import Spec
from truecopy.threads import in_pieces
from truecopy.threshold import WHOLE, ten_thousandths

Probe = Callable[[int, int, tuple[Places, Places, Places]], tuple[int, int, int]]

_PAIRS_AT_ONCE = 1 << 18
_AT_LEAST = 16
"""What a query costs beside its comparisons, in comparisons; it only says how work is split."""
_LIST_READS_A_PAIR = 4
"""Trying a pair of fitting length costs about as much as reading this many list entries (measured)."""
_LIST_READS_AN_ENTRY = 8
"""So does making lists and looking words up in them, for each entry of the rows."""
_FORMS = {
    "floor": np.int64,
    "order": np.int32,
    "lengths": np.int64,
    "histograms": np.uint64,
    "bits": np.uint64,
    "sums": np.uint16,
    "common": np.int64,
    "words": np.uint32,
    "ranks": np.int32,
    "starts": np.int64,
    "texts": np.int32,
    "before": np.uint32,
}
_ORDERED = ("order", "lengths", "histograms", "bits", "sums", "common")
_LISTS = ("words", "ranks", "starts", "texts", "before")


@dataclass(frozen=True, slots=True)
class Plan:
    """What a join would have to do: pairs of fitting length, list entries to read."""

    pairs: int
    reads: int

    @property
    def by_lists(self) -> bool:
        """Whether lists are the faster way."""
        return self.pairs * _LIST_READS_A_PAIR > self.reads

    @property
    def work(self) -> int:
        """An upper bound on the cost, in list entries read (about 5 ns each)."""
        return min(self.pairs * _LIST_READS_A_PAIR, self.reads)


class Overlap(Index):
    """Finds bags that share enough words of the longer one."""

    name = "overlap"
    accepts = (Share,)

    takes = ("floor", "shortest")

    def __init__(self, spec: Spec, *, floor: float = 50, shortest: int = 1) -> None:
        """Rows of fewer words than `shortest` are never found."""
        BAGS.must_equal(spec)
        super().__init__(spec, floor=floor, shortest=shortest)
        self._floor = ten_thousandths(floor, "floor")
        if isinstance(shortest, bool) or not isinstance(shortest, int) or shortest < 1:
            said = f"The shortest row was given as {shortest!r}, but it must be a whole number of words, 1 or more."
            raise BadSetting(said, "Give for example 10.")
        self._shortest = shortest

    def build(self, rows: Rows) -> dict[str, Stored]:
        """Order of length, histograms, and lists of the rarest words."""
        ordered = put_in_order(rows, self._shortest)
        lists = make_lists(ordered, self._floor)
        return {
            "floor": np.array([self._floor], np.int64),
            **{name: getattr(ordered, name) for name in _ORDERED},
            **{name: getattr(lists, name) for name in _LISTS},
        }

    def sound(self, block: Block) -> bool:
        """Whether every place, row and list that is named is there."""
        arrays = block.arrays
        if {name: array.dtype for name, array in arrays.items()} != {name: np.dtype(of) for name, of in _FORMS.items()}:
            return False
        places, words, entries = len(arrays["order"]), len(arrays["words"]), len(arrays["texts"])
        sizes = {"floor": 1, "order": places, "lengths": places, "sums": places, "words": words, "ranks": words}
        sizes |= {"starts": words + 1, "texts": entries, "before": entries}
        shapes: dict[str, tuple[int, ...]] = {name: (size,) for name, size in sizes.items()}
        shapes |= {"histograms": (places, overlap.HISTOGRAM), "bits": (places, overlap.BITS), "common": (places, 2)}
        if any(arrays[name].shape != shape for name, shape in shapes.items()):
            return False
        starts = arrays["starts"]
        if starts[0] != 0 or starts[-1] != entries or (np.diff(starts) < 0).any():
            return False
        if (np.diff(arrays["lengths"]) < 0).any() or not _ascending(arrays["texts"], starts):
            return False
        if len(np.unique(arrays["order"])) != places or len(np.unique(arrays["ranks"])) != words:
            return False
        below = (("order", len(block)), ("ranks", words), ("texts", places), ("floor", WHOLE + 1), ("lengths", 1 << 32))
        return all(_within(arrays[name], most) for name, most in below)

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:  # noqa: ARG002
        """The rows that share enough words with each query."""
        assert isinstance(limit, Share)
        ordered, asking, least = ordered_of(block), as_given(queries), limit.least
        windows, lists = Windows.outside(ordered, asking, least), lists_of(block)
        prefixes = prefixes_of(queries, lists) if least >= block.arrays["floor"][0] else None
        if prefixes is not None:
            reads = lists.reads(prefixes, most_before(asking.lengths, least))
            if int(reads.sum()) > _LIST_READS_A_PAIR * windows.pairs:
                prefixes = None
        if prefixes is None:
            probe = _trying_all(asking, windows, ordered, least, True)
        else:
            table = table_for(int(reads.max(initial=0)), len(ordered))
            probe = _asking_lists(
                asking, windows, ordered, least, True, prefixes, lists, (int(block.arrays["floor"][0]), table)
            )
        query, place, shared, examined = _in_turn(probe, 0, len(queries), windows.widest)
        whole = np.maximum(asking.lengths[query], ordered.lengths[place])
        return Found.make(query, ordered.order[place], shared, whole, examined)

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """Every pair; the longer of the two asks."""
        assert isinstance(limit, Share)
        joining = OverlapJoin.of_block(block, limit.least)
        x, y, shared, examined = joining.run(threads, advance)
        order, lengths = joining.ordered.order, joining.ordered.lengths
        a, b = np.minimum(order[x], order[y]), np.maximum(order[x], order[y])
        return Found.make(a, b, shared, np.maximum(lengths[x], lengths[y]), examined)

    def _checked(self, limit: Limit) -> Limit:
        if isinstance(limit, Share) and limit.of != "longer":
            said = f"The overlap index was asked for the share of {limit.of!r}."
            raise BadSetting(said, "Ask for the share of the longer.")
        return super()._checked(limit)


class OverlapJoin:
    """Rows joined with themselves, at one share in ten-thousandths."""

    def __init__(self, ordered: Ordered, least: int, lists: Callable[[], Lists]) -> None:
        """Lists are made when they are needed; small sets need none."""
        self.ordered = ordered
        self._least = least
        self._make_lists = lists
        self._made: Lists | None = None

    @classmethod
    def of_ordered(cls, ordered: Ordered, least: int) -> OverlapJoin:
        """Of rows that have no index yet, in order of length."""
        return cls(ordered, least, lambda: make_lists(ordered, least))

    @classmethod
    def of_block(cls, block: Block, least: int) -> OverlapJoin:
        """Of a block, whose own lists serve from their floor on."""
        ordered, floor = ordered_of(block), int(block.arrays["floor"][0])
        if least < floor:
            return cls(ordered, least, lambda: make_lists(ordered, least))
        slacks = most_before(ordered.lengths, least)
        return cls(ordered, least, lambda: lists_of(block) if least == floor else lists_of(block).within(slacks))

    @property
    def _lists(self) -> Lists:
        if self._made is None:
            self._made = self._make_lists()
        return self._made

    @property
    def work(self) -> int:
        """What trying every pair of fitting length costs, in list entries read."""
        return self._windows(None).pairs * _LIST_READS_A_PAIR

    def plan(self) -> Plan:
        """What joining would cost."""
        pairs, entries = self._windows(None).pairs, len(self.ordered.rows.values)
        if pairs * _LIST_READS_A_PAIR <= _LIST_READS_AN_ENTRY * entries:
            return Plan(pairs, _LIST_READS_AN_ENTRY * entries)  # trying all costs less than making lists
        sizes = np.diff(self._lists.starts).astype(np.float64)
        return Plan(pairs, int((sizes * sizes).sum() / 2))

    def run(
        self,
        threads: int,
        advance: Advance | None,
        fresh: Flags | None = None,
        *,
        counted: bool = True,
        by_lists: bool | None = None,
    ) -> tuple[Places, Places, Places, int]:
        """Pairs of places, the words that each shares, and how many pairs were looked at.

        With `fresh`, a mark for each row, only pairs with a marked one. Unless `counted`, counting may stop once enough
        words are shared, which is faster. Unless given, `by_lists` is decided by the cost.
        """
        windows = self._windows(fresh)
        x, y, shared, examined = _in_threads(self._probe(windows, counted, by_lists), windows, threads, advance)
        return windows.own[x], y, shared, examined

    def rounds(
        self, threads: int, advance: Advance | None, fresh: Flags, families: Places, *, by_lists: bool | None = None
    ) -> Iterator[tuple[Places, Places]]:
        """The same pairs, some at a time: few at first, then up to a million.

        `families` has a number for each row, or -1; pairs of two rows of one family are passed over. The caller may
        change it between two rounds: what it has learned from some pairs can make most of the others unnecessary.
        """
        order = self.ordered.order
        by_place = families[order].astype(np.int32)
        windows = self._windows(fresh).passing(by_place)
        probe, widest = self._probe(windows, False, by_lists), windows.widest

        def some(most: int, first: int, last: int) -> tuple[int, tuple[Places, ...]]:
            room = max(min(_PAIRS_AT_ONCE, most, (last - first) * widest), widest)
            out = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64))
            reached, found, _ = probe(first, last, out)
            return reached, tuple(column[:found].copy() for column in out[:2])

        def make(most: int) -> Some:
            by_place[:] = families[order]
            return partial(some, most)

        for parts in in_rounds(make, windows.high - windows.low + _AT_LEAST, threads, advance, backwards=True):
            x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
            yield windows.own[x], y

    def _probe(self, windows: Windows, counted: bool, by_lists: bool | None) -> Probe:
        whole = len(windows.own) == len(self.ordered)
        asking = self.ordered if whole else self.ordered.take(windows.own)
        if self.plan().by_lists if by_lists is None else by_lists:
            prefixes = own_prefixes(self._lists, len(self.ordered))
            prefixes = prefixes if whole else prefixes.take(windows.own)
            return _asking_lists(
                asking, windows, self.ordered, self._least, counted, prefixes, self._lists, (self._least, 0)
            )
        return _trying_all(asking, windows, self.ordered, self._least, counted)

    def _windows(self, fresh: Flags | None) -> Windows:
        if fresh is not None and not fresh[self.ordered.order].all():
            return Windows.marked(self.ordered, fresh[self.ordered.order], self._least)
        places = np.arange(len(self.ordered))
        low = np.searchsorted(self.ordered.lengths, least_shared(self.ordered.lengths, self._least))
        return Windows(low, places, places, np.zeros(0, np.bool_))


class Between:
    """Some rows compared with others of the same set, at one share in ten-thousandths; for sets that change."""

    def __init__(self, rows: Rows, which: Places, least: int) -> None:
        """`which` has the rows that will be named."""
        self._ordered = some_in_order(rows, which)
        self._places = np.zeros(len(rows), np.int64)
        self._places[self._ordered.order] = np.arange(len(self._ordered))
        self._least = least

    def pairs(self, x: Places, y: Places, threads: int) -> tuple[Places, Places, Places]:
        """Which rows of x overlap enough with which rows of y, as places in the two, and the words that they share."""
        order = np.argsort(self._places[y], kind="stable")
        asking, listed = self._ordered.take(self._places[x]), self._ordered.take(self._places[y][order])
        windows = Windows.outside(listed, asking, self._least)
        probe = _trying_all(asking, windows, listed, self._least, True)
        query, place, shared, _ = _in_threads(probe, windows, threads, None)
        return query.astype(np.int64), order[place], shared


@dataclass(frozen=True, slots=True)
class Windows:
    """The places that each query is compared with: those of fitting length, and each pair once."""

    low: Places
    high: Places
    own: Places
    """The query's own place; -1 if it is not among the rows."""
    asks: Flags
    """Which places ask too, where queries are among the rows."""
    families: Places = field(default_factory=lambda: np.zeros(0, np.int32))
    """The family of each place, -1 for none; or nothing. Two of one family are not compared."""

    def passing(self, families: Places) -> Windows:
        """The same, for queries among the rows that pass over their own family."""
        return replace(self, families=families)

    @classmethod
    def outside(cls, ordered: Ordered, asking: Ordered, least: int) -> Windows:
        """For queries that are not among the rows, or are to be found like any other."""
        low = np.searchsorted(ordered.lengths, least_shared(asking.lengths, least))
        high = np.searchsorted(ordered.lengths, asking.lengths * WHOLE // least, "right")
        return cls(low, np.maximum(low, high), np.full(len(low), -1, np.int64), np.zeros(0, np.bool_))

    @classmethod
    def marked(cls, ordered: Ordered, asks: Flags, least: int) -> Windows:
        """For some of the rows."""
        own = np.flatnonzero(asks)
        windows = cls.outside(ordered, ordered.take(own), least)
        return cls(windows.low, windows.high, own, asks)

    @property
    def pairs(self) -> int:
        """Comparisons that they allow."""
        return int((self.high - self.low).sum())

    @property
    def widest(self) -> int:
        """The most pairs that a query can find."""
        return int((self.high - self.low).max(initial=0))

    def arrays(self) -> tuple[Argument, ...]:
        """As the kernels take them."""
        return tuple(map(read_only, (self.low, self.high, self.own, self.asks, self.families)))


def ordered_of(block: Block) -> Ordered:
    """A block's rows by length."""
    return Ordered(block.rows, *(block.arrays[name] for name in _ORDERED))


def lists_of(block: Block) -> Lists:
    """A block's lists of rarest words."""
    return Lists(*(block.arrays[name] for name in _LISTS))


def _ascending(texts: Places, starts: Places) -> bool:
    """Whether the places of each list ascend: then a query finds no place twice, and its hits fit."""
    fits = texts[1:] > texts[:-1]
    begins = starts[1:-1]
    fits[begins[(begins > 0) & (begins < len(texts))] - 1] = True
    return bool(fits.all())


def _within(array: Places, most: int) -> bool:
    return not len(array) or bool(array.min() >= 0 and array.max() < most)


def table_for(reads: int, places: int) -> int:
    """How texts that were met are noted: 0 for a note for each text, else in a table twice as long as what is read."""
    bits = max(int(2 * reads).bit_length(), 4)
    return 0 if 1 << bits >= places else 64 - bits


def _trying_all(asking: Ordered, windows: Windows, ordered: Ordered, least: int, counted: bool) -> Probe:
    given = (asking.side(), windows.arrays(), ordered.side(), least, counted)
    return lambda first, last, out: overlap.probe_all(*given, first, last, out)


def _asking_lists(
    asking: Ordered,
    windows: Windows,
    ordered: Ordered,
    least: int,
    counted: bool,
    prefixes: Prefixes,
    lists: Lists,
    floor_and_table: tuple[int, int],
) -> Probe:
    given = (
        asking.side(),
        windows.arrays(),
        prefixes.arrays(),
        ordered.side(),
        lists.arrays(),
        least,
        *floor_and_table,
        counted,
    )
    return lambda first, last, out: overlap.probe_lists(*given, first, last, out)


def _in_turn(probe: Probe, first: int, last: int, widest: int) -> tuple[Places, Places, Places, int]:
    """Run a probe over some queries, as far as there is room, and on from there."""
    room = max(min(_PAIRS_AT_ONCE, (last - first) * widest), widest)
    out = (np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64))
    parts, examined = [], 0
    while first < last:
        first, found, seen = probe(first, last, out)
        parts.append([column[:found].copy() for column in out])
        examined += seen
    return (*_columns(parts), examined)


def _columns(parts: list[list[Places]]) -> tuple[Places, Places, Places]:
    if len(parts) == 1:
        return parts[0][0], parts[0][1], parts[0][2]
    empty = [np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0, np.int64)]
    query, place, shared = (np.concatenate(column) for column in zip(empty, *parts, strict=True))
    return query, place, shared


def _in_threads(
    probe: Probe, windows: Windows, threads: int, advance: Advance | None
) -> tuple[Places, Places, Places, int]:
    """Run a probe over all queries, in pieces, in threads; the longest texts, which cost most, come first."""
    found = in_pieces(
        lambda first, last: _in_turn(probe, first, last, windows.widest),
        windows.high - windows.low + _AT_LEAST,
        threads,
        advance,
        backwards=True,
    )
    return (*_columns([list(part[:3]) for part in found]), sum(part[3] for part in found))
