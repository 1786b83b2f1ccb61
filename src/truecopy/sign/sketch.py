"""`sketch`: for each of n hashes, the smallest over all windows.

Cherkasova and others 2009 (Sketch_n, after Broder, Charikar, Frieze and Mitzenmacher 1998): every window is hashed by
f_1 … f_n, and place i keeps the smallest f_i. The share of equal places estimates resemblance without bias.

`form=n-hash` is the paper's, with multiplication hashes of one fingerprint instead of n hashes of the window's bytes.
By default (`one-permutation`; Li, Owen and Zhang 2012) each window has one place and one value, n times less work. A
place that no window picked borrows from a full one (Shrivastava 2017), so the share of equal places has no bias, for
short texts too. Values are 32 bits: two different windows agree by chance once in four billion times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import F64, I64, U8
from truecopy.kernels.windows import n_hashes, one_permutation
from truecopy.sign import windows
from truecopy.sign.family import Description, Parameter, choose, must_be_of, refuse_containment
from truecopy.sign.hashes import words
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.spec import Spec

NAME = "sketch"
VERSION = windows.VERSION
FORMS = ("one-permutation", "n-hash")


def describe() -> Description:
    """What sketch is, costs and can tell."""
    return Description(
        name=NAME,
        paper=windows.PAPER,
        summary="for each of n hashes, the smallest over all byte windows",
        parameters=(
            windows.WINDOW_PARAMETER,
            Parameter("n", windows.ENTRIES, "places of a sketch, 1 to 65,536"),
            windows.HASH_PARAMETER,
            Parameter("form", FORMS[0], "one hash that picks a place for each window, or the paper's n hashes", FORMS),
        ),
        bytes=4 * windows.ENTRIES,
        size="4 bytes a place",
        compared_by="resemblance",
        containment=False,
        order=False,
        limits=(
            "It cannot tell containment: the smallest fingerprints of a part may not be among the whole's.",
            "It knows which windows a text has, but neither their order nor how often each occurs.",
            "It takes the text byte by byte: other case, spacing or encoding are differences.",
        ),
    )


def spec(*, window: int = windows.WINDOW, n: int = windows.ENTRIES, hash: str = "fast", form: str = FORMS[0]) -> Spec:
    """The spec of sketches.

    >>> str(spec())
    'sketch/1(form=one-permutation, hash=fast, n=100, window=20)'
    """
    choose("form", form, FORMS)
    return windows.make_spec(NAME, window, n, hash, form=form)


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: object = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sign texts."""
    given = windows.settings(NAME, spec, statistics, form=FORMS)
    prints, n = windows.Fingerprints.of(given["window"], given["hash"]), given["n"]
    known = names(ids, len(texts))
    values, reliable = np.empty((len(texts), n), np.uint32), np.empty(len(texts), np.bool_)
    # A hash for each place: a number to combine by exclusive or, and an odd factor.
    others = words(1, n).astype(np.uint32)
    factors = words(2, n).astype(np.uint32) | np.uint32(1)

    def work(data: U8, offsets: I64, first: int) -> None:
        rows = slice(first, first + len(offsets) - 1)
        reliable[rows] = np.diff(offsets) > 0
        if given["form"] == "n-hash":
            n_hashes(data, offsets, *prints.arguments, others, factors, values[rows])
        else:
            one_permutation(data, offsets, *prints.arguments, values[rows])

    in_parts(texts, threads, work)
    return Signatures(spec, values, reliable, known)


def value(signatures: Signatures, text: int) -> list[int]:
    """One signature as JSON holds it."""
    return windows.entries(signatures, text)


def similarity(a: Signatures, i: int, b: Signatures, j: int, estimator: str = "unbiased") -> float:
    """Estimated resemblance of two texts, 0 to 100; 0 where either is empty."""
    return float(similarities(windows.one(a, i), windows.one(b, j), estimator)[0, 0])


def similarities(a: Signatures, b: Signatures, estimator: str = "unbiased") -> F64:
    """The same for each text of a with each of b; both estimators are the share of equal places."""
    choose("estimator", estimator, windows.ESTIMATORS)
    must_be_of(NAME, a.spec)
    a.spec.must_equal(b.spec)
    shares = np.empty((len(a), len(b)), np.float64)
    for i in range(len(a)):
        shares[i] = (b.values == a.values[i]).mean(axis=1) * 100
    shares[~a.reliable] = 0
    shares[:, ~b.reliable] = 0
    return shares


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """Refused: sketch cannot tell it."""
    refuse_containment(NAME, "the smallest fingerprints of a part may have none in common with those of the whole")
