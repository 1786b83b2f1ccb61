"""Bytes of a plain text, in any common encoding, to text; None if the bytes are not text.

UTF-8 is tried first: bytes that are valid UTF-8 and hold more than ASCII are practically never anything
else. Then come marked and unmarked UTF-16 and UTF-32, an encoding that the file declares (HTML, e-mail),
the Latin code pages by their letters (`latin.py`), and charset-normalizer over a sample for the rest.

Control characters do not make a text binary: records are padded with NUL, fields divided by U+0001, pages by
form feeds. Data are binary if they are not valid UTF-8 and are full of control bytes of many kinds.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Callable

from truecopy.read.latin import latin_page

_SAMPLE = 4_096
_LARGE_SAMPLE = 65_536
_WIDE_SAMPLE = 4_096
_DETECTED_SAMPLE = 8_192
_PRINTED_ASCII = bytes(range(32, 127)) + b"\t\r\n\f"
# Control bytes that texts do not have; form feed, escape (ISO-2022), and the DOS end of file are left out.
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\v\x08\x0e\x0f\x1a\x1b"))
_CONTROL_SET = frozenset(_CONTROLS)
_WORD_BYTE = re.compile(rb"[0-9A-Za-z\x80-\xff]")
_HIGH = bytes(range(128, 256))
_LINES_BEYOND_ASCII = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_BEYOND_ASCII = re.compile("[^\x00-\x7f\ufffd]+")
_SURROGATES = re.compile("[\ud800-\udfff]")
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MEANT = {
    "ascii": "",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    # Python's own, which documents do not use.
    **dict.fromkeys(("unicode-escape", "raw-unicode-escape", "idna", "punycode", "undefined"), ""),
}
# Encodings of legal texts beside UTF-8 and the Latin pages.
_PAGES = [
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
    *("koi8_r", "cp1251", "cp866", "iso8859_5", "cp1253", "cp1255", "cp1256"),
    *("cp1252", "cp1250", "iso8859_2", "cp1254", "cp1257"),
]


def to_utf8(data: bytes, is_utf8: Callable[[bytes], bool] | None = None) -> bytes | None:
    """The text as valid UTF-8 without byte order mark; None if the bytes are not text.

    `is_utf8` replaces Python's own check.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in data:
        encoding = _wide_encoding(data)
        if encoding:
            return _wide(data, encoding).encode()
    utf8 = data.isascii() or (is_utf8 or _is_utf8)(data)
    if looks_binary(data) and not _text_with_controls(data, utf8):
        return None
    if 0x1B in data and b"\x1b$" in data:
        try:
            return data.decode("iso2022_jp_2").encode()
        except UnicodeDecodeError:
            pass
    if utf8:
        return data
    damaged = _damaged_utf8(data)
    if damaged is not None:
        return damaged.encode()
    return _decoded_as(data, _page(data)).encode()


def decode(data: bytes, declared: str = "") -> str | None:
    """The text as a string; `declared` is the encoding that the document itself names, if any."""
    page = _known_page(declared) if declared else ""
    if page and not _is_utf8(data) and not _wide_encoding(data):
        try:
            return _SURROGATES.sub("\ufffd", _decoded_as(data, page, "strict"))
        except (UnicodeError, LookupError):
            pass  # the document is wrong about itself: find out
    text = to_utf8(data)
    return None if text is None else text.decode()


