"""Containment: which documents contain an excerpt, and where, beside signatures and datasketch's LSH Ensemble.

    python benchmarks/containment.py --scale full

Excerpts are cut from real documents, at any word: 5 to 80 % of the source, of which 0, 2 and 5 % of the words were
changed (a third of them replaced, a third left out, a third put in; new words are taken from other documents).
Every excerpt has at least 50 distinct shingles, as the relation `contains` asks for.

*True* is every document that holds at least 80 % of an excerpt's distinct shingles, counted for every excerpt in every
document from word numbers, without an index and without hashes. Times are from the excerpt's text to the answer, on
one core; for the ensemble the words and shingles are made in Python, and the rest by its own functions.

A *part* is right when both its ends are within 5 % of its length (in words) of where the excerpt was cut. Passages
occur more than once: a part elsewhere is right too, and counted apart, when it is about as long and its words are no
farther from the excerpt's, in edit distance by rapidfuzz, than those that it was cut from.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import peers
from common import Collection, arguments, collection, use_cores
from results import Result, Table, Target, publish

from truecopy.index.limits import Share
from truecopy.index.postings import Postings
from truecopy.index.rows import SHINGLES, rows_of
from truecopy.index.shingles import shingle_rows
from truecopy.match.part import part
from truecopy.read import ReadSettings, discover, read
from truecopy.sign import bsw, mod
from truecopy.text import tokenize
from truecopy.text.tokens import Tokens

Array = npt.NDArray[Any]

COLLECTIONS = ("agreements", "policies-long", "contracts", "mail-list")
SMALL_DOCUMENTS = {"agreements": 30, "policies-long": 40, "contracts": 60, "mail-list": 300}
SHARES = ((5, 10), (10, 20), (20, 40), (40, 80))
RATES = (0, 2, 5)
EXCERPTS, SMALL_EXCERPTS = 32, 4
"""Of each share and rate."""
SHORTEST = 50
"""Distinct shingles of an excerpt, at least."""
THRESHOLD = 80
WITHIN = 0.05
PERMUTATIONS = 256
SEED = 5
PROMISED_RECALL = 0.99
PROMISED_PARTS = 0.99


# --- documents and excerpts ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Documents:
    """The documents of a collection, and their words as numbers."""

    texts: list[bytes]
    tokens: Tokens
    distinct: Array
    """The hashes of all words, sorted: a word's number is its place here."""
    numbers: Array

    @classmethod
    def of(cls, texts: list[bytes]) -> Documents:
        tokens = tokenize(texts)
        distinct, numbers = np.unique(tokens.hashes, return_inverse=True)
        if len(distinct) + 1 >= 1 << 21:
            raise SystemExit(f"Three of {len(distinct):,} distinct words do not fit into 63 bits.")
        return cls(texts, tokens, distinct, numbers.astype(np.int64))

    def __len__(self) -> int:
        return len(self.texts)

    def words(self, text: int) -> Array:
        return self.numbers[self.tokens.offsets[text] : self.tokens.offsets[text + 1]]

    def hashes(self, text: int) -> Array:
        return self.tokens.hashes[self.tokens.offsets[text] : self.tokens.offsets[text + 1]]

    def word_spans(self, text: int) -> tuple[Array, Array]:
        places = slice(self.tokens.offsets[text], self.tokens.offsets[text + 1])
        return self.tokens.starts[places].astype(np.int64), self.tokens.ends[places].astype(np.int64)

    def number(self, hashes: Array) -> Array:
        """Numbers of words; one that no document has gets a number of its own."""
        at = np.minimum(np.searchsorted(self.distinct, hashes), len(self.distinct) - 1)
        return np.where(self.distinct[at] == hashes, at, len(self.distinct)).astype(np.int64)

    def shingles(self, numbers: Array) -> Array:
        """The distinct shingles of a text, each as one exact number."""
        base = len(self.distinct) + 1
        return np.unique((numbers[:-2] * base + numbers[1:-1]) * base + numbers[2:])


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A part of a document, with some words changed."""

    source: int
    first: int
    last: int
    """From which word of the source, and to behind which."""
    share: int
    rate: int
    text: bytes
    hashes: Array
    shingles: Array


def read_documents(collected: Collection, first: int | None) -> list[bytes]:
    """The texts of files in order; of mail, one file for each message, and no PDF, whose text stands beside it."""
    files = [file for file in collected.files if file.suffix.lower() not in (".pdf", ".mbox")][:first]
    settings = ReadSettings(threads=1, every_digest=False)
    found = {
        (reading.root, reading.path): reading.text
        for batch in read(discover(files, settings), settings)
        for reading in batch
        if reading.text and not reading.parent
    }
    return [found[place] for place in sorted(found)]


def cut(
    documents: Documents, source: int, share: float, rate: int, dice: np.random.Generator
) -> tuple[int, int, bytes]:
    """A part of a document by words, `rate` % of them changed: from, to, and its text."""
    starts, ends = documents.word_spans(source)
    length = max(1, round(len(starts) * share / 100))
    first = int(dice.integers(0, len(starts) - length + 1))
    text = documents.texts[source]
    pieces, place = [], int(starts[first])
    for word in range(first, first + length):
        begin, end = int(starts[word]), int(ends[word])
        if begin < place and word > first:
            continue  # one character that holds several words
        what = dice.integers(3) if dice.random() * 100 < rate else -1
        pieces.append(text[place:begin])
        if what > 0:
            pieces.append(_other_word(documents, source, dice) + (b" " if what > 1 else b""))
        if what != 0 and what != 1:
            pieces.append(text[begin:end])
        place = end
    return first, first + length, b"".join(pieces)


def _other_word(documents: Documents, source: int, dice: np.random.Generator) -> bytes:
    """Any word of another document, as it is written there."""
    while True:
        other = int(dice.integers(len(documents)))
        starts, ends = documents.word_spans(other)
        if other != source and len(starts):
            word = int(dice.integers(len(starts)))
            return documents.texts[other][starts[word] : ends[word]]


def cut_excerpts(documents: Documents, each: int) -> list[Excerpt]:
    """So many excerpts of each share and rate, from documents that are long enough for it."""
    dice = np.random.default_rng(SEED)
    lengths = np.diff(documents.tokens.offsets)
    made = []
    for place, (low, high) in enumerate(SHARES):
        fitting = np.flatnonzero(lengths * low >= 100 * (SHORTEST + 2))
        for rate in RATES:
            kept = 0
            for _ in range(20 * each if len(fitting) else 0):
                source = int(dice.choice(fitting))
                first, last, text = cut(documents, source, dice.uniform(low, high), rate, dice)
                hashes = tokenize([text]).hashes
                shingles = documents.shingles(documents.number(hashes))
                if len(shingles) >= SHORTEST:
                    made.append(Excerpt(source, first, last, place, rate, text, hashes, shingles))
                    kept += 1
                if kept == each:
                    break
    return made


def true_documents(documents: Documents, excerpts: Sequence[Excerpt]) -> list[Array]:
    """For each excerpt, the documents that contain it: all are counted."""
    sets = [documents.shingles(documents.words(text)) for text in range(len(documents))]
    offsets = np.concatenate([[0], np.cumsum([len(some) for some in sets])])
    distinct, numbers = np.unique(np.concatenate(sets), return_inverse=True)
    marks = np.zeros(len(distinct), np.int64)
    found = []
    for excerpt in excerpts:
        at = np.minimum(np.searchsorted(distinct, excerpt.shingles), len(distinct) - 1)
        at = at[distinct[at] == excerpt.shingles]
        marks[at] = 1
        ends = np.concatenate([[0], np.cumsum(marks[numbers])])
        marks[at] = 0
        shared = ends[offsets[1:]] - ends[offsets[:-1]]
        found.append(np.flatnonzero(100 * shared >= THRESHOLD * len(excerpt.shingles)))
    return found


# --- the contenders --------------------------------------------------------------------------------------

Search = Callable[[Excerpt], Sequence[int]]


def by_shingles(documents: Documents) -> Search:
    """All shingles: exact."""
    index = Postings(SHINGLES)
    index.add(shingle_rows(documents.numbers.astype(np.uint32), documents.tokens.offsets, documents.distinct))
    limit = Share(THRESHOLD, "query")

    def search(excerpt: Excerpt) -> Sequence[int]:
        tokens = tokenize([excerpt.text])
        rows = shingle_rows(np.arange(len(tokens.hashes), dtype=np.uint32), tokens.offsets, tokens.hashes)
        return index.search(rows, limit).numbers.tolist()

    return search


def by_signatures(family: Any, documents: Documents) -> Search:
    """The entries of mod or bsw signatures: an estimate."""
    spec = family.spec()
    index = Postings(spec)
    index.add(rows_of(family.sign(documents.texts, spec)))
    limit = Share(THRESHOLD, "query")
    return lambda excerpt: index.search(rows_of(family.sign([excerpt.text], spec)), limit).numbers.tolist()


def by_ensemble(documents: Documents) -> Search:
    """datasketch's LSH Ensemble, its parts and bands as they come."""
    from datasketch import MinHash, MinHashLSHEnsemble

    def sketch(text: bytes) -> tuple[Any, int]:
        shingles = {shingle.encode() for shingle in peers.shingles(text.decode("utf-8", "replace"))}
        made = MinHash(PERMUTATIONS)
        made.update_batch(list(shingles))
        return made, len(shingles)

    sketched = [(number, *sketch(text)) for number, text in enumerate(documents.texts)]
    ensemble = MinHashLSHEnsemble(threshold=THRESHOLD / 100, num_perm=PERMUTATIONS)
    ensemble.index([entry for entry in sketched if entry[2]])
    return lambda excerpt: list(ensemble.query(*sketch(excerpt.text)))


