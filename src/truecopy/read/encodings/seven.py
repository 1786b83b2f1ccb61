"""Encodings whose bytes are all ASCII: ISO 2022 by its escapes, HZ by its braces, UTF-7 by its blocks."""

from __future__ import annotations

import re

_ISO_2022 = (
    (b"\x1b$", "iso2022_jp_2"),
    (b"\x1b(I", "iso2022_jp_ext"),
    (b"\x1b(J", "iso2022_jp"),
)
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_BLOCK = re.compile(rb"\+([A-Za-z0-9+/]*)(-?)")
_MOST_BLOCKS = 4_096
_MOST_COST = 10.0
_AHEAD = 8
"""How much likelier UTF-7 must be than the ASCII that it looks like, as a natural logarithm."""


def by_escapes(data: bytes) -> tuple[str, str] | None:
    """The text and the encoding of bytes with escape sequences; None where they make none."""
    if b"\x1b" not in data:
        return None
    if b"\x1b$)C" in data and b"\x0e" in data:
        return _decoded(data, "iso2022_kr")
    for escape, name in _ISO_2022:
        if escape in data and (found := _decoded(data, name)) is not None:
            return found[0], "iso2022_jp"
    return None


def by_blocks(data: bytes) -> tuple[str, str] | None:
    """The text and the encoding of ASCII bytes that stand for other characters; None where they are what they seem."""
    if b"~{" in data and _HZ.search(data):
        return _decoded(data, "hz")
    if b"+" in data and _is_utf_7(data):
        return _decoded(data, "utf-7")
    return None


def _decoded(data: bytes, name: str) -> tuple[str, str] | None:
    try:
        return data.decode(name), name
    except (UnicodeDecodeError, ValueError):
        return None


def _is_utf_7(data: bytes) -> bool:
    """Whether every plus sign begins a block, and the blocks hold characters of a language."""
    made: list[str] = []
    for found in _BLOCK.finditer(data):
        if not found[1]:
            if not found[2]:
                return False  # a plus sign that is one
            continue
        text = _unpacked(found[1])
        if text is None:
            return False
        made.append(text)
        if len(made) >= _MOST_BLOCKS:
            break
    characters = "".join(made)
    # Letters and signs of ASCII have no need of blocks.
    if not characters or sum(character < "\x80" for character in characters) > len(characters) // 2:
        return False
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    sample = data[:16_384]
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    try:
        text = sample.decode("utf-7")
    except UnicodeDecodeError:
        return False
    cost, _, fit = text_cost(text, 1.0)
    return fit < _MOST_COST and cost + _AHEAD * SCALE < text_cost(sample.decode("ascii", "replace"), 1.0)[0]


def _unpacked(block: bytes) -> str | None:
    """The characters of a block: whole units, and nothing but zero bits after them."""
    bits = len(block) * 6
    units, rest = divmod(bits, 16)
    if not units or rest >= 6:
        return None
    try:
        return (b"+" + block + b"-").decode("utf-7")
    except UnicodeDecodeError:
        return None
