"""PDF to plain text, page by page, and the pages that hold something but no text: scans, pictures, drawings.

kreuzberg finds the text. Only drawing a page without text tells whether it is blank. kreuzberg draws pages for an OCR
engine: ours takes the pages as they come, and recognizes nothing.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from typing import Any

from truecopy.read.markup import html_to_text
from truecopy.read.parsers import NO_TEXT, Parsed, extract
from truecopy.read.unsearched import Beside, Picture, has_word

_LOOKED_AT = 20
"""Pages without text that are drawn to see whether they are blank; any further ones count as pictures."""
_DRAWN_AT_ONCE = 4
_STAMPED_AT = 8
"""Pages with hardly a word that are drawn to see whether they are pictures."""
_FEW, _SHORT = 10, 300
"""Words that a stamp may have, and characters."""
_PAGE_DETAIL, _WORD_DETAIL = 0.003, 0.0005
"""Shares of a page's dots: more than the first and, for each word, the second is more than words and lines can take."""
_PATIENCE = 15
"""Seconds to wait for such a drawing: the text is found already, and must not be lost over it."""
# A picture is a separate stream, whose dictionary is never compressed or encrypted.
_IMAGE = re.compile(rb"/Subtype\s*/Image\b")
# An attached file is a stream too; its type may be left out, its parameters hardly ever are.
_TYPED = re.compile(rb"/Type\s*/EmbeddedFile\b")
_DATED = re.compile(rb"/Params\s*<<[^>]{0,300}/(?:CheckSum|ModDate|CreationDate)\b")
_WORD = re.compile(r"\w+")
_MOSTLY = 0.6
"""A line is known if this share of its runs of three words is known."""
_MOST_KNOWN = 1_000_000
_TOKEN = re.compile("\ue000([0-9]+)\ue001")


def pdf_text(media: str, data: bytes) -> Parsed:
    """The text of a PDF file, and the pages that hold something else."""
    import kreuzberg

    result, date = extract("PDF", media, data, pages=kreuzberg.PageConfig(extract_pages=True))
    # The whole of a PDF repeats paragraphs that were taken for tables; its pages do not.
    texts = [str(page["content"]) for page in result.pages or ()] or [str(result.content)]
    silent = [number for number, text in enumerate(texts, 1) if not has_word(text)]
    drawn = _drawn(data, silent, alone=len(silent) == len(texts)) if silent else []
    stamped = _stamped(data, texts) if len(silent) < len(texts) and _IMAGE.search(data) else []
    if drawn:
        found = _found_otherwise(media, data, texts)
        if found:
            texts[drawn[0] - 1] = found
            drawn = drawn[1:] if len(drawn) == 1 or len(silent) == len(texts) else drawn
    pictures = []
    at = 0
    waiting = iter([*sorted({*drawn, *stamped}), 0])
    following = next(waiting)
    for number, text in enumerate(texts, 1):
        if number == following:
            pictures.append(Picture(str(number), at))
            following = next(waiting)
        at += len(text.encode("utf-8", "replace")) + 2
    embedded = max(len(_TYPED.findall(data)), len(_DATED.findall(data)))
    others = "" if not embedded else "an attached file" if embedded == 1 else f"{embedded:,} attached files"
    text = "\n\n".join(texts)
    beside = Beside(tuple(pictures), len(texts), others)
    return Parsed(text, date, "" if has_word(text) or pictures or others else NO_TEXT, beside=beside)


def _drawn(data: bytes, silent: list[int], alone: bool) -> list[int]:
    """The pages without text that are not blank."""
    if alone and _IMAGE.search(data):
        return silent  # a scan: no need to draw it
    held: list[int] = []
    looked = silent[:_LOOKED_AT]
    for at in range(0, len(looked), _DRAWN_AT_ONCE):
        some = looked[at : at + _DRAWN_AT_ONCE]
        pictures = _taken(data, some, _PATIENCE)
        if pictures is None:
            # A page that could not be drawn may hold anything, and so may those after it: they are not tried.
            return held + silent[at:]
        held += [number for number in some if not is_blank(pictures[number])]
    return held + silent[_LOOKED_AT:]


def _stamped(data: bytes, texts: list[str]) -> list[int]:
    """Pages that are pictures but for a few words: scans with a number, a date or a note stamped on them."""
    few = {
        number: len(_WORD.findall(text))
        for number, text in enumerate(texts, 1)
        if has_word(text) and len(text) < _SHORT
    }
    few = {number: words for number, words in few.items() if words < _FEW}
    looked = list(few)[:_STAMPED_AT]
    held: list[int] = []
    for at in range(0, len(looked), _DRAWN_AT_ONCE):
        for number, picture in (_taken(data, looked[at : at + _DRAWN_AT_ONCE], _PATIENCE) or {}).items():
            if detail(picture) > _PAGE_DETAIL + _WORD_DETAIL * few[number]:
                held.append(number)
    # What is true of all pages looked at is true of the others: scans are stamped on every page.
    return list(few) if len(held) == len(looked) else held


def _found_otherwise(media: str, data: bytes, texts: list[str]) -> str:
    """Text of pages that seemed to have none.

    kreuzberg has a second way to read pages, for marked-up text, which does not give up a page because of one character
    that it cannot convert. It does not say where a page begins: lines that are on other pages already are left out.
    """
    known: set[tuple[str, ...]] = set()
    for text in texts:
        words = _WORD.findall(text)
        known.update(gram for length in (1, 2, 3) for gram in _runs(words, length))
        if len(known) > _MOST_KNOWN:
            return ""  # a book: its pages are named as not searched
    result, _ = extract("PDF", media, data, output_format="html")
    lines = [line for line in html_to_text(str(result.content)).split("\n") if has_word(line)]
    return "\n".join(line for line in lines if _share_known(line, known) < _MOSTLY)


