"""How far two tables of statistics agree, and how many signatures would change from one to the other.

Conrad, Guo and Schriber, Online Duplicate Document Detection (CIKM 2003), sections 5.2 and 6.2. The words that are in
both tables are ranked by idf in each; with d the differences of the ranks of n words, f and g the sizes of the groups
of equal rank in the first and in the second,

    R = (1 - 6 / (n³ - n) · (Σ d² + Σ (f³ - f) / 12 + Σ (g³ - g) / 12))                          (2)
        / (√(1 - Σ (f³ - f) / (n³ - n)) · √(1 - Σ (g³ - g) / (n³ - n)))

This is Pearson's coefficient of the ranks; equal values share the mean of their ranks. Ranks are doubled here, so that
all sums are of whole numbers and the result is the same on every machine.

The paper found R near 0.99 after a month's growth of 7 to 10 %, and yet up to five of twelve signatures changed: those
of its Figures 1 to 4, the 1 to 30 words of highest idf of a document. The paper does not say whether the order of these
words counts. Here it does not: a signature has changed if its set of words has.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from truecopy.array_types import F64, I64, U32, U64
from truecopy.errors import BadSetting
from truecopy.sign.statistics import Statistics
from truecopy.text.batches import number_texts

LONGEST = 30
"""The longest signatures that are looked at have this many words, as in the paper."""
_NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far two tables agree."""

    spearman: float | None
    """From -1 (opposite orders) to 1 (the same order); None where no order can be told."""
    terms: int
    """Words that are in both."""
    only_a: int
    only_b: int


@dataclass(frozen=True, slots=True)
class ChangedSignatures:
    """How many signatures of one length change."""

    length: int
    changed: int
    share: float
    """Of all texts, 0 to 1."""


def agreement(a: Statistics, b: Statistics) -> Agreement:
    """How far the ranks of the words by idf agree.

    >>> from truecopy.sign.statistics import build
    >>> first = build(["lease rent", "lease rent", "lease term"])
    >>> agreement(first, build(["lease rent", "lease rent", "lease", "term"])).spearman
    1.0
    """
    in_a = dict(zip(a.words.texts(), a.words.documents.tolist(), strict=True))
    in_b = dict(zip(b.words.texts(), b.words.documents.tolist(), strict=True))
    shared = [word for word in in_a if word in in_b]
    # A word in more documents has a lower idf: the order is reversed, in both.
    found = spearman([in_a[word] for word in shared], [in_b[word] for word in shared])
    return Agreement(found, len(shared), len(in_a) - len(shared), len(in_b) - len(shared))


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Spearman's coefficient of two lists of values, with ties, by formula (2).

    It is None where there are fewer than two values, or where all of one list are equal.

    >>> spearman([1, 2, 3], [10, 20, 30]), spearman([1, 2, 3], [3, 2, 1])
    (1.0, -1.0)
    """
    if len(a) != len(b):
        raise BadSetting(f"Two lists of {len(a)} and {len(b)} values were given.", "Give as many in both.")
    n = len(a)
    if n < 2:
        return None
    first, ties_a = _doubled_ranks(np.asarray(a, np.float64))
    second, ties_b = _doubled_ranks(np.asarray(b, np.float64))
    whole = n**3 - n
    if whole in (ties_a, ties_b):
        return None
    # Formula (2) times (n³ - n); four times the squares, because the ranks are doubled.
    squares = _sum_of_squares(first - second)
    above = (2 * whole - 3 * squares - ties_a - ties_b) / (2 * whole)
    return above / math.sqrt((whole - ties_a) / whole * ((whole - ties_b) / whole))


def _doubled_ranks(values: F64) -> tuple[I64, int]:
    """Twice the rank of each value, equal ones sharing their mean; and the sum of f³ - f over groups of equals."""
    _, group, sizes = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(sizes, dtype=np.int64)
    doubled = (2 * ends - sizes + 1)[group]
    return doubled, sum(size**3 - size for size in sizes[sizes > 1].tolist())


def _sum_of_squares(values: I64) -> int:
    """As a whole number of any size: 64 bits do not hold the sum for some millions of words."""
    return sum(int(np.dot(part, part)) for part in np.array_split(values, len(values) // (1 << 16) + 1))


class Changes:
    """Counts the texts whose signatures of 1 to `longest` words change from table a to table b.

    Words count as they do for signatures: letters only, at least three of them, at least five occurrences in the
    table; of words of equal idf, the first by code points is taken. A text with fewer such words than a signature has
    gets a signature of all of them.
    """

    def __init__(self, a: Statistics, b: Statistics, longest: int = LONGEST) -> None:
        self._ranks = _Ranks(a), _Ranks(b)
        self._changed = [0] * longest
        self._lock = threading.Lock()
        self.documents = 0

    def add(self, texts: Sequence[bytes]) -> None:
        """Look at some texts, in UTF-8; threads may add at the same time."""
        numbered = number_texts(texts, with_breaks=False, with_digests=False)
        ranks = [table.of(numbered.vocabulary.hashes) for table in self._ranks]
        changed = [0] * len(self._changed)
        for text in range(len(texts)):
            words = np.unique(numbered.words[numbered.offsets[text] : numbered.offsets[text + 1]])
            first, second = (_rarest(words, each, len(changed)) for each in ranks)
            for place in range(len(changed)):
                changed[place] += set(first[: place + 1]) != set(second[: place + 1])
        with self._lock:
            self.documents += len(texts)
            self._changed = [before + more for before, more in zip(self._changed, changed, strict=True)]

    def result(self) -> list[ChangedSignatures]:
        """How many changed, for each length."""
        texts = max(self.documents, 1)
        return [ChangedSignatures(length, count, count / texts) for length, count in enumerate(self._changed, 1)]


class _Ranks:
    """The words of a table that signatures are made of, by hash."""

    def __init__(self, table: Statistics) -> None:
        kept = table.filtered()
        order = np.argsort(kept.words.documents, kind="stable")
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        by_hash = np.argsort(kept.word_hashes)
        self._hashes, self._places = kept.word_hashes[by_hash], rank[by_hash]

    def of(self, hashes: U64) -> I64:
        """The place of each word in the order of idf, highest first; _NOWHERE where the table does not have it."""
        if not len(self._hashes):
            return np.full(len(hashes), _NOWHERE)
        place = np.minimum(np.searchsorted(self._hashes, hashes), len(self._hashes) - 1)
        return np.where(self._hashes[place] == hashes, self._places[place], _NOWHERE)


def _rarest(words: U32, ranks: I64, most: int) -> list[int]:
    """The words of lowest rank, lowest first."""
    words = words[ranks[words] != _NOWHERE]
    found: list[int] = words[np.argsort(ranks[words])[:most]].tolist()
    return found
