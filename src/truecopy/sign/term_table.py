"""The words that term signatures are made of, numbered by rarity: what `terms` and `fingerprint` share.

Conrad 2003, section 5: a word is eligible if the statistics have it, it is letters only, has at least three letters,
and occurs at least five times; numbers ascend with document frequency, 0 being the rarest.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace

import numpy as np

from truecopy.array_types import F64, U32, U64
from truecopy.errors import BadSetting, SpecMismatch
from truecopy.kernels.distinct import enter_rows
from truecopy.kernels.secret import SECRET
from truecopy.kernels.terms import PADDING
from truecopy.sign.statistics import Frequencies, Statistics, shipped
from truecopy.spec import Spec
from truecopy.text.tokens import Tokenizer


@dataclass(frozen=True, eq=False)
class TermTable:
    """Eligible words by number, and the table from a word's hash to its number."""

    words: Frequencies
    """In order of their numbers."""
    idf: F64
    keys: U64
    numbers: U32

    def first_below(self, rarest: float) -> int:
        """The lowest number whose word's idf is not over `rarest`; idf descends."""
        return int(np.count_nonzero(self.idf > rarest))

    def word(self, number: int) -> str:
        """The word with a number."""
        begin = int(self.words.ends[number - 1]) if number else 0
        return self.words.letters[begin : int(self.words.ends[number])].tobytes().decode("utf-8", "surrogatepass")


class TermScratch:
    """What one thread needs: a tokenizer, and notes that a kernel leaves clean."""

    def __init__(self, table: TermTable) -> None:
        words = len(table.words)
        self.tokenizer = Tokenizer()
        self.bits = np.zeros((words >> 6) + 1, np.uint64)
        self.summary = np.zeros((words >> 12) + 1, np.uint64)
        self.firsts = np.empty(max(words, 1), np.uint32)

    @functools.cached_property
    def seen(self) -> U64:
        """Bits for every padding entry."""
        return np.zeros(PADDING >> 6, np.uint64)


@functools.lru_cache(maxsize=4)
def term_table(statistics: Statistics) -> TermTable:
    """The eligible words of statistics."""
    nothing = statistics.grams.taken(np.empty(0, np.int64))  # n-grams are not needed, and many
    kept = replace(statistics, grams=nothing).filtered(letters_only=True, shortest=3, least=5)
    must_be_few_enough(len(kept.words))
    order = np.argsort(kept.words.documents, kind="stable")  # ties by bytes, and so by code points
    hashes = np.ascontiguousarray(kept.word_hashes[order])
    slots = 1 << (2 * max(len(hashes), 8) - 1).bit_length()
    keys, numbers = np.zeros(slots, np.uint64), np.zeros(slots, np.uint32)
    enter_rows(hashes, 0, keys, numbers, SECRET)
    return TermTable(kept.words.taken(order), kept.idf()[order], keys, numbers)


def must_be_few_enough(words: int) -> None:
    """Refuse statistics with more eligible words than an entry of three bytes can tell apart."""
    if words > PADDING:
        raise BadSetting(
            f"The statistics have {words:,} eligible words, but term signatures tell at most {PADDING:,} apart.",
            "Build statistics of fewer documents, or filter them by a higher frequency.",
        )


def statistics_id(statistics: Statistics | None) -> str:
    """The id for a spec: of the given statistics, or of those in the package."""
    return (shipped() if statistics is None else statistics).id


def statistics_of(spec: Spec, statistics: Statistics | None) -> Statistics:
    """The statistics that a spec names; others are refused."""
    wanted = str(dict(spec.parameters)["statistics"])
    given = shipped() if statistics is None else statistics
    if given.id != wanted:
        which = "and only those in the package are at hand" if statistics is None else f"and {given.id} were given"
        raise SpecMismatch(
            f"The spec names the statistics {wanted}, {which}.",
            "Give the statistics that the spec names, or make a spec with others and sign everything again.",
        )
    return given
