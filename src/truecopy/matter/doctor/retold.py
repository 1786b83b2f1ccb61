"""Words and signatures against the stored texts: what truecopy made of each text, made again and compared.

A segment can be whole in itself and still not say what the texts say. The doctor therefore reads every stored text,
one piece of the matter at a time, and holds words, breaks, figure marks, spelling, shingles and signatures to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.errors import TruecopyError
from truecopy.match.measures import distinct_shingles
from truecopy.matter.bodies import stored_text
from truecopy.matter.doctor.contents import named_files
from truecopy.matter.doctor.findings import about_each
from truecopy.matter.signed import made_again, signature_kind
from truecopy.matter.sql.cells import wrong_cell
from truecopy.matter.sql.documents import Kept
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.texts import KnownWords, known_words, load_texts
from truecopy.model import Document
from truecopy.stopping import check
from truecopy.text.batches import NumberedTexts, number_texts
from truecopy.text.texts import Texts
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]


def differing_words(state: State) -> Iterator[str]:
    """The documents whose words, as they are stored, are not those of the text.

    Every text is read once, for its first document: what others with the same text say of their words is held to it
    (`sql/rules.py`). A copy may have a text with words of its own: the same bytes, read in another way.
    """
    words, texts = known_words(state), load_texts(state)
    places = {document: place for place, document in enumerate(state.passages.every()[:, 1].tolist())}
    seen = np.zeros(len(words.vocabulary), np.bool_)
    read: set[int] = set()
    for some in state.documents.walk():
        for kept in some:
            place = places.get(kept.document.number)
            if kept.text in read and place is None:
                continue
            if kept.text is None and kept.passage is None:
                continue  # it has no text
            check()
            yield from _differing(state, kept, place, texts, words, seen)
            if kept.text is not None:
                read.add(kept.text)
    if not seen.all():
        yield f"the vocabulary has words that no text has, {int((~seen).sum())} of {len(seen)}"


def _differing(
    state: State, kept: Kept, place: int | None, texts: Texts, words: KnownWords, seen: Array
) -> Iterator[str]:
    """What is wrong with the words of one document, which are those of a passage where `place` is given; marks the
    words of its text as seen.
    """
    number = kept.document.number
    try:
        text = None if kept.text is None else stored_text(state, kept.text)
        if text is None:
            raise wrong_cell("documents.text")
        found = number_texts([text])
        named = _named(words, found)
    except TruecopyError:
        yield f"the words of document {number} cannot be compared with its text"
        return
    if place is not None and (named is None or not _is_told(texts, place, named, found)):
        yield f"the stored words of document {number} are not those of its text"
    elif not _is_counted(kept.document, found):
        yield f"the table documents has other hashes for document {number} than its words have"
    elif kept.document.words and (kept.document.status == "numbers-only") == bool(found.letters[0]):
        yield f"the status of document {number} is not what the letters of its text make it"
    if named is not None:
        seen[named[named < len(seen)]] = True


def _is_counted(document: Document, found: NumberedTexts) -> bool:
    """Whether the table says of a document what its text has; one without words has no hashes of them."""
    count = len(found.words)
    digests = (found.digests[0], found.figure_digests[0]) if count else ("", "")
    return (document.words, document.words_sha256, document.figures_sha256) == (count, *digests)


def differing_shingles(state: State) -> Iterator[str]:
    """The passages with another number of shingles than their words have."""
    rows, streams = state.passages.every(), load_texts(state).streams
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

        yield from about_each(named_files(state, signature_kind(method)), look, _not_compared)


def _differing_signatures(state: State, method: str, file: File) -> Iterator[str]:
    for stored, made in made_again(state, method, file):
        check()
        unlike = len(stored) != len(made) or not np.array_equal(stored.reliable, made.reliable)
        if unlike or any(not np.array_equal(stored.arrays()[name], array) for name, array in made.arrays().items()):
            yield f"The matter's file {file.name} does not hold the signatures that its texts have."
            return


def _not_compared(file: File, _: BaseException) -> str:
    return f"The matter's file {file.name} cannot be compared with its texts."


def _named(words: KnownWords, found: NumberedTexts) -> Array | None:
    """The matter's number of each word of a text; None where the matter spells one in another way."""
    own = Vocabulary()
    places = own.absorb(found.vocabulary)
    numbers = words.numbers(own)
    known = numbers < len(words.vocabulary)
    if known.all() and _spelled(words.vocabulary, numbers) != _spelled(own, np.arange(len(own))):
        return None
    named: Array = numbers[places[found.words]]
    return named


def _spelled(vocabulary: Vocabulary, numbers: Array) -> tuple[bytes, bytes]:
    """The letters of some words one after the other, and where each ends."""
    starts = np.concatenate([np.zeros(1, np.int64), vocabulary.letter_ends])
    lengths = np.diff(starts)[numbers]
    ends = np.cumsum(lengths)
    source = np.repeat(starts[numbers] - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
    return vocabulary.letters[source].tobytes(), ends.tobytes()


def _is_told(texts: Texts, place: int, named: Array, found: NumberedTexts) -> bool:
    """Whether words, breaks and figure marks of a stored text are these."""
    streams, signs = texts.streams, texts.signs
    here = slice(int(streams.offsets[place]), int(streams.offsets[place + 1]))
    marks = signs.marks[int(signs.mark_offsets[place]) : int(signs.mark_offsets[place + 1])]
    stored = (streams.words[here], signs.breaks[here], marks)
    return all(map(np.array_equal, stored, (named, found.breaks, found.marks)))
