"""Kinds: the contract's table, row by row, in its order; in bulk and in `compare` alike."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from match_streams import collect

from truecopy.match.compare import compare
from truecopy.match.dates import moment, moments
from truecopy.match.judge import Passages, grew, judge
from truecopy.match.kinds import FINDINGS, KIND_NAMES, KINDS, decide
from truecopy.match.relations import DEFAULT_FLOORS
from truecopy.text import tokenize
from truecopy.text.breaks import breaks
from truecopy.text.content import arena
from truecopy.text.marks import figure_marks
from truecopy.text.streams import Signs, Streams

PLACES = ("the harbour", "the old mill", "the northern plant", "the third floor", "the car park", "the archive")
THINGS = ("lifts", "windows", "boilers", "gates", "pumps", "cables")
BASE = [
    f"{number}. The owner keeps the {thing} of {place} in good repair. The tenant of {place} reports every fault "
    f"of the {thing} within {number + 2} days, and pays for what was broken by its own people or visitors there."
    for number, (place, thing) in enumerate(zip(PLACES, THINGS, strict=True), start=1)
]
EXTRA = [
    "Keys are handed over against a receipt, which both sides sign in two copies on the day of the handover.",
    "Smoke detectors are tested twice a year by a firm that the owner names and the tenant may refuse once.",
]


def text(paragraphs: list[str]) -> str:
    return "\n\n".join(paragraphs)


def test_the_same_file() -> None:
    assert compare(text(BASE), text(BASE), same_file=True).kind == "same-file"


def test_the_same_words_in_another_layout_are_the_same_text() -> None:
    found = compare(text(BASE), text(BASE).upper().replace("\n\n", " "))
    assert found.kind == "same-text"
    assert found.similarity == 100
    assert all(one.layout for one in found.differences)


def test_articles_and_fillers_do_not_make_another_text() -> None:
    found = compare(text(BASE), text(BASE).replace(" the ", " ").replace(" reports ", " thus reports "))
    assert found.kind == "same-words"
    assert found.similarity < 100


@pytest.mark.parametrize("word", ["not", "all", "may", "30", "and", "or"])
def test_a_negation_a_quantity_or_a_figure_makes_another_text(word: str) -> None:
    assert compare(text(BASE), text(BASE).replace("reports", f"{word} reports")).kind != "same-words"


def test_sentences_and_phrases_inside_paragraphs_are_an_insertion() -> None:
    longer = list(BASE)
    longer[1] += " " + EXTRA[0]
    longer[3] = longer[3].replace("in good repair", "in good and lasting repair")
    found = compare(text(BASE), text(longer))
    assert found.kind == "insertion"
    assert "plus 22 words" in found.why


def test_a_sentence_that_begins_as_the_next_paragraph_does_is_still_inside_its_own() -> None:
    """Matched from the left, the added words would reach over the paragraph's end."""
    longer = list(BASE)
    longer[2] = longer[2] + " 4. The owner keeps nothing else."
    assert compare(text(BASE), text(longer)).kind == "insertion"


@pytest.mark.parametrize("place", [1, 3, 6])
def test_whole_paragraphs_are_an_elaboration(place: int) -> None:
    longer = [*BASE[:place], *EXTRA, *BASE[place:]]
    assert compare(text(longer), text(BASE)).kind == "elaboration"


def test_paragraphs_that_end_in_the_words_before_them_are_still_whole() -> None:
    """The addition can be cut in several places; one of them is at paragraphs."""
    repeated = "7. And there of what was broken by its own people or visitors there."
    assert compare(text(BASE), text([*BASE[:2], repeated, *BASE[2:]])).kind == "elaboration"


def test_paragraphs_and_phrases_together_are_a_revision() -> None:
    longer = [*BASE[:2], EXTRA[0], *BASE[2:]]
    longer[4] = longer[4].replace("every fault", "every single fault")
    assert compare(text(BASE), text(longer)).kind == "revision"


def test_lines_that_were_wrapped_are_one_paragraph() -> None:
    wrapped = [paragraph.replace(" of the ", "\nof the ") for paragraph in [*BASE[:2], EXTRA[0], *BASE[2:]]]
    assert compare(text(BASE), "\n".join(wrapped)).kind == "elaboration"


@pytest.mark.parametrize("part", [slice(1, 3), slice(3, 6), slice(2, 4)])
def test_a_part_from_inside_a_longer_text_is_an_excerpt(part: slice) -> None:
    found = compare(text(BASE[part]), text(BASE))
    assert found.kind == "excerpt"
    assert "times as long" in found.why


def test_a_part_too_short_for_any_relation_is_unrelated() -> None:
    """Fewer than 50 shingles, and far less than 70 % similar."""
    found = compare(text(BASE[2:3]), text(BASE))
    assert found.kind == "unrelated"
    assert found.why.startswith("100 % of the shingles of one text are found in the other, but it is too short")


