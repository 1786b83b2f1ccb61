"""English with a few other letters, and ASCII with a few plus signs: what an attack showed to be misread silently."""

from __future__ import annotations

import pytest

from truecopy.read.decode import decode, read_text

LINE = "The landlord {} keeps room {} as agreed upon by both of the parties, at all times and in all respects."


@pytest.mark.parametrize("word", ["25°C", "naïve", "3 µm", "Übermensch", "Türkiye", "Perú", "Bogotá"])
def test_a_few_letters_that_come_again_do_not_turn_english_into_another_page(word: str) -> None:
    text = "\n".join(LINE.format(word, number) for number in range(10))
    assert decode(text.encode("cp1252")) == text


@pytest.mark.parametrize("name", ["License: ISC+IBM", "Smith+ATM"])
def test_a_word_after_a_plus_sign_is_not_read_as_utf_7(name: str) -> None:
    text = f"{name}\n{LINE.format('', 1)}\n"
    assert decode(text.encode()) == text


def test_letters_of_dos_that_look_like_quotes_are_doubted() -> None:
    """The ö of DOS is a closing quote in code page 1252: whichever is taken, the doubt is said."""
    found = read_text(LINE.format("Malmö", 1).encode("cp437"))
    assert found is not None
    assert found.doubt
