"""Documents' bytes to their Readings: plain text at once, other types through a parser's process.

An e-mail or Outlook message becomes several: itself, then its attachments. A ZIP file or mailbox becomes an
`Archive`, for the caller to open. Where the texts of a chunk grow large, what is left of it comes back as a
`Remainder`, to be read once these have been taken away.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import md5, sha1, sha256

from truecopy.model import Reading
from truecopy.read.decode import read_text
from truecopy.read.encodings.rules import encoding_of
from truecopy.read.file_types import SIGNATURES, TEXT_TYPES, FileType, file_type_of, names_container, suffix_of
from truecopy.read.files import TooLargeError, UnreadableError, load, peek
from truecopy.read.links import Guard
from truecopy.read.names import UniqueNames, member_name
from truecopy.read.ocr import find
from truecopy.read.patterns import excluder
from truecopy.read.pictures import frames, opens, type_of
from truecopy.read.places import Archive, DocumentPlace
from truecopy.read.recognize import Recognizer
from truecopy.read.settings import ReadSettings
from truecopy.read.sources import STDIN, Source
from truecopy.read.unsearched import MISSING, OFF, Beside, Picture, has_word, told
from truecopy.read.workers import NOT_DECODED, ParserAnswer, ParserPool

EXCLUDED = "excluded by a pattern"
_MOST_MAILS = 20
_ENOUGH_TEXT = 32 << 20
# Small files go to a parser several at a time; even packed a thousandfold, these make one gigabyte.
_SMALL = 1 << 16
_TOGETHER = 16
_PATIENCE = 0.05
"""Seconds to wait while another thread reads files; a chunk takes a tenth of that when the disk is fast."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """A document whose bytes are in memory."""

    place: DocumentPlace
    data: bytes = field(repr=False)
    location: str = ""
    """Where it is on the disk, if it is a file there."""
    guard: Guard | None = None


@dataclass(frozen=True, slots=True)
class Remainder:
    """What is left of a chunk."""

    entries: list[Outcome | Loaded] = field(repr=False)


Outcome = Reading | Archive | Remainder


class DocumentReader:
    """Reads documents from any number of threads."""

    def __init__(
        self,
        settings: ReadSettings,
        parsers: ParserPool,
        is_utf8: Callable[[bytes], bool] | None = None,
        recognizer: Recognizer | None = None,
    ) -> None:
        self.settings = settings
        self._recognizer = recognizer if recognizer is not None and find() is not None else None
        self._why = MISSING if settings.ocr else OFF
        self._is_utf8 = is_utf8
        self.excluded = excluder(settings.exclude)
        self._given = encoding_of(settings.encoding)
        self._parsers = parsers
        self._turn = threading.Lock()
        self._stopped = False

    def stop(self) -> None:
        """Read no more files: the run has ended or was interrupted."""
        self._stopped = True

    def sources(self, chunk: list[Source]) -> list[Outcome]:
        """Files from the disk, in order."""
        # Opening, reading and hashing small files takes many short steps, and each releases the interpreter and takes
        # it back. Two threads that both do this slow each other down; one that reads and one that works on words
        # do not. Where the disk is slow, no thread waits for long, and all read at once.
        mine = self._turn.acquire(timeout=_PATIENCE)
        try:
            entries = []
            for source in chunk:
                if self._stopped:
                    break  # nobody needs the answer any more
                entries.append(self._source(source))
        finally:
            if mine:
                self._turn.release()
        return self.documents(entries)

    def _source(self, source: Source) -> Outcome | Loaded:
        limit = self.settings.max_bytes
        suffix = suffix_of(source.path)
        place = DocumentPlace(source.root, source.path, self.settings)
        if source.status:
            return place.without_bytes(source.size, source.status, source.reason)
        try:
            if source.size > limit or names_container(suffix):
                # Containers are read piece by piece, so their own size has no limit.
                file_type = file_type_of(source.path, peek(source.location, source.guard))
                if source.size and file_type.reader in ("zip", "mbox"):
                    return Archive(place, file_type.reader, source.size, source.location, guard=source.guard)
            data = load(source, limit)
        except TooLargeError:
            return place.without_bytes(source.size, "too-large", _over(limit))
        except UnreadableError as error:
            return place.without_bytes(source.size, "unreadable", str(error))
        text_type = TEXT_TYPES.get(suffix)
        if text_type is not None and not data.startswith(SIGNATURES):
            return self._plain(place, data, text_type)  # the short way, which most files take
        return Loaded(place, data, "" if source.location == STDIN else source.location, source.guard)

    def documents(self, entries: list[Outcome | Loaded]) -> list[Outcome]:
        """Entries in order; those that are still bytes are read."""
        outcomes: list[Outcome] = []
        size = 0
        for at, end in _groups(entries):
            if size > _ENOUGH_TEXT:
                return [*outcomes, Remainder(entries[at:])]
            for outcome in self._group(entries[at:end]):
                outcomes.append(outcome)
                size += len(outcome.text) if isinstance(outcome, Reading) else 0
        return outcomes

    def _group(self, entries: list[Outcome | Loaded]) -> Iterator[Outcome]:
        known = [entry if not isinstance(entry, Loaded) else self._without_parser(entry) for entry in entries]
        to_parse = [outcome for outcome in known if isinstance(outcome, _ToParse)]
        answers = iter(self._parsers.parse_many([(each.file_type, each.entry.data) for each in to_parse]))
        for outcome in known:
            if isinstance(outcome, _ToParse):
                yield from self._family(outcome, next(answers))
            else:
                yield outcome

    def _without_parser(self, entry: Loaded) -> Outcome | _ToParse:
        place, data = entry.place, entry.data
        file_type = file_type_of(place.path, data)
        if file_type.reader == "plain":
            return self._plain(place, data, file_type)
        if not data:
            return _reading(place, data, file_type, reason="the file is empty")
        if file_type.reader in ("zip", "mbox"):
            unpacked = b"" if entry.location else data
            return Archive(place, file_type.reader, len(data), entry.location, unpacked, entry.guard)
        if file_type.reader == "parsed":
            return _ToParse(entry, file_type)
        if file_type.reader == "image":
            return self._picture(place, data, file_type)
        return _reading(place, data, file_type, status="unreadable", reason=_no_reader(place.path, data))

    def _plain(self, place: DocumentPlace, data: bytes, file_type: FileType) -> Reading:
        given = "" if self._given is None else self._given(place.path)
        found = read_text(data, self._is_utf8, given)
        if found is None:
            reason = _no_reader(place.path, data) + (f"; nor is it one in {given}, as given" if given else "")
            return _reading(place, data, file_type, status="unreadable", reason=reason)
        text = found.text
        if len(text) > self.settings.max_text:
            reason = "its text is " + _over(self.settings.max_text)
            return _reading(place, data, file_type, status="too-large", reason=reason)
        reason = found.doubt if data else "the file is empty"
        said = (found.encoding, found.confidence, found.doubt) if data else NOT_DECODED
        return _reading(
            place, data, file_type, every_digest=self.settings.every_digest, reason=reason, text=text, decoded=said
        )

    def _family(self, parsed: _ToParse, answer: ParserAnswer) -> list[Outcome]:
        """A parsed document, then its attachments."""
        place = parsed.entry.place
        reading = self._parsed(place, parsed.entry.data, parsed.file_type, answer)
        if not answer.parts:
            return [reading]
        names = UniqueNames()
        entries: list[Outcome | Loaded] = [reading]
        for number, (name, data) in enumerate(answer.parts, 1):
            called = names.take(member_name(name, f"attachment-{number}").replace("/", "_"))
            entries.append(self._attachment(place.inside(called, mails=1), data))
        return self.documents(entries)

    def _picture(self, place: DocumentPlace, data: bytes, file_type: FileType) -> Reading:
        """A file that is a picture: without text, unless OCR reads it."""
        if not opens(data):
            reason = f"not a valid {file_type.label}: it is damaged, or something else under its name"
            return _reading(place, data, file_type, status="unreadable", reason=reason)
        pages = len(frames(data)) if type_of(data) == "TIFF" else 1
        if pages > 1:
            beside = Beside(tuple(Picture(str(number)) for number in range(1, pages + 1)), pages)
        else:
            beside = Beside((Picture(""),))
        return self._parsed(place, data, file_type, ParserAnswer(beside=beside))

    def _parsed(self, place: DocumentPlace, data: bytes, file_type: FileType, answer: ParserAnswer) -> Reading:
        """The reading of a document, after OCR where that is asked for."""
        text, beside = answer.text, answer.beside
        recognized = None
        if beside.pictures and self._recognizer is not None and not answer.status:
            text, recognized = self._recognizer.complete(file_type, data, text, beside)
        words = has_word(text)
        unsearched = told(beside, words, self._why, recognized)
        status, reason = answer.status, answer.reason or unsearched
        if not status and len(text) > self.settings.max_text:
            status, reason = "too-large", "its text is " + _over(self.settings.max_text)
        elif not status and not words and unsearched:
            status, reason = "unsearchable", unsearched
        if status:
            text = b""
        decoded = answer.decoded if text else NOT_DECODED
        if not status and decoded[2]:
            reason = f"{reason}; {decoded[2]}" if reason else decoded[2]
        reading = _reading(
            place, data, file_type, status=status, reason=reason, text=text, date=answer.date, decoded=decoded
        )
        return reading._replace(hidden=unsearched) if unsearched else reading

    def _attachment(self, place: DocumentPlace, data: bytes) -> Outcome | Loaded:
        if self.excluded(place.path):
            return place.without_bytes(len(data), "excluded", EXCLUDED)
        if place.mails > _MOST_MAILS:
            return place.without_bytes(len(data), "unreadable", f"attached {_MOST_MAILS} messages deep")
        if not place.budget.spend(1, len(data)):
            if place.budget.members:
                return place.without_bytes(len(data), "too-large", "its container holds more than is allowed")
            most = f"the {self.settings.max_members:,} documents that --max-members allows"
            reason = f"its container holds more than {most}"
            return place.without_bytes(len(data), "too-large", reason)._replace(members_not_read=1)
        return Loaded(place, data)


@dataclass(frozen=True, slots=True)
class _ToParse:
    entry: Loaded
    file_type: FileType


def _groups(entries: list[Outcome | Loaded]) -> Iterator[tuple[int, int]]:
    """Where to cut: small documents stay together, a large one is alone."""
    start = small = 0
    for at, entry in enumerate(entries):
        if not isinstance(entry, Loaded):
            continue
        large = len(entry.data) > _SMALL
        if (large or small >= _TOGETHER) and at > start:
            yield start, at
            start, small = at, 0
        small += _TOGETHER if large else 1
    if start < len(entries):
        yield start, len(entries)


def _reading(
    place: DocumentPlace,
    data: bytes,
    file_type: FileType,
    *,
    every_digest: bool = True,
    status: str = "",
    reason: str = "",
    text: bytes = b"",
    date: str = "",
    decoded: tuple[str, int | None, str] = NOT_DECODED,
) -> Reading:
    return Reading(
        place.root,
        place.path,
        len(data),
        md5(data, usedforsecurity=False).hexdigest() if every_digest else "",
        sha1(data, usedforsecurity=False).hexdigest() if every_digest else "",
        sha256(data).hexdigest(),
        text,
        status,
        reason,
        date,
        place.parent,
        file_type.media,
        "",
        *decoded,
    )


def _over(limit: int) -> str:
    return f"larger than {limit:,} bytes"


def _no_reader(path: str, data: bytes) -> str:
    if data.startswith(b"\xffWPC"):
        return "a WordPerfect document: no reader for it"
    suffix = suffix_of(path)
    if not suffix or suffix in TEXT_TYPES:
        return "not a text: binary data"
    return f"not a text, and no reader for .{member_name(suffix, 'x')[:20]}"
