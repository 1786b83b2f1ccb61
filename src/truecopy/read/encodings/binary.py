"""Which bytes are no text at all.

Control characters do not make a text binary: records are padded with NUL, load files have U+0014 between fields and þ
around them, others U+0001 or U+001C to U+001F, pages end in form feeds. Data are binary if they are full of
control bytes of many kinds, or if what is left without those that divide reads as no language.
"""

from __future__ import annotations

import re

_SAMPLE = 4_096
_LARGE_SAMPLE = 65_536
_PRINTED_ASCII = bytes(range(32, 127)) + b"\t\r\n\f"
# Control bytes that texts do not have; form feed, escape (ISO-2022), and the DOS end of file are left out.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x08\x0e\x0f\x1a\x1b"))
_CONTROL_SET = frozenset(_CONTROLS)
_WORD_BYTE = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_WORD = re.compile(rb"[A-Za-z\x80-\xff][a-z\x80-\xff]{3}")
_HIGH = bytes(range(128, 256))
_NO_LETTERS = bytes(range(65)) + bytes(range(91, 97)) + bytes(range(123, 128))
QUOTE = b"\xfe"
_QUOTED = b"\xfe\x14\xfe"
"""Load files of Concordance: þ around fields and U+0014 between them, in code page 1252."""
_QUOTED_FIELDS = 2
_AS_LINES = bytes.maketrans(b"\x14", b"\n")
_PIECE = 4_096
_FEW = 0.05
_LEAST = 24
"""Bytes that show whether data are a text."""
_DIVIDERS = re.compile(b"[" + re.escape(_CONTROLS) + b"]+")
_HARDLY_ANY = 0.002
_MANY_KINDS = 12
"""Kinds of control bytes that no text has."""
_UNPRINTED = frozenset(range(32)).difference(b"\t\n\r\f") | {127}
_SHORT = 256
_NOISE = 9.5
"""What a character costs, on average, of so few bytes that are no text."""
_MOST_KINDS = 4
"""Kinds of control bytes that may divide fields, records and values."""
# What a pair beyond ASCII costs at most: in a text of ASCII with some accents, in one of other letters, in Chinese.
_MOST_COST, _MOST_COST_OF_LETTERS, _MOST_COST_OF_CHARACTERS = 7.5, 5.2, 8.0


def looks_binary(data: bytes) -> bool:
    """Whether more than a twentieth of the first bytes (and more than two) are control bytes."""
    sample = data[:_SAMPLE]
    return len(sample) - len(sample.translate(None, _CONTROLS)) > max(2, len(sample) // 20)


def is_binary(data: bytes, utf8: bool) -> bool:
    """Whether bytes are no text in any encoding of single or double bytes."""
    if utf8:
        return looks_binary(data) and not _is_divided_utf8(data)
    # Not only the beginning: binary data may have a printed header.
    sample = spread(data)
    controls = _controls(sample)
    if controls > _HARDLY_ANY and len(_CONTROL_SET.intersection(sample)) >= _MANY_KINDS:
        return True
    return (looks_binary(data) or controls > _FEW) and not _is_divided(sample)


def is_noise(data: bytes, text: str) -> bool:
    """Whether a few bytes that are no UTF-8 are no text either: the best that can be made of them is no language.

    One control byte alone does not tell, and strange letters alone do not either: they may be a language or an encoding
    that there are no tables of. Both together are no text. (Texts of DOS end in U+001A, records in NUL.)
    """
    from truecopy.read.encodings import mixed
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    if len(data) > _SHORT or not _UNPRINTED.intersection(data.rstrip(b"\x1a\0")) or mixed.is_mostly_utf8(data):
        return False
    return text_cost(text, 1.0)[0] > _NOISE * SCALE * (len(text) + 1)


def is_load_file(data: bytes) -> bool:
    """Whether þ is around fields and U+0014 between them."""
    return data.count(_QUOTED, 0, _LARGE_SAMPLE) >= _QUOTED_FIELDS


def without_quotes(data: bytes) -> bytes:
    """The fields of a load file, each a line: what tells its encoding."""
    return data.translate(_AS_LINES, QUOTE)


def as_lines(data: bytes) -> bytes:
    """The data with a line end in place of control bytes: padding and separators say nothing about an encoding."""
    return _DIVIDERS.sub(b"\n", data) if len(data.translate(None, _CONTROLS)) < len(data) else data


def spread(data: bytes) -> bytes:
    """Pieces from all over the data, both ends among them."""
    if len(data) <= _LARGE_SAMPLE:
        return data
    step = (len(data) - _PIECE) // (_LARGE_SAMPLE // _PIECE - 1) // 2 * 2  # even, for UTF-16
    return b"".join(data[at : at + _PIECE] for at in range(0, len(data) - _PIECE + 1, step))


def _controls(sample: bytes) -> float:
    """The share of control bytes."""
    return (len(sample) - len(sample.translate(None, _CONTROLS))) / max(len(sample), 1)


def _is_divided_utf8(data: bytes) -> bool:
    """Whether valid UTF-8 with many control characters is a text: half of it may be controls that divide something."""
    shown = (data[:_LARGE_SAMPLE] + data[_LARGE_SAMPLE:][-_LARGE_SAMPLE:]).translate(None, b"\0")
    if not shown:
        return True  # nothing but padding
    plain = shown.translate(None, _CONTROLS)
    controls = len(shown) - len(plain)
    return not controls or (2 * controls <= len(shown) and _WORD_BYTE.search(plain) is not None)


def _is_divided(sample: bytes) -> bool:
    """Whether bytes in another encoding with many control bytes are a text: they divide what reads as a language."""
    shown = sample.translate(None, b"\0")
    controls = len(shown) - len(shown.translate(None, _CONTROLS))
    kinds = len(_CONTROL_SET.intersection(shown))
    if 2 * controls > len(shown) or kinds > (_MOST_KINDS if 50 * controls > len(shown) else 2 * _MOST_KINDS):
        return False
    # Each field is a line: a letter alone between two control bytes is none.
    fields = _DIVIDERS.sub(b"\n", sample.translate(None, QUOTE) if is_load_file(sample) else sample)
    printed = len(fields) - len(fields.translate(None, _PRINTED_ASCII))
    # The same few bytes again and again are a pattern, not a text; fields of a load file may all be empty.
    told = fields if is_load_file(sample) else b"\n".join(dict.fromkeys(fields.split(b"\n")))
    if len(told) < _LEAST:
        # … unless the few are words: records may all be the same.
        return len(fields) >= _LEAST and kinds <= 2 and _are_words(told) and _reads(told, _MOST_COST)
    if kinds <= 2 and 20 * printed >= 19 * len(fields):
        return True
    if 10 * printed >= 7 * len(fields):
        return fields.isascii() or _reads(fields, _MOST_COST)
    return kinds <= _MOST_KINDS and _reads(fields, _MOST_COST_OF_LETTERS)


def _are_words(fields: bytes) -> bool:
    """Whether fields are letters nearly throughout, most of them ASCII, and one of them is as long as a word."""
    letters = fields.translate(None, _NO_LETTERS)
    shown = len(fields) - fields.count(b"\n")
    high = len(letters) - len(letters.translate(None, _HIGH))
    return 10 * len(letters) >= 9 * shown and 2 * high <= len(letters) and _WORD.search(fields) is not None


def _reads(data: bytes, most: float) -> bool:
    """Whether bytes without controls read as some language."""
    from truecopy.read.encodings.guess import by_character, evidence, guesses

    best = guesses(evidence(data))[0]
    return best.fit < (_MOST_COST_OF_CHARACTERS if by_character(best.language) else most)
