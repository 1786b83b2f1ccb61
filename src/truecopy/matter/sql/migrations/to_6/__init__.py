"""From format 5 to 6: passages have numbers of their own; texts are in segments; groups, families and tallies are kept.

numbering   which passage and which text each document has
former      what segments of words must be like before they are used
segments    words and texts in new segments; signatures and statistics as they are
documents   the rows of documents and passages, and the tallies
pairs       pairs and families
groups      the matter's own grouping
"""

from __future__ import annotations

from sqlalchemy.schema import CreateIndex, CreateTable

from truecopy.matter.sql import format_5, format_6
from truecopy.matter.sql.migrations.sqlite import put_aside
from truecopy.matter.sql.migrations.to_6.documents import move_documents
from truecopy.matter.sql.migrations.to_6.groups import move_groups
from truecopy.matter.sql.migrations.to_6.numbering import number_all
from truecopy.matter.sql.migrations.to_6.pairs import move_pairs
from truecopy.matter.sql.migrations.to_6.segments import move_segments
from truecopy.matter.state import State

_SAME = ("facts", "waves", "signings", "audit")
"""Tables that stay as they are."""


def bring(state: State) -> list[tuple[str, int, int]]:
    """Take the step; returns the blocks of indexes over words, which have to be made again."""
    connection = state.connection
    former = {
        name: put_aside(connection, table) for name, table in format_5.metadata.tables.items() if name not in _SAME
    }
    made = [table for name, table in format_6.metadata.tables.items() if name not in _SAME]
    for table in made:
        connection.execute(CreateTable(table))
    numbers = number_all(state, former["documents"])
    blocks = move_segments(state, former["segments"], former["texts"], numbers)
    move_documents(connection, former["documents"], numbers)
    move_pairs(connection, former["pairs"], former["dense_families"], numbers)
    move_groups(connection, former["groupings"], former["group_members"], numbers)
    for table in made:
        for index in sorted(table.indexes, key=lambda one: str(one.name)):  # now: filled at once they cost less
            connection.execute(CreateIndex(index))
    for table in former.values():
        table.drop(connection)
    return blocks
