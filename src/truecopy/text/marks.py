"""Figure marks of texts (contract): currency and percent signs, ballot boxes, plus and minus, what is inside a figure.

`kernels.marks` says what counts and which word a mark belongs to. The table of signs is written out here, so that it
does not change with the Python version; a test holds it to the Unicode version of the shipped tables.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels.arrays import read_only
from truecopy.text.numbers import numbered
from truecopy.text.tokens import Tokens, tokenize_buffer
from truecopy.text.unicode_tables import tables

Marks = npt.NDArray[np.uint64]

CURRENCY_SIGNS = (
    "$¢£¤¥֏؋߾߿৲৳৻૱௹฿៛\u20a0\u20a1\u20a2\u20a3\u20a4\u20a5\u20a6\u20a7\u20a9\u20aa\u20ab\u20ac\u20ad\u20ae\u20af"
    "\u20b0\u20b1\u20b2\u20b3\u20b4\u20b5\u20b6\u20b7\u20b8\u20b9\u20ba\u20bb\u20bc\u20bd\u20be\u20bf\u20c0"
    "\ua838\U00011fdd\U00011fde\U00011fdf\U00011fe0\U0001e2ff\U0001ecb0"
)
"""Category Sc, but for those that fold to letters (₨ is the word "rs", ﷼ the word for rial) or to another of these."""
PERCENT_SIGNS = "%‰‱"
BOXES = "☐☑☒☓✓✔✕✖✗✘✅❌❎⬜□▢▣⊠⊡🗴🗵🗶🗷🗸🗹⮽" + "≤≥≠"
"""With the comparisons: a limit that turns round is another text."""
SYMBOL_FONT = {
    "☐": "\uf06f\uf0a8\uf0a3\uf071", "☒": "\uf0fd\uf0fe\uf054\uf053", "☑": "\uf052", "✓": "\uf0fc", "✗": "\uf0fb",
}  # fmt: skip
"""The same in the private code points of office files: places in Wingdings and Wingdings 2."""
POINTS = ".,"
PLUS_AND_MINUS = "+-±∓"
DASHES = "‐‑‒–−\u2796\ufe63\uff0d"
"""Written for a minus; an em dash is not."""
SPELLED = {
    "$": "\ufe69\uff04", "¢": "\uffe0", "£": "\uffe1", "¥": "\uffe5", "₩": "\uffe6",
    "%": "\u066a\ufe6a\uff05", "‰": "\u0609", "‱": "\u060a",
    "+": "\u2795\ufe62\uff0b\u207a\u208a", "-": DASHES + "\u207b\u208b",
}  # fmt: skip
"""Other ways to write a sign."""
OTHER_COMPARISONS = {"≤": "⩽≦", "≥": "⩾≧"}
SPELLED_WITHIN = {
    "-": "—―﹘", "'": "’‘‛ʹ′＇`´", ".": "\uff0e\u2024\ufe52", ",": "\uff0c\ufe50\ufe10", ":": "\uff1a\ufe55∶",
    "/": "\uff0f⁄∕", "·": "‧∙⋅•",
}  # fmt: skip
"""The same for what has a meaning only inside a figure."""
SPACES = (
    "".join(map(chr, range(33)))
    + "\x7f\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
    + "".join(map(chr, range(0x2000, 0x200B)))
)
IGNORED_SIGNS = "\xad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff"

_LOOKED_UP = 0x3000
"""Nearly all signs between words are below this."""


@functools.lru_cache(maxsize=1)
def signs() -> npt.NDArray[np.int64]:
    """The table that the kernel reads: rows of (code point, class, spelling), sorted."""
    from truecopy.kernels import marks as kernel

    rows: dict[int, tuple[int, int]] = {}
    classes = {
        kernel.CURRENCY: CURRENCY_SIGNS, kernel.PERCENT: PERCENT_SIGNS, kernel.BOX: BOXES,
        kernel.SIGN: PLUS_AND_MINUS, kernel.SPACE: SPACES, kernel.IGNORED: IGNORED_SIGNS, kernel.POINT: POINTS,
    }  # fmt: skip
    for kind, points in classes.items():
        rows |= {ord(point): (kind, ord(point)) for point in points}
    for point, others in (*SPELLED.items(), *SYMBOL_FONT.items(), *OTHER_COMPARISONS.items()):
        rows |= {ord(other): (rows[ord(point)][0], ord(point)) for other in others}
    for point, others in SPELLED_WITHIN.items():
        kind = kernel.POINT if point in POINTS else kernel.PLAIN
        rows |= {ord(other): (kind, ord(point)) for other in others}
    return np.array([(point, *row) for point, row in sorted(rows.items())], np.int64)


@functools.lru_cache(maxsize=1)
def classes() -> npt.NDArray[np.uint8]:
    """The class of each of the first code points, to be looked up at once."""
    table = np.zeros(_LOOKED_UP, np.uint8)
    few = signs()[signs()[:, 0] < _LOOKED_UP]
    table[few[:, 0]] = few[:, 1]
    return table


def figure_marks(
    data: bytes | npt.NDArray[np.uint8], text_offsets: npt.NDArray[np.int64], tokens: Tokens
) -> tuple[Marks, npt.NDArray[np.int64]]:
    """The marks of a batch of texts, and where those of each begin; from the buffer that `tokens` was made from.

    Those of one word are in the order of their code points, so that "$ 5 %" and "5 % $" have the same.
    """
    from truecopy.kernels.marks import find_marks

    buffer = read_only(np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data)
    spans = read_only(tokens.starts), read_only(tokens.ends), read_only(tokens.offsets)
    offsets = np.empty(len(tokens.offsets), np.int64)
    room = 64 + len(tokens.starts) // 16
    while True:
        out = np.empty(room, np.uint64)
        count = find_marks(buffer, read_only(text_offsets), *spans, tables(), classes(), signs(), out, offsets)
        if count <= room:
            break
        room = count
    found = out[:count].copy()
    _in_order(found, offsets)
    return found, offsets


def _in_order(marks: Marks, offsets: npt.NDArray[Any]) -> None:
    """Sort each text's marks; most are in order already."""
    unsorted = np.flatnonzero(marks[1:] < marks[:-1]) + 1
    for text in np.unique(np.searchsorted(offsets, unsorted, side="right") - 1).tolist():
        marks[offsets[text] : offsets[text + 1]].sort()


@functools.lru_cache(maxsize=1)
def counted_signs() -> dict[str, str]:
    """The signs that are marks wherever they are (currency, percent, boxes), and how each is spelled."""
    from truecopy.kernels import marks as kernel

    counted = (kernel.CURRENCY, kernel.PERCENT, kernel.BOX)
    return {chr(point): chr(spelling) for point, kind, spelling in signs().tolist() if kind in counted}


def marked_numbers(*texts: str) -> list[npt.NDArray[np.uint32]]:
    """A number for each word of texts with its figure marks: equal only where both are."""
    found = numbered(*texts)
    after = 1 + max((int(numbers.max()) for numbers in found if len(numbers)), default=0)
    known: dict[tuple[int, ...], int] = {}
    for text, numbers in zip(texts, found, strict=True):
        data = np.frombuffer(text.encode("utf-8", "surrogatepass"), np.uint8)
        offsets = np.array([0, len(data)], np.int64)
        marks, _ = figure_marks(data, offsets, tokenize_buffer(data, offsets))
        for word, own in itertools.groupby(marks.tolist(), key=lambda mark: mark >> 32):
            marked = (int(numbers[word]), *(mark & 0xFFFFFFFF for mark in own))
            numbers[word] = known.setdefault(marked, after + len(known))
    return found
