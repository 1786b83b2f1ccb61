"""Counting words and n-grams of texts: in one pass, in any number of threads, with the same result.

Frequencies  what was counted: every entry with its document and collection frequency, in order of its UTF-8 bytes
Counter      counts texts; from many threads at once
joined       frequencies of several collections, added up

Counts are sums over texts, and entries are sorted at the end, so it does not matter which thread counted which text. A
copy of a text counts again: a collection's statistics describe all of its documents.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import I64, U8
from truecopy.kernels.arrays import read_only
from truecopy.kernels.grams import DOCUMENTS, LOW, NUMBER, OCCURS, add_counts, count_grams, count_words, move_counts
from truecopy.kernels.secret import SECRET
from truecopy.kernels.vocabulary import LONGEST
from truecopy.sign.parts import SPARE, Text, buffer
from truecopy.text.batches import cuts
from truecopy.text.profiles import plain
from truecopy.text.tokens import Tokenizer
from truecopy.text.vocabulary import Vocabulary

PIECE = 1 << 18
"""About how many bytes of text are counted at a time, in whole texts: what a core's caches hold."""
_COMPARED = 32
"""Entries are sorted by their first bytes, column by column; the few that are equal so far, one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Frequencies:
    """How often words, or n-grams, occur in a collection; entries are in order of their UTF-8 bytes."""

    letters: U8
    """Every entry's UTF-8 bytes, one after the other."""
    ends: I64
    """Where each entry ends in `letters`."""
    documents: I64
    """The number of texts that each occurs in."""
    occurrences: I64
    """How often each occurs in all texts together."""
    total: int
    """Occurrences of everything in the collection, including what is not listed here."""

    def __len__(self) -> int:
        return len(self.ends)

    @property
    def starts(self) -> I64:
        """Where each entry begins in `letters`."""
        return np.concatenate([np.zeros(min(1, len(self)), np.int64), self.ends[:-1]])

    def texts(self) -> list[str]:
        """The entries as str."""
        letters = self.letters.tobytes()
        bounds = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return [letters[begin:end].decode("utf-8", "surrogatepass") for begin, end in bounds]

    def taken(self, places: I64) -> Frequencies:
        """Only the entries at these places, in this order."""
        starts, lengths = self.starts[places], np.diff(self.ends, prepend=0)[places]
        ends = np.cumsum(lengths)
        source = np.repeat(starts - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        documents, occurrences = self.documents[places], self.occurrences[places]
        return Frequencies(self.letters[source], ends, documents, occurrences, self.total)

    def sorted(self) -> Frequencies:
        """The same in order of the entries' bytes."""
        return self.taken(_order(self.letters, self.starts, self.ends))


class _Counts:
    """A table of counts that grows (`truecopy.kernels.grams`)."""

    def __init__(self) -> None:
        self._table = np.zeros((1 << 12, 4), np.uint64)
        self._letters = np.empty(1 << 16, np.uint8)
        self._ends = np.empty(1 << 11, np.int64)
        self._size = 0
        self._total = 0
        self._texts = 0

    def count(self, data: U8, offsets: I64, ngram: int) -> None:
        """Count the n-grams of texts in a buffer with spare bytes."""
        place = np.array([0, -1, 0, self._size, 0], np.int64)
        while not count_grams(data, offsets, ngram, self._texts, place, self._table, self._letters, self._ends, SECRET):
            self._size = int(place[3])
            self._grow()
        self._size = int(place[3])
        self._total += int(place[4])
        self._texts += len(offsets) - 1

    def add(self, counted: Frequencies) -> None:
        """Add what was counted elsewhere, in other texts."""
        entry = 0
        data = np.concatenate([counted.letters, np.zeros(SPARE, np.uint8)])
        rest = read_only(counted.ends), read_only(counted.documents), read_only(counted.occurrences)
        while entry < len(counted):
            entry, self._size = add_counts(
                data, *rest, entry, self._size, self._table, self._letters, self._ends, SECRET
            )
            if entry < len(counted):
                self._grow()
        self._total += counted.total

    def frequencies(self) -> Frequencies:
        """All that was counted, in order of first appearance."""
        filled = self._table[self._table[:, NUMBER] != 0]
        rows = np.empty_like(filled)
        rows[filled[:, NUMBER].astype(np.int64) - 1] = filled
        ends = self._ends[: self._size].copy()
        letters = self._letters[: ends[-1] if self._size else 0].copy()
        documents = (rows[:, DOCUMENTS] & LOW).astype(np.int64)
        return Frequencies(letters, ends, documents, rows[:, OCCURS].astype(np.int64), self._total)

    def _grow(self) -> None:
        if 2 * self._size >= len(self._table):
            larger = np.zeros((2 * len(self._table), 4), np.uint64)
            move_counts(self._table, larger, SECRET)
            self._table = larger
        if self._size >= len(self._ends):
            self._ends = np.concatenate([self._ends, np.empty_like(self._ends)])
        used = int(self._ends[self._size - 1]) if self._size else 0
        if used + LONGEST > len(self._letters):
            self._letters = np.concatenate([self._letters, np.empty(len(self._letters) + LONGEST, np.uint8)])


class _Words:
    """The words of texts, counted."""

    def __init__(self) -> None:
        self._vocabulary = Vocabulary()
        self._tokenizer = Tokenizer()
        self._counts = np.zeros((3, 1 << 13), np.int64)
        self._total = 0
        self._texts = 0

    def count(self, data: U8, offsets: I64) -> None:
        tokens = self._tokenizer(data, offsets, spelling=True)
        numbers = self._vocabulary.number(tokens)
        if len(self._vocabulary) > self._counts.shape[1]:
            more = 2 * len(self._vocabulary) - self._counts.shape[1]
            self._counts = np.concatenate([self._counts, np.zeros((3, more), np.int64)], 1)
        seen, documents, occurs = self._counts
        count_words(numbers, tokens.offsets, self._texts, seen, documents, occurs)
        self._total += len(numbers)
        self._texts += len(offsets) - 1

    def frequencies(self) -> Frequencies:
        """All that was counted; words of more than `LONGEST` bytes are in the total only, and not listed."""
        words, size = self._vocabulary, len(self._vocabulary)
        _, documents, occurs = self._counts[:, :size].copy()
        every = Frequencies(words.letters.copy(), words.letter_ends.copy(), documents, occurs, self._total)
        # For a word that is too long to keep, the vocabulary has # and a hash; no word has a #.
        return every.taken(np.flatnonzero(every.letters[every.starts] != ord("#"))) if size else every


class Counter:
    """Counts the words and the n-grams of texts; threads may add at the same time."""

    def __init__(self, ngram: int, profile: str) -> None:
        self.ngram = ngram
        self.profile = profile
        self._lock = threading.Lock()
        self._idle: list[tuple[_Words, _Counts]] = []
        self._all: list[tuple[_Words, _Counts]] = []
        self.documents = 0

    def add(self, texts: Sequence[Text]) -> None:
        """Count texts; a copy of a counted text counts again. After an exception the counter cannot be used."""
        with self._lock:
            if not self._idle:
                self._idle.append((_Words(), _Counts()))
                self._all.append(self._idle[-1])
            words, grams = mine = self._idle.pop()
        for piece in pieces(texts):
            data, offsets = buffer(piece)
            words.count(data, offsets)
            if self.profile == "plain":
                data, offsets = buffer([plain(text if isinstance(text, str) else text.decode()).text for text in piece])
            grams.count(data, offsets, self.ngram)
        with self._lock:
            self._idle.append(mine)
            self.documents += len(texts)

    def words(self) -> Frequencies:
        """The words of all texts so far."""
        return joined(words.frequencies() for words, _ in self._all)

    def grams(self) -> Frequencies:
        """The n-grams of all texts so far."""
        return joined(grams.frequencies() for _, grams in self._all)


def joined(parts: Iterable[Frequencies]) -> Frequencies:
    """The frequencies of several collections, added up."""
    listed = list(parts)
    if len(listed) == 1:
        return listed[0].sorted()
    counts = _Counts()
    for each in listed:
        counts.add(each)
    return counts.frequencies().sorted()


def pieces(texts: Sequence[Text], size: int = PIECE) -> Iterator[Sequence[Text]]:
    """Runs of texts of about this many bytes."""
    return (texts[first:last] for first, last in cuts(texts, size))


def _order(letters: U8, starts: I64, ends: I64) -> I64:
    """The order of entries by their bytes."""
    lengths = ends - starts
    width = min(-(-int(lengths.max(initial=1)) // 8) * 8, _COMPARED)
    padded = np.concatenate([letters, np.zeros(width, np.uint8)])
    block = padded[starts[:, None] + np.arange(width)]
    block[np.arange(width) >= lengths[:, None]] = 0
    columns = block.view(">u8").astype(np.uint64)
    # Shorter entries are padded with zeros: where entries are equal then, the shorter is first.
    order = np.lexsort((lengths, *columns.T[::-1]))
    long = lengths[order] > _COMPARED
    if not long.any():
        return order
    ranked = columns[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (ranked[1:] != ranked[:-1]).any(axis=1)
    bounds = np.append(np.flatnonzero(new), len(order))
    text = letters.tobytes()
    for group in np.unique(np.searchsorted(bounds, np.flatnonzero(long), "right") - 1).tolist():
        begin, end = int(bounds[group]), int(bounds[group + 1])
        some = order[begin:end].tolist()
        order[begin:end] = sorted(some, key=lambda entry: text[starts[entry] : ends[entry]])
    return order
