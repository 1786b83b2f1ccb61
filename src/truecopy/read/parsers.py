"""What a parser's process does with one file: choose the parser, and put its failures in our words.

kreuzberg reads most formats. Some are read here instead, because kreuzberg loses something of each: HTML
(kreuzberg 4 gives Markdown and ignores declared encodings), DOC, DOCX and ODT (it drops footnotes, headers
and some paragraphs), RTF (it knows one encoding), ODP (it has no reader) and e-mail (attachments must be
documents of their own).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from truecopy.read.unsearched import NOTHING, Beside, has_word

NO_TEXT = "no text in it"
FULL = "could not be read: the temporary folder is full; make room, then add it again"
_ROOM = 32 << 20
"""Free bytes that kreuzberg needs for sure to unpack its PDF library."""


class Refused(Exception):
    """The file cannot be read; the message is the reason in our words."""


class TooMuch(Exception):
    """The file holds more text than is allowed."""


class Parsed(NamedTuple):
    """The text of a file and what else it tells."""

    text: str
    date: str = ""
    reason: str = ""
    parts: Sequence[tuple[str, bytes]] = ()
    """Attachments: name and bytes."""
    beside: Beside = NOTHING
    """What else is in the file and was not searched."""
    decoded: tuple[str, int, str] | None = None
    """Encoding, confidence and doubt, if bytes were decoded for the text."""


def parse(label: str, media: str, data: bytes) -> Parsed:
    """The text of one file, by the parser for its type."""
    if label == "HTML":
        return _html(data)
    if label == "e-mail":
        from truecopy.read.mail import parse_mail

        return parse_mail(data)
    locked_or_broken(label, data)
    if label == "DOCX":
        from truecopy.read.word import docx_text

        return docx_text(data)
    if label in ("ODT", "ODP"):
        from truecopy.read.opendocument import opendocument_text

        return opendocument_text(label, data)
    if label == "ODS":
        from truecopy.read.opendocument import spreadsheet_text

        return spreadsheet_text(media, data)
    if label == "DOC":
        from truecopy.read.word97 import doc_text

        return doc_text(data)
    if label == "RTF":
        from truecopy.read.rtf import rtf_text

        return rtf_text(data)
    if label == "XLSX":
        from truecopy.read.sheets import workbook_text

        return workbook_text(media, data)
    if label == "PPTX":
        from truecopy.read.sheets import presentation_text

        return presentation_text(media, data)
    if label == "PDF":
        from truecopy.read.pages import pdf_text

        return pdf_text(media, data)
    result, date = extract(label, media, data)
    text = str(result.content)
    # A picture in a book is not one of its words, though kreuzberg writes a line in its place.
    words = has_word(_PICTURE_LINE.sub("", text) if label == "EPUB" else text)
    others = _held(label, data, text, words)
    parsed = Parsed(text if words else "", date, "" if others or words else NO_TEXT, beside=Beside(others=others))
    if label == "MSG":
        from truecopy.read.ole import msg_attachments

        return parsed._replace(parts=msg_attachments(data))
    return parsed


def _held(label: str, data: bytes, text: str, words: bool) -> str:
    """What a file holds that kreuzberg does not read."""
    if label == "PST":
        return "attachments, if it has any"
    if words:
        return ""
    from truecopy.read.legacy import presentation_holds, workbook_holds

    if label == "XLS":
        return workbook_holds(data)
    if label == "PPT":
        return presentation_holds(data)
    if label == "EPUB":
        return "pictures" if _PICTURE_NAME.search(data) or _PICTURE_LINE.search(text) else ""
    return "something that could not be read"


def _html(data: bytes) -> Parsed:
    from truecopy.read.markup import html_bytes_to_page, html_to_text, shown_instead

    page = html_bytes_to_page(data)
    if page is None:
        raise Refused("not a text: binary data under the name of a web page")
    text = html_to_text(page.text.decode())
    others = "" if has_word(text) else shown_instead(data)
    said = (page.encoding, page.confidence, page.doubt)
    return Parsed(text, reason="" if has_word(text) or others else NO_TEXT, beside=Beside(others=others), decoded=said)


_PICTURE_LINE = re.compile(r"^\[Image:[^\]\n]*\]$", re.MULTILINE)
_PICTURE_NAME = re.compile(rb"\.(?:png|jpe?g|gif|svg|webp)", re.IGNORECASE)


_OLE = b"\xd0\xcf\x11\xe0"


def locked_or_broken(label: str, data: bytes) -> None:
    """Say what is wrong with a file if its outer form shows it; parsers only say "invalid"."""
    if not data:
        raise Refused(f"not a valid {label}: the file is empty")
    if label in ("DOCX", "XLSX", "PPTX"):
        if data.startswith(_OLE):
            raise Refused(f"password-protected {label}")
        _whole_archive(label, data)
    elif label in ("ODT", "ODS", "ODP", "EPUB"):
        _whole_archive(label, data)
        if label != "EPUB" and _is_locked_odf(data):
            raise Refused(f"password-protected {label}")
    elif label == "DOC":
        from truecopy.read.ole import doc_problem

        problem = doc_problem(data)
        if problem:
            raise Refused(problem)


def _whole_archive(label: str, data: bytes) -> None:
    if not data.startswith(b"PK"):
        raise Refused(f"not a valid {label}: something else under its name")
    if b"PK\x05\x06" not in data[-66_000:]:
        raise Refused(f"not a valid {label}: the archive is cut off")


def _is_locked_odf(data: bytes) -> bool:
    from truecopy.read.packages import BROKEN, Package

    try:
        with Package(data) as package:
            return b"encryption-data" in package.read("META-INF/manifest.xml")
    except BROKEN:
        return False


def extract(label: str, media: str, data: bytes, pages: Any = None, output_format: str = "plain") -> tuple[Any, str]:
    """What kreuzberg makes of a file, and the date that the document bears."""
    import kreuzberg

    config = kreuzberg.ExtractionConfig(  # type: ignore[call-arg] # its stubs do not know disable_ocr
        output_format=output_format,
        use_cache=False,
        # OCR comes second, and by itself (`tesseract.py`).
        disable_ocr=True,
        # The words as they are written: nothing is cleaned up, and what repeats on every page stays.
        enable_quality_processing=False,
        pages=pages,
        content_filter=kreuzberg.ContentFilterConfig(
            include_headers=label != "PPT",  # for PPT these are the master's "Click to edit" lines
            include_footers=True,
            strip_repeating_text=False,
            include_watermarks=True,
        ),
    )
    try:
        result = kreuzberg.extract_bytes_sync(data, media, config)
    except (kreuzberg.KreuzbergError, RuntimeError, ValueError, OSError) as error:
        raise Refused(_reason(label, str(error))) from None
    return result, _date(result.metadata)


def _reason(label: str, message: str) -> str:
    """A library's message in our words; the message itself may quote the document."""
    lowered = message.lower()
    if "password" in lowered or "encrypt" in lowered:
        return f"password-protected {label}"
    if "unsupported" in lowered or "validationerror" in lowered:
        return f"no reader for this {label}"
    if _temporary_folder_is_full(lowered):
        return FULL
    return f"not a valid {label}: it is damaged or cut off"


