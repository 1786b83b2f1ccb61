"""Code pages of one byte a character: which there are, how common they are, and decoding in one pass.

Where two standards agree in all that texts have, the larger one stands for both: code page 1252 for Latin-1, 1254
for Latin-5, 1255 for ISO 8859-8, 874 for TIS-620.
"""

from __future__ import annotations

import codecs
from functools import cache

import numpy as np

from truecopy.array_types import I64

# How much rarer than code page 1252, as a logarithm: what decides where the letters do not.
RARITY = {
    "cp1252": 0.0,
    **dict.fromkeys(("cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874"), 6.0),
    **dict.fromkeys(("iso8859-15", "iso8859-2", "iso8859-5", "iso8859-7", "koi8-r", "cp1258"), 8.0),
    **dict.fromkeys(("cp437", "cp850", "cp852", "cp866", "mac-roman", "koi8-u", "iso8859-6", "cp862"), 12.0),
    **dict.fromkeys(("iso8859-13", "mac-cyrillic", "mac-latin2", "mac-greek", "mac-turkish", "cp857", "cp1125"), 13.0),
    **dict.fromkeys(("cp737", "cp775", "cp855", "cp858", "iso8859-4"), 14.0),
    **dict.fromkeys(("cp720", "cp860", "cp861", "cp863", "cp865", "cp869"), 16.0),
    # Romanian with commas below in place of cedillas, at the same bytes: hardly ever used.
    "iso8859-16": 20.0,
}
EBCDIC = {"cp037": 8.0, "cp1140": 9.0, "cp500": 10.0, "cp273": 12.0, "cp424": 14.0, "cp875": 14.0, "cp1026": 16.0}
"""IBM's pages, in which not even the letters of ASCII are where they are elsewhere."""
UNDEFINED = 0xFFFD


@cache
def table(page: str) -> str:
    """The 256 characters of a page; U+FFFD where a byte has no meaning."""
    characters = [bytes([byte]).decode(page, "replace") for byte in range(256)]
    if page == "cp1252":
        # Five bytes have no meaning; they stay the control characters that Latin-1 has.
        characters = [chr(at) if found == "\ufffd" else found for at, found in enumerate(characters)]
    if page in EBCDIC:
        characters[0x15] = "\n"  # a "new line", which mainframes write where others have a line feed
    return "".join(characters)


@cache
def code_points(page: str) -> I64:
    """The same as an array."""
    return np.frombuffer(table(page).encode("utf-16-le"), np.uint16).astype(np.int64)


def decoded(data: bytes, page: str) -> str:
    """The text, in one pass whatever the bytes are; bytes without meaning become U+FFFD."""
    return codecs.charmap_decode(data, "strict", table(page))[0]


def is_single(page: str) -> bool:
    """Whether a page is one of these."""
    return page in RARITY or page in EBCDIC
