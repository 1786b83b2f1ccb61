"""The passages that a wave is computed over: stored ones that it touches, and its own.

Numbers and lengths of all of them are at hand. Their texts are, too, where they fit into the memory that is allowed;
else those of some are read when they are needed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, Flags
from truecopy.text.streams import Bags
from truecopy.text.texts import Texts


@dataclass(frozen=True, slots=True)
class LookedAt:
    """Passages in order; what is said of them by place is about numbers[place]."""

    numbers: I64
    lengths: I64
    """Words of each."""
    fresh: Flags
    """Which of them the wave brings."""
    read: Callable[[I64], Texts]
    """The texts of some passages, given in order."""
    whole: tuple[Texts, Bags] | None = None
    """All texts and their bags, where they fit into memory."""

    @classmethod
    def all_of(cls, texts: Texts, bags: Bags, fresh: Flags) -> LookedAt:
        """Of texts that are in memory."""
        whole = texts.numbers

        def read(numbers: I64) -> Texts:
            return texts.take(np.searchsorted(whole, numbers))

        return cls(whole, texts.streams.lengths, fresh, read, (texts, bags))

    def __len__(self) -> int:
        return len(self.numbers)

    def texts(self, places: I64) -> Texts:
        """The texts at some places, given in order."""
        if self.whole is not None and len(places) == len(self):
            return self.whole[0]
        return self.read(self.numbers[places])

    def with_bags(self, places: I64, threads: int) -> tuple[Texts, Bags]:
        """The same with their bags."""
        if self.whole is not None and len(places) == len(self):
            return self.whole
        texts = self.texts(places)
        return texts, texts.bags(threads)
