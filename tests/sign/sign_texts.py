"""Texts that signatures are tried on: made by hypothesis, laid around every boundary of eight bytes, and real ones."""

from __future__ import annotations

import random
import unicodedata

from hypothesis import strategies as st

from collections_data import collection

# Assigned long ago, so that every Python and the shipped tables know them; with every length in UTF-8, marks,
# ignorable code points, digits of several scripts, scripts without spaces, and code points that fold to several.
_RANGES = [
    (0x00, 0x17F),
    (0x300, 0x36F),
    (0x391, 0x3C9),
    (0x410, 0x44F),
    (0x5D0, 0x5EA),
    (0x660, 0x669),
    (0x904, 0x94D),
    (0xE01, 0xE3A),
    (0x1E00, 0x1EF9),
    (0x200B, 0x200F),
    (0x2150, 0x215F),
    (0x3041, 0x3093),
    (0x4E00, 0x4E40),
    (0xAC00, 0xAC20),
    (0xFB00, 0xFB06),
    (0xFEFF, 0xFEFF),
    (0xFF10, 0xFF5A),
    (0xFFFC, 0xFFFD),
    (0x10330, 0x10340),
    (0x1D400, 0x1D454),
    (0x1F600, 0x1F610),
    (0x20000, 0x20010),
    (0xE0100, 0xE0103),
]
MIXED = [chr(i) for first, last in _RANGES for i in range(first, last + 1) if unicodedata.category(chr(i)) != "Cn"]
SHORT = ["", "a", "\0", "é", "中", "😀", "\u0301", "ab", "abc", "abcd", "abcde", "\0\0\0\0\0\0\0\0\0", "!?", "7", "a b"]

_pieces = st.one_of(
    st.text(st.sampled_from(MIXED), max_size=30),
    st.text(st.characters(max_codepoint=127), max_size=60),
    st.lists(st.sampled_from("the lessee shall pay rent to lessor 12 2024 §".split()), max_size=20).map(" ".join),
    st.builds(lambda text, times: text * times, st.text(st.sampled_from(MIXED), max_size=4), st.integers(2, 60)),
)
made_texts = st.lists(_pieces, max_size=4).map("".join)
some_texts = st.lists(made_texts, max_size=5)
"""A few texts that are signed together: they lie one after the other in one buffer."""


def aligned_texts() -> list[str]:
    """A character of two, three and four bytes behind 0 to 33 ASCII ones, before 0, 3, 8 or 17 others."""
    return [
        "x" * before + char + "abcdefghijklmnopq"[:after]
        for before in range(34)
        for char, after in (("é", 0), ("中", 3), ("😀", 8), ("e\u0301", 17))
    ]


def real_texts(size: int = 5000) -> list[str]:
    """Beginnings of a few real texts, in several languages and as badly scanned."""
    found = []
    for name, pattern, many in (("policies", "*.md", 3), ("policies-languages", "*.md", 4), ("ocr", "ocr_text/*", 2)):
        files = sorted(file for file in collection(name).rglob(pattern) if file.is_file() and file.name != "README.md")
        for file in files[:: len(files) // many][:many]:
            found.append(file.read_bytes().decode("utf-8", "replace")[:size])
    return [*found, *(text[:200] for text in found)]


def long_text(size: int = 1_000_000) -> str:
    """A text of so many bytes of UTF-8, of made-up words of many scripts."""
    chooser = random.Random(20190721)
    letters = ["abcdefghijklmnopqrstuvwxyz", "äöüßéèñ", "абвгдежз", "条款合同", "😀🙂"]
    alphabets = chooser.choices(letters, [40, 3, 3, 1, 1], k=2000)
    vocabulary = ["".join(chooser.choices(alphabet, k=chooser.randint(1, 9))) for alphabet in alphabets]
    words = " ".join(chooser.choices(vocabulary, k=size // 4))
    return words.encode()[:size].decode("utf-8", "ignore")