@pytest.mark.parametrize(("dates", "kind"), [
    (("2020-01-01", "2021-01-01"), "elaboration"),
    (("2021-01-01", "2020-01-01"), "excerpt"),
    (("2021-01-01", "2021-01-01"), "excerpt"),
    (("", "2021-01-01"), "excerpt"),
])  # fmt: skip
def test_a_part_of_a_later_text_was_elaborated(dates: tuple[str, str], kind: str) -> None:
    found = compare(text(BASE[1:4]), text(BASE), dates=dates)
    assert found.kind == kind
    assert compare(text(BASE), text(BASE[1:4]), dates=dates[::-1]).kind == kind
    assert ("later date" in found.why) == (kind == "elaboration")


def test_four_parts_are_no_excerpt() -> None:
    """One to three are: each part here is a paragraph that others come between."""
    many = [f"{number}. {BASE[number % 6]} {EXTRA[number % 2]} {number}" for number in range(9)]
    assert compare(text(many[1:6:2]), text(many)).kind == "excerpt"
    assert compare(text(many[1::2]), text(many)).kind == "elaboration"


def test_a_date_is_compared_as_a_moment() -> None:
    assert moment("2024-03-01T10:00:00+02:00") < moment("2024-03-01T09:00:00+00:00")
    assert moment("yesterday") == moment("")
    lengths = np.array([5, 5]), np.array([9, 9])
    when = moments(["2024-01-01", ""]), moments(["2024-01-02", "2024-01-02"])
    assert grew(lengths, when).tolist() == [True, False]


@pytest.mark.parametrize(("one", "other"), [
    ("$1", "€1"), ("☒ the", "☐ the"), ("-1", "1"), ("1.500", "1,500"), ("1 %", "1"), ("1%", "1‰"),
])  # fmt: skip
def test_the_same_words_with_other_figure_marks_are_no_copy(one: str, other: str) -> None:
    a, b = (text(BASE) + f"\n\nThe fee is {figure} for each of them." for figure in (one, other))
    found = compare(a, b)
    assert (found.kind, found.similarity) == ("revision", 100)
    assert "figure marks" in found.why
    assert not any(one.layout for one in found.differences)


def test_a_text_with_sentences_added_and_a_currency_changed_is_no_insertion() -> None:
    shorter = text([*BASE, "The fee is $100."])
    longer = text([*BASE[:2], f"{BASE[2]} {EXTRA[0]}", *BASE[3:], "The fee is {}100."])
    assert compare(shorter, longer.format("$")).kind == "insertion"
    assert compare(shorter, longer.format("€")).kind == "revision"


def test_an_article_less_and_a_currency_changed_are_not_the_same_words() -> None:
    shorter = text([*BASE, "The fee is $100."])
    longer = shorter.replace("The fee", "The said fee")
    assert compare(shorter, longer).kind == "same-words"
    assert compare(shorter, longer.replace("$", "€")).kind == "revision"


def test_an_excerpt_may_have_a_few_parts_and_small_changes() -> None:
    part = text([BASE[1], BASE[4]]).replace("every fault", "each fault")
    assert compare(part, text(BASE + EXTRA)).kind == "excerpt"


def test_many_scattered_phrases_are_no_excerpt() -> None:
    words = text(BASE).split()
    scattered = " ".join(" ".join(words[i : i + 9]) for i in range(5, len(words) - 9, 24))
    assert compare(scattered, text(BASE)).kind not in ("excerpt", "elaboration")


def test_a_text_with_words_changed_is_a_revision() -> None:
    found = compare(text(BASE), text(BASE).replace("owner", "landlord"))
    assert found.kind == "revision"
    assert found.why.startswith("The texts are 9")


def test_a_text_of_which_most_is_found_in_another_is_contained() -> None:
    """Its paragraphs stand in another order there, so it is neither similar nor one that was cut out."""
    found = compare(text([BASE[4], BASE[3], BASE[1], BASE[0]]), text(BASE))
    assert found.kind == "contained"
    assert max(found.containment) >= 80


def test_texts_without_a_relation_are_unrelated() -> None:
    found = compare(text(BASE), text(EXTRA))
    assert found.kind == "unrelated"
    assert found.why.startswith("Neither similarity")


def test_short_and_empty_texts_have_a_kind() -> None:
    assert compare("", "").kind == "same-text"
    assert compare("", "Rent is due.").kind == "unrelated"
    assert compare("rent", "The rent is due on the first day of each month.").kind == "unrelated"
    assert compare("the", "a").kind == "unrelated"


def test_kinds_are_in_the_contracts_order_and_have_sentences() -> None:
    assert " ".join(KIND_NAMES) == (
        "same-file same-text same-words insertion excerpt elaboration revision contained unrelated"
    )
    assert all(kind.why.endswith(".") for kind in KINDS)


