"""`mod`: the window fingerprints that n divides.

Cherkasova and others 2009 (Mod_n, after Broder, Glassman, Manasse and Zweig 1997): S_n(D) = {F(v): v a window of D,
F(v) mod n = 0}. Whether a window is kept does not depend on its neighbors. So shared entries over entries of either
estimate resemblance, and shared entries over entries of one document estimate how much of it is in the other.

We depart in the default fingerprint (sign/windows.py), and keep each fingerprint once, because the paper defines sets.
The estimate is a ratio: given how many entries the two have together, it has no bias.
"""

from __future__ import annotations

from collections.abc import Sequence

from truecopy.array_types import F64, I64, U8, U64
from truecopy.kernels.windows import mod_sets
from truecopy.sign import windows
from truecopy.sign.family import Description, Parameter, choose
from truecopy.sign.parts import Text
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec

NAME = "mod"
VERSION = windows.VERSION


def describe() -> Description:
    """What mod is, costs and can tell."""
    return Description(
        name=NAME,
        paper=windows.PAPER,
        summary="the fingerprints of byte windows that n divides: one in n, wherever they are",
        parameters=(
            windows.WINDOW_PARAMETER,
            Parameter(
                "n",
                windows.ENTRIES,
                "keep one in n, 1 to 4,294,967,296; auto: a hundred for a mean text",
            ),
            windows.HASH_PARAMETER,
        ),
        bytes=None,
        size="8 bytes an entry; about one entry for n bytes of text",
        compared_by="resemblance",
        containment=True,
        order=False,
        limits=(
            "A text of fewer than a few times n bytes has few entries or none: it is flagged, or estimates are rough.",
            "It knows which windows a text has, but neither their order nor how often each occurs.",
            "It takes the text byte by byte: other case, spacing or encoding are differences.",
        ),
    )


def spec(
    *,
    window: int = windows.WINDOW,
    n: int | str = windows.ENTRIES,
    hash: str = "fast",
    mean_length: float | None = None,
) -> Spec:
    """The spec of mod signatures; `n="auto"` takes the mean length of the texts in bytes.

    >>> str(spec(n="auto", mean_length=50_000))
    'mod/1(hash=fast, n=500, window=20)'
    """
    return windows.make_spec(NAME, window, windows.sampled(n, mean_length), hash)


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
    prints, divisor = windows.Fingerprints.of(given["window"], given["hash"]), windows.divisor(given["n"])

    def fill(data: U8, offsets: I64, first: int, out: U64, spare: U64, ends: I64) -> int:
        return mod_sets(data, offsets, first, *prints.arguments, divisor, out, spare, ends)

    return windows.sign_growing(texts, spec, threads, ids, prints.block, fill)


def value(signatures: Signatures, text: int) -> list[int]:
    """One signature as JSON holds it."""
    return windows.entries(signatures, text)


def similarity(a: Signatures, i: int, b: Signatures, j: int, estimator: str = "unbiased") -> float:
    """Estimated resemblance of two texts, 0 to 100; 0 where neither has an entry."""
    return float(similarities(windows.one(a, i), windows.one(b, j), estimator)[0, 0])


def similarities(a: Signatures, b: Signatures, estimator: str = "unbiased") -> F64:
    """The same for each text of a with each of b; both estimators are shared entries over entries of either."""
    choose("estimator", estimator, windows.ESTIMATORS)
    return windows.percent(*windows.overlap(NAME, a, b))


def containment(a: Signatures, i: int, b: Signatures, j: int) -> float:
    """Estimated share of a text that is in another, 0 to 100; 0 where it has no entry."""
    return windows.containment(NAME, a, i, b, j)
