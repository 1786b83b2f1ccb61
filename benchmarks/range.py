"""Range search over letter counts: 13,228,105 vectors, as many as the paper searched, and 1,283 queries.

    python benchmarks/range.py --scale full

Vectors are made from real letter counts (letter_vectors.py). Queries are documents of the collection by chance, with
more than 20 letters. Every query's answer is held against the truth, made without the index: all vectors whose norm
differs from the query's by no more than γ allows are measured in integers (norms differ by no more than vectors do, so
none is lost), and for a few queries simply all vectors. Times are processor time of the one thread that searches, so
that other work on the machine counts little; wall times are among the figures. Peers get what they can hold, and the
same queries, and are compared with truecopy over the same vectors.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

import letter_vectors
import numba
import numpy as np
import numpy.typing as npt
import peers
from common import EVERY_COLLECTION, arguments, use_cores
from results import Result, Table, Target, megabytes, publish

from truecopy.index.limits import Gamma
from truecopy.index.paper_projections import PaperProjections
from truecopy.index.projections import Projections
from truecopy.index.rows import Rows
from truecopy.sign import make_spec
from truecopy.sign.projections import tau0

Array = npt.NDArray[Any]

VECTORS = {"small": 60_000, "full": 13_228_105}
QUERIES = {"small": 200, "full": 1283}
GAMMAS = (0.025, 0.05)
HELD = {"small": 20_000, "full": 500_000}
"""Vectors that trees are given; flat search gets twice as many."""
FEW = {"small": 20, "full": 100}
"""Queries of peers and of the paper's algorithms."""
SCANS = {"small": 5, "full": 5}
SPEC = make_spec("letters")
FAMILY = 100
"""Hits from which on a query's output takes longer than its search."""


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    result = Result("range", asked)
    names = letter_vectors.FEW if asked.small else EVERY_COLLECTION
    real, result.generated = letter_vectors.real_counts(asked.data, names, 300 if asked.small else None)
    start = time.process_time()
    vectors = letter_vectors.make(VECTORS[asked.scale], real)
    result.figures = {
        "real_documents": len(real),
        "vectors": len(vectors),
        "vector_bytes": vectors.nbytes,
        "making_seconds": round(time.process_time() - start, 1),
        "missing": [name for name in ("faiss", "sklearn") if not peers.installed(name)],
    }
    dice = np.random.default_rng(7)
    long = np.flatnonzero(vectors.sum(axis=1) > 20)
    queries = vectors[np.sort(dice.choice(long, QUERIES[asked.scale], replace=False))]
    truth = {gamma: true_hits(vectors, queries, gamma) for gamma in GAMMAS}
    _spread(result, truth)
    index = _searched(result, vectors, queries, truth)
    _scanned(result, vectors, queries, truth)
    del index
    _paper(result, vectors, queries, truth)
    _peers(result, vectors, queries)
    publish(result)


def rows(vectors: Array) -> Rows:
    """Vectors as an index takes them."""
    return Rows(SPEC, vectors, np.ones(len(vectors), np.bool_))


# --- the truth -------------------------------------------------------------------------------------------


@numba.njit(nogil=True)
def _measure_all(vectors: Array, queries: Array, most: Array, low: Array, high: Array, hits: Array) -> int:
    """Every vector against every query that its norm allows; queries are in order of `low` and of `high`."""
    found = 0
    for row in range(len(vectors)):
        norm = 0.0
        for i in range(vectors.shape[1]):
            norm += np.float64(vectors[row, i]) * np.float64(vectors[row, i])
        norm = np.sqrt(norm)
        for query in range(np.searchsorted(high, norm), np.searchsorted(low, norm, side="right")):
            total = np.int64(0)
            for i in range(vectors.shape[1]):
                difference = np.int64(vectors[row, i]) - np.int64(queries[query, i])
                total += difference * difference
                if total > most[query]:
                    break
            if total <= most[query]:
                if found < len(hits):
                    hits[found, 0], hits[found, 1] = query, row
                found += 1
    return found


def true_hits(vectors: Array, queries: Array, gamma: float) -> list[Array]:
    """The places of all vectors within γ times the norm of each query."""
    wide = queries.astype(np.int64)
    squared = (wide * wide).sum(axis=1)
    order = np.argsort(squared, kind="stable")
    norms = np.sqrt(squared[order].astype(np.float64))
    limit = Gamma(gamma)
    most = np.array([limit.most(int(norm)) for norm in squared[order]], np.int64)
    low, high = norms * (1 - gamma) * (1 - 1e-9), norms * (1 + gamma) * (1 + 1e-9)
    hits = np.empty((1 << 20, 2), np.int64)
    found = _measure_all(vectors, queries[order], most, low, high, hits)
    if found > len(hits):
        hits = np.empty((found, 2), np.int64)
        _measure_all(vectors, queries[order], most, low, high, hits)
    hits = hits[:found]
    return [np.sort(hits[hits[:, 0] == place, 1]) for place in np.argsort(order)]


