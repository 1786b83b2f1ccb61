"""How far tables agree: Spearman's coefficient with ties, and signatures that change."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from collections_data import collection
from truecopy.errors import BadSetting
from truecopy.sign.stability import Changes, agreement, spearman
from truecopy.sign.statistics import Statistics, build


def mean_ranks(values: Sequence[float]) -> list[Fraction]:
    """The rank of each value; equal ones have the mean of their ranks."""
    ordered = sorted(values)
    first = {value: ordered.index(value) for value in set(values)}
    count = Counter(values)
    return [first[value] + Fraction(count[value] + 1, 2) for value in values]


def pearson(a: Sequence[Fraction], b: Sequence[Fraction]) -> float | None:
    mean_a, mean_b = Fraction(sum(a), len(a)), Fraction(sum(b), len(b))
    both = sum((x - mean_a) * (y - mean_b) for x, y in zip(a, b, strict=True))
    square_a, square_b = sum((x - mean_a) ** 2 for x in a), sum((y - mean_b) ** 2 for y in b)
    return None if square_a * square_b == 0 else float(both) / math.sqrt(square_a * square_b)


PAIRS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 40)), min_size=2, max_size=60)


@given(PAIRS)
@settings(max_examples=200, deadline=None)
def test_the_formula_with_ties_is_pearsons_of_the_mean_ranks(pairs):
    a, b = zip(*pairs, strict=True)
    found, expected = spearman(a, b), pearson(mean_ranks(a), mean_ranks(b))
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-12))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ([1, 2, 3, 4, 5], [10, 20, 30, 40, 50], 1.0),
        ([1, 2, 3, 4, 5], [5, 4, 3, 2, 1], -1.0),
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8),
        ([1, 2, 2, 3], [1, 2, 3, 4], 3 / math.sqrt(10)),
        ([1, 1, 2, 2], [1, 2, 1, 2], 0.0),
        ([7, 7, 7], [1, 2, 3], None),
        ([1], [1], None),
        ([], [], None),
    ],
)
def test_known_values(a, b, expected):
    found = spearman(a, b)
    assert found == (None if expected is None else pytest.approx(expected, abs=1e-15))


def test_millions_of_words_do_not_overflow():
    """The squares of the differences of three million ranks are more than 64 bits hold."""
    n = 3_000_000
    assert spearman(range(n), range(n, 0, -1)) == -1.0


def test_lists_of_unlike_length_are_refused():
    with pytest.raises(BadSetting, match="2 and 1 values"):
        spearman([1, 2], [1])


def test_only_words_in_both_tables_are_ranked():
    a = build(["lease rent"] * 4 + ["lease term"] * 5 + ["only in this"] * 6)
    b = build(["lease rent"] * 9 + ["lease term"] * 5 + ["added"])
    found = agreement(a, b)
    assert (found.terms, found.only_a, found.only_b) == (3, 3, 1)
    assert found.spearman == 0.5  # lease, term, rent against lease, rent, term
    assert agreement(a, a).spearman == 1.0
    assert agreement(a, build([])).spearman is None


def naive_changes(a: Statistics, b: Statistics, texts: Sequence[str], longest: int) -> list[int]:
    """The same from the definition, with sets and sorted lists."""
    changed = [0] * longest
    tables = []
    for table in (a.filtered(), b.filtered()):
        tables.append(dict(zip(table.words.texts(), table.words.documents.tolist(), strict=True)))
    for text in texts:
        words = set(build([text]).words.texts())
        signatures = [sorted(words & set(table), key=lambda word: (table[word], word.encode())) for table in tables]
        for length in range(1, longest + 1):
            changed[length - 1] += set(signatures[0][:length]) != set(signatures[1][:length])
    return changed


def test_signatures_that_change_are_counted_as_defined():
    folder = collection("policies")
    texts = [file.read_text(encoding="utf-8") for file in sorted(folder.rglob("*.md"))[:120:2]]
    a, b = build(texts[::2]), build(texts).filtered()
    changes = Changes(a, b)
    changes.add([text.encode() for text in texts[:30]])
    changes.add([text.encode() for text in texts[30:]])
    found = changes.result()
    assert [change.changed for change in found] == naive_changes(a, b, texts, 30)
    assert [change.length for change in found] == list(range(1, 31))
    assert changes.documents == len(texts)
    assert found[29].changed > 0
    assert found[29].share == found[29].changed / len(texts)


def test_the_same_table_changes_nothing_and_an_empty_one_everything():
    texts = ["The lessee pays the rent."] * 5
    made = build(texts)
    for other, expected in ((made, 0), (build([]), 5)):
        changes = Changes(made, other, longest=2)
        changes.add([text.encode() for text in texts])
        assert [change.changed for change in changes.result()] == [expected, expected]


def test_no_text_has_no_change():
    changes = Changes(build([]), build([]))
    changes.add([])
    changes.add([b""])
    assert {change.share for change in changes.result()} == {0.0}
