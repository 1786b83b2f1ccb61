"""Short ways for few words, few pairs and short texts give what the long ways give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truecopy.match import characters, kinds
from truecopy.match.characters import character_distance
from truecopy.match.compare import compare
from truecopy.match.differences import differences
from truecopy.match.kinds import KINDS, dropped_words, first_rows
from truecopy.text.content import arena
from truecopy.text.stopwords import DROPPED_WORDS

FACTS = sorted({fact for kind in KINDS for fact in (*kind.when, *kind.unless)})
PIECES = st.lists(
    st.sampled_from(["rent ", "the ", "$5 ", "€5 ", "½ ", "契約。", "\n\n", "owner ", "pays. ", "5 % ", "e\u0301 "]),
    max_size=40,
).map("".join)


@given(st.lists(st.sets(st.sampled_from(FACTS)), max_size=20))
def test_kinds_of_few_pairs(true: list[set[str]]) -> None:
    facts = {fact: np.array([fact in here for here in true], np.bool_) for fact in FACTS}
    whole = first_rows(facts, len(true))
    for pair in range(len(true)):
        one = {fact: flags[pair : pair + 1] for fact, flags in facts.items()}
        assert first_rows(one, 1).tolist() == whole[pair : pair + 1].tolist()


def test_dropped_words_of_few_and_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    others = ["a", "tha", "thee", "xthe", "", "ande", "thuss", "é", "契約"]
    words = [*sorted(DROPPED_WORDS), *others, *sorted(DROPPED_WORDS)]
    few = dropped_words(*arena(words))
    monkeypatch.setattr(kinds, "_FEW_WORDS", 0)
    assert dropped_words(*arena(words)).tolist() == few.tolist()
    assert few.tolist() == [int(word in DROPPED_WORDS) for word in words]


@given(PIECES, PIECES)
def test_distances_of_short_and_of_long_texts(a: str, b: str) -> None:
    short = character_distance(a, b)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(characters, "SHORT", 0)
        assert character_distance(a, b) == short


@given(PIECES, PIECES)
def test_words_that_were_read_for_measures_serve_for_differences(a: str, b: str) -> None:
    assert compare(a, b).differences == differences(a, b)
