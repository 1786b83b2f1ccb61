"""The letter tables: how likely a text is in each language, letter by letter.

A language is a set of symbols: its letters, and the classes of `classes.py` for all else. A pair of neighbours costs
minus the logarithm of the probability of the second after the first, in whole eighths. The cost of a text is the sum
over its pairs, plus what is unlikely about its capitals. Of two ways to read the same bytes, the one that costs less
is likelier, by e to the power of the difference. All of it is whole numbers, equal on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from truecopy.array_types import I64, U8, U16
from truecopy.read.encodings import classes

TABLES = Path(__file__).with_name("letters.npz")
# What capitals cost: after neither, small, large (row) comes neither, small, large (column).
_CASES = np.rint(classes.SCALE * np.array([[0, 0.3, 1.4], [0, 0, 6.2], [0, 0.35, 1.2]])).astype(np.int64)
# Old pages write Romanian with cedillas, new texts have commas; Arabic and Persian share letters under two codes.
_SAME = {"ş": "ș", "ţ": "ț", "ي": "ی", "ك": "ک"}
_LAST = 0xFFFD


@dataclass(frozen=True, slots=True)
class Language:
    """The symbols of a language and what they cost."""

    name: str
    letters: U16
    pairs: I64
    """Cost of the second symbol (column) after the first (row)."""
    symbols: I64
    """Code point → symbol."""
    emitted: I64
    """Code point → what it costs within its class."""


@cache
def characters() -> tuple[U8, U16, U8]:
    """For each code point of the basic plane: class, small letter, case."""
    with np.load(TABLES) as tables:
        lower = tables["lower"] + np.arange(65_536, dtype=np.uint16)
        return tables["class"], lower, tables["case"]


@cache
def languages() -> tuple[Language, ...]:
    """Every language that there are tables of."""
    kinds, lower, _ = characters()
    found = []
    with np.load(TABLES) as tables:
        for place, name in enumerate(tables["languages"].tolist()):
            letters, pairs = tables[f"letters-{place}"], tables[f"pairs-{place}"].astype(np.int64)
            symbols = kinds.astype(np.int64) + len(letters)
            symbols[letters] = np.arange(len(letters))
            same = []
            for written, counted in _SAME.items():
                if ord(counted) in letters and ord(written) not in letters:
                    symbols[ord(written)] = symbols[ord(counted)]
                    same.append(ord(written))
            emitted = classes.EMITTED.astype(np.int64)[kinds]
            emitted[[*letters.tolist(), *same]] = 0
            rare, beyond = classes.rare_signs()
            foreign = ~np.isin(rare, letters)
            emitted[rare[foreign]] += beyond[foreign]
            if f"emitted-{place}" in tables:
                costs = tables[f"emitted-{place}"]
                by_character = np.isin(kinds, list(classes.BY_CHARACTER))
                emitted[by_character] = classes.UNSEEN[kinds[by_character]]
                emitted[costs[:, 0]] = costs[:, 1]
            # A capital is its small letter; what is the small letter's is the capital's.
            found.append(Language(name, letters, pairs, symbols[lower], emitted[lower]))
    return tuple(found)


def codes_of(text: str) -> I64:
    """The code points of a text; what lies beyond the basic plane counts as unknown."""
    return np.minimum(np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32), _LAST).astype(np.int64)


def case_costs(first: I64, second: I64) -> I64:
    """What the capitals of pairs of code points cost."""
    case = characters()[2]
    costs: I64 = _CASES[case[first], case[second]]
    return costs


def pair_costs(language: Language, first: I64, second: I64) -> I64:
    """What pairs of code points cost in a language, capitals left aside."""
    costs: I64 = language.pairs[language.symbols[first], language.symbols[second]] + language.emitted[second]
    return costs
