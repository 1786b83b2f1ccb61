"""Bits within a radius: truecopy's hamming index and those of faiss over the same signatures, in one run on one core.

    python benchmarks/hamming.py --scale full

uniform      64-bit numbers by chance: the easiest case, and the one that is mostly published
clustered    simhash-64 of real documents (profile plain), resampled: each row is the signature of a document drawn by
             chance, with k of its bits flipped, k = 0, 1, 2 … up to 24 with weights (6/7)^k; so families keep their
             shape, their sizes the long tail of the collections, and rows of one document lie at every distance

Half of the queries are rows with 0 to 3 bits flipped, half are strangers: numbers by chance for uniform signatures,
rows with 12 bits flipped for clustered ones. Each contender answers one query at a time, and the time is that of the
processor, so that other work on the machine does not count. IndexBinaryFlat is the truth. IndexBinaryMultiHash with
4 x 16 bits misses nothing at radius 3; IndexBinaryHash must flip 3 bits for that.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from common import EVERY_COLLECTION, Arguments, arguments, collection, use_cores
from results import Result, Table, Target, megabytes, publish

from truecopy.index.hamming import Hamming
from truecopy.index.limits import Distance
from truecopy.index.rows import Rows
from truecopy.sign import simhash

try:
    import faiss
except ImportError:
    faiss = None

Array = npt.NDArray[Any]
Answer = Callable[[Array], Array]

BITS, RADIUS = 64, 3
MOST_FLIPS, STRANGE_FLIPS = 24, 12
SMALL = {"policies": 200, "licenses": 200}
HASH_BITS = 16
SPEC = simhash.spec(bits=BITS, profile="plain")
OURS = "truecopy hamming"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is asked of everyone."""

    rows: int
    queries: int
    flat_queries: int
    """A scan of all rows answers fewer."""
    pair_rows: int
    pair_queries: int
    """Rows of which faiss is asked for the neighbors; its time for all is scaled up from there."""


FULL_SIZES = Sizes(10_000_000, 2000, 200, 1_000_000, 20_000)
SMALL_SIZES = Sizes(100_000, 300, 100, 20_000, 2_000)


@dataclass(slots=True)
class Measured:
    """One contender over one set of signatures."""

    build: float
    memory: int
    seconds: Array
    answers: list[Array]

    def figures(self, truth: list[Array]) -> dict[str, float]:
        wanted = sum(map(len, truth))
        met = sum(len(np.intersect1d(a, b)) for a, b in zip(self.answers, truth, strict=False))
        given = sum(len(answer) for answer, _ in zip(self.answers, truth, strict=False))
        return {
            "queries": len(self.seconds),
            "mean_ms": round(1e3 * float(self.seconds.mean()), 5),
            "p50_ms": round(1e3 * float(np.median(self.seconds)), 5),
            "p99_ms": round(1e3 * float(np.percentile(self.seconds, 99)), 5),
            "recall": met / wanted if wanted else 1.0,
            "precision": met / given if given else 1.0,
            "hits": round(sum(map(len, self.answers)) / len(self.answers), 2),
            "build_seconds": round(self.build, 2),
            "memory_bytes": self.memory,
        }


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    if faiss is not None:
        faiss.omp_set_num_threads(1)
    sizes = SMALL_SIZES if asked.small else FULL_SIZES
    result = Result("hamming", asked)
    result.figures = {"missing": [] if faiss else ["faiss"], "faiss": faiss and faiss.__version__, "sets": {}}
    warm_up()
    random = np.random.default_rng(20)
    real = real_signatures(asked, result)
    for name in ("uniform", "clustered"):
        rows = uniform(random, sizes.rows) if name == "uniform" else clustered(random, real, sizes.rows)
        far = (
            uniform(random, sizes.queries) if name == "uniform" else flipped(random, rows, STRANGE_FLIPS, sizes.queries)
        )
        queries = make_queries(random, rows, far, sizes.queries)
        online = search_online(rows, queries, sizes)
        pairs = all_pairs(rows[: sizes.pair_rows], sizes)
        result.figures["sets"][name] = {"rows": sizes.rows, "tools": online, "pairs": pairs}
        report(result, name, sizes, online, pairs)
        del rows, queries
        gc.collect()
    publish(result)


# --- signatures ------------------------------------------------------------------------------------------


