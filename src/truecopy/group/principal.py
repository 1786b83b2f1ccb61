"""The order in which documents may become principals.

`longest`: most words, then earliest date, then lowest number. `earliest` and `latest`: by date (documents
without one come last), then as longest. `given`: the documents of a list in its order, then as longest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from truecopy.errors import BadSetting
from truecopy.settings import RULES

_NO_DATE = "9999-99"


@dataclass(frozen=True, slots=True)
class Candidate:
    """What the rules look at."""

    number: int
    words: int
    date: str


def principal_order(candidates: Sequence[Candidate], rule: str, given: Sequence[int] = ()) -> list[int]:
    """Positions of the candidates in the order of the rule; `given` holds document numbers."""
    if rule not in RULES:
        raise BadSetting(
            f"The principal rule {rule!r} is not one of {', '.join(RULES)}.", "Give one of these as --rule."
        )
    listed = {number: place for place, number in enumerate(given)} if rule == "given" else {}

    def longest(position: int) -> tuple[int, str, int]:
        candidate = candidates[position]
        return -candidate.words, candidate.date or _NO_DATE, candidate.number

    positions = sorted(range(len(candidates)), key=longest)
    if rule == "given":
        positions.sort(key=lambda position: listed.get(candidates[position].number, len(listed)))
    elif rule == "earliest":
        positions.sort(key=lambda position: candidates[position].date or _NO_DATE)
    elif rule == "latest":
        positions.sort(key=lambda position: candidates[position].date, reverse=True)
    return positions
