"""Every signature family: MB/s on one core beside plain Python and the peers that compute the same; two threads.

    python benchmarks/families.py --scale full

The texts are in memory before the clock starts, as UTF-8 for truecopy and decoded for the others. Where a family or a
contender is slow, it signs the first bytes of the collection only. Statistics are those of the other collection: nobody
weighs a text by tables that it is part of. `plain.py` holds the yardsticks; `sign.py` has more about `words`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from typing import Any

import peers
import plain
from common import CORES, Arguments, Collection, Contender, arguments, collection, race, use_cores
from results import Result, Table, Target, megabytes, publish

from sign import first_bytes, halves
from truecopy.sign.statistics import Statistics, build

COLLECTIONS = ("policies", "agreements")
SMALL_DOCUMENTS = {"policies": 120, "agreements": 40}
WHOLE = 1 << 62
ROUNDS, SLOW_ROUNDS = 7, 3
SLOW_BYTES = 1_000_000
"""Bytes that truecopy signs in a small run by families that compute cryptographic hashes, or a hundred others."""
PLAIN_BYTES = 200_000
PEER_BYTES = 1_000_000
PROMISED_OVER_PLAIN = 100
PROMISED_OVER_PEERS = 1
PROMISED_GAIN = 1.7
NOTE = (
    "Plain: the paper's method in plain Python, step by step. Frugal: plain Python that does less work "
    "(equal n-grams hashed once, zeros skipped, one hash function in place of a hundred), where that is possible."
)

Yardstick = Callable[[plain.Tables], Callable[[str], Any]]
"""Made once from the tables of a collection: what signs a text."""


@dataclass(frozen=True, slots=True)
class Row:
    """A family with its parameters, what is promised of it, and whom it races."""

    name: str
    family: str
    parameters: dict[str, Any]
    plain: Yardstick
    """The paper's method, step by step."""
    promised: float | None = None
    """MB/s on one core."""
    frugal: Yardstick | None = None
    """The same result for less work, where plain Python has a way."""
    peers: dict[str, peers.Signer] = field(default_factory=dict)
    weighed: bool = False
    """Whether it is made with statistics."""
    slow: bool = False
    """Whether truecopy gets fewer rounds."""
    most: int = WHOLE
    """Bytes of a collection that truecopy signs."""
    plain_most: int = PLAIN_BYTES

    def part(self, texts: list[bytes], small: bool) -> list[bytes]:
        """What truecopy signs of a collection."""
        return first_bytes(texts, SLOW_BYTES if small and self.slow else self.most)

    def rounds(self, small: bool) -> int:
        return 2 if small else SLOW_ROUNDS if self.slow else ROUNDS


# --- who races ---------------------------------------------------------------------------------------------


def _same(function: Callable[..., Any], **parameters: Any) -> Yardstick:
    """A yardstick that needs no tables."""
    return lambda _: partial(function, **parameters)


def _weighed(function: Callable[..., Any]) -> Yardstick:
    return lambda tables: partial(function, tables=tables)


def _projected(function: Callable[..., Any], vectors: Callable[[int], Any], weighed: bool = False) -> Yardstick:
    """TopSig: the random vectors are kept between rounds, as the paper's times leave their making out."""

    def made(tables: plain.Tables) -> Callable[[str], Any]:
        return partial(function, vectors=vectors(64), **({"tables": tables} if weighed else {}))

    return made


def _simhash(bits: int, digest: str, promised: float | None = None, **more: Any) -> Row:
    given = {"bits": bits, "digest": plain.sha512 if digest == "sha512" else plain.shake256}
    return Row(
        f"simhash-{bits} {digest}",
        "simhash",
        {"bits": bits, "hash": digest},
        _same(plain.simhash, **given),
        promised,
        _same(plain.frugal_simhash, **given),
        peers.SIMHASHES[bits] if digest == "fast" else {},
        **more,
    )


def _topsig() -> list[Row]:
    dense, sparse = plain.Vectors, plain.SparseVectors
    yardstick = _projected(plain.topsig, dense)
    weighted = _projected(plain.weighted_topsig, dense, True)
    frugal = _projected(plain.frugal_topsig, sparse)
    frugal_weighted = _projected(plain.frugal_weighted_topsig, sparse, True)
    return [
        Row("topsig-64", "topsig", {"bits": 64}, yardstick, 60, frugal),
        Row("weighted topsig-64", "topsig", {"bits": 64}, weighted, 40, frugal_weighted, weighed=True),
    ]


def _windows(name: str, function: Callable[..., Any]) -> list[Row]:
    given = {"window": 20, "n": 100}
    return [
        Row(f"{name}-100 fast", name, {**given, "hash": "fast"}, _same(function), 250),
        Row(f"{name}-100 rabin", name, {**given, "hash": "rabin"}, _same(function)),
    ]


def _sketch(form: str, promised: float | None = None, frugal: Yardstick | None = None, **more: Any) -> Row:
    given = {"window": 20, "n": 100, "form": form}
    others = peers.WINDOW_SIGNATURES
    return Row(f"sketch-100 {form}", "sketch", given, _same(plain.sketch), promised, frugal, others, **more)


