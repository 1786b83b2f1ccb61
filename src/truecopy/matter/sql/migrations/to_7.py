"""From format 6 to 7: a wave says which document and which passage are its last; rows after these are not there yet.

Documents are found by what lists are filtered by, and groups are counted.
"""

from __future__ import annotations

from sqlalchemy import Connection, func, select
from sqlalchemy.schema import CreateIndex, CreateTable

from truecopy.matter.sql import format_6, tables
from truecopy.matter.sql.migrations.pages import pages
from truecopy.matter.sql.migrations.sqlite import put_aside
from truecopy.matter.state import State


def bring(state: State) -> list[tuple[str, int, int]]:
    """Take the step; no block of an index has to be made again."""
    connection = state.connection
    documents, passages = format_6.documents, format_6.passages
    last_document = select(documents.c.wave, func.max(documents.c.number)).group_by(documents.c.wave)
    first = passages.join(documents, documents.c.number == passages.c.document)
    last_passage = select(documents.c.wave, func.max(passages.c.number)).select_from(first).group_by(documents.c.wave)
    last_documents, last_passages = (
        dict(map(tuple, connection.execute(query))) for query in (last_document, last_passage)
    )
    former = put_aside(connection, format_6.waves)
    connection.execute(CreateTable(tables.waves))
    document = passage = 0
    for columns in pages(connection, former, format_6.waves, ("number",)):
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            document = max(document, last_documents.get(row["number"], 0))
            passage = max(passage, last_passages.get(row["number"], 0))
            connection.execute(tables.waves.insert(), {**row, "last_document": document, "last_passage": passage})
    former.drop(connection)
    _count_groups(connection)
    _index_again(connection, "documents", "documents_by_status", "documents_by_facets")
    _index_again(connection, "groups", "groups_by_documents", "groups_by_documents")
    return []


def _index_again(connection: Connection, table: str, former: str, name: str) -> None:
    """Make an index of a table in place of one that it had."""
    before, after = format_6.metadata.tables[table].indexes, tables.metadata.tables[table].indexes
    next(one for one in before if one.name == former).drop(connection)
    connection.execute(CreateIndex(next(one for one in after if one.name == name)))


def _count_groups(connection: Connection) -> None:
    """Let each grouping say how many groups it has."""
    query = select(format_6.groups.c.grouping, func.count()).group_by(format_6.groups.c.grouping)
    counts = dict(map(tuple, connection.execute(query)))
    former = put_aside(connection, format_6.groupings)
    connection.execute(CreateTable(tables.groupings))
    for columns in pages(connection, former, format_6.groupings, ("name",)):
        for values in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values, strict=True))
            connection.execute(tables.groupings.insert(), {**row, "groups": counts.get(row["name"], 0)})
    former.drop(connection)
