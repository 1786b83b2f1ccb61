"""Indexes of a matter: blocks over the words and the signatures of one or more waves, stored as segments.

A matter has an index of its words and shingles (`runs`), by which waves find what they touch, and one of its bags of
words (`overlap`), which questions ask; one for each method that it is signed with; and, if `truecopy index rebuild` has
made it, one that finds shingles at any threshold (`shingles`). A block covers some waves, one after the other. Once
there are `FAN` of about one size, the next wave makes one of them, so that there are never many, and each text is moved
a few times only. Every block is made from what else the matter holds: one that is missing, damaged or of other
signatures is never searched. A question makes it again for itself, and the answer names it. It is stored again by
`truecopy index rebuild`; a wave stores its own block, and others only where it merges them. Questions write nothing.
Blocks of `overlap` and of `runs` always cover the same waves: what finds texts by one weighs them by the other.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from truecopy.array_types import I64
from truecopy.errors import DiskTrouble, MatterError, SpecMismatch
from truecopy.index.blocks import Block
from truecopy.index.index import Index
from truecopy.index.methods import index_for
from truecopy.index.rows import BAGS, SHINGLES, Rows, joined, rows_of, rows_of_bags
from truecopy.index.runs import GatheredRuns, RunBlock, Runs
from truecopy.matter.arrays import agrees
from truecopy.matter.signed import index_type, known_spec, wave_signatures
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.matter.texts import shingle_keys, wave_streams
from truecopy.model import DOCUMENT
from truecopy.settings import MatterSettings
from truecopy.spec import Spec
from truecopy.streamed import AnyArray
from truecopy.text.streams import make_bags
from truecopy.wave.fresh import room_of
from truecopy.wave.room import IN_MEMORY, Room

_RUNS_AT_ONCE = 1 << 20
"""Words of texts whose runs are made in memory (some 50 MB)."""
Part = tuple[Rows, I64]
"""The rows of an index that a wave brings, and the number of each."""

OVERLAP, RUNS, SHINGLE = "overlap", "runs", "shingles"
OF_WORDS = (OVERLAP, RUNS, SHINGLE)
TWINS = (OVERLAP, RUNS)
"""A block of runs is weighed by the bags of its texts: the two have blocks of the same waves."""
_FORMER = "contained"
"""The index that `runs` has taken the place of: its blocks are swept away."""
FAN = 4
"""Blocks of about one size that become one."""
AnyIndex = Index | Runs
AnyBlock = Block | RunBlock


def unit_of(name: str) -> str:
    """What the rows of an index are of; signatures are of stored texts, and so of no passages."""
    return DOCUMENT if name in OF_WORDS else ""


@dataclass(slots=True)
class OpenIndex:
    """An index that is ready to be searched, and what had to be made for it."""

    index: AnyIndex
    damaged: list[str] = field(default_factory=list)
    """Names of segments that could not be used."""
    made: list[tuple[AnyBlock, int, int]] = field(default_factory=list)
    """Blocks that were made now, and the waves that each covers."""


def index_names(state: State) -> list[str]:
    """The indexes that a matter has: of words, and of each method that it is signed with."""
    return [*OF_WORDS, *state.signings.every()]


def open_kept(state: State, name: str) -> OpenIndex:
    """An index as it is now, kept open between questions."""
    files = [*state.files.of(index_type(name), unit_of(name)), *state.files.of("streams", DOCUMENT)]
    options = tuple(sorted(new_index(state, name).options.items()))
    good_for: Hashable = (state.good_for(files), options, tuple(index_names(state)))
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
        append_block(opened.index, block)
    for first, last in _gaps(state, covered):
        block = make_block(state, name, opened.index, first, last)
        opened.made.append((block, first, last))
        append_block(opened.index, block)
    return opened


def append_block(index: AnyIndex, block: AnyBlock) -> None:
    """Put a block into an index of its sort."""
    if isinstance(index, Runs):
        assert isinstance(block, RunBlock)
        index.append(block)
    else:
        assert isinstance(block, Block)
        index.append(block)


def search_index(state: State, name: str) -> tuple[Index, list[str]]:
    """An index that can be searched, kept open, and the segments of it that could not be used."""
    opened = open_kept(state, name)
    assert isinstance(opened.index, Index)
    return opened.index, opened.damaged


def run_blocks(state: State) -> list[RunBlock]:
    """The blocks of all words and shingles, kept open."""
    index = open_kept(state, RUNS).index
    assert isinstance(index, Runs)
    return index.blocks


def stored_run_blocks(state: State) -> list[RunBlock] | None:
    """The same if all are stored and whole, else None: a question does not make what only a wave cannot do without."""
    files = state.files.of(index_type(RUNS), unit_of(RUNS))
    good_for: Hashable = (state.good_for(files), tuple(state.waves.numbers()), state.facts.settings())
    return state.opened.get("stored runs", good_for, lambda: _stored_run_blocks(state))


def _stored_run_blocks(state: State) -> list[RunBlock] | None:
    index, following = new_index(state, RUNS), 1
    for file in stored_blocks(state, RUNS):
        block = read_stored(state, file, index) if file.first == following else None
        if block is None:
            return None
        append_block(index, block)
        following = file.last + 1
    assert isinstance(index, Runs)
    return index.blocks if following == state.waves.last() + 1 else None


def overlap_blocks(state: State) -> tuple[Block, ...]:
    """The blocks of all bags of words, kept open."""
    return search_index(state, OVERLAP)[0].blocks


def stored_blocks(state: State, name: str) -> list[File]:
    """The stored blocks of an index, in order of their waves."""
    last = state.waves.last()
    files = state.files.of(index_type(name), unit_of(name))
    return [file for file in files if agrees(file) and file.wave <= last]


def new_index(state: State, name: str, settings: MatterSettings | None = None) -> AnyIndex:
    """An index of a matter with nothing in it yet; with other settings than it has, as they would make it."""
    if name in (OVERLAP, RUNS):  # nobody asks for less than the floor
        wanted = state.facts.settings() if settings is None else settings
        if name == RUNS:
            return Runs(wanted.contains_floor, wanted.floor)
        return index_for(BAGS, floor=wanted.floor, shortest=1)
    return index_for(_spec(state, name))


def count_uncovered(state: State, name: str) -> int:
    """How many waves no block of an index covers yet."""
    covered = {wave for one in stored_blocks(state, name) for wave in range(one.first, one.last + 1)}
    return sum(last - first + 1 for first, last in _gaps(state, covered))


def is_stored(state: State, name: str) -> bool:
    """Whether every block of an index is stored and whole, so that nothing has to be made to open it."""
    if count_uncovered(state, name):
        return False
    index = new_index(state, name)
    return all(read_stored(state, file, index) is not None for file in stored_blocks(state, name))


def make_block(
    state: State, name: str, index: AnyIndex, first: int, last: int, fresh: Fresh | None = None, threads: int = 1
) -> AnyBlock:
    """A block over the waves from one to another, from the matter's words or signatures; with `fresh`, the last wave is
    one that the matter does not have yet.
    """
    waves = [wave for wave in state.waves.numbers() if first <= wave <= last]
    parts = [_part(state, name, index, wave, threads) for wave in waves]
    return _together(index, parts if fresh is None else [*parts, fresh.part(state, name, index, threads)], threads)


def merged_arrays(
    state: State, name: str, index: AnyIndex, first: int, wave: int, fresh: Fresh, threads: int = 1
) -> Mapping[str, AnyArray]:
    """A block over a new wave and all since the first, from stored blocks where these are whole, as a file holds it."""
    parts: list[AnyBlock | Part] = []
    done = first
    for file in stored_blocks(state, name):
        if file.first != done or file.last >= wave:
            continue
        block = read_stored(state, file, index)
        parts.append(make_block(state, name, index, file.first, file.last, threads=threads) if block is None else block)
        done = file.last + 1
    parts += [_part(state, name, index, missing, threads) for missing in range(done, wave)]
    if isinstance(index, Runs):
        runs = [part for part in parts if isinstance(part, RunBlock)]
        return index.merged([*runs, fresh.runs(state, index, threads)], threads)
    parts.append(fresh.part(state, name, index, threads))
    return _together(index, parts, threads).stored()


@dataclass(frozen=True, slots=True)
class Fresh:
    """What a wave brings to the indexes before it is committed."""

    numbers: I64
    """Its passages."""
    streams: Mapping[str, Any]
    signatures: Mapping[str, Part]
    """By method; the numbers are those of documents."""
    seed: str
    """What the values of shingles follow from, where the matter has no words yet."""
    room: Room = IN_MEMORY

    def part(self, state: State, name: str, index: AnyIndex, threads: int) -> Part | RunBlock:
        """Its rows in an index."""
        if name in self.signatures:
            return self.signatures[name]
        return _of_streams(state, name, index, self.numbers, self.streams, threads, self.seed)

    def runs(self, state: State, index: Runs, threads: int) -> RunBlock | GatheredRuns:
        """Its runs. There are two for each word, of 8 bytes: so those of many texts are kept out of memory, and they
        are sorted while they are written.
        """
        words, offsets = self.streams["words"], self.streams["offsets"]
        keys = shingle_keys(state, room_of(words), self.seed)
        if len(words) <= _RUNS_AT_ONCE:
            return index.make_block(words, offsets, keys, self.numbers, threads)
        return index.gather(words, offsets, keys, self.numbers, threads, self.room.keep)


def together_with(names: Sequence[str], only: str) -> list[str]:
    """The indexes, of some, that are rebuilt where one is: `TWINS` are never rebuilt one without the other."""
    wanted = TWINS if only in TWINS else (only,)
    return [name for name in names if name in wanted]


def _first_of_twins(state: State, wave: int, documents: int) -> int:
    """The first wave of the next block of both `TWINS`. Where their blocks differ, as earlier versions have left some,
    the new block takes in whole blocks of both.
    """
    stored = [file for name in TWINS for file in stored_blocks(state, name)]
    first = min(_first_to_merge(state, name, wave, documents) for name in TWINS)
    while across := [file.first for file in stored if file.first < first <= file.last]:
        first = min(across)
    return first


def _first_to_merge(state: State, name: str, wave: int, documents: int) -> int:
    """The first wave of the block that the rows of a new wave, of so many documents, go into."""
    sizes, first, size = state.waves.sizes(), wave, documents
    stored = [file for file in stored_blocks(state, name) if file.last < wave]
    while True:
        run, start = [], first
        for file in reversed(stored):
            here = sum(sizes.get(each, 0) for each in range(file.first, file.last + 1))
            if file.last != start - 1 or here >= FAN * max(size, 1):
                break
            run.append(here)
            start = file.first
        if len(run) < FAN - 1:
            return first
        first, size = start, size + sum(run)
        stored = [file for file in stored if file.last < first]


def blocks_to_make(state: State, wave: int, documents: int) -> dict[str, int]:
    """The indexes that get a block of a new wave, of so many documents, and the first wave of each block.

    The index of shingles for any threshold, the largest by far, is made by `truecopy index rebuild`, and kept up after
    that. Whoever has made blocks for a wave asks again before they are stored: if the answer is another one, somebody
    has stored others meanwhile, and these would take the place of blocks that hold more waves than they do.
    """
    names = [name for name in index_names(state) if name != SHINGLE or stored_blocks(state, name)]
    made = {name: _first_to_merge(state, name, wave, documents) for name in names}
    return made | dict.fromkeys(TWINS, _first_of_twins(state, wave, documents))


def block_name(name: str, first: int, last: int, serial: int) -> str:
    """The name of a block's segment."""
    return f"{index_type(name)}.{first:04d}-{last:04d}.{serial:06d}.segment"


