"""Words and signatures against the stored texts: what truecopy made of each text, made again and compared.

A segment can be whole in itself and still not say what the texts say. The doctor therefore reads every stored text,
one piece of the matter at a time, and holds words, breaks, figure marks, spelling and signatures to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sqlalchemy import Column, Connection, Table, select
from truecopy.matter.cells import wrong_cell
from truecopy.matter.signing import made_again

from truecopy.errors import TruecopyError
from truecopy.matter import tables
from truecopy.matter.bodies import stored_text
from truecopy.matter.opened import Words
from truecopy.matter.texts import Texts, load_texts, load_vocabulary
from truecopy.stopping import check
from truecopy.text.batches import NumberedTexts, number_texts
from truecopy.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]


def differing_words(folder: Path, connection: Connection) -> Iterator[str]:
    """The texts whose stored words are not those of the text."""
    vocabulary = load_vocabulary(folder, connection)
    texts, words = load_texts(folder, connection, vocabulary), Words.of(vocabulary)
    seen = np.zeros(len(vocabulary), np.bool_)
    table = tables.documents
    columns = (table.c.number, table.c.text, table.c.status, *_counted(table))
    query = select(*columns).where(table.c.original == table.c.number).order_by(table.c.number)
    for place, row in enumerate(connection.execute(query).all()):
        check()
        try:
            text = None if row.text is None else stored_text(folder, connection, row.text)
            if text is None:
                raise wrong_cell("documents.text")
            found = number_texts([text])
            named = _named(words, found)
        except TruecopyError:
            yield f"the words of document {row.number} cannot be compared with its text"
            continue
        if named is None or not _is_told(texts, place, named, found):
            yield f"the stored words of document {row.number} are not those of its text"
        elif not _is_counted(row, found):
            yield f"the table documents has other hashes for document {row.number} than its words have"
        elif (row.status == "numbers-only") == bool(found.letters[0]):
            yield f"the status of document {row.number} is not what the letters of its text make it"
        if named is not None:
            seen[named[named < len(seen)]] = True
    yield from _differing_copies(folder, connection, words, seen)
    if not seen.all():
        yield f"the vocabulary has words that no text has, {int((~seen).sum())} of {len(seen)}"


def _differing_copies(folder: Path, connection: Connection, words: Words, seen: Array) -> Iterator[str]:
    """The copies whose hashes are not those of the text that is kept for them; marks the words of these texts as seen.

    Such a text may have words of its own: the same bytes, read in another way. A copy without a text of its own is held
    to the document whose text it has (`relations.py`).
    """
    table = tables.documents
    of_distinct = select(table.c.text).where(table.c.original == table.c.number)
    query = select(table.c.number, table.c.text, *_counted(table)).where(
        table.c.text.is_not(None), table.c.text.not_in(of_distinct)
    )
    read: tuple[int, NumberedTexts] | None = None
    for row in connection.execute(query.order_by(table.c.text, table.c.number)).all():
        check()
        try:
            if read is None or read[0] != row.text:
                read = row.text, number_texts([stored_text(folder, connection, row.text) or b""])
                named = _named(words, read[1])
        except TruecopyError:
            read = None
            yield f"the words of document {row.number} cannot be compared with its text"
            continue
        if not _is_counted(row, read[1]):
            yield f"the table documents has other hashes for document {row.number} than its words have"
        if named is not None:
            seen[named[named < len(seen)]] = True


def _counted(table: Table) -> tuple[Column[Any], ...]:
    """The columns that say which words a document has, without the words."""
    return table.c.words, table.c.words_sha256, table.c.figures_sha256


def _is_counted(row: Any, found: NumberedTexts) -> bool:
    """Whether these columns of a document are those of a text; one without words has no hashes of them."""
    count = len(found.words)
    digests = (found.digests[0], found.figure_digests[0]) if count else ("", "")
    return (row.words, row.words_sha256, row.figures_sha256) == (count, *digests)


def differing_signatures(folder: Path, connection: Connection, method: str, row: Any) -> Iterator[str]:
    """A segment of signatures that are not those of the texts."""
    for stored, made in made_again(folder, connection, method, row):
        check()
        unlike = len(stored) != len(made) or not np.array_equal(stored.reliable, made.reliable)
        if unlike or any(not np.array_equal(stored.arrays()[name], array) for name, array in made.arrays().items()):
            yield f"The matter's file {row.name} does not hold the signatures that its texts have."
            return


def _named(words: Words, found: NumberedTexts) -> Array | None:
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
