"""Which characters are alike to a language that does not have them: the symbols of the tables beside its letters.

A language's own letters are symbols each; everything else falls into one of these classes. What texts hardly have
(control characters, boxes, letters of another script inside a word) is expected so rarely that a page that makes
many of them cannot win. `tools/make_letter_tables.py` puts the class of every character into the tables, so
that nothing depends on the Unicode version of Python.
"""

from __future__ import annotations

import unicodedata

import numpy as np
import numpy.typing as npt

SCALE = 8
"""Costs are minus the natural logarithm of a probability, in eighths: whole numbers, equal on every machine."""
SMALL, LARGE = 1, 2

_NAMES = (
    "space digit stop open quote ascii_sign open_quote close_quote apostrophe dash bullet section mark_sign currency "
    "technical joiner inverted ascii_letter latin_letter foreign_letter han hiragana katakana half_katakana hangul "
    "cjk_sign wide_form combining box symbol c0 c1 bad"
).split()
COUNT = len(_NAMES)
_AT = {name: place for place, name in enumerate(_NAMES)}
ASCII_LETTER, LATIN_LETTER, FOREIGN_LETTER = _AT["ascii_letter"], _AT["latin_letter"], _AT["foreign_letter"]
LETTERS = frozenset((ASCII_LETTER, LATIN_LETTER, FOREIGN_LETTER, _AT["combining"]))
BY_CHARACTER = frozenset(_AT[name] for name in ("han", "hiragana", "katakana", "hangul", "cjk_sign"))
C0, C1, BAD, BOX, SYMBOL = _AT["c0"], _AT["c1"], _AT["bad"], _AT["box"], _AT["symbol"]
SPACE = _AT["space"]
SIGNS = tuple(range(_AT["inverted"] + 1))
"""Classes of signs, which every language has."""
ODD = frozenset((C0, C1, BAD, BOX, SYMBOL))
"""What a text has hardly any of."""

_SIGNS = {
    "space": " \t\n\r\f\v\u3000\u00a0",
    "digit": "0123456789",
    "stop": ".,;:!?)]}%…",
    "open": "([{",
    "quote": "\"'`",
    "open_quote": "“„«‚‘‹",
    "close_quote": "”»›",
    "apostrophe": "’",
    "dash": "–—‒―",
    "bullet": "•·●○■□▪►",
    "section": "§¶№†‡",
    "mark_sign": "©®™",
    "currency": "€£¥¢",
    "technical": "°ºª²³¹½¼¾±×÷µ",
    "joiner": "\ufeff\u00ad\u200b\u200c\u200d\u200e\u200f\u202f\u2009",
    "inverted": "¡¿",
}
_BY_SIGN = {sign: _AT[name] for name, signs in _SIGNS.items() for sign in signs}
_RANGES = (
    (0x2500, 0x25FF, "box"),
    (0x3001, 0x3020, "cjk_sign"),
    (0x3030, 0x303F, "cjk_sign"),
    (0x3041, 0x309F, "hiragana"),
    (0x30A0, 0x30FF, "katakana"),
    (0x31F0, 0x31FF, "katakana"),
    (0xFF66, 0xFF9F, "half_katakana"),
    (0xFF01, 0xFF65, "wide_form"),
    (0xFFA0, 0xFFEE, "symbol"),
    (0x1100, 0x11FF, "symbol"),
    (0x3130, 0x318F, "symbol"),
    (0xAC00, 0xD7A3, "hangul"),
    (0x4E00, 0x9FA5, "han"),
    (0x3400, 0x4DBF, "symbol"),
    (0x9FA6, 0x9FFF, "symbol"),
    (0xF900, 0xFAFF, "symbol"),
    (0xE000, 0xF8FF, "bad"),
    (0xD800, 0xDFFF, "bad"),
)
_SIZES = dict.fromkeys(_NAMES, 4) | {
    "space": 2, "digit": 10, "stop": 6, "quote": 2, "ascii_sign": 16, "open_quote": 4, "close_quote": 2,
    "apostrophe": 1, "dash": 2, "technical": 13, "ascii_letter": 16, "latin_letter": 90, "foreign_letter": 300,
    "han": 8_000, "hiragana": 80, "katakana": 86, "half_katakana": 60, "hangul": 6_000, "cjk_sign": 12,
    "wide_form": 60, "combining": 100, "box": 40, "symbol": 2_000, "c0": 24, "c1": 32, "bad": 2_000,
}  # fmt: skip
EMITTED: npt.NDArray[np.uint8] = np.rint(SCALE * np.log([_SIZES[name] for name in _NAMES])).astype(np.uint8)
"""The cost of one character of a class: the logarithm of how many there are to choose from."""
UNSEEN = EMITTED.astype(np.int64) + round(SCALE * 2.3)
"""The same where the characters of the class have costs of their own, for those that were not seen."""

_IN_NAMES = "éèüöäáíóñçåøæßàôêúãõëïîâ"
_RARE_SIGNS = (
    dict.fromkeys(_IN_NAMES, -1.5)
    | {"!": 1.0, "?": 0.5, "]": 1.5, "}": 3.0, "{": 3.0, "[": 1.0, "%": 0.5, "…": 1.0}
    | {
        **dict.fromkeys("^~\\`", 3.0),
        "|": 1.0,
        **dict.fromkeys("#<>@$", 1.5),
        **dict.fromkeys("¢¥¶†‡µ×÷±", 2.0),
        **dict.fromkeys("©§€“”’–«»", 0.0),
        **dict.fromkeys("‹›‚‒―", 2.0),
    }
)
"""What some signs, and letters of foreign names, cost beyond the others of their class."""

