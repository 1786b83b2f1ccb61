"""Making a matter's indexes again, and storing them."""

from __future__ import annotations

from truecopy.errors import BadSetting
from truecopy.matter.indexing import block_header, block_name, index_names, make_block, name_block, new_index, unit_of
from truecopy.matter.signed import index_kind
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.store import Store
from truecopy.progress import SILENT, Progress


def rebuild(store: Store, only: str | None = None, progress: Progress = SILENT) -> list[str]:
    """Rebuild every index, each as one block; returns their names."""
    with store.writing() as state:
        store.sweep(state)
        every = index_names(state)
        if only is not None and only not in every:
            raise BadSetting(f"The matter has no index {only!r}.", f"It has: {', '.join(every)}.")
        made = [name for name in every if state.waves.any() and only in (None, name)]
        progress.start("blocks", len(made), "indexes")
        for name in made:
            store_block(state, name, 1, state.waves.last())
            progress.advance(1)
        progress.finish()
        state.audit.record("index", {"rebuilt": made})
    return made


def store_block(state: State, name: str, first: int, last: int) -> None:
    """Make a block over some waves, and store it in place of those that covered them."""
    index = new_index(state, name)
    block = make_block(state, name, index, first, last)
    file = block_name(name, first, last, state.audit.next_number())
    checksum = state.arrays.write(file, block_header(index), block.stored())
    name_block(state, name, File(file, last, index_kind(name), first, last, checksum, unit_of(name)))