def test_a_text_that_is_too_short_to_be_paired_is_related_to_its_equals_only() -> None:
    """Below ten words only equality counts, in either order; the measures stay."""
    nine = "The owner lets the house to the tenant today"
    ten = nine + " again"
    for a, b in ((nine, ten), (ten, nine)):
        found = compare(a, b)
        assert (found.kind, found.similarity) == ("unrelated", 90.0)
        assert "fewer than 10 words, here 9 words" in found.why
        assert max(found.containment) == 100.0
    assert compare(ten, ten + " and again").kind == "insertion"
    assert compare(nine, nine.upper()).kind == "same-text"
    eight = "The owner lets a house for 5 today"
    found = compare(eight, eight.replace("5", "£5"))
    assert (found.kind, found.similarity) == ("unrelated", 100.0)
    assert "related to equal texts only" in found.why
    assert "figure marks are not" in found.why
    assert compare(eight + " and again", eight.replace("5", "£5") + " and again").kind == "revision"


def test_kinds_in_bulk_are_those_of_compare() -> None:
    longer = list(BASE)
    longer[0] += " " + EXTRA[1]
    texts = [
        text(BASE), text(longer), text([*BASE[:3], EXTRA[0], *BASE[3:]]), text(BASE[2:5]),
        text(BASE).replace("owner", "landlord"), text(BASE).replace(" the ", " "),
    ]  # fmt: skip
    data = b"".join(one.encode() for one in texts)
    offsets = np.cumsum([0, *(len(one.encode()) for one in texts)]).astype(np.int64)
    tokens = tokenize([one.encode() for one in texts])
    _, first, numbers = np.unique(tokens.hashes, return_index=True, return_inverse=True)
    spelled = [one.lower() for text_ in texts for one in _plain(text_)]
    signs = Signs(breaks(data, offsets, tokens), *figure_marks(data, offsets, tokens))
    streams = Streams(numbers.astype(np.uint32), tokens.offsets, tokens.hashes[first])
    passages = Passages.of(streams, signs, moments([""] * len(texts)), arena([spelled[place] for place in first]))
    a, b = (side.astype(np.int32) for side in np.triu_indices(len(texts), 1))
    compared = [compare(texts[i], texts[j]) for i, j in zip(a, b, strict=True)]
    found = judge(passages, a, b, DEFAULT_FLOORS, 2).kinds
    assert found == [one.kind for one in compared]
    assert {"insertion", "elaboration", "excerpt", "revision", "same-words"} <= set(found)


def _plain(text_: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text_).split()


@given(st.lists(st.integers(0, 2), min_size=1, max_size=9), st.lists(st.integers(0, 2), min_size=1, max_size=14))
def test_an_insertion_is_seen_exactly_where_one_text_is_the_other_with_words_added(x: list[int], y: list[int]) -> None:
    words, offsets = collect([x, y])
    flags = np.zeros(len(words), np.uint8)
    flags[offsets[:-1]] = 1  # each text is one paragraph
    signs = Signs(flags, np.zeros(0, np.uint64), np.zeros(3, np.int64))
    name = (*FINDINGS, "")[int(decide(words, offsets, signs, np.zeros(3, np.uint8), _one(0), _one(1), 1)[0])]
    short, long = sorted((x, y), key=len)
    rest = iter(long)
    added = len(short) < len(long) and all(word in rest for word in short)
    assert (name == "insertion") == added
    assert name != "elaboration"


def _one(text_number: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array([text_number], np.int32)


def test_paragraphs_and_sentences_begin_where_a_reader_sees_them() -> None:
    cases = {
        "One two. Three (four). “Five?” Six": [1, 0, 2, 0, 2, 2],
        "One two\nthree four.\nFive six:\nseven": [1, 0, 0, 0, 1, 0, 1],
        "One\n\ntwo\r\n\r\nthree\n- four\n(a) five\n# six\n• seven": [1, 1, 1, 1, 1, 0, 1, 1],
        "3.5 and 1,000.00 e.g. this": [1, 0, 0, 0, 0, 0, 0, 0, 2],
        "一。二": [1, 2],
    }
    for given_text, wanted in cases.items():
        data = given_text.encode()
        found = breaks(data, np.array([0, len(data)], np.int64), tokenize([data]))
        assert found.tolist() == wanted, given_text


@pytest.mark.alone
def test_a_pair_of_long_texts_costs_little() -> None:
    """7,000 words that differ in 5 %, ten thousand times in a scan: at most 100 µs each (300 on a busy machine)."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 1500, 7000)
    y = x.copy()
    y[rng.integers(0, 7000, 350)] = rng.integers(0, 1500, 350)
    words, offsets = collect([x.tolist(), y.tolist()])
    flags = np.zeros(len(words), np.uint8)
    a, b = np.zeros(500, np.int32), np.ones(500, np.int32)
    signs = Signs(flags, np.zeros(0, np.uint64), np.zeros(3, np.int64))
    dropped = np.zeros(1500, np.uint8)
    decide(words, offsets, signs, dropped, a, b, 1)
    started = time.process_time()
    assert set(decide(words, offsets, signs, dropped, a, b, 1).tolist()) == {len(FINDINGS)}
    assert time.process_time() - started < 500 * 300e-6
