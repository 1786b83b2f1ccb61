"""Differences between two texts, as a lawyer would mark them: whole words, at places that read well, and exact.

They cover exactly the places where the texts differ: sorted, overlapping in neither text, and between two
of them the texts are equal, code point for code point. So `apply` needs no rule for each operation: from
left to right, every difference puts its `b_text` where its `a_text` was.

A moved block is two differences with op "move": where it was (`b_text` empty) and where it is now (`a_text`
empty), so that this holds for moves too.

How: the words are aligned (`match.align`), short equal runs between replacements become part of them, and what
is between two equal words of both texts is compared as it is written. Words with different figure marks count as
different: $100 that became €100 is never a difference of layout, nor hidden in a block that moved. If words and marks
are equal and the writing is not, the difference is one of layout: case, white space, punctuation.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from truecopy.match.align import Run, align, without_crumbs
from truecopy.match.moves import Gap, gaps, moves
from truecopy.match.placement import Sides, best_shift, figure_around, place_words
from truecopy.match.spans import Spans, read_spans
from truecopy.model import Difference
from truecopy.text import Words
from truecopy.text.marks import DASHES, PLUS_AND_MINUS, counted_signs
from truecopy.text.tokens import spelled

_WORDLIKE = re.compile(r"[^\W_]|[^\x00-\x7f]")


class Change(NamedTuple):
    """a[a0:a1] became b[b0:b1]; `moved` if it is elsewhere in the other text."""

    a0: int
    a1: int
    b0: int
    b1: int
    layout: bool
    moved: bool = False


def differences(a: str, b: str, spans: Spans | None = None) -> tuple[Difference, ...]:
    """What must be done to a to make it b; `spans` are their words, where somebody has read them already.

    >>> [(d.op, d.a_text, d.b_text) for d in differences("Rent is due monthly.", "Rent is due every week.")]
    [('replace', 'monthly', 'every week')]
    """
    if a == b:
        return ()
    both, (numbers_x, numbers_y) = spans or read_spans(a, b)
    sides = Sides(a, b, *both)
    list_x, list_y = numbers_x.tolist(), numbers_y.tolist()
    runs = without_crumbs(align(numbers_x, numbers_y), len(list_x), len(list_y))
    runs = _of_whole_characters(sides, place_words(sides, runs, list_x, list_y))
    between = gaps(runs, len(list_x), len(list_y))
    moved = moves(list_x, list_y, between)
    changes = [_only_layout(a, b, change) for change in _joined(_changes(sides, runs, between, moved))]
    found = tuple(_difference(a, b, change) for change in _settled(a, b, changes))
    if apply(a, found) != b:  # words that share characters in a way not foreseen: coarse, but never wrong
        whole = next(_trimmed(a, b, Change(0, len(a), 0, len(b), layout=False)))
        found = (_difference(a, b, whole),)
    return found


def apply(a: str, changes: Iterable[Difference]) -> str:
    """The text that the differences make of a.

    >>> apply("Rent is due monthly.", differences("Rent is due monthly.", "Rent is due every week."))
    'Rent is due every week.'
    """
    parts = []
    place = 0
    for change in changes:
        parts += [a[place : change.a[0]], change.b_text]
        place = change.a[1]
    return "".join([*parts, a[place:]])


def _of_whole_characters(sides: Sides, runs: list[Run]) -> list[Run]:
    """Runs without the words at their ends that share a character with a word outside: ½ is the words 1 and 2, and
    can only be equal as a whole.
    """
    _, _, x, y = sides
    shared_x, shared_y = x.ends[:-1] > x.starts[1:], y.ends[:-1] > y.starts[1:]
    if not shared_x.any() and not shared_y.any():
        return runs
    kept = []
    for run in runs:
        i, j, length = run
        while length and ((i and shared_x[i - 1]) or (j and shared_y[j - 1])):
            i, j, length = i + 1, j + 1, length - 1
        while length and (_shares(shared_x, i + length - 1) or _shares(shared_y, j + length - 1)):
            length -= 1
        if length:
            kept.append(Run(i, j, length))
    return kept


def _shares(shared: NDArray[np.bool_], word: int) -> bool:
    """Whether a word has a character in common with the next one."""
    return word < len(shared) and bool(shared[word])


def _changes(sides: Sides, runs: list[Run], between: list[Gap], moved: list[Run]) -> Iterator[Change]:
    """Every place where the texts differ, from left to right."""
    away = {run.i: run.length for run in moved}
    here = {run.j: run.length for run in moved}
    for run, gap in zip([*runs, None], between, strict=True):
        yield from _between(sides, gap, away, here)
        if run is not None:
            yield from _within(sides, run)


def _within(sides: Sides, run: Run) -> Iterator[Change]:
    """Differences of layout in a run of equal words."""
    a, b, x, y = sides
    last_i, last_j = run.i + run.length - 1, run.j + run.length - 1
    if a[x.starts[run.i] : x.ends[last_i]] == b[y.starts[run.j] : y.ends[last_j]]:
        return
    half = _half(x, y, run)
    if half == 0:
        yield Change(int(x.starts[run.i]), int(x.ends[last_i]), int(y.starts[run.j]), int(y.ends[last_j]), layout=True)
        return
    # By halves: most of a run is equal to the letter, and is done at once.
    i, j = run.i + half, run.j + half
    yield from _within(sides, Run(run.i, run.j, half))
    spans = int(x.ends[i - 1]), int(x.starts[i]), int(y.ends[j - 1]), int(y.starts[j])
    yield from _trimmed(a, b, Change(*spans, layout=True))
    yield from _within(sides, Run(i, j, run.length - half))


def _half(x: Words, y: Words, run: Run) -> int:
    """Where to cut a run: from its middle on, else before it, but never inside a character (㍿ is four words).

    0 if there is no such place.
    """
    middle = run.length // 2
    for half in itertools.chain(range(max(middle, 1), run.length), range(middle - 1, 0, -1)):
        i, j = run.i + half, run.j + half
        if x.ends[i - 1] <= x.starts[i] and y.ends[j - 1] <= y.starts[j]:
            return half
    return 0


def _between(sides: Sides, gap: Gap, away: dict[int, int], here: dict[int, int]) -> Iterator[Change]:
    """What is between two equal words: parts that moved, and the rest, part by part."""
    a, b, x, y = sides
    a0, a1 = _span(x, gap.x, len(a))
    b0, b1 = _span(y, gap.y, len(b))
    parts_a = list(_parts(a, x, gap.x, (a0, a1), away))
    parts_b = list(_parts(b, y, gap.y, (b0, b1), here))
    while parts_a or parts_b:
        if parts_a and parts_a[0][2]:
            start, end, _ = parts_a.pop(0)
            yield Change(start, end, b0, b0, layout=False, moved=True)
            a0 = end
        elif parts_b and parts_b[0][2]:
            start, end, _ = parts_b.pop(0)
            yield Change(a0, a0, start, end, layout=False, moved=True)
            b0 = end
        else:
            end_a = parts_a.pop(0)[1] if parts_a else a0
            end_b = parts_b.pop(0)[1] if parts_b else b0
            yield from _trimmed_words(sides, Change(a0, end_a, b0, end_b, layout=False))
            a0, b0 = end_a, end_b


def _span(text: Words, gap: tuple[int, int], end: int) -> tuple[int, int]:
    """From the end of the word before a gap to the start of the word after it."""
    low = int(text.ends[gap[0] - 1]) if gap[0] > 0 else 0
    high = int(text.starts[gap[1]]) if gap[1] < len(text) else end
    return low, max(low, high)


def _parts(
    source: str, text: Words, gap: tuple[int, int], span: tuple[int, int], moved: dict[int, int]
) -> Iterator[tuple[int, int, bool]]:
    """A gap's span, cut where moved blocks begin and end: (start, end, moved)."""
    low, high = span
    for first in range(*gap):
        if first in moved:
            start = int(text.starts[first])
            behind = first + moved[first]
            end = high
            if behind < gap[1]:  # signs of the next figure did not move: they may have changed with it
                end = _before_signs(source, int(text.ends[behind - 1]), int(text.starts[behind]))
            if start > low:
                yield low, start, False
            yield start, end, True
            low = end
    if high > low:
        yield low, high, False


