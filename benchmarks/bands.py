"""Bands of sketches: recall measured against the recall asked for, on every collection, and what it costs.

    python benchmarks/bands.py --scale full

Three truths, each with nothing sampled:

similarity    of words, 80 and 90 %: brute force where that takes minutes, else the exact join with every candidate
              compared by rapidfuzz
resemblance   of 3-word shingles, 50 and 80 %, by counting in how many shingles any two texts meet
slots         equal slots of the sketches themselves, 50 and 80 %: what the index promises; every two are compared, or
              (large collections) bands at recall 1, which no pair escapes

Texts with equal words count once, as in a scan. Beside bands, from words to pairs, in the same run: the exact join;
and datasketch's MinHashLSH, from its signatures to pairs.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import peers
from candidates import read_words
from common import CORES, Collection, arguments, collection, use_cores
from results import Result, Table, Target, publish
from statistics_growth import resemblances
from truth import Codes, as_codes, recall, similar_pairs, strings_of

from truecopy.index.bands import Bands, band_candidates
from truecopy.index.choose import ExactJoin
from truecopy.index.cuts import LOST, Cut, _reaching, aim, curve, derive_bands, recall_at
from truecopy.index.limits import Share
from truecopy.model import SHORTEST_PAIRED
from truecopy.sign.signatures import Signatures
from truecopy.sign.words import SLOTS, sign_streams
from truecopy.text.streams import Bags, Streams, make_bags

Array = npt.NDArray[Any]

RECALLS = (0.9, 0.99, 0.999)
SIMILARITIES = (80, 90)
SHARES = (50, 80)
SMALL = {"policies": 300, "licenses": 400}
FULL = (
    "licenses",
    "site-policy",
    "policies-languages",
    "copyright-files",
    "policies",
    "policies-long",
    "agreements",
    "bills",
    "notices",
)
FEW = 1_300
"""Texts up to which every two are compared by all measures."""
BRUTE_FORCE = 3_000_000
"""Words of all texts up to which every two are compared word by word."""
CURVE = 11


@dataclass(frozen=True, slots=True)
class Texts:
    """Distinct texts of a collection, long enough to be paired."""

    streams: Streams
    bags: Bags
    encoded: list[bytes]

    @property
    def everything(self) -> Array:
        return np.ones(len(self.streams), np.bool_)

    @property
    def brute_force(self) -> bool:
        return bool(self.encoded) and len(self.streams.words) <= BRUTE_FORCE


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores()
    result = Result("bands", asked)
    missing = [] if peers.installed("datasketch") else ["datasketch"]
    cuts = {f"{t}": {f"{r:g}": str(derive_bands(t, r)) for r in RECALLS} for t in SIMILARITIES}
    result.figures = {
        "cuts": cuts,
        "collections": {},
        "missing": missing,
    }
    for name in SMALL if asked.small else FULL:
        found = collection(name, asked.data, SMALL[name] if asked.small else None)
        if found.generated:
            result.generated.add(name)
        _measure(result, found)
    _tables(result)
    publish(result)


def _measure(result: Result, found: Collection) -> None:
    texts = _read(found)
    _once(texts)
    start = time.perf_counter()
    signatures = sign_streams(texts.streams, CORES)
    signing = time.perf_counter() - start
    few = len(texts.streams) <= FEW
    figures: dict[str, Any] = {"texts": len(texts.streams), "signing_seconds": round(signing, 4)}
    similar = {f"{t}": _similarity(texts, signatures, t) for t in SIMILARITIES}
    figures["similarity"] = {threshold: found for threshold, (found, _) in similar.items()}
    figures["slots"] = {f"{t}": _slots(signatures, t) for t in SHARES}
    figures["resemblance"] = _resemblance(texts, signatures) if few else {}
    figures["datasketch"] = None
    if few and not result.figures["missing"]:
        figures["datasketch"] = _datasketch(texts, {threshold: true for threshold, (_, true) in similar.items()})
    result.figures["collections"][found.name] = figures


def _read(found: Collection) -> Texts:
    """Words of each text that is no copy of an earlier one and not too short."""
    words = read_words(found.given, CORES)
    firsts: dict[bytes, int] = {}
    for text in np.flatnonzero(words.streams.lengths >= SHORTEST_PAIRED).tolist():
        firsts.setdefault(words.streams[text].tobytes(), text)
    kept = list(firsts.values())
    offsets = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(words.streams.lengths[kept], out=offsets[1:])
    streams = Streams(np.concatenate([words.streams[text] for text in kept]), offsets, words.streams.hashes)
    encoded = [Path(words.paths[text]).read_bytes() for text in kept] if len(kept) <= FEW else []
    return Texts(streams, make_bags(streams.words, offsets, len(streams.hashes), CORES), encoded)


def _once(texts: Texts) -> None:
    """Compile what is not compiled yet."""
    few = Streams(texts.streams.words[: texts.streams.offsets[2]], texts.streams.offsets[:3], texts.streams.hashes)
    band_candidates(sign_streams(few, 1), derive_bands(80, 0.9), np.ones(2, np.bool_), np.ones(2, np.bool_))
    _joined(texts, 100)


def _joined(texts: Texts, threshold: float) -> Codes:
    join = ExactJoin(texts.bags, threshold)
    return np.sort(as_codes(*join.pairs(texts.everything, CORES), len(texts.streams)))


# --- similarity of words -----------------------------------------------------------------------------------


def _similarity(texts: Texts, signatures: Signatures, threshold: int) -> tuple[dict[str, Any], Codes]:
    start = time.perf_counter()
    joined = _joined(texts, threshold)
    join_seconds = time.perf_counter() - start
    true = similar_pairs(texts.encoded, threshold) if texts.brute_force else _verified(texts, joined, threshold)
    asked = {}
    for wanted in RECALLS:
        cut = derive_bands(threshold, wanted)
        start = time.perf_counter()
        pairs = band_candidates(
            signatures, cut, texts.everything, texts.everything,
            lengths=texts.streams.lengths, threshold=threshold, threads=CORES,
        )  # fmt: skip
        seconds = time.perf_counter() - start
        asked[f"{wanted:g}"] = _row(cut, as_codes(*pairs, len(texts.streams)), true, seconds)
    join = {"seconds": round(join_seconds, 4), "candidates": len(joined), "recall": recall(joined, true)}
    return {"true_pairs": len(true), "brute_force": texts.brute_force, "join": join, "bands": asked}, true


def _verified(texts: Texts, joined: Codes, threshold: int) -> Codes:
    """Of the pairs of the exact join, those that rapidfuzz finds similar."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    streams, count = texts.streams, len(texts.streams)
    strings = strings_of(streams.hashes[streams.words], streams.offsets)
    a, b = joined // count, joined % count
    limits = np.maximum(streams.lengths[a], streams.lengths[b]) * (100 - threshold) // 100
    kept = []
    for first in range(0, len(joined), 1 << 16):
        some = slice(first, first + (1 << 16))
        x, y = [strings[i] for i in a[some]], [strings[i] for i in b[some]]
        cutoff = int(limits[some].max())
        distances = process.cpdist(
            x, y, scorer=Levenshtein.distance, score_cutoff=cutoff, dtype=np.int32, workers=CORES
        )
        kept.append(joined[some][distances <= limits[some]])
    return np.concatenate([np.empty(0, np.int64), *kept])


