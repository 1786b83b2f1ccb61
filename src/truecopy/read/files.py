"""Files on the disk and standard input: their bytes, their ends, their hashes; or the reason why there are none."""

from __future__ import annotations

import os
import stat
import sys
from hashlib import md5, sha1, sha256

from truecopy.read.links import Guard, open_file, open_known
from truecopy.read.sources import STDIN, Source, open_reason

_BLOCK = 1 << 20
_END = 1 << 16


class TooLargeError(Exception):
    """More bytes than the limit."""


class UnreadableError(Exception):
    """The bytes could not be read; the message is the reason in truecopy's words."""


def load(source: Source, max_bytes: int) -> bytes:
    """The bytes of a file or of standard input, at most `max_bytes` of them in memory."""
    if source.location == STDIN:
        return _load_stdin(max_bytes)
    try:
        handle, about = open_known(source.location, source.guard)
    except OSError as error:
        raise UnreadableError(open_reason(error)) from None
    try:
        if not stat.S_ISREG(about.st_mode):
            raise UnreadableError("not a regular file")
        if about.st_size > max_bytes:
            raise TooLargeError
        return _all_bytes(handle, about.st_size, max_bytes)
    except OSError as error:
        raise UnreadableError(open_reason(error)) from None
    finally:
        os.close(handle)


def peek(location: str, guard: Guard | None = None) -> bytes:
    """The two ends of a file, which tell what it is."""
    try:
        handle, about = open_known(location, guard)
    except OSError as error:
        raise UnreadableError(open_reason(error)) from None
    try:
        if not stat.S_ISREG(about.st_mode):
            raise UnreadableError("not a regular file")
        start = os.read(handle, _END)
        os.lseek(handle, max(about.st_size - _END, len(start)), os.SEEK_SET)
        return start + os.read(handle, _END)
    except OSError as error:
        raise UnreadableError(open_reason(error)) from None
    finally:
        os.close(handle)


def digest(location: str, data: bytes, guard: Guard | None = None) -> tuple[str, str, str]:
    """MD5, SHA-1 and SHA-256 of a file, read block by block, or of bytes; empty where they cannot be read."""
    sums = md5(data, usedforsecurity=False), sha1(data, usedforsecurity=False), sha256(data)
    if location:
        try:
            handle = open_file(location, guard)
        except OSError:
            return "", "", ""
        try:
            while block := os.read(handle, _BLOCK):
                for each in sums:
                    each.update(block)
        except OSError:
            return "", "", ""
        finally:
            os.close(handle)
    return sums[0].hexdigest(), sums[1].hexdigest(), sums[2].hexdigest()


def _all_bytes(handle: int, size: int, max_bytes: int) -> bytes:
    data = os.read(handle, size + 1)
    if len(data) == size:
        return data
    # Short reads (over 2 GiB, network drives) and files that grow or shrink while being read.
    parts = [data]
    total = len(data)
    while data:
        if total > max_bytes:
            raise TooLargeError
        data = os.read(handle, min(16 * _BLOCK, max_bytes + 1 - total))
        parts.append(data)
        total += len(data)
    return b"".join(parts)


def _load_stdin(max_bytes: int) -> bytes:
    if sys.stdin is None:
        raise UnreadableError("standard input is closed")
    parts = []
    total = 0
    try:
        while block := sys.stdin.buffer.read(_BLOCK):
            total += len(block)
            if total > max_bytes:
                raise TooLargeError
            parts.append(block)
    except OSError as error:
        raise UnreadableError(open_reason(error)) from None
    return b"".join(parts)
