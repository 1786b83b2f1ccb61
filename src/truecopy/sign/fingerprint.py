"""`fingerprint`: one key for a text, made from six rare words and their positions.

Paper: Conrad, Guo and Schriber, Online Duplicate Document Detection (CIKM 2003), section 6. Words with an idf over 0.8
are skipped (they are mostly misspellings). The six words of highest idf among the others, with their positions relative
to each other, are written as

    prevarication[79] hostage[0] conspicuous[21] intransigence[123] brutality[163] theater[13]

and hashed by SHA-1; key and length in words are the signature. Offsets may be rounded up to bins of 10, 25 or n, so
that small insertions do not change the key. Two texts are the same where their keys are, and their lengths differ by no
more than "a designated (small) percentage": here 5.

Where we depart from it, and why: the paper leaves out headings, which plain text does not show. A fingerprint of fewer
words than asked for is flagged, and never equal to another: otherwise all texts without a rare word would be equal.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import NoReturn

import numpy as np

from truecopy.array_types import F64, I64, U8, Flags, Values
from truecopy.kernels.secret import SECRET
from truecopy.kernels.terms import choose_terms
from truecopy.sign.family import Description, Parameter, between, must_be_made_by, must_be_of, refuse_containment, whole
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.sign.term_table import TermScratch, TermTable, statistics_id, statistics_of, term_table
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.threshold import WHOLE, ten_thousandths

VERSION = 1
TERMS, BIN, RAREST = 6, 0, 0.8
LENGTH = 5
"""Per cent by which the lengths of equal texts may differ."""
_KEY = 20


def describe() -> Description:
    """What the family is and can tell."""
    return Description(
        name="fingerprint",
        paper="Conrad 2003",
        summary="a key of six rare words with their places, and the length",
        parameters=(
            Parameter("terms", TERMS, "words in the key, 1 to 64"),
            Parameter("bin", BIN, "offsets are rounded up to a multiple of it, 0 to 10,000; the paper has 0, 10, 25"),
            Parameter("rarest", RAREST, "words with an idf above it are skipped, 0 to 1"),
            Parameter("statistics", "legal-english", "which words are rare"),
        ),
        bytes=_KEY + 4,
        size="20 bytes of key and 4 of length",
        compared_by="equality",
        order=True,
        weights=True,
        scripts="by statistics",
        limits=(
            "It is for copies: any change that adds or moves one of the words gives another key.",
            "Texts with fewer such words than asked for are flagged, and never count as equal.",
        ),
    )


def spec(terms: int = TERMS, bin: int = BIN, rarest: float = RAREST, statistics: Statistics | None = None) -> Spec:
    """The spec of fingerprints: with statistics, or those in the package."""
    whole("terms", terms, 1, 64)
    whole("bin", bin, 0, 10_000)
    between("rarest", rarest, 0, 1)
    known = statistics_id(statistics)
    return Spec.make(
        "fingerprint", VERSION, terms=terms, bin=bin, rarest=float(rarest), statistics=known, unicode=UNICODE
    )


_make = spec  # the parameter of `sign` has the same name


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: Statistics | None = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Sign texts, given as str or as UTF-8, with the statistics that the spec names."""
    must_be_of("fingerprint", spec)
    known = statistics_of(spec, statistics)
    must_be_made_by(_make, spec, statistics=known)
    table = term_table(known)
    parameters = dict(spec.parameters)
    named = names(ids, len(texts))
    terms, bin = int(parameters["terms"]), int(parameters["bin"])
    least = table.first_below(float(parameters["rarest"]))
    rows, reliable = np.empty((len(texts), _KEY + 4), np.uint8), np.empty(len(texts), bool)
    local = threading.local()

    def work(data: U8, offsets: I64, first: int) -> None:
        if not hasattr(local, "scratch"):
            local.scratch = TermScratch(table)
        scratch: TermScratch = local.scratch
        here = slice(first, first + len(offsets) - 1)
        found = scratch.tokenizer(data, offsets)
        chosen, positions = (np.empty((len(offsets) - 1, terms), np.int64) for _ in range(2))
        choose_terms(
            found.hashes, found.offsets, table.keys, table.numbers, SECRET,
            scratch.bits, scratch.summary, scratch.firsts, least, chosen, positions,
        )  # fmt: skip
        keys = [_key(table, *each, bin) for each in zip(chosen, positions, strict=True)]
        rows[here, :_KEY] = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY)
        rows[here, _KEY:] = np.diff(found.offsets).astype("<u4")[:, None].view(np.uint8)
        reliable[here] = (chosen >= 0).all(axis=1)

    in_parts(texts, threads, work)
    return Signatures(spec, rows, reliable, named)


def value(signatures: Signatures, text: int) -> list[str | int]:
    """One text's key in hex, and its length in words."""
    return [signatures[text][:_KEY].tobytes().hex(), int(_lengths(signatures[text][None])[0])]


def similarity(a: Signatures, i: int, b: Signatures, j: int, length: float = LENGTH) -> float:
    """100 where two texts have the same key and nearly the same length, and both are reliable; else 0."""
    one, other = (a[i][None], a.reliable[[i]]), (b[j][None], b.reliable[[j]])
    return float(_similarities(a, *one, b, *other, length)[0, 0])


def similarities(a: Signatures, b: Signatures, length: float = LENGTH) -> F64:
    """The same for every text of one set and every text of the other."""
    return _similarities(a, a.values, a.reliable, b, b.values, b.reliable, length)


def _similarities(
    a: Signatures, rows: Values, sure: Flags, b: Signatures, others: Values, other_sure: Flags, length: float
) -> F64:
    a.spec.must_equal(b.spec)
    must_be_of("fingerprint", a.spec)
    between("length", length, 0, 100)
    shortest = WHOLE - ten_thousandths(length, "length") if length else WHOLE
    _, numbers = np.unique(np.concatenate([rows[:, :_KEY], others[:, :_KEY]]), axis=0, return_inverse=True)
    numbers = numbers.reshape(-1)
    equal = numbers[: len(rows), None] == numbers[None, len(rows) :]
    one, two = _lengths(rows)[:, None], _lengths(others)[None]
    near = WHOLE * np.minimum(one, two) >= shortest * np.maximum(one, two)
    return np.where(equal & near & sure[:, None] & other_sure[None], 100.0, 0.0)


def as_keys(signatures: Signatures) -> tuple[Values, I64]:
    """The key and the length of each text."""
    must_be_of("fingerprint", signatures.spec)
    return np.ascontiguousarray(signatures.values[:, :_KEY]), _lengths(signatures.values)


def _lengths(rows: Values) -> I64:
    return np.ascontiguousarray(rows[:, _KEY:]).view("<u4")[:, 0].astype(np.int64)


def _key(table: TermTable, chosen: I64, positions: I64, bin: int) -> bytes:
    """SHA-1 of the words with their offsets."""
    known = chosen >= 0
    words, places = chosen[known].tolist(), positions[known].tolist()
    offsets = [place - min(places) for place in places]
    if bin:
        offsets = [-(-offset // bin) * bin for offset in offsets]
    written = " ".join(f"{table.word(word)}[{offset}]" for word, offset in zip(words, offsets, strict=True))
    return hashlib.sha1(written.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest()


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment("fingerprint", "a key is equal or it is not")
