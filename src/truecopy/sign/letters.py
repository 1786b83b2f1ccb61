"""`letters`: how often each letter and digit occurs.

Stroz Friedberg's paper on similar document detection for e-discovery. A document is the vector of how often A to Z,
a to z and 0 to 9 occur in it, 62 numbers. Documents x are similar to a query q (formula 3) where

    |x − q|₂ ≤ γ · |q|₂,     γ = 0.025: in the paper, 99 % of such pairs share 95 % of their characters.

`sign/projections.py` has the paper's one-dimensional searches for them.

Where we depart from it, and why:

* A Russian or Chinese text has almost none of the 62, and all such texts would look alike. `alphabet=extended` counts
  other letters and digits too, in 194 places that a hash gives them. Under `latin`, the paper's alphabet, a text is
  flagged if fewer than half of its letters and digits are counted.
* The sums are exact integers, compared as fractions: a pair exactly at γ is in, on every machine.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from truecopy.array_types import F64, I64, U8, U16
from truecopy.errors import BadSetting
from truecopy.kernels.arrays import read_only
from truecopy.kernels.letters import LATIN, PLACES, count_letters, squared_distances
from truecopy.sign.code_points import letters_and_numbers
from truecopy.sign.family import Description, Parameter, choose, must_be_made_by, must_be_of, refuse_containment
from truecopy.sign.hashes import mixed
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.spec import Spec
from truecopy.text.unicode_tables import UNICODE

if TYPE_CHECKING:
    from truecopy.sign.statistics import Statistics

VERSION = 1
GAMMA = 0.025
"""The paper's γ."""
_WIDTHS = {"latin": LATIN, "extended": PLACES}
_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"


def describe() -> Description:
    """What the family is and can tell."""
    alphabet = Parameter(
        "alphabet", "latin", "whose letters are counted: the paper's 62, or all scripts'", tuple(_WIDTHS)
    )
    return Description(
        name="letters",
        paper="Stroz Friedberg",
        summary="how often each letter and digit occurs",
        parameters=(alphabet,),
        bytes=4 * LATIN,
        size="4 bytes a count: 248 bytes for latin, 1,024 for extended",
        compared_by="Euclidean distance",
        scripts="latin, or extended",
        limits=(
            "Texts with the same letters in another order have the same signature.",
            "It finds texts that are nearly equal; small changes of a short text already exceed its usual threshold.",
        ),
    )


def spec(alphabet: str = "latin") -> Spec:
    """The spec of letter counts: `latin` has the paper's 62, `extended` 256 for all scripts."""
    choose("alphabet", alphabet, _WIDTHS)
    return Spec.make("letters", VERSION, alphabet=alphabet, unicode=UNICODE)


_make = spec  # the parameter of `sign` has the same name


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: Statistics | None = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
) -> Signatures:
    """Count the letters of texts, given as str or as UTF-8.

    >>> found = sign(["Aa 11"], spec())
    >>> found.values[0].nonzero()[0].tolist(), int(found.values.sum())
    ([0, 26, 53], 4)
    """
    must_be_of("letters", spec)
    must_be_made_by(_make, spec)
    if statistics is not None:
        raise BadSetting("Statistics were given to letters, which count without any.", "Leave the statistics out.")
    named = names(ids, len(texts))
    width = _WIDTHS[str(dict(spec.parameters)["alphabet"])]
    counts, reliable = np.empty((len(texts), width), np.uint32), np.empty(len(texts), bool)
    place_of = places()

    def work(data: U8, offsets: I64, first: int) -> None:
        here = slice(first, first + len(offsets) - 1)
        count_letters(data, offsets, place_of, counts[here], reliable[here])

    in_parts(texts, threads, work)
    return Signatures(spec, counts, reliable, named)


@functools.lru_cache(maxsize=1)
def places() -> U16:
    """The place of every code point among the counts; 256 where it is not counted."""
    counted = letters_and_numbers()
    other = LATIN + mixed(np.arange(len(counted), dtype=np.uint64)) % np.uint64(PLACES - LATIN)
    found = np.where(counted, other, PLACES)
    found[np.frombuffer(_ALPHABET, np.uint8)] = np.arange(LATIN)
    return read_only(found.astype(np.uint16))


def value(signatures: Signatures, text: int) -> list[int]:
    """One text's counts."""
    counts: list[int] = signatures[text].tolist()
    return counts


def distance(a: Signatures, i: int, b: Signatures, j: int) -> float:
    """The Euclidean distance of two texts' counts."""
    return math.sqrt(_squared(a, i, b, j))


def distances(a: Signatures, b: Signatures) -> F64:
    """The distance of every text of one set from every text of the other."""
    a.spec.must_equal(b.spec)
    must_be_of("letters", a.spec)
    squared = np.empty((len(a), len(b)), np.int64)
    squared_distances(read_only(a.values), read_only(b.values), squared)
    return np.sqrt(squared)


def within(a: Signatures, i: int, b: Signatures, j: int, gamma: float = GAMMA) -> bool:
    """Whether text j of `b` is as near to the query, text i of `a`, as the paper asks (its formula 3)."""
    _check_gamma(gamma)
    share = Fraction(str(gamma))  # what was written: 0.025 is 1/40, though no machine number is
    query = a[i].astype(np.int64)
    return _squared(a, i, b, j) <= share * share * int((query * query).sum())


def norms(signatures: Signatures) -> tuple[F64, I64]:
    """|x|₂ and |x|₁ of every text, by which the paper filters before it searches.

    |x|₂ differs from |q|₂ by no more than the distance, so that filter loses nothing. |x|₁ may differ by more: the
    paper's second filter, ||x|₁ − |q|₁| ≤ γ · |q|₂, loses some pairs (in the paper, 0.7 % of all at γ = 0.025).
    """
    must_be_of("letters", signatures.spec)
    counts = signatures.values.astype(np.int64)
    return np.sqrt((counts * counts).sum(axis=1)), counts.sum(axis=1)


def _squared(a: Signatures, i: int, b: Signatures, j: int) -> int:
    a.spec.must_equal(b.spec)
    must_be_of("letters", a.spec)
    difference = a[i].astype(np.int64) - b[j].astype(np.int64)
    return int((difference * difference).sum())


def _check_gamma(gamma: float) -> None:
    if isinstance(gamma, bool) or not isinstance(gamma, int | float) or not 0 <= gamma < math.inf:
        raise BadSetting(f"The parameter gamma was given as {gamma!r}, but it must be 0 or more.", "Leave it at 0.025.")


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment("letters", "counts of a whole say little about a part")
