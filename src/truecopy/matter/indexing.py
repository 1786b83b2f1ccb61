"""Indexes of a matter: blocks over the words and the signatures of one or more waves, stored as segments.

A matter has an index of its bags of words (`overlap`), one of its shingles (`shingles`), and one for each method that
it is signed with. A block covers some waves, one after the other; a new wave's block takes in those before it that
are not twice as large, so that there are never many. Every block is made from what else the matter holds: one that is
missing, damaged or of other signatures is never searched; it is made again, and the answer names it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Connection, func, select

from truecopy.errors import BadSetting, DiskTrouble, MatterError, SpecMismatch
from truecopy.index.blocks import Block
from truecopy.index.index import Index
from truecopy.index.methods import index_for
from truecopy.index.rows import BAGS, SHINGLES, Rows, joined, rows_of, rows_of_bags
from truecopy.matter import tables
from truecopy.matter.audit import record
from truecopy.matter.filenames import SEGMENT, agrees
from truecopy.matter.signing import index_kind, known_spec, read_signings, wave_signatures
from truecopy.matter.store import Store
from truecopy.matter.stored_json import is_spec
from truecopy.matter.texts import shingle_keys, wave_streams
from truecopy.progress import SILENT, Progress
from truecopy.segments import read_segment, write_segment
from truecopy.spec import Spec
from truecopy.text.streams import make_bags

Array = npt.NDArray[Any]

OVERLAP, SHINGLE = "overlap", "shingles"


@dataclass(frozen=True, slots=True)
class Stored:
    """A row that names a block's segment, and the waves that it covers."""

    name: str
    checksum: str
    first: int
    last: int


@dataclass(slots=True)
class Opened:
    """An index that is ready to be searched, and what had to be made for it."""

    index: Index
    damaged: list[str] = field(default_factory=list)
    """Names of segments that could not be used."""
    made: list[tuple[Block, int, int]] = field(default_factory=list)
    """Blocks that were made now, and the waves that each covers."""


def kinds(connection: Connection) -> list[str]:
    """The indexes that a matter has: of words, and of each method that it is signed with."""
    return [OVERLAP, SHINGLE, *read_signings(connection)]


def open_index(folder: Path, connection: Connection, kind: str) -> Opened:
    """An index, from the stored blocks if they are whole; damaged or missing ones are made from the store."""
    opened = Opened(new_index(folder, connection, kind))
    covered: set[int] = set()
    for stored in stored_blocks(connection, kind):
        if not covered.isdisjoint(range(stored.first, stored.last + 1)):
            continue
        block = read_stored(folder, stored, opened.index)
        if block is None:
            opened.damaged.append(stored.name)
            block = make_block(folder, connection, kind, opened.index, stored.first, stored.last)
            opened.made.append((block, stored.first, stored.last))
        covered.update(range(stored.first, stored.last + 1))
        opened.index.append(block)
    for first, last in _gaps(connection, covered):
        block = make_block(folder, connection, kind, opened.index, first, last)
        opened.made.append((block, first, last))
        opened.index.append(block)
    return opened


def keep(store: Store, kind: str, opened: Opened) -> None:
    """Store the blocks that were made if the matter can be written to now; otherwise the next question makes them."""
    try:
        with store.writing() as connection:
            if _spec(store.folder, connection, kind) != opened.index.spec:
                return  # signed again meanwhile
            wanted = [made for made in opened.made if not _covered(connection, kind, made, opened.damaged)]
            for block, first, last in wanted:
                _write(store.folder, connection, kind, opened.index, block, first, last)
            if wanted:
                record(connection, "index", {"index": kind, "damaged": opened.damaged, "made": len(wanted)})
            store.sweep(connection)
    except (MatterError, OSError):
        return  # busy, read-only, or a full disk: nothing is lost, the answer does not depend on it


def _covered(connection: Connection, kind: str, made: tuple[Block, int, int], damaged: list[str]) -> bool:
    """Whether another process has stored a block of the same waves meanwhile."""
    _, first, last = made
    others = [stored for stored in stored_blocks(connection, kind) if stored.name not in damaged]
    return any(stored.first <= last and first <= stored.last for stored in others)


def index_new_wave(store: Store, connection: Connection, wave: int, progress: Progress = SILENT) -> None:
    """Make a block for a wave that is being added, in every index, together with blocks that are not much larger.

    The index of shingles, the largest by far, is made when somebody first asks for containment, and kept up after that.
    """
    every = [kind for kind in kinds(connection) if kind != SHINGLE or stored_blocks(connection, kind)]
    progress.start("blocks", len(every), "indexes")
    for kind in every:
        index = new_index(store.folder, connection, kind)
        first = _first_to_merge(connection, kind, wave)
        block = make_block(store.folder, connection, kind, index, first, wave)
        _write(store.folder, connection, kind, index, block, first, wave)
        progress.advance(1)
    progress.finish()


