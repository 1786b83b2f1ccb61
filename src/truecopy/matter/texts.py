"""The words of a matter: streams and vocabulary of every wave, put together as the arrays that the stages take."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truecopy.errors import DamagedSegment, MatterError
from truecopy.kernels.secret import seeded_keys
from truecopy.match.kinds import dropped_words
from truecopy.matter.checked import check_streams, check_vocabulary, repeated_word
from truecopy.matter.sql.cells import HINT
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.text.batches import NumberedTexts
from truecopy.text.streams import Signs, Streams
from truecopy.text.texts import Texts
from truecopy.text.vocabulary import Vocabulary
from truecopy.wave.fresh import FreshTexts

U8 = NDArray[np.uint8]
U64 = NDArray[np.uint64]
I64 = NDArray[np.int64]

STREAMS, VOCABULARY = "streams", "vocabulary"
STREAM_SPEC = Spec.make("streams", 4, profile="plain", unicode=UNICODE)


@dataclass(frozen=True, slots=True)
class KnownWords:
    """Every word of a matter, to be looked up."""

    vocabulary: Vocabulary
    dropped: U8
    """1 for each word that the kind `same-words` leaves out."""

    @classmethod
    def of(cls, vocabulary: Vocabulary) -> KnownWords:
        """Ready to be looked up."""
        return cls(vocabulary, dropped_words(vocabulary.letters, vocabulary.letter_starts))

    def numbers(self, other: Vocabulary) -> I64:
        """The number of each word of another vocabulary; unknown words get the next numbers."""
        found = self.vocabulary.find(other)
        unknown = np.flatnonzero(found < 0)
        found[unknown] = len(self.vocabulary) + np.arange(len(unknown))
        return found


@dataclass(frozen=True, slots=True)
class Some:
    """A few passages of a matter, and one more at the end: the query."""

    streams: Streams
    signs: Signs
    dropped: U8

    @property
    def query(self) -> int:
        """The place of the query."""
        return len(self.streams) - 1


@dataclass(frozen=True, slots=True)
class StreamPart:
    """The streams of one wave: passages from the first to the last."""

    file: File
    arrays: dict[str, Any]

    @property
    def numbers(self) -> I64:
        """Its passages."""
        return np.arange(self.file.first, self.file.last + 1, dtype=np.int64)


# --- the whole ---------------------------------------------------------------------------------------------


def known_words(state: State) -> KnownWords:
    """Every word of the matter, in the frozen order; kept open."""
    files = state.files.of(VOCABULARY)
    return state.opened.get(VOCABULARY, _good_for(state, files), lambda: KnownWords.of(_vocabulary(state, files)))


def _vocabulary(state: State, files: Sequence[File]) -> Vocabulary:
    """Refused where a word is there twice."""
    parts, last = {}, 0
    for file in files:
        arrays = read_words(state, file)
        check_vocabulary(file.name, arrays)
        if file.first != last or file.last - file.first + 1 != len(arrays["hashes"]):
            raise DamagedSegment(f"The matter's file {file.name} does not hold the words that it should.", HINT)
        last = file.last + 1
        parts[file.name] = arrays
    if not parts:
        return Vocabulary()
    shift, ends = 0, []
    for part in parts.values():
        ends.append(part["letter_ends"] + shift)
        shift += len(part["letters"])
    hashes, letters = (joined([part[name] for part in parts.values()]) for name in ("hashes", "letters"))
    made = Vocabulary(hashes, letters, joined(ends))
    if made.repeated >= 0:
        first = np.cumsum([len(part["hashes"]) for part in parts.values()])
        raise repeated_word(list(parts)[int(np.searchsorted(first, made.repeated, "right"))])
    return made


def stream_parts(state: State) -> list[StreamPart]:
    """The stored streams, wave by wave; kept open."""
    files, words = state.files.of(STREAMS), known_words(state)
    good_for = (_good_for(state, files), len(words.vocabulary))
    return state.opened.get(STREAMS, good_for, lambda: _stream_parts(state, files, len(words.vocabulary)))


def _stream_parts(state: State, files: Sequence[File], words: int) -> list[StreamPart]:
    parts, last = [], 0
    for file in files:
        arrays = read_words(state, file)
        check_streams(file.name, arrays, words, file.last - file.first + 1)
        if file.last < file.first:
            continue  # a wave without a new text
        if file.first != last + 1:
            raise DamagedSegment("The matter's streams are not of the passages in its database.", HINT)
        last = file.last
        parts.append(StreamPart(file, arrays))
    if last != state.passages.last():
        raise DamagedSegment("The matter's streams are not of the passages in its database.", HINT)
    return parts


def load_texts(state: State) -> Texts:
    """All of the matter's texts; only for what is about all of them."""
    return _together([(part.numbers, part.arrays) for part in stream_parts(state)], known_words(state).vocabulary)


