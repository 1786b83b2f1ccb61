"""`terms`: a text's rarest words, its length and its date.

Papers: Conrad, Guo and Schriber, Online Duplicate Document Detection (CIKM 2003), section 7; Conrad and Raymond on
clauses (ICAIL 2007), sections 4 and 5. A document is the set of its n words of highest idf (60; for clauses 30), with
two bytes of length and two of date: 4 + 3 · 60 = 184 bytes. Two documents are alike where

    100 · shared entries / entries of the longer signature ≥ threshold (80 for documents, 90 for clauses),

lengths differ by no more than 20 %, and dates, if you ask for that, by no more than some weeks (6 or 12). Entries are
compared from the rarest on, until it is certain whether the threshold is reached.

Where we depart from them, and why:

* The papers pad short texts "with entries not found in the table" and do not say which: we take the text's own other
  words in order of first appearance, so that two copies of a short text are padded alike.
  * The papers advise against signatures of fewer than 20 (clauses: 10) terms, and of texts that are mostly numbers: we
  make them, and flag them. A word is a number if it was written with numbers only.
  * A date outside of 1980 to 2159 does not fit into two bytes and is kept as none. Lengths are kept up to 65,535 words;
  that never makes the length filter lose a pair.
  * The second paper adds a hash of the rarest terms and their positions: that is a family of its own, `fingerprint`.
* Percentages are compared in integers.
"""

from __future__ import annotations

import datetime
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from truecopy.array_types import F64, I32, I64, U8, U64, Flags, Values
from truecopy.errors import BadSetting
from truecopy.kernels.arrays import read_only
from truecopy.kernels.secret import SECRET
from truecopy.kernels.terms import (
    HEAD,
    MOST,
    TOO_FAR_IN_TIME,
    TOO_UNLIKE_IN_LENGTH,
    UNUSED,
    compare_terms,
    shared_terms,
    sign_terms,
)
from truecopy.sign.code_points import number_classes
from truecopy.sign.family import (
    Description,
    Parameter,
    between,
    choose,
    must_be_made_by,
    must_be_of,
    refuse_containment,
    whole,
)
from truecopy.sign.parts import Text, in_parts
from truecopy.sign.signatures import Signatures, names
from truecopy.sign.statistics import Statistics
from truecopy.sign.term_table import TermScratch, statistics_id, statistics_of, term_table
from truecopy.spec import Spec
from truecopy.text import UNICODE
from truecopy.threshold import WHOLE, ten_thousandths

VERSION = 1
UNITS = {"document": (60, 20), "clause": (30, 10)}
"""Entries, and the fewest eligible words of a reliable signature."""
THRESHOLD, LENGTH = 80, 20
_DAY_0 = datetime.date(1979, 12, 31).toordinal()


@dataclass(frozen=True, slots=True)
class Compared:
    """What comparing two signatures found."""

    similar: bool
    compared: int
    """How many terms were compared; 0 where a filter decided first."""
    reason: str | None
    """Why terms were not compared; None where they were."""


@dataclass(frozen=True, slots=True)
class AllCompared:
    """What comparing every two signatures of two sets found."""

    similar: Flags
    pairs: int
    """Pairs whose terms were compared; filters decided all others."""
    mean: float
    """Terms compared for one of these pairs, in the mean (0 where there are none)."""
    mean_unlike: float
    """The same for pairs that turned out not to be similar: 15 in the paper."""


def describe() -> Description:
    """What the family is and can tell."""
    return Description(
        name="terms",
        paper="Conrad 2003, Conrad 2007",
        summary="the rarest words of a text, its length and its date",
        parameters=(
            Parameter("terms", None, "entries, 1 to 65,535; 60 for documents and 30 for clauses unless given"),
            Parameter("unit", "document", "what the texts are", tuple(UNITS)),
            Parameter("statistics", "legal-english", "which words are rare"),
        ),
        bytes=HEAD + 3 * UNITS["document"][0],
        size="4 bytes and 3 for each term: 184 bytes for documents, 94 for clauses",
        compared_by="shared terms",
        weights=True,
        scripts="by statistics",
        limits=(
            "It tells that two texts have the same rare words, not that they say the same.",
            "Texts of fewer than 20 eligible words (clauses: 10), and of mostly numbers, are flagged.",
        ),
    )


