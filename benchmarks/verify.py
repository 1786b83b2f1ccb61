"""Verification alone: the exact distances of all candidate pairs, beside rapidfuzz on a sample, in one run.

    python benchmarks/verify.py --scale full

The candidates are those of a scan at the default floor: every pair whose words, in any order, could reach it. Equal
texts are collapsed as a scan does. Pairs per second are taken on one core for everyone; a sample of candidates,
drawn evenly, goes to rapidfuzz with the same cutoff, as strings with a code point for each distinct word. Exactness:
the share of the sample on which both agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from candidates import read_words
from common import Arguments, Collection, Contender, arguments, collection, race, use_cores
from results import Result, Table, Target, megabytes, publish

Array = npt.NDArray[Any]

FLOOR = 70
TOGETHER = ("bills", "mail-scanned", "mail-list", "agreements", "policies")
"""One collection of everything that firms have, as far as texts are at hand."""
APART = ("licenses", "notices", "policies-long", "contracts")
SMALL = {"policies": 300, "licenses": 400}
SAMPLE = 3000
PROMISED = 1
"""Times as fast as rapidfuzz, at least."""
_SURROGATES = 0xD800, 0x800


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    result = Result("verify", asked)
    result.figures = {"floor": FLOOR, "collections": {}}
    if asked.small:
        for name, part in SMALL.items():
            _measure(result, name, [_texts(result, name, asked, part)])
    else:
        _measure(result, "five collections together", [_texts(result, name, asked) for name in TOGETHER])
        for name in APART:
            _measure(result, name, [_texts(result, name, asked)])
    _table(result)
    publish(result)


def _texts(result: Result, name: str, asked: Arguments, first: int | None = None) -> Collection:
    texts = collection(name, asked.data, first)
    if texts.generated:
        result.generated.add(name)
    return texts


def _measure(result: Result, name: str, parts: list[Collection]) -> None:
    """Verify every candidate of some collections taken together, and a sample by rapidfuzz."""
    from truecopy.index.choose import ExactJoin
    from truecopy.match.verify import edit_distances
    from truecopy.text.streams import make_bags
    from truecopy.threshold import limits

    given = [path for part in parts for path in part.given]
    words, offsets, vocabulary = _distinct(given)
    lengths = np.diff(offsets)
    join = ExactJoin(make_bags(words, offsets, vocabulary, 1), FLOOR)
    a, b = join.pairs(np.ones(len(lengths), np.bool_), 1)
    longer = np.maximum(lengths[a], lengths[b])
    allowed = limits(longer, FLOOR)
    sample = np.unique(np.linspace(0, len(a) - 1, min(SAMPLE, len(a))).astype(np.int64)) if len(a) else np.arange(0)
    pairs = a[sample], b[sample], allowed[sample]
    strings = _strings(words, offsets, np.unique(np.concatenate(pairs[:2])))
    edit_distances(words, offsets, a[:1], b[:1], allowed[:1], 1)  # compiles the kernel
    rounds = 1 if result.arguments.small else 3
    timings = race(
        [
            Contender("all", partial(edit_distances, words, offsets, a, b, allowed, 1), rounds),
            Contender("sample", partial(edit_distances, words, offsets, *pairs, 1), rounds),
            Contender("rapidfuzz", partial(_rapidfuzz, strings, *pairs), rounds),
        ]
    )
    found: Array = timings["all"].given
    agreed = (timings["sample"].given == timings["rapidfuzz"].given) & (found[sample] == timings["sample"].given)
    seconds = {which: round(timing.best, 4) for which, timing in timings.items()}
    exactness = float(agreed.mean()) if len(sample) else 1.0
    result.figures["collections"][name] = {
        "documents": sum(len(part.files) for part in parts),
        "bytes": sum(part.size for part in parts),
        "texts": len(lengths),
        "candidates": len(a),
        "reach_the_floor": int((found <= allowed).sum()),
        "sample": len(sample),
        "seconds": seconds,
        "ratio": round(timings["rapidfuzz"].best / timings["sample"].best, 2),
        "exactness": exactness,
    }
    result.targets.append(Target.at_least(f"{name}: exactness on the sample", 1, exactness))
    if not result.arguments.small:
        ratio = result.figures["collections"][name]["ratio"]
        result.targets.append(Target.at_least(f"{name}: times as fast as rapidfuzz", PROMISED, ratio))


def _distinct(given: list[Path]) -> tuple[Array, Array, int]:
    """The streams of the unlike texts below some paths."""
    read = read_words(given, 2)
    streams = read.streams
    first: dict[bytes, int] = {}
    for text in range(len(streams)):
        first.setdefault(streams[text].tobytes(), text)
    kept = list(first.values())
    offsets = np.zeros(len(kept) + 1, np.int64)
    np.cumsum([len(streams[text]) for text in kept], out=offsets[1:])
    return np.concatenate([streams[text] for text in kept]), offsets, len(streams.hashes)


def _strings(words: Array, offsets: Array, texts: Array) -> dict[int, str]:
    """Some texts as strings, a code point for each word; there are fewer than a million distinct ones in a sample."""
    numbers = (
        np.unique(np.concatenate([words[offsets[t] : offsets[t + 1]] for t in texts])) if len(texts) else words[:0]
    )
    first, gap = _SURROGATES
    if len(numbers) + gap > 0x10FFFF:
        raise SystemExit(f"{len(numbers):,} distinct words do not fit into the code points of Unicode.")
    made = {}
    for text in texts:
        points = np.searchsorted(numbers, words[offsets[text] : offsets[text + 1]]).astype(np.uint32)
        points[points >= first] += gap
        made[int(text)] = points.tobytes().decode("utf-32-le")
    return made


def _rapidfuzz(strings: dict[int, str], a: Array, b: Array, allowed: Array) -> Array:
    """The same by rapidfuzz: it too gives the cutoff and one where the distance is over it."""
    from rapidfuzz.distance import Levenshtein

    return np.array(
        [
            Levenshtein.distance(strings[x], strings[y], score_cutoff=limit)
            for x, y, limit in zip(a.tolist(), b.tolist(), allowed.tolist(), strict=True)
        ],
        np.int64,
    )


def _table(result: Result) -> None:
    rows = []
    for name, measured in result.figures["collections"].items():
        seconds = measured["seconds"]
        rows.append(
            (
                name,
                f"{measured['documents']:,}",
                megabytes(measured["bytes"]),
                f"{measured['candidates']:,}",
                f"{measured['reach_the_floor']:,}",
                f"{seconds['all']:.2f}",
                f"{measured['sample']:,}",
                f"{1000 * seconds['sample']:.1f}",
                f"{1000 * seconds['rapidfuzz']:.1f}",
                f"{measured['ratio']:.1f} x",
                f"{measured['exactness']:.4f}",
            )
        )
    columns = (
        "collection", "documents", "MB", "candidates", "reach the floor", "all, s", "sample", "sample, ms",
        "rapidfuzz, ms", "faster by", "exactness",
    )  # fmt: skip
    title = f"Exact distances of every candidate at {FLOOR} %, on one core"
    result.tables.append(Table(title, columns, rows, "Exactness: the share of the sample on which rapidfuzz agrees."))


if __name__ == "__main__":
    main()
