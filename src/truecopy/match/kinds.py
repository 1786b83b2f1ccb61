"""Kinds: what two texts are to each other; the contract's table as data, tried in its order.

A pair has the first kind whose row holds: all facts in `when` are true of it, and none in `unless`. Facts are what the
words and figure marks show (`decide`), the relations by their names, and what `match.judge` adds:

same-file    the files are equal, byte for byte
related      some relation holds
grew         both dates are known, and the longer text has the later one
equal-words  the words are equal, whatever their figure marks are
short        words or figure marks are not equal, and one text is too short for a relation to anything but its equals
inside       `contains` would hold if the contained text had more shingles

A kind can have several rows, each with a sentence of its own. The rows that need masks or clauses (execution-copy,
near-identical, same-form) and those of relations that are not looked for yet (rewrite, focus, scan) are still missing.

The parts of an excerpt are in the same order as in their source; parts in another order are `contained`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truecopy.array_types import I32, I64, U8, U32, Flags

if TYPE_CHECKING:
    from truecopy.text.streams import Signs

RowNumbers = NDArray[np.uint8]
"""For each pair the row of `KINDS` that holds."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the contract's table."""

    name: str
    when: tuple[str, ...]
    why: str
    """The sentence that a pair of this kind comes with; {…} are filled in from its measures."""
    unless: tuple[str, ...] = ()


KINDS = (
    Kind("same-file", ("same-file",), "The two files are the same, byte for byte."),
    Kind(
        "same-text",
        ("same-text",),
        "The words and figure marks of the two texts are equal; only layout, case or punctuation may differ.",
    ),
    Kind(
        "same-words",
        ("same-words", "related"),
        "The words of the two texts are equal once articles and fillers are left out, and so are their figure marks.",
    ),
    Kind(
        "insertion",
        ("insertion", "related"),
        "The longer text is the shorter one ({shorter}) plus {added} in sentences or phrases inside its paragraphs.",
    ),
    Kind(
        "excerpt",
        ("excerpt", "related"),
        "At least 90 % of the shorter text ({shorter}) is one to three contiguous parts of the longer one, "
        "which is {times} times as long.",
        unless=("grew",),
    ),
    Kind(
        "elaboration",
        ("excerpt", "related", "grew"),
        "At least 90 % of the shorter text ({shorter}) is one to three contiguous parts of the longer one, which has "
        "the later date.",
    ),
    Kind(
        "elaboration",
        ("elaboration", "related"),
        "The longer text is the shorter one ({shorter}) plus {added} in whole paragraphs.",
    ),
    Kind(
        "revision",
        ("similar", "equal-words"),
        "The words of the two texts are equal, but their figure marks are not: currency or percent signs, check boxes, "
        "plus or minus signs, or what separates the digits of a figure.",
    ),
    Kind("revision", ("similar",), "The texts are {similarity} % similar, and no closer description holds."),
    Kind("contained", ("contains",), "{containment} % of the shingles of one text are found in the other."),
    Kind(
        "unrelated",
        ("short", "equal-words"),
        "A text of fewer than {shortest} words, here {shorter}, is related to equal texts only. The words of the two "
        "are equal, but their figure marks are not: currency or percent signs, check boxes, plus or minus signs, or "
        "what separates the digits of a figure.",
    ),
    Kind(
        "unrelated",
        ("short",),
        "A text of fewer than {shortest} words, here {shorter}, is related to equal texts only. "
        "The two are {similarity} % similar.",
    ),
    Kind(
        "unrelated",
        ("inside",),
        "{containment} % of the shingles of one text are found in the other, but it is too short for more than chance: "
        "it has {shingles} shingles, and {least} are needed. The texts are {similarity} % similar.",
    ),
    Kind("unrelated", (), "Neither similarity ({similarity} %) nor containment ({containment} %) reaches its floor."),
)
UNRELATED = KINDS[-1].name
"""Of two texts that no relation holds for, or of which one has no words."""
KIND_NAMES = tuple(dict.fromkeys(kind.name for kind in KINDS))

_FEW_PAIRS = 8
_FEW_WORDS = 2000
"""Up to so many words are looked up one by one, which costs less than a search for each word that is left out."""

