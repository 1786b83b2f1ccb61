"""The one list of settings, validated where they are made."""

from __future__ import annotations

import json
import operator
import os
from dataclasses import asdict, dataclass, fields
from numbers import Integral
from typing import Any

from truecopy.errors import BadSetting
from truecopy.threshold import percentage

DEFAULT_FLOOR = 70.0
MOST_DENSE, MOST_NEAREST = 1 << 31, 10_000
"""No family is larger than the first, and each of its texts stores as many pairs as the second says."""
MOST_GIVEN, LONGEST_GIVEN, LONGEST_LIST = 1 << 20, 1 << 15, 1 << 26
"""Documents that can be given as principals, code points of the name of one (no path of Windows is longer), and code
points of all of them, as they are stored.
"""
MOST_LISTED = (1 << 63) - 1
"""No list is cut at a larger number."""
_SHOWN = 200
RULES = ("longest", "earliest", "latest", "given")


@dataclass(frozen=True, slots=True)
class MatterSettings:
    """What a matter was made with; stored in it, and printed in its report."""

    threshold: float = 80.0
    """Similarity at which the matter's own groups are made."""
    floor: float = DEFAULT_FLOOR
    """`similar` pairs are stored from this similarity up."""
    contains_floor: float = 80.0
    """`contains` pairs are stored from this containment up."""
    recall: float | None = None
    """Share of the pairs at the floor that must be found; None: exact as far as it is affordable; 1: exact always."""
    rule: str = "longest"
    """Which document becomes the principal of a group."""
    given: tuple[str, ...] = ()
    """For the rule `given`: ids or paths of the documents that come first."""
    dense: int = 2000
    """A family with more distinct texts than this is stored as a star with nearest neighbors."""
    nearest: int = 50
    """How many neighbors each text of a dense family keeps."""

    def __post_init__(self) -> None:
        for name, said in (("threshold", "threshold"), ("floor", "floor"), ("contains_floor", "floor for contains")):
            object.__setattr__(self, name, percentage(getattr(self, name), said))
        if self.floor > self.threshold:
            raise BadSetting(
                f"The floor is {self.floor:g} and the threshold {self.threshold:g}, "
                "but pairs are stored from the floor on, so it must not be over the threshold.",
                "Lower --floor or raise --threshold.",
            )
        if self.recall is not None and not 0.5 <= self.recall <= 1:
            raise BadSetting(
                f"The recall is {self.recall!r}, but it must be 'exact' or a number from 0.5 to 1.",
                "Give for example --recall 0.999.",
            )
        if self.rule not in RULES:
            raise BadSetting(
                f"The principal rule {self.rule!r} is not one of {', '.join(RULES)}.",
                "Give one of these as --rule.",
            )
        if self.rule == "given" and not self.given:
            raise BadSetting(
                "The principal rule 'given' needs the documents that come first, but none were given.",
                "Give a file that lists ids or paths with --principals.",
            )
        self._check_given()
        if not 2 <= self.dense <= MOST_DENSE or not 1 <= self.nearest <= MOST_NEAREST:
            raise BadSetting(
                f"A dense family of {self.dense} texts with {self.nearest} neighbors each makes no sense.",
                f"Use at least 2 texts and from 1 to {MOST_NEAREST:,} neighbors.",
            )

    def _check_given(self) -> None:
        """Refuse a list that could not be read again from a matter."""
        longest = max(map(len, self.given), default=0)
        if longest > LONGEST_GIVEN:
            raise BadSetting(
                f"One of the documents that come first has a name of {longest:,} letters, but no id or path is longer "
                f"than {LONGEST_GIVEN:,}.",
                "Give a file with one id or path in each line with --principals.",
            )
        for name in self.given:
            check_text(name, "A name in the list of principals", "Give ids, or paths as they are listed.")
        if len(self.given) > MOST_GIVEN or (self.given and len(json.dumps(self.given)) > LONGEST_LIST):
            raise BadSetting(
                f"{len(self.given):,} documents are given to come first, but a matter can store {MOST_GIVEN:,} and "
                f"{LONGEST_LIST >> 20} MB of their names.",
                "Give a shorter list with --principals, or ids in place of paths.",
            )

    def as_json(self) -> dict[str, Any]:
        """The form in which it is stored."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> MatterSettings:
        """As it was stored; settings that a later version adds have their default.

        What is stored was allowed when the matter was made, so it is not checked again: a matter can always be opened.
        """
        made = object.__new__(cls)
        usual = cls()
        for field in fields(cls):
            value = stored.get(field.name, getattr(usual, field.name))
            object.__setattr__(made, field.name, tuple(value) if field.name == "given" else value)
        return made


def can_be_stored(text: str) -> bool:
    """Whether a database takes a text: half a surrogate (a byte that is not UTF-8) is no character, and NUL ends it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def check_text(text: str, said: str, hint: str) -> None:
    """Refuse what is no text, or cannot be stored; `said` names it in the message."""
    check_type(text, str, said, "a text")
    if not can_be_stored(text):
        raise BadSetting(
            f"{said} is {text[:_SHOWN]!r}, but it must be valid Unicode (UTF-8) without NUL characters.", hint
        )


def check_type(value: object, wanted: type | tuple[type, ...], said: str, expected: str) -> None:
    """Refuse a value of another type; `said` names it in the message, `expected` says what it must be."""
    if not isinstance(value, wanted):
        raise BadSetting(
            f"{said} is of the type {type(value).__name__}, but it must be {expected}.", f"Give {expected}."
        )


def checked_limit(limit: int | None) -> int | None:
    """How many entries of a list are wanted, None for all of them; databases count no further than the most allowed."""
    if limit is None:
        return None
    try:
        number = operator.index(limit)
    except TypeError:
        number = 0
    if not 1 <= number <= MOST_LISTED:
        raise BadSetting(
            f"The limit is {limit!r}, but it must be a whole number from 1 to {MOST_LISTED}.",
            "Leave the limit out to list everything.",
        )
    return number


def thread_count(threads: int | None) -> int:
    """How many threads to use: what was asked for, else one for each core that this process may use."""
    if threads is None:
        affinity = getattr(os, "sched_getaffinity", None)
        return len(affinity(0)) if affinity else os.cpu_count() or 1
    check_type(threads, Integral, "The number of threads", "a whole number from 1 to 256")
    if not 1 <= threads <= 256:
        raise BadSetting(
            f"The number of threads is {threads}, but it must be from 1 to 256.",
            "Leave --threads out to use every core.",
        )
    return threads
