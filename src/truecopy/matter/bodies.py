"""Stored texts: compressed in the database, and unpacked only within the size that they state.

Half a page of zstd can stand for gigabytes. A text is stored as one frame that says how large it is, and no document
is larger than reading allows; everything else is refused before it is unpacked.

What a text costs later depends on its words more than on its size: fifty million of them take gigabytes. Each word of
a matter has five bytes in its streams, and the documents table says how many each text has. So a large text is counted
first, piece by piece, and is refused at the first word that it cannot have.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, func, select

from truecopy.errors import MatterError
from truecopy.matter import tables
from truecopy.matter.cells import HINT, wrong_cell
from truecopy.matter.filenames import segment_path
from truecopy.read import ReadSettings
from truecopy.segments import size_on_disk
from truecopy.stopping import check

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


def stored_text(folder: Path, connection: Connection, number: int) -> bytes | None:
    """A text by its number, as UTF-8; None where there is none."""
    body = connection.execute(select(tables.texts.c.body).where(tables.texts.c.number == number)).scalar()
    if body is None:
        return None
    size = stated_size(body)
    if size > _LARGE:
        _refuse_more_words(body, _most_words(folder, connection, number))
    return _unpacked(body, size)


def decoded(text: bytes) -> str:
    """The same as str."""
    try:
        return text.decode()
    except UnicodeDecodeError as error:
        raise _damaged() from error


def _most_words(folder: Path, connection: Connection, number: int) -> int:
    """How many words a text can have: as many as its document, and not many more than the matter has on the disk.

    Streams hold the words of all texts but those of the same bytes that were read in another way.
    """
    documents, segments = tables.documents, tables.segments
    told = connection.execute(select(func.min(documents.c.words)).where(documents.c.text == number)).scalar()
    rows = connection.execute(select(segments).where(segments.c.kind == "streams")).all()
    there = sum(size_on_disk(segment_path(folder, row)) for row in rows) // _BYTES_A_WORD
    most = _FREE_WORDS + _READINGS * there
    if told is not None and type(told) is not int:
        raise wrong_cell("documents.words")
    return most if told is None else min(told, most)


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


def _unpacked(body: bytes, size: int) -> bytes:
    import zstandard

    try:
        text: bytes = zstandard.ZstdDecompressor().decompress(body, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise _damaged() from error
    if len(text) != size:
        raise _damaged()
    return text


def _damaged() -> MatterError:
    return MatterError("A stored text is not one text of the size that it states.", HINT)
