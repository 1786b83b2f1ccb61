"""Encodings whose bytes are all ASCII: ISO 2022 by its escapes, HZ by its braces, UTF-7 by its blocks."""

from __future__ import annotations

import re
from itertools import islice

_ISO_2022 = (
    (b"\x1b$", "iso2022_jp_2"),
    (b"\x1b(I", "iso2022_jp_ext"),
    (b"\x1b(J", "iso2022_jp"),
)
_HZ = re.compile(rb"~\{(?:[\x21-\x77][\x21-\x7e])+~\}")
_BLOCK = re.compile(rb"\+([A-Za-z0-9+/]*)(-?)")
_SIGNS = "“”„‘’‚«»–—…•§©®™€£°\u00a0"
_MOST_BLOCKS = 4_096
_FEWEST_BLOCKS, _MANY_BLOCKS = 3, 8
_LONG_BLOCK = 8
"""Letters of a block that stand for three characters: no word that follows a plus sign is likely to be one."""
_MOST_COST = 10.0
_MOST_COST_OF_FEW = 12.5
_SAMPLE = 16_384
_AHEAD, _FAR_AHEAD = 8, 20
"""How much likelier UTF-7 must be than the ASCII that it looks like, as a natural logarithm; rare characters: more."""


def by_escapes(data: bytes) -> tuple[str, str] | None:
    """The text and the encoding of bytes with escape sequences; None where they make none."""
    if 0x1B not in data:
        return None
    if b"\x1b$)C" in data and b"\x0e" in data:
        return _decoded(data, "iso2022_kr")
    for escape, name in _ISO_2022:
        if escape in data and (found := _decoded(data, name)) is not None:
            return found[0], "iso2022_jp"
    return None


def by_blocks(data: bytes) -> tuple[str, str] | None:
    """The text and the encoding of ASCII bytes that stand for other characters; None where they are what they seem."""
    if 0x7E in data and b"~{" in data and _HZ.search(data):  # one byte is found faster than two
        return _decoded(data, "hz")
    if 0x2B in data and _has_enough_blocks(data) and _in_blocks(data) and _is_likelier(data):
        return _decoded(data, "utf-7")
    return None


def may_be_utf_7(data: bytes) -> bool:
    """Whether all plus signs of an ASCII text begin blocks of letters, too few to be sure that it is UTF-7."""
    if 0x2B not in data or not (characters := _in_blocks(data)):
        return False
    return all(character in _SIGNS or (character < "\u1100" and character.isalpha()) for character in characters)


def _decoded(data: bytes, name: str) -> tuple[str, str] | None:
    try:
        return data.decode(name), name
    except (UnicodeDecodeError, ValueError):
        return None


def has_few_blocks(data: bytes) -> bool:
    """Whether the blocks of UTF-7 are so few and short that they may be words after plus signs."""
    blocks = [found[1] for found in islice(_BLOCK.finditer(data), _MOST_BLOCKS) if found[1]]
    return len(blocks) < _MANY_BLOCKS and max(map(len, blocks), default=0) < _LONG_BLOCK


def _has_enough_blocks(data: bytes) -> bool:
    """Whether blocks are several and not all alike, or one is long: `License: ISC+IBM` is ASCII, and stays it."""
    blocks = [found[1] for found in islice(_BLOCK.finditer(data), _MOST_BLOCKS) if found[1]]
    several = len(blocks) >= _FEWEST_BLOCKS and len(set(blocks)) > 1
    return several or max(map(len, blocks), default=0) >= _LONG_BLOCK


def _in_blocks(data: bytes) -> str:
    """The characters of all blocks; "" where a plus sign begins none, or where they are ASCII and need no block."""
    made: list[str] = []
    for found in _BLOCK.finditer(data):
        if not found[1]:
            if not found[2]:
                return ""  # a plus sign that is one
            continue
        text = _unpacked(found[1])
        if text is None:
            return ""
        made.append(text)
        if len(made) >= _MOST_BLOCKS:
            break
    characters = "".join(made)
    return "" if 2 * sum(character < "\x80" for character in characters) > len(characters) else characters


def _is_likelier(data: bytes) -> bool:
    """Whether the text is likelier with the blocks as characters than as they are written."""
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    sample = data[:_SAMPLE]
    sample = sample[: sample.rfind(b"\n") + 1] or sample
    if b"+" not in sample:
        sample = data[data.find(b"+") - _SAMPLE // 4 :][:_SAMPLE]
    try:
        text = sample.decode("utf-7")
    except UnicodeDecodeError:
        return False
    cost, _, fit = text_cost(text, 1.0)
    ahead = (text_cost(sample.decode("ascii", "replace"), 1.0)[0] - cost) / SCALE
    return ahead > (_AHEAD if fit < _MOST_COST else _FAR_AHEAD) and fit < _MOST_COST_OF_FEW


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
