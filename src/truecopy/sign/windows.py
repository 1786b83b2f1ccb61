"""What the four byte-window families share: fingerprints, their parameters, the signing of runs of texts, estimators.

Cherkasova, Eshghi, Morrey, Tucek, Veitch: Applying Syntactic Similarity Algorithms for Enterprise Information
Management (HP Labs, 2009). A window of w bytes moves over the text byte by byte; each window has a 64-bit fingerprint,
and the families differ in which fingerprints they keep.

`rabin` is the paper's fingerprint: the window as a polynomial over GF(2), modulo one that is irreducible. `fast` is
ours: the window as a polynomial in G modulo 2^64, then mixed. It needs no table, so vector instructions hash the
windows, and every bit of it depends on every byte, which Rabin's, being linear, does not promise. Neither is safe
against forgery: somebody could write two different windows with one fingerprint.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truecopy.array_types import F64, I64, U8, U64, Places
from truecopy.errors import BadSetting
from truecopy.kernels.arrays import read_only
from truecopy.kernels.ngrams import GOLDEN
from truecopy.kernels.windows import set_overlaps
from truecopy.sign.family import Parameter, choose, must_be_of, whole
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.spec import Spec

PAPER = "Cherkasova 2009"
VERSION = 1
WINDOW = 20
"""The paper's choice: versions look alike, and other documents do not (its section 4.1)."""
ENTRIES = 100
"""How many entries a signature should have (section 4.3)."""
LONGEST_WINDOW = 4096
GREATEST = {"mod": 1 << 32, "bsw": 1 << 32, "min": 1 << 16, "sketch": 1 << 16}
"""n at most: one entry in n windows, or n entries."""
HASHES = ("fast", "rabin")
ESTIMATORS = ("unbiased", "paper")
POLYNOMIAL = 0x7850C4CB800B51E3
"""Rabin's polynomial without x^64: word(3, j) | 1 for the least j for which it is irreducible."""

Run = tuple[U64, I64]
"""The entries of a run of texts one after the other, and where each text's begin and end."""
Fill = Callable[[U8, I64, int, U64, U64, I64], int]
"""Signs texts from one on, (data, offsets, first, out, spare, ends): returns the first text that did not fit."""

_MODULUS = 1 << 64
_BLOCK = 1024

WINDOW_PARAMETER = Parameter("window", WINDOW, "bytes in a window, 1 to 4,096")
HASH_PARAMETER = Parameter("hash", "fast", "how a window is fingerprinted: rabin is the paper's", HASHES)


@dataclass(frozen=True, slots=True)
class Fingerprints:
    """How windows are fingerprinted, as kernels take it."""

    window: int
    rabin: bool
    tables: U64
    block: int

    @classmethod
    def of(cls, window: int, hash: str) -> Fingerprints:
        """The tables for windows of this many bytes."""
        block = max(_BLOCK, 4 * window)
        rabin = hash == "rabin"
        return cls(window, rabin, _rabin_tables(window) if rabin else _fast_tables(window, block), block)

    @property
    def arguments(self) -> tuple[int, bool, U64, int]:
        """In the order of every kernel's parameters."""
        return self.window, self.rabin, self.tables, self.block


def make_spec(method: str, window: int, n: int | str, hash: str, **others: str) -> Spec:
    """A spec of one of the four, checked."""
    choose("hash", hash, HASHES)
    whole("window", window, 1, LONGEST_WINDOW)
    whole("n", n, 1, GREATEST[method])
    return Spec.make(method, VERSION, window=window, n=n, hash=hash, **others)


def sampling(mean_length: float) -> int:
    """n for mod and bsw by the paper's rule of thumb: texts of this mean length have a hundred entries on average.

    >>> sampling(50_000)
    500
    """
    if isinstance(mean_length, bool) or not isinstance(mean_length, int | float) or not 0 <= mean_length < float("inf"):
        said = f"The mean length was given as {mean_length!r}, but it must be a number of bytes from 0 on."
        raise BadSetting(said, "Give the mean length of the texts in bytes.")
    return max(int(mean_length / ENTRIES + 0.5), 1)


def sampled(n: int | str, mean_length: float | None) -> int | str:
    """n as given, or for `auto` by the rule of thumb."""
    if n != "auto":
        return n
    if mean_length is None:
        raise BadSetting("The parameter n was given as 'auto' without a mean length.", "Give mean_length as well.")
    return min(sampling(mean_length), GREATEST["mod"])


def settings(method: str, given: Spec, statistics: object, **choices: tuple[str, ...]) -> dict[str, Any]:
    """The parameters of a spec, which may come from a file; another family's spec is refused."""
    must_be_of(method, given)
    Spec(method, VERSION, given.parameters).must_equal(given)
    parameters: dict[str, Any] = dict(given.parameters)
    if set(parameters) != {"window", "n", "hash", *choices}:
        said = f"The spec {given} has other parameters than {method} signatures have."
        raise BadSetting(said, f"Make it by {method}.spec.")
    make_spec(method, **parameters)
    for name, allowed in choices.items():
        choose(name, parameters[name], allowed)
    if statistics is not None:
        raise BadSetting(f"Statistics were given, but {method} signatures have no weights.", "Leave them out.")
    return parameters


