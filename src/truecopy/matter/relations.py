"""What the rows of a matter's tables must be to one another, each as a query that finds those that are not.

The queries run inside the database, in an order that it chooses, and need no memory for the rows that are right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection

_MOST = 5
"""How many rows are named for each rule."""
_DISTINCT = r"EXISTS (SELECT 1 FROM documents AS o WHERE o.number = \1 AND o.original = o.number)"
"""What `DISTINCT(x)` stands for below: document x is the first with its text."""

RULES: dict[str, str] = {
    "documents: of a wave that is not there": (
        "SELECT number FROM documents WHERE wave NOT IN (SELECT number FROM waves)"
    ),
    "documents: without a status": "SELECT number FROM documents WHERE status = ''",
    "documents: with the id of another": (
        "SELECT number FROM documents WHERE id IN (SELECT id FROM documents GROUP BY id HAVING count(*) > 1)"
    ),
    "documents: with an id that is not of its number": (
        "SELECT number FROM documents WHERE id <> printf('TC-%06d', number)"
    ),
    "documents: with an original that is not the first with its text": (
        "SELECT number FROM documents AS d WHERE original IS NOT NULL "
        "AND (original > number OR NOT DISTINCT(d.original))"
    ),
    "documents: a copy of one that is not earlier": (
        "SELECT number FROM documents WHERE copy_of IS NOT NULL AND "
        "(copy_of >= number OR copy_of NOT IN (SELECT number FROM documents))"
    ),
    "documents: with words and no original, or the reverse": (
        "SELECT number FROM documents WHERE (words > 0) <> (original IS NOT NULL)"
    ),
    "documents: with a text that is not stored": (
        "SELECT number FROM documents WHERE text IS NOT NULL AND text NOT IN (SELECT number FROM texts)"
    ),
    "documents: with words and no text": "SELECT number FROM documents WHERE original IS NOT NULL AND text IS NULL",
    "documents: with another number of words than its original": (
        "SELECT d.number FROM documents AS d JOIN documents AS o ON o.number = d.original "
        "WHERE d.figures_sha256 = o.figures_sha256 AND d.words <> o.words"
    ),
    "documents: a copy by its status that is no copy": (
        "SELECT number FROM documents WHERE status IN ('same-file', 'same-text') AND "
        "(copy_of IS NULL OR original IS NULL OR original = number)"
    ),
    "documents: the same file as another by its status, with bytes that no other has": (
        "SELECT number FROM documents WHERE status = 'same-file' AND sha256 NOT IN "
        "(SELECT sha256 FROM documents GROUP BY sha256 HAVING count(*) > 1)"
    ),
    "documents: with a status that needs words, and none": (
        "SELECT number FROM documents WHERE original IS NULL AND status IN "
        "('numbers-only', 'same-file', 'same-text', 'too-short', 'principal', 'member', 'linked', 'unique')"
    ),
    "documents: with words, and a status that says there are none": (
        "SELECT number FROM documents WHERE original IS NOT NULL AND status IN ('empty', 'unsearchable')"
    ),
    "documents: with a status that its group does not give it": (
        "SELECT d.number FROM documents AS d JOIN group_members AS m ON m.document = d.number "
        "WHERE d.original = d.number AND d.status IN ('principal', 'member', 'linked', 'unique') "
        "AND (d.status = 'member') <> (m.principal <> m.document)"
    ),
    "documents: a member, principal, linked or unique, and in no grouping": (
        "SELECT number FROM documents WHERE status IN ('principal', 'member', 'linked', 'unique') "
        "AND number NOT IN (SELECT document FROM group_members)"
    ),
    "documents: more shingles than words, or shingles of a copy": (
        "SELECT number FROM documents WHERE shingles > words OR (shingles > 0 AND original <> number)"
    ),
    "waves: with another number of documents than it says": (
        "SELECT number FROM waves LEFT JOIN (SELECT wave, count(*) AS found FROM documents GROUP BY wave) "
        "ON wave = number WHERE documents <> coalesce(found, 0)"
    ),
    "texts: of no document": (
        "SELECT number FROM texts WHERE number NOT IN (SELECT text FROM documents WHERE text IS NOT NULL)"
    ),
    "pairs: not of two distinct texts in order": (
        "SELECT a, b FROM pairs WHERE a >= b OR NOT DISTINCT(pairs.a) OR NOT DISTINCT(pairs.b)"
    ),
    "pairs: with a length or shingles that its texts do not have": (
        "SELECT a, b FROM pairs JOIN documents AS x ON x.number = a JOIN documents AS y ON y.number = b "
        "WHERE longer <> max(x.words, y.words) OR a_shingles <> x.shingles OR b_shingles <> y.shingles"
    ),
    "pairs: with a distance, shingles or terms out of range": (
        "SELECT a, b FROM pairs WHERE distance > longer OR distance < -1 OR (relation = 'similar' AND distance < 0) "
        "OR shared_shingles > min(a_shingles, b_shingles) OR shared_terms > fewer_terms OR fewer_terms > longer"
    ),
    "pairs: of two relations that do not agree": (
        "SELECT s.a, s.b FROM pairs AS s JOIN pairs AS c ON c.a = s.a AND c.b = s.b "
        "WHERE s.relation = 'similar' AND c.relation = 'contains' AND (s.distance <> c.distance "
        "OR s.shared_shingles <> c.shared_shingles OR s.shared_terms <> c.shared_terms "
        "OR s.fewer_terms <> c.fewer_terms OR s.kind <> c.kind)"
    ),
    "group_members: of no distinct text, or of no grouping": (
        "SELECT document FROM group_members AS m WHERE m.grouping NOT IN (SELECT name FROM groupings) "
        "OR NOT DISTINCT(m.document) OR NOT DISTINCT(m.principal)"
    ),
    "group_members: with a principal that is not its own": (
        "SELECT document FROM group_members AS m WHERE NOT EXISTS (SELECT 1 FROM group_members AS p "
        "WHERE p.grouping = m.grouping AND p.document = m.principal AND p.principal = p.document)"
    ),
    "group_members: with a principal that it is not paired with": (
        "SELECT document FROM group_members AS m WHERE document <> principal AND NOT EXISTS (SELECT 1 FROM pairs "
        "WHERE relation = 'similar' AND a = min(m.document, m.principal) AND b = max(m.document, m.principal))"
    ),
    "dense_families: of no distinct text": (
        "SELECT document FROM dense_families AS f WHERE NOT DISTINCT(f.document) "
        "OR f.family NOT IN (SELECT document FROM dense_families WHERE relation = f.relation)"
    ),
    "dense_families: not named by the first of its texts": (
        "SELECT family FROM dense_families GROUP BY relation, family HAVING family <> min(document)"
    ),
    "dense_families: with pairs left out of a text that is not the first": (
        "SELECT document FROM dense_families WHERE left_out <> 0 AND document <> family"
    ),
    "dense_families: with more pairs left out than its texts can have": (
        "SELECT family FROM dense_families GROUP BY relation, family "
        "HAVING max(left_out) > count(*) * (count(*) - 1) / 2"
    ),
}
"""What is wrong (the table, then what its rows are) → a query for the keys of such rows."""


def broken(connection: Connection) -> Iterator[str]:
    """A sentence for each rule that some rows break, with the first of them."""
    for said, query in RULES.items():
        table, _, what = said.partition(": ")
        written = re.sub(r"DISTINCT\(([\w.]+)\)", _DISTINCT, query)
        found = connection.exec_driver_sql(f"{written} LIMIT {_MOST}").all()
        if found:
            keys = ", ".join(" and ".join(str(key)[:40] for key in row) for row in found)
            yield f"the table {table} has rows that are wrong: {what} ({keys})"
