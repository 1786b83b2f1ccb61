"""Random choices that come out the same on every machine and under every Python version.

`random.Random` promises that for `random()` only, so the demo rolls its own dice: SplitMix64, started from the
SHA-256 of the stream's names. A stream belongs to one thing ("seed 7, family 12, draft 2"), so one more document
never changes the others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
_MASK = (1 << 64) - 1


class Dice:
    """One stream of random choices, named by what it is for."""

    __slots__ = ("_state",)

    def __init__(self, *names: str | int) -> None:
        digest = hashlib.sha256("/".join(str(name) for name in names).encode()).digest()
        self._state = int.from_bytes(digest[:8], "little")

    def _next(self) -> int:
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = self._state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1."""
        return (self._next() * limit) >> 64

    def between(self, low: int, high: int) -> int:
        """A number from low to high, both included."""
        return low + self.below(high - low + 1)

    def chance(self, percent: int) -> bool:
        """True in this many cases of a hundred."""
        return self.below(100) < percent

    def pick(self, things: Sequence[T]) -> T:
        """One of the things."""
        return things[self.below(len(things))]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """All of the things, in another order."""
        result = list(things)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def some(self, things: Sequence[T], count: int) -> list[T]:
        """`count` of the things (all, where there are fewer), in their own order."""
        chosen = sorted(self.shuffled(range(len(things)))[:count])
        return [things[place] for place in chosen]
