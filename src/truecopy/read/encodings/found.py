"""A text as it was read from bytes."""

from __future__ import annotations

from typing import NamedTuple

CERTAIN = 100
DOUBTFUL = 95
"""Below this confidence, a text is read with doubt."""


class Decoded(NamedTuple):
    """The text, its encoding, and how sure that is."""

    text: bytes
    """Valid UTF-8 without a byte order mark."""
    encoding: str
    """`utf-8`, `cp1252` …; two with a plus between them where both are in the text."""
    confidence: int = CERTAIN
    """0 to 100; 100 where it is certain: a mark, valid UTF-8, ASCII, or what the user or the document said."""
    doubt: str = ""
    """What may be wrong, as a sentence without its full stop; "" where nothing suggests it."""


def as_decoded(text: str, encoding: str, confidence: int = CERTAIN, doubt: str = "") -> Decoded:
    """The same from a string; what is no character in UTF-8 becomes U+FFFD."""
    try:
        return Decoded(text.encode(), encoding, confidence, doubt)
    except UnicodeEncodeError:
        # Pairs are joined, single ones replaced.
        joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        return Decoded(joined.encode(), encoding, confidence, doubt)