def with_fresh(state: State, first: int, fresh: FreshTexts) -> Texts:
    """All of the matter's texts, and the new ones of a wave that is being added."""
    parts = [(part.numbers, part.arrays) for part in stream_parts(state)]
    numbers = np.arange(first, first + len(fresh), dtype=np.int64)
    known = known_words(state).vocabulary
    texts = _together([*parts, (numbers, fresh.streams())], known)
    shift = int(known.letter_ends[-1]) if len(known) else 0
    hashes = joined([known.hashes, fresh.hashes])
    letters = joined([known.letters, fresh.letters])
    starts = joined([known.letter_starts, fresh.letter_ends + shift])
    streams = Streams(texts.streams.words, texts.streams.offsets, hashes)
    return Texts(texts.numbers, streams, texts.signs, (letters, starts))


def with_query(state: State, query: NumberedTexts) -> Texts:
    """All of the matter's texts, and one more at the end that is not stored: its number is 0."""
    texts, words = load_texts(state), known_words(state)
    named, hashes, letters, starts = _with_unknown(words, query)
    arrays = {
        "words": named[query.words].astype(np.uint32), "offsets": query.offsets, "breaks": query.breaks,
        "marks": query.marks, "mark_offsets": query.mark_offsets,
    }  # fmt: skip
    stored = {
        "words": texts.streams.words, "offsets": texts.streams.offsets, "breaks": texts.signs.breaks,
        "marks": texts.signs.marks, "mark_offsets": texts.signs.mark_offsets,
    }  # fmt: skip
    every = _together([(texts.numbers, stored), (np.zeros(1, np.int64), arrays)], words.vocabulary)
    streams = Streams(every.streams.words, every.streams.offsets, hashes)
    return Texts(every.numbers, streams, every.signs, (letters, starts))


# --- a few -------------------------------------------------------------------------------------------------


def some_texts(state: State, passages: Sequence[int], query: int | NumberedTexts) -> Some:
    """The streams of some passages, and the query's: a passage, or a text from outside."""
    words = known_words(state)
    hashes, dropped = words.vocabulary.hashes, words.dropped
    parts, signs = _streams_of(state, [*passages, query] if isinstance(query, int) else list(passages))
    if not isinstance(query, int):
        named = words.numbers(query.vocabulary)
        fresh = np.flatnonzero(named >= len(hashes))
        own = query.vocabulary
        hashes = np.concatenate([hashes, own.hashes[fresh]])
        dropped = np.concatenate([dropped, dropped_words(own.letters, own.letter_starts)[fresh]])
        parts.append(named[query.words].astype(np.uint32))
        signs.append(query.signs)
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum([len(part) for part in parts], out=offsets[1:])
    streams = Streams(np.concatenate(parts), offsets, np.ascontiguousarray(hashes))
    return Some(streams, _joined_signs(signs), dropped)


def _streams_of(state: State, passages: Sequence[int]) -> tuple[list[Any], list[Signs]]:
    """The words, and what is between them, of some passages."""
    stored = stream_parts(state)
    firsts = [part.file.first for part in stored]
    words, signs = [], []
    for passage in passages:
        place = bisect_right(firsts, passage) - 1
        if place < 0 or passage > stored[place].file.last:
            raise MatterError(f"The matter holds no words of passage {passage}.", HINT)
        arrays, text = stored[place].arrays, passage - stored[place].file.first
        here = slice(int(arrays["offsets"][text]), int(arrays["offsets"][text + 1]))
        words.append(arrays["words"][here])
        begin, end = arrays["mark_offsets"][text : text + 2].tolist()
        marks = np.array([0, end - begin], np.int64)
        signs.append(Signs(arrays["breaks"][here], arrays["marks"][begin:end], marks))
    return words, signs


