"""UTF-16 and UTF-32: by their mark, by where their zero bytes are, or by the characters that they make."""

from __future__ import annotations

import codecs
from array import array

_SAMPLE = 4_096
_PRINTED_ASCII = bytes(range(32, 127)) + b"\t\r\n\f"
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_MOST_KINDS = 3
MOST_COST_OF_ZEROS = 9.0
MOST_COST = 8.5
"""What a character of a text costs at most, on average; of data that are no text, it costs 11 or more. Where zero
bytes speak for UTF-16 too, a text may be in a language that there are no tables of."""


def marked(data: bytes) -> str:
    """The encoding that a byte order mark names; "" without one."""
    return next((name for mark, name in _MARKS if data.startswith(mark)), "")


def by_zeros(data: bytes) -> str:
    """UTF-16 or UTF-32 without a mark by where the zero bytes are; "" where it is neither."""
    # The end too: the only ASCII of a Japanese text may be its last line end.
    sample = data[:_SAMPLE] + data[_SAMPLE:][-_SAMPLE - len(data) % 4 :]
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
    if odd > 4 * even and _is_text(sample, "utf-16-le"):
        return "utf-16-le"
    if even > 4 * odd and _is_text(sample, "utf-16-be"):
        return "utf-16-be"
    return ""


def by_characters(data: bytes) -> str:
    """UTF-16 without a mark by what characters it makes: Chinese, Japanese and Korean have hardly any zero byte.

    Only for data that would be binary otherwise, or are full of bytes beyond ASCII.
    """
    if len(data) % 2 or len(data) < 16 or 5 * data.count(0) > len(data):
        return ""
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    sample = data[: 2 * _SAMPLE]
    best = ""
    least = MOST_COST
    for name in ("utf-16-le", "utf-16-be"):
        text = sample.decode(name, "replace")
        if "\ufffd" in text[:-1]:
            continue
        cost = text_cost(text, 1.0)[0] / SCALE / (len(text) + 1)
        if cost < least:
            best, least = name, cost
    return best


def reads(data: bytes, encoding: str) -> bool:
    """Whether what has zero bytes like UTF-16 or UTF-32 reads as a language: tables of numbers have them as well."""
    from truecopy.read.encodings.binary import spread
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    text = spread(data)[: 4 * _SAMPLE].decode(encoding, "replace").replace("\0", "")
    controls = {character for character in text if character < " " and character not in "\t\r\n\f"}
    if len(controls) <= _MOST_KINDS:
        for character in controls:
            text = text.replace(character, "\n")
    return text_cost(text, 1.0)[0] <= MOST_COST_OF_ZEROS * SCALE * (len(text) + 1)


def decoded(data: bytes, encoding: str) -> str:
    """Cut-off last units become U+FFFD, as do lone surrogates: nothing is dropped."""
    return data.decode(encoding, "replace").removeprefix("\ufeff")


def _is_text(sample: bytes, encoding: str) -> bool:
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
    return len(odd) < 0.1 * len(text) or (2 * len(odd) <= len(text) and len(set(odd)) <= 3 and max(odd) < " ")
