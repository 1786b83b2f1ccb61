"""`simhash`: for each bit, whether more of a text's n-grams have a 1 there than a 0.

Charikar 2002, as Roegiest and Lee use it in "On Tradeoffs Between Document Signature Methods for a Legal Due Diligence
Corpus" (SIGIR 2019): character 4-grams of the text as it is, one hash for every occurrence,

    bit i = 1  where  #{n-grams whose hash has a 1 at i}  >  #{n-grams whose hash has a 0 at i}

The share of bits in which two signatures differ estimates the angle between the n-gram counts over π.

Where we depart from the paper. The paper hashes with SHA-3's extendable form; that is `hash="shake256"`, and its trial
with SHA-512 is `hash="sha512"`. The default, `fast`, mixes the n-gram's bytes: the paper needs bits that are even and
independent, not bits that are hard to forge. `statistics` weights each distinct n-gram as TopSig does, which the paper
leaves as an open question. Characters are code points, so a 4-gram is four letters in every script.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import I64, U8, U64
from truecopy.kernels.simhash import simhash_fast, simhash_rows, simhash_weighted
from truecopy.sign.bits import SIZES, as_bytes, check_bits, distance, distances, value, words_of
from truecopy.sign.family import Description, Parameter, choose, must_be_made_by, must_be_of, refuse_containment
from truecopy.sign.grams import NGRAM, Digests, Weights, check_grams, distinct, extended, must_have, portions, profiled
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

__all__ = ["containment", "describe", "distance", "distances", "sign", "spec", "value"]

NAME = "simhash"
VERSION = 1
HASHES = ("fast", "shake256", "sha512")


def describe() -> Description:
    """What it is, costs and can tell."""
    return Description(
        NAME,
        "Roegiest 2019",
        "one bit for each hash bit that most n-grams of the text have set",
        (
            Parameter("bits", 64, "length of the signature", SIZES),
            Parameter("hash", "fast", "the hash of an n-gram; shake256 is the paper's", HASHES),
            Parameter("ngram", NGRAM, "code points in an n-gram, 1 to 8"),
            Parameter("profile", "verbatim", "the form of the text that is signed", ("verbatim", "plain")),
            Parameter("statistics", None, "weigh n-grams by these collection statistics"),
        ),
        8,
        "bits / 8",
        "Hamming distance",
        weights=True,
        limits=(
            "It cannot tell containment: a long text outweighs the short one that it holds.",
            "Short texts of one language differ in few bits.",
        ),
    )


def spec(
    bits: int = 64,
    hash: str = "fast",
    ngram: int | None = None,
    profile: str | None = None,
    statistics: Statistics | None = None,
) -> Spec:
    """Its parameters, checked."""
    check_bits(bits)
    choose("hash", hash, HASHES)
    ngram, profile = check_grams(ngram, profile, statistics)
    weighted = {} if statistics is None else {"statistics": statistics.id}
    return Spec.make(NAME, VERSION, bits=bits, hash=hash, ngram=ngram, profile=profile, **weighted)


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
    must_be_made_by(_make, spec, statistics=statistics)
    given = dict(spec.parameters)
    bits, ngram = int(given["bits"]), int(given["ngram"])
    words = np.zeros((len(texts), words_of(bits)), np.uint64)
    reliable = np.zeros(len(texts), np.bool_)
    weights = None if statistics is None else Weights(statistics)
    digests = _digests(str(given["hash"]), bits)

    def work(data: U8, offsets: I64, first: int) -> None:
        last = first + len(offsets) - 1
        reliable[first:last] = np.diff(offsets) > 0
        if digests is None and weights is None:
            simhash_fast(data, offsets, ngram, words[first:last])
            return
        for begin, end in portions(offsets):
            some, out = offsets[begin : end + 1], words[first + begin : first + end]
            grams = distinct(data, some, ngram)
            counts = grams.counts if weights is None else weights.of(grams)
            if digests is None:
                simhash_weighted(grams.hashes, counts, grams.offsets, out)
            else:
                simhash_rows(*digests.rows(data, some, grams, ngram), counts, grams.offsets, out)

    in_parts(profiled(texts, str(given["profile"])), threads, work)
    return Signatures(spec, as_bytes(words, bits), reliable, names(ids, len(texts)))


def _digests(hash_name: str, bits: int) -> Digests | None:
    """The cryptographic hash that was asked for, if any."""
    if hash_name == "fast":
        return None
    size, words = bits // 8, words_of(bits)
    shake = hashlib.shake_256
    digest = extended("sha512", size) if hash_name == "sha512" else lambda data: shake(data).digest(size)

    def rows(digests: U8) -> U64:
        whole = np.zeros((len(digests), 8 * words), np.uint8)
        whole[:, :size] = digests
        return whole.view("<u8").astype(np.uint64)

    return Digests(digest, rows, words)


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment(NAME, "a long text outweighs the short one that it holds")
