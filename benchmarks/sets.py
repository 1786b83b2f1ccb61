"""Sets by inverted lists: exact search and exact pairs, beside a look at every row and beside datasketch's LSH.

Rows are those of real texts: mod and bsw signatures, word shingles, terms; at full scale also of several collections
together, about 100,000 documents. Queries are rows of the same collection, drawn by chance with a fixed seed. All
answers that `linear` is asked for as well must be the same; LSH has its recall, and how much of its answers is right,
beside its speed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from common import Arguments, arguments, collection, use_cores
from peers import PERMUTATIONS, installed
from results import Result, Table, Target, publish

from truecopy.index.index import Index
from truecopy.index.limits import Share
from truecopy.index.linear import Linear
from truecopy.index.postings import Postings
from truecopy.index.rows import Rows, rows_of
from truecopy.index.shingles import shingle_rows
from truecopy.sign import bsw, mod, terms
from truecopy.text.batches import number_texts
from truecopy.text.vocabulary import Vocabulary

TOGETHER = "together"
MANY = ("agreements", "policies", "policies-long", "site-policy", "bills", "mail-list", "mail-scanned", "notices")
SHARES = (Share(80, "either"), Share(80, "query"), Share(80, "row"), Share(80, "smaller"))
TERMS = (Share(80, "longer"), Share(80, "longer", length=20), Share(90, "longer"))
PEER_ROWS = 1_500
"""datasketch signs some hundred sets a second: of larger collections it gets the first rows."""
PROMISED_SEARCH = 1.0


@dataclass(frozen=True, slots=True)
class Scale:
    """How much of what."""

    rows: tuple[tuple[str, str], ...]
    first: int | None
    queries: int
    linear_queries: int


SMALL = Scale((("policies", "mod"), ("policies", "shingles"), ("licenses", "terms")), 200, 60, 10)
FULL = Scale(
    (
        *((name, method) for name in ("agreements", "policies", "mail-list") for method in ("mod", "bsw")),
        ("policies", "shingles"),
        ("bills", "terms"),
        (TOGETHER, "mod"),
        (TOGETHER, "bsw"),
    ),
    None,
    500,
    20,
)


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    threads = use_cores()
    scale = SMALL if asked.small else FULL
    result = Result("sets", asked)
    built, searched, paired, peers = [], [], [], []
    worst = 0.0
    for name, method in scale.rows:
        rows = _rows(result, asked, scale, name, method, threads)
        label = f"{name}, {method}"
        index, oracle = Postings(rows.spec), Linear(rows.spec)
        start = time.perf_counter()
        index.add(rows)
        seconds = time.perf_counter() - start
        oracle.add(rows)
        figures = result.figures.setdefault(label, {"rows": len(rows), "entries": len(rows.values)})
        built.append(_built(label, index, rows, seconds, figures))
        for limit in TERMS if method == "terms" else SHARES:
            line, median = _searched(label, index, oracle, rows, limit, scale, figures)
            searched.append(line)
            worst = max(worst, 0.0 if method == "shingles" else median)  # thousands of entries, not about a hundred
        for limit in (TERMS[0],) if method == "terms" else (SHARES[0], SHARES[3]):
            paired.append(_paired(label, index, limit, threads, figures))
        if method in ("mod", "shingles") and installed("datasketch"):
            peers.append(_against_lsh(label, rows, scale, figures))
    result.tables = [
        Table("Building", ("rows", "documents", "entries", "seconds", "bytes an entry", "longest list"), built),
        Table(
            "Search: one query, one thread, in milliseconds",
            ("rows", "share", "median", "p99", "rows looked at", "hits", "linear", "ratio"),
            searched,
            "Ratio: linear's median over the index's; its answers to the same queries were equal.",
        ),
        Table("All pairs", ("rows", "share", "seconds", "pairs", "rows looked at, for each pair"), paired),
        Table(
            "Resemblance of 80: datasketch's MinHashLSH (128 permutations) on the same sets",
            ("rows", "documents", "its median, ms", "ours", "its recall", "its precision", "ours"),
            peers,
            "Its signatures are made before its clock starts; ours needs none.",
        ),
    ]
    result.targets.append(
        Target.at_most("median milliseconds of the slowest search of signatures", PROMISED_SEARCH, worst)
    )
    publish(result)


def _rows(result: Result, asked: Arguments, scale: Scale, name: str, method: str, threads: int) -> Rows:
    """The rows of a collection, or of several together."""
    texts: list[bytes] = []
    for each in MANY if name == TOGETHER else (name,):
        some = collection(each, asked.data, scale.first)
        if some.generated:
            result.generated.add(each)
        texts += some.texts()
    if method == "shingles":
        numbered = number_texts(texts, with_breaks=False, with_digests=False)
        vocabulary = Vocabulary()
        words = vocabulary.absorb(numbered.vocabulary)[numbered.words]
        return shingle_rows(words, numbered.offsets, vocabulary.hashes, threads)
    family: Any = {"mod": mod, "bsw": bsw, "terms": terms}[method]
    decoded = [text.decode(errors="replace") for text in texts]
    return rows_of(family.sign(decoded, family.spec(), threads=threads))


def _built(label: str, index: Index, rows: Rows, seconds: float, figures: dict[str, Any]) -> tuple[str, ...]:
    entries = max(len(rows.values), 1)
    figures["build_seconds"] = round(seconds, 3)
    figures["bytes_an_entry"] = round(index.memory().index / entries, 2)
    figures["longest_list"] = int(np.diff(index.blocks[0].arrays["starts"]).max(initial=0))
    return (
        label,
        f"{len(rows):,}",
        f"{len(rows.values):,}",
        f"{seconds:.2f}",
        f"{figures['bytes_an_entry']:.1f}",
        f"{figures['longest_list']:,}",
    )


def _queries(rows: Rows, many: int) -> list[Rows]:
    """Rows drawn by chance, of those that have an entry."""
    filled = np.flatnonzero(rows.sizes > 0)
    drawn = np.random.default_rng(4).permutation(filled)[:many]
    return [rows.slice(place, place + 1) for place in drawn.tolist()]


def _timed(ask: Callable[[Any], Any], queries: Sequence[Any]) -> tuple[list[Any], Any]:
    """Answers, and milliseconds of each; the first query is asked once before."""
    ask(queries[0])
    answers, taken = [], []
    for query in queries:
        start = time.perf_counter()
        answers.append(ask(query))
        taken.append(1000 * (time.perf_counter() - start))
    return answers, np.array(taken)


def _searched(
    label: str, index: Index, oracle: Index, rows: Rows, limit: Share, scale: Scale, figures: dict[str, Any]
) -> tuple[tuple[str, ...], float]:
    queries = _queries(rows, scale.queries)
    answers, taken = _timed(lambda query: index.search(query, limit), queries)
    truths, slow = _timed(lambda query: oracle.search(query, limit), queries[: scale.linear_queries])
    for answer, truth in zip(answers, truths, strict=False):
        assert np.array_equal(answer.numbers, truth.numbers)
        assert np.array_equal(answer.value, truth.value)
    median, linear = float(np.median(taken)), float(np.median(slow))
    examined = float(np.mean([answer.examined for answer in answers]))
    hits = float(np.mean([len(answer) for answer in answers]))
    name = _named(limit)
    figures[f"search {name}"] = {
        "median_ms": round(median, 4),
        "p99_ms": round(float(np.percentile(taken, 99)), 4),
        "examined": round(examined, 1),
        "hits": round(hits, 1),
        "ratio": round(linear / median, 1),
    }
    shown = f"{median:.3f}", f"{np.percentile(taken, 99):.3f}", f"{examined:,.1f}", f"{hits:,.1f}", f"{linear:.2f}"
    return (label, name, *shown, f"{linear / median:,.0f}"), median


def _paired(label: str, index: Index, limit: Share, threads: int, figures: dict[str, Any]) -> tuple[str, ...]:
    start = time.perf_counter()
    found = index.pairs(limit, threads=threads)
    seconds = time.perf_counter() - start
    looked = found.examined / max(len(found), 1)
    figures[f"pairs {_named(limit)}"] = {
        "seconds": round(seconds, 3),
        "pairs": len(found),
        "examined": found.examined,
    }
    return label, _named(limit), f"{seconds:.2f}", f"{len(found):,}", f"{looked:.2f}"


def _named(limit: Share) -> str:
    return f"{limit.percent:g} of {limit.of}" + ("" if limit.length is None else f", lengths within {limit.length:g} %")


def _against_lsh(label: str, rows: Rows, scale: Scale, figures: dict[str, Any]) -> tuple[str, ...]:
    """Both over the same sets, asked with the same ones; ours is exact, so it tells the other's recall."""
    from datasketch import MinHash, MinHashLSH

    some = rows.slice(0, min(len(rows), PEER_ROWS))
    sets = [some.slice(i, i + 1).values for i in range(len(some))]
    signatures = [_minhash(MinHash, entries) for entries in sets]
    lsh = MinHashLSH(threshold=0.8, num_perm=PERMUTATIONS)
    for place, signature in enumerate(signatures):
        if len(sets[place]):
            lsh.insert(place, signature)
    index = Postings(rows.spec)
    index.add(some)
    filled = [place for place in range(len(some)) if len(sets[place])][: scale.queries]
    theirs, their_time = _timed(lambda place: set(lsh.query(signatures[place])), filled)
    ours, our_time = _timed(lambda place: index.search(some.slice(place, place + 1), SHARES[0]), filled)
    true = [set(answer.numbers.tolist()) for answer in ours]
    right = sum(len(a & b) for a, b in zip(true, theirs, strict=True))
    recall = right / max(sum(map(len, true)), 1)
    precision = right / max(sum(map(len, theirs)), 1)
    figures["datasketch"] = {
        "median_ms": round(float(np.median(their_time)), 4),
        "our_median_ms": round(float(np.median(our_time)), 4),
        "recall": round(recall, 4),
        "precision": round(precision, 4),
    }
    times = f"{np.median(their_time):.3f}", f"{np.median(our_time):.3f}"
    return label, f"{len(some):,}", *times, f"{recall:.3f}", f"{precision:.3f}", "1 and 1"


def _minhash(made_by: Any, entries: Any) -> Any:
    """The minhash of a set of 64-bit entries."""
    made = made_by(num_perm=PERMUTATIONS, hashfunc=lambda data: int.from_bytes(data, "little") & 0xFFFFFFFF)
    made.update_batch([entry.to_bytes(8, "little") for entry in entries.tolist()])
    return made


if __name__ == "__main__":
    main()