CONTENDERS: dict[str, Callable[[Documents], Search]] = {
    "shingles": by_shingles,
    "mod": lambda documents: by_signatures(mod, documents),
    "bsw": lambda documents: by_signatures(bsw, documents),
    "LSH Ensemble": by_ensemble,
}


@dataclass(frozen=True, slots=True)
class Answers:
    """What a contender answered, and how long it took."""

    found: list[set[int]]
    build: float
    seconds: Array


def ask(build: Callable[[Documents], Search], documents: Documents, excerpts: Sequence[Excerpt]) -> Answers:
    build(Documents.of([excerpts[0].text]))(excerpts[0])  # compiles
    start = time.perf_counter()
    search = build(documents)
    built = time.perf_counter() - start
    found, seconds = [], []
    for excerpt in excerpts:
        start = time.perf_counter()
        answer = search(excerpt)
        seconds.append(time.perf_counter() - start)
        found.append({int(number) for number in answer})
    return Answers(found, built, np.array(seconds))


def agreement(found: Sequence[set[int]], true: Sequence[Array]) -> dict[str, float | int]:
    """Recall and precision over all excerpts."""
    right = sum(len(answer & set(wanted.tolist())) for answer, wanted in zip(found, true, strict=True))
    wanted, given = sum(map(len, true)), sum(map(len, found))
    return {"true": wanted, "recall": right / max(wanted, 1), "precision": right / max(given, 1)}


