"""What a matter's indexes are: their blocks, how large each is, and whether all is whole."""

from __future__ import annotations

from dataclasses import dataclass

from truecopy.index.index import Memory
from truecopy.matter.indexing import append_block, count_uncovered, index_names, new_index, read_stored, stored_blocks
from truecopy.matter.state import State
from truecopy.spec import Spec


@dataclass(frozen=True, slots=True)
class BlockStatus:
    """A stored block."""

    file: str
    waves: tuple[int, int]
    """The first and the last wave that it covers."""
    rows: int | None
    """None where the file is damaged."""
    bytes: int

    @property
    def damaged(self) -> bool:
        """Whether it cannot be used, and is made again when it is needed."""
        return self.rows is None


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """An index of a matter."""

    name: str
    """`overlap`, `contained` and `shingles` for words, else the method of the signatures."""
    structure: str
    """How it finds: hamming, projections, bands, overlap, contained, postings, equality or linear."""
    spec: Spec
    blocks: tuple[BlockStatus, ...]
    missing: int
    """Waves that no block covers yet; they are indexed when they are needed."""
    memory: Memory

    @property
    def rows(self) -> int:
        """Texts that can be found."""
        return sum(block.rows or 0 for block in self.blocks)

    @property
    def damaged(self) -> tuple[str, ...]:
        """The files that cannot be used."""
        return tuple(block.file for block in self.blocks if block.damaged)


def status(state: State) -> list[IndexStatus]:
    """Every index, each file read and checked."""
    return [_status(state, name) for name in index_names(state)]


def _status(state: State, name: str) -> IndexStatus:
    index = new_index(state, name)
    blocks = []
    for stored in stored_blocks(state, name):
        block = read_stored(state, stored, index)
        rows = None if block is None else len(block)
        blocks.append(BlockStatus(stored.name, (stored.first, stored.last), rows, state.arrays.size(stored)))
        if block is not None:
            append_block(index, block)
    return IndexStatus(name, index.name, index.spec, tuple(blocks), count_uncovered(state, name), index.memory())
