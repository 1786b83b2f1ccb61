"""Indexes of a matter: blocks over the words and the signatures of one or more waves, stored as segments.

A matter has an index of its bags of words (`overlap`), one of its shingles (`shingles`), and one for each method that
it is signed with. A block covers some waves, one after the other; a new wave's block takes in those before it that
are not twice as large, so that there are never many. Every block is made from what else the matter holds: one that is
missing, damaged or of other signatures is never searched. A question makes it again for itself, and the answer names
it; it is stored again by `truecopy index rebuild`, or by the next wave. Questions write nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import DiskTrouble, MatterError, SpecMismatch
from truecopy.index.blocks import Block
from truecopy.index.index import Index
from truecopy.index.methods import index_for
from truecopy.index.rows import BAGS, SHINGLES, Rows, joined, rows_of, rows_of_bags
from truecopy.matter.arrays import agrees
from truecopy.matter.signed import index_kind, known_spec, wave_signatures
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.matter.texts import shingle_keys, wave_streams
from truecopy.model import DOCUMENT
from truecopy.spec import Spec
from truecopy.text.streams import make_bags

I64 = NDArray[np.int64]
Source = Callable[[str, int], tuple[Rows, I64]]
"""The rows of an index that a wave brings, by the index's name and the wave's number; and the number of each."""

OVERLAP, SHINGLE = "overlap", "shingles"


def unit_of(name: str) -> str:
    """What the rows of an index are of; signatures are of stored texts, and so of no passages."""
    return DOCUMENT if name in (OVERLAP, SHINGLE) else ""


@dataclass(slots=True)
class OpenIndex:
    """An index that is ready to be searched, and what had to be made for it."""

    index: Index
    damaged: list[str] = field(default_factory=list)
    """Names of segments that could not be used."""
    made: list[tuple[Block, int, int]] = field(default_factory=list)
    """Blocks that were made now, and the waves that each covers."""


def index_names(state: State) -> list[str]:
    """The indexes that a matter has: of words, and of each method that it is signed with."""
    return [OVERLAP, SHINGLE, *state.signings.every()]


def search_index(state: State, name: str) -> OpenIndex:
    """An index as it is now, kept open between questions."""
    files = [*state.files.of(index_kind(name)), *state.files.of("streams")]
    good_for: Hashable = (tuple((file, state.arrays.state(file)) for file in files), tuple(index_names(state)))
    return state.opened.get(f"index {name}", good_for, lambda: open_index(state, name))


def open_index(state: State, name: str) -> OpenIndex:
    """An index, from the stored blocks if they are whole; damaged or missing ones are made from the store."""
    opened = OpenIndex(new_index(state, name))
    covered: set[int] = set()
    for file in stored_blocks(state, name):
        if not covered.isdisjoint(range(file.first, file.last + 1)):
            continue
        block = read_stored(state, file, opened.index)
        if block is None:
            opened.damaged.append(file.name)
            block = make_block(state, name, opened.index, file.first, file.last)
            opened.made.append((block, file.first, file.last))
        covered.update(range(file.first, file.last + 1))
        opened.index.append(block)
    for first, last in _gaps(state, covered):
        block = make_block(state, name, opened.index, first, last)
        opened.made.append((block, first, last))
        opened.index.append(block)
    return opened


def stored_blocks(state: State, name: str) -> list[File]:
    """The stored blocks of an index, in order of their waves."""
    last = state.waves.last()
    return [file for file in state.files.of(index_kind(name)) if agrees(file) and file.wave <= last]


def new_index(state: State, name: str) -> Index:
    """An index of a matter with nothing in it yet."""
    if name == OVERLAP:  # nobody asks for less than the floor
        return index_for(BAGS, floor=state.facts.settings().floor, shortest=1)
    return index_for(_spec(state, name))


def gaps(state: State, name: str) -> int:
    """How many waves no block of an index covers yet."""
    covered = {wave for one in stored_blocks(state, name) for wave in range(one.first, one.last + 1)}
    return sum(last - first + 1 for first, last in _gaps(state, covered))


def make_block(state: State, name: str, index: Index, first: int, last: int, source: Source | None = None) -> Block:
    """A block over the waves from one to another, from the matter's words or signatures.

    `source` gives the rows of a wave that the matter does not have yet.
    """
    known = set(state.waves.numbers())
    parts = []
    for wave in range(first, last + 1):
        if wave in known:
            parts.append(_source(state, name, wave))
        elif source is not None:
            parts.append(source(name, wave))
    rows = joined([rows for rows, _ in parts])
    return index.make_block(rows, np.concatenate([numbers for _, numbers in parts]))


def first_to_merge(state: State, name: str, wave: int, documents: int) -> int:
    """The first wave of the block that the rows of a new wave, of so many documents, go into."""
    sizes, first, size = state.waves.sizes(), wave, documents
    for stored in reversed(stored_blocks(state, name)):
        here = sum(sizes.get(each, 0) for each in range(stored.first, stored.last + 1))
        if stored.last != first - 1 or here >= 2 * size:
            break
        first, size = stored.first, size + here
    return first


def block_name(name: str, first: int, last: int, serial: int) -> str:
    """The name of a block's segment."""
    return f"{index_kind(name)}.{first:04d}-{last:04d}.{serial:06d}.segment"


