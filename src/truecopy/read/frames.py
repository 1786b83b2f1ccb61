"""Messages between truecopy and its parser processes: a length, a JSON head, and blobs of bytes.

8 bytes   length of all that follows
4 bytes   length of the head
head      JSON; its `sizes` are the lengths of the blobs
blobs     one after the other
"""

from __future__ import annotations

import json
from typing import Any, BinaryIO

PREFIX = 8
_HEAD = 4


def pack(head: dict[str, Any], blobs: list[bytes]) -> list[bytes]:
    """A message, as pieces to be written one after the other."""
    text = json.dumps({**head, "sizes": [len(blob) for blob in blobs]}).encode()
    total = _HEAD + len(text) + sum(len(blob) for blob in blobs)
    return [total.to_bytes(PREFIX, "big") + len(text).to_bytes(_HEAD, "big") + text, *blobs]


def unpack(body: bytes | bytearray) -> tuple[dict[str, Any], list[bytes]]:
    """The head and the blobs of a message without its length; ValueError where it is not one."""
    view = memoryview(body)
    end = _HEAD + int.from_bytes(view[:_HEAD], "big")
    head = json.loads(bytes(view[_HEAD:end]))
    blobs = []
    for size in head["sizes"]:
        if type(size) is not int or size < 0:
            raise ValueError("a size that cannot be")
        blobs.append(bytes(view[end : end + size]))
        end += size
    if end != len(view):
        raise ValueError("a message of the wrong length")
    return head, blobs


def receive(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """The next message of a stream; None where it has ended."""
    prefix = stream.read(PREFIX)
    if len(prefix) < PREFIX:
        return None
    total = int.from_bytes(prefix, "big")
    body = stream.read(total)
    return unpack(body) if len(body) == total else None
