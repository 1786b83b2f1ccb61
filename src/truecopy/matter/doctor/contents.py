"""What is in the files of words, texts and signatures: each is whole in itself, and is what the tables say of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from truecopy.array_types import Stored
from truecopy.errors import DiskTrouble
from truecopy.matter.arrays import agrees
from truecopy.matter.bodies import TEXTS, decoded, read_bodies, stored_text
from truecopy.matter.checked import check_vocabulary
from truecopy.matter.doctor.findings import WRONG, about_each
from truecopy.matter.signed import check_signatures, signature_type, statistics_name
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.texts import STREAMS, read_streams
from truecopy.matter.words import VOCABULARY, WORD_SPEC
from truecopy.model import DOCUMENT
from truecopy.stopping import check
from truecopy.text.vocabulary import Vocabulary
from truecopy.text.word_lists import WordList

_MOST_WORDS = 1 << 32
"""More words than a matter can have."""


def named_files(state: State, type_: str, unit: str = "") -> list[File]:
    """The files of a type, and of a unit, whose rows can be right."""
    return [file for file in state.files.of(type_, unit) if agrees(file)]


def equal_arrays(some: Mapping[str, Stored], others: Mapping[str, Stored]) -> bool:
    """Whether arrays are the same, types included."""
    return set(some) == set(others) and all(
        one.dtype == others[name].dtype and np.array_equal(one, others[name]) for name, one in some.items()
    )


def wrong_words(state: State) -> Iterator[str]:
    """The words of every wave, file by file."""
    lists: dict[str, WordList] = {}

    def vocabulary(file: File) -> Iterator[str]:
        arrays = state.arrays.checked(file, WORD_SPEC, partial(check_vocabulary, file.name))
        if len(arrays["hashes"]) != file.last - file.first + 1:
            yield f"{file.name} has another number of words than the table segments says"
        lists[file.name] = WordList(**arrays)

    files = named_files(state, VOCABULARY)
    yield from about_each(files, vocabulary)
    yield from _repeated(lists)
    # If a vocabulary cannot be read, it cannot be told how many words there are.
    known = sum(map(len, lists.values())) if len(lists) == len(files) else _MOST_WORDS
    yield from _wrong_streams(state, known)


def _repeated(lists: Mapping[str, WordList]) -> Iterator[str]:
    """The first file with a word that an earlier one has."""
    shift, ends = 0, [np.empty(0, np.int64)]
    for words in lists.values():
        ends.append(words.letter_ends + shift)
        shift += len(words.letters)
    hashes = np.concatenate([np.empty(0, np.uint64), *(words.hashes for words in lists.values())])
    letters = np.concatenate([np.empty(0, np.uint8), *(words.letters for words in lists.values())])
    repeated = Vocabulary(hashes, letters, np.concatenate(ends)).repeated
    if repeated >= 0:
        lasts = np.cumsum([len(words) for words in lists.values()])
        yield f"{list(lists)[int(np.searchsorted(lasts, repeated, 'right'))]} has a word twice: an earlier wave has it"


def _wrong_streams(state: State, known: int) -> Iterator[str]:
    """The streams that cannot be those of the passages table; `known` is the number of words that there are."""
    passages = state.passages.every()

    def look(file: File) -> Iterator[str]:
        lengths = np.diff(read_streams(state, file, known)["offsets"])
        here = passages[(passages[:, 0] >= file.first) & (passages[:, 0] <= file.last)]
        if len(here) != len(lengths):
            yield f"{file.name} has the words of other passages than the table"
            return
        unlike = np.flatnonzero(lengths != here[:, 2])
        if len(unlike):
            yield f"{file.name} has another number of words for passage {here[unlike[0], 0]} than the table"

    yield from about_each(named_files(state, STREAMS, DOCUMENT), look)


def wrong_text_files(state: State) -> Iterator[str]:
    """The files of texts, without looking into the texts."""

    def look(file: File) -> Iterator[str]:
        read_bodies(state, file)
        yield from ()

    yield from about_each(named_files(state, TEXTS), look)


def wrong_texts(state: State) -> Iterator[str]:
    """Every stored text, one at a time: one frame of the stated size, in UTF-8."""
    for file in named_files(state, TEXTS):
        if not state.arrays.is_whole(file):
            continue  # named already
        for number in range(file.first, file.last + 1):
            check()
            try:
                decoded(stored_text(state, number) or b"")
            except DiskTrouble:
                raise
            except WRONG:
                yield f"the stored text {number} is damaged"


def wrong_signatures(state: State) -> Iterator[str]:
    """Statistics and signatures, file by file."""

    def statistics(file: File) -> Iterator[str]:
        header, arrays = state.arrays.read(file)
        loaded = state.arrays.statistics(file)
        told, made = loaded.stored()
        if file.name != statistics_name(loaded.id) or header != told or not equal_arrays(arrays, made):
            yield f"{file.name} holds other statistics than its name says"

    yield from about_each(named_files(state, "statistics"), statistics)
    for method in state.signings.every():

        def signatures(file: File, method: str = method) -> Iterator[str]:
            check_signatures(state, method, file)
            yield from ()

        yield from about_each(named_files(state, signature_type(method)), signatures)