def block_header(index: Index) -> dict[str, Any]:
    """What a block's segment says of itself."""
    return {"index": index.name, "spec": index.spec.as_json(), "options": index.options}


def name_block(state: State, name: str, file: File) -> None:
    """Let a row name a block in place of those that covered its waves; their files are swept away later."""
    old = [one.name for one in stored_blocks(state, name) if file.first <= one.last and one.first <= file.last]
    state.files.forget([*old, file.name])
    state.files.insert(file)


def read_stored(state: State, file: File, index: Index) -> Block | None:
    """A stored block; None where it is damaged or is not what it should be."""
    try:
        header, arrays = state.arrays.read(file)
        if set(header) != {"index", "options", "spec"} or not is_spec(header["spec"]):
            return None
        if header["index"] != index.name or header["options"] != index.options:
            return None
        index.spec.must_equal(Spec.from_json(header["spec"]))
        block = index.read_block(arrays)
        return block if set(block.stored()) == set(arrays) else None
    except DiskTrouble:
        raise
    except (MatterError, SpecMismatch, AssertionError, LookupError, TypeError, ValueError, AttributeError):
        return None


def rows_of_streams(state: State, name: str, arrays: Mapping[str, Any]) -> Rows:
    """The rows of an index of words, from the streams of some texts."""
    room = 1 + int(arrays["words"].max(initial=0))
    if name == SHINGLE:
        from truecopy.index.shingles import shingle_rows

        return shingle_rows(arrays["words"], arrays["offsets"], shingle_keys(state, room))
    return rows_of_bags(make_bags(arrays["words"], arrays["offsets"], room))


def _source(state: State, name: str, wave: int) -> tuple[Rows, I64]:
    """The rows of a wave, and the passage, or the document, that each is of."""
    if name not in (OVERLAP, SHINGLE):
        signatures, documents = wave_signatures(state, name, wave)
        return rows_of(signatures), documents
    numbers, arrays = wave_streams(state, wave)
    return rows_of_streams(state, name, arrays), numbers


def _gaps(state: State, covered: set[int]) -> list[tuple[int, int]]:
    """Runs of waves that are not covered."""
    runs: list[tuple[int, int]] = []
    for wave in state.waves.numbers():
        if wave in covered:
            continue
        if runs and runs[-1][1] == wave - 1:
            runs[-1] = (runs[-1][0], wave)
        else:
            runs.append((wave, wave))
    return runs


def _spec(state: State, name: str) -> Spec:
    if name == OVERLAP:
        return BAGS
    return SHINGLES if name == SHINGLE else known_spec(state, name)