def block_header(index: AnyIndex) -> dict[str, Any]:
    """What a block's segment says of itself."""
    return {"index": index.name, "spec": index.spec.as_json(), "options": index.options}


def name_block(state: State, name: str, file: File) -> None:
    """Let a row name a block in place of those that covered its waves; their files are swept away later."""
    old = [one.name for one in stored_blocks(state, name) if file.first <= one.last and one.first <= file.last]
    old += [one.name for one in state.files.of(index_type(_FORMER), DOCUMENT)]
    state.files.forget([*old, file.name])
    state.files.insert(file)


def read_stored(state: State, file: File, index: AnyIndex) -> AnyBlock | None:
    """A stored block; None where it is damaged or is not what it should be."""
    try:
        header, arrays = state.arrays.read(file)
        if set(header) != {"index", "options", "spec"} or not is_spec(header["spec"]):
            return None
        if header["index"] != index.name or header["options"] != index.options:
            return None
        index.spec.must_equal(Spec.from_json(header["spec"]))
        block = index.read_block(arrays, passed=state.arrays.has_passed(file))
        if set(block.stored()) != set(arrays):
            return None
        state.arrays.note_passed(file)
        return block
    except DiskTrouble:
        raise
    except (MatterError, SpecMismatch, AssertionError, LookupError, TypeError, ValueError, AttributeError):
        return None