def looks_binary(data: bytes) -> bool:
    """Whether more than a twentieth of the first bytes (and more than two) are control bytes."""
    sample = data[:_SAMPLE]
    return len(sample) - len(sample.translate(None, _CONTROLS)) > max(2, len(sample) // 20)


def is_text(data: bytes) -> bool:
    """Whether the bytes are a text in some encoding, as far as a sample tells."""
    sample = data[:_LARGE_SAMPLE]
    return not looks_binary(sample) or to_utf8(sample) is not None


def _text_with_controls(data: bytes, utf8: bool) -> bool:
    """Whether bytes with many control bytes are a text after all."""
    # Both ends: a text may begin with a padded header, and binary data with a printed one.
    shown = (data[:_LARGE_SAMPLE] + data[_LARGE_SAMPLE:][-_LARGE_SAMPLE:]).translate(None, b"\0")
    printed = len(shown) - len(shown.translate(None, _PRINTED_ASCII))
    plain = shown.translate(None, _CONTROLS)
    controls = len(shown) - len(plain)
    if not shown:
        return True  # nothing but padding
    if utf8:
        # Half of it may be controls, as long as they divide something.
        return not controls or (2 * controls <= len(shown) and _WORD_BYTE.search(plain) is not None)
    kinds = len(set(shown) & _CONTROL_SET)
    # Another encoding: printed ASCII for the most part, and controls few or of the one or two kinds that divide fields.
    return 10 * printed >= 5 * len(shown) and (
        50 * controls <= len(shown) or (kinds <= 2 and 4 * controls <= len(shown))
    )


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _damaged_utf8(data: bytes) -> str | None:
    """UTF-8 that is cut off, holds surrogates or is broken in a few places; None for anything else."""
    try:
        text = data.decode("utf-8", "surrogatepass")
        # Pairs are joined, single ones replaced.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        if error.end == len(data) and error.reason == "unexpected end of data":
            return text
    beyond = sum(map(len, _BEYOND_ASCII.findall(text)))
    return text if beyond > 8 * text.count("\ufffd") else None


def _wide_encoding(data: bytes) -> str:
    """UTF-16 or UTF-32 by its mark or, without one, by where the zero bytes are."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    # The end too: the only ASCII of a Japanese text may be its last line end.
    sample = data[:_WIDE_SAMPLE] + data[_WIDE_SAMPLE:][-_WIDE_SAMPLE - len(data) % 4 :]
    quarter = len(sample) // 4
    if quarter == 0 or 0 not in sample:
        return ""
    zeros = [sample[at : 4 * quarter : 4].count(0) for at in range(4)]
    if zeros[3] == quarter and zeros[2] > 0.9 * quarter and zeros[0] < 0.1 * quarter and _reads(sample, "utf-32-le"):
        return "utf-32-le"
    if zeros[0] == quarter and zeros[1] > 0.9 * quarter and zeros[3] < 0.1 * quarter and _reads(sample, "utf-32-be"):
        return "utf-32-be"
    # Padding says nothing about the side on which the zero bytes of characters are.
    units = array("H", sample[: len(sample) // 2 * 2])
    sample = array("H", filter(None, units)).tobytes()
    padding = units.count(0)
    # Even a Chinese text has ASCII line ends, spaces or figures, whose zero bytes are all on one side.
    even, odd = zeros[0] + zeros[2] - padding, zeros[1] + zeros[3] - padding
    # (Not quite all: a few ideographs and syllables end in a zero byte themselves.)
    if odd > 4 * even and _is_wide_text(sample, "utf-16-le"):
        return "utf-16-le"
    if even > 4 * odd and _is_wide_text(sample, "utf-16-be"):
        return "utf-16-be"
    return ""


def _is_wide_text(sample: bytes, encoding: str) -> bool:
    zeros = sample.count(0)
    ascii_bytes = len(sample) - len(sample.translate(None, _PRINTED_ASCII))
    if zeros < 0.45 * len(sample) and ascii_bytes > 0.95 * (len(sample) - zeros):
        return False  # ASCII with stray zero bytes, which read as pairs would look like Chinese
    return _reads(sample, encoding)


def _reads(sample: bytes, encoding: str) -> bool:
    """Whether a sample in that encoding is a text: printed characters, and controls few or of the kinds that divide."""
    text = sample.decode(encoding, "replace")
    if not text:
        return False  # nothing but padding
    odd = [character for character in text if not character.isprintable() and character not in "\t\r\n\f"]
    return len(odd) < 0.1 * len(text) or (4 * len(odd) <= len(text) and len(set(odd)) <= 2 and max(odd) < " ")


def _wide(data: bytes, encoding: str) -> str:
    """Cut-off last units become U+FFFD, as do lone surrogates: nothing is dropped."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _known_page(declared: str) -> str:
    """The encoding that a name means in practice, not by definition; "" if it is not an encoding."""
    try:
        name = codecs.lookup(declared).name
    except (LookupError, ValueError):
        return ""
    # A text that names the standard is nearly always in Microsoft's extension of it.
    return _MEANT.get(name, name)


def _decoded_as(data: bytes, page: str, errors: str = "replace") -> str:
    if page == "cp1252":
        # Five bytes have no meaning in code page 1252; they stay the control characters that Latin-1 has.
        return "".join(_by_latin_1(data))
    return data.decode(page, errors)


def _by_latin_1(data: bytes) -> list[str]:
    parts = []
    while data:
        try:
            parts.append(data.decode("cp1252"))
            break
        except UnicodeDecodeError as error:
            parts.append(data[: error.start].decode("cp1252"))
            parts.append(data[error.start : error.end].decode("latin-1"))
            data = data[error.end :]
    return parts


def _page(data: bytes) -> str:
    """The code page, from the lines that hold more than ASCII; 1252 if nothing suggests another."""
    sample = bytearray()
    for line in _LINES_BEYOND_ASCII.finditer(data):
        sample += line[0][: _DETECTED_SAMPLE - len(sample)]
        if len(sample) >= _DETECTED_SAMPLE:
            break
    page = latin_page(bytes(sample))
    if page:
        return page
    if len(sample) - len(sample.translate(None, _HIGH)) < 3:
        return "cp1252"  # one or two odd characters prove nothing
    # charset-normalizer is imported where it is needed: most collections are UTF-8 throughout.
    from charset_normalizer import from_bytes

    best = from_bytes(bytes(sample), cp_isolation=_PAGES, enable_fallback=False).best()
    return "cp1252" if best is None else best.encoding
