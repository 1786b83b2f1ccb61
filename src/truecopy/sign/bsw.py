"""`bsw`: the smallest window fingerprint of each content-defined chunk.

Cherkasova and others 2009 (BSW_n, after Muthitacharoen, Chen and Mazières 2001): a chunk ends after each window whose
fingerprint n divides, and the signature is the smallest fingerprint of each chunk's windows. `chunks=whole` is the
classic form: a hash of each chunk's bytes.

Resemblance is shared entries over entries of either, and containment shared entries over entries of one. Neither
estimates the resemblance of the texts' windows without bias: a window is kept only if it is the smallest of its chunk,
which depends on its neighbors, so a change can drop entries of windows that did not change. No function of two such
signatures mends that, so there is one estimator, the paper's, and `unbiased` is refused. The paper hashes the smallest
window again; we do not, because equal fingerprints have equal hashes. The default fingerprint is ours
(sign/windows.py), and so is the hash of whole chunks, where the paper has MD5.
"""

from __future__ import annotations

from collections.abc import Sequence

from truecopy.array_types import F64, I64, U8, U64
from truecopy.errors import BadSetting
from truecopy.kernels.windows import bsw_sets
from truecopy.sign import windows
from truecopy.sign.family import Description, Parameter, choose
from truecopy.sign.parts import Text
from truecopy.sign.signatures import Signatures
from truecopy.spec import Spec

NAME = "bsw"
VERSION = windows.VERSION
CHUNKS = ("smallest", "whole")


def describe() -> Description:
    """What bsw is, costs and can tell."""
    return Description(
        name=NAME,
        paper=windows.PAPER,
        summary="the smallest fingerprint of the byte windows of each chunk; chunks end where n divides a fingerprint",
        parameters=(
            windows.WINDOW_PARAMETER,
            Parameter(
                "n",
                windows.ENTRIES,
                "mean bytes of a chunk, 1 to 4,294,967,296; auto: mean text / 100",
            ),
            windows.HASH_PARAMETER,
            Parameter("chunks", CHUNKS[0], "keep each chunk's smallest fingerprint, or hash the whole chunk", CHUNKS),
        ),
        bytes=None,
        size="8 bytes an entry; about one entry for n bytes of text",
        compared_by="resemblance",
        containment=True,
        order=False,
        limits=(
            "Its resemblance is of chunks and has no unbiased form: a window is kept only if it is the smallest of"
            " its chunk, so small changes also drop entries of windows that did not change.",
            "The chunks at both ends of a part differ from the whole's: containment of short parts comes out low.",
            "It knows which chunks a text has, but neither their order nor how often each occurs.",
            "It takes the text byte by byte: other case, spacing or encoding are differences.",
        ),
    )


def spec(
    *,
    window: int = windows.WINDOW,
    n: int | str = windows.ENTRIES,
    hash: str = "fast",
    chunks: str = CHUNKS[0],
    mean_length: float | None = None,
) -> Spec:
    """The spec of bsw signatures; `n="auto"` takes the mean length of the texts in bytes.

    >>> str(spec(n="auto", mean_length=50_000))
    'bsw/1(chunks=smallest, hash=fast, n=500, window=20)'
    """
    choose("chunks", chunks, CHUNKS)
    n = windows.sampled(n, mean_length)
    return windows.make_spec(NAME, window, n, hash, chunks=chunks)


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: object = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sign texts."""
    given = windows.settings(NAME, spec, statistics, chunks=CHUNKS)
    prints, divisor = windows.Fingerprints.of(given["window"], given["hash"]), windows.divisor(given["n"])
    whole = given["chunks"] == "whole"

    def fill(data: U8, offsets: I64, first: int, out: U64, spare: U64, ends: I64) -> int:
        return bsw_sets(data, offsets, first, *prints.arguments, divisor, whole, out, spare, ends)

    return windows.sign_growing(texts, spec, threads, ids, prints.block, fill)


def value(signatures: Signatures, text: int) -> list[int]:
    """One signature as JSON holds it."""
    return windows.entries(signatures, text)


def similarity(a: Signatures, i: int, b: Signatures, j: int, estimator: str = "paper") -> float:
    """Resemblance of the chunks of two texts, 0 to 100; 0 where both are empty."""
    return float(similarities(windows.one(a, i), windows.one(b, j), estimator)[0, 0])


def similarities(a: Signatures, b: Signatures, estimator: str = "paper") -> F64:
    """The same for each text of a with each of b: shared entries over entries of either."""
    choose("estimator", estimator, windows.ESTIMATORS)
    if estimator == "unbiased":
        raise BadSetting(
            "The estimator unbiased was asked of bsw signatures, but which windows they keep depends on the neighbors"
            " of each, and no unbiased estimate can be made of that.",
            "Use the estimator paper, or mod signatures.",
        )
    return windows.percent(*windows.overlap(NAME, a, b))


def containment(a: Signatures, i: int, b: Signatures, j: int) -> float:
    """Share of a text's chunks that are in another, 0 to 100; 0 where it is empty."""
    return windows.containment(NAME, a, i, b, j)