FINDINGS = ("same-text", "same-words", "insertion", "excerpt", "elaboration")
"""The facts that `decide` finds, by its numbers; the number after them means none of these."""


def first_rows(facts: Mapping[str, Flags], pairs: int, table: Sequence[Kind] = KINDS) -> RowNumbers:
    """For each of some pairs the first row that holds; a fact that is not given is true of none of them."""
    if pairs <= _FEW_PAIRS:
        true_of = [{fact for fact, flags in facts.items() if flags[pair]} for pair in range(pairs)]
        return np.array([_first_row(facts_here, table) for facts_here in true_of], np.uint8)
    found = np.zeros(pairs, np.uint8)
    open_pairs = np.ones(pairs, np.bool_)
    nowhere = np.zeros(pairs, np.bool_)
    for row, kind in enumerate(table):
        holds = open_pairs.copy()
        for fact in kind.when:
            holds &= facts.get(fact, nowhere)
        for fact in kind.unless:
            holds &= ~facts.get(fact, nowhere)
        found[holds] = row
        open_pairs &= ~holds
    return found


def _first_row(true: set[str], table: Sequence[Kind]) -> int:
    """The same for one pair, by the facts that are true of it; 0 where no row holds, as above."""
    for row, kind in enumerate(table):
        if true.issuperset(kind.when) and true.isdisjoint(kind.unless):
            return row
    return 0


def kind_of_documents(kind: str, same_file: bool) -> str:
    """The kind of two documents: that of their texts, unless their files are equal, byte for byte."""
    return KINDS[0].name if same_file else kind


def kind_of_copies(same_file: bool) -> str:
    """The kind of two documents with the same words and figure marks."""
    return kind_of_documents(KINDS[1].name, same_file)


def dropped_words(letters: U8, starts: I64) -> U8:
    """1 for each word of a vocabulary (folded, UTF-8) that the kind `same-words` leaves out."""
    words = _dropped()
    out = np.zeros(len(starts) - 1, np.uint8)
    lengths = starts[1:] - starts[:-1]
    if len(out) <= _FEW_WORDS:
        spelled, places = bytes(letters), starts.tolist()
        for number in np.flatnonzero(_dropped_lengths().take(lengths, mode="clip")).tolist():
            if spelled[places[number] : places[number + 1]] in words:
                out[number] = 1
        return out
    for word in words:
        alike = np.flatnonzero(lengths == len(word))
        for place, letter in enumerate(word):
            alike = alike[letters[starts[alike] + place] == letter]
        out[alike] = 1
    return out


@functools.cache
def _dropped() -> frozenset[bytes]:
    from truecopy.text.stopwords import DROPPED_WORDS

    return frozenset(word.encode() for word in DROPPED_WORDS)


@functools.cache
def _dropped_lengths() -> Flags:
    """For each length whether a word that is left out has it; the last is for all that are longer."""
    lengths = {len(word) for word in _dropped()}
    return np.array([length in lengths for length in range(max(lengths) + 2)])


def decide(
    words: U32,
    offsets: I64,
    signs: Signs,
    dropped: U8,
    a: I32,
    b: I32,
    threads: int,
    advance: Callable[[int], None] | None = None,
) -> U8:
    """For each pair the number in `FINDINGS` of what words and signs show; `dropped` is parallel to the vocabulary."""
    from truecopy.kernels.arrays import read_only
    from truecopy.kernels.kinds import decide_kinds, scratch
    from truecopy.match.threads import run

    words, offsets, dropped = read_only(words), read_only(offsets), read_only(dropped)
    a, b = read_only(a), read_only(b)
    between = read_only(signs.breaks), read_only(signs.marks), read_only(signs.mark_offsets)
    out = np.empty(len(a), np.uint8)
    length = offsets[1:] - offsets[:-1]
    longer = np.maximum(length[a], length[b])

    def work(low: int, high: int) -> None:
        room = scratch(int(longer[low:high].max()))
        part = slice(low, high)
        decide_kinds(words, offsets, *between, dropped, a[part], b[part], out[part], *room)

    run(work, longer + 64, threads, advance)
    return out
