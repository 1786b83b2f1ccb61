"""Encodings by any name that people, web pages and e-mails give them."""

from __future__ import annotations

import codecs
from difflib import get_close_matches

from truecopy.errors import BadSetting

# What a name means in practice: a text that names a standard is nearly always in Microsoft's extension of it.
_MEANT = {
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-8": "cp1255",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-8-sig": "utf-8",
    "mac-centeuro": "mac-latin2",
}
_ALIASES = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-gbk": "gb18030",
    "x-euc-jp": "euc_jp",
    "iso-8859-8-i": "cp1255",
    "windows-874": "cp874",
    "x-mac-roman": "mac-roman",
    "macintosh": "mac-roman",
    "x-mac-cyrillic": "mac-cyrillic",
    "ansi": "cp1252",
    "ebcdic": "cp037",
    "x-cp1252": "cp1252",
    "unicode-1-1-utf-7": "utf-7",
    "ks_c_5601-1987": "cp949",
    "hz-gb-2312": "hz",
}
# Codecs of Python that are not encodings of documents.
_NOT_OF_DOCUMENTS = frozenset(("unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined", "mbcs", "oem"))
_OFFERED = (
    "utf-8 utf-16 utf-16-le utf-16-be utf-32 utf-7 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "cp874 iso8859-1 iso8859-2 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-9 iso8859-13 iso8859-15 "
    "koi8-r koi8-u cp437 cp850 cp852 cp855 cp857 cp862 cp866 cp737 cp775 mac-roman mac-cyrillic mac-latin2 mac- "
    "greek mac-turkish cp037 cp273 cp500 cp1140 cp1026 cp932 euc_jp shift_jis gb18030 gbk hz big5 cp949 euc_kr "
    "iso2022_jp iso2022_kr windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 "
    "windows-1256 windows-1257 latin-1 "
).split()


def meant(name: str) -> str:
    """The encoding that a name means in practice; "" where it is none of texts, or plain ASCII."""
    lowered = name.strip().lower()
    try:
        codec = codecs.lookup(_ALIASES.get(lowered, lowered))
    except (LookupError, ValueError):
        return ""
    # Codecs from bytes to bytes (hex, zlib) are marked in this way only.
    if not getattr(codec, "_is_text_encoding", True) or codec.name in _NOT_OF_DOCUMENTS:
        return ""
    return "" if codec.name == "ascii" else _MEANT.get(codec.name, codec.name)


def given(name: str) -> str:
    """The encoding that a user names; refused with near names where there is none of that name."""
    if name.strip().lower() in ("ascii", "us-ascii"):
        return "cp1252"  # what is beyond ASCII must be something
    found = meant(name)
    if not found:
        near = get_close_matches(name.strip().lower(), _OFFERED, n=3, cutoff=0.5)
        hint = (
            f"Did you mean {', '.join(near[:-1]) + ' or ' if near[1:] else ''}{near[-1]}?"
            if near
            else ("Give a name such as cp1252, iso8859-2, cp1255, koi8-r or utf-16-le.")
        )
        raise BadSetting(f"There is no encoding named {name!r}.", hint)
    return found


def is_beyond_ascii(name: str) -> bool:
    """Whether ASCII characters are other bytes in this encoding, or ASCII bytes other characters."""
    try:
        return bytes(range(32, 127)).decode(name) != bytes(range(32, 127)).decode() or name in ("utf-7", "hz")
    except (UnicodeDecodeError, LookupError):
        return True
