"""From format 6 to 7: a wave says which document and which passage are its last; rows after these are not there yet."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.schema import CreateTable

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
    return []