_LIKELY = dict.fromkeys(_NAMES, 0.0008) | {
    "space": 0.15, "digit": 0.02, "stop": 0.02, "open": 0.002, "quote": 0.004, "ascii_sign": 0.01,
    "open_quote": 0.006, "close_quote": 0.006, "apostrophe": 0.008, "dash": 0.004, "bullet": 0.002,
    "section": 0.003, "mark_sign": 0.004, "currency": 0.0015, "technical": 0.0008, "joiner": 0.0005,
    "inverted": 0.00005, "ascii_letter": 0.02, "latin_letter": 0.01, "foreign_letter": 0.0001,
    "han": 0.0001, "hiragana": 0.00005, "katakana": 0.00005, "half_katakana": 0.000005, "hangul": 0.00005,
    "cjk_sign": 0.00002, "wide_form": 0.00002, "combining": 0.00002, "box": 0.00005, "symbol": 0.00005,
    "c0": 0.000005, "c1": 0.0000003, "bad": 0.0000003,
}  # fmt: skip
EXPECTED: npt.NDArray[np.float64] = np.array([_LIKELY[name] for name in _NAMES])
"""How often a class is met in a text where the texts that were counted do not say it."""

# Languages whose letters are not Latin: where they are.
OTHER_SCRIPTS = {
    **dict.fromkeys(("Russian", "Ukrainian", "Bulgarian", "Belarusian", "Macedonian", "Serbian"), (0x0400, 0x04FF)),
    "Greek": (0x0370, 0x03FF),
    "Hebrew": (0x0590, 0x05FF),
    "Arabic": (0x0600, 0x06FF),
    "Persian": (0x0600, 0x06FF),
    "Thai": (0x0E00, 0x0E7F),
    **dict.fromkeys(("Chinese, simplified", "Chinese, traditional", "Japanese", "Korean"), (0x3040, 0xD7A3)),
}


def rare_signs() -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Code points of signs that are rarer than others of their class, and what that costs."""
    signs = sorted(_RARE_SIGNS)
    costs = np.rint(SCALE * np.array([_RARE_SIGNS[sign] for sign in signs])).astype(np.int64)
    return np.array([ord(sign) for sign in signs], np.int64), costs


def class_of(character: str) -> int:
    """The class of a character that is not a letter of the language."""
    if character in _BY_SIGN:
        return _BY_SIGN[character]
    code = ord(character)
    if code < 32 or code == 127:
        return C0
    if code < 128:
        return ASCII_LETTER if character.isalpha() else _AT["ascii_sign"]
    if code < 160:
        return C1
    for first, last, name in _RANGES:
        if first <= code <= last:
            return _AT[name]
    category = unicodedata.category(character)
    if category in ("Cn", "Co", "Cs") or code == 0xFFFD:
        return BAD
    if category.startswith("L"):
        name = unicodedata.name(character, "")
        if name.startswith("LATIN"):
            return LATIN_LETTER if code < 0x0250 or 0x1E00 <= code <= 0x1EFF else SYMBOL
        return FOREIGN_LETTER if code < 0x1100 or 0x1E00 <= code <= 0x1FFF else SYMBOL
    if category.startswith("M"):
        return _AT["combining"]
    return FOREIGN_LETTER if category == "Nd" and code < 0x1100 else SYMBOL


def transitions(letters: int, latin: bool) -> npt.NDArray[np.float64]:
    """How much likelier (or less likely) one symbol is after another than it is anywhere: what all languages share."""
    factor = np.ones((letters + COUNT, letters + COUNT))

    def after(first: slice | list[int], second: slice | list[int], by: float) -> None:
        for one in _places(first, letters + COUNT):
            factor[one, second] *= by

    own = slice(0, letters)
    at = {name: letters + place for name, place in _AT.items()}
    words = [at[name] for name in ("ascii_letter", "latin_letter", "foreign_letter")]
    edges = [at[name] for name in ("space", "stop", "open", "quote", "ascii_sign", "digit", "joiner", "dash")]
    for name in "foreign_letter han hiragana katakana hangul box cjk_sign wide_form half_katakana".split():
        # What is strange comes in runs.
        after([at[name]], [at[name]], 400)
    after([at["ascii_letter"]], [at["ascii_letter"]], 20)
    # Scripts are not mixed inside a word.
    if not latin:
        after(own, [at["ascii_letter"], at["latin_letter"]], 0.005)
        after([at["ascii_letter"], at["latin_letter"]], own, 0.005)
    for name in ("foreign_letter", "box", "half_katakana", "symbol", "technical"):
        after(own, [at[name]], 0.02)
        after([at[name]], own, 0.05)
        after([at["ascii_letter"]], [at[name]], 0.02)
    after([at["latin_letter"]], [at["latin_letter"]], 0.3)
    for name in ("section", "currency", "open_quote", "bullet", "inverted", "mark_sign", "box"):
        # These stand at the edge of a word: not in the middle of it.
        after(own, [at[name]], 0.03)
        after([at["ascii_letter"]], [at[name]], 0.03)
        after(edges, [at[name]], 3)
        after([at[name]], edges, 3)
    after([at["digit"]], [at["dash"]], 5)
    after([at["dash"]], [at["digit"]], 3)
    after([at["ascii_sign"], at["stop"]], [at["close_quote"]], 3)
    after(own, [at["close_quote"]], 3)
    after(own, [at["apostrophe"]], 3)
    after(own, [at["mark_sign"]], 10)
    after([at["close_quote"]], own, 0.05)
    after([at["open_quote"]], [at["space"]], 0.1)
    after([at["space"]], [at["close_quote"]], 0.2)
    after(words, [at["c0"], at["c1"]], 0.3)
    return factor


def _places(which: slice | list[int], size: int) -> list[int]:
    return list(range(*which.indices(size))) if isinstance(which, slice) else which
