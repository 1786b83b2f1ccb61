"""`minhash4`: the smallest of a text's n-gram hashes under each of four hash functions.

The simple MinHash of Roegiest and Lee, "On Tradeoffs Between Document Signature Methods for a Legal Due Diligence
Corpus" (SIGIR 2019): MD5, SHA-1, SHA-256 and SHA-512 of every character 4-gram, each cut to its first N/4 bits;

    signature  =  min MD5 | min SHA-1 | min SHA-256 | min SHA-512

The paper finds that it fails: with four functions a few common n-grams decide, and most texts of a collection share
some of the four values. It is here to show that, not to find anything with.

Where we depart from the paper. It does not say what to do with a digest that is shorter than N/4 bits; we extend it by
digests of (digest, counter).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import I64, U8, U64
from truecopy.kernels.minhash import smallest_digests
from truecopy.sign.bits import SIZES, check_bits, distance, distances, value
from truecopy.sign.family import Description, Parameter, must_be_made_by, must_be_of, refuse_containment
from truecopy.sign.grams import NGRAM, Digests, check_grams, distinct, extended, must_have, portions, profiled
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

__all__ = ["containment", "describe", "distance", "distances", "sign", "spec", "value"]

NAME = "minhash4"
VERSION = 1
FUNCTIONS = ("md5", "sha1", "sha256", "sha512")


def describe() -> Description:
    """What it is, costs and can tell."""
    return Description(
        NAME,
        "Roegiest 2019",
        "the smallest n-gram hash under each of four functions, cut to a quarter of the bits",
        (
            Parameter("bits", 64, "length of the signature", SIZES),
            Parameter("ngram", NGRAM, "code points in an n-gram, 1 to 8"),
            Parameter("profile", "verbatim", "the form of the text that is signed", ("verbatim", "plain")),
        ),
        8,
        "bits / 8",
        "equality, Hamming distance",
        limits=(
            "It cannot tell containment.",
            "Different texts of one language often have equal signatures, as the paper found.",
        ),
    )


def spec(bits: int = 64, ngram: int | None = None, profile: str | None = None) -> Spec:
    """Its parameters, checked."""
    check_bits(bits)
    ngram, profile = check_grams(ngram, profile, None)
    return Spec.make(NAME, VERSION, bits=bits, ngram=ngram, profile=profile)


_make = spec  # the parameter of `sign` has the same name


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: Statistics | None = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sign texts, given as str or as UTF-8."""
    must_be_of(NAME, spec)
    must_have(spec, statistics)
    must_be_made_by(_make, spec)
    given = dict(spec.parameters)
    bits, ngram = int(given["bits"]), int(given["ngram"])
    quarter = bits // 4
    words = -(-quarter // 64)
    minima = np.zeros((len(texts), len(FUNCTIONS) * words), np.uint64)
    reliable = np.zeros(len(texts), np.bool_)
    digests = _digests(quarter, words)

    def work(data: U8, offsets: I64, first: int) -> None:
        last = first + len(offsets) - 1
        reliable[first:last] = np.diff(offsets) > 0
        for begin, end in portions(offsets):
            some = offsets[begin : end + 1]
            grams = distinct(data, some, ngram)
            rows, numbers = digests.rows(data, some, grams, ngram)
            smallest_digests(rows, len(FUNCTIONS), numbers, grams.offsets, minima[first + begin : first + end])

    in_parts(profiled(texts, str(given["profile"])), threads, work)
    return Signatures(spec, _joined(minima, quarter), reliable, names(ids, len(texts)))


def _digests(quarter: int, words: int) -> Digests:
    """For each function the first bits of an n-gram's digest, in words, most significant first, padded with zeros."""
    size = max(1, quarter // 8)
    makers = [extended(name, size) for name in FUNCTIONS]

    def digest(data: bytes) -> bytes:
        return b"".join([make(data) for make in makers])

    def rows(digests: U8) -> U64:
        whole = np.zeros((len(digests), len(FUNCTIONS), 8 * words), np.uint8)
        whole[:, :, :size] = digests.reshape(len(digests), len(FUNCTIONS), size)
        if quarter < 8:
            whole &= 0xF0  # four bits are half a byte
        return whole.reshape(len(digests), -1).view(">u8").astype(np.uint64)

    return Digests(digest, rows, len(FUNCTIONS) * words)


def _joined(minima: U64, quarter: int) -> U8:
    """The four minima one after the other, most significant bit first."""
    each = minima.shape[1] // len(FUNCTIONS)
    rows = minima.astype(">u8").view(np.uint8).reshape(len(minima), len(FUNCTIONS), 8 * each)
    bits = np.unpackbits(rows, axis=2)[:, :, :quarter]
    return np.packbits(bits.reshape(len(minima), len(FUNCTIONS) * quarter), axis=1)


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment(NAME, "the n-grams of a long text push out those of a short one")
