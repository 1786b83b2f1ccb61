"""Making a matter's indexes again, and storing them.

They are made from a snapshot, into a spool, before the writers' lock is taken. If a wave was committed meanwhile, a
floor was lowered or texts were signed, they are made once more.
"""

from __future__ import annotations

from dataclasses import dataclass

from truecopy.errors import BadSetting
from truecopy.matter.change.following import following
from truecopy.matter.change.spool import Spool, Spooled, published, spooling
from truecopy.matter.indexing import (
    block_header,
    block_name,
    index_names,
    make_block,
    name_block,
    new_index,
    together_with,
    unit_of,
)
from truecopy.matter.signed import index_type
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.progress import SILENT, Progress


@dataclass(frozen=True, slots=True)
class _MadeIndexes:
    """Indexes that were made, with their blocks in a spool."""

    names: list[str]
    blocks: list[Spooled]


def rebuild(store: Store, only: str | None = None, progress: Progress = SILENT) -> list[str]:
    """Rebuild every index, or one and what is always rebuilt with it, each as one block; returns their names."""
    store.must_be_writable()
    with spooling(store.folder) as spool:
        with following(store, lambda state: _make(state, spool, only, progress)) as (state, made):
            files = published(state, spool, made.blocks, state.waves.last())
            state.audit.record("index", {"rebuilt": made.names})
        store.arrays.note_written(files)
    return made.names


def _make(state: State, spool: Spool, only: str | None, progress: Progress) -> _MadeIndexes:
    last, every = state.waves.last(), index_names(state)
    if only is not None and only not in every:
        raise BadSetting(f"The matter has no index {only!r}.", f"It has: {', '.join(every)}.")
    names = (every if only is None else together_with(every, only)) if last else []
    blocks = []
    progress.start("blocks", len(names), "indexes")
    for name in names:
        index = new_index(state, name)
        written = spool.write(block_header(index), make_block(state, name, index, 1, last).stored())
        blocks.append(Spooled(*written, index_type(name), 1, last, unit_of(name), name))
        progress.advance(1)
    progress.finish()
    return _MadeIndexes(names, blocks)


def store_block(state: State, name: str, first: int, last: int) -> None:
    """Make a block over some waves, and store it in place of those that covered them."""
    index = new_index(state, name)
    block = make_block(state, name, index, first, last)
    file = block_name(name, first, last, state.audit.next_number())
    checksum = state.arrays.write(file, block_header(index), block.stored())
    name_block(state, name, File(file, last, index_type(name), first, last, checksum, unit_of(name)))
