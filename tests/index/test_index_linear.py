"""`linear` is the oracle of the others, so it is held to the families' own measures, pair by pair."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from truecopy.index.index import Index
from truecopy.index.limits import Distance, Equal, Gamma, Limit, Share
from truecopy.index.linear import Linear
from truecopy.index.methods import Asked, index_for, limit_for
from truecopy.sign import family, make_spec
from truecopy.sign.signatures import Signatures
from truecopy.sign.windows import one

WORDS = "the lessee shall pay rent on each first day of a month and keep premises whole unless otherwise agreed".split()
METHODS = ("simhash", "topsig", "minhash4", "letters", "words", "sketch", "mod", "bsw", "min", "terms", "fingerprint")


def texts(seed: int, count: int = 30) -> list[str]:
    """Families of texts with a few words changed."""
    random = np.random.default_rng(seed)
    heads = [random.choice(WORDS, random.integers(30, 300)).tolist() for _ in range(4)]
    made = []
    for _ in range(count):
        words = list(heads[random.integers(0, 4)])
        for place in random.integers(0, len(words), random.choice([0, 0, 1, 5, 30])).tolist():
            words[place] = f"word{random.integers(0, 99)}"
        made.append(" ".join(words[: len(words) // random.choice([1, 1, 1, 2])]))
    return [*made, "", "1 2 3"]


def signed(method: str, given: list[str]) -> Signatures:
    small = {"mod": {"n": 8}, "bsw": {"n": 8}, "min": {"n": 20}}.get(method, {})
    day = datetime.date(2020, 1, 1)
    more = {"dates": [day + datetime.timedelta(9 * i) for i in range(len(given))]} if method == "terms" else {}
    made: Signatures = family(method).sign(given, make_spec(method, **small), **more)
    return made


def answer(index: Index, query: Signatures, limit: Limit) -> list[int]:
    return sorted(index.search(query, limit).numbers.tolist())


def near_by_family(method: str, made: Signatures, query: int, limit: Limit) -> list[int]:
    """What the family's own functions say of each pair."""
    module = family(method)
    everything = range(len(made))
    if isinstance(limit, Distance):
        return [i for i in everything if module.distance(made, query, made, i) <= limit.most]
    if isinstance(limit, Gamma):
        return [i for i in everything if module.within(made, query, made, i, limit.gamma)]
    if isinstance(limit, Equal):
        return [i for i in everything if module.similarity(made, query, made, i, limit.length) == 100]
    if method == "terms":
        told = {"threshold": limit.percent, "length": 100 if limit.length is None else limit.length}
        return [i for i in everything if module.compare(made, query, made, i, weeks=limit.weeks, **told).similar]
    if limit.of == "query":
        return [i for i in everything if module.containment(made, query, made, i) >= limit.percent]
    if limit.of == "row":
        return [i for i in everything if module.containment(made, i, made, query) >= limit.percent]
    return [i for i in everything if module.similarity(made, query, made, i) >= limit.percent]


@pytest.mark.parametrize("method", METHODS)
def test_linear_says_what_the_family_says(method: str) -> None:
    """Thresholds that no float can tip: each family's own comparison of two signatures decides the same."""
    made = signed(method, texts(8))
    index = Linear(made.spec)
    index.add(made)
    limits: list[Limit] = [limit_for(made.spec, Asked())]
    if method in ("mod", "bsw"):
        limits += [Share(75, "query"), Share(75, "row"), Share(12.5, "either")]
    if method == "terms":
        limits += [Share(50, "longer"), Share(50, "longer", length=20, weeks=6)]
    found = 0
    for query in range(len(made)):
        for limit in limits:
            near = answer(index, one(made, query), limit)
            assert near == near_by_family(method, made, query, limit), (method, query, limit)
            found += len(near)
    assert found > len(made), "some texts are near others"


@pytest.mark.parametrize("method", METHODS)
def test_the_index_of_each_method_answers_its_usual_question(method: str) -> None:
    """On real signatures, the index that serves a method answers as linear does."""
    made = signed(method, texts(9, 60))
    index, oracle = index_for(made.spec), Linear(made.spec)
    index.add(made)
    oracle.add(made)
    limit = limit_for(made.spec, Asked())
    exact = index.recall(limit) == 1
    assert exact == (method not in ("words", "sketch"))
    found = near = 0
    for query in range(0, len(made), 7):
        mine, truth = answer(index, one(made, query), limit), answer(oracle, one(made, query), limit)
        assert mine == truth if exact else set(mine) <= set(truth)
        found, near = found + len(mine), near + len(truth)
    assert found >= 0.9 * near
    assert near > 9, "some texts are near others"