def spec(terms: int | None = None, unit: str = "document", statistics: Statistics | None = None) -> Spec:
    """The spec of term signatures: with statistics, or those in the package."""
    choose("unit", unit, UNITS)
    size = UNITS[unit][0] if terms is None else terms
    whole("terms", size, 1, 65535)
    return Spec.make("terms", VERSION, terms=size, unit=unit, statistics=statistics_id(statistics), unicode=UNICODE)


_make = spec  # the parameter of `sign` has the same name


def sign(
    texts: Sequence[Text],
    spec: Spec,
    statistics: Statistics | None = None,
    *,
    threads: int = 1,
    ids: Sequence[str] | None = None,
    dates: Sequence[datetime.date | None] | None = None,
) -> Signatures:
    """Sign texts, given as str or as UTF-8, with the statistics that the spec names."""
    must_be_of("terms", spec)
    known = statistics_of(spec, statistics)
    must_be_made_by(_make, spec, statistics=known)
    table = term_table(known)
    parameters = dict(spec.parameters)
    named, days = names(ids, len(texts)), _days(dates, len(texts))
    rows = np.empty((len(texts), HEAD + 3 * int(parameters["terms"])), np.uint8)
    reliable = np.empty(len(texts), bool)
    least, classes, local = UNITS[str(parameters["unit"])][1], number_classes(), threading.local()

    def work(data: U8, offsets: I64, first: int) -> None:
        if not hasattr(local, "scratch"):
            local.scratch = TermScratch(table)
        scratch: TermScratch = local.scratch
        here = slice(first, first + len(offsets) - 1)
        found = scratch.tokenizer(data, offsets)
        sign_terms(
            data, offsets, found.hashes, found.starts, found.ends, found.offsets, table.keys, table.numbers, SECRET,
            classes, scratch.bits, scratch.summary, scratch.firsts, scratch.seen, days[here], least, rows[here],
            reliable[here],
        )  # fmt: skip

    in_parts(texts, threads, work)
    return Signatures(spec, rows, reliable, named)


def value(signatures: Signatures, text: int) -> list[int]:
    """One text's entries, the rarest first, padding last."""
    entries, heads = _unpacked(signatures[text][None])
    found: list[int] = entries[0, : heads[0, 0]].tolist()
    return found


def length(signatures: Signatures, text: int) -> int:
    """The number of words of a text, at most 65,535."""
    return int(_unpacked(signatures[text][None])[1][0, 1])


def date(signatures: Signatures, text: int) -> datetime.date | None:
    """The date of a text, where one was given."""
    day = int(_unpacked(signatures[text][None])[1][0, 2])
    return datetime.date.fromordinal(_DAY_0 + day) if day else None


def similarity(a: Signatures, i: int, b: Signatures, j: int) -> float:
    """The entries that two texts share, of the entries of the longer signature, 0 to 100."""
    return float(_similarities(a, a[i][None], b, b[j][None])[0, 0])


def similarities(a: Signatures, b: Signatures) -> F64:
    """The same for every text of one set and every text of the other."""
    return _similarities(a, a.values, b, b.values)


def compare(
    a: Signatures,
    i: int,
    b: Signatures,
    j: int,
    threshold: float = THRESHOLD,
    length: float = LENGTH,
    weeks: int | None = None,
) -> Compared:
    """Whether two texts are similar, in the paper's way: filters first, then term by term."""
    similar, compared = _compared(a, a[i][None], b, b[j][None], threshold, length, weeks)
    terms = int(compared[0, 0])
    reasons = {
        TOO_UNLIKE_IN_LENGTH: f"Their lengths differ by more than {length} %.",
        TOO_FAR_IN_TIME: f"Their dates are more than {weeks} weeks apart.",
    }
    return Compared(bool(similar[0, 0]), max(terms, 0), reasons.get(terms))


