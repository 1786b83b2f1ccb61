"""XLS and PPT without a word: are they empty, or do they hold what kreuzberg does not read?

Formats: [MS-XLS] 2.3 and [MS-PPT] 2.3, as far as the types of records go. Both are sequences of records, each with its
type and length, in one stream of a compound file.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import error as StructError  # noqa: N812 (the class is spelled so)
from struct import unpack_from

from truecopy.read.ole import CompoundFile

# Cells with a value: numbers, texts, formulas, truth values; blank cells with a format are left out.
_CELLS = frozenset((0x03, 0x04, 0x05, 0x06, 0xBD, 0xD6, 0xFD, 0x203, 0x204, 0x205, 0x206, 0x27E, 0x406))
_SHEET_DRAWINGS = frozenset((0x5D, 0xEC, 0x1B6, 0x7F))
_BEGIN = 0x809
_CHART_SHEET = 0x20
_SLIDE, _SHAPE, _PLACEHOLDER = 1006, 0xF004, 3011
_TEXTS = frozenset((4000, 4008))
_MOST_RECORDS = 2_000_000


def workbook_holds(data: bytes) -> str:
    """What a workbook without words holds; "" where it is empty."""
    try:
        file = CompoundFile(data)
        names = file.children()
        stream = file.stream(names["Workbook"] if "Workbook" in names else names["Book"])
    except (ValueError, KeyError, IndexError):
        return "cells that could not be read"
    found = ""
    at = 0
    while at + 4 <= len(stream):
        record, length = unpack_from("<HH", stream, at)
        if record in _CELLS:
            return "cells that could not be read"
        chart = record == _BEGIN and length >= 4 and unpack_from("<H", stream, at + 6)[0] == _CHART_SHEET
        if chart or record in _SHEET_DRAWINGS:
            found = "pictures, charts or drawings"
        at += 4 + length
    return found


def presentation_holds(data: bytes) -> str:
    """What a presentation without words holds; "" where its slides are blank."""
    try:
        file = CompoundFile(data)
        names = file.children()
        stream = file.stream(names["PowerPoint Document"])
        pictures = file.stream(names["Pictures"]) if "Pictures" in names else b""
        records = list(_slide_records(stream))
    except (ValueError, KeyError, IndexError, StructError):
        return "slides that could not be read"
    if any(record in _TEXTS for record in records):
        return "slides that could not be read"
    if pictures:
        return "pictures"
    # Two shapes of every slide are its background and the group of all others.
    shapes = records.count(_SHAPE) - records.count(_PLACEHOLDER) - 2 * records.count(_SLIDE)
    return "drawings" if shapes > 0 else ""


def _slide_records(stream: bytes) -> Iterator[int]:
    """The types of the records of all slides, at any depth."""
    at = end = 0
    for _ in range(_MOST_RECORDS):
        if at + 8 > len(stream):
            return
        version, record, length = unpack_from("<HHI", stream, at)
        if record == _SLIDE:
            end = at + 8 + length
        if at < end:
            yield record
        # Containers are walked into: their records follow their heads. Masters and notes are skipped.
        at += 8 if version & 0xF == 0xF and (record == _SLIDE or at < end) else 8 + length