def _before_signs(source: str, start: int, end: int) -> int:
    """Where what is between two words ends, without the signs that may belong to the second one."""
    for place in range(start, end):
        char = source[place]
        if char in counted_signs() or char in PLUS_AND_MINUS or char in DASHES:
            return place
    whole = not any(char.isspace() for char in source[start:end])
    return start if whole and source[end : end + 1].isnumeric() else max(start, end)


def _trimmed_words(sides: Sides, change: Change) -> Iterator[Change]:
    """A change without the equal punctuation and space around its words; of layout where it has no word."""
    a, b, x, y = sides
    first_a, last_a = _word_edges(x, change.a0, change.a1)
    first_b, last_b = _word_edges(y, change.b0, change.b1)
    if first_a is None and first_b is None:
        yield from _trimmed(a, b, change._replace(layout=True))
        return
    a0, a1, b0, b1 = change[:4]
    stop_a = a1 if first_a is None else first_a
    stop_b = b1 if first_b is None else first_b
    while a0 < stop_a and b0 < stop_b and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    stop_a = a0 if last_a is None else last_a
    stop_b = b0 if last_b is None else last_b
    while a1 > stop_a and b1 > stop_b and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    if a[a0:a1] != b[b0:b1]:
        yield Change(a0, a1, b0, b1, layout=False)