def wave_streams(state: State, wave: int) -> tuple[I64, dict[str, Any]]:
    """The passages that a wave brought, and their streams."""
    file = next((file for file in state.files.of(STREAMS) if file.wave == wave), None)
    if file is None:
        raise DamagedSegment(
            f"The matter names no file of the words of wave {wave}.", "Restore it from a backup, or scan again."
        )
    arrays = read_words(state, file)
    words = 1 + max((one.last for one in state.files.of(VOCABULARY)), default=-1)
    check_streams(file.name, arrays, words, file.last - file.first + 1)
    return np.arange(file.first, file.last + 1, dtype=np.int64), arrays


def shingle_keys(state: State, words: int) -> U64:
    """A value for each word number, for shingles that are stored: always the same in this matter, and in no other.

    They follow from all words of the first wave that has any, so nobody who writes a document of it can foresee them.
    """
    first = next((file for file in state.files.of(VOCABULARY) if file.last >= file.first), None)
    return seeded_keys(words, ("" if first is None else first.checksum).encode())


def read_words(state: State, file: File) -> dict[str, Any]:
    """The arrays of a segment of words, not checked yet."""
    spec, arrays = state.arrays.read(file)
    if not is_spec(spec):
        raise DamagedSegment(
            f"The matter's file {file.name} does not say what it was made by.",
            "Restore it from a backup, or scan again.",
        )
    STREAM_SPEC.must_equal(Spec.from_json(spec))
    return arrays


def _good_for(state: State, files: Sequence[File]) -> Hashable:
    return tuple((file.name, file.checksum, state.arrays.state(file)) for file in files)


def _with_unknown(words: KnownWords, query: NumberedTexts) -> tuple[I64, U64, U8, I64]:
    """The numbers of a query's words, and the matter's vocabulary with those that it does not have at its end."""
    named, own, known = words.numbers(query.vocabulary), query.vocabulary, words.vocabulary
    fresh = np.flatnonzero(named >= len(known))
    starts = own.letter_starts
    lengths = np.diff(starts)[fresh]
    ends = np.cumsum(lengths)
    source = np.repeat(starts[fresh] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    shift = int(known.letter_ends[-1]) if len(known) else 0
    letters = joined([known.letters, own.letters[source]])
    return named, joined([known.hashes, own.hashes[fresh]]), letters, joined([known.letter_starts, ends + shift])


def _joined_signs(signs: list[Signs]) -> Signs:
    """The arrays of several texts as one."""
    counts = np.concatenate([np.zeros(1, np.int64), *(np.diff(one.mark_offsets) for one in signs)])
    breaks, marks = (np.concatenate([getattr(one, name) for one in signs]) for name in ("breaks", "marks"))
    return Signs(breaks, marks, np.cumsum(counts))


def _offsets(counts: list[Any]) -> I64:
    """Where each of some parts begins, from how many entries each has."""
    lengths = joined([np.empty(0, np.int64), *counts])
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _together(parts: list[tuple[I64, dict[str, Any]]], vocabulary: Vocabulary) -> Texts:
    arrays = [part for _, part in parts]
    signs = Signs(
        joined([np.empty(0, np.uint8), *(part["breaks"] for part in arrays)]),
        joined([np.empty(0, np.uint64), *(part["marks"] for part in arrays)]),
        _offsets([np.diff(part["mark_offsets"]) for part in arrays]),
    )
    words = joined([np.empty(0, np.uint32), *(part["words"] for part in arrays)])
    streams = Streams(words, _offsets([np.diff(part["offsets"]) for part in arrays]), vocabulary.hashes)
    numbers = joined([np.empty(0, np.int64), *(numbers for numbers, _ in parts)])
    return Texts(numbers, streams, signs, (vocabulary.letters, vocabulary.letter_starts))


def joined(parts: list[Any]) -> Any:
    """Arrays one after the other; a single one that is not empty is not copied."""
    some = [part for part in parts if len(part)] or parts[:1]
    return np.ascontiguousarray(some[0]) if len(some) == 1 else np.concatenate(some)
