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
# Around fields: þ in code page 1252, which other bytes beyond ASCII are seldom next to.
_QUOTE = 0xFE
_MOST_KINDS = 4
_MOST_COST = 7.0


def looks_binary(data: bytes) -> bool:
    """Whether more than a twentieth of the first bytes (and more than two) are control bytes."""
    sample = data[:_SAMPLE]
    return len(sample) - len(sample.translate(None, _CONTROLS)) > max(2, len(sample) // 20)


def is_text_with_controls(data: bytes, utf8: bool) -> bool:
    """Whether bytes with many control bytes are a text after all."""
    # Both ends: a text may begin with a padded header, and binary data with a printed one.
    shown = (data[:_LARGE_SAMPLE] + data[_LARGE_SAMPLE:][-_LARGE_SAMPLE:]).translate(None, b"\0")
    if not shown:
        return True  # nothing but padding
    plain = shown.translate(None, _CONTROLS)
    controls = len(shown) - len(plain)
    if utf8:
        # Half of it may be controls, as long as they divide something.
        return not controls or (2 * controls <= len(shown) and _WORD_BYTE.search(plain) is not None)
    kinds = len(set(shown) & _CONTROL_SET)
    unquoted = plain.translate(None, bytes([_QUOTE])) if _is_quoted(shown) else plain
    printed = len(unquoted) - len(unquoted.translate(None, _PRINTED_ASCII))
    # Another encoding: printed ASCII for the most part, and controls few or of the kinds that divide fields.
    if 2 * printed >= len(unquoted) and (
        50 * controls <= len(shown) or (kinds <= 2 and (4 * controls <= len(shown) or len(unquoted) < len(plain)))
    ):
        return True
    return kinds <= _MOST_KINDS and 2 * controls <= len(shown) and _reads(unquoted)


def _is_quoted(shown: bytes) -> bool:
    """Whether þ stands around fields: U+0014 after a þ, again and again."""
    return shown.count(b"\xfe\x14\xfe") >= 2


def _reads(data: bytes) -> bool:
    """Whether bytes without controls read as some language."""
    if len(data) < 16 or data.isascii():
        return data.isascii() and _WORD_BYTE.search(data) is not None
    from truecopy.read.encodings.guess import evidence, guesses

    best = guesses(data, evidence(data[:_LARGE_SAMPLE]))[0]
    return best.fit < _MOST_COST
