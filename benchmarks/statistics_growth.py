"""How many documents the statistics of weighted TopSig need, and what weights do for cryptographic hashes.

    python benchmarks/statistics_growth.py --scale full

Two questions that Roegiest 2019 leaves open (sections 4 and 6).

1. Documents are held out; statistics are built from none, ten, thirty, … of the others, each set within the next. The
   held-out documents are signed under each. Beside each is how far the signatures are from those under the whole
   collection's statistics (held-out documents included: the paper's batch), and how well they tell documents apart.
2. The bit families side by side, at 16 to 128 bits, weighed by the statistics of the same documents, as in the paper.

Copies (the same words) are taken once, and documents of fewer than fifty words are left out. Near duplicates are pairs
with a resemblance of at least 0.8 over 3-word shingles, others those below 0.5: computed exactly for every pair.
Nothing is timed, and everything is seeded: a second run prints the same.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
from common import CORES, Collection, arguments, collection
from results import Result, Table, publish

from sign import Numbers, shingle_set, word_numbers
from truecopy.sign import minhash4, simhash, topsig
from truecopy.sign.signatures import Signatures
from truecopy.sign.statistics import Statistics, build

COLLECTIONS = ("agreements", "policies", "bills")
SMALL_DOCUMENTS = {"agreements": 30, "policies": 80, "bills": 150}
HELD_OUT = {"agreements": 200, "policies": 300, "bills": 1000}
MOST_COMPARED = 4000
"""Documents that the bit families are compared on; every pair of them is."""
SHORTEST = 50
STEPS = (10, 30, 100, 300, 1000, 3000, 10000)
GROWTH_BITS = (32, 64)
BITS = (16, 32, 64, 128)
SEEDS = (1, 2, 3, 4, 5)
TOGETHER = 10
"""Files in a row that are held out together: versions are side by side, and pairs of them are wanted."""
SEED = 3
NEAR, OTHER = 0.8, 0.5
LESS_UNIQUE, LESS_SEPARATION = 0.99, 0.005
"""Statistics of a part are enough where they lose no more than this against those of all documents."""

Matrix = npt.NDArray[Any]


# --- documents and the truth about them --------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Documents:
    """Distinct documents, in the order of their files."""

    texts: list[bytes]
    shingles: list[Numbers]

    def __len__(self) -> int:
        return len(self.texts)

    def some(self, chosen: Sequence[int]) -> Documents:
        return Documents([self.texts[i] for i in chosen], [self.shingles[i] for i in chosen])


def distinct_documents(texts: list[bytes]) -> Documents:
    """The documents that are long enough, copies once."""
    words, vocabulary = word_numbers(texts)
    first: dict[bytes, int] = {}
    for text, numbers in enumerate(words):
        if len(numbers) >= SHORTEST:
            first.setdefault(numbers.tobytes(), text)
    kept = list(first.values())
    return Documents([texts[i] for i in kept], [shingle_set(words[i], vocabulary) for i in kept])


def hold_out(documents: int, held: int) -> tuple[list[int], list[int]]:
    """Documents held out, in runs of neighbors, and the others in an order drawn by lot."""
    dice = random.Random(SEED)
    runs = [range(i, min(i + TOGETHER, documents)) for i in range(0, documents, TOGETHER)]
    dice.shuffle(runs)
    drawn = [i for run in runs for i in run]
    others = drawn[held:]
    dice.shuffle(others)
    return sorted(drawn[:held]), others


def resemblances(shingles: list[Numbers]) -> Matrix:
    """The resemblance (0 to 1) of every pair, exactly, by counting in how many shingles documents meet."""
    sizes = np.array([len(some) for some in shingles])
    owners = np.repeat(np.arange(len(shingles)), sizes)
    _, numbers = np.unique(np.concatenate(shingles), return_inverse=True)
    holders = owners[np.argsort(numbers, kind="stable")]
    ends = np.cumsum(np.bincount(numbers))
    out = np.empty((len(shingles), len(shingles)))
    for document, mine in enumerate(np.split(numbers, np.cumsum(sizes)[:-1])):
        stops = ends[mine]
        starts = np.where(mine > 0, ends[mine - 1], 0)
        lengths = stops - starts
        # Every holder of every shingle of this document: runs of `holders`, one after the other.
        places = np.arange(lengths.sum()) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        shared = np.bincount(holders[places], minlength=len(shingles))
        out[document] = shared / (sizes[document] + sizes - shared)
    return out


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every pair of documents once: which are near duplicates, and which are not alike."""

    x: Matrix
    y: Matrix
    near: Matrix
    other: Matrix

    @classmethod
    def of(cls, documents: Documents) -> Pairs:
        x, y = np.triu_indices(len(documents), 1)
        resemblance = resemblances(documents.shingles)[x, y]
        return cls(x, y, resemblance >= NEAR, resemblance < OTHER)

    def counts(self) -> dict[str, int]:
        return {"near": int(self.near.sum()), "other": int(self.other.sum())}

    def said(self) -> str:
        found = self.counts()
        return f"Near-duplicate pairs: {found['near']:,}; pairs that are not alike: {found['other']:,}."


