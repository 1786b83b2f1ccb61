"""Signing: UTF-8 bytes to `words` signatures, on one core and in two threads, beside rensa and datasketch.

    python benchmarks/sign.py --scale full

The texts are in memory before the clock starts. Peers sign the first texts of the same collection, with 128
permutations over 3-word shingles made in Python; truecopy's sketches have 256 places. That the estimates are
unbiased is checked against exact resemblance, on pairs in which no text occurs twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import peers
from common import CORES, Collection, Contender, arguments, collection, race, use_cores
from results import Result, Table, Target, megabytes, publish

from truecopy.sign.signatures import Signatures
from truecopy.sign.words import sign as sign_by
from truecopy.sign.words import sign_streams, spec
from truecopy.text import tokenize
from truecopy.text.streams import Streams

COLLECTIONS = ("policies", "agreements")
SMALL_DOCUMENTS = {"policies": 300, "agreements": 120}
PEER_BYTES = {"rensa": 8_000_000, "datasketch": 2_000_000}
PROMISED_SPEED = 150
PROMISED_GAIN = 1.7
LARGE = 40_000_000
"""Bytes from which on two threads are promised to help as much."""
SEED = 2
BINS = (0.0, 0.2, 0.5, 0.8, 1.0)


def main(given: Sequence[str] | None = None) -> None:
    """Run it."""
    asked = arguments(__doc__ or "", given)
    use_cores(1)
    result = Result("sign", asked)
    missing = [name for name in peers.SIGNATURES if not peers.installed(name)]
    result.figures = {"missing": missing, "collections": {}, "two_threads": {}, "estimate": {}}
    read = [collection(name, asked.data, SMALL_DOCUMENTS[name] if asked.small else None) for name in COLLECTIONS]
    result.generated |= {texts.name for texts in read if texts.generated}
    for texts in read:
        _one_core(result, texts, [peer for peer in peers.SIGNATURES if peer not in missing])
    cores = use_cores(CORES)
    for texts in read:
        _two_threads(result, texts, cores)
    _estimate(result, [text for texts in read for text in texts.texts()])
    publish(result)


def sign(texts: list[bytes]) -> Signatures:
    """Sign texts in this thread."""
    return sign_by(texts, spec())


def first_bytes(texts: list[bytes], size: int) -> list[bytes]:
    """The first texts, up to so many bytes; at least one."""
    ends = np.cumsum([len(text) for text in texts])
    return texts[: max(1, int(np.searchsorted(ends, size, side="right")))]


def halves(texts: list[bytes], parts: int) -> list[list[bytes]]:
    """The texts in so many runs of about equal size in bytes."""
    ends = np.cumsum([len(text) for text in texts])
    cuts = [0, *np.searchsorted(ends, ends[-1] * np.arange(1, parts) / parts).tolist(), len(texts)]
    return [texts[low:high] for low, high in pairwise(cuts)]


# --- speed -----------------------------------------------------------------------------------------------


def _one_core(result: Result, collected: Collection, others: list[str]) -> None:
    texts = collected.texts()
    small = result.arguments.small
    sizes = {"truecopy": sum(map(len, texts))}
    runs = [Contender("truecopy", partial(sign, texts), 3 if small else 7)]
    sign(texts[:4])  # compiles
    for name in others:
        part = first_bytes(texts, PEER_BYTES[name] // (8 if small else 1))
        decoded = [text.decode("utf-8", "replace") for text in part]
        sizes[name] = sum(map(len, part))
        peers.SIGNATURES[name](decoded[:2])
        runs.append(Contender(name, partial(peers.SIGNATURES[name], decoded), 1 if small else 3))
    speeds = {name: sizes[name] / 1e6 / timing.best for name, timing in race(runs).items()}
    ratios = {name: round(speeds["truecopy"] / speeds[name], 1) for name in others}
    result.figures["collections"][collected.name] = {
        "documents": len(texts),
        "bytes": sizes["truecopy"],
        "bytes_signed": sizes,
        "megabytes_a_second": {name: round(speed, 1) for name, speed in speeds.items()},
        "ratios": ratios,
    }
    rows = [
        (name, megabytes(sizes[name]), f"{speed:,.1f}", f"{ratios[name]:,.0f} x" if name in ratios else "")
        for name, speed in speeds.items()
    ]
    title = f"UTF-8 to signatures on one core: {collected.name}, {len(texts):,} documents"
    result.tables.append(Table(title, ("tool", "MB", "MB/s", "truecopy is faster by"), rows))
    if not small:
        what = f"{collected.name}: MB/s on one core"
        result.targets.append(Target.at_least(what, PROMISED_SPEED, speeds["truecopy"]))


def _digest(texts: list[bytes]) -> list[bytes]:
    """Work that is known to run in two threads as well as a machine allows."""
    return [hashlib.sha256(text).digest() for text in texts]


def _two_threads(result: Result, collected: Collection, cores: int) -> None:
    texts = collected.texts()
    size = sum(map(len, texts))
    with ThreadPoolExecutor(CORES) as pool:
        parts = halves(texts, CORES)
        list(pool.map(sign, parts))  # starts the threads
        rounds = 3 if result.arguments.small else 9
        timings = race(
            [
                Contender("one thread", partial(sign, texts), rounds),
                Contender("two threads", lambda: list(pool.map(sign, parts)), rounds),
                Contender("digests, one thread", lambda: [_digest(part) for part in parts], rounds),
                Contender("digests, two threads", lambda: list(pool.map(_digest, parts)), rounds),
            ]
        )
    seconds = {name: timing.best for name, timing in timings.items()}
    gain = seconds["one thread"] / seconds["two threads"]
    possible = seconds["digests, one thread"] / seconds["digests, two threads"]
    result.figures["two_threads"][collected.name] = {
        "bytes": size,
        "cores": cores,
        "seconds": {name: round(taken, 4) for name, taken in seconds.items()},
        "ratio": round(gain, 3),
        "ratio_of_digests": round(possible, 3),
    }
    rows = [(name, f"{taken:.3f}", f"{size / 1e6 / taken:,.0f}") for name, taken in seconds.items()]
    title = f"Two threads: {collected.name}, {megabytes(size)} MB; two are {gain:.2f} times as fast as one"
    note = (
        f"SHA-256 of the same texts gains {possible:.2f} times from two threads: the most that this machine, "
        "busy as it was, could gain."
    )
    result.tables.append(Table(title, ("run", "seconds", "MB/s"), rows, note))
    if size >= LARGE and cores >= CORES:
        what = f"{collected.name}: two threads as times one"
        result.targets.append(Target.at_least(what, PROMISED_GAIN, gain))


# --- the estimate ----------------------------------------------------------------------------------------

Numbers = npt.NDArray[np.int64]


def word_numbers(texts: list[bytes]) -> tuple[list[Numbers], int]:
    """The words of each text as numbers, and how many distinct words there are."""
    tokens = tokenize(texts)
    distinct, numbers = np.unique(tokens.hashes, return_inverse=True)
    return np.split(numbers.astype(np.int64), tokens.offsets[1:-1]), len(distinct)


def shingle_set(words: Numbers, vocabulary: int) -> Numbers:
    """The distinct shingles of a text, as exact numbers (three words are not hashed into one)."""
    if vocabulary >= 1 << 21:
        raise SystemExit(f"Three of {vocabulary:,} distinct words do not fit into 63 bits.")
    return np.unique((words[:-2] * vocabulary + words[1:-1]) * vocabulary + words[2:])


def estimated(a: Numbers, b: Numbers, vocabulary: int, dice: np.random.Generator) -> float:
    """The estimate for two texts, each word hashed afresh.

    With the words' own hashes, phrases that occur everywhere would push the errors of all pairs the same way,
    and the scatter would look smaller than it is.
    """
    hashes = dice.integers(0, 1 << 64, vocabulary, np.uint64)
    words = np.concatenate([a, b]).astype(np.uint32)
    offsets = np.array([0, len(a), len(words)], np.int64)
    values = sign_streams(Streams(words, offsets, hashes), 1).values
    return float(np.mean(values[0] == values[1]))


def _estimate(result: Result, texts: list[bytes]) -> None:
    """Neighbors in the order of the files, where versions stand together: no text is in two pairs."""
    words, vocabulary = word_numbers(texts)
    long_enough = [text for text in range(len(texts)) if len(words[text]) >= 50]
    dice = np.random.default_rng(SEED)
    exact, errors = [], []
    for x, y in zip(long_enough[0::2], long_enough[1::2], strict=False):
        a, b = shingle_set(words[x], vocabulary), shingle_set(words[y], vocabulary)
        shared = len(np.intersect1d(a, b, assume_unique=True))
        if shared == max(len(a), len(b)):
            continue  # copies: the estimate cannot be wrong
        resemblance = shared / (len(a) + len(b) - shared)
        exact.append(resemblance)
        errors.append(estimated(words[x], words[y], vocabulary, dice) - resemblance)
    rows, bins, worst = [], [], 0.0
    which = np.clip(np.digitize(exact, BINS) - 1, 0, len(BINS) - 2)
    for place, (low, high) in enumerate([*pairwise(BINS), (0.0, 1.0)]):
        chosen = np.array(errors)[which == place] if place < len(BINS) - 1 else np.array(errors)
        if len(chosen) < 20:
            continue
        mean, scatter = float(chosen.mean()), float(chosen.std(ddof=1) / np.sqrt(len(chosen)))
        off = mean / scatter if scatter else 0.0
        worst = max(worst, abs(off))
        name = f"{100 * low:.0f} to {100 * high:.0f}"
        bins.append({"resemblance": name, "pairs": len(chosen), "mean_error": mean, "standard_errors": off})
        rows.append((name, f"{len(chosen):,}", f"{100 * mean:+.3f}", f"{100 * scatter:.3f}", f"{off:+.1f}"))
    result.figures["estimate"] = {"pairs": len(exact), "bins": bins}
    columns = ("resemblance", "pairs", "mean error", "standard error", "errors off zero")
    note = "In points of resemblance (0 to 100). Within 3 standard errors of zero is unbiased."
    result.tables.append(Table("The estimate of resemblance against the exact one", columns, rows, note))
    result.targets.append(Target.at_most("mean error of the estimate, in standard errors", 3, worst))


if __name__ == "__main__":
    main()
