"""Compares the package's folding and words with the naive ones, and says which code points both know."""

from __future__ import annotations

import unicodedata

import numpy as np

from naive import naive_fold, naive_hash, naive_words
from truecopy.text import UNICODE, fold, words
from truecopy.text.tokens import spelled
from truecopy.text.unicode_tables import word_classes

PYTHON_IS_NEWER = tuple(map(int, unicodedata.unidata_version.split("."))) > tuple(map(int, UNICODE.split(".")))


def known(char: str) -> bool:
    """Whether Python and the shipped tables speak of the same code point.

    An older Python does not know code points that were assigned since; they are left out by their category.
    A newer one knows code points that the tables do not: those that are words only to it are left out.
    """
    category = unicodedata.category(char)
    if category == "Cn":
        return False
    if PYTHON_IS_NEWER and category[0] in "LMN" and len(found := fold(char).text) == 1:
        return bool(word_classes(np.array([ord(found)], np.uint32))[0])
    return True


def assert_same_fold(text: str) -> None:
    """The folded text and every span equal the naive ones."""
    folded = fold(text)
    found = list(zip(folded.text, folded.starts.tolist(), folded.ends.tolist(), strict=True))
    assert found == naive_fold(text), ascii(text)


def assert_same_words(text: str) -> None:
    """Every word's hash, span and spelling equal the naive ones."""
    got = words(text)
    columns = (got.hashes, got.starts, got.ends)
    found = list(zip(*(column.tolist() for column in columns), strict=True))
    expected = naive_words(text)
    assert found == [(naive_hash(word), start, end) for word, start, end in expected], ascii(text)
    assert spelled(text).decode("utf-8", "surrogatepass") == "".join(f"{word}\n" for word, _, _ in expected), ascii(
        text
    )
