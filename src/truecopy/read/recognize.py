"""OCR as the reading threads see it: the pictures of a document go to a parser's process, their texts come back.

OCR is the most fragile step of all (a bad picture can end the engine's process), so it comes second: what the parser
has found is kept whatever happens here, and where a process dies over several pictures, each is tried alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from truecopy.read.file_types import FileType
from truecopy.read.settings import ReadSettings
from truecopy.read.unsearched import Beside, Recognized, has_word
from truecopy.read.workers import ParserPool

_TOGETHER = 8
"""Pictures that are sent at once: enough that taking a document apart again costs little beside their OCR."""
_MOST = 5_000
"""Pictures of one document that are read; a small file can claim to have a million pages."""
_PATIENCE = 5
"""OCR may take this many times as long as parsing a file."""


class Recognizer:
    """Reads pictures, from any number of threads."""

    def __init__(self, settings: ReadSettings) -> None:
        self._parsers = ParserPool(replace(settings, seconds=settings.seconds * _PATIENCE))

    def close(self) -> None:
        """End every process, even if it is at work."""
        self._parsers.close()

    def kill(self) -> None:
        """End every process without waiting for any: this process is about to end too."""
        self._parsers.kill()

    def complete(self, file_type: FileType, data: bytes, text: bytes, beside: Beside) -> tuple[bytes, Recognized]:
        """The text with the pictures' texts in their places, and what became of each picture."""
        outcome = Recognized()
        names = [picture.name for picture in beside.pictures]
        found = self._texts(file_type, data, names[:_MOST])
        pieces = []
        end = 0
        for picture in beside.pictures:
            read = found.get(picture.name)
            if read is None:
                outcome.failed.append(picture.name)
            elif not has_word(read):
                outcome.wordless.append(picture.name)
            else:
                outcome.read.append(picture.name)
                pieces += [text[end : picture.at], _set_off(read, bool(text))]
                end = picture.at
        return b"".join([*pieces, text[end:]]), outcome

    def _texts(self, file_type: FileType, data: bytes, names: Sequence[str]) -> dict[str, bytes]:
        """The texts by the pictures' names, without those that OCR failed on."""
        found: dict[str, bytes] = {}
        for together in _cut(names, _TOGETHER):
            answer = self._parsers.recognize(file_type, data, together)
            if answer.status and len(together) > 1:
                for name in together:
                    found.update(self._parsers.recognize(file_type, data, [name]).parts)
            else:
                found.update(answer.parts)
        return found


def _set_off(read: bytes, among_others: bool) -> bytes:
    """A picture's text as paragraphs of its own, where there is other text."""
    return b"\n\n" + read.strip() + b"\n\n" if among_others else read.strip() + b"\n"


def _cut(names: Sequence[str], size: int) -> Iterator[list[str]]:
    for at in range(0, len(names), size):
        yield list(names[at : at + size])
