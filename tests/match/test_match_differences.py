"""Differences are exact on any text, and read as a lawyer would mark them."""

from __future__ import annotations

import re
import time
import tracemalloc
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collections_data import collection
from truecopy.match import moves as moving
from truecopy.match.differences import apply, differences
from truecopy.match.moves import Gap
from truecopy.model import Difference
from truecopy.text import words

CASES = sorted((Path(__file__).parent / "cases").glob("difference-*.txt"))


def check(a: str, b: str) -> tuple[Difference, ...]:
    """The promises that hold for every two texts."""
    found = differences(a, b)
    assert apply(a, found) == b
    place_a = place_b = 0
    for one in found:
        assert a[one.a[0] : one.a[1]] == one.a_text
        assert b[one.b[0] : one.b[1]] == one.b_text
        assert one.a_text != one.b_text
        assert a[place_a : one.a[0]] == b[place_b : one.b[0]]
        place_a, place_b = one.a[1], one.b[1]
        assert {"insert": not one.a_text, "delete": not one.b_text, "move": not one.a_text or not one.b_text}.get(
            one.op, bool(one.a_text and one.b_text)
        )
        if one.layout:
            assert words(one.a_text).hashes.tolist() == words(one.b_text).hashes.tolist()
    return found


@given(st.text(), st.text())
def test_any_two_texts(a: str, b: str) -> None:
    check(a, b)


def test_words_that_share_a_character_are_equal_only_as_a_whole() -> None:
    """½½ is the words 1, 21 and 2: the first and the last are those of ½, and yet something was added."""
    assert len(check("½", "½½")) == 1
    for a, b in (("株式会社", "㍿"), ("1月 5", "㋀ 5"), ("キロ", "㌔"), ("the ㍿ pays", "the 株式会社 pays")):
        assert [one.layout for one in check(a, b)] == [True]
        assert [one.layout for one in check(b, a)] == [True]
    check("half: ½ of it", "half: ½½ of it")
    check("½½", "1 2")


pieces = st.sampled_from(
    [
        "rent",
        "Rent",
        "the",
        "½",
        "1",
        "é",
        "e\u0301",
        "ﬁne",
        "fine",
        "co\u00adop",
        "\u200d",
        "契約",
        "㍿",
        "株式会社",
        "書",
        ".",
        ", ",
        " ",
        "\n\n",
        "”",
    ]
)


@given(st.lists(pieces, max_size=30), st.lists(pieces, max_size=30))
def test_texts_whose_characters_hold_several_words_or_none(a: list[str], b: list[str]) -> None:
    check("".join(a), "".join(b))


@given(st.data())
def test_moved_and_repeated_sentences(data: st.DataObject) -> None:
    bank = [
        f"The {a} shall {b} every {c} that was agreed with the other side under this deed{end}"
        for a in ("tenant", "owner") for b in ("insure", "repair", "return") for c in ("key", "wall")
        for end in (". ", ".\n\n")
    ]  # fmt: skip
    a, b = (data.draw(st.lists(st.sampled_from(bank), max_size=12)) for _ in range(2))
    check("".join(a), "".join(b))


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_a_golden_case(case: Path) -> None:
    """Each file holds a, b and the marked text: [-taken out-], {+put in+}, [>moved<], [~layout~]."""
    a, b, wanted = (
        part.strip("\n") for part in re.split(r"^=+ \w+\n", case.read_text(encoding="utf-8"), flags=re.M)[1:]
    )
    assert marked(a, check(a, b)) == wanted


def marked(a: str, found: tuple[Difference, ...]) -> str:
    text = ""
    place = 0
    for one in found:
        text += a[place : one.a[0]]
        if one.op == "move":
            text += f"[<{one.a_text}>]" if one.a_text else f"[>{one.b_text}<]"
        elif one.layout:
            text += f"[~{one.a_text}|{one.b_text}~]"
        else:
            text += (f"[-{one.a_text}-]" if one.a_text else "") + (f"{{+{one.b_text}+}}" if one.b_text else "")
        place = one.a[1]
    return text + a[place:]


def test_equal_texts_have_no_difference() -> None:
    assert differences("The same.", "The same.") == ()


def test_a_changed_fraction_is_never_called_layout() -> None:
    """½ holds the words 1 and 2; one of them equals the 1 that stands there now, the amount does not."""
    (found,) = check("pays ½ of it", "pays 1 of it")
    assert not found.layout


