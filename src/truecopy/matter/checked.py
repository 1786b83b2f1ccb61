"""Streams, vocabularies and signatures of a matter, checked before any kernel reads them.

A checksum shows that a file is as it was written, not that truecopy wrote it, and kernels check no index. So whatever
a segment holds is checked once, when it is opened: names, types and lengths of its arrays (the tables below), places in
order and within bounds, word numbers within the vocabulary, letters that are UTF-8. This costs less than the checksum.
Indexes check their blocks themselves (`Index.sound`).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np

from truecopy.array_types import Stored
from truecopy.errors import DamagedSegment
from truecopy.matter.sql.cells import wrong_cell
from truecopy.text.word_lists import WordList
from truecopy.wave.fresh import room_of

Form = Mapping[str, tuple[type[np.generic], str, int]]

STREAMS: Form = {
    "words": (np.uint32, "words", 0),
    "offsets": (np.int64, "texts", 1),
    "breaks": (np.uint8, "words", 0),
    "marks": (np.uint64, "marks", 0),
    "mark_offsets": (np.int64, "texts", 1),
    "room": (np.int64, "", 0),  # one number: the size of a vocabulary that has all these words
}
"""Stored → its type, what it has an entry for, and how many entries it has beyond that."""
VOCABULARY: Form = {
    "hashes": (np.uint64, "words", 0),
    "letters": (np.uint8, "letters", 0),
    "letter_ends": (np.int64, "words", 0),
    "sorted_hashes": (np.uint64, "words", 0),
    "by_hash": (np.uint32, "words", 0),
}
_MARK_SHIFT = 32
"""A figure mark is the number of a word in its text, shifted by this, and a code point (`kernels.marks`)."""
_LARGEST_POINT = 0x10FFFF
_MOST_BREAKS = 3
_HINT = "Restore it from a backup, or scan again."


def check_streams(name: str, arrays: Mapping[str, Stored]) -> None:
    """Refuse streams that kernels could not read. Whoever reads them must still check that there are as many passages,
    and that the vocabulary has `room` words.
    """
    _check_form(name, arrays, STREAMS)
    offsets = arrays["offsets"]
    check_places(name, offsets, len(arrays["words"]), "words")
    if len(arrays["room"]) != 1 or room_of(arrays["words"]) != arrays["room"][0]:
        raise _wrong(name, "it names other words than it says")
    if int(arrays["breaks"].max(initial=0)) > _MOST_BREAKS:
        raise _wrong(name, "its breaks are of no known kind")
    check_places(name, arrays["mark_offsets"], len(arrays["marks"]), "figure marks")
    _check_marks(name, arrays["marks"], arrays["mark_offsets"], np.diff(offsets))


def check_vocabulary(name: str, arrays: Mapping[str, Stored]) -> None:
    """Refuse a vocabulary whose words are not whole words in UTF-8, one after the other."""
    _check_form(name, arrays, VOCABULARY)
    letters, ends = arrays["letters"], arrays["letter_ends"]
    last = int(ends[-1]) if len(ends) else 0
    if last != len(letters) or (len(ends) and (int(ends[0]) < 1 or not (ends[1:] > ends[:-1]).all())):
        raise _wrong(name, "its words do not follow one another")
    if len(ends) and ((letters[np.append(0, ends[:-1])] & 0xC0) == 0x80).any():
        raise _wrong(name, "a word begins in the middle of a character")
    try:
        str(letters.data, "utf-8", "surrogatepass")
    except ValueError as error:
        raise _wrong(name, "its letters are not UTF-8") from error
    if not np.array_equal(np.sort(arrays["by_hash"]), np.arange(len(ends))):
        raise _wrong(name, "its words in order of hash are not its words")
    words = WordList(**arrays)
    if not np.array_equal(arrays["sorted_hashes"], arrays["hashes"][arrays["by_hash"]]):
        raise _wrong(name, "its words are not in order of their hashes")
    for first, last in words.runs():
        spelled = [words.word(number) for number in arrays["by_hash"][first:last].tolist()]
        if any(one >= other for one, other in itertools.pairwise(spelled)):
            repeated = len(set(spelled)) < len(spelled)
            raise repeated_word(name) if repeated else _wrong(name, "its words are not in order of their spelling")


def repeated_word(name: str) -> DamagedSegment:
    """What to raise for a vocabulary with a word that is there already; seen when the words are put into a table."""
    return _wrong(name, "it has a word twice")


def check_places(name: str, places: Stored, end: int, what: str) -> None:
    """Refuse places that do not lead from the beginning of an array to its end, in order."""
    if not len(places) or int(places[0]) != 0 or int(places[-1]) != end or (places[1:] < places[:-1]).any():
        raise _wrong(name, f"the places of its {what} are not in order")


def places_of(numbers: Stored, wanted: Stored, cell: str) -> Stored:
    """Where each of some document numbers is among others, which are in order; a cell (`table.column`) that names
    another document is refused.
    """
    places = np.searchsorted(numbers, wanted)
    found = places < len(numbers)
    if not found.all() or (len(numbers) and (numbers[np.where(found, places, 0)] != wanted).any()):
        raise wrong_cell(cell)
    return places


def check_documents(name: str, documents: Stored, rows: int, last: int) -> None:
    """Refuse the document numbers of some signatures unless each is one of its own, up to the `last` that there is."""
    if documents.dtype != np.int64 or documents.shape != (rows,):
        raise _wrong(name, "it does not say which document each signature is of")
    if rows and not 1 <= int(documents.min()) <= int(documents.max()) <= last:
        raise _wrong(name, "it names a document that is not in the documents table")
    if len(np.unique(documents)) != rows:
        raise _wrong(name, "it names a document twice")


def _check_form(name: str, arrays: Mapping[str, Stored], form: Form) -> None:
    if set(arrays) != set(form):
        raise _wrong(name, "an array is missing, or one is there that should not be")
    sizes: dict[str, int] = {}
    for array, (dtype, of, more) in form.items():
        found = arrays[array]
        size = len(found) - more if found.ndim == 1 else -1
        if found.dtype != dtype or size < 0 or sizes.setdefault(of, size) != size:
            raise _wrong(name, f"its array {array} has the wrong type or size")


def _check_marks(name: str, marks: Stored, offsets: Stored, lengths: Stored) -> None:
    """Each figure mark is a character, and belongs to a word of its text."""
    if not len(marks):
        return
    words = marks >> np.uint64(_MARK_SHIFT)
    if (words >= np.repeat(lengths, np.diff(offsets)).astype(np.uint64)).any():
        raise _wrong(name, "a figure mark belongs to a word that its text does not have")
    if int((marks & np.uint64((1 << _MARK_SHIFT) - 1)).max()) > _LARGEST_POINT:
        raise _wrong(name, "a figure mark is no character")


def _wrong(name: str, what: str) -> DamagedSegment:
    return DamagedSegment(f"The matter's file {name} does not hold what it says it holds: {what}.", _HINT)
