"""What the doctor asks takes steps as the matter has rows, and far fewer than a damaged one is given up after."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import truecopy as tc
from truecopy.matter.sql import guard, readers, rules
from truecopy.matter.store import Store

FEW, TIMES = 150, 4
_EVERY = 10
"""Steps between two counts."""


def made(folder: Path, texts: int) -> Path:
    """A matter with every status, of which the share stays the same at any size."""
    dice, room = random.Random(5), folder / f"room{texts}"
    room.mkdir()
    for n in range(texts):
        words = [f"w{dice.randrange(5_000)}" for _ in range(30)]
        text = {0: words, 1: [*words[:-2], "other", "end"], 2: words * 2, 3: words[:5], 4: ["12"] * 12, 5: []}
        for which, given in text.items():
            (room / f"{n}-{which}.txt").write_text(" ".join(given))
        (room / f"{n}-6.txt").write_text(" ".join(words))
        (room / f"{n}-7.txt").write_text("  ".join(words))
        for more in (8, 9):
            (room / f"{n}-{more}.txt").write_text(" ".join(f"v{dice.randrange(5_000)}" for _ in range(30)))
    tc.scan(room, folder / f"m{texts}", report=False)
    return folder / f"m{texts}"


def steps(matter: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, int], int]:
    """How many steps each rule takes, and how many bytes the database has."""
    taken: dict[str, int] = {}
    store = Store.open(matter)
    with store.reading() as state:
        driver: Any = state.connection.connection.dbapi_connection
        hold = rules.hold

        def one_by_one(database: Any, some: dict[str, str], numbers: Any) -> Any:
            for said, query in some.items():
                count = [0]

                def step(count: list[int] = count) -> int:
                    count[0] += _EVERY
                    return 0

                driver.set_progress_handler(step, _EVERY)
                yield from hold(database, {said: query}, numbers)
                taken[said] = count[0]

        with monkeypatch.context() as patched:
            patched.setattr(rules, "hold", one_by_one)
            assert list(rules.broken(state)) == []
    return taken, (matter / "matter.sqlite").stat().st_size


def test_the_steps_of_each_rule_grow_as_the_rows_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times the documents, four times the steps; and a sound matter takes less than a twentieth of what the guard
    allows.
    """
    few, _ = steps(made(tmp_path, FEW), monkeypatch)
    many, size = steps(made(tmp_path, FEW * TIMES), monkeypatch)
    assert set(few) == set(rules.RULES | rules.MEASURED | rules.EXACT)
    assert {said: (few[said], many[said]) for said in few if many[said] > 1.5 * TIMES * few[said] + 1_000} == {}
    assert {said: taken for said, taken in many.items() if 20 * taken > guard._STEPS_A_BYTE * size} == {}


def test_a_copy_that_is_read_has_the_size_of_what_it_is_a_copy_of(tmp_path: Path) -> None:
    """Its files have no name any more, and a size of nothing would leave no patience with it."""
    (tmp_path / "a.txt").write_text("a text that has more than ten words in it and no other text beside it")
    tc.scan(tmp_path / "a.txt", tmp_path / "m", report=False)
    path = tmp_path / "m" / "matter.sqlite"
    path.with_name(f"{path.name}-wal").touch()
    connection = readers._copy(path, readers._state(path))
    try:
        assert connection.patience._size() >= path.stat().st_size
        assert connection.patience.longest() > guard._FREE_TEXT
    finally:
        connection.close()
