"""Some texts with all that the stages ask of them: words, what is between them, and how words are spelled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, U8
from truecopy.text.streams import Bags, Signs, Streams, make_bags, some_of


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of a collection, or of a part of it: text i is the passage numbers[i]; the numbers ascend."""

    numbers: I64
    streams: Streams
    signs: Signs
    vocabulary: tuple[U8, I64]
    """The folded words by number: their UTF-8 bytes one after the other, and where each begins."""

    def __len__(self) -> int:
        return len(self.numbers)

    def bags(self, threads: int = 1) -> Bags:
        """The distinct words of each text, rarest first."""
        return make_bags(self.streams.words, self.streams.offsets, len(self.streams.hashes), threads)

    def take(self, places: I64) -> Texts:
        """Some of the texts, as a set of their own."""
        signs, words = self.signs, some_of(self.streams.offsets, places)
        marks = some_of(signs.mark_offsets, places)
        streams = Streams(self.streams.words[words], _offsets(self.streams.offsets, places), self.streams.hashes)
        taken = Signs(signs.breaks[words], signs.marks[marks], _offsets(signs.mark_offsets, places))
        return Texts(self.numbers[places], streams, taken, self.vocabulary)


def _offsets(offsets: I64, places: I64) -> I64:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.diff(offsets)[places])])
