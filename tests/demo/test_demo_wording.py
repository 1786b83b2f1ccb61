"""The bank and what is drawn from it: enough variety, no open slots, agreements of a lawful length."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import pytest
from demo_measures import similarity, words

from truecopy.demo.agreements import AGREEMENTS
from truecopy.demo.dice import Dice
from truecopy.demo.families import open_case
from truecopy.demo.figures import FIGURES
from truecopy.demo.grammar import Drawer, wordings_of
from truecopy.demo.paper import fill
from truecopy.demo.room import DataRoom

BANK = sorted(path.name for path in files("truecopy.demo").joinpath("bank").iterdir())


def test_dice_roll_the_same_everywhere():
    """Known answers: the demo's bytes hang on them."""
    dice = Dice(7, "known")
    assert [dice.below(1000) for _ in range(8)] == [580, 282, 525, 196, 743, 413, 187, 104]


def test_dice_are_fair_and_complete():
    """Every side comes up about as often as the others, and shuffling loses nothing."""
    dice = Dice("fair")
    counts = [0] * 6
    for _ in range(6000):
        counts[dice.below(6)] += 1
    assert min(counts) > 850
    assert sorted(dice.shuffled(range(50))) == list(range(50))
    assert dice.some("abcdef", 9) == list("abcdef")
    assert [dice.between(3, 3), dice.chance(100), dice.chance(0)] == [3, True, False]


@pytest.mark.parametrize("name", BANK)
def test_the_bank_is_well_formed(name):
    """Brackets match, every slot is a fact or a figure, no line is left without a kind."""
    text = files("truecopy.demo").joinpath("bank", name).read_text("utf-8")
    facts = r"[AB]|[abx]_(name|place|number|address|signer|office|mail)|X|law|court|city|subject|dated|title|name"
    slots = re.compile(rf"\{{({facts}|{'|'.join(FIGURES)})\}}")
    for line in text.splitlines():
        assert line == line.strip()
        rest = slots.sub("", line)
        assert not set(rest) & set("{}"), line
        while "[" in rest:
            shorter = re.sub(r"\[[^\[\]]*\|[^\[\]]*\]", "", rest)
            assert shorter != rest, line
            rest = shorter
        assert "]" not in rest, line


def test_general_clauses_have_three_wordings_or_more():
    """At least 15 kinds of clauses, each with three wordings."""
    general = {**wordings_of("commercial"), **wordings_of("closing")}
    assert len(general) >= 15
    assert all(len(wordings) >= 3 for wordings in general.values())


def test_there_are_twelve_kinds_of_agreement():
    """Each with articles of its own, recitals, subjects and a schedule."""
    assert len(AGREEMENTS) == 12
    for kind in AGREEMENTS:
        bank = wordings_of(kind.name)
        assert sum(name.startswith("article ") for name in bank) >= 5
        assert {"titles", "subjects", "recitals", "schedule"} <= set(bank)


def test_drawing_makes_every_choice():
    """Nested choices, roles and figures."""
    drawer = Drawer(Dice("x"), ("Seller", "Buyer"))
    drawn = {drawer.draw("The {A} [pays|[sends|ships] to] the {B}") for _ in range(99)}
    assert drawn == {f"The Seller {what} the Buyer" for what in ("pays", "sends to", "ships to")}
    assert drawer.draw("{days} and {days} in {city}") == "{days#1} and {days#2} in {city}"


@pytest.mark.parametrize("kind", AGREEMENTS, ids=lambda kind: kind.name)
def test_agreements_of_one_kind_are_not_alike(kind):
    """Six of a kind: 1,500 to 8,000 words, no open slot or choice, and any two below 60 %."""
    room = DataRoom(5)
    texts = []
    for number in range(6):
        case = open_case(room, number, kind)
        text = "\n".join(fill(case.form, case.facts).lines())
        assert not set(text) & set("{}[]|#")
        texts.append(words(text))
    assert all(1500 <= len(text) <= 8000 for text in texts)
    assert max(similarity(a, b) for a, b in combinations(texts, 2)) < 60