def real_signatures(asked: Arguments, result: Result) -> Array:
    """Simhash-64 of every document of the collections."""
    found = []
    for name in SMALL if asked.small else EVERY_COLLECTION:
        texts = collection(name, asked.data, SMALL.get(name) if asked.small else None)
        if texts.generated:
            result.generated.add(name)
        found.append(np.ascontiguousarray(simhash.sign(_texts(texts.files), SPEC).values))
    signatures: Array = np.concatenate(found).view(np.uint64)[:, 0]
    result.figures["documents"] = len(signatures)
    result.figures["distinct_signatures"] = len(np.unique(signatures))
    return signatures


def _texts(files: Sequence[Path]) -> list[str]:
    return [file.read_bytes().decode("utf-8", "replace") for file in files]


def uniform(random: np.random.Generator, many: int) -> Array:
    """Numbers by chance."""
    return random.integers(0, 2**64, many, dtype=np.uint64)


def clustered(random: np.random.Generator, real: Array, many: int) -> Array:
    """Real signatures, resampled, with bits flipped."""
    weights = (6 / 7) ** np.arange(MOST_FLIPS + 1)
    flips = random.choice(MOST_FLIPS + 1, many, p=weights / weights.sum())
    return _flip(random, real[random.integers(0, len(real), many)], flips)


def flipped(random: np.random.Generator, rows: Array, flips: int, many: int) -> Array:
    """Rows by chance with so many bits flipped."""
    return _flip(random, rows[random.integers(0, len(rows), many)], np.full(many, flips))


def _flip(random: np.random.Generator, rows: Array, flips: Array) -> Array:
    """Flip bits by chance, as many as are said for each row or, where one is drawn twice, fewer."""
    changed = rows.copy()
    for turn in range(int(flips.max(initial=0))):
        more = np.flatnonzero(flips > turn)
        changed[more] ^= np.uint64(1) << random.integers(0, BITS, len(more), dtype=np.uint64)
    return changed


def make_queries(random: np.random.Generator, rows: Array, far: Array, many: int) -> Array:
    """Half near rows that are there, half strangers, taking turns."""
    near = _flip(random, rows[random.integers(0, len(rows), many)], random.integers(0, RADIUS + 1, many))
    return np.where(np.arange(many) % 2 == 0, near, far)


# --- contenders ------------------------------------------------------------------------------------------


def as_rows(numbers: Array) -> Rows:
    values = numbers.astype("<u8")[:, None].view(np.uint8)
    return Rows(SPEC, values, np.ones(len(values), np.bool_))


def warm_up() -> None:
    """Load the kernels."""
    index = Hamming(SPEC)
    index.add(as_rows(np.arange(100, dtype=np.uint64)))
    index.search(as_rows(np.zeros(1, np.uint64)), Distance(RADIUS))
    index.pairs(Distance(RADIUS))


def peers() -> dict[str, Callable[[], Any]]:
    """Indexes of faiss, empty."""
    if faiss is None:
        return {}

    def by_hash() -> Any:
        index = faiss.IndexBinaryHash(BITS, HASH_BITS)
        index.nflip = RADIUS
        return index

    return {
        "faiss MultiHash 4 x 16": lambda: faiss.IndexBinaryMultiHash(BITS, 4, 16),
        f"faiss Hash {HASH_BITS}": by_hash,
        "faiss Flat": lambda: faiss.IndexBinaryFlat(BITS),
    }


def search_online(rows: Array, queries: Array, sizes: Sizes) -> dict[str, dict[str, float]]:
    """Every contender, one after the other, so that only one is in memory."""
    measured = {OURS: _ours(rows, queries)}
    for name, make in peers().items():
        some = sizes.flat_queries if name.endswith("Flat") else sizes.queries
        measured[name] = _peer(make, rows, queries[:some])
        gc.collect()
    exact = measured.get("faiss Flat", measured[OURS])
    truth = exact.answers
    found = {name: each.figures(truth) for name, each in measured.items()}
    for name, each in found.items():
        each["ratio"] = round(each["mean_ms"] / found[OURS]["mean_ms"], 2)
        each["same_answers"] = float(_same(measured[name].answers, measured[OURS].answers))
    return found


def _same(some: list[Array], others: list[Array]) -> bool:
    """Whether every query was answered alike, as far as both were asked."""
    return all(np.array_equal(np.sort(a), np.sort(b)) for a, b in zip(some, others, strict=False))


def _ours(rows: Array, queries: Array) -> Measured:
    signatures = as_rows(rows)
    before, start = resident(), time.process_time()
    index = Hamming(SPEC)
    index.add(signatures)
    built = time.process_time() - start
    memory, limit = resident() - before, Distance(RADIUS)
    asked = [as_rows(queries[i : i + 1]) for i in range(len(queries))]
    seconds, answers = _timed(lambda i: index.search(asked[i], limit).numbers, len(queries))
    return Measured(built, memory, seconds, answers)