def agreement(found: Sequence[Array], truth: Sequence[Array]) -> tuple[float, float]:
    """Recall and precision over all queries together."""
    shared = sum(len(np.intersect1d(one, other)) for one, other in zip(found, truth, strict=True))
    return shared / max(sum(map(len, truth)), 1), shared / max(sum(map(len, found)), 1)


def _spread(result: Result, truth: dict[float, list[Array]]) -> None:
    """How many neighbors queries have."""
    table, figures = [], {}
    for gamma, hits in truth.items():
        counts = np.array([len(some) for some in hits])
        percent = [int(np.percentile(counts, p)) for p in (50, 75, 90, 95, 99, 100)]
        figures[str(gamma)] = {"percentiles": percent, "mean": round(float(counts.mean()), 2)}
        table.append((f"{gamma}", *(f"{value:,}" for value in percent), f"{counts.mean():,.1f}"))
    result.figures["neighbors"] = figures
    title = f"Neighbors of {len(next(iter(truth.values()))):,} queries among {result.figures['vectors']:,} vectors"
    columns = ("γ", "half have at most", "75 %", "90 %", "95 %", "99 %", "most", "mean")
    note = f"The query itself is among them. Made from {result.figures['real_documents']:,} real documents."
    result.tables.append(Table(title, columns, table, note))


# --- truecopy --------------------------------------------------------------------------------------------


def timed(queries: Array, search: Callable[[Rows], Any]) -> tuple[list[Any], Array, Array]:
    """The answer to each query, and milliseconds of processor and wall time."""
    answers, used, passed = [], [], []
    for at in range(len(queries)):
        one = rows(queries[at : at + 1])
        wall, start = time.perf_counter(), time.thread_time()
        answers.append(search(one))
        used.append(1e3 * (time.thread_time() - start))
        passed.append(1e3 * (time.perf_counter() - wall))
    return answers, np.array(used), np.array(passed)


def _searched(result: Result, vectors: Array, queries: Array, truth: dict[float, list[Array]]) -> Projections:
    index = Projections(SPEC)
    warm = Projections(SPEC)
    warm.add(rows(vectors[:100]))  # compiles
    warm.search(rows(queries[:1]), Gamma(0.05))
    start = time.process_time()
    index.add(rows(vectors))
    building = time.process_time() - start
    share = index.memory().index / index.memory().rows
    figures: dict[str, Any] = {"build_seconds": round(building, 1), "memory_share": round(share, 3)}
    table = []
    for gamma in GAMMAS:
        limit = Gamma(gamma)
        answers, used, passed = timed(queries, lambda one, limit=limit: index.search(one, limit))
        recall, precision = agreement([answer.numbers for answer in answers], truth[gamma])
        counts = np.array([len(answer) for answer in answers])
        few = used[counts < FAMILY]
        slope = (used.sum() - few.mean() * len(used)) / max(counts[counts >= FAMILY].sum(), 1)
        examined = float(np.mean([answer.examined for answer in answers]))
        figures[str(gamma)] = {
            "recall": recall,
            "precision": precision,
            "mean_ms": round(float(used.mean()), 4),
            "mean_ms_few_hits": round(float(few.mean()), 4),
            "us_a_hit": round(1e3 * float(slope), 3),
            "p99_ms": round(float(np.percentile(used, 99)), 4),
            "most_ms": round(float(used.max()), 4),
            "wall_mean_ms": round(float(passed.mean()), 4),
            "wall_p99_ms": round(float(np.percentile(passed, 99)), 4),
            "examined": round(examined, 1),
        }
        table.append(
            (
                f"{gamma}",
                f"{recall:.3f}",
                f"{precision:.3f}",
                *(f"{value:.3f}" for value in (used.mean(), few.mean(), 1e3 * slope)),
                *(f"{value:.2f}" for value in (np.percentile(used, 50), np.percentile(used, 99), used.max())),
                f"{examined:,.0f}",
            )
        )
        if not result.arguments.small:
            result.targets += [
                Target.at_least(f"γ {gamma}: recall", 1, recall),
                Target.at_least(f"γ {gamma}: precision", 1, precision),
                Target.at_most(f"γ {gamma}: mean ms, output included", 1, float(used.mean())),
                Target.at_most(f"γ {gamma}: p99 ms", 10, float(np.percentile(used, 99))),
            ]
    if not result.arguments.small:
        result.targets.append(Target.at_most("build, seconds", 60, building))
    result.targets.append(Target.at_most("index memory as a share of the vectors", 0.5, share))
    result.figures["truecopy"] = figures
    columns = (
        "γ",
        "recall",
        "precision",
        "mean ms",
        "mean ms, < 100 hits",
        "µs a hit",
        "median",
        "p99",
        "most",
        "rows looked at",
    )
    note = (
        f"Built in {building:.1f} s on one core; beside {megabytes(vectors.nbytes)} MB of vectors it holds "
        f"{megabytes(index.memory().index)} MB, {share:.2f} of them. Every answer was compared with the truth."
    )
    title = f"projections: {len(queries):,} queries among {len(vectors):,} vectors, one core"
    result.tables.append(Table(title, columns, table, note))
    return index


