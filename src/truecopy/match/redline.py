"""A redline: the differences between two texts as stretches to be shown one after the other.

equal     in both
delete    in a only, or moved away from here
insert    in b only
move      here in b and elsewhere in a
layout    only case, white space or punctuation differs; shown as it is in b
skip      equal words that are not shown; `words` says how many
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from truecopy.model import Difference

CHANGES = ("delete", "insert", "move")


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of a redline."""

    kind: str
    text: str
    """For a skip, a phrase that says how much was left out."""
    words: int = 0
    """For a skip, how many words; else 0."""


def redline(a: str, b: str, differences: Iterable[Difference], context_words: int = 12) -> tuple[Segment, ...]:
    """Every change with `context_words` equal words on either side, and what is between left out.

    Differences of layout are shown if they fall into that context; if there are no others, all are shown.

    >>> from truecopy.match.differences import differences
    >>> a, b = "Rent is due monthly.", "Rent is due weekly."
    >>> [(segment.kind, segment.text) for segment in redline(a, b, differences(a, b))]
    [('equal', 'Rent is due '), ('delete', 'monthly'), ('insert', 'weekly'), ('equal', '.')]
    """
    segments = list(_segments(a, b, differences))
    shown = CHANGES if any(segment.kind in CHANGES for segment in segments) else ("layout",)
    result: list[Segment] = []
    stretch: list[Segment] = []
    for segment in [*segments, None]:
        if segment is not None and segment.kind not in shown:
            stretch.append(segment)
            continue
        before = context_words if result else 0
        result += _context(stretch, before, context_words if segment is not None else 0)
        stretch = []
        if segment is not None:
            result.append(segment)
    return tuple(result)


def _segments(a: str, b: str, differences: Iterable[Difference]) -> Iterator[Segment]:
    place = 0
    for one in differences:
        if one.b[0] > place:
            yield Segment("equal", b[place : one.b[0]])
        if one.layout:
            yield Segment("layout", b[slice(*one.b)] or a[slice(*one.a)])
        else:
            if one.a_text:
                yield Segment("delete", one.a_text)
            if one.b_text:
                yield Segment("move" if one.op == "move" else "insert", one.b_text)
        place = one.b[1]
    if place < len(b):
        yield Segment("equal", b[place:])


def _context(stretch: list[Segment], before: int, after: int) -> list[Segment]:
    """A stretch without changes: its first and last words, and a skip between where that is shorter."""
    total = sum(len(segment.text.split()) for segment in stretch)
    if total <= before + after + 1:
        return stretch
    head, rest = _cut(stretch, before)
    tail, middle = _cut_end(rest, after)
    skipped = sum(len(segment.text.split()) for segment in middle)
    unit = "word" if skipped == 1 else "words"
    return [*head, Segment("skip", f"{skipped:,} {unit} unchanged", skipped), *tail]


def _cut(stretch: list[Segment], count: int) -> tuple[list[Segment], list[Segment]]:
    """The segments that hold the first `count` words, and the rest; a segment is cut where needed."""
    head: list[Segment] = []
    for place, segment in enumerate(stretch):
        parts = segment.text.split(None, count)
        if len(parts) > count:
            edge = len(segment.text) - len(parts[count])
            if segment.text[:edge].strip():
                head.append(Segment(segment.kind, segment.text[:edge]))
            return head, [Segment(segment.kind, segment.text[edge:]), *stretch[place + 1 :]]
        head.append(segment)
        count -= len(parts)
    return head, []


def _cut_end(stretch: list[Segment], count: int) -> tuple[list[Segment], list[Segment]]:
    """The segments that hold the last `count` words, and what comes before them."""
    tail: list[Segment] = []
    for place in range(len(stretch) - 1, -1, -1):
        segment = stretch[place]
        parts = segment.text.rsplit(None, count)
        if len(parts) > count:
            edge = len(parts[0])
            if segment.text[edge:].strip():
                tail.insert(0, Segment(segment.kind, segment.text[edge:]))
            return tail, [*stretch[:place], Segment(segment.kind, segment.text[:edge])]
        tail.insert(0, segment)
        count -= len(parts)
    return tail, []
