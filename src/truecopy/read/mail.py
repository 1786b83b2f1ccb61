"""One e-mail: its heading lines and body as the text, its attachments as documents of their own.

The standard library's parser never refuses a message; what it makes of damaged ones is taken as it comes.
Headers are decoded here, one by one, because one bad header must not cost the message.
"""

from __future__ import annotations

import re
from base64 import b64decode
from contextlib import suppress
from email import message_from_bytes
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.utils import parsedate_to_datetime
from typing import TypeAlias

from truecopy.read.decode import Decoded, declared_text, decode
from truecopy.read.file_types import suffix_for
from truecopy.read.markup import html_bytes_to_page, html_to_text, shown_instead
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, in_utc
from truecopy.read.unsearched import Beside, has_word

_SHOWN = ("From", "To", "Cc", "Subject", "Date")
_FOLDED = re.compile(r"\s*[\r\n]+\s*")
_DEEPEST = 100
_Mail: TypeAlias = "Message[str, str]"


def parse_mail(data: bytes) -> Parsed:
    """The text of an e-mail, its date and its attachments."""
    mail: _Mail = message_from_bytes(_without_envelope(data))
    heading = [f"{name}: {value}" for name in _SHOWN if (value := header(mail, name))]
    parts = _Parts()
    parts.take(mail)
    body = "\n\n".join(text for text in parts.texts if text)
    text = "\n".join(heading) + "\n\n" + body + "\n"
    if not has_word(text) and parts.undecoded:
        raise Refused("not a valid e-mail: something else under its name")
    # Pictures that were sent along are documents of their own; pictures that it only points to are not here.
    others = f"{parts.shown} in place of its text" if parts.shown and not has_word(body) else ""
    reason = "" if has_word(text) or others else NO_TEXT
    return Parsed(text, _date(mail), reason, parts.attachments, Beside(others=others), parts.decoded)


def _without_envelope(data: bytes) -> bytes:
    """A message cut out of a mailbox starts with the mailbox's own line."""
    if data.startswith((b"From ", b">From ")):
        return data.partition(b"\n")[2]
    return data


def header(mail: _Mail, name: str) -> str:
    """A header's text on one line, its encoded words decoded as far as they can be."""
    lowered = name.lower()
    raw = next((value for key, value in mail.raw_items() if key.lower() == lowered), "")
    value = str(raw)
    if not value.isascii():  # raw bytes, smuggled through as surrogates
        value = decode(value.encode("utf-8", "surrogateescape")) or ""
    if "=?" in value:
        value = _decoded_words(value)
    return _FOLDED.sub(" ", value).strip()


def _decoded_words(value: str) -> str:
    try:
        pieces = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    out = []
    for piece, charset in pieces:
        if isinstance(piece, bytes):
            # Pieces between encoded words come as escaped bytes of what they are.
            plain = piece.decode("raw-unicode-escape", "replace")
            out.append(plain if charset is None else (decode(piece, charset) or ""))
        else:
            out.append(piece)
    return "".join(out)


def _date(mail: _Mail) -> str:
    try:
        return in_utc(parsedate_to_datetime(header(mail, "Date")))
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


class _Parts:
    """Sorts the parts of a message into body texts and attachments."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.attachments: list[tuple[str, bytes]] = []
        self.undecoded = 0
        """Parts of the body that are not text."""
        self.shown = ""
        """What is shown in place of a text."""
        self.decoded: tuple[str, int, str] | None = None
        """Encoding, confidence and doubt of the part of the body that is least certain."""

    def take(self, part: _Mail, depth: int = 0, seen: bool = True) -> None:
        """Take one part and what is in it; if it is a form of the body that is not `seen`, only the files."""
        media = part.get_content_type()
        attached = _file_name(part)
        if media == "message/rfc822" and part.is_multipart():
            self.attachments.append((attached or "message.eml", _inner_message(part)))
        elif part.is_multipart() and depth < _DEEPEST:
            children = [child for child in part.get_payload() if isinstance(child, Message)]
            body = _best_alternative(children) if media == "multipart/alternative" else None
            for child in children:
                self.take(child, depth + 1, seen and (body is None or child is body))
        elif attached or not media.startswith("text/") or part.get_content_disposition() == "attachment":
            self._attach(part, attached, media)
        elif seen:
            found = _text_of(part, media)
            if found is None:
                self.undecoded += 1
                self._attach(part, attached, media)
            else:
                text = html_to_text(found.text.decode()) if media == "text/html" else found.text.decode()
                self._note(found)
                self.texts.append(text)
                if media == "text/html" and not has_word(text):
                    self.shown = shown_instead(_content(part))

    def _note(self, found: Decoded) -> None:
        before = self.decoded
        if before is None or (not before[2], before[1]) > (not found.doubt, found.confidence):
            self.decoded = (found.encoding, found.confidence, found.doubt)

    def _attach(self, part: _Mail, name: str, media: str) -> None:
        data = _content(part)
        if data or name:
            called = name or f"part-{len(self.attachments) + 1}.{suffix_for(media)}"
            self.attachments.append((called, data))


def _best_alternative(children: list[_Mail]) -> _Mail | None:
    """Of several forms of the same body, the plain text if there is one, else the richest."""
    for child in children:
        if child.get_content_type() == "text/plain" and _content(child).strip():
            return child
    texts = [c for c in children if c.get_content_type() == "text/html" or c.is_multipart()]
    return texts[-1] if texts else (children[-1] if children else None)


def _file_name(part: _Mail) -> str:
    try:
        name = part.get_filename("")
    except (ValueError, TypeError, LookupError, UnicodeError, MessageError):
        return ""
    if not name.isascii():
        name = decode(name.encode("utf-8", "surrogateescape")) or ""
    return _FOLDED.sub(" ", _decoded_words(name) if "=?" in name else name).strip()


def _content(part: _Mail) -> bytes:
    """The bytes of a leaf part, transfer encoding undone; a part of parts as it was sent."""
    if part.is_multipart():
        return _flattened(part)
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError, AssertionError, UnicodeError):
        payload = None
    if isinstance(payload, bytes):
        return payload
    return str(part.get_payload() or "").encode("utf-8", "surrogateescape")


def _inner_message(part: _Mail) -> bytes:
    inner = part.get_payload(0)
    if not isinstance(inner, Message):
        return b""
    data = _flattened(inner)
    # Not allowed, but done: a whole message sent as base64.
    if str(part.get("Content-Transfer-Encoding", "")).strip().lower() == "base64":
        with suppress(ValueError):
            return b64decode(data)
    return data


def _flattened(message: _Mail) -> bytes:
    try:
        return message.as_bytes()
    except (ValueError, LookupError, TypeError, AttributeError, MessageError):
        return message.as_string().encode("utf-8", "surrogateescape")


def _text_of(part: _Mail, media: str) -> Decoded | None:
    """A body part as text; None where it is not one."""
    data = _content(part)
    declared = str(part.get_param("charset", "") or "")
    if media == "text/html":
        return html_bytes_to_page(data, declared)
    return declared_text(data, declared)
