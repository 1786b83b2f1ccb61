"""The texts that a wave brings and no earlier one has, with their words in the matter's numbers.

Words keep the numbers that they have; words that are new are appended, most common in the wave first, so that the
order of rarity that earlier waves were joined by stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U8, U32, U64
from truecopy.streamed import Sliceable
from truecopy.text.streams import Signs, frequencies, renumber
from truecopy.text.vocabulary import Vocabulary
from truecopy.text.word_lists import WordList
from truecopy.wave.intake import Intake

S = TypeVar("S", bound=np.generic)


@dataclass(frozen=True, slots=True)
class FreshTexts:
    """The new texts of a wave, in the order of their passages, and the words that are new with them."""

    words: U32
    offsets: I64
    signs: Signs
    hashes: U64
    """Of the new words, in the order of their numbers; so are the next two."""
    letters: U8
    letter_ends: I64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> I64:
        """Words of each text."""
        return np.diff(self.offsets)

    def some(self, first: int, last: int) -> FreshTexts:
        """The texts from one to another; the new words are those of all."""
        if (first, last) == (0, len(self)):
            return self
        begin, end = int(self.offsets[first]), int(self.offsets[last])
        marks = self.signs.mark_offsets
        signs = Signs(
            self.signs.breaks[begin:end],
            self.signs.marks[int(marks[first]) : int(marks[last])],
            marks[first : last + 1] - marks[first],
        )
        return replace(self, words=self.words[begin:end], offsets=self.offsets[first : last + 1] - begin, signs=signs)

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """The texts by name."""
        signs = self.signs
        return {
            "words": self.words, "offsets": self.offsets, "breaks": signs.breaks, "marks": signs.marks,
            "mark_offsets": signs.mark_offsets,
        }  # fmt: skip

    def streams(self) -> dict[str, NDArray[np.generic]]:
        """As a segment holds the texts."""
        return self.arrays() | {"room": np.array([room_of(self.words)], np.int64)}

    def vocabulary(self) -> dict[str, NDArray[np.generic]]:
        """As a segment holds the new words."""
        return self.words_list().arrays()

    def words_list(self) -> WordList:
        """The new words, as a list that can be searched."""
        return WordList.of(self.hashes, self.letters, self.letter_ends)


def room_of(words: U32) -> int:
    """The size of the smallest vocabulary that has all these words."""
    return 1 + int(words.max()) if len(words) else 0


def fresh_texts(
    intake: Intake, streams: I64, known: int, find: Callable[[Vocabulary], I64], threads: int = 1
) -> FreshTexts:
    """Those of the wave's distinct texts that are new, in a matter that has so many words already.

    `find` gives the number that the matter has for each word of a vocabulary, -1 for none.
    """
    words, breaks = _joined(intake.words, np.uint32), _joined(intake.breaks, np.uint8)
    marks, mark_counts = _joined(intake.marks, np.uint64), _joined(intake.mark_counts, np.int64)
    lengths = _joined(intake.lengths, np.int64)
    if len(streams) != len(lengths):
        wanted = np.zeros(len(lengths), np.bool_)
        wanted[streams] = True
        here, marked = np.repeat(wanted, lengths), np.repeat(wanted, mark_counts)
        words, breaks, marks = words[here], breaks[here], marks[marked]
        lengths, mark_counts = lengths[wanted], mark_counts[wanted]
    offsets = _offsets(lengths)
    own = intake.vocabulary
    often = frequencies(words, offsets, len(own), threads)
    found = find(own)
    new = np.flatnonzero((found < 0) & (often > 0))
    order = new[_rarest_last(own, new, often)]
    numbers = np.where(found < 0, 0, found).astype(np.uint32)
    numbers[order] = np.arange(known, known + len(order), dtype=np.uint32)
    renumber(words, numbers, threads)
    letters, letter_ends = _spelled(own, order)
    return FreshTexts(
        words, offsets, Signs(breaks, marks, _offsets(mark_counts)), own.hashes[order].copy(), letters, letter_ends
    )


def _rarest_last(vocabulary: Vocabulary, words: I64, often: I64) -> I64:
    """The order of some words: most common first, ties by hash, then by letters; never by the input's order."""
    hashes = vocabulary.hashes[words]
    order = np.lexsort((hashes, -often[words]))
    ordered, counts = hashes[order], often[words][order]
    same = np.concatenate([[False], (ordered[1:] == ordered[:-1]) & (counts[1:] == counts[:-1]), [False]])
    begins, ends = np.flatnonzero(~same[:-1] & same[1:]), np.flatnonzero(same[:-1] & ~same[1:]) + 1
    letters, starts = vocabulary.letters, vocabulary.letter_starts
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        tied = order[begin:end].tolist()
        spelled = {place: letters[starts[words[place]] : starts[words[place] + 1]].tobytes() for place in tied}
        order[begin:end] = sorted(tied, key=spelled.__getitem__)
    return order


def _spelled(vocabulary: Vocabulary, words: I64) -> tuple[U8, I64]:
    """The letters of some words one after the other, and where each ends."""
    starts = vocabulary.letter_starts
    lengths = np.diff(starts)[words]
    ends = np.cumsum(lengths)
    source = np.repeat(starts[words] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    return vocabulary.letters[source], ends.astype(np.int64)


def _offsets(counts: I64) -> I64:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _joined(parts: Sequence[Sliceable[S]], dtype: type[S]) -> NDArray[S]:
    """A new array: the intake may be asked again."""
    out, place = np.empty(sum(map(len, parts)), dtype), 0
    for part in parts:
        out[place : place + len(part)] = part[:]
        place += len(part)
    return out
