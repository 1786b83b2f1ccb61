"""The protocol of every index: add, remove, search, pairs, save, load, len, memory, and the recall it states.

An index is a few immutable blocks (index/blocks.py). Each add makes one more, and blocks of similar size are merged, so
there are never many. Each index says how a block is built from rows and how queries are answered from it; everything
else is here, once for all. A threshold comes with each call, and no block depends on one.

    class Mine(Index):
        name = "mine"
        accepts = (Distance,)
        def build(self, rows) -> dict[str, Stored]                   what a block needs beside its rows
        def sound(self, block) -> bool                              whether what was read from a file is that
        def look(self, block, queries, limit, pairing) -> Found     the rows that are near each query
        def join(self, block, limit, threads, advance) -> Found     optional: every pair of a block, faster than look

Searches may run in any number of threads, beside one that adds or removes.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from truecopy.array_types import I64, Stored
from truecopy.errors import BadSetting, DamagedSegment, NotFound
from truecopy.index.blocks import Block, read_block
from truecopy.index.found import Couples, Found, Hits
from truecopy.index.limits import Limit, Share
from truecopy.index.rows import Rows, joined, rows_of
from truecopy.segments import check_target, read_file, save
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec
from truecopy.threads import Pool

Advance = Callable[[int], None]

_QUERIES_AT_ONCE = 256
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError)
"""What reading a damaged file can raise."""
_ASYMMETRIC = ("query", "row")


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes that an index takes; stored ones are mapped from files, so not all of it is in memory."""

    rows: int
    """The signatures themselves."""
    index: int
    """What was derived from them, with numbers and masks."""


