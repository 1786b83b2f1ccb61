"""Redlines: every change is marked, moves know their other place, and the summary says what it leaves out."""

from __future__ import annotations

import re

import pytest

from truecopy.match.compare import compare
from truecopy.match.differences import differences
from truecopy.matter.ask.sides import Side
from truecopy.model import Difference
from truecopy.report.changes import matters, summarize
from truecopy.report.data import more_changes
from truecopy.report.marked import Fold, folded, marked, skipped
from truecopy.report.page import ImportantChange, ImportantChanges, Piece
from truecopy.report.redline_page import redline_page
from truecopy.report.turning import turning

FIRST = (
    "The supplier shall deliver the goods to the warehouse of the buyer within thirty days of the order. "
    "Title passes on payment of the price and on nothing else that the parties may have agreed. "
    "This agreement is governed by the laws of England and Wales without regard to conflict rules."
)
LAST = (
    "This agreement is governed by the laws of England and Wales without regard to conflict rules. "
    "The supplier shall deliver the goods to the warehouse of the buyer within thirty days of the order. "
    "Title passes on payment of the price and on nothing else that the parties may have agreed."
)


def side(text: str, name: str = "a.txt") -> Side:
    return Side(name, text, name, "")


def page_of(a: str, b: str) -> str:
    return redline_page(side(a, "a.txt"), side(b, "b.txt"), compare(a, b))


def plain(page: str) -> str:
    """The text of the page's redline, without markup."""
    body = re.search(r'<div class="text"[^>]*>(.*)</div>\s*</main>', page, re.DOTALL)
    assert body
    return body[1]


def test_without_insertions_the_redline_is_the_first_text_and_without_deletions_the_second() -> None:
    a = "Rent is 100 a month, due on the first. The tenant may not sublet."
    b = "Rent is 120 a month, due on the third. The tenant may sublet."
    pieces = marked(b, differences(a, b))
    assert "".join(piece.text for piece in pieces if piece.op != "delete") == b
    assert "".join(piece.text for piece in pieces if piece.op != "insert") == a


def test_both_places_of_a_move_are_linked_with_each_other() -> None:
    pieces = marked(LAST, differences(FIRST, LAST))
    gone, come = ([piece for piece in pieces if piece.op == op] for op in ("gone", "come"))
    assert [piece.place for piece in gone] == [1]
    assert [piece.place for piece in come] == [1]
    page = page_of(FIRST, LAST)
    assert re.search(r'<a class="gone" id="gone-1" href="#come-1"', page)
    assert re.search(r'<a class="come" id="come-1" href="#gone-1"', page)


def test_long_stretches_are_folded_with_context_and_nothing_is_lost() -> None:
    words = [f"w{n}" for n in range(300)]
    a = " ".join(words)
    b = a.replace("w150", "changed").replace("w10 ", "ten ")
    pieces = marked(b, differences(a, b))
    parts = folded(pieces, 12)
    folds = [part for part in parts if isinstance(part, Fold)]
    assert [fold.words for fold in folds] == [139 - 24, 149 - 12]
    back: list[Piece] = []
    for part in parts:
        back += part.pieces if isinstance(part, Fold) else (part,)
    assert "".join(piece.text for piece in back) == "".join(piece.text for piece in pieces)
    skips = [piece for piece in skipped(parts) if piece.op == "skip"]
    assert [skip.text for skip in skips] == ["115 words unchanged", "137 words unchanged"]


def difference(before: str, after: str, layout: bool = False) -> Difference:
    return Difference("replace", (0, len(before)), (0, len(after)), before, after, layout)


def test_figures_dates_negations_and_words_that_turn_the_sense_matter() -> None:
    weighty = [
        ("30 days", "45 days"), ("$", "€"), ("☐", "☒"), ("-", ""), (".", ","), ("shall", "shall not"), ("may", "must"),
        ("and", "or"), ("March", "April"), ("isn't", "is"), ("with", "without"),
    ]  # fmt: skip
    assert [pair for pair in weighty if not matters(difference(*pair))] == []
    light = [("goods", "products"), ("house and garden", "land and buildings"), ("Acme", "Bolt"), ("", "in fact")]
    assert [pair for pair in light if matters(difference(*pair))] == []
    assert not matters(difference("30 Days", "30 days", layout=True))


def test_a_difference_in_a_sign_only_is_told_with_the_sign() -> None:
    told = summarize([difference("-5", "5"), difference("1.500", "1,500"), difference(" (30) ", "(45),")], 10)
    assert told.listed == (
        ImportantChange("-5", "5", 1),
        ImportantChange("1.500", "1,500", 1),
        ImportantChange("(30)", "(45)", 1),
    )