def compare_all(
    a: Signatures, b: Signatures, threshold: float = THRESHOLD, length: float = LENGTH, weeks: int | None = None
) -> AllCompared:
    """The same for every text of one set and every text of the other."""
    similar, compared = _compared(a, a.values, b, b.values, threshold, length, weeks)
    told = compared >= 0
    unlike = told & ~similar
    pairs = int(told.sum())
    return AllCompared(
        similar,
        pairs,
        float(compared[told].mean()) if pairs else 0.0,
        float(compared[unlike].mean()) if unlike.any() else 0.0,
    )


def _similarities(a: Signatures, some: Values, b: Signatures, others: Values) -> F64:
    a.spec.must_equal(b.spec)
    must_be_of("terms", a.spec)
    found = np.empty((len(some), len(others)), np.float64)
    shared_terms(*_unpacked(some), *_unpacked(others), found)
    return found


def _compared(
    a: Signatures, some: Values, b: Signatures, others: Values, threshold: float, length: float, weeks: int | None
) -> tuple[Flags, I32]:
    a.spec.must_equal(b.spec)
    must_be_of("terms", a.spec)
    between("length", length, 0, 100)
    shortest = WHOLE - ten_thousandths(length, "length") if length else WHOLE
    if weeks is not None:
        whole("weeks", weeks, 0, 10_000)
    days = -1 if weeks is None else 7 * weeks
    similar = np.empty((len(some), len(others)), bool)
    compared = np.empty((len(some), len(others)), np.int32)
    asked = ten_thousandths(threshold), shortest, days
    compare_terms(*_unpacked(some), *_unpacked(others), *asked, similar, compared)
    return similar, compared


def _unpacked(rows: Values) -> tuple[I32, I64]:
    """Entries as numbers; and for each text how many there are, its length and its date."""
    wide = rows.astype(np.int32)
    entries = wide[:, HEAD::3] | wide[:, HEAD + 1 :: 3] << 8 | wide[:, HEAD + 2 :: 3] << 16
    counts = (entries != UNUSED).sum(axis=1)
    heads = np.stack([counts, wide[:, 0] | wide[:, 1] << 8, wide[:, 2] | wide[:, 3] << 8], axis=1)
    return read_only(entries), read_only(heads.astype(np.int64))


def as_sets(signatures: Signatures) -> tuple[U64, Flags, I64, None, I64]:
    """Each text's entries in order, whether it is reliable, where its entries begin; and its length and day."""
    must_be_of("terms", signatures.spec)
    entries, heads = _unpacked(signatures.values)
    used = np.sort(entries, axis=1)  # what is unused is the greatest entry
    offsets = np.zeros(len(signatures) + 1, np.int64)
    np.cumsum(heads[:, 0], out=offsets[1:])
    values = used[used != UNUSED].astype(np.uint64)
    return values, np.asarray(signatures.reliable), offsets, None, np.ascontiguousarray(heads[:, 1:])


def _days(dates: Sequence[datetime.date | None] | None, texts: int) -> I64:
    """Days since 1 January 1980, from 1; 0 where there is no date, or none that fits into two bytes."""
    if dates is None:
        return np.zeros(texts, np.int64)
    if len(dates) != texts:
        raise BadSetting(f"{len(dates)} dates were given for {texts} texts.", "Give one date or None for each text.")
    days = np.array([0 if each is None else each.toordinal() - _DAY_0 for each in dates], np.int64)
    return np.where((days < 1) | (days > MOST), 0, days)


def containment(a: Signatures, i: int, b: Signatures, j: int) -> NoReturn:  # noqa: ARG001
    """It cannot tell."""
    refuse_containment("terms", "a long text has rarer words than the part that it holds")
