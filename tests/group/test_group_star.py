"""The star algorithm against the contract's own words, written as plainly as possible."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truecopy.errors import BadSetting
from truecopy.group.families import Families
from truecopy.group.principal import Candidate, principal_order
from truecopy.group.star import star


def plain_star(order: list[int], links: dict[tuple[int, int], Fraction], settled: list[int]) -> list[int]:
    """In order: a text similar to no earlier principal becomes one; any other joins the most similar."""

    def near(x: int, heads: list[int]) -> list[tuple[Fraction, int, int]]:
        found = []
        for head in heads:
            similarity = links.get((min(x, head), max(x, head)))
            if similarity is not None:
                found.append((-similarity, order.index(head), head))
        return sorted(found)

    principal = list(settled)
    existing = [x for x in range(len(order)) if settled[x] == x]
    for x in order:
        if settled[x] < 0 and near(x, existing):
            principal[x] = near(x, existing)[0][2]
    heads: list[int] = []
    for x in order:
        if principal[x] < 0:
            best = near(x, heads)
            principal[x] = best[0][2] if best else x
            if not best:
                heads.append(x)
    return principal


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[int], dict[tuple[int, int], tuple[int, int]], int]:
    count = draw(st.integers(1, 12))
    order = draw(st.permutations(range(count)))
    links = {}
    for b in range(count):
        for a in range(b):
            if draw(st.booleans()):
                longer = draw(st.integers(5, 12))
                links[a, b] = (draw(st.integers(0, 4)), longer)
    return list(order), links, draw(st.integers(0, count))


@given(graphs())
@settings(max_examples=300, deadline=None)
def test_star_follows_the_contract(
    graph: tuple[list[int], dict[tuple[int, int], tuple[int, int]], int],
) -> None:
    """One wave, then a second one onto it: principals are as the contract's words give them."""
    order, links, first_wave = graph
    fractions = {pair: 1 - Fraction(*value) for pair, value in links.items()}
    old = [x for x in order if x < first_wave]
    before = [-1] * len(order)
    among_old = {pair: value for pair, value in fractions.items() if max(pair) < first_wave}
    if old:
        settled = plain_star(order, {**among_old}, [x if x >= first_wave else -1 for x in range(len(order))])
        before = [settled[x] if x < first_wave else -1 for x in range(len(order))]
    columns = np.array([(*pair, *value) for pair, value in links.items()], np.int64).reshape(-1, 4).T
    stars = star(np.array(order), *columns, np.array(before))
    assert stars.principal.tolist() == plain_star(order, fractions, before)
    for text in range(len(order)):
        alone = stars.principal[text] == text and not (np.delete(stars.principal, text) == text).any()
        has_link = any(text in pair for pair in links)
        assert stars.linked[text] == (alone and has_link)


def test_rules() -> None:
    """Longest, earliest, latest and given order the documents as the contract says; ties by date, then number."""
    documents = [
        Candidate(1, 50, "2020"),
        Candidate(2, 90, ""),
        Candidate(3, 50, "2019"),
        Candidate(4, 90, ""),
    ]
    assert principal_order(documents, "longest") == [1, 3, 2, 0]
    assert principal_order(documents, "earliest") == [2, 0, 1, 3]
    assert principal_order(documents, "latest") == [0, 2, 1, 3]
    assert principal_order(documents, "given", [3, 4]) == [2, 3, 1, 0]
    with pytest.raises(BadSetting, match="longest, earliest, latest, given"):
        principal_order(documents, "oldest")


def test_families_are_dense_above_a_size() -> None:
    """Chains of pairs make families; only those with more texts than the size are dense, and only these are told."""
    families = Families(9, 3)
    families.join(np.array([0, 2]), np.array([2, 5]))
    assert families.dense() == []
    assert families.labels.tolist() == [-1] * 9
    families.join(np.array([7, 1, 3]), np.array([5, 8, 4]))
    assert [family.tolist() for family in families.dense()] == [[0, 2, 5, 7]]
    assert families.labels.tolist() == [0, -1, 0, -1, -1, 0, -1, 0, -1]
    families.join(np.array([8, 3, 8]), np.array([4, 6, 1]))
    assert [family.tolist() for family in families.dense()] == [[0, 2, 5, 7], [1, 3, 4, 6, 8]]
    assert families.inside(np.array([0, 0, 1]), np.array([7, 1, 8])).tolist() == [True, False, True]
    assert not Families(3, 3).possible
    assert not Families(9).possible
