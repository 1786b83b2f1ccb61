"""What code points are, for families that count or judge them: letters and numbers, by the shipped Unicode tables.

The tables (`truecopy.kernels.fold`) know the categories of folded code points. A few code points have another category
than the first code point of their folded form (Ⓐ is a symbol, a is a letter); those are listed here. A test compares
all of them with the running Python's tables.
"""

from __future__ import annotations

import functools

import numpy as np

from truecopy.array_types import I32, I64, U8, Flags
from truecopy.kernels.arrays import read_only
from truecopy.kernels.fold import INFOS_AT, LETTER, PAGES_AT, POINT_MASK, POOL, QUICK
from truecopy.text.unicode_tables import tables

NUMBER, NOTHING = 1, 2
"""What `number_classes` gives for code points that fold to numbers, and for those that fold to nothing."""
_POINTS = 0x110000
_NUMBER_CLASS = 3
_CLASS_BITS = 3
_LENGTH = 31
# Of category L or N, though the folded form begins with something else: fillers, ⑴, ligatures of Arabic marks …
_ALSO = """37a e33 eb3 115f-1160 2474-2487 3164 3220-3229 fc5e-fc63 fe70 fe72 fe74 fe76 fe78 fe7a fe7c fe7e
    ff9e-ffa0"""
# Of another category, though the folded form begins with a letter or a number: ™, №, Ⓐ, ⼀, ㏒ …
_NOT = """345 20a8 2100-2101 2105-2106 2116 2120-2122 213b 24b6-24e9 2e9f 2ef3 2f00-2fd5 3196-319f 3244-3247 3250
    3260-327e 328a-32b0 32c0-33ff fdfc 1f12b-1f12e 1f130-1f14f 1f16a-1f16c 1f190 1f200-1f202 1f210-1f23b 1f250-1f251"""


@functools.lru_cache(maxsize=1)
def letters_and_numbers() -> Flags:
    """For every code point, whether its general category is L* or N*."""
    infos = _infos()
    several, length = _folded_to_several(infos)
    classes = infos & _CLASS_BITS
    classes[several[length > 0]] = classes[_folded(infos, several[length > 0], 0)]
    found = (classes == LETTER) | (classes == _NUMBER_CLASS)
    found[_listed(_ALSO)] = True
    found[_listed(_NOT)] = False
    return read_only(found)


@functools.lru_cache(maxsize=1)
def number_classes() -> U8:
    """For every code point: NUMBER if all that it folds to are numbers (½ is), NOTHING if it is ignorable, else 0."""
    infos = _infos()
    several, length = _folded_to_several(infos)
    classes = infos & _CLASS_BITS
    found = np.where(classes == _NUMBER_CLASS, NUMBER, 0).astype(np.uint8)
    found[several[length == 0]] = NOTHING
    numbers, others = np.zeros(len(several), bool), np.zeros(len(several), bool)
    for place in range(int(length.max())):
        there = length > place
        folded = classes[_folded(infos, several[there], place)]
        numbers[there] |= folded == _NUMBER_CLASS
        others[there] |= (folded != _NUMBER_CLASS) & (folded != 0)
    found[several[numbers & ~others]] = NUMBER
    found[several[others]] = 0
    return read_only(found)


def _infos() -> I32:
    """The tables' entry of every code point."""
    table, points = tables(), np.arange(_POINTS)
    infos: I32 = table[INFOS_AT + table[PAGES_AT + (points >> 7)] + (points & 127)]
    return infos


def _folded_to_several(infos: I32) -> tuple[I64, I32]:
    """The code points whose folded form is in the pool, and how long it is."""
    several = np.flatnonzero(infos & QUICK == 0).astype(np.int64)
    return several, (infos[several] >> 8) & _LENGTH


def _folded(infos: I32, points: I64, place: int) -> I32:
    """The code point at a place of the folded form of each."""
    table = tables()
    found: I32 = table[table[POOL] + (infos[points] >> 13) + place] & POINT_MASK
    return found


def _listed(ranges: str) -> I64:
    bounds = [tuple(int(number, 16) for number in each.split("-")) for each in ranges.split()]
    return np.concatenate([np.arange(each[0], each[-1] + 1) for each in bounds])
