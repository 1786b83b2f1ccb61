"""Threads that can be left: work in pieces of a fraction of a second, with a look at the flag between them.

Python's own pools wait for every piece that was handed in, and the interpreter waits for the pools before it ends. Here
an error or a stop drops what was not begun, a stop waits for no thread, and the caller's thread stays free for signals
because it never sleeps long. The result never depends on how the work was split.
"""

from __future__ import annotations

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from truecopy import stopping

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
Advance = Callable[[int], None]

LOOK = 0.05
"""Seconds between two looks at the flag while waiting."""
PIECE = 0.1
"""Seconds that a piece should take: short enough to stop in time, long enough to share set-up."""
_SHORTEST = 0.002
"""Seconds below which a piece costs more to hand out than to do."""
_GROWTH = 8
"""A piece is at most this many times as large as what was measured: the first pieces only show how fast work goes."""
_FIRST = 128
"""The first pieces are at most one in this many of what a thread has to do,"""
_FIRST_COST = 1 << 21
"""and cost at most this much: a unit of cost is one word looked at, some nanoseconds."""
_SMALL = 1 << 17
"""Work that costs less in all is done at once: cutting it would cost more."""
_LAST = 4
"""What is left has at least this many pieces for each thread, so that none works alone at the end."""


def result_of(future: Future[T]) -> T:
    """What a future gives; waits so that signals are heard and a stop is noticed."""
    while True:
        try:
            return future.result(LOOK)
        except TimeoutError:
            if future.done():
                return future.result()  # it was the work's own error, or has just ended
            stopping.check()


class Pool:
    """Threads that take work in order; as a context manager it waits for them, unless everything is stopped."""

    def __init__(self, threads: int, name: str = "truecopy") -> None:
        self._threads = max(threads, 1)
        self._name = name
        self._waiting: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._started: list[threading.Thread] = []
        self._dropped = threading.Event()

    def submit(self, work: Callable[..., T], *arguments: Any) -> Future[T]:
        """Hand a piece of work in."""
        future: Future[T] = Future()
        self._waiting.put((future, lambda: work(*arguments)))
        if len(self._started) < self._threads:
            thread = threading.Thread(target=self._work, name=f"{self._name}-{len(self._started)}", daemon=True)
            self._started.append(thread)
            thread.start()
        return future

    def map(self, work: Callable[..., T], *arguments: Iterable[Any]) -> Iterator[T]:
        """What `work` gives for each, in order; all are handed in at once."""
        futures = [self.submit(work, *each) for each in zip(*arguments, strict=False)]
        return (result_of(future) for future in futures)

    def close(self, *, wait: bool = True) -> None:
        """Drop what was not begun, and wait for what was."""
        self._dropped.set()
        for _ in self._started:
            self._waiting.put(None)
        if wait:
            for thread in self._started:
                while thread.is_alive():
                    thread.join(LOOK)
                    if stopping.asked():
                        return

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            for _ in self._started:  # behind all that waits
                self._waiting.put(None)
            for thread in self._started:
                while thread.is_alive():
                    thread.join(LOOK)
                    stopping.check()
        else:
            # A stop does not wait for a slow piece: the piece writes to arrays that nobody reads any more.
            self.close(wait=not issubclass(kind, KeyboardInterrupt))

    def _work(self) -> None:
        while (item := self._waiting.get()) is not None:
            future, work = item
            if self._dropped.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            try:
                stopping.check()
                made = work()
            except BaseException as error:  # for the thread that waits
                future.set_exception(error)
            else:
                future.set_result(made)
            del item, future, work  # nothing is kept alive while waiting


class _Pieces(Generic[T]):
    """Ranges of items, cut as they are asked for, so that each takes about `PIECE` seconds."""

    def __init__(self, cost: NDArray[np.int64], threads: int, backwards: bool) -> None:
        import numpy as np

        self._items = len(cost)
        self._done = np.cumsum(np.maximum(cost[::-1] if backwards else cost, 1), dtype=np.float64)
        self._threads = threads
        self._backwards = backwards
        self._lock = threading.Lock()
        self._next = 0
        self._closed = False
        self._measured_cost = self._measured_seconds = self._largest = 0.0
        self.results: list[tuple[int, T]] = []

    def take(self) -> tuple[int, int] | None:
        """The next range of items, None if there is none."""
        stopping.check()
        with self._lock:
            if self._closed or self._next >= self._items:
                return None
            before = float(self._done[self._next - 1]) if self._next else 0.0
            low = self._next
            high = int(self._done.searchsorted(before + self._size(before), side="left")) + 1
            self._next = min(high, self._items)
            if self._backwards:
                return self._items - self._next, self._items - low
            return low, self._next

    def _size(self, before: float) -> float:
        left = float(self._done[-1]) - before
        if not self._measured_seconds:
            return min(float(self._done[-1]) / (self._threads * _FIRST), _FIRST_COST)
        rate = self._measured_cost / self._measured_seconds
        size = min(rate * PIECE, left / (self._threads * _LAST), _GROWTH * self._largest)
        return max(size, rate * _SHORTEST)

    def finished(self, low: int, high: int, seconds: float, made: T) -> None:
        """A range is done, and took this long."""
        if self._backwards:
            first, last = self._items - high, self._items - low
        else:
            first, last = low, high
        with self._lock:
            cost = float(self._done[last - 1]) - (float(self._done[first - 1]) if first else 0.0)
            # Older measurements count less: texts, and so pairs, change along the way.
            self._measured_cost = self._measured_cost / 2 + cost
            self._measured_seconds = self._measured_seconds / 2 + max(seconds, 1e-6)
            self._largest = max(self._largest, cost)
            self.results.append((low, made))

    def close(self) -> None:
        """No more ranges are given out."""
        self._closed = True


def in_pieces(
    work: Callable[[int, int], T],
    cost: NDArray[np.int64],
    threads: int,
    advance: Advance | None = None,
    *,
    backwards: bool = False,
) -> list[T]:
    """What `work(low, high)` gives for ranges that cover all items, in the order of the items.

    Ranges hold about a tenth of a second of work, as measured while it goes on; `cost` tells how items compare.
    `backwards` begins at the end, for where the costly items are. `advance` is called as each ends, one at a time.
    """
    if not len(cost):
        return []
    if len(cost) == 1 or (threads <= 1 and len(cost) + int(cost.sum()) < _SMALL):
        stopping.check()
        whole = work(0, len(cost))
        if advance is not None:
            advance(len(cost))
        return [whole]
    pieces: _Pieces[T] = _Pieces(cost, max(threads, 1), backwards)
    telling = threading.Lock()

    def some() -> None:
        try:
            while (bounds := pieces.take()) is not None:
                begun = time.perf_counter()
                made = work(*bounds)
                pieces.finished(*bounds, time.perf_counter() - begun, made)
                if advance is not None:
                    with telling:
                        advance(bounds[1] - bounds[0])
        except BaseException:
            pieces.close()
            raise

    if threads <= 1:
        some()
    else:
        with contextlib.ExitStack() as stack:
            pool = stack.enter_context(Pool(threads))
            stack.callback(pieces.close)  # before the pool is left
            list(pool.map(lambda _: some(), range(threads)))
    return [made for _, made in sorted(pieces.results, key=lambda result: result[0])]
