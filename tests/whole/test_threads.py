"""Threads that can be left: all work is done once and in order, in short pieces, unless somebody stops it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truecopy import stopping, threads
from truecopy.stopping import Stopped
from truecopy.threads import Pool, in_pieces


@pytest.fixture
def stoppable() -> Iterator[None]:
    """A stop that a test asks for is forgotten after it."""
    yield
    stopping.forget()


@settings(deadline=None)
@given(st.lists(st.integers(0, 10**12), max_size=60), st.integers(1, 4), st.booleans())
def test_every_item_is_worked_on_once_and_results_are_in_order(cost, workers, backwards):
    told: list[int] = []
    found = in_pieces(
        lambda low, high: (low, high), np.array(cost, np.int64), workers, told.append, backwards=backwards
    )
    assert [item for low, high in found for item in range(low, high)] == list(range(len(cost)))
    assert sum(told) == len(cost)


def test_costly_items_at_the_end_can_come_first():
    """`backwards` begins with the last items."""
    met: list[int] = []
    in_pieces(lambda low, high: met.append(high), np.ones(100, np.int64), 1, backwards=True)
    assert met[0] == 100
    assert met == sorted(met, reverse=True)


@pytest.mark.parametrize("nanoseconds", [0.1, 5, 100])
def test_pieces_take_a_tenth_of_a_second_whatever_a_unit_of_cost_is(nanoseconds, monkeypatch):
    """By a clock that runs with the cost: an hour of work is never cut into pieces that nobody can wait for."""
    now = [0.0]
    monkeypatch.setattr(threads.time, "perf_counter", lambda: now[0])
    cost = np.full(100_000, 1_000_000, np.int64)
    cost[50_000:] *= 20  # texts become longer on the way
    took = []

    def work(low: int, high: int) -> None:
        took.append(float(cost[low:high].sum()) * nanoseconds * 1e-9)
        now[0] += took[-1]

    in_pieces(work, cost, 1)
    longest_item = 20e6 * nanoseconds * 1e-9
    assert max(took) <= max(2 * threads.PIECE, 2 * longest_item, (1 << 22) * nanoseconds * 1e-9)
    if longest_item < threads.PIECE / 2:
        assert np.median(took) > threads.PIECE / 4, "set-up is shared"


def test_a_stop_is_noticed_between_two_pieces(stoppable):
    """What was not begun is not done, and the caller hears of it."""
    done: list[int] = []

    def work(low: int, high: int) -> None:
        done.extend(range(low, high))
        stopping.ask()

    with pytest.raises(Stopped):
        in_pieces(work, np.ones(10_000, np.int64), 2)
    assert 0 < len(done) < 10_000


def test_a_stop_does_not_wait_for_a_slow_piece(stoppable):
    """The caller is back at once, though a thread is still at work."""
    release = threading.Event()
    begun = threading.Event()

    def work() -> None:
        begun.set()
        release.wait(30)

    def wait() -> None:
        with Pool(1) as pool:
            future = pool.submit(work)
            begun.wait(10)
            stopping.ask()
            threads.result_of(future)

    start = time.monotonic()
    with pytest.raises(Stopped):
        wait()
    assert time.monotonic() - start < 5
    release.set()


def test_an_interrupt_of_the_caller_does_not_wait_either():
    """In a notebook Ctrl-C arrives as KeyboardInterrupt in the thread that waits."""
    release = threading.Event()

    def wait() -> None:
        with Pool(2) as pool:
            pool.submit(release.wait, 30)
            raise KeyboardInterrupt

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        wait()
    assert time.monotonic() - start < 5
    release.set()


def test_an_error_drops_what_was_not_begun_and_waits_for_what_was():
    done: list[int] = []

    def work(number: int) -> None:
        if number == 3:
            raise ValueError("third")
        time.sleep(0.01)
        done.append(number)

    with pytest.raises(ValueError, match="third"), Pool(2) as pool:
        list(pool.map(work, range(500)))
    before = list(done)
    time.sleep(0.1)
    assert done == before, "nobody works any more"
    assert len(done) < 100


def test_a_timeout_of_the_work_itself_is_its_own_error():
    """Waiting looks at the clock by timeouts; those of the work are not swallowed."""

    def work() -> None:
        raise TimeoutError("the disk")

    with pytest.raises(TimeoutError, match="the disk"), Pool(1) as pool:
        threads.result_of(pool.submit(work))


def test_results_of_a_pool_are_in_order_and_threads_end_with_it():
    with Pool(3, "ordered") as pool:
        assert list(pool.map(lambda one, other: one * other, range(50), range(50))) == [i * i for i in range(50)]
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("ordered")]


def test_a_clean_up_is_called_only_inside_and_the_latest_first():
    called: list[str] = []
    with stopping.cleaning_up(lambda: called.append("outer")):
        with stopping.cleaning_up(lambda: 1 / 0), stopping.cleaning_up(lambda: called.append("inner")):
            stopping.clean_up()
        stopping.clean_up()
    stopping.clean_up()
    assert called == ["inner", "outer", "outer"]


def test_what_waits_for_the_answer_is_done_after_it_or_not_at_all():
    called: list[str] = []
    stopping.when_said(lambda: called.append("at once"))
    with stopping.holding():
        stopping.when_said(lambda: called.append("after"))
        assert called == ["at once"]
    assert called == ["at once", "after"]

    def stopped() -> None:
        with stopping.holding():
            stopping.when_said(lambda: called.append("never"))
            raise Stopped

    with pytest.raises(Stopped):
        stopped()
    assert called == ["at once", "after"]


def test_ranges_that_are_split_do_not_overlap():
    """Of many pieces on several threads, each begins where the one before ends."""
    found = in_pieces(lambda low, high: (low, high), np.arange(5000, dtype=np.int64), 4)
    assert all(one[1] == other[0] for one, other in pairwise(found))