def rebuild(store: Store, only: str | None = None, progress: Progress = SILENT) -> list[str]:
    """Rebuild every index, each as one block; returns their names."""
    with store.writing() as connection:
        store.sweep(connection)
        every = kinds(connection)
        if only is not None and only not in every:
            raise BadSetting(f"The matter has no index {only!r}.", f"It has: {', '.join(every)}.")
        last = connection.execute(select(func.max(tables.waves.c.number))).scalar()
        made = [kind for kind in every if last and only in (None, kind)]
        progress.start("blocks", len(made), "indexes")
        for kind in made:
            index = new_index(store.folder, connection, kind)
            block = make_block(store.folder, connection, kind, index, 1, int(last or 0))
            _write(store.folder, connection, kind, index, block, 1, int(last or 0))
            progress.advance(1)
        progress.finish()
        record(connection, "index", {"rebuilt": made})
    return made


def stored_blocks(connection: Connection, kind: str) -> list[Stored]:
    """The stored blocks of an index, in order of their waves."""
    table = tables.segments
    found = connection.execute(select(table).where(table.c.kind == index_kind(kind)).order_by(table.c.wave))
    last = connection.execute(select(func.max(tables.waves.c.number))).scalar() or 0
    blocks = []
    for row in found:
        named = SEGMENT.fullmatch(row.name)
        if named and agrees(row.name, row.kind, row.wave) and row.wave <= last:
            blocks.append(Stored(row.name, row.checksum, int(named["first"]), int(named["last"])))
    return blocks


def new_index(folder: Path, connection: Connection, kind: str) -> Index:
    """An index of a matter with nothing in it yet."""
    return index_for(_spec(folder, connection, kind))


def gaps(connection: Connection, kind: str) -> int:
    """How many waves no block of an index covers yet."""
    covered = {wave for one in stored_blocks(connection, kind) for wave in range(one.first, one.last + 1)}
    return sum(last - first + 1 for first, last in _gaps(connection, covered))


def make_block(folder: Path, connection: Connection, kind: str, index: Index, first: int, last: int) -> Block:
    """A block over the waves from one to another, from the matter's words or signatures."""
    parts = [_source(folder, connection, kind, wave) for wave in _waves(connection) if first <= wave <= last]
    rows = joined([rows for rows, _ in parts])
    return index.make_block(rows, np.concatenate([numbers for _, numbers in parts]))


def _source(folder: Path, connection: Connection, kind: str, wave: int) -> tuple[Rows, Array]:
    """The rows of a wave, and the document that each is of."""
    if kind not in (OVERLAP, SHINGLE):
        signatures, documents = wave_signatures(folder, connection, kind, wave)
        return rows_of(signatures), documents
    part = wave_streams(folder, connection, wave)
    if kind == SHINGLE:
        from truecopy.index.shingles import shingle_rows

        keys = shingle_keys(connection, 1 + int(part["words"].max(initial=0)))
        return shingle_rows(part["words"], part["offsets"], keys), part["numbers"]
    bags = make_bags(part["words"], part["offsets"], 1 + int(part["words"].max(initial=0)))
    return rows_of_bags(bags), part["numbers"]


def read_stored(folder: Path, stored: Stored, index: Index) -> Block | None:
    """A stored block; None where it is damaged or is not what it should be."""
    try:
        header, arrays = read_segment(folder / stored.name, stored.checksum)
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


def _write(folder: Path, connection: Connection, kind: str, index: Index, block: Block, first: int, last: int) -> None:
    """Store a block in place of those that covered its waves; their files are swept away later."""
    table = tables.segments
    old = [one.name for one in stored_blocks(connection, kind) if first <= one.last and one.first <= last]
    serial = 1 + (connection.execute(select(func.max(tables.audit.c.number))).scalar() or 0)
    name = f"index-{kind}.{first:04d}-{last:04d}.{serial:06d}.segment"
    header = {"index": index.name, "spec": index.spec.as_json(), "options": index.options}
    checksum = write_segment(folder / name, header, block.stored())
    connection.execute(table.delete().where(table.c.name.in_([*old, name])))
    row = {"name": name, "wave": last, "kind": index_kind(kind), "checksum": checksum}
    connection.execute(table.insert(), row)


def _first_to_merge(connection: Connection, kind: str, wave: int) -> int:
    """The first wave of the block that a new wave's rows go into."""
    table = tables.waves
    sizes = {row.number: row.documents for row in connection.execute(select(table.c.number, table.c.documents))}
    first, size = wave, sizes[wave]
    for stored in reversed(stored_blocks(connection, kind)):
        here = sum(sizes.get(each, 0) for each in range(stored.first, stored.last + 1))
        if stored.last != first - 1 or here >= 2 * size:
            break
        first, size = stored.first, size + here
    return first


def _gaps(connection: Connection, covered: set[int]) -> list[tuple[int, int]]:
    """Runs of waves that are not covered."""
    runs: list[tuple[int, int]] = []
    for wave in _waves(connection):
        if wave in covered:
            continue
        if runs and runs[-1][1] == wave - 1:
            runs[-1] = (runs[-1][0], wave)
        else:
            runs.append((wave, wave))
    return runs


def _waves(connection: Connection) -> list[int]:
    return list(connection.execute(select(tables.waves.c.number).order_by(tables.waves.c.number)).scalars())


def _spec(folder: Path, connection: Connection, kind: str) -> Spec:
    if kind == OVERLAP:
        return BAGS
    return SHINGLES if kind == SHINGLE else known_spec(folder, connection, kind)