# --- how well signatures tell documents apart --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Quality:
    """What a set of signatures is worth; or several, on average."""

    unique: float
    collisions: float
    """Pairs with equal signatures."""
    false_collisions: float
    """Those of them that are not alike."""
    false_neighbors: float
    """Pairs that are not alike, at most three bits apart."""
    near: float
    """Bits between near duplicates, on average; NaN without any."""
    other: float
    separation: float
    """How often a near duplicate is nearer than a pair that is not alike; ties count half. NaN without either."""

    @classmethod
    def mean(cls, found: Sequence[Quality]) -> Quality:
        return cls(*np.mean([astuple(each) for each in found], 0).tolist())

    def as_json(self) -> dict[str, float | None]:
        return {name: None if np.isnan(value) else round(value, 6) for name, value in asdict(self).items()}

    def cells(self) -> tuple[str, ...]:
        counts = (self.unique, self.collisions, self.false_collisions, self.false_neighbors)
        shown = [f"{count:,.0f}" if count % 1 == 0 else f"{count:,.1f}" for count in counts]
        measured = ((self.near, 1), (self.other, 1), (self.separation, 5))
        return (*shown, *("" if np.isnan(value) else f"{value:.{digits}f}" for value, digits in measured))


QUALITY = ("unique", "collisions", "false ones", "false at 3 bits", "bits, near", "bits, others", "separation")


def quality(family: ModuleType, signatures: Signatures, pairs: Pairs) -> Quality:
    """Judge signatures by the exact truth about every pair."""
    apart = family.distances(signatures, signatures)[pairs.x, pairs.y].astype(np.int64)
    near, other = apart[pairs.near], apart[pairs.other]
    return Quality(
        len(np.unique(signatures.values, axis=0)),
        float((apart == 0).sum()),
        float((other == 0).sum()),
        float((other <= 3).sum()),
        float(near.mean()) if len(near) else np.nan,
        float(other.mean()) if len(other) else np.nan,
        separation(near, other),
    )


def separation(near: Matrix, other: Matrix) -> float:
    """The area under the curve: the chance that a near pair is nearer than another, ties counted half."""
    if not len(near) or not len(other):
        return float(np.nan)
    most = int(max(near.max(), other.max())) + 1
    a, b = np.bincount(near, minlength=most), np.bincount(other, minlength=most)
    farther = b.sum() - np.cumsum(b)
    return float((a * (farther + b / 2)).sum() / (len(near) * len(other)))


# --- 1: how many documents ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grown:
    """Statistics of more and more documents, and what to call them."""

    label: str
    documents: int
    statistics: Statistics | None

    @property
    def grams(self) -> int:
        return 0 if self.statistics is None else len(self.statistics.grams)


