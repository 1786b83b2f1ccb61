"""The words of some of a matter's texts, or of all, as the arrays that the stages take.

Streams are stored by wave and mapped; what is taken from them is what is asked for.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I64, U64
from truecopy.errors import DamagedSegment, MatterError
from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import keys_of, seeded_keys
from truecopy.matter.checked import check_streams
from truecopy.matter.sql.cells import HINT
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.words import VOCABULARY, WORD_SPEC, StoredWords, stored_words, together
from truecopy.model import DOCUMENT
from truecopy.text.batches import NumberedTexts
from truecopy.text.streams import Signs, Streams
from truecopy.text.texts import Texts
from truecopy.text.word_lists import WordList
from truecopy.wave.fresh import FreshTexts

Arrays = Mapping[str, Any]
"""Streams as a segment holds them."""

STREAMS = "streams"
QUERY = 0
"""The number of a text that is not stored."""


@dataclass(frozen=True, slots=True)
class StreamPart:
    """The streams of one wave: passages from the first to the last."""

    file: File
    arrays: Arrays

    @property
    def numbers(self) -> I64:
        """Its passages."""
        return np.arange(self.file.first, self.file.last + 1, dtype=np.int64)


def stream_parts(state: State) -> list[StreamPart]:
    """The stored streams of documents, wave by wave; kept open."""
    files = state.files.of(STREAMS, DOCUMENT)
    good_for = state.good_for(files), tuple(state.files.of(VOCABULARY))
    return state.opened.get(STREAMS, good_for, lambda: _parts(state, files))


def _parts(state: State, files: Sequence[File]) -> list[StreamPart]:
    parts, following, words = [], 1, len(stored_words(state))
    for file in files:
        arrays = read_streams(state, file, words)
        if file.last < file.first:
            continue  # a wave without a new text
        _check_between(state, following, file.first)
        following = file.last + 1
        parts.append(StreamPart(file, arrays))
    _check_between(state, following, state.passages.last() + 1)
    return parts


def _check_between(state: State, first: int, end: int) -> None:
    """Refuse streams that leave passages out: what is between those of two waves is of other units."""
    found = state.passages.next_of(DOCUMENT, first) if first < end else None
    if first > end or (found is not None and found < end):
        raise DamagedSegment("The matter's streams are not of the passages in its database.", HINT)


def read_streams(state: State, file: File, words: int) -> Arrays:
    """The streams in a segment, of a matter with so many words."""
    arrays = state.arrays.checked(file, WORD_SPEC, partial(check_streams, file.name))
    if len(arrays["offsets"]) != max(file.last - file.first + 1, 0) + 1 or int(arrays["room"][0]) > words:
        raise DamagedSegment(f"The matter's file {file.name} does not hold the words that it should.", HINT)
    return arrays


# --- texts ---------------------------------------------------------------------------------------------------


def all_texts(state: State) -> Texts:
    """All of the matter's texts; only for what is about all of them."""
    return _numbered([(part.numbers, part.arrays) for part in stream_parts(state)], stored_words(state))


def some_texts(state: State, passages: I64) -> Texts:
    """The texts of some passages, given in order."""
    return _numbered(_some(state, passages), stored_words(state))


def with_fresh(state: State, passages: I64, first: int, fresh: FreshTexts) -> Texts:
    """The texts of some passages, given in order; those from the first one on are of a wave that is being added."""
    stored = int(np.searchsorted(passages, first))
    new = passages[stored:]
    parts = [*_some(state, passages[:stored]), (new, _taken(fresh.arrays(), new - first))]
    return _numbered(parts, stored_words(state).plus(fresh.words_list()))


def streams_of(state: State, passages: I64) -> Streams:
    """The words of some passages, given in order, by the matter's numbers; without their hashes."""
    parts = [arrays for _, arrays in _some(state, passages)]
    words = together([np.empty(0, np.uint32), *(part["words"] for part in parts)])
    return Streams(words, _offsets([np.diff(part["offsets"]) for part in parts]), np.empty(0, np.uint64))


def lengths_of(state: State, passages: I64) -> I64:
    """How many words some passages have, given in order."""
    parts = stream_parts(state)
    every = [np.diff(part.arrays["offsets"])[_between(passages, part.file) - part.file.first] for part in parts]
    return np.concatenate([np.empty(0, np.int64), *every])


def _between(passages: I64, file: File) -> I64:
    """Those of some passages, given in order, that a file has."""
    begin, end = np.searchsorted(passages, (file.first, file.last + 1))
    return passages[begin:end]


@dataclass(frozen=True, slots=True)
class Query:
    """A text that is not stored, by the matter's numbers of its words."""

    texts: NumberedTexts
    words: NDArray[np.uint32]
    unknown: I64
    """The words, by the text's own numbers, that the matter does not have; they come after all that it has."""
    room: int
    """How many words there are with these."""


def query_of(state: State, texts: NumberedTexts) -> Query:
    """A text that somebody asks about."""
    words = stored_words(state)
    named = words.find(texts.vocabulary)
    unknown = np.flatnonzero(named < 0)
    named[unknown] = len(words) + np.arange(len(unknown))
    return Query(texts, named[texts.words].astype(np.uint32), unknown, len(words) + len(unknown))