def _peer(make: Callable[[], Any], rows: Array, queries: Array) -> Measured:
    codes, asked = rows[:, None].view(np.uint8), queries[:, None].view(np.uint8)
    before, start = resident(), time.process_time()
    index = make()
    index.add(codes)
    built = time.process_time() - start
    memory = resident() - before
    seconds, answers = _timed(lambda i: index.range_search(asked[i : i + 1], RADIUS + 1)[2], len(queries))
    return Measured(built, memory, seconds, answers)


def _timed(answer: Callable[[int], Array], many: int) -> tuple[Array, list[Array]]:
    seconds, answers = np.empty(many), []
    for i in range(min(20, many)):
        answer(i)
    for i in range(many):
        start = time.process_time()
        found = answer(i)
        seconds[i] = time.process_time() - start
        answers.append(found.copy())
    return seconds, answers


def resident() -> int:
    """Bytes of this process in memory; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


def all_pairs(rows: Array, sizes: Sizes) -> dict[str, Any]:
    """Every pair within the radius; faiss is asked for the neighbors of some rows, and its time scaled up."""
    index = Hamming(SPEC)
    index.add(as_rows(rows))
    start = time.process_time()
    found = index.pairs(Distance(RADIUS))
    seconds = time.process_time() - start
    measured: dict[str, Any] = {
        "rows": len(rows),
        "pairs": len(found),
        "seconds": round(seconds, 3),
        "examined": found.examined,
        "scaled_seconds": {},
        "same_answers": True,
    }
    some = sizes.pair_queries
    neighbors = int(((found.a < some).astype(np.int64) + (found.b < some)).sum()) + some
    for name, make in peers().items():
        asked = some // 20 if name.endswith("Flat") else some
        other = make()
        other.add(rows[:, None].view(np.uint8))
        start = time.process_time()
        limits, _, _ = other.range_search(rows[:asked, None].view(np.uint8), RADIUS + 1)
        measured["scaled_seconds"][name] = round((time.process_time() - start) * len(rows) / asked, 2)
        if asked == some:
            measured["same_answers"] &= int(limits[-1]) == neighbors
    return measured


# --- what is said ----------------------------------------------------------------------------------------


def report(result: Result, name: str, sizes: Sizes, online: dict[str, dict[str, float]], pairs: dict[str, Any]) -> None:
    """Tables and promises of one set of signatures."""
    rows = [
        (
            tool,
            f"{each['mean_ms']:.4f}",
            f"{each['p50_ms']:.4f}",
            f"{each['p99_ms']:.4f}",
            f"{each['ratio']:.2f}",
            f"{each['recall']:.4f}",
            f"{each['precision']:.4f}",
            f"{each['build_seconds']:.1f}",
            megabytes(int(each["memory_bytes"])),
        )
        for tool, each in online.items()
    ]
    columns = ("index", "mean ms", "p50", "p99", "mean / truecopy's", "recall", "precision", "build s", "memory MB")
    title = f"{sizes.rows:,} {name} {BITS}-bit signatures, radius {RADIUS}, one query at a time"
    note = f"{online[OURS]['hits']:.1f} hits a query. Memory is what the process grew by."
    result.tables.append(Table(title, columns, rows, note))
    lines = [(OURS, f"{pairs['seconds']:.2f}", "1.00")]
    for tool, seconds in pairs["scaled_seconds"].items():
        lines.append((tool, f"{seconds:.2f}", f"{seconds / pairs['seconds']:.2f}"))
    title = f"All {pairs['pairs']:,} pairs of {pairs['rows']:,} {name} signatures, radius {RADIUS}"
    some = f"{sizes.pair_queries:,} rows, Flat of a twentieth of them"
    note = f"faiss was asked for the neighbors of {some}; its seconds are scaled up to all rows."
    result.tables.append(Table(title, ("index", "seconds", "seconds / truecopy's"), lines, note))
    target = result.targets.append
    target(Target.at_least(f"{name}: recall", 1, online[OURS]["recall"]))
    target(Target.at_least(f"{name}: precision", 1, online[OURS]["precision"]))
    target(Target.at_most(f"{name}: mean ms of a search", 0.05, online[OURS]["mean_ms"]))
    target(Target.at_most(f"{name}: seconds for all pairs", 10, pairs["seconds"]))
    for tool, each in online.items():
        if tool != OURS:
            target(Target.at_least(f"{name}: times as fast as {tool}", 1, each["ratio"]))


if __name__ == "__main__":
    main()
