"""DOC (Word 6 to 2003) to plain text: body, footnotes, headers, endnotes and text boxes.

Format: [MS-DOC] 2.4.1. A document's text is in pieces, some in UTF-16, some in code page 1252; the piece
table says where. All its parts (body, footnotes, headers …) follow each other in one sequence of
characters; the header gives their lengths. Comments and the codes of fields are left out. Word 6 and 95 keep
the text in one piece unless they saved it fast; their header has other places for the same numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from struct import error as StructError  # noqa: N812 (the class is spelled so)
from struct import unpack_from

from truecopy.read.ole import CompoundFile
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, in_utc
from truecopy.read.unsearched import Beside, has_word

# Offsets in the file information block.
_FLAGS, _LENGTHS, _PIECES = 0x0A, 0x4C, 0x01A2
_SECOND_TABLE = 0x0200
_WORD_6, _WHOLE_6, _LENGTHS_6 = b"\xdc\xa5", 0x18, 0x34
_UTF16_FROM = 0x4000_0000
# Body, footnotes, headers and footers, macros, comments, endnotes, text boxes, text boxes in headers.
_SHOWN = (True, True, True, False, False, True, True, True)
_FIELD = re.compile("\x13[^\x13\x14\x15]*[\x14\x15]")
_UNMATCHED = re.compile("[\x13-\x15]")
_MARKS = {
    **dict.fromkeys("\r\x0b\x0c", "\n"),
    "\x07": "\t",
    "\x1e": "\u2011",
    "\x1f": "\u00ad",
    **dict.fromkeys("\x00\x01\x02\x03\x04\x05\x08", ""),
}
_PICTURE, _DRAWN = "\x01", "\x08"
_TRANSLATED = str.maketrans(_MARKS)
_EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
_CREATED, _SAVED, _MOMENT = 12, 13, 64


def doc_text(data: bytes) -> Parsed:
    """The text of a DOC file."""
    try:
        file = CompoundFile(data)
        names = file.children()
        main = file.stream(names["WordDocument"])
        if main.startswith(_WORD_6):
            start, end = unpack_from("<II", main, _WHOLE_6)
            characters = main[start:end].decode("cp1252", "replace")
            parts = list(_parts(characters, unpack_from("<8I", main, _LENGTHS_6)))
        else:
            flags = unpack_from("<H", main, _FLAGS)[0]
            table = file.stream(names["1Table" if flags & _SECOND_TABLE else "0Table"])
            characters = "".join(_pieces(main, table))
            parts = list(_parts(characters, unpack_from("<8I", main, _LENGTHS)))
    except (ValueError, KeyError, IndexError, StructError):
        raise Refused("not a valid DOC: it is damaged or cut off") from None
    text = "\n".join(part for part in map(_readable, parts) if part.strip())
    others = _others(file, names, parts, has_word(text))
    return Parsed(text, _date(file, names), "" if text or others else NO_TEXT, beside=Beside(others=others))


def _others(file: CompoundFile, names: dict[str, int], parts: list[str], words: bool) -> str:
    """Embedded files; and, where there are no words, pictures and drawings: each has a mark in the text."""
    pool = names.get("ObjectPool")
    embedded = 0 if pool is None else sum(file.is_storage(number) for number in file.children(pool).values())
    if embedded:
        return "an embedded file" if embedded == 1 else f"{embedded:,} embedded files"
    if words:
        return ""
    pictures = sum(part.count(_PICTURE) for part in parts)
    if pictures:
        return "a picture" if pictures == 1 else f"{pictures:,} pictures"
    return "drawings" if any(_DRAWN in part for part in parts) else ""


def _pieces(main: bytes, table: bytes) -> Iterator[str]:
    start, length = unpack_from("<II", main, _PIECES)
    clx = table[start : start + length]
    at = 0
    while clx[at] == 1:  # formatting, which comes before the pieces
        at += 3 + unpack_from("<H", clx, at + 1)[0]
    size = unpack_from("<I", clx, at + 1)[0]
    pieces = clx[at + 5 : at + 5 + size]
    count = (len(pieces) - 4) // 12
    bounds = unpack_from(f"<{count + 1}I", pieces)
    for number in range(count):
        length = bounds[number + 1] - bounds[number]
        where = unpack_from("<I", pieces, 4 * (count + 1) + 8 * number + 2)[0]
        if length < 0 or length > len(main):
            raise ValueError("a piece longer than the file")
        if where & _UTF16_FROM:
            where = (where & ~_UTF16_FROM) // 2
            yield main[where : where + length].decode("cp1252", "replace")
        else:
            # Halves of a pair are kept, so that every piece has the length that the header gives.
            raw = main[where : where + 2 * length]
            yield "".join(map(chr, unpack_from(f"<{len(raw) // 2}H", raw)))


def _parts(characters: str, lengths: tuple[int, ...]) -> Iterator[str]:
    at = 0
    for length, shown in zip(lengths, _SHOWN, strict=True):
        if shown:
            yield characters[at : at + length]
        at += length


def _readable(part: str) -> str:
    """Fields show their result only; marks become line ends and tabs; surrogate pairs are joined."""
    before = ""
    while before != part:
        before, part = part, _FIELD.sub("", part)
    part = _UNMATCHED.sub("", part).translate(_TRANSLATED)
    return part.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _date(file: CompoundFile, names: dict[str, int]) -> str:
    """When the document says it was last saved, else made ([MS-OLEPS])."""
    try:
        stream = file.stream(names["\x05SummaryInformation"])
        start = unpack_from("<I", stream, 44)[0]
        count = min(unpack_from("<I", stream, start + 4)[0], 100)
        found = {}
        for number in range(count):
            key, offset = unpack_from("<II", stream, start + 8 + 8 * number)
            value_type, moment = unpack_from("<IQ", stream, start + offset)
            if key in (_CREATED, _SAVED) and value_type == _MOMENT and moment:
                found[key] = in_utc(_EPOCH + timedelta(microseconds=moment // 10))
    except (KeyError, StructError, OverflowError):
        return ""
    return found.get(_SAVED) or found.get(_CREATED) or ""