def divisor(n: int) -> U64:
    """What kernels need to tell without a division whether n divides a number (Granlund and Montgomery 1994)."""
    turn = (n & -n).bit_length() - 1
    return np.array([pow(n >> turn, -1, _MODULUS), turn, (_MODULUS - 1) // n], np.uint64)


def sign_sets(
    texts: Sequence[Text], spec: Spec, threads: int, ids: Sequence[str] | None, work: Callable[[U8, I64], Run]
) -> Signatures:
    """Sign texts by sets: `work(data, offsets)` gives the entries of a run of texts, and where each text's end."""
    made: dict[int, Run] = {}

    def run(data: U8, offsets: I64, first: int) -> None:
        made[first] = work(data, offsets)

    known = names(ids, len(texts))
    in_parts(texts, threads, run)
    runs = [made[first] for first in sorted(made)]
    values = np.concatenate([np.zeros(0, np.uint64), *(values for values, _ in runs)])
    sizes = np.concatenate([np.zeros(0, np.int64), *(np.diff(ends) for _, ends in runs)])
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    return Signatures(spec, values, sizes > 0, known, offsets)


def sign_growing(
    texts: Sequence[Text], spec: Spec, threads: int, ids: Sequence[str] | None, block: int, fill: Fill
) -> Signatures:
    """Sign texts by sets of about one entry in n windows, in arrays that grow if needed."""
    n = int(dict(spec.parameters)["n"])

    def work(data: U8, offsets: I64) -> Run:
        out = np.empty(2 * (int(offsets[-1]) // n + 2 * block), np.uint64)
        ends = np.zeros(len(offsets), np.int64)
        done = 0
        while True:
            done = fill(data, offsets, done, out, np.empty(len(out), np.uint64), ends)
            if done == len(offsets) - 1:
                return out[: ends[-1]].copy(), ends
            larger = np.empty(2 * len(out), np.uint64)
            larger[: ends[done]] = out[: ends[done]]
            out = larger

    return sign_sets(texts, spec, threads, ids, work)


def overlap(method: str, a: Signatures, b: Signatures, limit: int | None = None) -> tuple[I64, I64]:
    """For each pair of sets, of their `limit` smallest entries: how many are in both, and how many there are."""
    must_be_of(method, a.spec)
    a.spec.must_equal(b.spec)
    assert a.offsets is not None
    assert b.offsets is not None
    shared, either = np.empty((len(a), len(b)), np.int64), np.empty((len(a), len(b)), np.int64)
    most = np.iinfo(np.int64).max if limit is None else limit
    set_overlaps(
        read_only(a.values), read_only(a.offsets), read_only(b.values), read_only(b.offsets), most, shared, either
    )
    return shared, either


def containment(method: str, a: Signatures, i: int, b: Signatures, j: int) -> float:
    """Shared entries over entries of the first, 0 to 100."""
    shared, _ = overlap(method, one(a, i), one(b, j))
    return float(percent(shared, np.array(len(a[i])))[0, 0])


def one(signatures: Signatures, text: int) -> Signatures:
    """The signatures of one text alone."""
    entries = signatures[text]
    ids = (signatures.ids[text],)
    if signatures.offsets is None:
        return Signatures(signatures.spec, entries[None], signatures.reliable[[text]], ids)
    offsets = np.array([0, len(entries)], np.int64)
    return Signatures(signatures.spec, entries, signatures.reliable[[text]], ids, offsets)


def percent(part: Places, whole: Places) -> F64:
    """100 · part / whole; 0 where there is nothing to compare."""
    share: F64 = 100.0 * part / np.maximum(whole, 1)
    return share


def entries(signatures: Signatures, text: int) -> list[int]:
    """One signature as JSON holds it: its entries."""
    listed: list[int] = signatures[text].tolist()
    return listed


@functools.lru_cache(maxsize=8)
def _fast_tables(window: int, block: int) -> U64:
    """The constant of a window, G to the powers of each place of a block, and G's inverse to the same."""
    inverse = pow(GOLDEN, -1, _MODULUS)
    constant = _powers(GOLDEN, 1, window).sum(keepdims=True)
    start = pow(GOLDEN, window - 1, _MODULUS)
    return np.concatenate([constant, _powers(GOLDEN, start, block), _powers(inverse, 1, block + window)])


def _powers(base: int, start: int, many: int) -> U64:
    """start, start · base, start · base² … modulo 2^64."""
    factors = np.full(many, base, np.uint64)
    factors[0] = start
    return np.cumprod(factors, dtype=np.uint64)


@functools.lru_cache(maxsize=8)
def _rabin_tables(window: int) -> U64:
    """Each byte times x^64, and that times as many bytes as a window has, modulo the polynomial."""
    adds = np.array([_times_x64(byte) for byte in range(256)], np.uint64)
    leaves = adds
    for _ in range(window):
        leaves = (leaves << np.uint64(8)) ^ adds[leaves >> np.uint64(56)]
    return np.concatenate([adds, leaves])


def _times_x64(byte: int) -> int:
    """A byte's polynomial times x^64, modulo the irreducible one."""
    value = byte << 64
    for bit in range(71, 63, -1):
        if value >> bit & 1:
            value ^= (_MODULUS | POLYNOMIAL) << (bit - 64)
    return value