def _word_edges(text: Words, low: int, high: int) -> tuple[int | None, int | None]:
    """Where the first word of a span begins and the last one ends; None where it has no word."""
    first, behind = (int(place) for place in text.starts.searchsorted((low, high)))
    if first == behind:
        return None, None
    return int(text.starts[first]), int(text.ends[behind - 1])


def _trimmed(a: str, b: str, change: Change) -> Iterator[Change]:
    """A change without its common ends; nothing where the two sides are equal."""
    a0, a1, b0, b1 = change[:4]
    if a[a0:a1] == b[b0:b1]:
        return
    while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
        a0, b0 = a0 + 1, b0 + 1
    while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
        a1, b1 = a1 - 1, b1 - 1
    yield change._replace(a0=a0, a1=a1, b0=b0, b1=b1)


def _only_layout(a: str, b: str, change: Change) -> Change:
    """The change, of layout only if its words are equal: a part of ½ can equal a word while the whole does not."""
    a_text, b_text = a[change.a0 : change.a1], b[change.b0 : change.b1]
    if change.layout and _signs(a_text) != _signs(b_text):
        return change._replace(layout=False)  # a currency sign that was put behind its figure, say
    if not change.layout or a_text.lower() == b_text.lower() or not _WORDLIKE.search(a_text + b_text):
        return change
    return change._replace(layout=spelled(a_text) == spelled(b_text))


def _signs(text: str) -> list[str]:
    """The figure marks in a stretch of text that are marks wherever they are."""
    counted = counted_signs()
    return sorted(counted[char] for char in text if char in counted)


def _joined(changes: Iterable[Change]) -> list[Change]:
    """Layout differences that touch each other, as one."""
    found: list[Change] = []
    for change in changes:
        last = found[-1] if found else None
        touches = last is not None and last.a1 == change.a0 and last.b1 == change.b0
        if last is not None and touches and last.layout and change.layout:
            found[-1] = last._replace(a1=change.a1, b1=change.b1)
        elif change.a0 < change.a1 or change.b0 < change.b1:
            found.append(change)
    return found


def _settled(a: str, b: str, changes: list[Change]) -> list[Change]:
    """Each change where it reads best: additions and deletions moved along equal text, figures whole."""
    settled: list[Change] = []
    for place, change in enumerate(changes):
        left = change.a0 - (settled[-1].a1 if settled else 0)
        right = (changes[place + 1].a0 if place + 1 < len(changes) else len(a)) - change.a1
        a0, a1, b0, b1, layout, moved = change
        if not moved and (a0 == a1 or b0 == b1):
            text, start, end = (b, b0, b1) if a0 == a1 else (a, a0, a1)
            shift = best_shift(text, start, end, left, right)
            a0, a1, b0, b1 = a0 + shift, a1 + shift, b0 + shift, b1 + shift
        elif not moved and not layout:
            around = figure_around(a, a0, a1, left, right), figure_around(b, b0, b1, left, right)
            before, behind = (max(reach) for reach in zip(*around, strict=True))
            a0, a1, b0, b1 = a0 - before, a1 + behind, b0 - before, b1 + behind
        settled.append(Change(a0, a1, b0, b1, layout, moved))
    return settled


def _difference(a: str, b: str, change: Change) -> Difference:
    a_text, b_text = a[change.a0 : change.a1], b[change.b0 : change.b1]
    if change.moved:
        op = "move"
    elif not a_text:
        op = "insert"
    elif not b_text:
        op = "delete"
    else:
        op = "replace"
    return Difference(op, (change.a0, change.a1), (change.b0, change.b1), a_text, b_text, change.layout)
