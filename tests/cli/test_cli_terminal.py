"""What a person sees: harmless, in the same words everywhere, with colors and without; tables: test_cli_table.py."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import cli_fake as fake
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truecopy.cli.redline import redline_text
from truecopy.cli.safe import safe, safe_lines
from truecopy.cli.summary import MEANS, one_decimal, recall_said
from truecopy.model import STATUSES

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"


@dataclass(frozen=True)
class Piece:
    op: str
    text: str = ""
    words: int = 0


@given(st.text())
def test_safe_text_holds_no_control_of_any_kind(text):
    """No escape, no bidirectional control, no line break and no lone surrogate is left."""
    for character in safe(text):
        assert character in "\u00ad\u200c\u200d" or unicodedata.category(character) not in {
            "Cc",
            "Cf",
            "Cs",
            "Zl",
            "Zp",
        }


def test_every_bidirectional_control_and_escape_is_made_visible():
    assert safe("a\x1b[2J\x9b\x7f") == "a␛[2J⟨U+009B⟩␡"
    for character in BIDI:
        assert safe(character) == f"⟨U+{ord(character):04X}⟩"
    assert safe("\udcff") == "⟨U+DCFF⟩"


def test_writing_is_left_alone():
    text = "Vertrag über 5 % – 契約書 اتفاقية मैं क्‌ष 👩‍⚖️"
    assert safe(text) == text


def test_lines_of_documents_stay_lines():
    assert safe_lines("a\r\nb\tc\rd") == "a\nb\tc␍d"


def test_one_hundred_is_said_of_nothing_less():
    assert one_decimal(99.9999) == "99.9"
    assert one_decimal(100) == "100.0"
    assert one_decimal(79.96) == "80.0"
    assert one_decimal(None) == "–"


def test_every_status_has_its_meaning():
    assert tuple(MEANS) == STATUSES


def test_recall_is_stated_as_a_sentence():
    assert recall_said(1.0).startswith("exact")
    assert "0.001" in recall_said(0.999)


@pytest.mark.parametrize(
    ("op", "plain"),
    [("equal", "x"), ("delete", "[-x-]"), ("insert", "{+x+}"), ("move", "[>x<]"), ("layout", "[~x~]")],
)
def test_redlines_have_signs_without_color_and_styles_with_it(op, plain):
    assert redline_text([Piece(op, "x")], colored=False).plain == plain
    colored = redline_text([Piece(op, "x")], colored=True)
    assert colored.plain == "x"
    assert bool(colored.spans) == (op != "equal")


def test_redlines_say_what_they_skip_and_are_harmless():
    pieces = [Piece("skip", words=1), Piece("equal", " a\x1b[31m\n[red]b "), Piece("skip", words=1234)]
    shown = redline_text(pieces, colored=True).plain
    assert shown == "  … 1 word alike …\na␛[31m\n[red]b \n  … 1,234 words alike …\n"


def test_compare_prints_measures_and_a_redline(cli, library):
    ran = cli("compare", "TC-000001", "TC-000002", "--matter", "m")
    assert ran.code == 0
    assert "revision: The texts are similar." in ran.out
    assert "99.9" in ran.out
    assert "the [-old-]{+newer+} deal,␛[31m" in ran.out
    marked = cli("compare", "TC-000001", "TC-000002", "--matter", "m", "--layout")
    assert "the [-old-]{+newer+} deal[~,~]␛[31m" in marked.out
    assert "\x1b" not in ran.out


@pytest.mark.parametrize(
    "command", [["groups"], ["pairs"], ["similar", "TC-000001"], ["scan", "x"], ["status"], ["add", "x"]]
)
def test_hostile_names_cannot_command_the_terminal(command, cli, library):
    ran = cli(*command)
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out


def test_names_that_look_like_markup_are_shown_as_they_are(cli, library):
    assert "[red]c.txt[/red]" in cli("groups").out


def test_scan_says_what_became_of_every_document(cli, library):
    out = cli("scan", "room").out
    lines = {tuple(line.split()[:2]) for line in out.splitlines()}
    assert {(status, str(count)) for status, count in fake.STATUSES.items()} <= lines
    assert ("documents", "6") in lines
    assert {("copies", "2"), ("near", "copies"), ("to", "read"), ("not", "searched")} <= lines
    assert "need not be read twice" not in out
    assert "exact: no pair" in out


@pytest.mark.parametrize("command", [["scan", "room"], ["status"]])
def test_what_could_not_be_read_is_named_with_its_reason(command, cli, library):
    assert "TC-000004  unreadable  ␛.pdf     password-protected PDF" in cli(*command).out


def test_a_dense_family_is_owned_up_to(cli, library):
    assert "12 pairs of very large families are not stored" in cli("pairs").out
