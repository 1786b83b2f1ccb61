"""`hamming`: rows of 16 to 1024 bits within any distance; exact.

Multi-index hashing with a threshold that comes with each call (kernels/hamming.py says why nothing is missed). A block
keeps a table for each chunk of 16 bits (rows of up to 64 bits), 32 (up to 256) or 64: 1 to 16 tables, with 12 bytes
for each row, a 64-bit key and the number of the row. The radius and the number of rows decide how many tables a query
reads, and how far around its own cells; where reading all rows costs less, it reads them.

To find pairs, it asks for every distinct row; equal rows are put back afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import U32, U64, Places, Stored, Values
from truecopy.errors import BadSetting
from truecopy.index.blocks import Block
from truecopy.index.equality import row_hashes
from truecopy.index.found import Found
from truecopy.index.index import Advance, Index
from truecopy.index.limits import Distance, Limit
from truecopy.index.rows import Rows
from truecopy.kernels.arrays import read_only
from truecopy.kernels.hamming import AUTO, expand, find_near, make_table, thin_table
from truecopy.sign.bits import SIZES
from truecopy.spec import Spec
from truecopy.threads import Pool

Tables = tuple[U64, U64, U32, U32]
"""Words, keys, ids and starts, as kernels take them."""

_MOST_ROWS = 1 << 32
_ROOM = 1024
_PAIRS_AT_ONCE = 4096
_CELL_BITS, _WIDE_CELL_BITS = 3, 6
"""Cells hold about two to this many rows, where chunks are long enough; measured. Wide rows have larger cells, because
their larger radii reach more of them."""


class Hamming(Index):
    """Finds rows that differ in few bits."""

    name = "hamming"
    accepts = (Distance,)
    way = AUTO
    """How searches go: by tables or over all rows, whichever costs less; tests try each."""

    def __init__(self, spec: Spec, **options: int | float | str) -> None:
        super().__init__(spec, **options)
        bits = spec.parameter("bits")
        if bits not in SIZES:
            said = f"The hamming index was asked to hold signatures made by {spec}, which are not bits."
            raise BadSetting(said, "Give signatures of simhash, topsig or minhash4.")
        self.bits = int(bits)
        self._ready: dict[int, tuple[Block, Tables]] = {}

    @property
    def tables(self) -> int:
        """How many tables a block has."""
        return self.bits // (16 if self.bits <= 64 else 32 if self.bits <= 256 else 64)

    def build(self, rows: Rows) -> dict[str, Stored]:
        """A table for each chunk; and the rows as words where they are shorter than one."""
        words, many = words_of(rows.values, self.bits), len(rows)
        if many >= _MOST_ROWS:
            raise BadSetting(f"A block of {many:,} rows was asked for.", f"Keep it below {_MOST_ROWS:,} rows.")
        keys, ids = np.empty((self.tables, many), np.uint64), np.empty((self.tables, many), np.uint32)
        starts = np.empty((self.tables, self._cells(many) + 1), np.uint32)
        for table in range(self.tables):
            start = table * self.bits // self.tables
            make_table(words, self.bits, start, keys[table], ids[table], starts[table])
        made: dict[str, Stored] = {"keys": keys, "ids": ids, "starts": starts}
        if self.bits < 64:
            made["words"] = words
        return made

    def sound(self, block: Block) -> bool:
        """Whether the tables have a place for each row, in order, and name rows that exist."""
        rows, arrays = len(block), block.arrays
        names = {"keys", "ids", "starts"} | ({"words"} if self.bits < 64 else set())
        if set(arrays) != names or rows >= _MOST_ROWS:
            return False
        keys, ids, starts = arrays["keys"], arrays["ids"], arrays["starts"]
        if keys.dtype != np.uint64 or ids.dtype != np.uint32 or starts.dtype != np.uint32:
            return False
        if keys.shape != (self.tables, rows) or ids.shape != (self.tables, rows):
            return False
        if starts.shape != (self.tables, self._cells(rows) + 1):
            return False
        if (starts[:, 0] != 0).any() or (starts[:, -1] != rows).any() or (starts[:, 1:] < starts[:, :-1]).any():
            return False
        if any((own[1:] < own[:-1]).any() for own in keys) or not all(_each_once(own, rows) for own in ids):
            return False
        return self.bits >= 64 or _same(arrays["words"], words_of(block.rows.values, self.bits))

    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:  # noqa: ARG002
        """The rows that differ from each query in few enough bits."""
        assert isinstance(limit, Distance)
        return self._find(self._tables(block), words_of(queries.values, self.bits), limit, -1)

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """Every pair; those of distinct rows are found once, from the row that comes first."""
        assert isinstance(limit, Distance)
        alive = np.flatnonzero(block.kept(np.arange(len(block))))
        equals = equal_places(block.rows, alive)
        tables = self._thinned(block, equals.heads)
        words = tables[0]

        def some(first: int) -> Found:
            last = min(first + _PAIRS_AT_ONCE, len(words))
            found = self._find(tables, words[first:last], limit, first)
            if advance:
                advance(int(equals.sizes[first:last].sum()))
            return Found(found.query + first, found.place, found.value, found.whole, found.examined)

        with Pool(max(threads, 1)) as pool:
            parts = list(pool.map(some, range(0, len(words), _PAIRS_AT_ONCE)))
        return equals.expanded(Found.together(parts))

    # Inside

    def _cells(self, rows: int) -> int:
        """The cells of a table: a power of two."""
        within = _CELL_BITS if self.bits <= 64 else _WIDE_CELL_BITS
        return 1 << max(1, min(self.bits // self.tables, rows.bit_length() - within))

    def _tables(self, block: Block) -> Tables:
        """A block's arrays as kernels take them; prepared once, because that takes longer than a search."""
        ready = self._ready.get(id(block))
        if ready is None or ready[0] is not block:
            arrays = block.arrays
            words = read_only(arrays["words"]) if self.bits < 64 else words_of(block.rows.values, self.bits)
            tables = (words, read_only(arrays["keys"]), read_only(arrays["ids"]), read_only(arrays["starts"]))
            ready = (block, tables)
            before, names = self._ready, {id(each) for each in self._blocks}
            self._ready = {name: each for name, each in before.items() if name in names} | {id(block): ready}
        return ready[1]

    def _thinned(self, block: Block, heads: Places) -> Tables:
        """The tables of some rows only, which are numbered in their order."""
        ranks = np.full(len(block), -1, np.int64)
        ranks[heads] = np.arange(len(heads))
        words = read_only(words_of(block.rows.values, self.bits)[heads])
        keys, ids = np.empty((self.tables, len(heads)), np.uint64), np.empty((self.tables, len(heads)), np.uint32)
        starts = np.empty((self.tables, self._cells(len(heads)) + 1), np.uint32)
        old_keys, old_ids = read_only(block.arrays["keys"]), read_only(block.arrays["ids"])
        for table in range(self.tables):
            thin_table(old_keys[table], old_ids[table], ranks, keys[table], ids[table], starts[table])
        return words, read_only(keys), read_only(ids), read_only(starts)

    def _find(self, tables: Tables, queries: U64, limit: Distance, first: int) -> Found:
        """Call the kernel until there is room for all that it finds."""
        words, keys, ids, starts = tables
        most = min(limit.most, self.bits)
        room, begin, parts = _ROOM, 0, []
        while begin < len(queries):
            out = np.empty((3, room), np.int64)
            begin, found, looked, wanted = find_near(
                words, self.bits, keys, ids, starts, queries, most, first, begin, self.way, out
            )
            parts.append(Found(out[0, :found], out[1, :found], out[2, :found], np.ones(found, np.int64), looked))
            room = max(2 * room, wanted)
        return Found.together(parts)