def _row(cut: Cut, found: Codes, true: Codes, seconds: float) -> dict[str, Any]:
    return {
        "cut": str(cut),
        "stated": cut.recall,
        "recall": recall(found, true),
        "candidates": len(found),
        "seconds": round(seconds, 4),
    }


# --- resemblance, and the sketches themselves --------------------------------------------------------------


def bands_at(resemblance: float, wanted: float) -> Cut:
    """Bands and rows that reach a recall for texts of a resemblance (0 to 1)."""
    found = _reaching(resemblance, aim(wanted), SLOTS)
    assert found is not None
    bands = SLOTS // found.rows
    return replace(found, bands=bands, recall=recall_at(resemblance, bands, found.rows, found.spare) - LOST)


def _resemblance(texts: Texts, signatures: Signatures) -> dict[str, Any]:
    streams = texts.streams
    sets = [_shingles(streams[text], len(streams.hashes)) for text in range(len(streams))]
    exact = resemblances(sets)
    a, b = np.triu_indices(len(sets), 1)
    out = {}
    for share in SHARES:
        near = exact[a, b] >= share / 100
        true = as_codes(a[near], b[near], len(sets))
        asked = {}
        for wanted in RECALLS:
            cut = bands_at(share / 100, wanted)
            start = time.perf_counter()
            pairs = band_candidates(signatures, cut, texts.everything, texts.everything, threads=CORES)
            asked[f"{wanted:g}"] = _row(cut, as_codes(*pairs, len(sets)), true, time.perf_counter() - start)
        out[f"{share}"] = {"true_pairs": len(true), "bands": asked}
    return out


def _shingles(words: Array, vocabulary: int) -> Array:
    numbers = words.astype(np.int64)
    assert vocabulary < 1 << 21
    return np.unique((numbers[:-2] << 42) | (numbers[1:-1] << 21) | numbers[2:])


