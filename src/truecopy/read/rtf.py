"""RTF to plain text: body, then notes, then headers and footers, in the encodings that the file declares.

Format: Rich Text Format Specification 1.9.1. Bytes belong to the code page of the font they are set in, not
of the file alone, and half of a two-byte character may be written as a plain letter: bytes are therefore
collected and decoded together. Deleted revisions, field codes, comments and pictures are left out.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace

from truecopy.read.drawings import LARGE
from truecopy.read.parsers import NO_TEXT, Parsed, Refused, iso_date
from truecopy.read.unsearched import Beside, has_word

_TOKEN = re.compile(
    rb"\\([a-zA-Z]{1,32})(-?\d{1,10})? ?"  # a control word, its number, the space that ends it
    rb"|\\'([0-9a-fA-F]{2})"  # a byte
    rb"|\\([^a-zA-Z'])|\\'"  # a control symbol
    rb"|([{}])"
    rb"|[\r\n\0]+"
    rb"|([^\\{}\r\n\0]+)"
)
_CHARSETS = {
    128: "cp932",
    129: "cp949",
    134: "gb18030",
    136: "big5",
    161: "cp1253",
    162: "cp1254",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
}
_SYMBOLS = {b"~": "\u00a0", b"_": "\u2011", b"-": "\u00ad", b"\n": "\n", b"\r": "\n"}
_WORDS = {
    **dict.fromkeys((b"par", b"line", b"sect", b"page", b"row", b"nestrow", b"column"), "\n"),
    **dict.fromkeys((b"tab", b"cell", b"nestcell"), "\t"),
    b"emdash": "—",
    b"endash": "–",
    b"lquote": "‘",
    b"rquote": "’",
    b"ldblquote": "“",
    b"rdblquote": "”",
    b"bullet": "•",
    b"emspace": "\u2003",
    b"enspace": "\u2002",
}
_UNSEEN = frozenset(
    (
        *(b"colortbl", b"stylesheet", b"info", b"pict", b"objdata", b"fldinst", b"themedata", b"nonshppict"),
        *(
            b"datastore",
            b"xmlnstbl",
            b"listtable",
            b"listoverridetable",
            b"rsidtbl",
            b"generator",
            b"private",
        ),
        *(
            b"filetbl",
            b"revtbl",
            b"listtext",
            b"pntext",
            b"annotation",
            b"atnid",
            b"atnauthor",
            b"sp",
            b"xe",
            b"tc",
        ),
    )
)
_SEEN_THOUGH_STARRED = frozenset((b"shpinst", b"shptxt", b"fldrslt", b"footnote"))
_FURNITURE = frozenset((b"header", b"headerl", b"headerr", b"headerf", b"footer", b"footerl", b"footerr", b"footerf"))
_COUNTED = frozenset((b"pict", b"picwgoal", b"pichgoal", b"objdata", b"shp", b"do"))
_TWIPS_PER_CM = 567
_REVISED = re.compile(rb"\\(?:revtim|creatim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2})\\min(\d{1,2}))?")


@dataclass(frozen=True, slots=True)
class _State:
    """What a group inherits and gives back when it ends."""

    flow: str = "body"
    unseen: bool = False
    deleted: bool = False
    fonts: bool = False
    old: bool = False
    """Inside what is only there for old readers."""
    font: int = -1
    fallback: int = 1
    """How many characters after a Unicode one replace it in old readers."""


def rtf_text(data: bytes) -> Parsed:
    """The text of an RTF file."""
    if not data.lstrip()[:5].startswith(b"{\\rtf"):
        raise Refused("not a valid RTF: something else under its name")
    reader = _Reader(data)
    reader.run()
    furniture = dict.fromkeys(line for line in reader.text("furniture").split("\n") if line.strip())
    text = "\n".join(part for part in (reader.text("body"), reader.text("notes"), *furniture) if part)
    beside = Beside(others=_others(reader, has_word(text)))
    return Parsed(text, _date(data), NO_TEXT if not has_word(text) and not beside.others else "", beside=beside)


def _others(reader: _Reader, words: bool) -> str:
    """Pictures, embedded files and drawings; of the pictures only the large ones, if the document has words."""
    pictures = sum(not words or area >= LARGE for area in reader.pictures)
    found = [f"{count:,} {name}s" if count > 1 else f"{article} {name}" for count, article, name in (
        (pictures, "a", "picture"), (reader.embedded, "an", "embedded file"),
    ) if count]  # fmt: skip
    if not found and not words and reader.shapes:
        found.append("drawings")
    return " and ".join(found)


def _date(data: bytes) -> str:
    found = max(_REVISED.finditer(data[:100_000]), key=lambda match: match[0].startswith(b"\\revtim"), default=None)
    if found is None:
        return ""
    year, month, day, hour, minute = (int(number or 0) for number in found.groups())
    return iso_date(f"{year:04d}-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:00")


class _Reader:
    """One pass over the file's tokens."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._flows: dict[str, list[str]] = {"body": [], "notes": [], "furniture": []}
        self._bytes = bytearray()
        self._page = "cp1252"
        self._fonts: dict[int, str] = {}
        self._font_seen = -1
        self._state = _State()
        self._stack: list[_State] = []
        self._starred = False
        self._to_skip = 0
        self.pictures: list[float] = []
        """The size of each picture, in square centimeters."""
        self.embedded = 0
        self.shapes = 0
        self._width = 0

    def text(self, flow: str) -> str:
        """What was collected; surrogate halves that belong together are joined."""
        joined = "".join(self._flows[flow])
        return joined.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def run(self) -> None:
        """Read to the end, or to where the file breaks off."""
        at = 0
        while found := _TOKEN.match(self._data, at):
            at = found.end()
            word, number, byte, symbol, brace, plain = found.groups()
            if plain is not None:
                self._take(plain)
            elif byte is not None:
                self._take(bytes((int(byte, 16),)))
            elif word is not None:
                self._flush()
                value = int(number) if number else None
                if word == b"bin" and value and value > 0:
                    at += value
                else:
                    self._word(word, value)
                self._starred = False
            elif brace is not None:
                self._flush()
                self._brace(brace)
            elif symbol is not None:
                self._symbol(symbol)
        self._flush()

    def _brace(self, brace: bytes) -> None:
        self._to_skip = 0
        if brace == b"{":
            self._stack.append(self._state)
        elif self._stack:
            self._state = self._stack.pop()

    def _symbol(self, symbol: bytes) -> None:
        if symbol == b"*":
            self._starred = True
        elif symbol in b"\\{}":
            self._take(symbol)
        elif symbol in _SYMBOLS:
            self._flush()
            self._write(_SYMBOLS[symbol])

    def _word(self, word: bytes, value: int | None) -> None:
        state = self._state
        if word == b"u" and value is not None:
            self._write(chr(value & 0xFFFF))
            self._to_skip = state.fallback
        elif word in _WORDS:
            self._write(_WORDS[word])
        elif word == b"f" and value is not None:
            self._state = replace(state, font=value)
            self._font_seen = value
        elif word == b"fcharset" and state.fonts and value in _CHARSETS:
            self._fonts[self._font_seen] = _CHARSETS[value]
        elif word == b"uc" and value is not None:
            self._state = replace(state, fallback=max(value, 0))
        elif word == b"deleted":
            self._state = replace(state, deleted=value != 0)
        elif word == b"plain":
            self._state = replace(state, deleted=False)
        elif word == b"ansicpg" and value:
            self._page = _known_page(f"cp{value}")
        elif word in (b"mac", b"pc", b"pca"):
            self._page = {b"mac": "mac_roman", b"pc": "cp437", b"pca": "cp850"}[word]
        else:
            if word in _COUNTED:
                self._count(word, value)
            self._destination(word)

    def _count(self, word: bytes, value: int | None) -> None:
        """What the file holds beside text. A picture for old readers (`nonshppict`) repeats another."""
        if word == b"pict" and not self._state.old:
            self.pictures.append(0.0)
        elif word == b"picwgoal" and value:
            self._width = abs(value)
        elif word == b"pichgoal" and value and self.pictures and not self._state.old:
            self.pictures[-1] = self._width * abs(value) / _TWIPS_PER_CM**2
        elif word == b"objdata":
            self.embedded += 1
        elif word in (b"shp", b"do"):
            self.shapes += 1

    def _destination(self, word: bytes) -> None:
        if word == b"nonshppict":
            self._state = replace(self._state, old=True, unseen=True)
        elif word == b"fonttbl":
            self._state = replace(self._state, fonts=True, unseen=True)
        elif word in _UNSEEN or (self._starred and word not in _SEEN_THOUGH_STARRED):
            self._state = replace(self._state, unseen=True)
        elif word in _FURNITURE:
            self._flows["furniture"].append("\n")
            self._state = replace(self._state, flow="furniture")
        elif word == b"footnote":
            self._flows["notes"].append("\n")
            self._state = replace(self._state, flow="notes")

    def _take(self, piece: bytes) -> None:
        if self._to_skip:
            skipped = min(self._to_skip, len(piece))
            self._to_skip -= skipped
            piece = piece[skipped:]
        self._bytes += piece

    def _flush(self) -> None:
        if self._bytes:
            page = self._fonts.get(self._state.font, self._page)
            self._write(self._bytes.decode(page, "replace"))
            self._bytes.clear()

    def _write(self, text: str) -> None:
        if not self._state.unseen and not self._state.deleted:
            self._flows[self._state.flow].append(text)


def _known_page(name: str) -> str:
    try:
        return codecs.lookup("utf-8" if name == "cp65001" else name).name
    except LookupError:
        return "cp1252"
