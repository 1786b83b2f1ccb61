"""Kinds: what two texts are to each other; the contract's table as data, tried in its order.

A pair has the first kind whose rule holds. The rules that need masks or clauses (execution-copy,
near-identical, same-form) and those of relations that are not looked for yet (rewrite, focus, scan) are skipped.
This module finds what the words and figure marks show; `match.judge` decides, with relations and dates.

The parts of an excerpt are in the same order as in their source; parts in another order are `contained`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truecopy.kernels.arrays import read_only
from truecopy.match.threads import run
from truecopy.text.content import arena
from truecopy.text.stopwords import DROPPED_WORDS
from truecopy.text.streams import Signs

I32 = NDArray[np.int32]
I64 = NDArray[np.int64]
U8 = NDArray[np.uint8]
U32 = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the contract's table."""

    name: str
    why: str
    """The sentence that a pair of this kind comes with; {…} are filled in from what was found."""


KINDS = (
    Kind("same-file", "The two files are the same, byte for byte."),
    Kind(
        "same-text",
        "The words and figure marks of the two texts are equal; only layout, case or punctuation may differ.",
    ),
    Kind(
        "same-words",
        "The words of the two texts are equal once articles and fillers are left out, and so are their figure marks.",
    ),
    Kind(
        "insertion",
        "The longer text is the shorter one ({shorter}) plus {added} in sentences or phrases inside its paragraphs.",
    ),
    Kind(
        "excerpt",
        "At least 90 % of the shorter text ({shorter}) is one to three contiguous parts of the longer one, "
        "which is {times} times as long.",
    ),
    Kind("elaboration", "The longer text is the shorter one ({shorter}) plus {added} in whole paragraphs."),
    Kind("revision", "The texts are {similarity} % similar, and no closer description holds."),
    Kind("contained", "{containment} % of the shingles of one text are found in the other."),
    Kind("unrelated", "Neither similarity ({similarity} %) nor containment ({containment} %) reaches its floor."),
)
OTHER_MARKS = (
    "The words of the two texts are equal, but their figure marks are not: currency or percent signs, check boxes, "
    "plus or minus signs, or what separates the digits of a figure."
)
"""Said of a `revision` at 100 %."""
TOO_SHORT = (
    "{containment} % of the shingles of one text are found in the other, but it is too short for more than chance: "
    "it has {shingles} shingles, and {least} are needed. The texts are {similarity} % similar."
)
"""Said of two `unrelated` texts whose containment reaches its floor."""
GREW = (
    "At least 90 % of the shorter text ({shorter}) is one to three contiguous parts of the longer one, which has "
    "the later date."
)
"""Said of an `elaboration` that would be an excerpt without its dates."""
BY_NAME = {kind.name: kind for kind in KINDS}

# What the kernel finds, by its number; the last means that none of them holds.
_FOUND = ("same-text", "same-words", "insertion", "excerpt", "elaboration", "")


def dropped_words(letters: U8, starts: I64) -> U8:
    """1 for each word of a vocabulary (folded, UTF-8) that the kind `same-words` leaves out."""
    out = np.zeros(len(starts) - 1, np.uint8)
    lengths = np.diff(starts)
    for word in sorted(DROPPED_WORDS):
        spelled, _ = arena([word])
        alike = np.flatnonzero(lengths == len(spelled))
        for place, letter in enumerate(spelled):
            alike = alike[letters[starts[alike] + place] == letter]
        out[alike] = 1
    return out


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
    """For each pair the number in `_FOUND` of what words and signs show; `dropped` is parallel to the vocabulary."""
    from truecopy.kernels.kinds import decide_kinds, scratch

    words, offsets, dropped = read_only(words), read_only(offsets), read_only(dropped)
    a, b = read_only(a), read_only(b)
    between = read_only(signs.breaks), read_only(signs.marks), read_only(signs.mark_offsets)
    out = np.empty(len(a), np.uint8)
    length = np.diff(offsets)
    longer = np.maximum(length[a], length[b])

    def work(low: int, high: int) -> None:
        room = scratch(int(longer[low:high].max()))
        part = slice(low, high)
        decide_kinds(words, offsets, *between, dropped, a[part], b[part], out[part], *room)

    run(work, longer + 64, threads, advance)
    return out


def describe(name: str, found: str, facts: dict[str, str], inside: bool = False) -> str:
    """The sentence for a pair of this kind; `found` is what its words show, `inside` that one text holds the other."""
    if name == "unrelated" and inside:
        return TOO_SHORT.format(**facts)
    if name == "revision" and facts["similarity"] == "100":
        return OTHER_MARKS
    why = GREW if (name, found) == ("elaboration", "excerpt") else BY_NAME[name].why
    return why.format(**facts)


def found_name(code: int) -> str:
    """The kind that a number of `decide` means; "" if none of those holds."""
    return _FOUND[code]