# --- the part --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Placed:
    """The part that was reported for an excerpt in its source."""

    error: float
    """Of the end that is farther off, as a share of the true length."""
    elsewhere: bool
    """Another occurrence, as good as the one that it was cut from."""
    seconds: float

    @property
    def right(self) -> bool:
        return self.error <= WITHIN or self.elsewhere


def place(documents: Documents, excerpt: Excerpt) -> Placed:
    """Find the part, and say how far off it is."""
    from rapidfuzz.distance import Levenshtein

    words = documents.hashes(excerpt.source)
    start = time.perf_counter()
    first, last = part(excerpt.hashes, words)
    seconds = time.perf_counter() - start
    length = excerpt.last - excerpt.first
    error = max(abs(first - excerpt.first), abs(last - excerpt.last)) / length
    elsewhere = False
    if error > WITHIN and abs(last - first - length) <= WITHIN * length:
        wanted = excerpt.hashes.tolist()
        true = Levenshtein.distance(wanted, words[excerpt.first : excerpt.last].tolist())
        elsewhere = Levenshtein.distance(wanted, words[first:last].tolist()) <= true
    return Placed(error, elsewhere, seconds)


def placed_figures(placed: Sequence[Placed]) -> dict[str, float | int]:
    errors = np.array([0.0 if one.elsewhere else one.error for one in placed])
    return {
        "parts": len(placed),
        "right": float(np.mean([one.right for one in placed])),
        "elsewhere": int(sum(one.elsewhere for one in placed)),
        "median_error": float(np.median(errors)),
        "p95_error": float(np.percentile(errors, 95)),
        "worst_error": float(errors.max()),
        "milliseconds": 1000 * float(np.median([one.seconds for one in placed])),
    }


# --- the run ---------------------------------------------------------------------------------------------


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    result = Result("containment", asked)
    contenders = dict(CONTENDERS)
    missing = [] if peers.installed("datasketch") else ["datasketch"]
    if missing:
        del contenders["LSH Ensemble"]
    result.figures = {"missing": missing, "seed": SEED, "collections": {}}
    for name in COLLECTIONS:
        collected = collection(name, asked.data)
        result.generated |= {name} if collected.generated else set()
        documents = Documents.of(read_documents(collected, SMALL_DOCUMENTS[name] if asked.small else None))
        excerpts = cut_excerpts(documents, SMALL_EXCERPTS if asked.small else EXCERPTS)
        true = true_documents(documents, excerpts)
        answers = {contender: ask(build, documents, excerpts) for contender, build in contenders.items()}
        _found(result, name, documents, excerpts, true, answers)
        _parts(result, name, excerpts, [place(documents, excerpt) for excerpt in excerpts])
    publish(result)