def test_two_long_texts_with_few_differences_take_little_time_and_memory() -> None:
    """100,000 words, changed in 200 places: near-linear time, and no matrix."""
    base = [f"word{(i * i) % 7919} " for i in range(100_000)]
    other = list(base)
    for place in range(0, 100_000, 500):
        other[place] = "CHANGED "
    del other[50_000:50_300]
    differences("one two", "one three")  # compiles the kernels
    a, b = "".join(base), "".join(other)
    tracemalloc.start()
    started = time.process_time()
    check(a, b)
    taken = time.process_time() - started
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken < 10
    assert peak < 150e6


def test_long_texts_with_nothing_in_common_do_not_go_quadratic() -> None:
    a, b = " ".join(f"a{i % 97}" for i in range(50_000)), " ".join(f"b{i % 89}" for i in range(50_000))
    assert [one.op for one in check(a, b)] == ["replace"]


def test_real_versions() -> None:
    """Neighbouring versions of real policies: exact, and not in crumbs."""
    files = sorted(path for path in collection("policies").rglob("*") if path.is_file() and path.suffix == ".md")
    for path, other in list(pairwise(files))[:: len(files) // 25]:
        a, b = (one.read_bytes().decode("utf-8", "replace") for one in (path, other))
        check(a, b)


@pytest.mark.parametrize(
    ("one", "other", "out_of_it", "into_it"),
    [
        ("$100", "€100", "$100", "€100"),
        ("100", "−100", "100", "−100"),
        ("☒ yes", "☐ yes", "☒ yes", "☐ yes"),
        ("1.500", "1,500", ".500", ",500"),
        ("5 %", "5 ‰", "5 %", "5 ‰"),
    ],
)
def test_a_mark_that_changed_in_a_block_that_moved_is_no_part_of_the_move(
    one: str, other: str, out_of_it: str, into_it: str
) -> None:
    block = "The buyer pays to the seller on the closing date a fee of {} in cash and without any set off or deduction."
    fill = [" ".join(f"{name}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz" * 3) for name in ("ka", "lo", "mi")]
    a = "\n\n".join([block.format(one), *fill])
    b = "\n\n".join([*fill, block.format(other)])
    found = differences(a, b)
    assert apply(a, found) == b
    out = "".join(change.a_text for change in found if change.op == "move")
    into = "".join(change.b_text for change in found if change.op == "move")
    assert len(out.split()) >= 16
    assert out.split() == into.split()
    changed = [change for change in found if change.op != "move" and not change.layout]
    assert any(out_of_it in change.a_text for change in changed)
    assert any(into_it in change.b_text for change in changed)


def test_a_sign_that_changes_sides_is_not_layout() -> None:
    found = differences("We pay €500 plus costs.", "We pay 500 € plus costs.")
    assert [change.layout for change in found if "€" in change.a_text + change.b_text] == [False, False]


@given(st.lists(st.integers(0, 3), max_size=60), st.lists(st.integers(0, 3), max_size=60), st.integers(0, 60))
def test_whether_a_block_may_have_moved_is_known_before_it_is_looked_for(x: list[int], y: list[int], cut: int) -> None:
    """No block is missed: with few different words there are many, and gaps of any length."""
    y = y[:cut] + x[: cut // 2] + y[cut:]
    for parts in (1, 2, 3):
        between = [
            Gap((len(x) * n // parts, len(x) * (n + 1) // parts), (len(y) * n // parts, len(y) * (n + 1) // parts))
            for n in range(parts)
        ]
        if not moving._may_move(x, y, between):
            blocks = [{tuple(text[i : i + 8]) for low, high in gaps for i in range(low, high - 7)} for text, gaps in (
                (x, [gap.x for gap in between]), (y, [gap.y for gap in between]),
            )]  # fmt: skip
            assert blocks[0].isdisjoint(blocks[1])


def test_blocks_are_not_looked_for_where_none_can_have_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two texts that have no four words in a row in common."""
    monkeypatch.setattr(moving, "_windows", lambda *_: pytest.fail("they were looked for"))
    a, b = (" ".join(f"the {name}{n} pays" for n in range(40)) for name in ("tenant", "owner"))
    assert differences(a, b)
