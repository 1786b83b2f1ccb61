"""A redline shows every change with its context, and what it leaves out it counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from truecopy.match.differences import differences
from truecopy.match.redline import RedlinePiece, redline

word = st.sampled_from(["rent", "Rent,", "owner", "shall", "pay", "keep.", "the", "key"])
texts = st.lists(word, max_size=80).map(" ".join)


@given(texts, texts, st.integers(0, 12))
def test_every_change_is_shown_and_every_other_word_shown_or_counted(a: str, b: str, context: int) -> None:
    found = differences(a, b)
    segments = redline(a, b, found, context)
    inserted = [one.b_text for one in found if one.b_text and not one.layout]
    assert [one.text for one in segments if one.op in ("insert", "move")] == inserted
    deleted = [one.a_text for one in found if one.a_text and not one.layout]
    assert [one.text for one in segments if one.op == "delete"] == deleted
    if all(one.b_text or not one.layout for one in found) and all(not one.layout for one in found):
        shown = "".join(one.text if one.op != "skip" else " … " for one in segments if one.op != "delete")
        skipped = sum(one.words for one in segments)
        assert len(shown.replace("…", "").split()) + skipped == len(b.split())


def test_long_equal_stretches_become_a_skip_between_contexts() -> None:
    equal = " ".join(f"w{i}" for i in range(100))
    a, b = f"old {equal} last", f"new {equal} end"
    segments = redline(a, b, differences(a, b), context_words=3)
    assert [one.op for one in segments] == ["delete", "insert", "equal", "skip", "equal", "delete", "insert"]
    assert segments[2].text == " w0 w1 w2 "
    assert segments[3] == RedlinePiece("skip", "94 words unchanged", 94)
    assert segments[4].text == " w97 w98 w99 "


def test_nothing_is_skipped_where_the_skip_would_be_as_long() -> None:
    a, b = "old one two three four last", "new one two three four end"
    assert "skip" not in {one.op for one in redline(a, b, differences(a, b), context_words=2)}


def test_layout_is_shown_beside_changes_and_by_itself_where_there_is_nothing_else() -> None:
    a, b = "The Buyer pays, in euros.", "The buyer pays in euros."
    segments = redline(a, b, differences(a, b))
    assert [one.text for one in segments if one.op == "layout"] == ["buyer", ","]
    far = "The Buyer " + "pays and " * 40 + "leaves"
    other = "The buyer " + "pays and " * 40 + "stays"
    shown = redline(far, other, differences(far, other), context_words=2)
    assert [one.op for one in shown] == ["skip", "equal", "delete", "insert"]


def test_equal_texts_have_nothing_to_show_but_their_words() -> None:
    assert redline("a b", "a b", ()) == (RedlinePiece("skip", "2 words unchanged", 2),)
    assert redline("", "", ()) == ()
