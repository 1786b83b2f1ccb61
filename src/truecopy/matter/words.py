"""The words of a matter: a list for each wave, searched where it lies, and the words of a few texts numbered anew.

Kernels take word numbers without gaps, with what they need of each word in arrays. So the words of the texts that a
question or a wave is about get numbers of their own, in the same order: what it costs follows the texts, not the
matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from truecopy.array_types import I64, U8, U32, U64
from truecopy.errors import DamagedSegment
from truecopy.matter.checked import check_vocabulary
from truecopy.matter.sql.cells import HINT
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.text.streams import renumber
from truecopy.text.vocabulary import Vocabulary
from truecopy.text.word_lists import WordList

VOCABULARY = "vocabulary"
WORD_SPEC = Spec.make("streams", 4, profile="plain", unicode=UNICODE)
"""How words are made of texts."""
_DENSE = 16
"""Words are looked up in a table of the whole vocabulary if there is one in this many of them."""


@dataclass(frozen=True, slots=True)
class LocalWords:
    """The words of some texts, numbered from 0 in the order of the matter's numbers."""

    words: U32
    hashes: U64
    vocabulary: tuple[U8, I64]
    """Their UTF-8 bytes one after the other, and where each begins."""


class StoredWords:
    """Every word of a matter, by its number."""

    def __init__(self, parts: Sequence[WordList]) -> None:
        self._parts = list(parts)
        self._firsts = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(part) for part in parts], dtype=np.int64)])

    def __len__(self) -> int:
        return int(self._firsts[-1])

    def plus(self, more: WordList) -> StoredWords:
        """With further words at the end."""
        return StoredWords([*self._parts, more])

    def find(self, vocabulary: Vocabulary) -> I64:
        """The number of each word of a vocabulary; -1 for words that the matter does not have."""
        found = np.full(len(vocabulary), -1, np.int64)
        letters, starts, hashes = vocabulary.letters, vocabulary.letter_starts, vocabulary.hashes
        for first, part in zip(self._firsts.tolist(), self._parts, strict=False):
            if not part.find(hashes, letters, starts[:-1], starts[1:], first, found):
                break  # most words are in the first parts
        return found

    def numbered(self, words: U32, threads: int = 1, *, in_place: bool = False) -> LocalWords:
        """Words by the matter's numbers, numbered anew; where that changes no number, they are the given ones.

        `in_place`: the given ones may be changed.
        """
        if len(words) * _DENSE > len(self):
            used, local = _by_table(words, len(self), threads, in_place)
        else:
            used, where = np.unique(words, return_inverse=True)
            used, local = used.astype(np.int64), where.astype(np.uint32)
        hashes, letters, ends = [np.empty(0, np.uint64)], [np.empty(0, np.uint8)], [np.zeros(1, np.int64)]
        cuts = np.searchsorted(used, self._firsts)
        for first, begin, end, part in zip(self._firsts.tolist(), cuts, cuts[1:], self._parts, strict=False):
            if begin == end:
                continue  # a part of which no word is used
            if end - begin == len(part):  # as in a first wave, whose words are not copied
                spelled, here, own = part.letters, part.letter_ends, part.hashes
            else:
                numbers = used[begin:end] - first
                (spelled, here), own = part.spelled(numbers), part.hashes[numbers]
            hashes.append(own)
            letters.append(spelled)
            ends.append(here + ends[-1][-1])
        return LocalWords(local, together(hashes), (together(letters), np.concatenate(ends)))


def together(parts: Sequence[Any]) -> Any:
    """Arrays one after the other; a single one that is not empty is not copied."""
    some = [part for part in parts if len(part)] or parts[:1]
    return np.ascontiguousarray(some[0]) if len(some) == 1 else np.concatenate(some)


def stored_words(state: State) -> StoredWords:
    """Every word of the matter, in the frozen order; kept open."""
    files = state.files.of(VOCABULARY)
    return state.opened.get(VOCABULARY, state.good_for(files), lambda: _open(state, files))


def _open(state: State, files: Sequence[File]) -> StoredWords:
    parts, following = [], 0
    for file in files:
        arrays = state.arrays.checked(file, WORD_SPEC, partial(check_vocabulary, file.name))
        if file.first != following or file.last - file.first + 1 != len(arrays["hashes"]):
            raise DamagedSegment(f"The matter's file {file.name} does not hold the words that it should.", HINT)
        following = file.last + 1
        parts.append(WordList(**arrays))
    return StoredWords(parts)


def _by_table(words: U32, total: int, threads: int, in_place: bool) -> tuple[I64, U32]:
    """The words that there are, and each as a place among them."""
    seen = np.zeros(total, np.bool_)
    for first in range(0, len(words), 1 << 20):
        seen[words[first : first + (1 << 20)]] = True
    used = np.flatnonzero(seen)
    if len(used) < total:
        places = np.zeros(total, np.uint32)
        places[used] = np.arange(len(used), dtype=np.uint32)
        words = words if in_place else words.copy()
        renumber(words, places, threads)
    return used, words
