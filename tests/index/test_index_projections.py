"""Projections: exact at the border, for huge counts and for large families; and the paper's own algorithms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truecopy.errors import BadSetting
from truecopy.index.limits import Gamma
from truecopy.index.linear import Linear
from truecopy.index.paper_projections import PaperProjections
from truecopy.index.projections import Projections, directions
from truecopy.index.rows import Rows
from truecopy.kernels.projections import LEAF, UNIT, M
from truecopy.sign import make_spec

SPEC = make_spec("letters")
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
Vectors = npt.NDArray[np.uint32]


def rows(vectors: npt.ArrayLike) -> Rows:
    values = np.array(vectors, np.uint32)
    return Rows(SPEC, values, np.ones(len(values), np.bool_))


def documents(random: np.random.Generator, count: int, longest: float = 1e5) -> Vectors:
    """Counts of made-up documents of every length: a few kinds of text, with the noise of a sample."""
    kinds = random.dirichlet(np.full(62, 0.4), 12)
    lengths = np.exp(random.uniform(0, np.log(longest), count))
    return random.poisson(kinds[random.integers(0, 12, count)] * lengths[:, None]).astype(np.uint32)


def both(vectors: Vectors) -> tuple[Projections, Linear]:
    index, oracle = Projections(SPEC), Linear(SPEC)
    for each in (index, oracle):
        each.add(rows(vectors))
    return index, oracle


def same(index: Projections, oracle: Linear, query: Vectors, limit: Gamma) -> int:
    """Whether both answer alike, and how many hits that are."""
    mine, truth = index.search(rows(query[None]), limit), oracle.search(rows(query[None]), limit)
    assert mine.numbers.tolist() == truth.numbers.tolist()
    assert mine.value.tolist() == truth.value.tolist()
    return len(truth)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**32), gamma=st.floats(0, 1.5), scale=st.integers(0, 26))
def test_rows_at_the_very_border_are_found(seed: int, gamma: float, scale: int) -> None:
    """Rows are moved from the query straight outward by as much as γ allows, and one letter more or less."""
    random = np.random.default_rng(seed)
    query = (documents(random, 1)[0].astype(np.int64) + 1) << np.int64(scale // 2)
    limit = Gamma(gamma)
    reach = np.sqrt(float(limit.most(int((query * query).sum()))))
    away = random.normal(size=(120, 62)) * (random.random((120, 62)) < random.uniform(0.02, 1, (120, 1)))
    away[:30] = query * random.choice([-1.0, 1.0], (30, 1))  # along the query: only the norm changes
    away /= np.maximum(np.sqrt((away * away).sum(axis=1)), 1e-9)[:, None]
    near = np.rint(query + away * reach * random.choice([1.0, 1.0, 0.999, 1.001], (120, 1)))
    vectors = np.clip(near, 0, 2**32 - 1).astype(np.uint32)
    index, oracle = both(np.concatenate([vectors, documents(random, 20)]))
    same(index, oracle, query.astype(np.uint32), limit)
    mine, truth = index.pairs(limit), oracle.pairs(limit)
    assert mine.a.tolist() == truth.a.tolist()
    assert mine.b.tolist() == truth.b.tolist()
    assert mine.value.tolist() == truth.value.tolist()


@pytest.mark.parametrize("gamma", [1e-5, 0.001, 0.05, 0.7])
def test_rounded_coordinates_lose_no_row_of_few_letters(gamma: float) -> None:
    """With eight letters the directions see all of a difference: rounding alone is between the bound and the limit."""
    random = np.random.default_rng(12)
    query = np.zeros(62, np.int64)
    query[20:28] = random.integers(1_000_000, 9_000_000, 8)
    away = random.normal(size=(2000, 8))
    away *= gamma * np.sqrt(float((query * query).sum())) / np.sqrt((away * away).sum(axis=1))[:, None]
    vectors = np.repeat(query[None], 2000, axis=0)
    vectors[:, 20:28] += np.trunc(away * 0.99999).astype(np.int64)
    vectors = np.maximum(vectors, 0).astype(np.uint32)
    index, oracle = both(vectors)
    assert same(index, oracle, query.astype(np.uint32), Gamma(gamma)) == 2000
    few, plain = both(vectors[:200])
    assert len(few.pairs(Gamma(gamma))) == len(plain.pairs(Gamma(gamma))) > 0


def test_a_limit_met_exactly_is_met() -> None:
    """At γ = 1/40, 41 and 40 letters are a hit for both, 42 for none; in numbers beyond 53 and 63 bits too."""
    for factor in (1, 2**22 - 1, 2**26):
        vectors = np.zeros((4, 62), np.uint32)
        vectors[:, 3:7] = np.array([[40], [41], [39], [42]]) * factor
        index, oracle = both(vectors)
        assert same(index, oracle, vectors[0], Gamma(0.025)) == 3
        assert same(index, oracle, vectors[0], Gamma(0.0249999)) == 1
        found = index.pairs(Gamma(0.025))
        assert list(zip(found.a.tolist(), found.b.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 3)]


def test_empty_texts_are_near_each_other_and_nothing_else() -> None:
    """γ times nothing is nothing; among pairs, an empty text is near any where γ is 1 or more."""
    vectors = np.zeros((70, 62), np.uint32)
    vectors[:30, 5] = np.arange(1, 31)
    index, oracle = both(vectors)
    assert same(index, oracle, vectors[69], Gamma(2)) == 40
    assert same(index, oracle, vectors[7], Gamma(1)) == 56
    assert same(index, oracle, vectors[7], Gamma(0.999)) < 30
    for gamma in (0, 0.999, 1, 3):
        assert len(index.pairs(Gamma(gamma))) == len(oracle.pairs(Gamma(gamma)))


@pytest.mark.parametrize("gamma", [0, 0.025, 0.05, 0.3])
def test_families_and_tiny_texts_do_not_hide_each_other(gamma: float) -> None:
    """Thousands of equal vectors, thousands of texts of a few letters, and strangers: every answer is linear's."""
    random = np.random.default_rng(11)
    family = np.repeat(documents(random, 3, 1e4), 1500, axis=0)
    nearly = family[:1500] + (random.random((1500, 62)) < 0.02)
    tiny = random.poisson(0.06, (4000, 62))
    vectors = np.concatenate([family, nearly, tiny, documents(random, 2000)]).astype(np.uint32)
    index, oracle = both(vectors[random.permutation(len(vectors))])
    hits = [same(index, oracle, query, Gamma(gamma)) for query in (family[0], nearly[9], tiny[5].astype(np.uint32))]
    assert hits[0] >= 1500


