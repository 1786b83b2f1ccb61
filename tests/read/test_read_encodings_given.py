"""`--encoding` for files that cannot be in it: they are read as what they are, and the doubt is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import truecopy as tc
from truecopy.read.decode import read_text
from truecopy.read.encodings.found import CERTAIN, DOUBTFUL

ENGLISH = "The “Agreement” – as amended – is between Müller and Société Générale.\n" * 3
PLAIN = "The plain words of a lease that everybody can read without any doubt, all of them in ASCII.\n" * 3
HEBREW = "הסכם זה נכנס לתוקף ביום חתימתו על ידי שני הצדדים ויעמוד בתוקפו למשך שלוש שנים מיום החתימה.\n" * 3
JAPANESE = "本契約は、両当事者が署名した日から効力を生じ、義務が完全に履行されるまで有効とする。\n" * 3


@pytest.mark.parametrize(
    ("text", "encoding", "given", "read_as"),
    [
        (ENGLISH, "cp1252", "utf-8", "cp1252"),
        (HEBREW, "cp1255", "utf-8", "cp1255"),
        (JAPANESE, "cp932", "utf-8", "cp932"),
        (ENGLISH, "cp1252", "utf-16", "cp1252"),
        (ENGLISH, "utf-8", "utf-16-le", "utf-8"),
        (PLAIN, "ascii", "utf-16-be", "utf-8"),
        (PLAIN, "ascii", "cp037", "utf-8"),
    ],
)
def test_a_text_that_cannot_be_in_what_was_given_is_read_with_doubt(
    text: str, encoding: str, given: str, read_as: str
) -> None:
    """The doubt names both encodings."""
    found = read_text(text.encode(encoding), given=given)
    assert found is not None
    assert found.text.decode() == text
    assert found.encoding == read_as
    assert found.confidence < DOUBTFUL
    assert found.doubt == f"read as {read_as}, and not as {given} as given: its bytes are no text in that"


@pytest.mark.parametrize(
    ("text", "encoding", "given"),
    [
        (ENGLISH, "utf-8", "utf-8"),
        (ENGLISH, "utf-16", "utf-8"),
        (ENGLISH, "utf-16-le", "utf-8"),
        (PLAIN, "utf-16-le", "utf-8"),
        (ENGLISH, "utf-16-be", "utf-16-be"),
        (HEBREW, "utf-16-le", "utf-16-le"),
        (JAPANESE, "utf-16-le", "utf-16-le"),
        (PLAIN, "cp037", "cp037"),
        (HEBREW, "cp1255", "cp1255"),
    ],
)
def test_what_is_certain_or_fits_is_not_doubted(text: str, encoding: str, given: str) -> None:
    """Marks, zero bytes and valid UTF-8 come before what was given."""
    found = read_text(text.encode(encoding), given=given)
    assert found is not None
    assert (found.text.decode(), found.doubt) == (text, "")


def test_damaged_texts_stay_in_what_was_given() -> None:
    """One bad byte in a long text is damage."""
    data = HEBREW.encode() * 5 + b"\xff\n" + HEBREW.encode() * 5
    found = read_text(data, given="utf-8")
    assert found is not None
    assert (found.encoding, found.confidence) == ("utf-8", CERTAIN)
    assert found.text.decode().count("\ufffd") == 1
    assert "no meaning" in found.doubt


def test_a_scan_tells_which_files_are_not_in_what_was_given(tmp_path: Path) -> None:
    """Nothing is `empty` that has words; what is no text names the encoding that was asked for."""
    room = tmp_path / "room"
    room.mkdir()
    (room / "hebrew.txt").write_bytes(HEBREW.encode("cp1255"))
    (room / "windows.txt").write_bytes(ENGLISH.encode("cp1252"))
    (room / "wide.txt").write_bytes(ENGLISH.encode("utf-16"))
    (room / "utf8.txt").write_bytes(ENGLISH.encode())
    (room / "noise.txt").write_bytes(bytes(range(256)) * 9)
    made = tc.scan(room, tmp_path / "m", encoding="utf-8", report=False)
    found = {one.path: one for one in made.documents()}
    assert "not as utf-8 as given" in found["hebrew.txt"].reason
    assert "not as utf-8 as given" in found["windows.txt"].reason
    assert found["hebrew.txt"].status == "unique"
    assert {one.status for one in found.values()} == {"unique", "principal", "same-text", "unreadable"}
    assert made.text(found["hebrew.txt"]) == HEBREW
    assert made.text(found["windows.txt"]) == ENGLISH
    assert (found["utf8.txt"].doubt, found["wide.txt"].doubt) == ("", "")
    assert found["noise.txt"].status == "unreadable"
    assert "nor is it one in utf-8, as given" in found["noise.txt"].reason
