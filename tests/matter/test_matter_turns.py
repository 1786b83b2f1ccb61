"""Questions of several threads take turns, first come, first served; a long one keeps nobody waiting for long."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import truecopy as tc
from truecopy.matter import turns
from truecopy.matter.turns import Turns


def test_no_more_than_so_many_at_once_and_all_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 24 threads comes when the one before it waits already; they are answered in exactly that order."""
    monkeypatch.setattr(turns, "LAPSE", 60.0)
    taken, here, most, order, begin = Turns(), [0], [0], [], threading.Event()

    def ask(number: int) -> None:
        with taken.taken():
            here[0] += 1
            most[0] = max(most[0], here[0])
            order.append(number)
            begin.wait(30)  # nobody's turn ends before all are there
            here[0] -= 1

    with ThreadPoolExecutor(24) as pool:
        asked = []
        for number in range(24):
            asked.append(pool.submit(ask, number))
            until = time.monotonic() + 30
            while len(order) + len(taken._waiting) <= number:
                assert time.monotonic() < until, "nobody waits"
                time.sleep(0.0005)
        begin.set()
        for one in asked:
            one.result(30)
    assert most[0] == turns.AT_ONCE
    assert order == list(range(24))


def test_a_question_that_asks_another_one_waits_for_nobody() -> None:
    taken = Turns()
    with taken.taken(), taken.taken(), taken.taken():
        pass
    assert not taken._running
    assert not taken._waiting


def test_a_long_question_does_not_keep_others_waiting() -> None:
    taken, over = Turns(), threading.Event()

    def long() -> None:
        with taken.taken():
            over.wait(30)

    with ThreadPoolExecutor(4) as pool:
        busy = [pool.submit(long) for _ in range(4)]
        time.sleep(0.2)
        for _ in range(20):
            with taken.taken():
                pass
        over.set()
        for one in busy:
            one.result(30)
    assert not taken._running


def test_whoever_gives_up_waiting_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """An error inside gives the turn back; so does one while waiting."""
    taken = Turns()
    with pytest.raises(ValueError, match="inside"), taken.taken():
        raise ValueError("inside")
    assert not taken._running

    def stop() -> float:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("truecopy.matter.turns.time.monotonic", stop)
        with pytest.raises(KeyboardInterrupt):
            taken._take()
    with taken.taken():
        pass
    assert not taken._waiting


def test_many_threads_get_the_answers_of_one(tmp_path: Path) -> None:
    room = tmp_path / "room"
    room.mkdir()
    base = " ".join(f"word{n}" for n in range(200))
    for n in range(12):
        (room / f"{n}.txt").write_text(base.replace(f"word{n} ", f"other{n} "))
    matter = tc.scan(room, tmp_path / "m", report=False)
    outside = tmp_path / "outside.txt"
    outside.write_text(base.replace("word77 ", "something else "))

    def answers(_: int) -> object:
        return (
            matter.statuses(), matter.document_page(limit=5), matter.group_page(limit=5), matter.similar("TC-000002"),
            matter.similar(outside), matter.compare("TC-000001", "TC-000003"), matter.group("TC-000004"),
        )  # fmt: skip

    alone = answers(0)
    with ThreadPoolExecutor(8) as pool:
        assert all(found == alone for found in pool.map(answers, range(40)))
