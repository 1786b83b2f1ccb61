"""A mailbox file (mbox) to its messages, while it is read and however large it is.

Messages start with a line `From sender date`. Mail programs disagree on what else may start so: a line
counts when it names a time and a year, or when it follows a blank line and headers follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

_BLOCK = 4 << 20
_TIME = re.compile(rb"\d\d:\d\d")
_YEAR = re.compile(rb"\d{4}")
_HEADED = re.compile(rb"From \S[^\n]*\n[!-9;-~]+:[ \t]")
_LONGEST_START = 1024


def _starts_message(data: bytes, at: int) -> bool:
    """Whether the line at `at` is the mailbox's own."""
    line = data[at : at + _LONGEST_START]
    if _is_dated(line):
        return True
    return data[max(at - 4, 0) : at].endswith((b"\n\n", b"\n\r\n")) and _HEADED.match(line) is not None


def _is_dated(line: bytes) -> bool:
    """Whether a line `From sender …` names a time and, after it, a year: two searches, however often both are in it."""
    end = line.find(b"\n")
    if end < 0 or not line[5:6].strip():
        return False
    time = _TIME.search(line, 6, end)
    return time is not None and _YEAR.search(line, time.end(), end) is not None


def messages(stream: BinaryIO, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    """Each message with its length, as bytes, or None where it is longer than allowed."""
    kept: list[bytes] = []
    length = 0
    rest = b""
    ended = False
    while not ended:
        block = stream.read(_BLOCK)
        ended = not block
        data = rest + block
        start, at = 0, 0
        while (at := data.find(b"\nFrom ", at)) >= 0:
            at += 1
            if at + _LONGEST_START > len(data) and not ended:
                break
            if _starts_message(data, at):
                yield from _message(kept, length, data[start:at], max_bytes)
                kept, length = [], 0
                start = at
        # What is left may hold the beginning of a line that decides; the rest belongs to the open message.
        safe = len(data) if ended else max(start, len(data) - 2 * _LONGEST_START)
        length += safe - start
        kept = [*kept, data[start:safe]] if length <= max_bytes else []
        rest = data[safe:]
    yield from _message(kept, length, b"", max_bytes)


def _message(kept: list[bytes], length: int, last: bytes, max_bytes: int) -> Iterator[tuple[int, bytes | None]]:
    length += len(last)
    if length > max_bytes:
        yield length, None
    else:
        message = b"".join([*kept, last])
        if message.strip():
            yield length, message
