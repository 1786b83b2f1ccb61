"""RTF: the words in the right letters, and only those that are to be seen."""

from __future__ import annotations

import random
import time

import pytest

from truecopy.read.parsers import Refused
from truecopy.read.rtf import rtf_text

FONTS = rb"{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset238 B;}{\f2\fcharset128 C;}{\f3\fcharset204 D;}}"


def text(body: bytes, head: bytes = rb"\ansi\ansicpg1252") -> str:
    return rtf_text(rb"{\rtf1" + head + FONTS + rb"\f0 " + body + b"}").text


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (rb"One\par Two\line Three\tab Four", "One\nTwo\nThree\tFour"),
        (rb"caf\'e9 \{braces\} back\\slash", "café {braces} back\\slash"),
        (rb"\f1 \'c8l\'e1nek \f0 \'c8", "Článek È"),
        (rb"{\f3 \'cf\'f0\'e8\'e2\'e5\'f2} ok", "Привет ok"),
        (rb"\f2 \'83]\'83\'8b\'83Q", "ゾルゲ"),
        (rb"\u8364?5 \uc0\u8364 5 \uc2\u8364\'80\'805", "€5 €5 €5"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"a\~b\_c\-d \emdash \ldblquote q\rdblquote", "a\xa0b\u2011c\xadd —“q”"),
        (rb"kept {\deleted gone}{\deleted0 back}", "kept back"),
        (rb"x{\*\unknown hidden}{\pict 010203}{\field{\*\fldinst CODE}{\fldrslt shown}}", "xshown"),
        (rb"x\bin5 }}}}}y", "xy"),
        (rb"{\shp{\*\shpinst{\sp{\sn a}{\sv 1}}{\shptxt Boxed}}}", "Boxed"),
        (b"one\r\n two", "one two"),
        (rb"{\header Head}{\footer Foot}{\header Head}Body{\footnote Note}", "Body\n\nNote\nHead\nFoot"),
    ],
)
def test_visible_words(body: bytes, words: str) -> None:
    assert text(body) == words


def test_the_files_own_code_page_holds_without_a_font() -> None:
    assert text(rb"\'cf\'f0\'e8\'e2\'e5\'f2", rb"\ansi\ansicpg1251") == "Привет"
    assert text(rb"\'8e", rb"\mac") == "é"
    assert text(rb"\'e9", rb"\ansi\ansicpg99999") == "é"


def test_the_date_of_the_last_revision_is_taken() -> None:
    info = rb"{\info{\creatim\yr2001\mo2\dy3}{\revtim\yr2010\mo10\dy13\hr2\min55}}"
    assert rtf_text(rb"{\rtf1" + info + b"x}").date == "2010-10-13T02:55:00"
    assert rtf_text(rb"{\rtf1{\info{\revtim\yr2010\mo99\dy13}}x}").date == ""


def test_what_is_no_rtf_is_refused() -> None:
    with pytest.raises(Refused, match="not a valid RTF"):
        rtf_text(b"plain words")


def test_damaged_and_deep_files_end() -> None:
    seed = 7
    generator = random.Random(seed)
    whole = rb"{\rtf1\ansi" + FONTS + rb"{\b bold} \'e9\u8364? {\footnote n}" * 50 + b"}"
    for _ in range(300):
        at = generator.randrange(6, len(whole))
        rtf_text(whole[:at] + generator.randbytes(5) + whole[at:]).text.encode()
        cut = rtf_text(whole[:at]).text
        complete = whole[:at].count(b"{\\b bold}")
        assert cut.count("bold") >= complete, f"seed {seed}: words before the cut are lost"
    started = time.perf_counter()
    assert rtf_text(b"{\\rtf1" + b"{" * 500_000 + b"deep").text == "deep"
    assert time.perf_counter() - started < 20