def growth(result: Result, name: str, documents: Documents, elsewhere: tuple[str, Statistics]) -> None:
    """Sign held-out documents under statistics that grow."""
    held = min(HELD_OUT[name], len(documents) // 2)
    inside, outside = hold_out(len(documents), held)
    signed, texts = documents.some(inside), documents.some(outside).texts
    pairs = Pairs.of(signed)
    sizes = [size for size in STEPS if size < len(texts)] + [len(texts)]
    steps = [Grown(f"{size:,}", size, build(texts[:size])) for size in sizes]
    other = Grown(f"{elsewhere[0]} only", elsewhere[1].documents, elsewhere[1])
    whole = Grown("all, held-out too", len(documents), build(documents.texts))
    for bits in GROWTH_BITS:
        rows, figures = [], []
        wanted = _projected(signed.texts, whole.statistics, bits)
        for grown in (Grown("0: unweighted", 0, None), *steps, other, whole):
            made = _projected(signed.texts, grown.statistics, bits)
            off = float(np.mean([_apart(a, b) for a, b in zip(made, wanted, strict=True)]))
            found = Quality.mean([quality(topsig, each, pairs) for each in made])
            rows.append((grown.label, f"{grown.grams:,}", f"{off:.2f}", *found.cells()))
            about = {"statistics": grown.label, "documents": grown.documents, "grams": grown.grams, "off": off}
            figures.append({**about, **found.as_json()})
        needed = enough(figures[1 : 1 + len(steps)], figures[-1])
        counts = {"held_out": held, "others": len(texts), "needed": needed, **pairs.counts()}
        result.figures["growth"].setdefault(name, {})[str(bits)] = {**counts, "rows": figures}
        title = f"Statistics that grow, weighted topsig-{bits}: {name}, {held:,} of {len(documents):,} held out"
        note = f"{pairs.said()} Means of {len(SEEDS)} seeds. {_said(needed)}"
        result.tables.append(Table(title, ("statistics of", "n-grams", "bits off", *QUALITY), rows, note))


def _projected(texts: list[bytes], statistics: Statistics | None, bits: int) -> list[Signatures]:
    """TopSig signatures by each seed: what is due to the statistics is told from what is due to luck."""
    specs = (topsig.spec(bits=bits, seed=seed, statistics=statistics) for seed in SEEDS)
    return [topsig.sign(texts, spec, statistics, threads=CORES) for spec in specs]


def _apart(a: Signatures, b: Signatures) -> float:
    """Bits in which the signatures of the same texts differ, on average, whatever statistics made them."""
    return float(np.bitwise_count(a.values ^ b.values).sum(1).mean())


def enough(rows: Sequence[dict[str, Any]], whole: dict[str, Any]) -> int | None:
    """The documents from which on signatures are as good as under all statistics; None: never."""
    needed = None
    for row in reversed(rows):
        telling = row["separation"] is None or row["separation"] >= whole["separation"] - LESS_SEPARATION
        if not telling or row["unique"] < LESS_UNIQUE * whole["unique"]:
            break
        needed = int(row["documents"])
    return needed


def _said(needed: int | None) -> str:
    kept = f"{LESS_UNIQUE:.0%} of the unique signatures and the separation less {LESS_SEPARATION}"
    if needed is None:
        return f"No set of the other documents keeps {kept}, against all."
    return f"From {needed:,} documents on, the statistics keep {kept}, against all."


# --- 2: the bit families -----------------------------------------------------------------------------------

METHODS: tuple[tuple[str, ModuleType, dict[str, Any], bool], ...] = (
    ("simhash fast", simhash, {"hash": "fast"}, False),
    ("simhash shake256", simhash, {"hash": "shake256"}, False),
    ("simhash sha512", simhash, {"hash": "sha512"}, False),
    ("topsig", topsig, {}, False),
    ("weighted simhash fast", simhash, {"hash": "fast"}, True),
    ("weighted simhash shake256", simhash, {"hash": "shake256"}, True),
    ("weighted simhash sha512", simhash, {"hash": "sha512"}, True),
    ("weighted topsig", topsig, {}, True),
    ("minhash4", minhash4, {}, False),
)
"""Name, family, parameters without the bits, and whether it is weighed."""


def compared(result: Result, name: str, documents: Documents) -> None:
    """The bit families side by side, weighed by the statistics of the documents themselves."""
    chosen, _ = hold_out(len(documents), min(MOST_COMPARED, len(documents)))
    documents = documents.some(chosen)
    pairs = Pairs.of(documents)
    statistics = build(documents.texts)
    rows, figures = [], {}
    for bits in BITS:
        for label, family, parameters, weighed in METHODS:
            used = statistics if weighed else None
            if family is topsig:
                made = _projected(documents.texts, used, bits)
            else:
                more = {"statistics": used} if weighed else {}
                spec = family.spec(bits=bits, **parameters, **more)
                made = [family.sign(documents.texts, spec, used, threads=CORES)]
            found = [quality(family, each, pairs) for each in made]
            shown = label if len(found) == 1 else f"{label}, {len(found)} seeds"
            rows.append((shown, str(bits), *_spread(found)))
            figures[f"{label} {bits}"] = [each.as_json() for each in found]
    result.figures["compared"][name] = {"documents": len(documents), **pairs.counts(), "methods": figures}
    title = f"The bit families side by side: {name}, {len(documents):,} documents"
    note = (
        f"{pairs.said()} What several seeds of topsig give is shown from least to greatest: a difference within such a "
        "range is luck, and says nothing about a method."
    )
    result.tables.append(Table(title, ("method", "bits", *QUALITY), rows, note))


def _spread(found: Sequence[Quality]) -> tuple[str, ...]:
    """Each column, from the least to the greatest."""
    lowest = Quality(*np.min([astuple(each) for each in found], 0).tolist()).cells()
    highest = Quality(*np.max([astuple(each) for each in found], 0).tolist()).cells()
    return tuple(low if low == high else f"{low} to {high}" for low, high in zip(lowest, highest, strict=True))


# --- all of it -------------------------------------------------------------------------------------------------


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    result = Result("statistics_growth", asked)
    result.figures = {"growth": {}, "compared": {}}
    read: list[Collection] = [
        collection(name, asked.data, SMALL_DOCUMENTS[name] if asked.small else None) for name in COLLECTIONS
    ]
    result.generated |= {texts.name for texts in read if texts.generated}
    documents = {texts.name: distinct_documents(texts.texts()) for texts in read}
    for place, name in enumerate(COLLECTIONS):
        other = COLLECTIONS[place - 1]
        growth(result, name, documents[name], (other, build(documents[other].texts)))
    for name in COLLECTIONS:
        compared(result, name, documents[name])
    publish(result)


if __name__ == "__main__":
    main()
