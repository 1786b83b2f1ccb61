"""Stopping when the user asks: a flag that every stage looks at between two pieces of work, and what to clean up.

The command line sets the flag from a signal (`cli/signals.py`). Work that sees it raises `Stopped`, which undoes what
was begun like any other error: the transaction is rolled back, parsers are ended, half-written files go. What cannot
look at the flag in time (a kernel on one huge pair, a compiler) is left behind: the process then ends all the same, and
runs what was registered with `cleaning_up` first. Nothing else needs to be undone, because a matter changes in one
transaction or not at all.

A program that uses the library sets no flag: Ctrl-C raises `KeyboardInterrupt` in it as usual, and `threads.py` then
leaves its threads.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator  # what is imported here is imported before a signal is heard

_asked = threading.Event()
_clean_ups: dict[object, Callable[[], object]] = {}


class Stopped(KeyboardInterrupt):
    """The user asked to stop. Code that catches errors does not catch it, as with Python's own."""


def ask() -> None:
    """Tell everything to stop at the next piece of work."""
    _asked.set()


def asked() -> bool:
    """Whether the user wants to stop."""
    return _asked.is_set()


def forget() -> None:
    """Clear the flag: nobody has asked to stop."""
    _asked.clear()


def check() -> None:
    """Raise `Stopped` if the user has asked to stop."""
    if _asked.is_set():
        raise Stopped


_held: list[list[Callable[[], object]]] = []


def when_said(action: Callable[[], object]) -> None:
    """Call `action` once the command has said its answer; at once, where no command waits for that.

    Until then a stop may come, and a user who is told to run the same command again must be able to.
    """
    if _held:
        _held[-1].append(action)
    else:
        action()


@contextlib.contextmanager
def holding() -> Iterator[list[Callable[[], object]]]:
    """Postpone what `when_said` is given to the end, and drop it if the end is not reached."""
    _held.append([])
    try:
        yield _held[-1]
        for action in _held[-1]:
            action()
    finally:
        _held.pop()


@contextlib.contextmanager
def cleaning_up(action: Callable[[], object]) -> Iterator[None]:
    """Call `action` if the process ends inside, without waiting for this thread. It must be quick and never wait."""
    key = object()
    _clean_ups[key] = action
    try:
        yield
    finally:
        _clean_ups.pop(key, None)


def clean_up() -> None:
    """Call what is registered now, the latest first; what fails does not keep the others from it."""
    for action in reversed(list(_clean_ups.values())):
        with contextlib.suppress(Exception):
            action()
