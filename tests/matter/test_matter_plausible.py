"""What is right in itself but cannot be, by the rest of the matter: the doctor names it, and no command falls over."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from forge import read_any, write_forged

import truecopy as tc
from truecopy.cli.run import run
from truecopy.errors import BadSetting, MatterError
from truecopy.matter.stored_json import parsed, stored_details
from truecopy.settings import MatterSettings

DETAILS: dict[str, Any] = {"recall": 1, "generator": "overlap", "seconds": {"read": 0.5}}


def change(matter: Path, statement: str, *values: object) -> None:
    """Change the database as its owner can."""
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        connection.execute(statement, values)
    connection.close()


def set_settings(matter: Path, **settings: object) -> None:
    """Store other settings."""
    with sqlite3.connect(matter / "matter.sqlite") as connection:
        (stored,) = connection.execute("SELECT value FROM facts WHERE name = 'settings'").fetchone()
        changed = json.dumps({**json.loads(stored), **settings})
        connection.execute("UPDATE facts SET value = ? WHERE name = 'settings'", (changed,))
    connection.close()


# The log


def test_the_doctor_notices_an_emptied_log(matter: Path) -> None:
    """Its chain is whole: there is none."""
    change(matter, "DELETE FROM audit")
    assert "the audit log has entries of 0 added waves, but the matter has 2" in tc.open(matter).verify()


@pytest.mark.parametrize(
    ("kept", "said"),
    [
        (1, "entries of 1 added waves, but the matter has 2"),
        (2, "does not say that the matter was signed with simhash"),
        (8, "ends with entry 8, but the matter has a file of entry 9"),
    ],
)
def test_the_doctor_notices_a_log_that_was_cut_where_the_matter_shows_more(matter: Path, kept: int, said: str) -> None:
    """Waves, signatures and names of files came with an entry each."""
    tc.open(matter).rebuild_indexes()
    assert tc.open(matter).verify() == []
    change(matter, "DELETE FROM audit WHERE number > ?", kept)
    assert any(said in found for found in tc.open(matter).verify())


def test_the_doctor_notices_a_wave_that_the_log_does_not_tell_of(matter: Path) -> None:
    change(matter, "UPDATE waves SET name = 'another' WHERE number = 2")
    assert "the audit log tells of other waves than the matter has" in tc.open(matter).verify()


def test_a_lowered_floor_is_in_the_log(matter: Path) -> None:
    opened = tc.open(matter)
    opened.lower_floor(60)
    opened.lower_floor(70, "contains")
    assert opened.verify() == []
    set_settings(matter, floor=50)
    assert "the audit log tells of another floor for similar than the matter has" in tc.open(matter).verify()


def test_a_new_matter_without_waves_is_fine(tmp_path: Path) -> None:
    assert tc.create(tmp_path / "m").verify() == []


# Rows


def test_the_doctor_names_an_index_that_two_rows_name(matter: Path) -> None:
    name = next(file.name for file in matter.glob("index-words.*"))
    twin = name.replace(".000003.", ".000002.")
    assert twin != name
    shutil.copy(matter / name, matter / twin)
    columns = "wave, kind, first, last, checksum, unit"
    change(matter, f"INSERT INTO segments SELECT ?, {columns} FROM segments WHERE name = ?", twin, name)
    found = tc.open(matter).verify()
    assert found == [f"the table segments names {name}, an index of waves of which it names another one"]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE dense_families SET left_out = 1000000",
            "dense_families has rows that are wrong: with more pairs left out than its texts can have",
        ),
        (
            "UPDATE families SET family = (SELECT max(passage) FROM families AS f "
            "WHERE f.relation = families.relation)",
            "families has rows that are wrong: not named by the first of its texts",
        ),
        (
            "DELETE FROM families WHERE passage > 3",
            "dense_families has rows that are wrong: too small to be dense",
        ),
        ("UPDATE documents SET id = '' WHERE number = 1", "the table documents holds a value in id"),
    ],
)
def test_the_doctor_names_rows_that_cannot_be(matter: Path, statement: str, said: str) -> None:
    change(matter, statement)
    assert any(said in found for found in tc.open(matter).verify())


# Settings


@pytest.mark.parametrize(
    "settings", [{"nearest": 2**39}, {"nearest": 0}, {"dense": 2**39}, {"dense": 1}, {"given": ["x" * 40_000]}]
)
def test_stored_settings_without_bounds_are_refused(matter: Path, settings: dict[str, Any]) -> None:
    set_settings(matter, **settings)
    with pytest.raises(MatterError, match=f"setting {next(iter(settings))} has a value"):
        tc.open(matter)
    if "given" not in settings:
        with pytest.raises(BadSetting, match="makes no sense"):
            MatterSettings(**settings)


@pytest.mark.parametrize(
    "settings", [{"recall": 0}, {"floor": 0}, {"floor": 90, "threshold": 80}, {"rule": "given", "given": []}]
)
def test_the_doctor_names_settings_that_nobody_can_give(matter: Path, settings: dict[str, Any]) -> None:
    set_settings(matter, **settings)
    assert any("settings that nobody can give" in found for found in tc.open(matter).verify())


# How a wave was read


@pytest.mark.parametrize(
    "wrong",
    [
        {"encoding": 7}, {"encoding": [7]}, {"encoding": [{"a": []}]}, {"encoding": ["x" * 40_000]},
        {"encoding": ["x"] * 10_001}, {"encoding": "cp1252"}, {"pairs": "x"}, {"pairs": -1}, {"pairs": True},
        {"settings": 7}, {"settings": {"given": [7]}}, {"settings": {"nearest": 2**39}}, {"generator": "x" * 10**6},
        {"generator": None}, {"seconds": {"x" * 300: 1}}, {"seconds": {f"{n}": 1 for n in range(101)}}, {"recall": "1"},
    ],
    ids=lambda wrong: str(wrong)[:40],
)  # fmt: skip
def test_details_of_a_wave_with_another_form_are_refused(wrong: dict[str, Any]) -> None:
    """Each value that is read has its type, its length, and a length of what is in it."""
    more = {"encoding": ["a/**=cp1252"], "pairs": 5, "settings": MatterSettings().as_json()}
    whole = {**DETAILS, **more}
    assert stored_details(json.dumps(whole))["pairs"] == 5
    assert stored_details(json.dumps(DETAILS)) == DETAILS
    with pytest.raises(MatterError, match="table waves holds a value in details"):
        stored_details(json.dumps({**whole, **wrong}))


@pytest.mark.parametrize("command", [("report",), ("report", "--xlsx"), ("doctor",), ("add", "{matter}/../third")])
def test_details_of_a_wave_with_another_form_get_a_sentence(
    matter: Path, base: Path, capsys: pytest.CaptureFixture[str], command: tuple[str, ...]
) -> None:
    shutil.copytree(base / "third", matter.parent / "third")
    forged = {**DETAILS, "pairs": "x", "settings": 7, "encoding": [7, {"a": []}]}
    change(matter, "UPDATE waves SET details = ?", json.dumps(forged))
    run([*(word.replace("{matter}", str(matter)) for word in command), "--matter", str(matter)])
    said = "".join(capsys.readouterr())
    assert "Something went wrong inside" not in said
    assert "waves" in said


@pytest.mark.parametrize(
    "text",
    [
        '{"encoding":[' + "[]," * 5_500_000 + "1]}",
        '{"encoding":[' + '"一",' * 3_000_000 + '"x"]}',
        '"' + '\\"' * 8_000_000,
    ],
    ids=["lists", "strings", "quotes"],
)
def test_a_long_cell_of_many_values_is_not_parsed(text: str) -> None:
    """Parsed, it would take a hundred times the room of its text."""
    tracemalloc.start()
    try:
        with pytest.raises(MatterError, match="table waves holds a value in details"):
            stored_details(text)
        assert tracemalloc.get_traced_memory()[1] < 100 << 20
    finally:
        tracemalloc.stop()


def test_a_long_list_of_names_is_parsed() -> None:
    """The documents that come first may be many, with brackets and commas in their names."""
    names = [f'a [{number}], {{b}} \\ ".txt' for number in range(100_000)]
    assert parsed("facts.value", json.dumps(names)) == names


# Ids


def test_ids_that_cannot_be_get_a_sentence(matter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(matter, "UPDATE documents SET id = '' WHERE number = 1")
    assert run(["sign", "--method", "simhash", "--matter", str(matter)]) == 1
    assert "table documents holds a value in id that cannot be there" in "".join(capsys.readouterr())


def test_signatures_of_other_documents_are_refused(matter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = next(file.name for file in sorted(matter.glob("wave-0001.signatures-simhash.*.segment")))
    spec, arrays = read_any(matter / name)
    documents = arrays["documents"].copy()
    documents[-1] += np.int64(1)
    forged = {**arrays, "documents": documents}
    entries = [
        ({"name": key, "dtype": array.dtype.str, "shape": list(array.shape)}, array.tobytes())
        for key, array in forged.items()
    ]
    change(matter, "UPDATE segments SET checksum = ? WHERE name = ?", write_forged(matter / name, spec, entries), name)
    assert run(["sign", "--method", "simhash", "--matter", str(matter)]) == 1
    assert "signatures" in (said := "".join(capsys.readouterr()))
    assert "Something went wrong inside" not in said
