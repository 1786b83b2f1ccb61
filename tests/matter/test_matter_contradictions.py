"""Rows that are right in themselves and contradict the rest of the matter: the doctor names each, and no honest one."""

from __future__ import annotations

import json
import os
import random
import sqlite3
from pathlib import Path

import pytest
import zstandard

import truecopy as tc
from truecopy.errors import BadSetting, MatterError
from truecopy.matter import relations
from truecopy.matter.store import Store
from truecopy.settings import LONGEST_GIVEN, MOST_GIVEN, MatterSettings

OTHER = "The tenant owes nothing to anybody, and the landlord has promised so in writing, as all can see here."


def changed(matter: Path, statement: str, *values: object) -> int:
    """Change the database as its owner can; returns in how many rows."""
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        rows = connection.execute(statement, values).rowcount
    connection.close()
    return rows


ONE_MEMBER = "(SELECT min(document) FROM group_members WHERE document <> principal)"
ONE_COPY = "(SELECT min(number) FROM documents WHERE status = 'same-text')"
SOME_PAIR = "relation = 'similar' AND kind = 'revision'"


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        *(
            (
                f"UPDATE documents SET status = '{status}' WHERE number = {ONE_MEMBER}",
                "a status that says there are none",
            )
            for status in ("excluded", "unreadable", "too-large", "unsearchable")
        ),
        (f"UPDATE documents SET status = 'too-short' WHERE number = {ONE_MEMBER}", "too short by its status"),
        (f"UPDATE documents SET status = 'numbers-only' WHERE number = {ONE_MEMBER}", "what the letters of its text"),
        ("UPDATE documents SET status = 'principal' WHERE status = 'unique'", "a principal without members and copies"),
        ("UPDATE documents SET status = 'unique' WHERE status = 'principal'", "or a lone text with some"),
        ("UPDATE documents SET status = 'linked' WHERE status = 'unique'", "linked, and similar to none"),
        (f"UPDATE group_members SET principal = document WHERE document = {ONE_MEMBER}", "that is similar to another"),
        (f"UPDATE documents SET copy_of = 1 WHERE number = {ONE_MEMBER}", "a copy of another than its original"),
        (f"UPDATE documents SET copy_of = NULL WHERE number = {ONE_COPY}", "a copy of another than its original"),
        ("UPDATE documents SET confidence = 101", "holds a value in confidence"),
        ("UPDATE documents SET path = ''", "without a path"),
        ("UPDATE documents SET sha1 = '' WHERE number = 1", "without a hash of its bytes"),
        (f"UPDATE documents SET words_sha256 = figures_sha256 WHERE number = {ONE_COPY}", "document {copy}"),
        (f"UPDATE documents SET words = words + 1 WHERE number = {ONE_COPY}", "document {copy}"),
        (f"UPDATE pairs SET kind = 'unrelated' WHERE {SOME_PAIR}", "of a kind that no stored pair has"),
        (f"UPDATE pairs SET kind = 'contained' WHERE {SOME_PAIR}", "of a kind that no stored pair has"),
        ("UPDATE pairs SET distance = longer * 31 / 100 + 1", "below the floor of its relation"),
        ("UPDATE pairs SET distance = longer * 21 / 100 + 1", "less similar to its principal than the threshold"),
        ("UPDATE pairs SET shared_shingles = 1", "below the floor of its relation"),
    ],
)
def test_the_doctor_names_what_contradicts_the_rest(matter: Path, statement: str, said: str) -> None:
    connection = sqlite3.connect(matter / "matter.sqlite")
    (copy,) = connection.execute(f"SELECT {ONE_COPY}").fetchone()
    connection.close()
    assert changed(matter, statement), "it changes something"
    found = tc.open(matter).verify()
    assert any(said.format(copy=copy) in one for one in found), found


def test_the_doctor_reads_the_texts_of_copies(matter: Path) -> None:
    """A copy's text is stored because its layout may differ: its words may not."""
    body = zstandard.ZstdCompressor().compress(OTHER.encode())
    assert changed(
        matter, f"UPDATE texts SET body = ? WHERE number = (SELECT text FROM documents WHERE number = {ONE_COPY})", body
    )
    assert [one for one in tc.open(matter).verify() if "other hashes" in one]