def _temporary_folder_is_full(message: str) -> bool:
    """Whether a library may have failed because it had no room to unpack itself: then the file may be sound."""
    if "no space left" in message or "quota exceeded" in message:
        return True
    try:
        # Not by `gettempdir` alone: it writes a file to choose a folder, and a full one is not chosen.
        return shutil.disk_usage(os.environ.get("TMPDIR") or tempfile.gettempdir()).free < _ROOM
    except OSError:
        return False


_ISO = re.compile(r"\d{4}-\d\d-\d\d")


def _date(metadata: Any) -> str:
    """When the document says it was last changed, else made."""
    for key in ("modified_at", "created_at"):
        value = metadata.get(key) if hasattr(metadata, "get") else None
        if isinstance(value, str) and (date := iso_date(value)):
            return date
    return ""


def iso_date(value: str) -> str:
    """A date in ISO 8601, in UTC to the second where the zone is known; "" where it is none."""
    if not _ISO.match(value):
        return ""
    try:
        when = datetime.fromisoformat(value)
    except ValueError:
        return ""
    if len(value) == 10:
        return value
    if when.tzinfo is None:
        return when.replace(microsecond=0).isoformat()
    try:
        return in_utc(when)
    except OverflowError:
        return ""


def in_utc(when: datetime) -> str:
    """A moment as `2024-05-31T08:00:00Z`."""
    return when.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if when.year >= 1000 else ""
