"""What the rows of a matter's tables must be, in themselves and to one another; asked by the doctor.

Each rule is a query that finds the rows that break it. The queries run inside the database, in an order that it
chooses, and need no memory for the rows that are right. What they take must grow with the matter as its size does: a
part that names an outer row is answered from an index, because SQLite would make it again for every row otherwise;
rows that must be counted or compared with their neighbors are counted in groups, or seen once, in order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from truecopy.matter.sql import tables
from truecopy.matter.sql.cells import rule_of
from truecopy.matter.sql.database import Database
from truecopy.model import SHORTEST_CONTAINED, SHORTEST_PAIRED
from truecopy.stopping import check
from truecopy.threshold import WHOLE, ten_thousandths

_MOST = 5
"""How many rows are named for each rule."""
_MOST_CELLS = 20
"""Wrong cells after which the rest of a table is passed over."""
_MEANINGS = {
    r"IS_FIRST\(([\w.]+)\)": r"EXISTS (SELECT 1 FROM passages WHERE document = \1)",
    r"IS_PASSAGE\(([\w.]+)\)": r"EXISTS (SELECT 1 FROM passages WHERE number = \1)",
    "FIRST_DOCUMENTS": "documents AS d JOIN passages AS p ON p.document = d.number",
    "IN_GROUPS": "('principal', 'member', 'linked', 'unique')",
    "WITH_WORDS": "('numbers-only', 'same-file', 'same-text', 'too-short', 'principal', 'member', 'linked', 'unique')",
    "GROUPED": (
        "SELECT 'own', coalesce(m.principal, d.passage) AS head, count(*) AS found FROM documents AS d LEFT JOIN "
        "group_members AS m ON m.grouping = 'own' AND m.passage = d.passage WHERE d.passage IS NOT NULL "
        "GROUP BY head HAVING found > 1"
    ),
    "TALLIED": (
        "SELECT wave, custodian, status, copy_of IS NOT NULL AS copied, doubt <> '' AS doubted, count(*) "
        "FROM documents GROUP BY wave, custodian, status, copied, doubted"
    ),
    "TO_PRINCIPAL": (
        "unit = 'document' AND relation = 'similar' AND a = min(m.passage, m.principal) "
        "AND b = max(m.passage, m.principal)"
    ),
    "SIMILAR_TO_SOME": "(SELECT a FROM pairs WHERE AT_THRESHOLD UNION SELECT b FROM pairs WHERE AT_THRESHOLD)",
    "AT_THRESHOLD": "unit = 'document' AND relation = 'similar' AND WHOLE * distance <= ALLOWED * longer",
}
"""What is short for what in the queries below. `IS_FIRST(x)`: document x is the first that has its passage. Numbers
have names in capitals: thresholds and floors in ten-thousandths of a per cent, and how far texts may differ at them.
"""
_NUMBERS = {"WHOLE": WHOLE, "SHORTEST_PAIRED": SHORTEST_PAIRED, "SHORTEST_CONTAINED": SHORTEST_CONTAINED}

_DOCUMENTS: dict[str, str] = {
    "documents: of a wave that is not there": (
        "SELECT number FROM documents WHERE wave NOT IN (SELECT number FROM waves)"
    ),
    "documents: of an earlier wave than one before it": (
        "SELECT number FROM (SELECT number, wave, lag(wave, 1, 0) OVER (ORDER BY number) AS before FROM documents) "
        "WHERE wave < before"
    ),
    "documents: without a status": "SELECT number FROM documents WHERE status = ''",
    "documents: with the id of another": (
        "SELECT number FROM documents WHERE id IN (SELECT id FROM documents GROUP BY id HAVING count(*) > 1)"
    ),
    "documents: without a path": "SELECT number FROM documents WHERE path = ''",
    "documents: with words, and without a hash of its bytes": (
        "SELECT number FROM documents WHERE words > 0 AND '' IN (md5, sha1, sha256)"
    ),
    "documents: with a passage that is not there": (
        "SELECT number FROM documents AS d WHERE passage IS NOT NULL AND NOT IS_PASSAGE(d.passage)"
    ),
    "documents: with words and no passage, or the reverse": (
        "SELECT number FROM documents WHERE (words > 0) <> (passage IS NOT NULL)"
    ),
    "documents: with words and no text": "SELECT number FROM documents WHERE passage IS NOT NULL AND text IS NULL",
    "documents: with stored texts that do not follow one another": (
        "SELECT number FROM (SELECT text, number, lag(text, 1, 0) OVER (ORDER BY text) AS before, "
        "lag(number, 1, 0) OVER (ORDER BY text) AS earlier FROM "
        "(SELECT text, min(number) AS number FROM documents WHERE text IS NOT NULL GROUP BY text)) "
        "WHERE text <> before + 1 OR number <= earlier"
    ),
    "documents: with other words than another with the same stored text": (
        "SELECT max(number) FROM documents WHERE text IS NOT NULL GROUP BY text HAVING min(words) <> max(words) "
        "OR min(words_sha256) <> max(words_sha256) OR min(figures_sha256) <> max(figures_sha256)"
    ),
    "documents: without a letter by its status, and another with the same stored text with some": (
        "SELECT max(number) FROM documents WHERE text IS NOT NULL GROUP BY text "
        "HAVING min(status = 'numbers-only') <> max(status = 'numbers-only')"
    ),
    "documents: with another number of words than its original": (
        "SELECT d.number FROM documents AS d JOIN passages AS p ON p.number = d.passage "
        "JOIN documents AS o ON o.number = p.document WHERE d.figures_sha256 = o.figures_sha256 AND d.words <> o.words"
    ),
}
_COPIES: dict[str, str] = {
    "documents: a copy of one that is not earlier": (
        "SELECT number FROM documents WHERE copy_of IS NOT NULL AND "
        "(copy_of >= number OR copy_of NOT IN (SELECT number FROM documents))"
    ),
    "documents: with words, and a copy of another than its original": (
        "SELECT d.number FROM documents AS d JOIN passages AS p ON p.number = d.passage "
        "WHERE d.copy_of IS NOT nullif(p.document, d.number)"
    ),
    "documents: a copy of one with other bytes and other words": (
        "SELECT number FROM documents AS d WHERE copy_of IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM documents AS o WHERE o.number = d.copy_of AND "
        "(o.sha256 = d.sha256 OR (d.words > 0 AND o.figures_sha256 = d.figures_sha256))) "
        # the same bytes as another copy of that one, but read in another way
        "AND NOT EXISTS (SELECT 1 FROM documents AS o WHERE o.sha256 = d.sha256 AND o.number < d.number "
        "AND o.passage = d.passage)"
    ),
    "documents: a copy by its status that is no copy": (
        "SELECT number FROM documents AS d WHERE status IN ('same-file', 'same-text') AND "
        "(copy_of IS NULL OR passage IS NULL OR IS_FIRST(d.number))"
    ),
    "documents: a copy by its words that is none by its status": (
        "SELECT number FROM documents WHERE copy_of IS NOT NULL AND passage IS NOT NULL "
        "AND status NOT IN ('same-file', 'same-text', 'numbers-only')"
    ),
    "documents: the same file as another by its status, with bytes that no earlier one has": (
        "SELECT number FROM documents AS d WHERE status = 'same-file' AND NOT EXISTS (SELECT 1 FROM documents AS o "
        "WHERE o.sha256 = d.sha256 AND o.number < d.number AND o.passage IS NOT NULL)"
    ),
    "documents: the same text as another by its status, with bytes that an earlier one has": (
        "SELECT number FROM documents AS d WHERE status = 'same-text' AND EXISTS (SELECT 1 FROM documents AS o "
        "WHERE o.sha256 = d.sha256 AND o.number < d.number AND o.passage IS NOT NULL)"
    ),
}
_STATUSES: dict[str, str] = {
    "documents: with a status that needs words, and none": (
        "SELECT number FROM documents WHERE passage IS NULL AND status IN WITH_WORDS"
    ),
    "documents: with words, and a status that says there are none": (
        "SELECT number FROM documents WHERE passage IS NOT NULL AND status NOT IN WITH_WORDS"
    ),
    "documents: too short by its status and not by its words, or the reverse": (
        "SELECT number FROM documents WHERE (status = 'too-short' AND words >= SHORTEST_PAIRED) OR "
        "(status IN IN_GROUPS AND words < SHORTEST_PAIRED)"
    ),
    "documents: a principal without members and copies, or a lone text with some": (
        "SELECT d.number FROM FIRST_DOCUMENTS WHERE d.status IN ('principal', 'linked', 'unique') AND "
        "(d.status = 'principal') <> (p.number IN (SELECT principal FROM group_members WHERE principal <> passage) "
        "OR p.number IN (SELECT passage FROM documents WHERE copy_of IS NOT NULL AND passage IS NOT NULL))"
    ),
    "documents: with a status that its group does not give it": (
        "SELECT d.number FROM FIRST_DOCUMENTS JOIN group_members AS m ON m.grouping = 'own' AND m.passage = p.number "
        "WHERE d.status IN IN_GROUPS AND (d.status = 'member') <> (m.principal <> m.passage)"
    ),
    "documents: a member, principal, linked or unique, and in no grouping": (
        "SELECT number FROM documents WHERE status IN IN_GROUPS AND number NOT IN (SELECT p.document "
        "FROM passages AS p JOIN group_members AS m ON m.grouping = 'own' AND m.passage = p.number)"
    ),
}
_PASSAGES: dict[str, str] = {
    "passages: that do not follow one another as their documents do": (
        "SELECT number FROM (SELECT number, document, lag(number, 1, 0) OVER (ORDER BY number) AS before, "
        "lag(document, 1, 0) OVER (ORDER BY number) AS earlier FROM passages) "
        "WHERE number <> before + 1 OR document <= earlier"
    ),
    "passages: of another document than the first that has it": (
        "SELECT number FROM passages AS p WHERE document IS NOT "
        "(SELECT min(number) FROM documents WHERE passage = p.number)"
    ),
    "passages: with another number of words than its document": (
        "SELECT p.number FROM FIRST_DOCUMENTS WHERE p.words <> d.words"
    ),
    "passages: with the words and figure marks of another": (
        "SELECT max(p.number) FROM FIRST_DOCUMENTS GROUP BY d.figures_sha256 HAVING count(*) > 1"
    ),
    "passages: of a whole document, and not at its beginning": (
        "SELECT number FROM passages WHERE unit = 'document' AND place <> 0"
    ),
    "passages: with more shingles than words": "SELECT number FROM passages WHERE shingles > words",
}
_PAIRS: dict[str, str] = {
    "pairs: not of two distinct texts in order": (
        "SELECT a, b FROM pairs WHERE a >= b OR NOT IS_PASSAGE(pairs.a) OR NOT IS_PASSAGE(pairs.b)"
    ),
    "pairs: of passages of another unit": (
        "SELECT a, b FROM pairs JOIN passages AS x ON x.number = a JOIN passages AS y ON y.number = b "
        "WHERE x.unit <> pairs.unit OR y.unit <> pairs.unit"
    ),
    "pairs: with a length or shingles that its texts do not have": (
        "SELECT a, b FROM pairs JOIN passages AS x ON x.number = a JOIN passages AS y ON y.number = b "
        "WHERE longer <> max(x.words, y.words) OR a_shingles <> x.shingles OR b_shingles <> y.shingles"
    ),
    "pairs: of a text that is too short to be compared": (
        "SELECT a, b FROM pairs JOIN passages AS x ON x.number = a JOIN passages AS y ON y.number = b "
        "WHERE min(x.words, y.words) < SHORTEST_PAIRED"
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
        "SELECT s.a, s.b FROM pairs AS s JOIN pairs AS c ON c.unit = s.unit AND c.relation = 'contains' "
        "AND c.a = s.a AND c.b = s.b WHERE s.relation = 'similar' AND (s.distance <> c.distance "
        "OR s.shared_shingles <> c.shared_shingles OR s.shared_terms <> c.shared_terms "
        "OR s.fewer_terms <> c.fewer_terms OR s.kind <> c.kind)"
    ),
    "pairs: of two texts that are not in one family": (
        "SELECT a, b FROM pairs AS s WHERE NOT coalesce("
        "(SELECT family FROM families WHERE relation = s.relation AND passage = s.a) = "
        "(SELECT family FROM families WHERE relation = s.relation AND passage = s.b), 0)"
    ),
}
_GROUPS: dict[str, str] = {
    "group_members: of no distinct text, or of no grouping": (
        "SELECT passage FROM group_members AS m WHERE m.grouping NOT IN (SELECT name FROM groupings) "
        "OR NOT IS_PASSAGE(m.passage) OR NOT IS_PASSAGE(m.principal)"
    ),
    "group_members: with a principal that is not its own": (
        "SELECT passage FROM group_members AS m WHERE NOT EXISTS (SELECT 1 FROM group_members AS p "
        "WHERE p.grouping = m.grouping AND p.passage = m.principal AND p.principal = p.passage)"
    ),
    "group_members: with a principal that it is not paired with": (
        "SELECT passage FROM group_members AS m WHERE passage <> principal "
        "AND NOT EXISTS (SELECT 1 FROM pairs WHERE TO_PRINCIPAL)"
    ),
    "groups: with another number of documents than it has, or with only one": (
        "SELECT principal FROM (SELECT grouping, principal, documents FROM groups EXCEPT GROUPED)"
    ),
    "groupings: with another number of groups than it has": (
        "SELECT name FROM groupings WHERE groups <> (SELECT count(*) FROM groups WHERE grouping = name)"
    ),
    "group_members: with documents that the table groups does not count": (
        "SELECT head FROM (GROUPED EXCEPT SELECT grouping, principal, documents FROM groups)"
    ),
}
_COUNTED: dict[str, str] = {
    "waves: with another number of documents than it says": (
        "SELECT number FROM waves LEFT JOIN (SELECT wave, count(*) AS found FROM documents GROUP BY wave) "
        "ON wave = number WHERE documents <> coalesce(found, 0)"
    ),
    "waves: with another last document or passage than it has": (
        "SELECT number FROM (SELECT w.number, last_document, last_passage, "
        "max(coalesce(found, 0)) OVER before AS document, max(coalesce(own, 0)) OVER before AS passage "
        "FROM waves AS w LEFT JOIN (SELECT d.wave, max(d.number) AS found, max(p.number) AS own FROM documents AS d "
        "LEFT JOIN passages AS p ON p.document = d.number GROUP BY d.wave) AS f ON f.wave = w.number "
        "WINDOW before AS (ORDER BY w.number)) WHERE last_document <> document OR last_passage <> passage"
    ),
    "tallies: of other documents than there are": (
        "SELECT wave, custodian, status FROM (SELECT wave, custodian, status, copied, doubted, documents FROM tallies "
        "EXCEPT TALLIED)"
    ),
    "documents: that the table tallies does not count": (
        "SELECT wave, custodian, status FROM (TALLIED EXCEPT "
        "SELECT wave, custodian, status, copied, doubted, documents FROM tallies)"
    ),
}
_FAMILIES: dict[str, str] = {
    "families: of no distinct text": "SELECT passage FROM families AS f WHERE NOT IS_PASSAGE(f.passage)",
    "families: of a single text": "SELECT family FROM families GROUP BY relation, family HAVING count(*) = 1",
    "families: not named by the first of its texts": (
        "SELECT family FROM families GROUP BY relation, family HAVING family <> min(passage)"
    ),
    "dense_families: of no family": (
        "SELECT family FROM dense_families AS f WHERE NOT EXISTS (SELECT 1 FROM families "
        "WHERE relation = f.relation AND family = f.family)"
    ),
    "dense_families: with more pairs left out than its texts can have": (
        "SELECT f.family FROM dense_families AS f JOIN (SELECT relation, family, count(*) AS texts FROM families "
        "GROUP BY relation, family) AS n ON n.relation = f.relation AND n.family = f.family "
        "WHERE f.left_out > n.texts * (n.texts - 1) / 2"
    ),
}
RULES: dict[str, str] = _DOCUMENTS | _COPIES | _STATUSES | _PASSAGES | _PAIRS | _GROUPS | _COUNTED | _FAMILIES
"""What is wrong (the table, then what its rows are) → a query for the keys of such rows."""

MEASURED: dict[str, str] = {
    "pairs: below the floor of its relation": (
        "SELECT a, b FROM pairs WHERE (relation = 'similar' AND WHOLE * distance > ALLOWED_AT_FLOOR * longer) "
        "OR (relation = 'contains' AND (min(a_shingles, b_shingles) < SHORTEST_CONTAINED "
        "OR WHOLE * shared_shingles < CONTAINED * min(a_shingles, b_shingles)))"
    ),
    "group_members: less similar to its principal than the threshold asks for": (
        "SELECT passage FROM group_members AS m WHERE passage <> principal AND EXISTS (SELECT 1 FROM pairs "
        "WHERE TO_PRINCIPAL AND WHOLE * distance > ALLOWED * longer)"
    ),
    "documents: linked, and similar to none": (
        "SELECT d.number FROM FIRST_DOCUMENTS WHERE d.status = 'linked' AND p.number NOT IN SIMILAR_TO_SOME"
    ),
    "dense_families: too small to be dense": (
        "SELECT family FROM (SELECT relation, family FROM dense_families EXCEPT SELECT relation, family FROM families "
        "GROUP BY relation, family HAVING count(*) > DENSE)"
    ),
    "families: so large that it is dense, and not among the dense ones": (
        "SELECT family FROM (SELECT relation, family FROM families GROUP BY relation, family HAVING count(*) > DENSE "
        "EXCEPT SELECT relation, family FROM dense_families)"
    ),
}
"""The same, by the matter's settings: threshold, floors, and how large a family is dense."""
EXACT: dict[str, str] = {
    "documents: unique, and similar to another": (
        # The plus: SQLite must look each passage up, and not walk for each of the similar ones from it to its document.
        "SELECT d.number FROM FIRST_DOCUMENTS WHERE d.status = 'unique' AND +p.number IN SIMILAR_TO_SOME"
    ),
    "group_members: a principal that is similar to another one": (
        "SELECT a, b FROM pairs WHERE AT_THRESHOLD AND EXISTS (SELECT 1 FROM group_members "
        "WHERE grouping = 'own' AND passage = a AND principal = a) AND EXISTS (SELECT 1 FROM group_members "
        "WHERE grouping = 'own' AND passage = b AND principal = b)"
    ),
}
"""The same where every wave found all its pairs: otherwise a lower floor may show later what was missed."""


