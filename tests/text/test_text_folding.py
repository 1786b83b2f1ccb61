"""Folded text, profiles and folded words: they lead back to the original; a second time changes nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_checks import known

from naive import naive_words
from truecopy.errors import BadSetting
from truecopy.text import fold, word_texts, words
from truecopy.text.profiles import plain

SAMPLE = "§ 5 Die MIETE (½ Jahr):\u00a0e\u0301tat, ﬁnal\u00adly 契約ガ x=\u0338y ᾳ\u0301 \u0301z ﷺ"
texts = st.text(st.characters(codec="utf-8").filter(known), max_size=60) | st.text(
    "aB1 é\u0301\u0323½契ガ\u3099.\u00ad=\u0338ᾳ"
)


def test_folding_ascii_equals_folding_the_same_text_among_others() -> None:
    """The short way for ASCII gives what the kernel gives."""
    text = "The LESSEE shall pay [1,000]\n"
    long_way = fold(text + "é")
    assert fold(text).text == long_way.text[:-1] == text.lower()
    assert fold(text).starts.tolist() == long_way.starts.tolist()[:-1]
    assert fold(text).ends.tolist() == long_way.ends.tolist()[:-1]


def test_folded_spans_lead_back() -> None:
    """Each folded code point knows the code points of the original that made it."""
    folded = fold("ﬁx E\u0301\u00ad")
    spans = zip(folded.text, folded.starts.tolist(), folded.ends.tolist(), strict=True)
    assert list(spans) == [("f", 0, 1), ("i", 0, 1), ("x", 1, 2), (" ", 2, 3), ("é", 3, 5)]


@settings(max_examples=200, deadline=None)
@given(texts)
def test_folding_twice_changes_nothing(text: str) -> None:
    """A folded text is its own folded form."""
    once = fold(text).text
    assert fold(once).text == once


@settings(max_examples=200, deadline=None)
@given(texts)
def test_plain_is_the_words_joined_by_spaces(text: str) -> None:
    """The plain profile holds the text's words and nothing else, and applying it twice changes nothing."""
    canonical = plain(text)
    assert canonical.text == " ".join(word for word, _, _ in naive_words(text))
    assert plain(canonical.text).text == canonical.text
    assert words(canonical.text).hashes.tolist() == words(text).hashes.tolist()


@pytest.mark.parametrize("text", [SAMPLE, "", " ", "word", "=\u0338", "a b"])
def test_plain_spans_are_the_words_spans(text: str) -> None:
    """Every word of the plain text maps back to the span that the tokenizer gives it."""
    canonical, found = plain(text), words(text)
    at = 0
    for number, word in enumerate(canonical.text.split()):
        at = canonical.text.index(word, at)
        assert canonical.span(at, at + len(word)) == (found.starts[number], found.ends[number])
        at += len(word)
    assert len(canonical.text.split()) == len(found)


def test_spans_of_spaces_and_empty_spans() -> None:
    """A space stands for what separated its words; an empty span maps to a place."""
    canonical = plain("One -- TWO!")
    assert canonical.text == "one two"
    assert canonical.span(3, 4) == (3, 7)
    assert canonical.span(2, 5) == (2, 8)
    assert canonical.span(4, 4) == (7, 7)
    assert canonical.span(7, 7) == (10, 10)
    assert plain("!").span(0, 0) == (0, 0)


@pytest.mark.parametrize("span", [(-1, 2), (0, 8), (3, 2)])
def test_a_span_outside_the_text_is_refused(span: tuple[int, int]) -> None:
    """The message names the span and the length, not the text."""
    with pytest.raises(BadSetting, match=f"{span[0]} to {span[1]} is not inside a text of 7"):
        plain("One -- TWO!").span(*span)


def test_word_texts_are_the_folded_words() -> None:
    """The folded words of spans are those of the naive version, also where one character holds several."""
    data = SAMPLE.encode()
    expected = naive_words(SAMPLE)
    places = np.cumsum([0, *(len(char.encode()) for char in SAMPLE)])
    starts = [places[start] for _, start, _ in expected]
    ends = [places[end] for _, _, end in expected]
    found = word_texts(data, starts, ends, words(SAMPLE).hashes)
    assert found == [word for word, _, _ in expected]
    assert word_texts(data, starts[:4], ends[:4]) == ["5", "die", "miete", "1"]


def test_lone_surrogates_are_no_words() -> None:
    """A str that is not valid Unicode still has words, and offsets into itself."""
    found = words("a\ud800b \udfffc")
    assert found.starts.tolist() == [0, 2, 5]
    assert fold("A\ud800é").text == "a\ud800é"