def _part(state: State, name: str, index: AnyIndex, wave: int, threads: int) -> Part | RunBlock:
    """What a stored wave brings to an index."""
    if name not in OF_WORDS:
        signatures, documents = wave_signatures(state, name, wave)
        return rows_of(signatures), documents
    return _of_streams(state, name, index, *wave_streams(state, wave), threads)


def _of_streams(
    state: State, name: str, index: AnyIndex, numbers: I64, arrays: Mapping[str, Any], threads: int, seed: str = ""
) -> Part | RunBlock:
    """What some passages bring to an index of words."""
    words, offsets = arrays["words"], arrays["offsets"]
    room = room_of(words)
    if isinstance(index, Runs):
        return index.make_block(words, offsets, shingle_keys(state, room, seed), numbers, threads)
    if name == SHINGLE:
        from truecopy.index.shingles import shingle_rows

        return shingle_rows(words, offsets, shingle_keys(state, room, seed)), numbers
    return rows_of_bags(make_bags(words, offsets, max(room, 1), threads)), numbers


def _together(index: AnyIndex, parts: Sequence[AnyBlock | Part], threads: int) -> AnyBlock:
    """One block of several, and of the rows of single waves."""
    if isinstance(index, Runs):
        return index.merge([part for part in parts if isinstance(part, RunBlock)], threads)
    rows, numbers = [], []
    for part in parts:
        assert not isinstance(part, RunBlock)
        some, named = (part.rows, part.numbers) if isinstance(part, Block) else part
        rows.append(some)
        numbers.append(named)
    return index.make_block(joined(rows), np.concatenate(numbers))


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
