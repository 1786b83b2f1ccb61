"""Texts that have to do with each other, as few words allow it: what waves and parts must find and group."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("ala", "ero", "inu", "oma", "usi")]


def related_texts(random: Random, longest: int) -> Iterator[str]:
    """New texts of up to so many words, and versions, excerpts, longer forms and copies of those before."""
    made: list[list[str]] = []
    while True:
        what = random.random()
        if not made or what < 0.2:
            words = random.choices(WORDS, k=random.randrange(4, longest))
        else:
            words = list(random.choice(made))
            if what < 0.4:
                begin = random.randrange(len(words))
                words = words[begin : begin + random.randrange(4, 90)]
            elif what < 0.55:
                words += random.choices(WORDS, k=random.randrange(1, 30))
            elif what < 0.93:
                for _ in range(random.randrange(1, 12)):
                    words[random.randrange(len(words))] = random.choice(WORDS)
        made.append(words)
        yield " ".join(words)
