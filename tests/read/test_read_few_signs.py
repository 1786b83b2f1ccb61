"""English, German and French with a few signs: read right, and doubted only where another meaning is possible."""

from __future__ import annotations

import base64
import random

import pytest
from few_signs import few_signs, plain_lines, shares

from collections_data import collection
from truecopy.read.decode import read_text
from truecopy.read.encodings import places

SEED = 20_263


def read(data: bytes) -> tuple[str | None, str]:
    """The text and the doubt."""
    found = read_text(data)
    return (None, "") if found is None else (found.text.decode(), found.doubt)


def check(plain: list[str]) -> None:
    """Nothing wrong in silence; in Windows' encodings all right and hardly any doubted; most of the others right."""
    every = list(few_signs(random.Random(SEED), plain))
    assert len(every) >= 900
    counts, silent = shares(every, read)
    assert silent == [], f"seed {SEED}"
    windows, others = counts["windows"], counts["others"]
    assert windows["right"] == windows["all"], f"seed {SEED}: {windows}"
    assert windows["right, doubted"] <= 0.03 * windows["all"], f"seed {SEED}: {windows}"
    assert others["right"] >= 0.9 * others["all"], f"seed {SEED}: {others}"


def test_a_few_signs_are_read_right_and_seldom_doubted() -> None:
    """Sentences of our own, alone and beside a plain one, in six encodings."""
    check([])


@pytest.mark.slow
def test_a_few_signs_in_real_contracts_are_read_right_and_seldom_doubted() -> None:
    """The same sentences among lines of real contracts."""
    check(plain_lines(collection("contracts")))


@pytest.mark.parametrize(
    "text",
    [
        "The “Seller” means the party that is named in the order.",
        "The fee is £500 and it is due on the first of the month.",
        "Keep the goods at 25°C and away from any source of light.",
        "Our naïve reading of the façade clause was rejected in full.",
        "Amendment N° 1 to the global maintenance agreement of the parties.",
        "by striking the period at the end and inserting “; and”; and",
        "Please mark one: ¨ Yes ¨ No, and return this form to the lender.",
    ],
)
def test_a_sign_that_makes_sense_in_one_page_only_is_not_doubted(text: str) -> None:
    """Other pages would have letters beside figures, or capitals inside words: nobody writes that."""
    assert read(text.encode("cp1252")) == (text, "")


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("The penalty is 5¢ per page that was copied without permission.", "cp850"),
        ("The software is provided by Initech® under this license.", "cp850"),
        ("The purchaser is Mr. Łukasz Kowalski of the other part.", "cp1250"),
        ("Cars of Škoda are sold to the buyer as they were seen.", "iso8859-2"),
        ("The owner of the vessel is Søren Holm, a resident of Oslo.", "cp865"),
        ("The list was made by Nicolás Lichtmaier and by nobody else.", "cp437"),
        ("The photograph was taken by Cristian Rodríguez last year.", "mac-roman"),
        ("The results of the year are shown below: \xb7 first quarter", "cp850"),
        ("Fait à Paris, le 3 mars, en deux exemplaires.", "cp850"),
        ("The royalty is [†] of the net sales; it is omitted here.", "mac-roman"),
    ],
)
def test_another_meaning_is_read_or_doubted(text: str, encoding: str) -> None:
    """A byte that is a usual sign, or a letter of a name, in another page too."""
    found, doubt = read(text.encode(encoding))
    assert found is not None
    assert found == text or doubt


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("The “Agreement” – as amended – is each party’s own copy of it.", "mac-roman"),
        ("The rent of £1,250 is paid in advance, on the first of the month.", "cp850"),
        ("Mr. Müller of the finance team has signed all of the pages.", "cp437"),
        ("The invoice of €12,000 was paid by the buyer in the month of May.", "iso8859-15"),
        ("Der „Mieter“ haftet nur bei Vorsatz oder wenn er es versprochen hat.", "cp1252"),
        ("Die Ware ist bei 20 °C zu lagern und vor Licht und Staub zu bewahren.", "cp1252"),
        ("Le prix est de 500 € hors taxes, et il est payable dans les dix jours.", "cp1252"),
    ],
)
def test_a_page_that_makes_sense_is_taken_before_a_common_one_that_does_not(text: str, encoding: str) -> None:
    """Code page 1252 was taken for all of the English ones, and rare pages for the others."""
    assert read(text.encode(encoding))[0] == text


def test_every_sign_of_a_long_text_is_looked_at() -> None:
    """Signs far from each other: one that is met once, after all that is sampled, counts too."""
    plain = "The Buyer shall pay the Seller within thirty days after receipt of the goods, number {}.\n"
    text = "".join(plain.format(number) + "It’s “final”.\n" * (number % 50 == 0) for number in range(2_000))
    text += "Section § 5 applies.\n" + "".join(plain.format(number) for number in range(2_000, 4_000))
    assert read(text.encode("cp1252")) == (text, "")


@pytest.mark.parametrize(
    ("before", "sign", "after", "usual"),
    [
        ("is ", "£", "500", True),
        ("Garc", "£", "a", False),
        ("25", "°", "C", True),
        ("N", "°", " 1", True),
        ("25", "¡", "C", False),
        ("the ", "“", "Seller", True),
        ("the", "“", "Seller", False),
        ("party", "’", "s own", True),
        ("Rodr", "’", "guez", False),
        ("under ", "§", " 5", True),
        ("Acme", "®", " and", True),
        ("m", "─", "ller", False),
        ("──", "─", "──", True),
        ("vis-", "…", "-vis", False),
    ],
)
def test_places_of_signs(before: str, sign: str, after: str, usual: bool) -> None:
    """What is usual costs little; what nobody writes costs as much as a rare page."""
    assert (places.cost(before, sign, after) <= 3) == usual


def test_a_picture_as_text_does_not_hide_the_language_around_it() -> None:
    """A long run of letters without a space is no word: it had made Macedonian of English with curly quotes."""
    picture = base64.b64encode(random.Random(5).randbytes(40_000)).decode()
    text = f"These guidelines (“Guidelines”) are for officials.\n![logo]({picture})\nIts records are “private”.\n"
    found = read_text(text.encode("cp1252"))
    assert found is not None
    assert (found.text.decode(), found.encoding, found.doubt) == (text, "cp1252", "")


def test_signs_that_are_talked_about_stand_alone() -> None:
    """A mark between spaces is still likelier than the letter that a page of DOS has there."""
    text = "The marks of the licensee must include a ™ or ® symbol as part of the logo on every page.\n"
    found = read_text(text.encode("cp1252"))
    assert found is not None
    assert (found.text.decode(), found.encoding, found.doubt) == (text, "cp1252", "")


def test_the_usual_page_is_kept_where_a_rare_one_makes_no_better_sense() -> None:
    """A sign where nobody puts one is a slip of the pen, or doubtful; it proves no other page."""
    text = "The proposed discount is expected to be ¨%, and it may vary with the terms of the purchase.\n"
    found = read_text(text.encode("cp1252"))
    assert found is not None
    assert found.text.decode() == text
    assert found.doubt
