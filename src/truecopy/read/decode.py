"""Bytes of a plain text, in any common encoding, to text; None if the bytes are not text.

What is certain comes first: marks, ASCII, and valid UTF-8, which texts in other encodings practically never are. Then
what the user gave or the document declares, and last what its letters say (`encodings/`). Each text comes with its
encoding, how sure that is, and the doubt where there is one. All of it takes time in proportion to the length.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable, Sequence

from truecopy.read.encodings import binary, seven, wide
from truecopy.read.encodings.binary import looks_binary
from truecopy.read.encodings.found import CERTAIN, DOUBTFUL, Decoded, as_decoded
from truecopy.read.encodings.names import is_beyond_ascii, meant

__all__ = ["Decoded", "declared_text", "decode", "decode_alike", "is_text", "looks_binary", "read_text", "to_utf8"]

_LARGE_SAMPLE = 65_536
_HIGH = bytes(range(128, 256))
_SHORT_SAMPLE = 4_096
_SHORT_TEXT = 16_384
"""Bytes that Python checks in a few microseconds: calling anything else takes longer."""
_FEW_ERRORS = 20
"""Bytes beyond ASCII for each that has no meaning, at least, in a text that is damaged."""
_SURE = 99
_BELIEVED = 30
"""How much likelier (as a natural logarithm) another encoding must be than the one that a document declares."""


def to_utf8(data: bytes, is_utf8: Callable[[bytes], bool] | None = None) -> bytes | None:
    """The text as valid UTF-8 without byte order mark; None if the bytes are not text."""
    found = read_text(data, is_utf8)
    return None if found is None else found.text


def read_text(data: bytes, is_utf8: Callable[[bytes], bool] | None = None, given: str = "") -> Decoded | None:
    """The text with its encoding; None if the bytes are not text.

    `is_utf8` replaces Python's own check, unless the text is short. `given` is the encoding that the user says it is
    in: it is taken for every text without a mark that is not valid UTF-8 (or ASCII) anyway, and that can be in it.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[3:]
        given = ""
    elif data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or 0 in data:
        found = _wide(data, given)
        if found is not None:
            return found
    ascii_only = data.isascii()
    utf8 = ascii_only or (is_utf8 if is_utf8 is not None and len(data) > _SHORT_TEXT else _is_utf8)(data)
    if given and (not utf8 or is_beyond_ascii(given)):
        return _as_given(data, given, utf8, is_utf8)
    if binary.is_binary(data, utf8):
        name = wide.by_characters(data)
        return as_decoded(wide.decoded(data, name), name, DOUBTFUL) if name else None
    if utf8:
        return _seven_bits(data) if ascii_only else Decoded(data, "utf-8")
    found = _load_file(data) if binary.is_load_file(data) else _detected(data)
    return None if binary.is_noise(data, found.text.decode()) else found


def declared_text(data: bytes, declared: str) -> Decoded | None:
    """The text of a document that names its own encoding; it is believed unless the bytes contradict it."""
    page = meant(declared) if declared else ""
    if page and not _is_utf8(data) and not wide.marked(data) and not wide.by_zeros(data):
        text = _strictly(data, page)
        if text is not None and text.isascii():
            return as_decoded(text, page)
        if text is not None:
            return _believed(data, page, text)
    elif page and data.isascii() and is_beyond_ascii(page) and not wide.by_zeros(data):
        text = _strictly(data, page)  # UTF-7, HZ, ISO 2022
        if text is not None:
            return as_decoded(text, page)
    return read_text(data)


def decode(data: bytes, declared: str = "") -> str | None:
    """The text as a string; `declared` is the encoding that the document itself names, if any."""
    found = declared_text(data, declared)
    return None if found is None else found.text.decode()


def decode_alike(pieces: Sequence[bytes]) -> list[str] | None:
    """Short pieces of text (names, say) in one encoding, which all of them together tell; None if they do not.

    Each is decoded by itself, so that whatever a piece holds, it changes no other. In an encoding for names, ASCII is
    ASCII: where the letters say otherwise, they are wrong.
    """
    found = read_text(b"\n".join(pieces))
    if found is None:
        return None
    name, _, page = found.encoding.partition("+")
    if is_beyond_ascii(name):
        return None
    if page:
        from truecopy.read.encodings.mixed import mixed

        return [mixed(piece, page) for piece in pieces]
    return [_loosely(piece, name) for piece in pieces]


