"""Figure marks: what counts as one, which word it belongs to, and that an independent version finds the same."""

from __future__ import annotations

import hashlib
import sys
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import naive_marks
from truecopy.text import UNICODE, tokenize
from truecopy.text.batches import number_texts
from truecopy.text.marks import CURRENCY_SIGNS, figure_marks, marked_numbers, signs

TOKENS = [
    "pay", "the", "5", "100", "1", "½", "５", "x", "Straße", "مال", "条", "$", "€", "¥", "＄", "%", "‰", "٪",
    "☒", "☐", "□", "✓",
    "+", "-", "−", "–", "±", ".", ",", "'", "’", "/", ":", "·", "—", " ", " ", "  ", "\n", "\xa0", "\u2009", "\xad",
    "\u200b",
    "(", ")", "…", "\x0c", "🗹", "\ufe0f", "≤", "≧", "\uf0fe", "¾", "…", "．",
]  # fmt: skip


def marks(text: str) -> list[tuple[int, str]]:
    data = text.encode("utf-8", "surrogatepass")
    found, offsets = figure_marks(data, np.array([0, len(data)], np.int64), tokenize([data]))
    assert offsets.tolist() == [0, len(found)]
    return [(int(mark) >> 32, chr(int(mark) & 0xFFFFFFFF)) for mark in found]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("pay $100 now", [(1, "$")]),
        ("pay 100 € now", [(1, "€")]),
        ("pay € 100 now", [(1, "€")]),
        ("a fee of 5 % of 7% or %5", [(3, "%"), (5, "%"), (7, "%")]),
        ("☒ Yes ☐ No", [(0, "☒"), (1, "☐")]),
        ("−5 and 5 and +7", [(0, "-"), (4, "+")]),
        ("5 - 7", []),
        ("1.500 but 1,500 and 1 500", [(1, "."), (4, ",")]),
        ("10–12 or 10-12", [(1, "-"), (4, "-")]),
        ("5%-7%", [(0, "%"), (1, "%"), (1, "-")]),
        ("Article 1......23", []),
        ("due 2020-01-05.", [(2, "-"), (3, "-")]),
        ("only words, here; there", []),
        ("the sign $ alone", [(2, "$")]),
        ("ราคา ฿๕๐.๕", [(4, "฿"), (6, ".")]),
        ("pay -$500 or $-500 or $500", [(1, "$"), (1, "-"), (3, "$"), (3, "-"), (5, "$")]),
        ("pay $.50 or .5 or No.5 or 1. 5", [(1, "$"), (1, "."), (3, ".")]),
        (".5", [(0, ".")]),
        ("-\u20605 and −\u200e6", [(0, "-"), (2, "-")]),
        ("up to ≤ 5 and ≥5", [(2, "≤"), (4, "≥")]),
        ("\uf0fe yes \uf0a8 no", [(0, "☒"), (1, "☐")]),
        ("½ and 1⁄2 and 1 2 and 2½", [(1, "/"), (4, "/"), (10, "/")]),
        ("$", []),
        ("", []),
    ],
)
def test_a_mark_belongs_to_the_figure_beside_it(text: str, wanted: list[tuple[int, str]]) -> None:
    assert marks(text) == wanted


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.sampled_from(TOKENS), max_size=24).map("".join))
def test_an_independent_version_finds_the_same(text: str) -> None:
    assert marks(text) == naive_marks(text)


@settings(deadline=None)  # the first call compiles
@given(st.text(st.characters(exclude_categories=("Cn", "Cs")), max_size=60))  # what this Python knows of too
def test_any_text_gives_the_same_as_the_independent_version(text: str) -> None:
    assert marks(text) == naive_marks(text)


@settings(deadline=None)  # the first call compiles
@given(st.lists(st.text(alphabet="".join(TOKENS), max_size=30), max_size=6))
def test_texts_of_a_batch_do_not_see_each_other(texts: list[str]) -> None:
    numbered = number_texts([text.encode() for text in texts])
    for i, text in enumerate(texts):
        own = numbered.marks[numbered.mark_offsets[i] : numbered.mark_offsets[i + 1]]
        assert [(int(mark) >> 32, chr(int(mark) & 0xFFFFFFFF)) for mark in own] == naive_marks(text)
        given_words = bytes.fromhex(numbered.digests[i])
        assert numbered.figure_digests[i] == hashlib.sha256(given_words + own.astype("<u8").tobytes()).hexdigest()


def test_layout_does_not_change_a_mark() -> None:
    assert marks("pay  $\xa0100 (5\xad%)") == marks("Pay $100, 5 %!")


def test_every_currency_sign_of_the_unicode_version_is_in_the_table() -> None:
    """Those that fold to letters are words, and others fold to one that is there."""
    if unicodedata.unidata_version != UNICODE:
        pytest.skip(f"this Python knows Unicode {unicodedata.unidata_version}, the tables {UNICODE}")
    known = set(signs()[:, 0].tolist())
    every = {chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) == "Sc"}
    letters = {char for char in every if unicodedata.normalize("NFKC", char).isalpha() or char == "₨"}
    assert {ord(char) for char in every - letters} <= known
    assert set(CURRENCY_SIGNS) <= every


def test_words_with_other_marks_have_other_numbers_and_all_else_is_equal() -> None:
    one, other = "Pay $100 and 5 %.", "Pay €100 and 5 %."
    first, second = marked_numbers(one, other)
    assert (first != second).tolist() == [False, True, False, False]


def test_many_marks_on_one_word_need_no_more_room_than_there_is() -> None:
    assert len(marks("pay " + "$" * 5000 + "1")) == 5000
