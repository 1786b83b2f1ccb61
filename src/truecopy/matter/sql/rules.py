"""What the rows of a matter's tables must be to one another, each as a query that finds those that are not.

The queries run inside the database, in an order that it chooses, and need no memory for the rows that are right. What
they take must grow with the matter as its size does: a part that names an outer row is answered from an index, because
SQLite would make it again for every row otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlalchemy import Connection, select

from truecopy.matter.sql import tables
from truecopy.matter.stored_json import stored_details, stored_settings
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED
from truecopy.threshold import WHOLE, ten_thousandths

_MOST = 5
"""How many rows are named for each rule."""
_MEANINGS = {
    r"DISTINCT\(([\w.]+)\)": r"EXISTS (SELECT 1 FROM documents AS o WHERE o.number = \1 AND o.original = o.number)",
    "SIMILAR_TO_SOME": "(SELECT a FROM pairs WHERE AT_THRESHOLD UNION SELECT b FROM pairs WHERE AT_THRESHOLD)",
    "AT_THRESHOLD": "relation = 'similar' AND WHOLE * distance <= ALLOWED * longer",
}
"""What is short for what in the queries below. `DISTINCT(x)`: document x is the first with its text. Numbers have names
in capitals: thresholds and floors in ten-thousandths of a per cent, and how far texts may differ at them.
"""
_NUMBERS = {"WHOLE": WHOLE, "SHORTEST_PAIRED": SHORTEST_PAIRED, "SHORTEST_CONTAINED": SHORTEST_CONTAINED}

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
    "documents: with words, and a copy of another than its original": (
        "SELECT number FROM documents WHERE original IS NOT NULL AND copy_of IS NOT nullif(original, number)"
    ),
    "documents: a copy of one with other bytes and other words": (
        "SELECT number FROM documents AS d WHERE copy_of IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM documents AS o WHERE o.number = d.copy_of AND "
        "(o.sha256 = d.sha256 OR (d.words > 0 AND o.figures_sha256 = d.figures_sha256))) "
        # the same bytes as another copy of that one, but read in another way
        "AND NOT EXISTS (SELECT 1 FROM documents AS o WHERE o.original = d.copy_of AND o.sha256 = d.sha256 "
        "AND o.number < d.number)"
    ),
    "documents: with other words than another with the same stored text": (
        "SELECT d.number FROM documents AS d JOIN documents AS o ON o.text = d.text AND o.original = o.number "
        "WHERE (d.words, d.words_sha256, d.figures_sha256) <> (o.words, o.words_sha256, o.figures_sha256)"
    ),
    "documents: with words, and without a hash of its bytes": (
        "SELECT number FROM documents WHERE words > 0 AND '' IN (md5, sha1, sha256)"
    ),
    "documents: without a path": "SELECT number FROM documents WHERE path = ''",
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
        "SELECT number FROM documents WHERE original IS NOT NULL AND status NOT IN "
        "('numbers-only', 'same-file', 'same-text', 'too-short', 'principal', 'member', 'linked', 'unique')"
    ),
    "documents: too short by its status and not by its words, or the reverse": (
        "SELECT number FROM documents WHERE (status = 'too-short' AND words >= SHORTEST_PAIRED) OR "
        "(status IN ('principal', 'member', 'linked', 'unique') AND words < SHORTEST_PAIRED)"
    ),
    "documents: a principal without members and copies, or a lone text with some": (
        "SELECT number FROM documents WHERE status IN ('principal', 'linked', 'unique') AND (status = 'principal') <> "
        "(number IN (SELECT principal FROM group_members WHERE principal <> document) "
        "OR number IN (SELECT original FROM documents WHERE status IN ('same-file', 'same-text')))"
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
    "pairs: of a kind that no stored pair has": (
        "SELECT a, b FROM pairs WHERE kind IN ('same-file', 'same-text', 'unrelated') "
        "OR (relation = 'similar' AND kind = 'contained')"
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
        "OR NOT EXISTS (SELECT 1 FROM dense_families AS first "
        "WHERE first.relation = f.relation AND first.document = f.family)"
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

MEASURED: dict[str, str] = {
    "pairs: below the floor of its relation": (
        "SELECT a, b FROM pairs WHERE (relation = 'similar' AND WHOLE * distance > ALLOWED_AT_FLOOR * longer) "
        "OR (relation = 'contains' AND (min(a_shingles, b_shingles) < SHORTEST_CONTAINED "
        "OR WHOLE * shared_shingles < CONTAINED * min(a_shingles, b_shingles)))"
    ),
    "group_members: less similar to its principal than the threshold asks for": (
        "SELECT document FROM group_members AS m WHERE document <> principal AND EXISTS (SELECT 1 FROM pairs "
        "WHERE relation = 'similar' AND a = min(m.document, m.principal) AND b = max(m.document, m.principal) "
        "AND WHOLE * distance > ALLOWED * longer)"
    ),
    "documents: linked, and similar to none": (
        "SELECT number FROM documents WHERE status = 'linked' AND number NOT IN SIMILAR_TO_SOME"
    ),
}
"""The same, by the matter's threshold and floors."""
EXACT: dict[str, str] = {
    "documents: unique, and similar to another": (
        "SELECT number FROM documents WHERE status = 'unique' AND number IN SIMILAR_TO_SOME"
    ),
    "group_members: a principal that is similar to another one": (
        "SELECT a, b FROM pairs WHERE AT_THRESHOLD AND EXISTS (SELECT 1 FROM group_members "
        "WHERE grouping = 'own' AND document = a AND principal = a) AND EXISTS (SELECT 1 FROM group_members "
        "WHERE grouping = 'own' AND document = b AND principal = b)"
    ),
}
"""The same where every wave found all its pairs: otherwise a lower floor may show later what was missed."""


def broken(connection: Connection) -> Iterator[str]:
    """A sentence for each rule that some rows break, with the first of them."""
    yield from _broken(connection, RULES, _NUMBERS)
    stored = select(tables.facts.c.value).where(tables.facts.c.name == "settings")
    settings = stored_settings(connection.execute(stored).scalar() or "")
    numbers = {
        "ALLOWED": WHOLE - ten_thousandths(settings.threshold),
        "ALLOWED_AT_FLOOR": WHOLE - ten_thousandths(settings.floor),
        "CONTAINED": ten_thousandths(settings.contains_floor),
    }
    waves = connection.execute(select(tables.waves.c.details)).scalars()
    exact = all(stored_details(details)["recall"] == 1 for details in waves)
    yield from _broken(connection, MEASURED | (EXACT if exact else {}), _NUMBERS | numbers)


def _broken(connection: Connection, rules: dict[str, str], numbers: dict[str, int]) -> Iterator[str]:
    for said, query in rules.items():
        table, _, what = said.partition(": ")
        for short, long in _MEANINGS.items():
            query = re.sub(short, long, query)
        written = re.sub(r"\b[A-Z_]{5,}\b", lambda word: str(numbers.get(word[0], word[0])), query)
        found = connection.exec_driver_sql(f"{written} LIMIT {_MOST}").all()
        if found:
            keys = ", ".join(" and ".join(str(key)[:40] for key in row) for row in found)
            yield f"the table {table} has rows that are wrong: {what} ({keys})"