def test_pairs_of_a_family_are_each_found_once_whatever_the_room() -> None:
    """More pairs of one row than a buffer has room for at first."""
    vectors = np.repeat(documents(np.random.default_rng(2), 1), 200, axis=0)
    index, _ = both(vectors)
    found = index.pairs(Gamma(0), threads=2)
    assert len(found) == 200 * 199 // 2
    assert len(set(zip(found.a.tolist(), found.b.tolist(), strict=True))) == len(found)


def test_a_query_with_more_hits_than_there_is_room_for() -> None:
    """The buffer of hits grows, in the middle of a batch of queries."""
    random = np.random.default_rng(4)
    one = documents(random, 1)
    vectors = np.concatenate([documents(random, 50), np.repeat(one, 40_000, axis=0)])
    index = Projections(SPEC)
    index.add(rows(vectors))
    queries = np.concatenate([vectors[:3], one, vectors[3:5], one])
    counts = [len(found) for found in index.search_all(rows(queries), Gamma(0))]
    assert counts[3] == counts[6] >= 40_000
    assert all(counts[i] >= 1 for i in (0, 1, 2, 4, 5))


def test_directions_are_orthonormal_and_never_lengthen() -> None:
    """What the bound rests on; of data with few dimensions only as many directions are left."""
    random = np.random.default_rng(3)
    for vectors in (documents(random, 500), documents(random, 5), np.zeros((3, 62), np.uint32)):
        made = directions(vectors)
        assert made.shape == (62, M)
        product = made.T @ made
        kept = np.diagonal(product) > 0.5
        assert np.allclose(product, np.diag(kept.astype(float)), atol=1e-9)
        assert np.linalg.eigvalsh(product).max() <= 1 + 1e-12
    assert kept.sum() == 0


def test_directions_follow_the_covariance() -> None:
    """They keep nearly as much of the spread as the best directions there are."""
    vectors = documents(np.random.default_rng(5), 3000)
    vectors = vectors[vectors.any(axis=1)]
    units = vectors / np.sqrt((vectors.astype(float) ** 2).sum(axis=1))[:, None]
    covariance = np.cov(units.T, bias=True)
    made = directions(vectors)
    best = np.sort(np.linalg.eigvalsh(covariance))[-M:].sum()
    assert np.trace(made.T @ covariance @ made) > 0.98 * best


