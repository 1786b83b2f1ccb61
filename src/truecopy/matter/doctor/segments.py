"""The rows that name files: are they those that the matter must have, and do they say what is in each?

A wave has its words, its vocabulary, its texts, and its signatures of every method. The first numbers and the last of
what they hold follow from one wave to the next, and from the documents and passages that the wave brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise

from truecopy.matter.arrays import agrees
from truecopy.matter.bodies import TEXTS
from truecopy.matter.indexing import index_names, unit_of
from truecopy.matter.signed import index_type, signature_type, statistics_name
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.texts import STREAMS
from truecopy.matter.words import VOCABULARY
from truecopy.model import DOCUMENT

Found = Mapping[tuple[str, int], File]

_STATISTICS = "statistics"


def wrong_segments(state: State) -> Iterator[str]:
    """Files that are named and should not be, are not named and should be, or are said to hold something else."""
    files = state.files.every()
    for file in files:
        if not agrees(file):
            yield f"the table segments names a file that is not of type {file.type[:40]!r} and wave {file.wave}"
    files = [file for file in files if agrees(file)]
    yield from _wrong_units(state, files)
    yield from _wrong_statistics(state, files)
    yield from _wrong_indexes(state, files)
    found: dict[tuple[str, int], File] = {}
    expected = set(_expected(state))
    for file in files:
        key = file.type, file.wave
        if file.type == _STATISTICS or _is_index(file):
            continue
        if key not in expected or key in found:
            yield f"the table segments names {file.name}, which belongs to no wave or method of the matter"
        found[key] = file
    for type_, wave in sorted(expected - set(found)):
        yield f"the table segments names no file of type {type_} for wave {wave}"
    yield from _wrong_numbers(state, found)


def _expected(state: State) -> Iterator[tuple[str, int]]:
    """The type and the wave of each file that a matter has, without indexes and statistics."""
    types = (STREAMS, VOCABULARY, TEXTS, *map(signature_type, state.signings.every()))
    for wave in state.waves.numbers():
        yield from ((type_, wave) for type_ in types)


def _is_index(file: File) -> bool:
    return file.type.startswith(index_type(""))


def _wrong_units(state: State, files: Iterable[File]) -> Iterator[str]:
    """Files of passages have the unit of these, and no others have one."""
    units = {STREAMS: DOCUMENT, **{index_type(name): unit_of(name) for name in index_names(state)}}
    for file in files:
        if file.unit != units.get(file.type, ""):
            yield f"the table segments names {file.name} as a file of the unit {file.unit!r}"


def _wrong_statistics(state: State, files: Iterable[File]) -> Iterator[str]:
    """Every method's statistics are there, and its row names those that its spec names."""
    named = {file.name for file in files if file.type == _STATISTICS}
    specs, recorded = state.signings.every(), state.signings.statistics()
    for method, spec in specs.items():
        wanted = spec.parameter("statistics")
        if wanted is not None and statistics_name(str(wanted)) not in named:
            yield f"the table segments names no file of the statistics {wanted}"
        if recorded[method] != wanted:
            yield f"the table signings names other statistics for {method} than its spec"


def _wrong_indexes(state: State, files: Iterable[File]) -> Iterator[str]:
    """The blocks of an index are of waves that are there, and no two are of the same wave."""
    known, waves = {index_type(name) for name in index_names(state)}, set(state.waves.numbers())
    blocks = [file for file in files if _is_index(file)]
    for file in blocks:
        if file.type not in known or file.wave not in waves:
            yield f"the table segments names {file.name}, an index that the matter does not have"
    blocks.sort(key=lambda file: (file.type, file.first, file.last, file.name))
    for before, file in pairwise(blocks):
        if file.type == before.type and file.first <= before.last:
            yield f"the table segments names {file.name}, an index of waves of which it names another one"


def _wrong_numbers(state: State, found: Found) -> Iterator[str]:
    """The first and last numbers of passages, words and texts: each wave goes on where the one before it ended."""
    waves = state.waves.numbers()
    counted = {STREAMS: state.passages.by_wave(), TEXTS: state.documents.texts_by_wave()}
    for type_, following in ((STREAMS, 1), (TEXTS, 1), (VOCABULARY, 0)):
        for file in (found[type_, wave] for wave in waves if (type_, wave) in found):
            holds = file.last - file.first + 1
            brought = counted[type_].get(file.wave, 0) if type_ in counted else max(holds, 0)
            if file.first != following or holds != brought:
                yield f"the table segments says that {file.name} holds other numbers than its wave has brought"
                break
            following = file.last + 1
    for method in state.signings.every():
        for wave in waves:
            yield from _unlike_texts(found.get((signature_type(method), wave)), found.get((TEXTS, wave)))


def _unlike_texts(signatures: File | None, texts: File | None) -> Iterator[str]:
    """Signatures are of the texts of their wave; where it has none, any empty range will do."""
    if signatures is None or texts is None:
        return  # named already
    empty = texts.last < texts.first and signatures.last == signatures.first - 1
    if not empty and (signatures.first, signatures.last) != (texts.first, texts.last):
        yield f"the table segments says that {signatures.name} holds other numbers than its wave has brought"
