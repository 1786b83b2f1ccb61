"""How the cost of every index grows with the collection: building, one search, all pairs.

    python benchmarks/growth.py --scale full --into docs/explanation/measured --plot docs/explanation/growth.svg

Each index holds 10^4, 10^5, … 10^7 rows of its kind, made by chance with a seed: families of near copies (four rows in
the mean, so that the number of true pairs grows as the rows do) among strangers. Rows are short, so that ten million
fit into memory: the texts of `overlap` have 24 words, the sets of `postings` 16 entries. `linear` is
there for comparison: it grows with the rows, and the others should not.

All pairs of letter counts are looked for up to a million rows. Strangers lie closer the more rows there are, so that
from there on a hundred rows are looked at for each that is near.

Growth is the slope of log time by log rows between the two largest sizes: 1 grows as the rows do, 0 not
at all. One thread.
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from common import arguments
from results import Result, Table, publish

from truecopy.index.index import Index
from truecopy.index.limits import Distance, Equal, Gamma, Limit, Share
from truecopy.index.methods import index_class
from truecopy.index.rows import BAGS, SHINGLES, Rows
from truecopy.sign import make_spec
from truecopy.spec import Spec

Array = npt.NDArray[Any]

FULL = (10_000, 100_000, 1_000_000, 10_000_000)
SMALL = (500, 2_000)
QUERIES = 300
FAMILY = 4
SEED = 5
MOST_LINEAR = 1_000_000
"""From so many rows on, linear is asked a few queries only."""


@dataclass(frozen=True, slots=True)
class Kind:
    """An index, the rows that it is tried on, and what is asked."""

    index: str
    about: str
    spec: Spec
    rows: Callable[[np.random.Generator, int], Rows]
    limit: Limit
    most_pairs: int = FULL[-1]
    """Rows up to which all pairs are looked for."""


def families(random: np.random.Generator, count: int) -> Array:
    """The family of each row: four rows in the mean."""
    return random.integers(0, max(1, count // FAMILY), count)


def bits(random: np.random.Generator, count: int) -> Rows:
    """64 bits, of which each row has up to three other than its family."""
    heads = random.integers(0, 2**63, max(1, count // FAMILY), dtype=np.uint64) * np.uint64(2)
    values = heads[families(random, count)]
    for _ in range(2):
        flip = random.integers(0, 64, count).astype(np.uint64)
        values ^= np.where(random.random(count) < 0.6, np.uint64(1) << flip, np.uint64(0))
    rows = np.ascontiguousarray(values).view(np.uint8).reshape(count, 8)
    return Rows(make_spec("simhash"), rows, np.ones(count, np.bool_))


def keys(random: np.random.Generator, count: int) -> Rows:
    """Twenty bytes, equal in a family."""
    heads = random.integers(0, 256, (max(1, count // FAMILY), 20), dtype=np.uint8)
    lengths = np.full((count, 1), 1000, np.int64)
    values = heads[families(random, count)]
    return Rows(make_spec("fingerprint"), values, np.ones(count, np.bool_), heads=lengths)


def letters(random: np.random.Generator, count: int) -> Rows:
    """Counts of 62 letters: a common shape with a spread for each family, lengths over three decades, small edits."""
    shape = random.random(62).astype(np.float32) ** 3
    own = random.integers(0, 2**31, max(1, count // FAMILY))
    member = families(random, count)
    values = np.empty((count, 62), np.uint32)
    for first in range(0, count, 1 << 18):
        some = member[first : first + (1 << 18)]
        seeds = own[some].astype(np.uint64)[:, None] + np.arange(62, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        seeds ^= seeds >> np.uint64(29)
        seeds *= np.uint64(0xBF58476D1CE4E5B9)
        spread = ((seeds >> np.uint64(40)).astype(np.float32) / 2**24 - 0.5) * 0.5
        length = 10 ** (1.5 + 3 * (own[some] / 2**31)).astype(np.float32)
        mean = shape * np.exp(spread) * length[:, None]
        edit = random.normal(0, 0.004, mean.shape).astype(np.float32)
        values[first : first + (1 << 18)] = np.rint(mean * (1 + edit))
    return Rows(make_spec("letters"), values, np.ones(count, np.bool_))


def slots(random: np.random.Generator, count: int) -> Rows:
    """Sketches of 64 places, of which a row has one in eight other than its family."""
    heads = random.integers(0, 2**32, (max(1, count // FAMILY), 64), dtype=np.uint32)
    values = heads[families(random, count)]
    for first in range(0, count, 1 << 18):
        part = values[first : first + (1 << 18)]
        other = random.random(part.shape, dtype=np.float32) < 0.125
        part[other] = random.integers(0, 2**32, int(other.sum()), dtype=np.uint32)
    return Rows(make_spec("words", slots=64), values, np.ones(count, np.bool_))


def entries(random: np.random.Generator, count: int) -> Rows:
    """Sixteen entries a row: twelve of its family, two of its own, two that very many have."""
    member = families(random, count).astype(np.uint64)[:, None]
    place = np.arange(16, dtype=np.uint64)[None]
    code = member * np.uint64(16) + place
    own = random.integers(2**50, 2**51, (count, 2), dtype=np.uint64)
    code[:, 12:14] = own
    code[:, 14:] = random.integers(2**52, 2**52 + 1000, (count, 2), dtype=np.uint64)
    code = np.sort(code * np.uint64(0x9E3779B97F4A7C15), axis=1)
    keep = np.ones(code.shape, np.bool_)
    keep[:, 1:] = code[:, 1:] != code[:, :-1]
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(keep.sum(1), out=offsets[1:])
    return Rows(SHINGLES, code[keep], np.ones(count, np.bool_), offsets)


def bags(random: np.random.Generator, count: int) -> Rows:
    """Twenty-four words a text: half of them common, half rare ones of its family, two of its own."""
    member = families(random, count)
    common = 1000
    words = np.empty((count, 24), np.uint32)
    words[:, :12] = (common * random.random((count, 12)) ** 3).astype(np.uint32)
    words[:, :12] = (member[:, None] * 7919 + np.arange(12)[None] * 104729) % common
    words[:, 12:] = common + member[:, None] * 12 + np.arange(12)[None]
    words[:, 22:] = common + 3 * count + random.integers(0, 2 * count, (count, 2))
    words = -np.sort(-words.astype(np.int64), axis=1)
    first = np.ones(words.shape, np.bool_)
    first[:, 1:] = words[:, 1:] != words[:, :-1]
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(first.sum(1), out=offsets[1:])
    starts = np.flatnonzero(first.reshape(-1))
    often = np.diff(np.append(starts, first.size))
    return Rows(BAGS, words[first].astype(np.uint32), np.ones(count, np.bool_), offsets, often.astype(np.uint32))


KINDS = (
    Kind("linear", "64 bits, radius 3", make_spec("simhash"), bits, Distance(3), most_pairs=0),
    Kind("equality", "keys of 20 bytes", make_spec("fingerprint"), keys, Equal()),
    Kind("hamming", "64 bits, radius 3", make_spec("simhash"), bits, Distance(3)),
    Kind("projections", "62 counts, γ 0.025", make_spec("letters"), letters, Gamma(0.025), most_pairs=1_000_000),
    Kind("bands", "64 slots, 75 %", make_spec("words", slots=64), slots, Share(75, "slots")),
    Kind("overlap", "24 words, 80 %", BAGS, bags, Share(80, "longer")),
    Kind("postings", "16 entries, resemblance 60 %", SHINGLES, entries, Share(60, "either")),
    Kind("postings", "16 entries, containment 80 %", SHINGLES, entries, Share(80, "smaller")),
)


@dataclass(frozen=True, slots=True)
class Measured:
    """One index at one size."""

    rows: int
    build: float
    search: float
    """Seconds of one search, in the mean."""
    examined: float
    hits: float
    pairs: float | None
    """Seconds of all pairs."""
    found: int
    bytes: float
    """Bytes of index for each row, its signature left out."""


def measure(kind: Kind, count: int) -> Measured:
    """Build, search and pair."""
    rows = kind.rows(np.random.default_rng(SEED), count)
    index: Index = index_class(kind.index)(kind.spec)
    start = time.perf_counter()
    index.add(rows)
    build = time.perf_counter() - start
    chosen = np.random.default_rng(SEED + 1).integers(0, count, QUERIES)
    queries = [rows.take(np.array([place])) for place in chosen.tolist()]
    few = queries if count < MOST_LINEAR or kind.index != "linear" else queries[:10]
    for query in few[:3]:
        index.search(query, kind.limit)
    start = time.perf_counter()
    found = [index.search(query, kind.limit) for query in few]
    search = (time.perf_counter() - start) / len(few)
    pairs, couples = None, 0
    if count <= kind.most_pairs:
        start = time.perf_counter()
        couples = len(index.pairs(kind.limit))
        pairs = time.perf_counter() - start
    examined = sum(each.examined for each in found) / len(found)
    hits = sum(map(len, found)) / len(found)
    return Measured(count, build, search, examined, hits, pairs, couples, index.memory().index / count)


def warm_up() -> None:
    """Compile before anything is timed."""
    for kind in KINDS:
        measure(kind, 300)


def slope(x: float, y: float, earlier: float, later: float) -> float:
    return math.log(max(later, 1e-9) / max(earlier, 1e-9)) / math.log(y / x)


def growth(measured: list[Measured], what: str) -> str:
    """The slope between the two largest sizes."""
    known = [(each.rows, getattr(each, what)) for each in measured if getattr(each, what) is not None]
    if len(known) < 2:
        return "–"
    (x, one), (y, two) = known[-2:]
    return f"{slope(x, y, one, two):.2f}"


def tables(every: dict[str, list[Measured]]) -> list[Table]:
    """One row for each index and size, and the slopes."""
    rows = [
        (
            name, f"{one.rows:,}", f"{one.build:,.2f}", f"{1e6 * one.search:,.0f}", f"{one.examined:,.0f}",
            f"{one.hits:,.1f}", "–" if one.pairs is None else f"{one.pairs:,.2f}", f"{one.found:,}",
            f"{one.bytes:,.0f}",
        )
        for name, measured in every.items()
        for one in measured
    ]  # fmt: skip
    columns = ("index", "rows", "build s", "search µs", "examined", "hits", "all pairs s", "pairs", "index bytes a row")
    slopes = [(name, growth(m, "build"), growth(m, "search"), growth(m, "pairs")) for name, m in every.items()]
    note = "The slope of log time by log rows between the two largest sizes: 1 grows as the rows do, 0 not at all."
    return [
        Table("Cost by size", columns, rows),
        Table("Growth", ("index", "build", "search", "all pairs"), slopes, note),
    ]


def plot(every: dict[str, list[Measured]], file: Path) -> None:
    """Search and all pairs by size, on logarithmic axes."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "truecopy"
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    for name, measured in every.items():
        sizes = [one.rows for one in measured]
        left.plot(sizes, [1e6 * one.search for one in measured], marker="o", label=name)
        timed = [one for one in measured if one.pairs is not None]
        if timed:
            right.plot([one.rows for one in timed], [one.pairs for one in timed], marker="o", label=name)
    for axes, title, unit in ((left, "One search", "microseconds"), (right, "All pairs", "seconds")):
        axes.set(xscale="log", yscale="log", xlabel="rows", ylabel=unit, title=title)
        axes.grid(alpha=0.3)
    left.legend(fontsize=7)
    figure.savefig(file, format="svg", metadata={"Date": None})


def main() -> None:
    own = argparse.ArgumentParser(add_help=False)
    own.add_argument("--plot", type=Path)
    given, rest = own.parse_known_args()
    asked = arguments(__doc__ or "", rest)
    result = Result("growth", asked)
    warm_up()
    every: dict[str, list[Measured]] = {}
    for kind in KINDS:
        name = f"{kind.index} ({kind.about})"
        for count in SMALL if asked.small else FULL:
            every.setdefault(name, []).append(measure(kind, count))
            gc.collect()
            if not asked.small:
                sys.stderr.write(f"{name} {every[name][-1]}\n")
    result.tables = tables(every)
    result.figures["growth"] = {
        name: [
            {"rows": one.rows, "search": one.search, "pairs": one.pairs, "examined": one.examined, "found": one.found}
            for one in measured
        ]
        for name, measured in every.items()
    }
    if given.plot is not None:
        plot(every, given.plot)
    publish(result)


if __name__ == "__main__":
    main()
