"""The rows of documents and passages of format 6, and how many documents there are of each status."""

from __future__ import annotations

from collections import Counter
from typing import Any

from sqlalchemy import Connection, Table

from truecopy.matter.sql import format_5, format_6
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.migrations.pages import pages
from truecopy.matter.sql.migrations.to_6.numbering import Numbers
from truecopy.model import file_name

_TALLIED = ("wave", "custodian", "status", "copied", "doubted")


def move_documents(connection: Connection, former: Table, numbers: Numbers) -> None:
    """Write every document with its passage and its text, every passage, and the tallies."""
    tallies: Counter[tuple[Any, ...]] = Counter()
    place = 0
    for page in pages(connection, former, format_5.documents, ["number"]):
        here = slice(place, place := place + len(page["number"]))
        if "" in page["status"]:
            raise wrong_cell("documents.status")  # only while a wave is added
        given = {
            **page,
            "name": [file_name(path) for path in page["path"]],
            "custodian": [""] * len(page["number"]),
            "passage": [number or None for number in numbers.passage[here].tolist()],
            "text": [number or None for number in numbers.text[here].tolist()],
        }
        own = [original == number for original, number in zip(page["original"], page["number"], strict=True)]
        _insert_passages(connection, given, own)
        names = [column.name for column in format_6.documents.columns]
        rows = zip(*(given[name] for name in names), strict=True)
        connection.execute(format_6.documents.insert(), [dict(zip(names, row, strict=True)) for row in rows])
        copied = (int(number is not None) for number in page["copy_of"])
        doubted = (int(doubt != "") for doubt in page["doubt"])
        tallies.update(zip(page["wave"], given["custodian"], page["status"], copied, doubted, strict=True))
    counted = [{**dict(zip(_TALLIED, tally, strict=True)), "documents": count} for tally, count in tallies.items()]
    if counted:
        connection.execute(format_6.tallies.insert(), counted)


def _insert_passages(connection: Connection, given: dict[str, Any], own: list[bool]) -> None:
    """Write the passages that some documents are the first to have."""
    columns = (given[name] for name in ("passage", "number", "words", "shingles"))
    rows = [
        {"number": passage, "unit": "document", "document": number, "place": 0, "words": words, "shingles": shingles}
        for is_own, passage, number, words, shingles in zip(own, *columns, strict=True)
        if is_own
    ]
    if rows:
        connection.execute(format_6.passages.insert(), rows)