def with_query(state: State, query: Query, passages: I64 | None = None) -> Texts:
    """The texts of some passages, or of all, and one more at the end that is not stored: its number is `QUERY`."""
    words, texts, unknown = stored_words(state), query.texts, query.unknown
    own = texts.vocabulary
    every = WordList.unsorted(own.hashes, own.letters, own.letter_ends)
    letters, ends = every.spelled(unknown)
    arrays = {
        "words": query.words, "offsets": texts.offsets, "breaks": texts.breaks,
        "marks": texts.marks, "mark_offsets": texts.mark_offsets,
    }  # fmt: skip
    if passages is None:
        parts = [(part.numbers, part.arrays) for part in stream_parts(state)]
    else:
        parts = _some(state, passages)
    parts.append((np.full(1, QUERY, np.int64), arrays))
    return _numbered(parts, words.plus(WordList.unsorted(own.hashes[unknown], letters, ends)))


def stream_of(state: State, query: int | Query) -> tuple[NDArray[np.uint32], int]:
    """The words of one passage, or of a text that is not stored, by the matter's numbers, and how many words there are
    with those that only that text has.
    """
    if isinstance(query, int):
        ((_, arrays),) = _some(state, np.array([query], np.int64))
        return arrays["words"], len(stored_words(state))
    return query.words, query.room


def wave_streams(state: State, wave: int) -> tuple[I64, Arrays]:
    """The passages that a wave brought, and their streams."""
    file = next((file for file in state.files.of(STREAMS, DOCUMENT) if file.wave == wave), None)
    if file is None:
        raise DamagedSegment(
            f"The matter names no file of the words of wave {wave}.", "Restore it from a backup, or scan again."
        )
    arrays = read_streams(state, file, len(stored_words(state)))
    return np.arange(file.first, file.last + 1, dtype=np.int64), arrays


def shingle_keys(state: State, words: int, seed: str = "") -> U64:
    """A value for each word number, for shingles that are stored: always the same in this matter, and in no other.

    They follow from all words of the first wave that has any, so nobody who writes a document of it can foresee them.
    `seed` is the checksum of the words of a wave that is being added, if no earlier one has any.
    """
    return seeded_keys(words, _seed(state, seed))


def shingle_keys_of(state: State, words: NDArray[np.uint32]) -> U64:
    """The values of some word numbers only."""
    return keys_of(words, _seed(state))


def _seed(state: State, otherwise: str = "") -> bytes:
    first = next((file for file in state.files.of(VOCABULARY) if file.last >= file.first), None)
    return (otherwise if first is None else first.checksum).encode()


def parts_of(state: State, passages: I64) -> list[tuple[I64, StreamPart]]:
    """Some passages, given in order: those that each part of the stored streams has, with the part."""
    found, done = [], 0
    stored = stream_parts(state)
    lasts = [part.file.last for part in stored]
    while done < len(passages):
        place = bisect_right(lasts, int(passages[done]) - 1)
        if place == len(stored) or int(passages[done]) < stored[place].file.first:
            raise MatterError(f"The matter holds no words of passage {passages[done]}.", HINT)
        part = stored[place]
        end = int(np.searchsorted(passages, part.file.last, "right"))
        found.append((passages[done:end], part))
        done = end
    return found


def _some(state: State, passages: I64) -> list[tuple[I64, Arrays]]:
    """The streams of some passages, as parts."""
    return [(some, _taken(part.arrays, some - part.file.first)) for some, part in parts_of(state, passages)]


def _taken(arrays: Arrays, texts: I64) -> Arrays:
    """The streams of some texts of a part."""
    if len(texts) == len(arrays["offsets"]) - 1:
        return arrays
    words, offsets = _entries(arrays["offsets"], texts)
    marks, mark_offsets = _entries(arrays["mark_offsets"], texts)
    return {
        "words": arrays["words"][words],
        "breaks": arrays["breaks"][words],
        "offsets": offsets,
        "marks": arrays["marks"][marks],
        "mark_offsets": mark_offsets,
    }


def _entries(offsets: I64, texts: I64) -> tuple[Any, I64]:
    """Where the entries of some of many texts are, one text after the other, and where each begins among these."""
    begins = offsets[texts]
    counts = offsets[texts + 1] - begins
    if len(texts) == 1:
        first, count = int(begins[0]), int(counts[0])
        return slice(first, first + count), np.array([0, count], np.int64)
    places = _offsets([counts])
    return np.repeat(begins - places[:-1], counts) + np.arange(int(places[-1])), places


def _numbered(parts: Sequence[tuple[I64, Arrays]], words: StoredWords) -> Texts:
    """Texts of several parts as one set, with words of their own."""
    arrays = [part for _, part in parts]
    signs = Signs(
        together([np.empty(0, np.uint8), *(part["breaks"] for part in arrays)]),
        together([np.empty(0, np.uint64), *(part["marks"] for part in arrays)]),
        _offsets([np.diff(part["mark_offsets"]) for part in arrays]),
    )
    # The texts of one part, such as all of a first wave, share its words: these are most of what a wave has in memory.
    shared = sum(len(part["words"]) > 0 for part in arrays) <= 1
    numbered = together([np.empty(0, np.uint32), *(part["words"] for part in arrays)])
    local = words.numbered(numbered, in_place=not shared)
    offsets = _offsets([np.diff(part["offsets"]) for part in arrays])
    streams = Streams(read_only(local.words), read_only(offsets), local.hashes)  # as every measure would make them
    numbers = together([np.empty(0, np.int64), *(numbers for numbers, _ in parts)])
    return Texts(numbers, streams, signs, local.vocabulary)


def _offsets(counts: Sequence[Any]) -> I64:
    """Where each of some parts begins, from how many entries each has."""
    lengths = np.concatenate([np.zeros(1, np.int64), *counts])
    return np.cumsum(lengths)