def damage(database: Database, most: int) -> Iterator[str]:
    """What SQLite finds to be wrong with its own file."""
    for (answer,) in database.connection.exec_driver_sql(f"PRAGMA integrity_check({most:d})"):
        if answer != "ok":
            said = [line for line in str(answer).splitlines() if not line.startswith("***")]
            more = f", and {len(said) - 1} more" if len(said) > 1 else ""
            yield f"SQLite finds damage in the database: {said[0] if said else answer}{more}"


def wrong_cells(database: Database) -> Iterator[str]:
    """Every cell against its rule (`cells.py`), whatever type SQLite gives it."""
    for table in tables.metadata.tables.values():
        columns = list(table.columns)
        rules = [rule_of(table.name, column) for column in columns]
        keys = [place for place, column in enumerate(columns) if column.primary_key]
        names = ", ".join(f'"{column.name}"' for column in columns)
        query = f"SELECT {names} FROM {table.name}"  # noqa: S608
        found = 0
        for number, row in enumerate(database.connection.exec_driver_sql(query), 1):
            for column, rule, value in zip(columns, rules, row, strict=True):
                if not rule.holds(value):
                    which = " ".join(str(row[place])[:40] for place in keys)
                    yield f"the table {table.name} holds a value in {column.name} that cannot be there (row {which})"
                    found += 1
            if found >= _MOST_CELLS:
                break
            if number % 1000 == 0:
                check()