def words_of(values: Values, bits: int) -> U64:
    """Rows of bytes as rows of 64-bit words, short ones in the high bits; long ones are not copied."""
    width = min(8, bits // 8)
    words = np.ascontiguousarray(values).view(f"<u{width}").astype(np.uint64, copy=False)
    if bits < 64:
        words = words << np.uint64(64 - bits)
    words.flags.writeable = False
    return words


@dataclass(frozen=True, slots=True)
class Equals:
    """Places of equal rows, one group after the other; a group is named by its rank, in order of its first place."""

    heads: Places
    """The first place of each group."""
    sizes: Places
    members: Places
    """The places of all groups."""

    def expanded(self, found: Found) -> Found:
        """What was found about groups, for every two of their places."""
        sizes = self.sizes
        many = int((sizes[found.query] * sizes[found.place]).sum() + (sizes * (sizes - 1) // 2).sum())
        out = np.empty((3, many), np.int64)
        begins = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
        expand(found.query, found.place, found.value, begins, self.members, out)
        return Found(out[0], out[1], out[2], np.ones(many, np.int64), found.examined)


def equal_places(rows: Rows, places: Places) -> Equals:
    """Group some places by equal rows.

    Rows with equal hashes are compared with the first of them. If one differs though its hash does not, it is a group
    by itself, which costs time and loses no pair.
    """
    hashes = row_hashes(rows if len(places) == len(rows) else rows.take(places))
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    begins = np.flatnonzero(np.concatenate([np.ones(min(1, len(order)), np.bool_), ordered[1:] != ordered[:-1]]))
    first = np.empty(len(order), np.int64)
    first[order] = np.repeat(order[begins], np.diff(begins, append=len(order)))
    later = np.flatnonzero(first != np.arange(len(first)))
    unlike = (rows.values[places[later]] != rows.values[places[first[later]]]).any(axis=1)
    first[later[unlike]] = later[unlike]
    heads, rank = np.unique(first, return_inverse=True)
    members = places[np.argsort(rank, kind="stable")]
    return Equals(places[heads], np.bincount(rank, minlength=len(heads)), members)


def _each_once(ids: Stored, rows: int) -> bool:
    """Whether every row is named once."""
    if rows == 0:
        return True
    if int(ids.max()) >= rows:
        return False
    named = np.zeros(rows, np.bool_)
    named[ids] = True
    return bool(named.all())


def _same(stored: Stored, words: U64) -> bool:
    return stored.dtype == words.dtype and stored.shape == words.shape and bool((stored == words).all())
