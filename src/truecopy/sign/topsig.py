"""`topsig`: the signs of a sum of sparse random vectors, one for each n-gram.

Geva and De Vries, "TOPSIG: Topology Preserving Document Signatures" (CIKM 2011), as Roegiest and Lee use it ("On
Tradeoffs Between Document Signature Methods for a Legal Due Diligence Corpus", SIGIR 2019): each character 4-gram has
a vector over {-1, 0, +1} in which about one entry in √N is not 0,

    bit i = 1  where  Σ  w(t) · vector(t)[i]  >  0

over every occurrence with w = 1 (unweighted), or over the distinct n-grams t of the text with

    w(t) = log( (tf / |d|) / (cf / |C|) )

by collection statistics (weighted): what is common everywhere counts little, or counts against.

Where we depart from the paper. It keeps the vectors in a database; here a vector follows from the n-gram's hash and a
seed, so nothing is stored or looked up and every machine has the same. Negative weights are kept, as the formula says;
`negative="drop"` leaves them out. An n-gram that is not in the statistics counts as if it occurred in this text only
(cf = tf). Weights are rounded to 1/65536 so that sums do not depend on their order.

Signing is online: statistics are frozen, and a text is signed by itself as it arrives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import I64, U8
from truecopy.errors import BadSetting
from truecopy.kernels.topsig import topsig_grams, topsig_weighted
from truecopy.sign.bits import SIZES, as_bytes, check_bits, distance, distances, value, words_of
from truecopy.sign.family import Description, Parameter, choose, must_be_made_by, must_be_of, refuse_containment, whole
from truecopy.sign.grams import NGRAM, Weights, check_grams, distinct, must_have, portions, profiled
from truecopy.sign.hashes import mix
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

__all__ = ["containment", "describe", "distance", "distances", "sign", "spec", "value"]

NAME = "topsig"
VERSION = 1
NEGATIVE = ("keep", "drop")
_STEPS = 256
"""Densities are multiples of one over this."""


def describe() -> Description:
    """What it is, costs and can tell."""
    return Description(
        NAME,
        "Roegiest 2019",
        "the signs of a sum of sparse random vectors, one for each n-gram, weighted by statistics or not",
        (
            Parameter("bits", 64, "length of the signature", SIZES),
            Parameter("statistics", None, "weigh n-grams by these collection statistics"),
            Parameter("density", None, "share of entries that are not 0; one over the root of bits if left out"),
            Parameter("seed", 1, "which random vectors, 0 to 2**63 - 1"),
            Parameter("negative", "keep", "what becomes of weights below 0", NEGATIVE),
            Parameter("ngram", NGRAM, "code points in an n-gram, 1 to 8"),
            Parameter("profile", "verbatim", "the form of the text that is signed", ("verbatim", "plain")),
        ),
        8,
        "bits / 8",
        "Hamming distance",
        weights=True,
        limits=(
            "It cannot tell containment: a long text outweighs the short one that it holds.",
            "Weighted signatures can only be compared where the statistics are the same.",
        ),
    )


def spec(
    bits: int = 64,
    statistics: Statistics | None = None,
    density: float | None = None,
    seed: int = 1,
    negative: str = "keep",
    ngram: int | None = None,
    profile: str | None = None,
) -> Spec:
    """Its parameters, checked; the density as it is used."""
    check_bits(bits)
    ngram, profile = check_grams(ngram, profile, statistics)
    choose("negative", negative, NEGATIVE)
    whole("seed", seed, 0, (1 << 63) - 1)
    if density is None:
        density = 1 / math.sqrt(bits)
    elif isinstance(density, bool) or not isinstance(density, int | float) or not 1 / (2 * _STEPS) <= density <= 1:
        raise BadSetting(
            f"The parameter density was given as {density!r}, but it must be over 0 (1/512 at least) and at most 1.",
            "Choose another value, or leave density out.",
        )
    used = max(1, round(density * _STEPS)) / _STEPS
    parameters: dict[str, int | float | str] = {"bits": bits, "density": used, "seed": seed, "negative": negative}
    if statistics is not None:
        parameters["statistics"] = statistics.id
    return Spec.make(NAME, VERSION, ngram=ngram, profile=profile, **parameters)


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
    weights = None if statistics is None else Weights(statistics, str(given["negative"]))
    digits, draws = _fraction(float(given["density"]))
    seed = np.uint64(mix(int(given["seed"])))

    def work(data: U8, offsets: I64, first: int) -> None:
        last = first + len(offsets) - 1
        reliable[first:last] = np.diff(offsets) > 0
        if weights is None:
            topsig_grams(data, offsets, ngram, seed, digits, draws, words[first:last])
            return
        for begin, end in portions(offsets):
            grams = distinct(data, offsets[begin : end + 1], ngram)
            out = words[first + begin : first + end]
            topsig_weighted(grams.hashes, weights.of(grams), grams.offsets, seed, digits, draws, out)

    in_parts(profiled(texts, str(given["profile"])), threads, work)
    return Signatures(spec, as_bytes(words, bits), reliable, names(ids, len(texts)))


def _fraction(density: float) -> tuple[int, int]:
    """A density as digits / 2**draws in lowest terms; 1 is no draw at all."""
    digits, draws = round(density * _STEPS), 8
    while digits % 2 == 0 and draws:
        digits, draws = digits // 2, draws - 1
    return digits, draws


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment(NAME, "a long text outweighs the short one that it holds")
