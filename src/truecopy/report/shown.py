"""Numbers and foreign text as people see them: the same in the HTML file and in the workbook.

A similarity that is not 100 is never shown as 100. File names and texts come from others: control
characters and marks that turn the reading direction around are made visible, and what is not valid
Unicode (a name that was not UTF-8) is replaced, so that it can be written at all.
"""

from __future__ import annotations

import re

_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_NO_TEXT = "\x7f-\x9f\ud800-\udfff\ufffe\uffff"
# A tab or a line end in a name is as odd as any other control character; in a text it is normal.
_ODD_NAME = re.compile(f"[\x00-\x1f{_NO_TEXT}{_DIRECTIONS}]")
_ODD_TEXT = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f{_NO_TEXT}{_DIRECTIONS}]")


def _visible(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)  # the picture of the control character
    return f"[U+{code:04X}]" if 0x2000 <= code < 0x2100 else "�"


def name(value: str) -> str:
    """A file name or a reason, safe to show on one line."""
    return _ODD_NAME.sub(_visible, value)


def text(value: str) -> str:
    """Document text, safe to show, lines kept."""
    return _ODD_TEXT.sub(_visible, value)


def similarity(value: float) -> str:
    """With one decimal; 100.0 only where the texts are equal.

    >>> similarity(96.44), similarity(99.98), similarity(100.0)
    ('96.4', '99.9', '100.0')
    """
    return f"{value if value >= 100 else min(value, 99.9):.1f}"


def exact(value: float) -> float:
    """To four decimals, as in JSON; 100 only where the texts are equal."""
    return 100.0 if value >= 100 else min(round(value, 4), 99.9999)


def share(value: float) -> str:
    """A share of all documents, in percent with one decimal; shown as 0 or 100 only if it is exactly that.

    >>> share(0.0), share(0.001), share(99.99), share(33.333)
    ('0 %', '< 0.1 %', '> 99.9 %', '33.3 %')
    """
    if value in (0, 100):
        return f"{value:.0f} %"
    if value < 0.1:
        return "< 0.1 %"
    if value > 99.9:
        return "> 99.9 %"
    return f"{value:.1f} %"


def count(value: int) -> str:
    """A whole number with its thousands set apart.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def plural(value: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> plural(1, "group"), plural(1200, "group"), plural(0, "copy", "copies")
    ('1 group', '1,200 groups', '0 copies')
    """
    return f"{value:,} {one if value == 1 else many or one + 's'}"


def threshold(value: float) -> str:
    """A threshold as the user gave it.

    >>> threshold(80.0), threshold(82.5)
    ('80', '82.5')
    """
    return f"{value:.4f}".rstrip("0").rstrip(".")


def to_the_minute(value: str) -> str:
    """An ISO 8601 instant, to the minute.

    >>> to_the_minute("2026-11-15T21:59:55Z")
    '2026-11-15 21:59 UTC'
    """
    found = re.match(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)", value)
    return f"{found[1]} {found[2]} UTC" if found else value
