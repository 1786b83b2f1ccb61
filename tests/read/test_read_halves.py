"""Names of DOS and of old Macs that code page 1252 reads as two words, or as a word with another letter."""

from __future__ import annotations

import pytest

from truecopy.read.decode import read_text
from truecopy.read.encodings.halves import BROKEN, KNOWN, UNKNOWN, dashed, divided

BEFORE = (
    "This Agreement is made between the parties below and governed by the laws of the State of New York.\n"
    "The Buyer shall pay the price within thirty days of the invoice date.\n"
)
AFTER = "\nIn witness whereof the parties have executed this Agreement as of the date first written above.\n"
OF_DOS = (
    "Hugo Chávez|Mr. Hernández|Ms. Fernández|Ms. González|Gabriel Márquez|Fianna Fáil|Mr. Vázquez|Ms. Suárez|"
    "Mr. Juárez|Ms. Alcántara|Iván and Julián|the port of Málaga|János Kovács|Rosário|Weiß|Strauß|Groß & Weiß GmbH|"
    "Mr. Preuß|Voß|Ms. Meißner|Dr. Großmann|Mr. Knauß|Gießen"
).split("|")
OF_MACS = (
    "El Niño|Mr. Muñoz|Ms. Peña|Mr. Nuñez and Mr. Ibañez|Mr. Bolaños of La Coruña|mañana|Ms. Quiñones|Mr. Castañeda|"
    "Cabañas|Doña Ana County|Oñate|Attention ‡ note|1º piso, 2ª planta|the office in Bogotá|Charlotte Brontë|Zoë"
).split("|")
USUAL = (
    "Section\xa05 applies|§\xa012 of the Act|Mr.\xa0Smith signed|within 10\xa0days|of\xa0the Company|"
    "shall\xa0be paid|a\xa0company of the state|the United\xa0States|personal\xa0information is kept|"
    "the company’s\xa0assets|e.g.\xa0this|o\xa0first item|CBD\xa0or others|X\xa0may end this|"
    "2019–2020|Monday–Friday|Paris–Berlin|attorney–client privilege|a cost–benefit analysis|"
    "the employer–employee relation|the term–unless extended–ends|trade–off|e–mail|pre–existing|(a–c) of the list|"
    "A–Z of law|à la carte|vis à vis the buyer|the S. à r.l. is named|Fait à Paris|40 µF|1¼ percent"
).split("|")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [(text, page) for page in ("cp437", "cp850", "cp852", "cp865") for text in OF_DOS]
    + [(text, "mac-roman") for text in OF_MACS],
)
def test_a_name_that_may_be_two_words_is_read_or_doubted(text: str, encoding: str) -> None:
    """These were read as `Hern ndez`, `Weiá` and `Mu–oz`, and nothing was said."""
    whole = BEFORE + text + AFTER
    found = read_text(whole.encode(encoding))
    assert found is not None
    assert found.text.decode() == whole or found.doubt
    assert found.doubt


@pytest.mark.parametrize("text", USUAL)
def test_usual_hard_spaces_and_dashes_are_not_doubted(text: str) -> None:
    """Words and figures on both sides: no other page makes a word of them."""
    whole = BEFORE + text + AFTER
    found = read_text(whole.encode("cp1252"))
    assert found is not None
    assert (found.text.decode(), found.encoding, found.doubt) == (whole, "cp1252", "")


@pytest.mark.parametrize(
    ("before", "after", "meaning"),
    [
        ("Hern", "ndez", BROKEN),
        ("Ch", "vez", BROKEN),
        ("Gonz", "lez", BROKEN),
        ("P", "l", BROKEN),
        ("Ros", "rio", UNKNOWN),
        ("source", "code", UNKNOWN),
        ("of", "the", KNOWN),
        ("the company’s", "assets were", UNKNOWN),
        ("NATO", "members", KNOWN),
        ("  o", "first", KNOWN),
    ],
)
def test_halves_beside_a_hard_space(before: str, after: str, meaning: int) -> None:
    """A half that can be no word shows that there were no two."""
    assert divided(before, after) == meaning


@pytest.mark.parametrize(
    ("before", "after", "meaning"),
    [
        ("Mu", "oz", BROKEN),
        ("Ni", "o", BROKEN),
        ("Qui", "ones", BROKEN),
        ("A", "adir", BROKEN),
        ("Casta", "eda", UNKNOWN),
        ("Caba", "as", UNKNOWN),
        ("cost", "benefit", KNOWN),
        ("trade", "off", KNOWN),
        ("re", "entry", KNOWN),
        ("a", "e", KNOWN),
    ],
)
def test_halves_beside_a_dash(before: str, after: str, meaning: int) -> None:
    """Only between vowels may a dash be the ñ of an old Mac."""
    assert dashed(before, after) == meaning


def test_dots_of_a_form_are_no_letters() -> None:
    """The same sign many times is one witness: `NameÉÉÉ` was read with confidence."""
    text = "Name………………… Date…………"
    found = read_text(text.encode("mac-roman"))
    assert found is not None
    assert found.text.decode() == text


def test_a_space_before_a_closing_quote_is_a_slip() -> None:
    """A slip does not make a text senseless."""
    text = BEFORE + "This Act may be cited as the “Interest Relief Act ”." + AFTER
    found = read_text(text.encode("cp1252"))
    assert found is not None
    assert (found.text.decode(), found.doubt) == (text, "")


@pytest.mark.parametrize("record", ["Müller\0\0\0Köln\0", "a\x1fb\x1fGröße\x1f"])
def test_records_that_are_all_the_same_are_a_text(record: str) -> None:
    """As they are in UTF-8: few different words are words all the same."""
    for encoding in ("utf-8", "cp1252"):
        found = read_text((record * 10).encode(encoding))
        assert found is not None
        assert found.text.decode() == record * 10
