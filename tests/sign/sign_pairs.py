"""Pairs of made-up texts that share a known part, each with an alphabet and a vocabulary of its own.

Hash functions are fixed, so what is random is the texts: no feature of one pair is in another, and the errors of the
pairs' estimates are independent.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

SEED = 20260116


def fresh_words(chooser: random.Random, many: int, ascii_only: bool) -> list[str]:
    """Words in the order of a text; frequent ones come again, as in language."""
    letters = list("abcdefghijklmnopqrstuvwxyz")
    if not ascii_only:
        letters = [chr(chooser.randrange(0xAC00, 0xD7A4)) for _ in range(20)]  # of 11,172 Hangul syllables
    vocabulary = ["".join(chooser.choices(letters, k=chooser.randint(2, 10))) for _ in range(many)]
    weights = [1 / (rank + 3) for rank in range(many)]
    return chooser.choices(vocabulary, weights, k=many)


def pairs(many: int, words: int, ascii_only: bool = True) -> Iterator[tuple[list[str], list[str]]]:
    """Words of pairs of texts that resemble each other by about 0.03 to 0.99: edited all over, or from somewhere on."""
    chooser = random.Random(SEED + words)
    for number in range(many):
        share = 0.03 + 0.965 * number / many
        first = fresh_words(chooser, words, ascii_only)
        other = fresh_words(chooser, words, ascii_only)
        second = list(first)
        if number % 2:
            for place in chooser.sample(range(words), round(words * (1 - share) / (3 * (1 + share)))):
                second[place] = other[place]
        else:
            kept = round(words * 2 * share / (1 + share))
            second[kept:] = other[kept:]
        yield first, second
