"""What a parser made of one file, and the check of it: a document may have taken over the process that answers.

So an answer is data of a stranger. Every field has its type and its bounds; texts for people are short, valid Unicode
and without control characters. Whatever is different is no answer: `checked` raises, and the parent takes it for a
crash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from truecopy.read.parsers import iso_date
from truecopy.read.unsearched import NOTHING, Beside, Picture

_STATUSES = ("", "unreadable", "too-large")
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_LONGEST = 400
_LONGEST_NAME = 4096
_LONGEST_ENCODING = 40
_MOST = 1 << 40
"""No number in an answer is larger: offsets into a text, pages."""

NOT_DECODED: tuple[str, int | None, str] = ("", None, "")
"""Encoding, confidence and doubt of a text that no bytes were decoded for."""


@dataclass(frozen=True, slots=True)
class ParserAnswer:
    """What a parser made of one file."""

    status: str = ""
    reason: str = ""
    date: str = ""
    text: bytes = b""
    parts: list[tuple[str, bytes]] = field(default_factory=list)
    """Attachments: name and bytes."""
    beside: Beside = NOTHING
    """What else is in the file and was not searched."""
    decoded: tuple[str, int | None, str] = NOT_DECODED
    """Encoding, confidence and doubt, if bytes were decoded for the text."""


def checked_answer(head: Any, blobs: Sequence[bytes]) -> ParserAnswer:
    """The answer in a message; raises an exception of any kind if it is none."""
    told = _dict(head)
    status, reason = told["status"], _words(told["reason"])
    if status not in _STATUSES:
        raise ValueError("a status that no parser sends")
    if status:
        return ParserAnswer(str(status), reason)
    date, text = iso_date(_words(told["date"])), in_utf8(blobs[0])
    parts = list(zip(map(_name, _list(told["names"])), blobs[1:], strict=True))
    return ParserAnswer(
        "", reason, date, text, parts, _beside(told.get("beside", {}), text), _decoded(told.get("decoded"))
    )


def in_utf8(text: bytes) -> bytes:
    """The same text in valid UTF-8."""
    if text.isascii():
        return text
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace").encode()
    return text


def _beside(told: Any, text: bytes) -> Beside:
    told = _dict(told)
    pages = _number(told.get("pages", 0))
    pictures: list[Picture] = []
    last = 0
    for each in map(_dict, _list(told.get("pictures", []))):
        name, last = _name(each["name"]), _place(_number(each["at"]), last, text)
        # Where pictures are pages, their names are the pages' numbers.
        if pages and not (name.isascii() and name.isdigit() and len(name) < 16 and 1 <= int(name) <= pages):
            raise ValueError("a page that is not there")
        pictures.append(Picture(name, last))
    return Beside(tuple(pictures), pages, _words(told.get("others", "")))


def _place(at: int, last: int, text: bytes) -> int:
    """An offset into the text: after the last one, and where a character begins."""
    at = min(max(at, last), len(text))
    while last < at < len(text) and text[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _decoded(told: Any) -> tuple[str, int | None, str]:
    if told is None:
        return NOT_DECODED
    encoding, confidence, doubt = _list(told)
    return _words(encoding, _LONGEST_ENCODING), min(_number(confidence), 100), _words(doubt)


def _words(told: Any, longest: int = _LONGEST) -> str:
    """Words for people."""
    return _clean(_str(told)[:longest])


def _name(told: Any) -> str:
    """A name; of one that is too long the end, which says what kind of file it is."""
    return _clean(_str(told)[-_LONGEST_NAME:])


def _clean(text: str) -> str:
    return _CONTROL.sub("", text.encode("utf-8", "replace").decode())


def _str(told: Any) -> str:
    if not isinstance(told, str):
        raise TypeError("not a text")
    return told


def _number(told: Any) -> int:
    if type(told) is not int or not 0 <= told <= _MOST:  # True is an int too
        raise TypeError("not a number, or none that can be")
    return told


def _list(told: Any) -> list[Any]:
    if not isinstance(told, list):
        raise TypeError("not a list")
    return told


def _dict(told: Any) -> dict[str, Any]:
    if not isinstance(told, dict):
        raise TypeError("not a dictionary")
    return told
