"""UTF-8 that is cut off or damaged, and UTF-8 mixed with a code page in one file, each in one pass.

Whatever is a valid sequence of UTF-8 is read as that, all other bytes by the page. Files that were put together from
several, or edited by two programs, are like this.
"""

from __future__ import annotations

import re

from truecopy.read.encodings.classes import SCALE
from truecopy.read.encodings.guess import Guess, evidence, guesses, sample_of, text_cost
from truecopy.read.encodings.pages import RARITY, table

_SEQUENCES = re.compile(
    rb"(?:[\xc2-\xdf][\x80-\xbf]|\xe0[\xa0-\xbf][\x80-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]{2}|\xed[\x80-\x9f][\x80-\xbf]"
    rb"|\xf0[\x90-\xbf][\x80-\xbf]{2}|[\xf1-\xf3][\x80-\xbf]{3}|\xf4[\x80-\x8f][\x80-\xbf]{2})"
)
_STRAYS = re.compile("[\udc80-\udcff]+")
_HIGH = bytes(range(128, 256))
_SURELY_UTF8 = 8
"""Valid sequences beside which one stray byte is damage."""
_MIXING = 16.0
"""How unlikely a mixed file is, as a logarithm."""


def cut_off(data: bytes) -> str | None:
    """UTF-8 whose last character is not whole; None for anything else."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        if error.end == len(data) and error.reason == "unexpected end of data" and not data[: error.start].isascii():
            return data.decode("utf-8", "replace")
    return None


def with_surrogates(data: bytes) -> str | None:
    """UTF-8 that holds the halves of UTF-16; None for anything else."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def is_part_utf8(data: bytes) -> bool:
    """Whether some of the bytes are valid sequences of UTF-8."""
    return _SEQUENCES.search(data) is not None


def is_mostly_utf8(data: bytes) -> bool:
    """Whether at least half of the bytes beyond ASCII are in valid sequences of UTF-8."""
    rest = _SEQUENCES.sub(b"", data)
    return 2 * _beyond_ascii(rest) <= _beyond_ascii(data)


def _beyond_ascii(data: bytes) -> int:
    return len(data) - len(data.translate(None, _HIGH))


def damaged(data: bytes) -> str:
    """The text with U+FFFD in place of each run of bytes that are no UTF-8."""
    return _STRAYS.sub("\ufffd", data.decode("utf-8", "surrogateescape"))


def mixed(data: bytes, page: str) -> str:
    """The text with bytes that are no UTF-8 read by a page."""
    characters = table(page)
    strays = {0xDC00 + byte: characters[byte] for byte in range(128, 256)}
    return data.decode("utf-8", "surrogateescape").translate(strays)


def weighed(data: bytes, best: Guess, weight: float) -> tuple[str, str]:
    """("utf-8" or "", the page that the other bytes are in): which way to read a mixed file is likeliest.

    ("", "") where the best guess for all bytes is likelier; ("utf-8", "") where the other bytes are damage.
    """
    if _is_one_stray(data):
        return "utf-8", ""
    sample = sample_of(data)
    whole = _cost_as(sample, best.encoding, weight)
    rest = _SEQUENCES.sub(b"", sample)
    pages = ["cp1252"]
    if not rest.isascii():
        ranked = guesses(evidence(rest))
        pages += [guess.encoding for guess in ranked if guess.encoding in RARITY][:1]
    costs = [(text_cost(mixed(sample, page), weight, _MIXING + RARITY[page])[0], page) for page in dict.fromkeys(pages)]
    each = sample.decode("utf-8", "surrogateescape").translate(dict.fromkeys(range(0xDC80, 0xDD00), 0xFFFD))
    costs.append((text_cost(each, weight, _MIXING / 2)[0], ""))
    least, page = min(costs, key=lambda each: each[0])
    return ("utf-8", page) if least < whole else ("", "")


def _is_one_stray(data: bytes) -> bool:
    """Whether one byte alone is no UTF-8, and no letter of ASCII is beside it that it could belong to."""
    text = data.decode("utf-8", "surrogateescape")
    found = _STRAYS.findall(text)
    if len(found) != 1 or len(_SEQUENCES.findall(data)) < _SURELY_UTF8:
        return False
    at = text.index(found[0])
    beside = text[max(at - 1, 0) : at] + text[at + len(found[0]) :][:1]
    return not any(character.isascii() and character.isalpha() for character in beside)


def strays(data: bytes) -> int:
    """How many runs of bytes are no UTF-8."""
    return len(_STRAYS.findall(data.decode("utf-8", "surrogateescape")))


def _cost_as(sample: bytes, encoding: str, weight: float) -> int:
    if encoding in RARITY:
        from truecopy.read.encodings.pages import decoded

        return text_cost(decoded(sample, encoding), weight, RARITY[encoding])[0]
    text = sample.decode(encoding, "replace")
    return text_cost(text, weight)[0] + SCALE
