"""Where a difference is shown, among the places that are equally true.

"Rent. [The tenant insures.] The tenant pays" and "Rent. The [tenant insures. The] tenant pays" say the same. Words
are matched so that what is written between them agrees too; then an addition or deletion is moved
to the edges of a paragraph, a sentence or a word; and a figure that changed in part is shown as a whole.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from truecopy.match.align import Run
from truecopy.text import Words

FURTHEST_WORDS = 24
"""How many words an addition or deletion moves, at most, to agree with what is written around it."""
FURTHEST_SHIFT = 400
"""The same in code points, to where it reads best."""

_FIGURE_BEFORE = re.compile(r"\d[\d.,/’'-]*\Z")
_FIGURE_BEHIND = re.compile(r"[\d.,/’'-]*\d")
LONGEST_FIGURE = 32


class Sides(NamedTuple):
    """The two texts, and their words."""

    a: str
    b: str
    x: Words
    y: Words


def place_words(sides: Sides, runs: list[Run], numbers_x: list[int], numbers_y: list[int]) -> list[Run]:
    """The same runs, with each addition or deletion between two of them where the writing around it agrees best."""
    placed = list(runs)
    for k in range(1, len(placed)):
        before, after = placed[k - 1], placed[k]
        i, j = before.i + before.length, before.j + before.length
        if i != after.i and j != after.j:
            continue
        numbers, start, end = (numbers_y, j, after.j) if i == after.i else (numbers_x, i, after.i)
        # a run keeps its last word, unless both texts begin with it: otherwise two gaps would become one
        at_start = k == 1 and before.i == 0 and before.j == 0
        left = min(_equal_before(numbers, start, end), before.length - (0 if at_start else 1))
        right = min(_equal_behind(numbers, start, end), after.length - 1)
        if left == 0 and right == 0:
            continue
        shifts = sorted(range(-left, right + 1), key=abs)
        costs = [_unlike(sides, (i, j), (after.i, after.j), shift, (left, right)) for shift in shifts]
        best = shifts[costs.index(min(costs))]
        placed[k - 1] = before._replace(length=before.length + best)
        placed[k] = Run(after.i + best, after.j + best, after.length - best)
    return [run for run in placed if run.length > 0]


def _equal_before(numbers: list[int], start: int, end: int) -> int:
    """How many words before an addition equal those at its end."""
    count = 0
    while count < min(start, FURTHEST_WORDS) and numbers[start - 1 - count] == numbers[end - 1 - count]:
        count += 1
    return count


def _equal_behind(numbers: list[int], start: int, end: int) -> int:
    """How many words after an addition equal those at its beginning."""
    count = 0
    while count < min(len(numbers) - end, FURTHEST_WORDS) and numbers[start + count] == numbers[end + count]:
        count += 1
    return count


def _unlike(sides: Sides, start: tuple[int, int], end: tuple[int, int], shift: int, room: tuple[int, int]) -> int:
    """How many words, and stretches between words, are written differently around an addition moved by `shift`."""
    unlike = 0
    left, right = room
    for place in range(-left, right + 1):
        i, j = start if place < shift else end
        if place < right:
            unlike += _word(sides.a, sides.x, i + place) != _word(sides.b, sides.y, j + place)
        if place != shift:
            unlike += _before(sides.a, sides.x, i + place) != _before(sides.b, sides.y, j + place)
        else:
            gaps_a = _before(sides.a, sides.x, start[0] + place), _before(sides.a, sides.x, end[0] + place)
            gaps_b = _before(sides.b, sides.y, start[1] + place), _before(sides.b, sides.y, end[1] + place)
            longer, shorter = (gaps_a, gaps_b[0]) if start[0] != end[0] else (gaps_b, gaps_a[0])
            unlike += not _fits(shorter, *longer)
    return unlike


def _word(text: str, words: Words, i: int) -> str:
    return text[words.starts[i] : words.ends[i]] if i < len(words) else ""


def _before(text: str, words: Words, i: int) -> str:
    """What is between a word and the one before it."""
    start = int(words.ends[i - 1]) if i > 0 else 0
    end = int(words.starts[i]) if i < len(words) else len(text)
    return text[start:end]


def _fits(gap: str, before: str, behind: str) -> bool:
    """Whether a gap is a beginning of what comes before an addition and an end of what comes after it."""
    head = tail = 0
    while head < min(len(gap), len(before)) and gap[head] == before[head]:
        head += 1
    while tail < min(len(gap), len(behind)) and gap[-1 - tail] == behind[-1 - tail]:
        tail += 1
    return head + tail >= len(gap)


def best_shift(text: str, start: int, end: int, room_left: int, room_right: int) -> int:
    """How far text[start:end] must move so that its edges are edges of a paragraph, a sentence or a word."""
    low = high = 0
    while -low < min(room_left, FURTHEST_SHIFT) and text[start + low - 1] == text[end + low - 1]:
        low -= 1
    while high < min(room_right, FURTHEST_SHIFT) and text[start + high] == text[end + high]:
        high += 1
    shifts = sorted(range(low, high + 1), key=abs)
    return max(shifts, key=lambda shift: _cut(text, start + shift) + _cut(text, end + shift))


def _cut(text: str, place: int) -> int:
    """How natural it is to cut a text here: 5 between lines, 4 between sentences, 2 between words, 0 in a word."""
    if place == 0 or place == len(text) or text[place - 1] == "\n":
        return 5
    before, after = text[place - 1], text[place]
    if before.isspace() and not after.isspace():
        ended = text[max(0, place - 3) : place].rstrip()[-1:]
        return 4 if ended and ended in ".!?;:" else 2
    if before in ".!?" and after.isspace():
        return 3
    return 1 if before.isspace() or after.isspace() or not (before.isalnum() and after.isalnum()) else 0


def figure_around(text: str, start: int, end: int, room_left: int, room_right: int) -> tuple[int, int]:
    """How far a figure reaches to the left and right of text[start:end], if that is a part of one."""
    left = right = 0
    if text[start : start + 1].isdecimal():
        found = _FIGURE_BEFORE.search(text, max(0, start - min(room_left, LONGEST_FIGURE)), start)
        left = start - found.start() if found else 0
    if text[end - 1 : end].isdecimal():
        found = _FIGURE_BEHIND.match(text, end, end + min(room_right, LONGEST_FIGURE))
        right = found.end() - end if found else 0
    return left, right