# --- full scan -------------------------------------------------------------------------------------------


@numba.njit(nogil=True)
def _scan(vectors: Array, query: Array, most: int, hits: Array) -> int:
    """Every vector, in integers, giving up where the distance is too great."""
    found = 0
    for row in range(len(vectors)):
        total = np.int64(0)
        for i in range(vectors.shape[1]):
            difference = np.int64(vectors[row, i]) - np.int64(query[i])
            total += difference * difference
            if total > most:
                break
        if total <= most:
            hits[found] = row
            found += 1
    return found


def _scanned(result: Result, vectors: Array, queries: Array, truth: dict[float, list[Array]]) -> None:
    """A few queries against all vectors, and whether the truth is what they give."""
    hits = np.empty(len(vectors), np.int64)
    figures: dict[str, float] = {}
    table = []
    for gamma in GAMMAS:

        def scan(one: Rows, gamma: float = gamma) -> Array:
            asked = one.values[0].astype(np.int64)
            most = Gamma(gamma).most(int((asked * asked).sum()))
            return hits[: _scan(vectors, one.values[0], most, hits)].copy()

        scan(rows(queries[:1]))
        many = SCANS[result.arguments.scale]
        found, used, _ = timed(queries[:many], scan)
        assert all(np.array_equal(one, other) for one, other in zip(found, truth[gamma][:many], strict=True))
        ours = result.figures["truecopy"][str(gamma)]["mean_ms"]
        figures[str(gamma)] = round(float(used.mean()), 2)
        table.append((f"{gamma}", f"{used.mean():,.1f}", f"{ours:.3f}", f"{used.mean() / ours:,.0f} x"))
    result.figures["scan_ms"] = figures
    columns = ("γ", "full scan, ms", "projections, ms", "faster by")
    note = f"{SCANS[result.arguments.scale]} queries; the scan gives up on a vector as soon as it is too far."
    result.tables.append(Table(f"Full scan of {len(vectors):,} vectors", columns, table, note))


# --- the paper's algorithms ------------------------------------------------------------------------------

NARROW = tau0() / math.sqrt(62)
"""τ₀ for vectors of entries ±1 that are not divided by √d, as the paper's text has them in one place."""
VARIANTS: dict[str, dict[str, Any]] = {
    "8 projections": {"norm": False, "letters": False},
    "norm, then 8 projections": {"letters": False},
    "two filters, then 8 projections": {},
    "two filters alone": {"projected": 0},
    "8 projections, τ₀ / √62": {"norm": False, "letters": False, "tau": NARROW},
    "two filters, then 8 projections, τ₀ / √62": {"tau": NARROW},
}


def _paper(result: Result, vectors: Array, queries: Array, truth: dict[float, list[Array]]) -> None:
    """Its tables 1 and 2: time, recall and precision before the check, and what each range leaves."""
    few = FEW[result.arguments.scale]
    table, lefts, figures = [], [], {}
    for distribution, name in (("rademacher", "Algorithm 2"), ("gaussian", "Algorithm 1")):
        paper = PaperProjections(SPEC, distribution=distribution)
        paper.add(rows(vectors))
        for variant, settings in VARIANTS.items():
            if distribution == "gaussian" and settings != VARIANTS["8 projections"]:
                continue  # the paper has one algorithm stand for both, and so does this
            for gamma in GAMMAS:
                limit = Gamma(gamma)
                answers, _, _ = timed(
                    queries[:few], lambda one, p=paper, g=limit, s=settings: p.search(one, g, check=False, **s)
                )
                checked, used, _ = timed(queries[:few], lambda one, p=paper, g=limit, s=settings: p.search(one, g, **s))
                recall, precision = agreement([answer.numbers for answer in answers], truth[gamma][:few])
                after, _ = agreement([answer.numbers for answer in checked], truth[gamma][:few])
                assert after == recall
                left = {step: float(np.mean([answer.left[step] for answer in checked])) for step in checked[0].left}
                ours = result.figures["truecopy"][str(gamma)]["mean_ms"]
                ratio = float(used.mean()) / ours
                figures[f"{name}, {variant}, {gamma}"] = {
                    "recall": recall,
                    "precision": precision,
                    "ms": round(float(used.mean()), 3),
                    "left": {step: round(count, 1) for step, count in left.items()},
                }
                table.append(
                    (
                        f"{name}: {variant}",
                        f"{gamma}",
                        f"{recall:.3f}",
                        f"{precision:.3f}",
                        f"{used.mean():,.2f}",
                        f"{ratio:,.1f} x",
                    )
                )
                if distribution == "rademacher":
                    steps = [f"{left[step]:,.0f}" if step in left else "" for step in STEPS]
                    lefts.append((variant, f"{gamma}", *steps))
        del paper
    result.figures["paper"] = figures
    columns = ("ranges", "γ", "recall", "precision before the check", "ms with the check", "projections is faster by")
    said = "The paper's figures: recall 0.999 and 0.981 for projections, 0.992 and 0.949 with both filters; precision "
    said += f"0.912, 0.312, 0.956 and 0.542. {few} queries; m = 8, τ = τ₀ = 7.6 where nothing else is said."
    result.tables.append(Table(f"The paper's algorithms among {len(vectors):,} vectors", columns, table, said))
    title = "Documents left after each range of algorithm 2, mean of a query"
    result.tables.append(Table(title, ("ranges", "γ", *STEPS), lefts))