def test_a_block_is_the_same_whenever_it_is_built() -> None:
    """Nothing depends on chance; boxes hold their rows; every row is in the order once."""
    vectors = documents(np.random.default_rng(6), 1000)
    first, second = (Projections(SPEC).build(rows(vectors)) for _ in range(2))
    assert all(np.array_equal(first[name], second[name]) for name in first)
    assert np.array_equal(np.sort(first["order"]), np.arange(1000))
    leaves = -(-1000 // LEAF)
    for leaf in range(leaves):
        own = first["coordinates"][leaf * LEAF : (leaf + 1) * LEAF]
        assert np.array_equal(first["boxes"][leaves + leaf], [own.min(axis=0), own.max(axis=0)])
    root = leaves // 2
    assert np.array_equal(first["boxes"][root, 1], first["coordinates"].max(axis=0))
    norms = np.sqrt((vectors.astype(float) ** 2).sum(axis=1))
    assert np.allclose(first["norms"], norms[first["order"]], rtol=1e-6)
    assert first["spans"][root].tolist() == [first["norms"].min(), first["norms"].max()]
    units = vectors[first["order"]] / np.maximum(norms[first["order"]], 1e-9)[:, None]
    assert np.abs(units @ first["directions"] * UNIT - first["coordinates"]).max() <= 0.5 + 1e-6


def test_a_block_of_no_rows_answers_nothing() -> None:
    index = Projections(SPEC)
    block = index.make_block(rows(np.empty((0, 62))), np.empty(0))
    assert index.sound(block)
    assert len(index.look(block, rows(np.ones((1, 62))), Gamma(1), pairing=False).place) == 0
    assert len(index.join(block, Gamma(1), 1, None).place) == 0


def test_an_order_that_points_outside_is_refused() -> None:
    """A kernel would read where nothing is."""
    index = Projections(SPEC)
    index.add(rows(documents(np.random.default_rng(6), 100)))
    stored = index.blocks[0].stored()
    assert len(index.read_block(stored)) == 100
    for wrong in (-1, 100):
        order = stored["index.order"].copy()
        order[3] = wrong
        with pytest.raises(ValueError, match="not whole"):
            index.read_block({**stored, "index.order": order})


def test_most_rows_are_not_looked_at() -> None:
    """Of a collection with families, and all pairs of it, a small part is examined."""
    vectors = documents(np.random.default_rng(8), 20_000)
    index, oracle = both(vectors)
    limit = Gamma(0.05)
    examined = [index.search(rows(vectors[i : i + 1]), limit).examined for i in range(100)]
    assert np.mean(examined) < 0.05 * len(vectors)
    assert sum(same(index, oracle, vectors[i], limit) for i in range(10)) >= 10
    assert index.pairs(limit).examined < 0.02 * len(vectors) ** 2 / 2
    everything = index.search(rows(vectors[:1]), Gamma(1e9))
    assert len(everything) == everything.examined == len(vectors)


@pytest.mark.parametrize(
    ("many", "asked"),
    [pytest.param(20_000, 200, marks=pytest.mark.slow), pytest.param(132_281, 1283, marks=pytest.mark.soak)],
)
def test_a_hundredth_of_the_benchmark(many: int, asked: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """132,281 vectors, 1,283 queries, both γ: recall and precision are 1, and few rows are looked at.

    Generated texts, which stand in for collections that are not there, are all alike: more rows are near each other.
    """
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import common
    import letter_vectors
    import range as ranged

    real, generated = letter_vectors.real_counts(common.DEFAULT_DATA, letter_vectors.FEW, 300)
    vectors = letter_vectors.make(many, real)
    assert np.array_equal(vectors[:500], letter_vectors.make(many, real)[:500])
    long = np.flatnonzero(vectors.sum(axis=1) > 20)
    queries = vectors[np.random.default_rng(7).choice(long, asked, replace=False)]
    index = Projections(SPEC)
    index.add(rows(vectors))
    assert index.memory().index <= 0.25 * index.memory().rows
    for gamma in (0.025, 0.05):
        truth = ranged.true_hits(vectors, queries, gamma)
        found = index.search_all(rows(queries), Gamma(gamma))
        assert ranged.agreement([np.sort(hits.numbers) for hits in found], truth) == (1, 1)
        assert np.mean([len(hits) for hits in truth]) > 2
        one = [index.search(rows(query[None]), Gamma(gamma)).examined for query in queries[:200]]
        assert np.mean(one) < (0.1 if generated else 0.02) * len(vectors)


# --- the paper's algorithms ------------------------------------------------------------------------------


@pytest.mark.parametrize("distribution", ["rademacher", "gaussian"])
def test_every_range_leaves_what_its_formula_says(distribution: str) -> None:
    """Counted by the formulas of the paper, range after range."""
    vectors = documents(np.random.default_rng(9), 3000)
    paper = PaperProjections(SPEC, distribution=distribution, m=5, seed=3)
    paper.add(rows(vectors[:1000]))
    paper.add(rows(vectors[1000:]))
    assert len(paper) == 3000
    query, gamma, tau = vectors[5].astype(float), 0.3, 1.5
    counts = vectors.astype(float)
    radius = gamma * np.linalg.norm(query)
    kept = np.abs(np.linalg.norm(counts, axis=1) - np.linalg.norm(query)) <= radius
    expected = {"norm": int(kept.sum())}
    kept &= np.abs(counts.sum(axis=1) - query.sum()) <= radius
    expected["letters"] = int(kept.sum())
    for k, vector in enumerate(paper.vectors.vectors):
        kept &= np.abs((counts - query) @ vector) <= tau * radius / np.sqrt(62)
        expected[f"projection {k + 1}"] = int(kept.sum())
    found = paper.search(rows(vectors[5:6]), Gamma(gamma), tau=tau, check=False)
    assert found.left == expected
    assert found.numbers.tolist() == np.flatnonzero(kept).tolist()
    near = np.linalg.norm(counts - query, axis=1) <= radius
    checked = paper.search(rows(vectors[5:6]), Gamma(gamma), tau=tau)
    assert checked.numbers.tolist() == np.flatnonzero(kept & near).tolist()
    assert checked.left == {**expected, "check": int((kept & near).sum())}


def test_the_range_of_norms_loses_nothing_and_that_of_letters_does() -> None:
    """What one letter each in every place adds is √62 times as much in |x|₁ as in |x|₂."""
    vectors = np.full((3, 62), 100, np.uint32)
    vectors[1] += 2
    vectors[2, :31] += 20
    paper = PaperProjections(SPEC)
    paper.add(rows(vectors))
    limit = Gamma(0.025)
    only = {"projected": 0, "check": False}
    assert paper.search(rows(vectors[:1]), limit, letters=False, **only).numbers.tolist() == [0, 1]
    assert paper.search(rows(vectors[:1]), limit, norm=False, **only).numbers.tolist() == [0]
    assert paper.search(rows(vectors[:1]), limit, norm=False, letters=False).numbers.tolist() == [0, 1]


def test_the_paper_recalls_nearly_all_at_tau0() -> None:
    """Recall with τ₀ and no filter of letters is 1 here; with τ = 0.5 it is not."""
    random = np.random.default_rng(10)
    vectors = documents(random, 400)
    vectors = np.concatenate([vectors, vectors + (random.random((400, 62)) < 0.1) * (vectors // 30)]).astype(np.uint32)
    paper, oracle = PaperProjections(SPEC), Linear(SPEC)
    for each in (paper, oracle):
        each.add(rows(vectors))
    limit, found, lost, truth = Gamma(0.05), 0, 0, 0
    for query in vectors[:100]:
        one = rows(query[None])
        truth += len(oracle.search(one, limit))
        found += len(paper.search(one, limit, letters=False).numbers)
        lost += len(paper.search(one, limit, letters=False, tau=0.1).numbers)
    assert found == truth > lost >= 100


def test_bad_use_of_the_paper_is_refused() -> None:
    paper = PaperProjections(SPEC)
    one = rows(np.ones((1, 62)))
    assert len(paper.search(one, Gamma(1)).numbers) == 0
    paper.add(rows(np.ones((2, 62))))
    with pytest.raises(BadSetting, match="No range"):
        paper.search(one, Gamma(1), norm=False, letters=False, projected=0)
    with pytest.raises(BadSetting, match="projected"):
        paper.search(one, Gamma(1), projected=9)
    with pytest.raises(BadSetting, match="2 queries"):
        paper.search(rows(np.ones((2, 62))), Gamma(1))
    with pytest.raises(BadSetting):
        PaperProjections(make_spec("simhash"))
