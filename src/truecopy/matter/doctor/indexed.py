"""Indexes: every block is whole in itself and, made again from words or signatures, the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from truecopy.errors import DiskTrouble
from truecopy.hints import pasted
from truecopy.matter.doctor.contents import equal_arrays
from truecopy.matter.doctor.findings import WRONG
from truecopy.matter.indexing import index_names, make_block, new_index, read_stored, stored_blocks
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.stopping import check


def wrong_indexes(state: State, *, thorough: bool) -> Iterator[str]:
    """The blocks that cannot be read and, if `thorough`, those that are not what they should be."""
    again = pasted("index", "rebuild", matter=state.place)
    for name in index_names(state):
        index = new_index(state, name)
        for file in stored_blocks(state, name):
            check()
            block = read_stored(state, file, index)
            if block is None:
                yield f"The index file {file.name} is damaged or missing: make it again with {again}."
            elif thorough and not _is_same(state, name, file, block):
                yield f"The index file {file.name} is not what the matter's texts make: make it again with {again}."


def _is_same(state: State, name: str, file: File, block: Any) -> bool:
    try:
        made = make_block(state, name, new_index(state, name), file.first, file.last)
    except DiskTrouble:
        raise
    except WRONG:
        return True  # what it is made of is damaged, and was named already
    return equal_arrays(block.stored(), made.stored())