def is_text(data: bytes) -> bool:
    """Whether the bytes are a text in some encoding, as far as a sample tells."""
    sample = data[:_LARGE_SAMPLE]
    return not looks_binary(sample) or to_utf8(sample) is not None


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _wide(data: bytes, given: str) -> Decoded | None:
    """UTF-16 and UTF-32 by mark or zero bytes."""
    name = wide.marked(data)
    if name:
        return _told(wide.decoded(data, name), name, CERTAIN)
    if given and is_beyond_ascii(given):
        return None
    name = wide.by_zeros(data)
    return _told(wide.decoded(data, name), name, _SURE) if name and wide.reads(data, name) else None


def _seven_bits(data: bytes) -> Decoded:
    """ASCII, or what is written in it."""
    hidden = seven.by_escapes(data) or seven.by_blocks(data)
    if hidden is not None:
        few = hidden[1] == "utf-7" and seven.has_few_blocks(data)
        doubt = "read as utf-7 with doubt: the few plus signs in it may be what they seem" if few else ""
        return as_decoded(*hidden, DOUBTFUL - 1 if few else _SURE, doubt)
    if seven.may_be_utf_7(data):
        doubt = "read as utf-8 with doubt: the plus signs in it may begin characters of UTF-7"
        return Decoded(data, "utf-8", DOUBTFUL - 1, doubt)
    return Decoded(data, "utf-8")


def _told(text: str, name: str, confidence: int) -> Decoded:
    """A text, with the doubt said where some of its bytes were no characters."""
    found = as_decoded(text, name, confidence)
    if "\ufffd".encode() not in found.text:
        return found
    return found._replace(doubt=f"some of its bytes are no characters of {name}: they are shown as U+FFFD")


def _as_given(data: bytes, given: str, utf8: bool, is_utf8: Callable[[bytes], bool] | None) -> Decoded | None:
    """The text in the encoding that the user gave, unless it cannot be in that; binary data stay what they are.

    One name for a whole folder is wrong for some of its files: they are read as what they are, and the doubt is said.
    """
    text = _strictly(data, given)
    doubt = ""
    if text is None or "\ufffd" in text:
        doubt = f"read as {given} as given, though some of its bytes have no meaning in it"
        text = _loosely(data, given) if _is_nearly(data, given) else None
    if text is not None and is_beyond_ascii(given):
        if _is_sense(text):
            return as_decoded(text, given, CERTAIN, doubt)
        otherwise = read_text(data, is_utf8)
        if otherwise is not None and not otherwise.doubt:
            return _not_as_given(otherwise, given)
        doubt = doubt or f"read as {given} as given, though it reads as no language"
    if text is None:
        return _not_as_given(read_text(data, is_utf8), given)
    if binary.is_binary(data, utf8):
        return None
    return as_decoded(text, given, CERTAIN, doubt)


def _not_as_given(found: Decoded | None, given: str) -> Decoded | None:
    if found is None or found.encoding == given:
        return found
    doubt = f"read as {found.encoding}, and not as {given} as given: its bytes are no text in that"
    return found._replace(confidence=min(found.confidence, DOUBTFUL - 1), doubt=doubt)


def _is_nearly(data: bytes, given: str) -> bool:
    """Whether hardly any bytes have no meaning in an encoding: a text that is damaged, and not one in another.

    Only where bytes depend on each other do errors show that: a code page that was given is taken as it is.
    """
    from truecopy.read.encodings import pages

    if pages.is_single(given):
        return True
    high = len(data) - len(data.translate(None, _HIGH)) if not is_beyond_ascii(given) else len(data)
    return _FEW_ERRORS * _loosely(data, given).count("\ufffd") <= high


def _is_sense(text: str) -> bool:
    """Whether a text reads as some language, and is not full of control characters."""
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import text_cost

    sample = text[:_SHORT_SAMPLE].replace("\0", "")
    odd = sum(character < " " and character not in "\t\r\n\f" for character in sample)
    return 20 * odd <= len(sample) and text_cost(sample, 1.0)[0] <= wide.MOST_COST * SCALE * (len(sample) + 1)


