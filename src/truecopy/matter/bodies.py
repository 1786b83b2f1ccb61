"""Stored texts: compressed, in a segment for each wave, and unpacked only within the size that they state.

Half a page of zstd can stand for gigabytes. A text is stored as one frame that says how large it is, and no document
is larger than reading allows; everything else is refused before it is unpacked.

What a text costs later depends on its words more than on its size: fifty million of them take gigabytes. Each word of
a matter has five bytes in its streams, and the documents table says how many each text has. So a large text is counted
first, piece by piece, and is refused at the first word that it cannot have.
"""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections.abc import Hashable
from typing import Any

import numpy as np

from truecopy.errors import DamagedSegment, MatterError
from truecopy.matter.sql.cells import HINT
from truecopy.matter.sql.files import File
from truecopy.matter.state import State
from truecopy.matter.stored_json import is_spec
from truecopy.model import DOCUMENT
from truecopy.read import ReadSettings
from truecopy.spec import Spec
from truecopy.stopping import check

TEXTS = "texts"
TEXT_SPEC = Spec.make("texts", 1, form="utf-8", packed="zstd")
_UNKNOWN = (1 << 64) - 1
"""What zstandard says of a frame that does not state its size."""
_MOST_TEXT = ReadSettings().max_text
_LARGE = _PIECE = 1 << 20
"""Texts up to this size are not counted: they cannot have enough words to cost much."""
_LONGEST_CHARACTER = 4
_CUT = 2
_FREE_WORDS = 1_000_000
_BYTES_A_WORD = 5
_READINGS = 4
"""How many times as many words the same bytes may have when they are read in another way."""

_unpackers = threading.local()
"""What unpacks texts, one for each thread: making it costs more than most texts."""


def stated_size(body: bytes) -> int:
    """How many bytes of text a body holds, as it says itself; refused where that cannot be."""
    import zstandard

    try:
        found = zstandard.get_frame_parameters(body)
    except zstandard.ZstdError as error:
        raise _damaged() from error
    if found.content_size == _UNKNOWN or found.content_size > _MOST_TEXT or found.dict_id:
        raise _damaged()
    return int(found.content_size)


def stored_text(state: State, number: int) -> bytes | None:
    """A text by its number, as UTF-8; None where there is none."""
    body = stored_body(state, number)
    if body is None:
        return None
    size = stated_size(body)
    if size > _LARGE:
        _refuse_more_words(body, _most_words(state, number))
    return unpacked(body, size)


def stored_body(state: State, number: int) -> bytes | None:
    """A text as it is stored; None where there is none."""
    files = state.files.of(TEXTS)
    place = bisect_right([file.first for file in files], number) - 1
    while place >= 0 and files[place].last < files[place].first:
        place -= 1  # a wave without a new text
    if place < 0 or number > files[place].last:
        return None
    file = files[place]
    arrays = state.opened.get(f"texts {file.name}", _good_for(state, file), lambda: read_bodies(state, file))
    begin, end = arrays["offsets"][number - file.first : number - file.first + 2].tolist()
    return bytes(arrays["bodies"][begin:end])


def read_bodies(state: State, file: File) -> dict[str, Any]:
    """The arrays of a segment of texts, checked."""
    spec, arrays = state.arrays.read(file)
    if not is_spec(spec) or set(arrays) != {"bodies", "offsets"}:
        raise _not_texts(file)
    TEXT_SPEC.must_equal(Spec.from_json(spec))
    bodies, offsets = arrays["bodies"], arrays["offsets"]
    if bodies.dtype != np.uint8 or bodies.ndim != 1 or offsets.dtype != np.int64 or offsets.ndim != 1:
        raise _not_texts(file)
    whole = len(offsets) == max(file.last - file.first + 1, 0) + 1 and offsets[0] == 0 and offsets[-1] == len(bodies)
    if not whole or (offsets[1:] <= offsets[:-1]).any():
        raise _not_texts(file)
    return arrays


def _not_texts(file: File) -> DamagedSegment:
    return DamagedSegment(f"The matter's file {file.name} does not hold the texts that it should.", HINT)


def _good_for(state: State, file: File) -> Hashable:
    return file, state.arrays.state(file)


def decoded(text: bytes) -> str:
    """The same as str."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise _damaged() from error


def _most_words(state: State, number: int) -> int:
    """How many words a text can have: as many as its document, and not many more than the matter has on the disk.

    Streams hold the words of all texts but those of the same bytes that were read in another way.
    """
    told = [kept.document.words for kept in state.documents.of_texts([number])]
    there = sum(state.arrays.size(file) for file in state.files.of("streams", DOCUMENT)) // _BYTES_A_WORD
    return min([_FREE_WORDS + _READINGS * there, *told])


def _refuse_more_words(body: bytes, most: int) -> None:
    """Refuse a text that has more words than it can have; only a piece of it is ever unpacked."""
    import zstandard

    from truecopy.text.batches import is_utf8, tokenized

    found, rest = 0, b""
    try:
        with zstandard.ZstdDecompressor().stream_reader(body) as reader:
            while piece := reader.read(_PIECE):
                check()
                # The last character may not be whole yet. A word that is cut counts twice.
                whole = rest + piece
                end = _last_character(whole)
                whole, rest = whole[:end], whole[end:]
                if not is_utf8(whole):
                    raise _damaged()
                found += sum(len(tokens.hashes) for _, _, tokens in tokenized([whole])) - _CUT
                if found > most:
                    raise MatterError("A stored text has more words than its document.", HINT)
    except zstandard.ZstdError as error:
        raise _damaged() from error


def _last_character(text: bytes) -> int:
    """Where the last character of UTF-8 begins."""
    for place in range(len(text) - 1, max(len(text) - 1 - _LONGEST_CHARACTER, -1), -1):
        if text[place] & 0xC0 != 0x80:
            return place
    raise _damaged()


def unpacked(body: bytes, size: int) -> bytes:
    """A text as UTF-8, from how it is stored and the size that it states."""
    import zstandard

    if not hasattr(_unpackers, "own"):
        _unpackers.own = zstandard.ZstdDecompressor()
    try:
        text: bytes = _unpackers.own.decompress(body, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise _damaged() from error
    if len(text) != size:
        raise _damaged()
    return text


def _damaged() -> MatterError:
    return MatterError("A stored text is not one text of the size that it states.", HINT)