def broken(database: Database) -> Iterator[str]:
    """A sentence for each rule that some rows break, with the first of them."""
    yield from hold(database, RULES, {})
    settings = database.facts.settings()
    numbers = {
        "ALLOWED": WHOLE - ten_thousandths(settings.threshold),
        "ALLOWED_AT_FLOOR": WHOLE - ten_thousandths(settings.floor),
        "CONTAINED": ten_thousandths(settings.contains_floor),
        "DENSE": settings.dense,
    }
    yield from hold(database, MEASURED, numbers)
    if all(details["recall"] == 1 for details in database.waves.details()):
        yield from hold(database, EXACT, numbers)


def hold(database: Database, rules: Mapping[str, str], numbers: Mapping[str, int]) -> Iterator[str]:
    """Hold the rows to some rules; `numbers` are those of the matter's settings."""
    for said, query in rules.items():
        check()
        table, _, what = said.partition(": ")
        found = database.connection.exec_driver_sql(f"{_written(query, numbers)} LIMIT {_MOST}").all()
        if found:
            keys = ", ".join(" and ".join(str(key)[:40] for key in row) for row in found)
            yield f"the table {table} has rows that are wrong: {what} ({keys})"


def _written(query: str, numbers: Mapping[str, int]) -> str:
    """A query as the database takes it."""
    for short, long in _MEANINGS.items():
        query = re.sub(short if "(" in short else rf"\b{short}\b", long, query)
    known = _NUMBERS | dict(numbers)
    return re.sub(r"\b[A-Z_]{5,}\b", lambda word: str(known.get(word[0], word[0])), query)
