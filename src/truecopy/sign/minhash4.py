"""`minhash4`: the smallest of a text's n-gram hashes under each of four hash functions.

The simple MinHash of Roegiest and Lee, "On Tradeoffs Between Document Signature Methods for a Legal Due Diligence
Corpus" (SIGIR 2019): MD5, SHA-1, SHA-256 and SHA-512 of every character 4-gram, each cut to its first N/4 bits;

    signature  =  min MD5 | min SHA-1 | min SHA-256 | min SHA-512

The paper finds that it fails: with four functions a few common n-grams decide, and most texts of a collection share
some of the four values. It is here so that this can be seen, and not to be used for finding anything.

Where we depart from the paper. It does not say what becomes of a digest that is shorter than N/4 bits; here it is
extended by digests of (digest, counter).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from truecopy.kernels.minhash import smallest_digests
from truecopy.sign.bits import SIZES, check_bits, distance, distances, value
from truecopy.sign.family import Description, Parameter, must_be_of
from truecopy.sign.grams import NGRAM, Digests, check_grams, distinct, extended, must_have, profiled
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec

__all__ = ["describe", "distance", "distances", "sign", "spec", "value"]

Array = npt.NDArray[Any]

NAME = "minhash4"
VERSION = 1
FUNCTIONS = ("md5", "sha1", "sha256", "sha512")


def describe() -> Description:
    """What it is, costs and can tell."""
    return Description(
        NAME,
        "Roegiest and Lee 2019",
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
            "Unlike texts of one language often have equal signatures, as the paper found.",
        ),
    )


def spec(bits: int = 64, ngram: int = NGRAM, profile: str = "verbatim") -> Spec:
    """Its parameters, checked."""
    check_bits(bits)
    check_grams(ngram, profile, None)
    return Spec.make(NAME, VERSION, bits=bits, ngram=ngram, profile=profile)


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
    given = dict(spec.parameters)
    bits, ngram = int(given["bits"]), int(given["ngram"])
    quarter = bits // 4
    words = -(-quarter // 64)
    minima = np.zeros((len(texts), len(FUNCTIONS) * words), np.uint64)
    reliable = np.zeros(len(texts), np.bool_)
    digests = Digests(_row(quarter, words), len(FUNCTIONS) * words, ngram)

    def work(data: Array, offsets: Array, first: int) -> None:
        last = first + len(offsets) - 1
        reliable[first:last] = np.diff(offsets) > 0
        grams = distinct(data, offsets, ngram)
        smallest_digests(*_arguments(digests.rows(data, offsets, grams)), grams.offsets, minima[first:last])

    in_parts(profiled(texts, str(given["profile"])), threads, work)
    return Signatures(spec, _joined(minima, quarter), reliable, names(ids, len(texts)))


def _arguments(found: tuple[Array, Array]) -> tuple[Array, int, Array]:
    rows, numbers = found
    return rows, len(FUNCTIONS), numbers


def _row(quarter: int, words: int) -> Any:
    """n-gram → for each function the first bits of its digest, in words, most significant first, filled up by zeros."""
    makers = [extended(name, max(1, quarter // 8)) for name in FUNCTIONS]
    spare = -quarter % 8  # four bits are half a byte

    def row(data: bytes) -> Array:
        cut = b"".join(_first_bits(make(data), spare).ljust(8 * words, b"\0") for make in makers)
        return np.frombuffer(cut, ">u8").astype(np.uint64)

    return row


def _first_bits(digest: bytes, spare: int) -> bytes:
    return digest if not spare else bytes([digest[0] >> spare << spare])


def _joined(minima: Array, quarter: int) -> Array:
    """The four minima one after the other, most significant bit first."""
    rows = minima.astype(">u8").view(np.uint8).reshape(len(minima), len(FUNCTIONS), -1)
    bits = np.unpackbits(rows, axis=2)[:, :, :quarter]
    return np.packbits(bits.reshape(len(minima), -1), axis=1)
