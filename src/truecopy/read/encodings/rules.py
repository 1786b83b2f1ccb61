"""`--encoding`: which encoding the user gave for which path.

A rule is a name (`cp1255`, for every text) or a pattern and a name (`hebrew/**=cp1255`), in the pattern language of
`--exclude`. Where several rules match a path, the last one counts: the general rule first, exceptions after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from truecopy.errors import BadSetting
from truecopy.read.encodings.names import given
from truecopy.read.names import name_shown
from truecopy.read.patterns import excluder

_RULES: ContextVar[tuple[str, ...]] = ContextVar("encoding", default=())
_DOUBTS: ContextVar[list[str] | None] = ContextVar("doubts", default=None)


@contextmanager
def reading_as(encoding: str | Sequence[str]) -> Iterator[list[str]]:
    """Single files that are read inside are read by these rules, and their doubts are gathered.

    Without rules, those of a caller that has some stay: commands and methods may both use it.
    """
    rules = as_rules(encoding)
    kept = _DOUBTS.get()
    doubts: list[str] = [] if kept is None else kept
    tokens = _RULES.set(rules or _RULES.get()), _DOUBTS.set(doubts)
    try:
        yield doubts
    finally:
        _RULES.reset(tokens[0])
        _DOUBTS.reset(tokens[1])


def rules_now() -> tuple[str, ...]:
    """The rules of `reading_as`; none outside it."""
    return _RULES.get()


def doubted(doubt: str) -> None:
    """A file was read with doubt: whoever asked to read it says so."""
    doubts = _DOUBTS.get()
    if doubt and doubts is not None and doubt not in doubts:
        doubts.append(doubt)


def as_rules(encoding: str | Sequence[str]) -> tuple[str, ...]:
    """What a user gave as one name, one rule or several, each checked."""
    rules = (encoding,) if isinstance(encoding, str) and encoding else tuple(encoding)
    for rule in rules:
        if not isinstance(rule, str):
            raise BadSetting(
                f"The encoding is {rule!r}, but it must be a name or a rule such as 'hebrew/**=cp1255'.",
                "Give for example cp1252.",
            )
        _parsed(rule)
    return tuple(map(name_shown, rules))  # a wave writes down its rules, and paths in them need not be UTF-8


def encoding_of(rules: Sequence[str]) -> Callable[[str], str] | None:
    """A function from paths to the encoding that was given for them, "" for none; None where there are no rules."""
    if not rules:
        return None
    tests = [_parsed(rule) for rule in reversed(rules)]

    def found(path: str) -> str:
        return next((name for matches, name in tests if matches(path)), "")

    return found


def _parsed(rule: str) -> tuple[Callable[[str], bool], str]:
    pattern, equals, name = rule.rpartition("=")
    if equals and not pattern:
        raise BadSetting(f"{rule!r} names no path before the equals sign.", "Give for example 'hebrew/**=cp1255'.")
    if not name:
        raise BadSetting(f"{rule!r} names no encoding.", "Give for example cp1252 or 'hebrew/**=cp1255'.")
    return (excluder((pattern,)) if pattern else lambda _: True), given(name)