def all_rows() -> list[Row]:
    """Every family."""
    return [
        _simhash(64, "fast", 200),
        _simhash(1024, "fast", 40, plain_most=PLAIN_BYTES // 8),
        _simhash(64, "shake256", slow=True),
        _simhash(64, "sha512", slow=True),
        *_topsig(),
        Row(
            "minhash4-64",
            "minhash4",
            {"bits": 64},
            _same(plain.minhash4),
            frugal=_same(plain.frugal_minhash4),
            slow=True,
        ),
        *_windows("mod", plain.mod),
        *_windows("min", plain.smallest),
        *_windows("bsw", plain.bsw),
        _sketch("one-permutation", 150, _same(plain.frugal_sketch)),
        _sketch("n-hash", slow=True, most=16_000_000),
        Row("letters", "letters", {}, _same(plain.letters), 1000, _same(plain.frugal_letters)),
        Row("terms-60", "terms", {"terms": 60}, _weighed(plain.terms), 60, weighed=True),
        Row("fingerprint", "fingerprint", {}, _weighed(plain.fingerprint), weighed=True),
        Row("words", "words", {}, _same(plain.shingle_sketch), peers=peers.WORD_SIGNATURES),
    ]


def signer(row: Row, statistics: Statistics) -> Callable[..., Any]:
    """What signs texts by a row; called with the texts and the number of threads."""
    family = import_module(f"truecopy.sign.{row.family}")
    used = statistics if row.weighed else None
    spec = family.spec(**row.parameters, **({"statistics": used} if row.weighed else {}))

    def sign(texts: list[bytes], threads: int = 1) -> Any:
        made = family.sign(texts, spec, used, threads=threads)
        if len(made) != len(texts):
            raise SystemExit(f"{row.name} made {len(made)} signatures of {len(texts)} texts.")
        return made

    return sign


def as_tables(statistics: Statistics) -> plain.Tables:
    """Statistics as dicts, for plain Python."""
    kept = statistics.filtered().words
    return plain.Tables(
        statistics.documents,
        dict(zip(kept.texts(), kept.documents.tolist(), strict=True)),
        dict(zip(statistics.grams.texts(), statistics.grams.occurrences.tolist(), strict=True)),
        statistics.grams.total,
    )


def first_part(texts: list[bytes], size: int) -> list[bytes]:
    """The first texts, up to so many bytes; where the first is longer, what fits of it."""
    part = first_bytes(texts, size)
    return part if len(part) > 1 else [part[0][:size].decode("utf-8", "ignore").encode()]


# --- one core ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Speeds:
    """What one family reached on one collection, in MB/s."""

    row: Row
    size: int
    truecopy: float
    plain: float
    frugal: float | None
    peers: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        others = {"plain": self.plain, "frugal": self.frugal, **self.peers}
        return {
            "bytes": self.size,
            "megabytes_a_second": {
                "truecopy": round(self.truecopy, 1),
                **{name: round(speed, 4) for name, speed in others.items() if speed is not None},
            },
            "ratios": {name: round(self.truecopy / speed, 1) for name, speed in others.items() if speed is not None},
        }

    def cells(self) -> tuple[str, ...]:
        """A row of the table."""
        best = max(self.peers, key=self.peers.__getitem__, default=None)
        return (
            self.row.name,
            megabytes(self.size),
            f"{self.truecopy:,.0f}",
            f"{self.plain:,.3f}",
            f"{self.truecopy / self.plain:,.0f} x",
            "" if self.frugal is None else f"{self.truecopy / self.frugal:,.0f} x",
            "" if best is None else f"{best} {self.peers[best]:,.1f}",
            "" if best is None else f"{self.truecopy / self.peers[best]:,.1f} x",
        )


def one_core(row: Row, texts: list[bytes], statistics: Statistics, tables: plain.Tables, small: bool) -> Speeds:
    """Race a family against plain Python and its peers."""
    less = 8 if small else 1
    own = row.part(texts, small)
    sign = signer(row, statistics)
    sign(own[:2])  # compiles
    runs = [Contender("truecopy", partial(sign, own), row.rounds(small))]
    sizes = {"truecopy": sum(map(len, own))}

    def add(name: str, run: Callable[[list[str]], Any], most: int, rounds: int) -> None:
        part = first_part(texts, most // less)
        decoded = [text.decode("utf-8", "replace") for text in part]
        sizes[name] = sum(map(len, part))
        runs.append(Contender(name, partial(run, decoded), rounds))

    for name, yardstick in (("plain", row.plain), ("frugal", row.frugal)):
        if yardstick is not None:
            add(name, partial(_each, yardstick(tables)), row.plain_most, 2 if small else 3)
    for name in others_of(row):
        row.peers[name](["a short text, so that nothing is imported and no thread started in the race"])
        add(name, row.peers[name], PEER_BYTES, 1 if small else 3)
    speeds = {name: sizes[name] / 1e6 / timing.best for name, timing in race(runs).items()}
    found = {name: speeds[name] for name in others_of(row)}
    return Speeds(row, sizes["truecopy"], speeds["truecopy"], speeds["plain"], speeds.get("frugal"), found)


def _each(sign: Callable[[str], Any], texts: list[str]) -> list[Any]:
    return [sign(text) for text in texts]


def others_of(row: Row) -> list[str]:
    """The peers of a row that are on this machine."""
    return [name for name in row.peers if peers.installed(name)]


def _report(result: Result, name: str, documents: int, measured: list[Speeds]) -> None:
    result.figures["collections"][name] = {speeds.row.name: speeds.as_json() for speeds in measured}
    columns = ("family", "MB", "MB/s", "plain MB/s", "x plain", "x frugal", "best peer, MB/s", "x peer")
    title = f"UTF-8 to signatures on one core, every family: {name}, {documents:,} documents"
    result.tables.append(Table(title, columns, [speeds.cells() for speeds in measured], NOTE))
    if result.arguments.small:
        return
    for speeds in measured:
        what = f"{name}, {speeds.row.name}"
        if speeds.row.promised is not None:
            result.targets.append(Target.at_least(f"{what}: MB/s", speeds.row.promised, speeds.truecopy))
        over = speeds.truecopy / speeds.plain
        result.targets.append(Target.at_least(f"{what}: times plain Python", PROMISED_OVER_PLAIN, over))
        for peer, speed in speeds.peers.items():
            over = speeds.truecopy / speed
            result.targets.append(Target.at_least(f"{what}: times {peer}", PROMISED_OVER_PEERS, over))


# --- two threads ---------------------------------------------------------------------------------------------


def _digest(texts: list[bytes]) -> list[bytes]:
    """Work that is known to run in two threads as well as a machine allows."""
    return [hashlib.sha256(text).digest() for text in texts]


def _two_threads(result: Result, rows: list[Row], texts: list[bytes], statistics: Statistics, cores: int) -> None:
    small = result.arguments.small
    printed = []
    with ThreadPoolExecutor(CORES) as pool:
        list(pool.map(_digest, halves(texts, CORES)))  # starts the threads
        for row in rows:
            part = row.part(texts, small)
            seconds = _race_threads(signer(row, statistics), part, pool, row.rounds(small))
            gain = seconds["one"] / seconds["two"]
            possible = seconds["digests, one"] / seconds["digests, two"]
            size = sum(map(len, part))
            result.figures["two_threads"][row.name] = {
                "bytes": size,
                "seconds": {name: round(taken, 4) for name, taken in seconds.items()},
                "ratio": round(gain, 3),
                "ratio_of_digests": round(possible, 3),
            }
            times = (f"{seconds['one']:.3f}", f"{seconds['two']:.3f}")
            printed.append((row.name, megabytes(size), *times, f"{gain:.2f} x", f"{possible:.2f} x"))
            if not small and cores >= CORES:
                result.targets.append(Target.at_least(f"{row.name}: two threads as times one", PROMISED_GAIN, gain))
    result.figures["cores"] = cores
    columns = ("family", "MB", "one thread, s", "two threads, s", "gain", "SHA-256's gain")
    note = "SHA-256 of the same texts, beside each: the most that this machine, busy as it was, could gain."
    result.tables.append(Table("Two threads, every family", columns, printed, note))


def _race_threads(
    sign: Callable[..., Any], texts: list[bytes], pool: ThreadPoolExecutor, rounds: int
) -> dict[str, float]:
    parts = halves(texts, CORES)
    sign(texts[:2])
    timings = race(
        [
            Contender("one", partial(sign, texts), rounds),
            Contender("two", partial(sign, texts, CORES), rounds),
            Contender("digests, one", lambda: [_digest(part) for part in parts], rounds),
            Contender("digests, two", lambda: list(pool.map(_digest, parts)), rounds),
        ]
    )
    return {name: timing.best for name, timing in timings.items()}


# --- all of it -------------------------------------------------------------------------------------------------


def _read(asked: Arguments) -> list[Collection]:
    return [collection(name, asked.data, SMALL_DOCUMENTS[name] if asked.small else None) for name in COLLECTIONS]


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    result = Result("families", asked)
    rows = all_rows()
    named = sorted({name for row in rows for name in row.peers})
    missing = [name for name in named if not peers.installed(name)]
    result.figures = {"missing": missing, "collections": {}, "two_threads": {}}
    read = _read(asked)
    result.generated |= {texts.name for texts in read if texts.generated}
    texts = {collected.name: collected.texts() for collected in read}
    statistics = {name: build(texts[name]) for name in COLLECTIONS}
    for name, other in zip(COLLECTIONS, reversed(COLLECTIONS), strict=True):
        tables = as_tables(statistics[other])
        measured = [one_core(row, texts[name], statistics[other], tables, asked.small) for row in rows]
        _report(result, name, len(texts[name]), measured)
    cores = use_cores(CORES)
    first, second = COLLECTIONS
    _two_threads(result, rows, texts[second], statistics[first], cores)
    publish(result)


if __name__ == "__main__":
    main()