def test_the_summary_is_complete_or_says_how_much_it_leaves_out() -> None:
    changes = [difference(str(n), str(n + 1)) for n in range(20)] + [difference("7", "8")]
    changes += [difference("x " * 60 + "5", "6")]
    told = summarize(changes, 12)
    assert (len(told.listed), told.unlisted, told.long) == (12, 8, 1)
    assert told.listed[0] == ImportantChange("7", "8", 2)
    assert sum(change.times for change in told.listed) + told.unlisted + told.long == len(changes)
    assert more_changes(told) == (
        "Not in this list: 8 more short changes and 1 longer passage "
        "that touch a figure, a date or a word that turns the sense."
    )
    assert more_changes(ImportantChanges(told.listed)) == ""


EDITS = (
    ("within thirty days of receipt", "within sixty days of receipt"),
    ("interest at five per cent a year", "interest at nine per cent a year"),
    ("for two years after closing", "for seven years after closing"),
    ("The buyer may at its sole option return it", "The buyer shall promptly upon request return it"),
    ("pays half of the costs", "pays double the costs"),
    ("liable only for gross negligence", "liable for gross negligence"),
    ("subject to all of these terms", "subject to any of these terms"),
    ("delivered on Monday at noon", "delivered on Friday at noon"),
    ("a price in USD at closing", "a price in EUR at closing"),
    ("a cap of ten million in total", "a cap of ten billion in total"),
    ("payable in dollars at closing", "payable in euros at closing"),
    ("on the first of the month", "on the third of the month"),
    ("notice of thirty days is given", "notice of thirty months is given"),
    ("you can leave at once", "you can't leave at once"),
    ("you won’t leave at once", "you can’t leave at once"),
    ("at least as much as before", "at most as much as before"),
    ("it shall pay and may leave", "it may pay and shall leave"),
    ("pays ½ of it", "pays ¼ of it"),
)


@pytest.mark.parametrize(("a", "b"), EDITS, ids=[b for _, b in EDITS])
def test_an_edit_that_turns_the_sense_is_listed_and_marked(a: str, b: str) -> None:
    """As a short change it is listed; inside a passage that is too long for the list, it is counted; never neither."""
    around = "The parties have agreed as follows, {}, and everything in this contract is to be read like that."
    first, second = around.format(a), around.format(b)
    found = differences(first, second)
    assert summarize(found, 10).listed
    assert any(piece.matters for piece in marked(second, found))
    long = difference(f"{a} {'in words of the seller ' * 4}", f"{b} {'in terms of the buyer ' * 4}")
    assert summarize([long], 10) == ImportantChanges((), 0, 1)


def test_currency_codes_are_found_in_capitals_only() -> None:
    assert turning("TRY and try, TOP and top, USD") == ["try", "and", "top", "and", "usd"]


def test_what_is_looked_for_is_said_whether_or_not_something_was_found() -> None:
    """The reader is never left to think that nothing else of weight can have changed."""
    listed = page_of("Payment is due within thirty days.", "Payment is due within sixty days.")
    nothing = page_of("The goods are sold as seen by the buyer.", "The wares are sold as seen by the buyer.")
    for page in (listed, nothing):
        assert "list of English words" in page
        assert "Any other change can matter as much" in page
    assert "No change of a figure" in nothing
    assert "No change of a figure" not in listed


def test_one_longer_passage_is_told_in_the_singular_and_without_a_list() -> None:
    a = "The seller delivers the goods to the warehouse."
    more = (
        "It shall insure them against fire, theft and water, at its own cost, until the buyer has paid the whole price."
    )
    page = page_of(a, f"{a} {more}")
    said = "1 longer passage touches a figure, a date or a word that turns the sense. It is marked in the text below."
    assert said in page
    assert "Not in this list" not in page
    assert '<ins class="matters">' in plain(page)


def test_figure_marks_are_shown_as_changes_on_the_page() -> None:
    page = page_of("You owe $100 by Monday at the latest.", "You owe €100 by Monday at the latest.")
    assert re.search(r"<del[^>]*>\$(?:100)?</del><ins[^>]*>€(?:100)?</ins>", plain(page))
    assert "Figures, dates and words that turn the sense" in page


def test_layout_is_marked_only_when_asked_for_unless_there_is_nothing_else() -> None:
    words = "The rent is due on the first of the month"
    both = page_of(f"{words}, always.", f"{words.upper()} never.")
    assert 'id="layout">' in both
    only = page_of(f"{words}, always.", f"{words.upper()}, always.")
    assert 'id="layout" checked>' in only
    assert '<span class="layout">' in plain(only)


def test_names_and_texts_that_look_like_markup_stay_text() -> None:
    page = redline_page(
        side("one </div><script>alert(1)</script> two", "<b>a</b>.txt"),
        side("one </div><script>alert(2)</script> two", "b&c.txt"),
        compare("one </div><script>alert(1)</script> two", "one </div><script>alert(2)</script> two"),
    )
    assert page.count("<script") == 1
    assert "&lt;b&gt;a&lt;/b&gt;.txt" in page
    assert "default-src 'none'" in page


def test_equal_texts_are_said_to_be_equal_and_shown() -> None:
    page = page_of(FIRST, FIRST)
    assert "equal, character for character" in page
    assert FIRST in plain(page)