def test_quotes_around_a_word_of_sql_are_another_schema(matter: Path) -> None:
    """`"NOT" NULL` is a type; only our own names may be quoted."""
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        (sql,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'texts'").fetchone()
        assert "NOT NULL" in sql
        connection.execute("PRAGMA writable_schema = ON")
        statement = "UPDATE sqlite_master SET sql = ? WHERE name = 'texts'"
        connection.execute(statement, (sql.replace("texts", '"texts"').replace("body", '"body"'),))
        connection.commit()
        assert tc.open(matter).verify() == []
        connection.execute(statement, (sql.replace("NOT NULL", '"NOT" NULL'),))
    connection.close()
    with pytest.raises(MatterError, match="which truecopy has not made"):
        tc.open(matter)


@pytest.mark.slow
def test_honest_matters_hold_every_rule(tmp_path: Path) -> None:
    """Random rooms in waves, other thresholds and rules, a lowered floor, files read in two ways: nothing is named."""
    seed = int(os.environ.get("TRUECOPY_SEED", int.from_bytes(os.urandom(3), "little")))
    print(f"TRUECOPY_SEED={seed}")
    dice = random.Random(seed)
    words = [
        f"{a}{b}" for a in ("ren", "lea", "dep", "ins", "gov") for b in ("tal", "se", "osit", "urance", "ern", "1")
    ]
    for round_of in range(6):
        bases = [[dice.choice(words) for _ in range(dice.choice([3, 9, 12, 60, 120]))] for _ in range(4)]
        rooms = [tmp_path / f"{round_of}-{wave}" for wave in range(3)]
        for room in rooms:
            room.mkdir()
            for number in range(dice.randrange(1, 12)):
                text = list(dice.choice(bases))
                for _ in range(dice.choice([0, 0, 1, 3, 10])):
                    text[dice.randrange(len(text))] = dice.choice(words)
                text = text[: dice.choice([len(text), len(text), len(text) // 2])]
                spoken = " ".join(text).upper() if dice.random() < 0.3 else " ".join(text)
                content = dice.choice([spoken, spoken, spoken, "1 2 3", "", f"{spoken} Müller"])
                encoding = dice.choice(["utf-8", "cp1252"])
                (room / f"{number}.txt").write_bytes(content.encode(encoding))
        recall = dice.choice([None, 1, 0.9])
        floor = 80 if recall == 0.9 else dice.choice([50, 70, 80])  # bands are for high floors
        settings = MatterSettings(
            threshold=dice.choice([80, 85, 92.5]),
            floor=floor,
            recall=recall,
            rule=dice.choice(["longest", "earliest", "latest"]),
            dense=dice.choice([3, 2000]),
            nearest=2,
        )
        matter = tc.scan(rooms[0], tmp_path / f"m{round_of}", report=False, settings=settings)
        for room in rooms[1:]:
            matter.add(room, encoding=dice.choice(["", "cp437"]))
        matter.lower_floor(77 if recall == 0.9 else floor - 15)
        assert matter.verify() == [], (seed, round_of)


@pytest.mark.parametrize(
    "given",
    [("x" * (LONGEST_GIVEN + 1),), ("a",) * (MOST_GIVEN + 1), ("ä" * LONGEST_GIVEN,) * 400],
    ids=["long", "many", "all"],
)
def test_principals_that_could_not_be_read_again_are_refused_before_anything_is_made(
    tmp_path: Path, given: tuple[str, ...]
) -> None:
    """A list that the matter would refuse when it is opened must not get into it."""
    with pytest.raises(BadSetting, match="come first"):
        tc.create(tmp_path / "m", rule="given", given=given)
    assert not (tmp_path / "m").exists()


def test_as_many_principals_as_are_allowed_can_be_read_again(tmp_path: Path) -> None:
    given = ("x" * LONGEST_GIVEN, *(f"folder/of the matter/and a long name of a file/{n}.txt" for n in range(300_000)))
    Store.create(tmp_path / "m", MatterSettings(rule="given", given=given))
    assert Store.open(tmp_path / "m").settings().given == given


def test_what_the_rules_take_grows_with_the_matter(tmp_path: Path) -> None:
    """A rule that looks at every row for every row would be taken for a database whose pages lead in circles."""
    few, many = (steps(tmp_path, count) for count in (2_000, 8_000))
    slow = {said: (few[said], many[said]) for said in many if many[said] > 6 * few[said] + 10}
    assert not slow, "thousands of steps for 2,000 and for 8,000 documents"


def steps(folder: Path, count: int) -> dict[str, int]:
    """Thousands of steps that each rule takes on a matter with one dense family of so many texts."""
    database = folder / str(count) / "matter.sqlite"
    Store.create(database.parent, MatterSettings())
    plain = sqlite3.connect(database)
    columns = [row[1] for row in plain.execute("PRAGMA table_info(documents)")]
    numbers = {"wave": 1, "size": 9, "words": 50, "shingles": 48, "confidence": 99}
    row = [numbers.get(column, column) for column in columns]
    for n in range(1, count + 1):
        own = {
            "number": n,
            "id": f"TC-{n:06d}",
            "original": n,
            "text": n,
            "copy_of": None,
            "status": "member",
            "path": f"{n}",
        }
        values = [own.get(column, value) for column, value in zip(columns, row, strict=True)]
        plain.execute(f"INSERT INTO documents VALUES ({', '.join('?' * len(columns))})", values)
        plain.execute("INSERT INTO texts VALUES (?, x'00')", (n,))
        plain.execute("INSERT INTO group_members VALUES ('own', ?, 1)", (n,))
        plain.execute("INSERT INTO dense_families VALUES ('similar', ?, 1, 0)", (n,))
        for other in range(max(1, n - 5), n):
            plain.execute(
                "INSERT INTO pairs VALUES ('similar', ?, ?, 1, 50, 40, 48, 48, 9, 10, 'revision')", (other, n)
            )
    details = {"recall": 1, "generator": "overlap", "seconds": {}}
    plain.execute("INSERT INTO groupings VALUES ('own', 80.0, 'longest')")
    plain.execute("INSERT INTO waves VALUES (1, 'wave 1', '', ?, ?)", (count, json.dumps(details)))
    plain.commit()
    plain.close()
    taken: dict[str, int] = {}
    with Store.open(database.parent).reading() as connection:
        driver = connection.connection.dbapi_connection
        for said in (*relations.RULES, *relations.MEASURED, *relations.EXACT):
            ticks = 0

            def tick() -> int:
                nonlocal ticks
                ticks += 1
                return 0

            driver.set_progress_handler(tick, 1_000)  # type: ignore[union-attr]
            rules = relations.RULES | relations.MEASURED | relations.EXACT
            only = {said: rules[said]}
            bounds = {"ALLOWED": 200_000, "ALLOWED_AT_FLOOR": 300_000, "CONTAINED": 800_000}
            list(relations._broken(connection, only, relations._NUMBERS | bounds))
            taken[said] = ticks
    return taken