class Index(ABC):
    """Rows of one spec, and every question about which of them are near."""

    name: ClassVar[str]
    accepts: ClassVar[tuple[type, ...]]
    """The classes of limit that it can answer."""
    takes: ClassVar[tuple[str, ...]] = ()
    """The options that it has."""

    def __init__(self, spec: Spec, **options: int | float | str) -> None:
        for name in options:
            if name not in self.takes:
                known = ", ".join(self.takes) or "none"
                raise BadSetting(f"The {self.name} index has no option {name}.", f"It has: {known}.")
        self.spec = spec
        self.options = options
        self._next = 0
        self._blocks: tuple[Block, ...] = ()
        self._changing = threading.Lock()

    # What each index says

    @abstractmethod
    def build(self, rows: Rows) -> dict[str, Stored]:
        """What a block needs beside its rows."""

    @abstractmethod
    def sound(self, block: Block) -> bool:
        """Whether the derived arrays of a block that was read have the form that kernels rely on."""

    @abstractmethod
    def look(self, block: Block, queries: Rows, limit: Limit, pairing: bool) -> Found:
        """The rows of a block that are near each query; `pairing` where the limit is meant for pairs.

        Rows that are gone may be among them.
        """

    def join(self, block: Block, limit: Limit, threads: int, advance: Advance | None) -> Found:
        """Every pair of rows of a block (query < place) that are near each other."""
        found = self._looked(block, block.rows, limit, True, threads, advance)
        return found.take(found.query < found.place)

    def recall(self, limit: Limit) -> float:  # noqa: ARG002
        """The least share of what is near enough that is found; 1 where nothing is missed."""
        return 1.0

    # What every index does

    def __len__(self) -> int:
        return sum(block.alive for block in self._blocks)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The parts, as they are now."""
        return self._blocks

    @property
    def numbers(self) -> I64:
        """The numbers in it, in order."""
        return np.sort(np.concatenate([np.empty(0, np.int64), *map(_alive_numbers, self._blocks)]))

    def add(self, signatures: Signatures | Rows, numbers: Sequence[int] | I64 | None = None) -> None:
        """Put rows in under their numbers; without numbers, count on from the greatest one ever used."""
        rows = self._rows(signatures)
        with self._changing:
            if numbers is None:
                named = np.arange(self._next, self._next + len(rows), dtype=np.int64)
            else:
                named = _checked_numbers(numbers, len(rows))
                self._refuse_taken(named)
            if len(rows):
                self._next = max(self._next, 1 + int(named.max()))
                self._blocks = self._merged((*self._blocks, self.make_block(rows, named)))

    def append(self, block: Block) -> None:
        """Put in a block that was built before; its numbers must be new."""
        with self._changing:
            self._next = max(self._next, 1 + int(block.numbers.max(initial=-1)))
            self._blocks = (*self._blocks, block)

    def remove(self, numbers: Sequence[int] | I64) -> None:
        """Take rows out by their numbers."""
        wanted = np.unique(np.asarray(numbers, np.int64))
        with self._changing:
            absent = np.setdiff1d(wanted, self.numbers)
            if len(absent):
                raise NotFound(f"The index has no row with the number {absent[0]}.", "Give numbers that were added.")
            changed = []
            for block in self._blocks:
                places = np.flatnonzero(np.isin(block.numbers, wanted) & block.kept(np.arange(len(block))))
                block = block.without(places) if len(places) else block
                if block.alive:
                    changed.append(block)
            self._blocks = self._merged(tuple(changed))

    def merge(self) -> None:
        """Make one block of all, without the rows that are gone."""
        with self._changing:
            if len(self._blocks) > 1 or any(block.gone is not None for block in self._blocks):
                self._blocks = (self._one(self._blocks),)

    def search(self, query: Signatures | Rows, limit: Limit) -> Hits:
        """Everything near one query, best first."""
        rows = self._rows(query)
        if len(rows) != 1:
            raise BadSetting(f"{len(rows)} queries were given, but one was expected.", "Use search_all for several.")
        self._checked(limit)
        found = [(block, self.look(block, rows, limit, False)) for block in self._blocks]
        return _hits(found, limit)

    def search_all(self, queries: Signatures | Rows, limit: Limit, threads: int = 1) -> list[Hits]:
        """The same for each of several queries; `examined` is the sum over all of them."""
        rows = self._rows(queries)
        self._checked(limit)
        found = [(block, self._looked(block, rows, limit, False, threads, None)) for block in self._blocks]
        return [_hits([_of(each, query) for each in found], limit) for query in range(len(rows))]

    def pairs(
        self,
        limit: Limit,
        fresh: Sequence[int] | I64 | None = None,
        *,
        threads: int = 1,
        advance: Advance | None = None,
    ) -> Couples:
        """Every two rows that are near each other; with `fresh`, at least one of the two has such a number."""
        self._checked(limit)
        if isinstance(limit, Share) and limit.of in _ASYMMETRIC:
            said = f"Pairs were asked for by the share of the {limit.of}, but a pair has no {limit.of}."
            raise BadSetting(said, "Ask for the share of the smaller.")
        blocks = self._blocks
        if fresh is None:
            return self._joined(blocks, limit, threads, advance)
        return self._with_fresh(blocks, limit, np.unique(np.asarray(fresh, np.int64)), threads, advance)

    def memory(self) -> Memory:
        """Bytes of the rows, and of what finds them."""
        blocks = self._blocks
        rows = sum(block.rows.nbytes for block in blocks)
        return Memory(rows, sum(sum(part.nbytes for part in block.stored().values()) for block in blocks) - rows)

    def save(self, path: str | Path) -> None:
        """Write it to a file: whole, with spec and checksum, or not at all."""
        check_target(Path(path), "indexes")
        with self._changing:
            blocks, following = self._blocks, self._next
        header: dict[str, Any] = {"index": self.name, "spec": self.spec.as_json(), "options": self.options}
        header |= {"blocks": len(blocks), "next": following}
        arrays = {f"{i}.{name}": a for i, block in enumerate(blocks) for name, a in block.stored().items()}
        save(Path(path), header, arrays)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a file that `save` wrote, mapped; a damaged one is refused."""
        header, arrays = read_file(Path(path))
        damaged = DamagedSegment(f"{Path(path).name} does not hold a whole {cls.name} index.", "Build the index again.")
        try:
            if header["index"] != cls.name:
                raise damaged
            index = cls(Spec.from_json(header["spec"]), **header["options"])
            if {name.partition(".")[0] for name in arrays} != {str(i) for i in range(header["blocks"])}:
                raise damaged
            for i in range(header["blocks"]):
                prefix = f"{i}."
                own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
                index.append(index.read_block(own))
            index._next = max(index._next, int(header["next"]))
        except (BadSetting, AssertionError, *_MALFORMED) as error:
            raise damaged from error
        if len(np.unique(index.numbers)) != len(index):
            raise damaged
        return index

    def make_block(self, rows: Rows, numbers: I64) -> Block:
        """A block over some rows, ready to be searched."""
        return Block(rows, np.ascontiguousarray(numbers, np.int64), self.build(rows))

    def read_block(self, arrays: Mapping[str, Stored], *, passed: bool = False) -> Block:
        """A block from its stored arrays, checked before a kernel sees it, unless it has passed that check before."""
        block = read_block(self.spec, arrays, passed=passed)
        if block is None or not (passed or self.sound(block)):
            raise ValueError("a block that is not whole")
        return block

    # Inside

    def _rows(self, given: Signatures | Rows) -> Rows:
        if given.spec is not self.spec:
            self.spec.must_equal(given.spec)
        rows = given if isinstance(given, Rows) else rows_of(given)
        if not rows.whole():
            said = f"Rows were given to the {self.name} index that are not as {self.spec} makes them."
            raise BadSetting(said, "Give signatures as they were made.")
        return rows

    def _refuse_taken(self, named: I64) -> None:
        """Refuse numbers that are taken; those greater than any ever used need not be looked up."""
        for block in self._blocks if len(named) and int(named.min()) < self._next else ():
            taken = named[np.isin(named, _alive_numbers(block))]
            if len(taken):
                said = f"The index has a row with the number {taken.min()} already."
                raise BadSetting(said, "Remove that one first.")

    def _checked(self, limit: Limit) -> Limit:
        if not isinstance(limit, self.accepts):
            known = ", ".join(kind.__name__ for kind in self.accepts)
            raise BadSetting(f"The {self.name} index was asked with {limit}.", f"It can be asked with: {known}.")
        return limit

    def _merged(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Merge the last blocks while one is not twice as large as those after it, or most of its rows are gone."""
        kept = list(blocks)
        for place, block in enumerate(kept):
            if 2 * block.alive < len(block):
                kept[place] = self._one((block,))
        while len(kept) > 1 and len(kept[-2]) < 2 * len(kept[-1]):
            kept[-2:] = [self._one(tuple(kept[-2:]))]
        return tuple(kept)

    def _one(self, blocks: tuple[Block, ...]) -> Block:
        alive = [np.flatnonzero(block.kept(np.arange(len(block)))) for block in blocks]
        whole = [len(places) == len(block) for places, block in zip(alive, blocks, strict=True)]
        rows = joined(
            block.rows if all_there else block.rows.take(places)
            for places, block, all_there in zip(alive, blocks, whole, strict=True)
        )
        numbers = np.concatenate([block.numbers[places] for places, block in zip(alive, blocks, strict=True)])
        return self.make_block(rows, numbers)

    def _looked(
        self, block: Block, queries: Rows, limit: Limit, pairing: bool, threads: int, advance: Advance | None
    ) -> Found:
        """Look for many queries, some at a time, in threads."""

        def some(first: int) -> Found:
            last = min(first + _QUERIES_AT_ONCE, len(queries))
            found = self.look(block, queries.slice(first, last), limit, pairing)
            if advance:
                advance(last - first)
            return Found(found.query + first, found.place, found.value, found.whole, found.examined)

        starts = range(0, len(queries), _QUERIES_AT_ONCE)
        with Pool(max(threads, 1)) as pool:
            return Found.together(list(pool.map(some, starts)))

    def _joined(self, blocks: tuple[Block, ...], limit: Limit, threads: int, advance: Advance | None) -> Couples:
        if not blocks:
            empty = np.empty(0, np.int64)
            return Couples(empty, empty, empty, empty, 0)
        block = blocks[0] if len(blocks) == 1 else self._one(blocks)
        found = self.join(block, limit, threads, advance)
        kept = block.kept(found.query) & block.kept(found.place)
        found = found.take(kept)
        a, b = block.numbers[found.query], block.numbers[found.place]
        return Couples.ordered(a, b, found.value, found.whole, found.examined)

    def _with_fresh(
        self, blocks: tuple[Block, ...], limit: Limit, fresh: I64, threads: int, advance: Advance | None
    ) -> Couples:
        """Ask for each fresh row in every block; of two fresh ones, the one with the lower number asks."""
        parts, examined = [np.empty((4, 0), np.int64)], 0
        for asking in blocks:
            places = np.flatnonzero(np.isin(asking.numbers, fresh) & asking.kept(np.arange(len(asking))))
            if not len(places):
                continue
            queries, names = asking.rows.take(places), asking.numbers[places]
            for block in blocks:
                found = self._looked(block, queries, limit, True, threads, advance)
                examined += found.examined
                x, y = names[found.query], block.numbers[found.place]
                kept = block.kept(found.place) & (~np.isin(y, fresh) | (x < y))
                parts.append(np.stack([x, y, found.value, found.whole])[:, kept])
        x, y, value, whole = np.concatenate(parts, axis=1)
        return Couples.ordered(x, y, value, whole, examined)


def _alive_numbers(block: Block) -> I64:
    return block.numbers if block.gone is None else block.numbers[~block.gone]


def _checked_numbers(numbers: Sequence[int] | I64, rows: int) -> I64:
    named = np.asarray(numbers, np.int64)
    ascending = named.shape == (rows,) and bool((named[1:] > named[:-1]).all())
    unlike = ascending or (named.shape == (rows,) and len(np.unique(named)) == rows)
    if not unlike or (rows and named.min() < 0):
        said = f"{len(named)} numbers were given for {rows} rows."
        raise BadSetting(said, "Give a number of its own, 0 or more, for each row.")
    return named


def _of(found: tuple[Block, Found], query: int) -> tuple[Block, Found]:
    block, every = found
    return block, every.take(every.query == query)


def _hits(found: list[tuple[Block, Found]], limit: Limit) -> Hits:
    examined = sum(part.examined for _, part in found)
    if len(found) == 1 and found[0][0].gone is None:  # the usual case: one query must not wait for array operations
        block, part = found[0]
        return Hits.ordered(block.numbers[part.place], part.value, part.whole, limit, examined)
    parts = [np.empty((3, 0), np.int64)]
    for block, part in found:
        kept = block.kept(part.place)
        parts.append(np.stack([block.numbers[part.place], part.value, part.whole])[:, kept])
    numbers, value, whole = np.concatenate(parts, axis=1)
    return Hits.ordered(numbers, value, whole, limit, examined)