STEPS = ("norm", "letters", *(f"projection {k}" for k in range(1, 9)), "check")


# --- peers -----------------------------------------------------------------------------------------------


def _peers(result: Result, vectors: Array, queries: Array) -> None:
    """Each over vectors that it can hold, beside truecopy over the same ones."""
    scale = result.arguments.scale
    asked = queries[: FEW[scale]]
    table: list[tuple[str, ...]] = []
    figures: dict[str, Any] = {}
    for name, hold, factor in PEERS:
        package = "faiss" if name.startswith("faiss") else "sklearn"
        if package in result.figures["missing"]:
            continue
        part = vectors[: factor * HELD[scale]]
        start = time.process_time()
        search = hold(part)
        building = time.process_time() - start
        start = time.process_time()
        index = Projections(SPEC)
        index.add(rows(part))
        own_building = time.process_time() - start
        for gamma in GAMMAS:
            truth, own, _ = timed(asked, lambda one, i=index, g=gamma: i.search(one, Gamma(g)).numbers)
            found, used, _ = timed(asked, lambda one, s=search, g=gamma: s(one.values[0].astype(np.float64), g))
            recall, precision = agreement(found, truth)
            ratio = float(used.mean() / own.mean())
            figures[f"{name}, {gamma}"] = {
                "vectors": len(part),
                "build_seconds": round(building, 2),
                "ms": round(float(used.mean()), 3),
                "truecopy_ms": round(float(own.mean()), 4),
                "truecopy_build_seconds": round(own_building, 2),
                "ratio": round(ratio, 1),
                "recall": recall,
                "precision": precision,
            }
            numbers = (f"{building:.1f}", f"{own_building:.1f}", f"{used.mean():,.2f}", f"{own.mean():.3f}")
            table.append(
                (name, f"{len(part):,}", f"{gamma}", *numbers, f"{ratio:,.1f} x", f"{recall:.3f}", f"{precision:.3f}")
            )
        del search, index
    result.figures["peers"] = figures
    columns = ("peer", "vectors", "γ", "build, s", "truecopy's", "ms", "truecopy's", "faster by", "recall", "precision")
    note = f"{len(asked)} queries, one thread. Peers compare in floating point, truecopy in integers."
    result.tables.append(Table("Peers over vectors that they can hold", columns, table, note))


def _flat(vectors: Array) -> Callable[[Array, float], Array]:
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatL2(vectors.shape[1])
    index.add(vectors.astype(np.float32))

    def search(query: Array, gamma: float) -> Array:
        squared = float((gamma * gamma) * (query * query).sum())
        _, _, places = index.range_search(query.astype(np.float32)[None], np.nextafter(np.float32(squared), np.inf))
        return np.sort(places)

    return search


def _tree(kind: str) -> Callable[[Array], Callable[[Array, float], Array]]:
    def hold(vectors: Array) -> Callable[[Array, float], Array]:
        from sklearn import neighbors

        tree = getattr(neighbors, kind)(vectors.astype(np.float64))

        def search(query: Array, gamma: float) -> Array:
            radius = gamma * float(np.sqrt((query * query).sum())) * (1 + 1e-12)
            return np.sort(tree.query_radius(query[None], radius)[0])

        return search

    return hold


PEERS = (
    ("faiss IndexFlatL2", _flat, 2),
    ("scikit-learn KDTree", _tree("KDTree"), 1),
    ("scikit-learn BallTree", _tree("BallTree"), 1),
)


if __name__ == "__main__":
    main()