def _found(
    result: Result,
    name: str,
    documents: Documents,
    excerpts: Sequence[Excerpt],
    true: Sequence[Array],
    answers: dict[str, Answers],
) -> None:
    """Recall, precision and time of every contender."""
    figures: dict[str, Any] = {"documents": len(documents), "excerpts": len(excerpts), "contenders": {}}
    result.figures["collections"][name] = figures
    rows = []
    fastest = float(np.median(answers["shingles"].seconds))
    for contender, answer in answers.items():
        median = float(np.median(answer.seconds))
        measured: dict[str, Any] = {
            **agreement(answer.found, true),
            "milliseconds": 1000 * median,
            "p95_milliseconds": 1000 * float(np.percentile(answer.seconds, 95)),
            "build_seconds": answer.build,
            "times_shingles": median / fastest,
            "recall_by_share": _recalls(answer, true, [excerpt.share for excerpt in excerpts], range(len(SHARES))),
            "recall_by_rate": _recalls(answer, true, [excerpt.rate for excerpt in excerpts], RATES),
        }
        figures["contenders"][contender] = measured
        by = [*measured["recall_by_share"], *measured["recall_by_rate"]]
        rows.append(
            (
                contender,
                f"{measured['recall']:.4f}",
                f"{measured['precision']:.4f}",
                *(f"{share:.3f}" for share in by),
                f"{measured['milliseconds']:.2f}",
                f"{measured['p95_milliseconds']:.2f}",
                f"{measured['times_shingles']:.1f} x",
                f"{answer.build:.1f}",
            )
        )
    columns = (
        "searched by", "recall", "precision", *(f"{low} to {high} %" for low, high in SHARES),
        *(f"{rate} % changed" for rate in RATES), "ms", "ms, p95", "time", "build s",
    )  # fmt: skip
    wanted = sum(map(len, true))
    title = f"What contains it: {name}, {len(documents):,} documents, {len(excerpts)} excerpts, {wanted:,} true answers"
    note = "Recall at containment 80, also by the excerpt's share of its source and by how much of it was changed."
    result.tables.append(Table(title, columns, rows, note))
    recall = figures["contenders"]["shingles"]["recall"]
    result.targets.append(Target.at_least(f"{name}: recall at containment {THRESHOLD}", PROMISED_RECALL, recall))


def _recalls(answer: Answers, true: Sequence[Array], kinds: Sequence[int], wanted: Sequence[int]) -> list[float]:
    """Recall over the excerpts of each kind."""
    chosen = [[i for i, kind in enumerate(kinds) if kind == each] for each in wanted]
    return [float(agreement([answer.found[i] for i in some], [true[i] for i in some])["recall"]) for some in chosen]


def _parts(result: Result, name: str, excerpts: Sequence[Excerpt], placed: Sequence[Placed]) -> None:
    """How far off parts are, by share and by rate."""
    kinds: list[tuple[str, list[Placed]]] = []
    for share, (low, high) in enumerate(SHARES):
        some = [one for one, excerpt in zip(placed, excerpts, strict=True) if excerpt.share == share]
        kinds.append((f"{low} to {high} % of the source", some))
    for rate in RATES:
        some = [one for one, excerpt in zip(placed, excerpts, strict=True) if excerpt.rate == rate]
        kinds.append((f"{rate} % changed", some))
    kinds.append(("all", list(placed)))
    measured = {kind: placed_figures(some) for kind, some in kinds if some}
    result.figures["collections"][name]["parts"] = measured
    rows = [
        (
            kind,
            f"{row['parts']:,}",
            f"{100 * row['right']:.1f}",
            f"{row['elsewhere']}",
            f"{100 * row['median_error']:.2f}",
            f"{100 * row['p95_error']:.2f}",
            f"{100 * row['worst_error']:.2f}",
            f"{row['milliseconds']:.2f}",
        )
        for kind, row in measured.items()
    ]
    columns = ("excerpts", "parts", "right, %", "elsewhere", "median error, %", "p95, %", "worst, %", "ms")
    note = (
        "Error: of the end that is farther off, as a share of the true length. Right: within 5 %, or as good elsewhere."
    )
    result.tables.append(Table(f"Where it is: {name}", columns, rows, note))
    right = measured["all"]["right"]
    result.targets.append(Target.at_least(f"{name}: parts right within 5 % of their length", PROMISED_PARTS, right))


if __name__ == "__main__":
    main()