def _strictly(data: bytes, name: str) -> str | None:
    """The text in an encoding; None where some bytes have no meaning in it."""
    from truecopy.read.encodings import pages

    if pages.is_single(name):
        text = pages.decoded(data, name)
        return None if "\ufffd" in text else text
    try:
        return data.decode(name).removeprefix("\ufeff")
    except (UnicodeError, LookupError, ValueError):
        return None


def _loosely(data: bytes, name: str) -> str:
    """The text in an encoding, with U+FFFD where bytes have no meaning in it."""
    from truecopy.read.encodings import pages

    return pages.decoded(data, name) if pages.is_single(name) else data.decode(name, "replace").removeprefix("\ufeff")


def _believed(data: bytes, page: str, text: str) -> Decoded:
    """The text as the document declares it, unless its letters say clearly that it is wrong about itself."""
    from truecopy.read.encodings.classes import SCALE
    from truecopy.read.encodings.guess import evidence, guesses, same_text

    seen = evidence(binary.as_lines(data))
    ranked = guesses(seen)
    mine = next((guess for guess in ranked if same_text(guess.encoding, page, seen.used)), None)
    best = ranked[0]
    if mine is None or mine is best or best.cost + _BELIEVED * SCALE >= mine.cost:
        return as_decoded(text, page)
    found = _detected(data)
    return found._replace(doubt=f"it says that it is in {page}, but was read as {found.encoding}: its letters fit that")


def _load_file(data: bytes) -> Decoded:
    """A load file of Concordance, in which the byte 254 is þ whatever its texts are in."""
    from truecopy.read.encodings import pages

    fields = binary.without_quotes(data)
    found = Decoded(fields, "cp1252", _SURE) if fields.isascii() else _detected(fields)
    if not pages.is_single(found.encoding):
        return _detected(data)
    characters = pages.table(found.encoding)
    text = codecs.charmap_decode(data, "strict", characters[:254] + "þ" + characters[255:])[0]
    return as_decoded(text, found.encoding, found.confidence, found.doubt)


def _detected(data: bytes) -> Decoded:
    """The text of bytes that are no UTF-8, by what their letters say."""
    # Tables and arrays are loaded where they are needed: most collections are UTF-8 throughout.
    from truecopy.read.encodings import few, judge, mixed, pages
    from truecopy.read.encodings.guess import evidence, guesses

    halves = mixed.with_surrogates(data)
    if halves is not None:
        return as_decoded(halves, "utf-8", CERTAIN, "some of its characters are halves of UTF-16, and not UTF-8")
    cut = mixed.cut_off(data)
    if cut is not None:
        return as_decoded(cut, "utf-8", _SURE, "its last character is cut off")
    lines = binary.as_lines(data)
    seen = evidence(lines)
    part_utf8 = mixed.is_part_utf8(data)
    sure = None if part_utf8 else few.verdict(lines, seen)
    if sure is not None and sure.encoding:
        return as_decoded(pages.decoded(data, sure.encoding), sure.encoding, sure.confidence, sure.doubt)
    ranked = guesses(seen, b"" if 0 in data else data)
    best = judge.preferred(ranked, seen)
    if part_utf8:
        utf8, page = mixed.weighed(data, best, seen.weight)
        if page:
            doubt = f"read with doubt: UTF-8 and {page} are mixed in it"
            return as_decoded(mixed.mixed(data, page), f"utf-8+{page}", DOUBTFUL - 1, doubt)
        if utf8:
            count = mixed.strays(data)
            places = "one place" if count == 1 else f"{count:,} places"
            return as_decoded(mixed.damaged(data), "utf-8", DOUBTFUL, f"its UTF-8 is damaged in {places}")
    confidence, doubt = judge.judged(best, [guess for guess in ranked if guess is not best], seen)
    if sure is not None and not doubt:
        confidence, doubt = min(confidence, DOUBTFUL - 1), f"read as {best.encoding} with doubt: {sure.doubt}"
    if pages.is_single(best.encoding):
        return as_decoded(pages.decoded(data, best.encoding), best.encoding, confidence, doubt)
    found = as_decoded(data.decode(best.encoding, "replace"), best.encoding, confidence, doubt)
    if not doubt and "\ufffd".encode() in found.text:
        said = f"read as {best.encoding} with doubt: some of its bytes have no meaning in it"
        return found._replace(doubt=said, confidence=min(confidence, DOUBTFUL - 1))
    return found