def _runs(words: list[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(words[at : at + length]) for at in range(len(words) - length + 1)]


def _share_known(line: str, known: set[tuple[str, ...]]) -> float:
    words = _WORD.findall(line)
    runs = _runs(words, min(len(words), 3))
    return sum(run in known for run in runs) / len(runs)


class _Taker:
    """An OCR engine by its form: it keeps the pages' pictures and answers with a number for each."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def name(self) -> str:
        return "truecopy-taker"

    def supported_languages(self) -> list[str]:
        return ["eng"]

    def process_image(self, image_bytes: bytes, _language: str) -> dict[str, Any]:
        self.taken.append(bytes(image_bytes))
        return {"content": f"\ue000{len(self.taken) - 1}\ue001", "metadata": {}, "tables": []}

    def initialize(self) -> None:
        pass

    def shutdown(self) -> None:
        pass

    def version(self) -> str:
        return "1"


def page_pictures(data: bytes, numbers: Sequence[int]) -> dict[int, bytes]:
    """The given pages (from 1) as PNG pictures; those that cannot be drawn are missing."""
    found = _taken(data, numbers)
    if found is None:  # one of them failed: find out which
        found = {}
        for number in numbers:
            found.update(_taken(data, [number]) or {})
    return found


def _taken(data: bytes, numbers: Sequence[int], seconds: int | None = None) -> dict[int, bytes] | None:
    import kreuzberg

    taker = _Taker()
    kreuzberg.register_ocr_backend(taker)
    try:
        config = kreuzberg.ExtractionConfig(  # type: ignore[call-arg] # its stubs do not know disable_ocr
            output_format="plain",
            use_cache=False,
            disable_ocr=False,
            enable_quality_processing=False,
            ocr=kreuzberg.OcrConfig(backend=taker.name(), language="eng"),
            force_ocr_pages=sorted(numbers),
            extraction_timeout_secs=seconds,
            pages=kreuzberg.PageConfig(extract_pages=True),  # without it, single pages are skipped
        )
        result = kreuzberg.extract_bytes_sync(data, "application/pdf", config)
    except (kreuzberg.KreuzbergError, RuntimeError, ValueError, OSError):
        return None
    finally:
        kreuzberg.unregister_ocr_backend(taker.name())
    # Pages may be drawn in any order; their numbers in the text are in the order of the pages.
    order = [int(token) for token in _TOKEN.findall(str(result.content))]
    if len(order) != len(numbers) or sorted(order) != list(range(len(taker.taken))):
        return None
    return {number: taker.taken[at] for number, at in zip(sorted(numbers), order, strict=True)}


def is_blank(png: bytes) -> bool:
    """Whether all dots of an 8-bit PNG have the same color.

    A row is stored as differences by one of five filters (PNG specification, 9.2). In a picture of one color every
    row after the first is the same under the same filter, and the first decides the color.
    """
    try:
        raw, width, channels = _rows(png)
    except (KeyError, ValueError, IndexError, zlib.error):
        return False
    row = width * channels
    dot = raw[1 : 1 + channels]  # the first dot is stored as it is, or as its difference from nothing
    for at in range(0, len(raw), row + 1):
        if raw[at + 1 : at + 1 + row] != _one_colored(raw[at], dot, width, first=at == 0):
            return False
    return True


def detail(png: bytes) -> float:
    """The share of an 8-bit PNG's dots that differ from what their neighbors let expect: how much is drawn in it.

    That is what PNG's filters leave; a word in 12 points takes about a hundredth of a percent of a page.
    """
    try:
        raw, _, _ = _rows(png)
    except (KeyError, ValueError, IndexError, zlib.error):
        return 0.0
    return 1 - raw.count(0) / len(raw)


def _rows(png: bytes) -> tuple[bytes, int, int]:
    """The filtered rows of an 8-bit PNG, each behind the type of its filter; the width, and the bytes of a dot."""
    width, height, depth, color = _header(png)
    channels = {0: 1, 2: 3, 4: 2, 6: 4}[color]
    raw = zlib.decompress(b"".join(_chunks(png, b"IDAT")))
    if depth != 8 or not raw or len(raw) != height * (width * channels + 1):
        raise ValueError("not the picture that its header says")
    return raw, width, channels


def _one_colored(filter_type: int, dot: bytes, width: int, first: bool) -> bytes:
    """A row of one color as the given filter stores it."""
    nothing = bytes(len(dot))
    if filter_type == 0 or (filter_type == 2 and first):
        return dot * width
    if filter_type == 1 or (filter_type == 4 and first):
        return dot + nothing * (width - 1)
    if filter_type == 3:
        halved = bytes((value - value // 2) & 0xFF for value in dot)
        return (dot + halved * (width - 1)) if first else (halved + nothing * (width - 1))
    return nothing * width


def _header(png: bytes) -> tuple[int, int, int, int]:
    if png[12:16] != b"IHDR":
        raise ValueError("no header")
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"), png[24], png[25]


def _chunks(png: bytes, wanted: bytes) -> Iterator[bytes]:
    at = 8
    while at + 8 <= len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        if png[at + 4 : at + 8] == wanted:
            yield png[at + 8 : at + 8 + length]
        at += 12 + length
