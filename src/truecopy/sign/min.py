"""`min`: the n smallest window fingerprints.

Cherkasova and others 2009 (Min_n, after Broder, Glassman, Manasse and Zweig 1997): the n numerically smallest
fingerprints of a document's windows, all where there are fewer.

The paper estimates resemblance by shared entries over entries of either (`paper`). That is biased: where the two
signatures differ, it looks at more than n entries of the union, and those after the n-th are in both signatures less
often than in both documents. So by default (`unbiased`) we take the n smallest entries of the two together and count
how many are in both (Broder 1997, theorem 1): those n are a random sample of the union. The default fingerprint is
ours as well (sign/windows.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import F64, I64, U8
from truecopy.kernels.windows import min_sets
from truecopy.sign import windows
from truecopy.sign.family import Description, Parameter, choose, refuse_containment
from truecopy.sign.parts import Text
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec

NAME = "min"
VERSION = windows.VERSION


def describe() -> Description:
    """What min is, costs and can tell."""
    return Description(
        name=NAME,
        paper=windows.PAPER,
        summary="the n smallest fingerprints of byte windows",
        parameters=(
            windows.WINDOW_PARAMETER,
            Parameter("n", windows.ENTRIES, "entries of a signature, 1 to 65,536"),
            windows.HASH_PARAMETER,
        ),
        bytes=8 * windows.ENTRIES,
        size="8 bytes an entry; n entries, fewer only for texts of fewer windows",
        compared_by="resemblance",
        containment=False,
        order=False,
        limits=(
            "It cannot tell containment: the smallest fingerprints of a part may not be among the whole's.",
            "It knows which windows a text has, but neither their order nor how often each occurs.",
            "It takes the text byte by byte: other case, spacing or encoding are differences.",
        ),
    )


def spec(*, window: int = windows.WINDOW, n: int = windows.ENTRIES, hash: str = "fast") -> Spec:
    """The spec of min signatures.

    >>> str(spec())
    'min/1(hash=fast, n=100, window=20)'
    """
    return windows.make_spec(NAME, window, n, hash)


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: object = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sign texts."""
    given = windows.settings(NAME, spec, statistics)
    prints, n = windows.Fingerprints.of(given["window"], given["hash"]), given["n"]

    def work(data: U8, offsets: I64) -> windows.Run:
        out = np.empty(int(np.minimum(np.diff(offsets), n).sum()), np.uint64)
        ends = np.zeros(len(offsets), np.int64)
        min_sets(data, offsets, *prints.arguments, n, out, ends)
        return out[: ends[-1]], ends

    return windows.sign_sets(texts, spec, threads, ids, work)


def value(signatures: Signatures, text: int) -> list[int]:
    """One signature as JSON holds it."""
    return windows.entries(signatures, text)


def similarity(a: Signatures, i: int, b: Signatures, j: int, estimator: str = "unbiased") -> float:
    """Estimated resemblance of two texts, 0 to 100; 0 where both are empty."""
    return float(similarities(windows.one(a, i), windows.one(b, j), estimator)[0, 0])


def similarities(a: Signatures, b: Signatures, estimator: str = "unbiased") -> F64:
    """The same for each text of a with each of b; `paper` is shared entries over entries of either."""
    choose("estimator", estimator, windows.ESTIMATORS)
    limit = int(dict(a.spec.parameters)["n"]) if estimator == "unbiased" else None
    return windows.percent(*windows.overlap(NAME, a, b, limit))


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """Refused: min cannot tell it."""
    refuse_containment(NAME, "the n smallest fingerprints of a part may have none in common with those of the whole")
