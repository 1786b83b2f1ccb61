"""Words and signatures against the stored texts: what truecopy made of each text, made again and compared.

A segment can be whole in itself and still not say what the texts say. The doctor therefore reads every stored text,
one piece of the matter at a time, and holds words, breaks, figure marks, spelling, shingles and signatures to it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from truecopy.array_types import Flags, Stored
from truecopy.errors import DiskTrouble, TruecopyError
from truecopy.match.measures import distinct_shingles
from truecopy.matter.bodies import stored_text
from truecopy.matter.doctor.contents import named_files
from truecopy.matter.doctor.findings import about_each
from truecopy.matter.signed import made_again, signature_type
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.texts import all_texts, stream_parts
from truecopy.matter.words import StoredWords, stored_words
from truecopy.model import Document
from truecopy.stopping import check
from truecopy.text.batches import NumberedTexts, number_texts

Stream = tuple[Stored, ...]
"""The words of a text, what is between them, and its figure marks."""


def differing_words(state: State) -> Iterator[str]:
    """The documents whose words, as they are stored, are not those of the text.

    Every text is read once, for its first document: what others with the same text say of their words is held to it
    (`sql/rules.py`). A copy may have a text with words of its own: the same bytes, read in another way.
    """
    words, streams = stored_words(state), _Streams(state)
    own = {document: passage for passage, document in state.passages.every()[:, :2].tolist()}
    seen = np.zeros(len(words), np.bool_)
    read: set[int] = set()
    last = 0
    for some in state.documents.walk():
        for kept in some:
            if kept.document.number <= last:  # pages of the database that lead in a circle
                raise wrong_cell("documents.number")
            last = kept.document.number
            passage = own.get(last)
            if kept.text in read and passage is None:
                continue
            if kept.text is None and kept.passage is None:
                continue  # it has no text
            check()
            yield from _differing(state, kept, None if passage is None else streams.of(passage), words, seen)
            if kept.text is not None:
                read.add(kept.text)
    if not seen.all():
        yield f"the vocabulary has words that no text has, {int((~seen).sum())} of {len(seen)}"


class _Streams:
    """The stored words of passages, by the matter's numbers, with breaks and figure marks."""

    def __init__(self, state: State) -> None:
        self._parts = stream_parts(state)
        self._lasts = [part.file.last for part in self._parts]

    def of(self, passage: int) -> Stream:
        """Those of one passage; nothing where there are none."""
        place = bisect_left(self._lasts, passage)
        if place == len(self._parts):
            return ()
        arrays, text = self._parts[place].arrays, passage - self._parts[place].file.first
        words, marks = (slice(*arrays[name][text : text + 2].tolist()) for name in ("offsets", "mark_offsets"))
        return arrays["words"][words], arrays["breaks"][words], arrays["marks"][marks]


def _differing(state: State, kept: Kept, stream: Stream | None, words: StoredWords, seen: Flags) -> Iterator[str]:
    """What is wrong with the words of one document, which has a stream if it is the first with its words; marks the
    words of its text as seen.
    """
    number = kept.document.number
    try:
        text = None if kept.text is None else stored_text(state, kept.text)
        if text is None:
            raise wrong_cell("documents.text")
        found = number_texts([text])
    except DiskTrouble:
        raise
    except TruecopyError:
        yield f"the words of document {number} cannot be compared with its text"
        return
    named = words.find(found.vocabulary)[found.words]  # -1 for words that the matter does not have
    if stream is not None and not _is_told(stream, (named, found.breaks, found.marks)):
        yield f"the stored words of document {number} are not those of its text"
    elif not _is_counted(kept.document, found):
        yield f"the table documents has other hashes for document {number} than its words have"
    elif kept.document.words and (kept.document.status == "numbers-only") == bool(found.letters[0]):
        yield f"the status of document {number} is not what the letters of its text make it"
    seen[named[named >= 0]] = True


def _is_counted(document: Document, found: NumberedTexts) -> bool:
    """Whether the table says of a document what its text has; one without words has no hashes of them."""
    count = len(found.words)
    digests = (found.digests[0], found.figure_digests[0]) if count else ("", "")
    return (document.words, document.words_sha256, document.figures_sha256) == (count, *digests)


def differing_shingles(state: State) -> Iterator[str]:
    """The passages with another number of shingles than their words have."""
    rows, streams = state.passages.every(), all_texts(state).streams
    made = distinct_shingles(
        streams.words, streams.offsets, streams.keys, np.arange(len(streams), dtype=np.int32), threads=1
    )
    for place in np.flatnonzero(made != rows[:, 3]).tolist():
        yield f"the table passages has another number of shingles for passage {rows[place, 0]} than its words have"


def differing_signatures(state: State) -> Iterator[str]:
    """The files of signatures that are not those of the texts."""
    for method in state.signings.every():

        def look(file: File, method: str = method) -> Iterator[str]:
            return _differing_signatures(state, method, file)

        yield from about_each(named_files(state, signature_type(method)), look, _not_compared)


def _differing_signatures(state: State, method: str, file: File) -> Iterator[str]:
    for stored, made in made_again(state, method, file):
        check()
        unlike = len(stored) != len(made) or not np.array_equal(stored.reliable, made.reliable)
        if unlike or any(not np.array_equal(stored.arrays()[name], array) for name, array in made.arrays().items()):
            yield f"The matter's file {file.name} does not hold the signatures that its texts have."
            return


def _not_compared(file: File, _: BaseException) -> str:
    return f"The matter's file {file.name} cannot be compared with its texts."


def _is_told(stored: Stream, made: Stream) -> bool:
    """Whether words, breaks and figure marks are the same."""
    return len(stored) == len(made) and all(map(np.array_equal, stored, made))
