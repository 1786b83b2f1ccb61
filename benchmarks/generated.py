"""Made-up texts for machines that have no collections: families of versions, seeded.

They show that a benchmark runs and that nothing is missed. Their speeds say little: real texts are less even.
"""

from __future__ import annotations

import random
from pathlib import Path

_SYLLABLES = [a + b for a in "bcdfglmnprstv" for b in ("a", "e", "i", "o", "u", "an", "er", "il", "or", "us")]
_WORDS = 6000
_LENGTHS = (200, 1500)
_FAMILY = 8
_GREATEST_CHANGE = 0.35


def write_collection(folder: Path, documents: int, seed: str) -> None:
    """Write so many texts: families of a base text and versions of it with more and more words changed."""
    dice = random.Random(seed)
    vocabulary = ["".join(dice.choices(_SYLLABLES, k=dice.randint(1, 4))) for _ in range(_WORDS)]
    # Zipf's law: the word of rank r occurs 1 / r as often as the first.
    weights = [1 / (rank + 2) for rank in range(_WORDS)]
    folder.mkdir(parents=True)
    written = 0
    while written < documents:
        base = dice.choices(vocabulary, weights, k=dice.randint(*_LENGTHS))
        for member in range(min(dice.randint(1, _FAMILY), documents - written)):
            words = base if member == 0 else _changed(base, vocabulary, dice.uniform(0, _GREATEST_CHANGE), dice)
            (folder / f"text-{written:05d}.txt").write_text(_laid_out(words), encoding="utf-8")
            written += 1


def _changed(words: list[str], vocabulary: list[str], share: float, dice: random.Random) -> list[str]:
    """A version: a share of the words replaced, left out, or followed by a new one."""
    out: list[str] = []
    for word in words:
        if dice.random() >= share:
            out.append(word)
            continue
        what = dice.randrange(3)
        if what:
            out.append(dice.choice(vocabulary))
        if what == 2:
            out.append(word)
    return out


def _laid_out(words: list[str]) -> str:
    sentences = [" ".join(words[i : i + 14]).capitalize() + "." for i in range(0, len(words), 14)]
    return "\n\n".join(" ".join(sentences[i : i + 5]) for i in range(0, len(sentences), 5)) + "\n"
