"""`words`: one-permutation sketches of word shingles, truecopy's default signature.

Li, Owen and Zhang (one permutation hashing, 2012) with Shrivastava's optimal densification (2017), over
shingles of three words (Broder's resemblance, as in Cherkasova 2009). The share of equal places of two
sketches estimates their resemblance without bias.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import F64
from truecopy.kernels.sketch import sketch_words
from truecopy.model import SHINGLE
from truecopy.sign.family import Description, Parameter, must_be_made_by, must_be_of, refuse_containment, whole
from truecopy.sign.grams import must_have
from truecopy.sign.parts import Text, runs, utf8
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.text.batches import tokenized
from truecopy.text.streams import Streams
from truecopy.threads import Pool

NAME = "words"
VERSION = 1
SLOTS = 256
MOST_SLOTS = 1 << 12
"""With few shingles, an empty place takes many tries to find a full one: the cost grows with the square of this."""
_WORDS_AT_ONCE = 1 << 20


def describe() -> Description:
    """What it is, costs and can tell."""
    return Description(
        NAME,
        "Broder 1997, Li 2012, Shrivastava 2017",
        "one-permutation sketch of shingles of three words, truecopy's default",
        (Parameter("slots", SLOTS, "places of the sketch, 1 to 4,096"),),
        4 * SLOTS,
        "4 * slots",
        "resemblance",
        order=True,
        limits=("It cannot tell containment: the shingles of a long text push out those of a short one.",),
    )


def spec(slots: int = SLOTS) -> Spec:
    """The spec of sketches with this many places."""
    whole("slots", slots, 1, MOST_SLOTS)
    return Spec.make(NAME, VERSION, k=SHINGLE, slots=slots, profile="plain", unicode=UNICODE)


_make = spec  # the parameter of `sign` has the same name


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: Statistics | None = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sketch texts, given as str or as UTF-8."""
    must_be_of(NAME, spec)
    must_have(spec, statistics)
    must_be_made_by(_make, spec)
    values = np.empty((len(texts), int(dict(spec.parameters)["slots"])), np.uint32)
    reliable = np.zeros(len(texts), np.bool_)

    def part(bounds: tuple[int, int]) -> None:
        done, last = bounds
        for _, offsets, tokens in tokenized([utf8(text) for text in texts[done:last]]):
            here = len(offsets) - 1
            sketch_words(tokens.hashes, tokens.offsets, values[done : done + here])
            reliable[done : done + here] = np.diff(tokens.offsets) > 0
            done += here

    with Pool(max(threads, 1)) as pool:
        list(pool.map(part, runs(texts, threads)))
    return Signatures(spec, values, reliable, names(ids, len(texts)))


def sign_streams(streams: Streams, threads: int, slots: int = SLOTS) -> Signatures:
    """Sketch texts that are word streams already."""
    made_by = spec(slots)
    values = np.empty((len(streams), slots), np.uint32)

    def part(bounds: tuple[int, int]) -> None:
        first, last = bounds
        offsets = streams.offsets[first : last + 1]
        hashes = streams.hashes[streams.words[offsets[0] : offsets[-1]]]
        sketch_words(hashes, offsets - offsets[0], values[first:last])

    cuts = np.searchsorted(streams.offsets, np.arange(0, int(streams.offsets[-1]) + 1, _WORDS_AT_ONCE))
    edges = np.unique(np.concatenate([[0], cuts, [len(streams)]])).tolist()
    with Pool(threads) as pool:
        list(pool.map(part, itertools.pairwise(edges)))
    return Signatures(made_by, values, streams.lengths > 0, names(None, len(streams)))


def value(signatures: Signatures, text: int) -> list[int]:
    """One sketch as a list."""
    found: list[int] = signatures[text].tolist()
    return found


def similarity(a: Signatures, i: int, b: Signatures, j: int) -> float:
    """The estimated resemblance of two texts, 0 to 100."""
    a.spec.must_equal(b.spec)
    return float(100 * np.mean(a[i] == b[j])) if a.reliable[i] and b.reliable[j] else 0.0


def similarities(a: Signatures, b: Signatures) -> F64:
    """The estimated resemblance of each text of one set to each text of another."""
    a.spec.must_equal(b.spec)
    out = np.empty((len(a), len(b)), np.float64)
    for row in range(len(a)):
        out[row] = 100 * np.mean(b.values == a.values[row], axis=1)
    out[~a.reliable] = 0
    out[:, ~b.reliable] = 0
    return out


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment(NAME, "the shingles of a long text push those of a short one out of its places")