def _slots(signatures: Signatures, share: int) -> dict[str, Any]:
    limit = Share(share, "slots")
    exact = Bands(signatures.spec, recall=1)
    exact.add(signatures)
    true = _equal_slots(signatures, limit) if len(signatures) <= FEW else _codes(exact, limit)[0]
    asked = {}
    for wanted in RECALLS:
        index = Bands(signatures.spec, recall=wanted)
        index.append(exact.blocks[0])
        found, seconds = _codes(index, limit)
        cut = index.cut(limit)
        asked[f"{wanted:g}"] = _row(cut, found, true, seconds) | {"stated": index.recall(limit)}
    return {"true_pairs": len(true), "bands": asked}


def _equal_slots(signatures: Signatures, limit: Share) -> Codes:
    """Every two sketches compared."""
    values, count = signatures.values, len(signatures)
    found = [np.empty(0, np.int64)]
    for row in range(count - 1):
        equal = (values[row + 1 :] == values[row]).sum(axis=1)
        near = np.flatnonzero(limit.reached(equal, np.full(len(equal), values.shape[1])))
        found.append(as_codes(np.full(len(near), row), row + 1 + near, count))
    return np.concatenate(found)


def _codes(index: Bands, limit: Share) -> tuple[Codes, float]:
    start = time.perf_counter()
    found = index.pairs(limit, threads=CORES)
    return as_codes(found.a, found.b, len(index)), time.perf_counter() - start


def _datasketch(texts: Texts, true: dict[str, Codes]) -> dict[str, Any]:
    """Its signatures are made before the clock starts."""
    from datasketch import MinHashLSH

    signatures = peers.datasketch_signatures([text.decode(errors="replace") for text in texts.encoded])
    start = time.perf_counter()
    index = MinHashLSH(threshold=0.8, num_perm=peers.PERMUTATIONS)
    for number, signature in enumerate(signatures):
        index.insert(number, signature)
    found = [index.query(signature) for signature in signatures]
    seconds = time.perf_counter() - start
    codes = peers.neighbor_codes(found)
    recalls = {threshold: recall(codes, pairs) for threshold, pairs in true.items()}
    return {"seconds": round(seconds, 4), "candidates": len(codes), "recall": recalls}


# --- tables ------------------------------------------------------------------------------------------------


def _tables(result: Result) -> None:
    collections = result.figures["collections"]
    for truth, levels in (("similarity", SIMILARITIES), ("resemblance", SHARES), ("slots", SHARES)):
        for level in levels:
            rows = []
            for name, figures in collections.items():
                if f"{level}" in figures[truth]:
                    rows.append(_line(name, figures, truth, f"{level}"))
            columns = ("collection", "texts", "true pairs", *(f"recall asked {r:g}" for r in RECALLS))
            more: tuple[str, ...] = ("candidates a true pair", "seconds")
            if truth == "similarity":
                more += ("exact join", "datasketch: recall, seconds")
            title = f"Measured recall of bands: {truth} of {level} % and more"
            result.tables.append(Table(title, (*columns, *more), rows, "Candidates and seconds are those at 0.999."))
    for wanted in RECALLS:
        measured = [
            figures[truth][level]["bands"][f"{wanted:g}"]["recall"]
            for figures in collections.values()
            for truth in ("similarity", "resemblance", "slots")
            for level in figures[truth]
        ]
        result.targets.append(Target.at_least(f"least recall where {wanted:g} was asked for", wanted, min(measured)))
    _curves(result)


def _line(name: str, figures: dict[str, Any], truth: str, level: str) -> tuple[str, ...]:
    found = figures[truth][level]
    last = found["bands"][f"{RECALLS[-1]:g}"]
    line = [name, f"{figures['texts']:,}", f"{found['true_pairs']:,}"]
    line += [f"{found['bands'][f'{r:g}']['recall']:.5f}" for r in RECALLS]
    line += [f"{last['candidates'] / max(found['true_pairs'], 1):.2f}", f"{last['seconds']:.3f}"]
    if truth == "similarity":
        other = figures["datasketch"]
        line.append(f"{found['join']['seconds']:.3f}")
        line.append(f"{other['recall'][level]:.4f}, {other['seconds']:.3f}" if other else "")
    return tuple(line)


def _curves(result: Result) -> None:
    """The chance by resemblance, as reports show it."""
    made = {r: curve(derive.bands, derive.rows, CURVE) for r in RECALLS for derive in [derive_bands(80, r)]}
    result.figures["curves"] = {f"{r:g}": chances.tolist() for r, chances in made.items()}
    points = made[RECALLS[0]][:, 0]
    rows = [(f"{p:g} %", *(f"{made[r][i, 1]:.5f}" for r in RECALLS)) for i, p in enumerate(points.tolist())]
    title = "The chance that two texts meet, by resemblance; bands for a similarity of 80 %"
    result.tables.append(Table(title, ("resemblance", *(f"recall {r:g}" for r in RECALLS)), rows))


if __name__ == "__main__":
    main()
