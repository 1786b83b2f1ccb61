"""Passages of a second unit, with segments of their own, beside those of documents: no answer about these changes."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.segments import read_segment, write_segment

WORDS = [f"word{i}" for i in range(900)]
KINDS = ("streams", "index-overlap", "index-runs", "index-shingles")
CLAUSES = 5


@pytest.fixture
def waves(tmp_path: Path, seed: int) -> list[Path]:
    """Three folders with versions, excerpts and copies of each other, and texts of their own."""
    dice, folders = random.Random(seed), []
    forms = [dice.sample(WORDS, 120) for _ in range(3)]
    for wave in range(3):
        folders.append(tmp_path / f"wave-{wave}")
        folders[-1].mkdir()
        for number in range(8):
            words = list(dice.choice(forms))
            for place in dice.sample(range(120), 6):
                words[place] = dice.choice(WORDS)
            shapes = words, words[:70], words + dice.sample(WORDS, 200), dice.sample(WORDS, 80), forms[0]
            (folders[-1] / f"{wave}-{number}.txt").write_text(" ".join(dice.choice(shapes)))
    return folders


def put_clauses(folder: Path) -> None:
    """Give a matter's last wave passages of another unit: a copy of its files, under other names, is of these."""
    with closing(sqlite3.connect(folder / "matter.sqlite", isolation_level=None)) as database:
        (wave,) = database.execute("SELECT max(number) FROM waves").fetchone()
        (last,) = database.execute("SELECT max(number) FROM passages").fetchone()
        texts = database.execute(
            "SELECT document, words, shingles FROM passages WHERE unit = 'document' ORDER BY number"
        )
        clauses = texts.fetchall()[-CLAUSES:]
        for place, (document, words, shingles) in enumerate(clauses, 1):
            row = last + place, "clause", document, place, words, shingles
            database.execute("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?)", row)
        database.execute("UPDATE waves SET last_passage = last_passage + ? WHERE number = ?", (len(clauses), wave))
        every = "SELECT * FROM segments WHERE unit = 'document' AND wave = ? ORDER BY name"
        kinds = set()
        for name, number, kind, first, end, checksum, _ in database.execute(every, (wave,)).fetchall():
            kinds.add(kind)
            stem, serial = name.removesuffix(".segment").rsplit(".", 1)
            other = f"{stem}.{int(serial) + 900:06d}.segment"
            if kind == "streams":  # of a unit, and not of the passages after those of documents
                first, end = last + 1, last + len(clauses)
            header, arrays = read_segment(folder / name, checksum)
            checksum = write_segment(folder / other, header, arrays)
            row = other, number, kind, first, end, checksum, "clause"
            database.execute("INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        assert {"streams", "index-overlap", "index-runs"} <= kinds <= set(KINDS)


def answers(matter: tc.Matter, beside: Path) -> dict[str, Any]:
    """What is told of documents, by their paths and ids; passages are nobody's business."""
    documents = list(matter.documents())
    paths = [one.id for one in documents if one.words]
    return {
        "documents": [(one.id, one.path, one.wave, one.status, one.copy_of) for one in documents],
        "statuses": matter.statuses(),
        "groups": list(matter.groups()),
        "view": list(matter.groups(90)),
        "similar": list(matter.pairs(expand=True)),
        "contains": list(matter.pairs(relation="contains", expand=True)),
        "of each": [list(matter.similar(one)) for one in paths],
        "of a file": list(matter.similar(beside)),
        "containing": [list(matter.containing(one)) for one in paths],
        "near": [list(matter.near(one, "words")) for one in paths],
        "left out": (matter.left_out(), matter.left_out("contains"), matter.counts()),
    }


@pytest.mark.parametrize("dense", [2000, 3])
def test_another_unit_changes_no_answer_and_no_wave(waves: list[Path], tmp_path: Path, dense: int) -> None:
    """Neither right after it came, nor after the waves that follow, nor at a lower floor."""
    beside = tmp_path / "beside.txt"
    beside.write_text(next(waves[0].iterdir()).read_text() + " and more")
    settings = tc.MatterSettings(dense=dense, nearest=1)
    plain = tc.scan(waves[0], tmp_path / "plain", report=False, settings=settings)
    plain.sign("words")
    shutil.copytree(tmp_path / "plain", tmp_path / "mixed")
    mixed = tc.open(tmp_path / "mixed")
    put_clauses(tmp_path / "mixed")
    assert answers(mixed, beside) == answers(plain, beside)
    for wave in waves[1:]:
        plain.add(wave)
        mixed.add(wave)
        assert answers(mixed, beside) == answers(plain, beside)
        put_clauses(tmp_path / "mixed")
        assert answers(mixed, beside) == answers(plain, beside)
    plain.lower_floor(60)
    mixed.lower_floor(60)
    assert answers(mixed, beside) == answers(plain, beside)
