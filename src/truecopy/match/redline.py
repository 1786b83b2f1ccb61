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
class RedlinePiece:
    """One stretch of a redline."""

    op: str
    text: str
    """For a skip, a phrase that says how much was left out."""
    words: int = 0
    """For a skip, how many words; else 0."""


def redline(a: str, b: str, differences: Iterable[Difference], context_words: int = 12) -> tuple[RedlinePiece, ...]:
    """Every change with `context_words` equal words on either side, and what is between left out.

    Differences of layout are shown if they fall into that context; if there are no others, all are shown.

    >>> from truecopy.match.differences import differences
    >>> a, b = "Rent is due monthly.", "Rent is due weekly."
    >>> [(piece.op, piece.text) for piece in redline(a, b, differences(a, b))]
    [('equal', 'Rent is due '), ('delete', 'monthly'), ('insert', 'weekly'), ('equal', '.')]
    """
    pieces = list(_pieces(a, b, differences))
    shown = CHANGES if any(piece.op in CHANGES for piece in pieces) else ("layout",)
    result: list[RedlinePiece] = []
    stretch: list[RedlinePiece] = []
    for piece in [*pieces, None]:
        if piece is not None and piece.op not in shown:
            stretch.append(piece)
            continue
        before = context_words if result else 0
        result += _context(stretch, before, context_words if piece is not None else 0)
        stretch = []
        if piece is not None:
            result.append(piece)
    return tuple(result)


def _pieces(a: str, b: str, differences: Iterable[Difference]) -> Iterator[RedlinePiece]:
    place = 0
    for one in differences:
        if one.b[0] > place:
            yield RedlinePiece("equal", b[place : one.b[0]])
        if one.layout:
            yield RedlinePiece("layout", b[slice(*one.b)] or a[slice(*one.a)])
        else:
            if one.a_text:
                yield RedlinePiece("delete", one.a_text)
            if one.b_text:
                yield RedlinePiece("move" if one.op == "move" else "insert", one.b_text)
        place = one.b[1]
    if place < len(b):
        yield RedlinePiece("equal", b[place:])


def _context(stretch: list[RedlinePiece], before: int, after: int) -> list[RedlinePiece]:
    """A stretch without changes: its first and last words, and a skip between where that is shorter."""
    total = sum(len(piece.text.split()) for piece in stretch)
    if total <= before + after + 1:
        return stretch
    head, rest = _cut(stretch, before)
    tail, middle = _cut_end(rest, after)
    skipped = sum(len(piece.text.split()) for piece in middle)
    unit = "word" if skipped == 1 else "words"
    return [*head, RedlinePiece("skip", f"{skipped:,} {unit} unchanged", skipped), *tail]


def _cut(stretch: list[RedlinePiece], count: int) -> tuple[list[RedlinePiece], list[RedlinePiece]]:
    """The pieces that hold the first `count` words, and the rest; a piece is cut where needed."""
    head: list[RedlinePiece] = []
    for place, piece in enumerate(stretch):
        parts = piece.text.split(None, count)
        if len(parts) > count:
            edge = len(piece.text) - len(parts[count])
            if piece.text[:edge].strip():
                head.append(RedlinePiece(piece.op, piece.text[:edge]))
            return head, [RedlinePiece(piece.op, piece.text[edge:]), *stretch[place + 1 :]]
        head.append(piece)
        count -= len(parts)
    return head, []


def _cut_end(stretch: list[RedlinePiece], count: int) -> tuple[list[RedlinePiece], list[RedlinePiece]]:
    """The pieces that hold the last `count` words, and what comes before them."""
    tail: list[RedlinePiece] = []
    for place in range(len(stretch) - 1, -1, -1):
        piece = stretch[place]
        parts = piece.text.rsplit(None, count)
        if len(parts) > count:
            edge = len(parts[0])
            if piece.text[edge:].strip():
                tail.insert(0, RedlinePiece(piece.op, piece.text[edge:]))
            return tail, [*stretch[:place], RedlinePiece(piece.op, piece.text[:edge])]
        tail.insert(0, piece)
        count -= len(parts)
    return tail, []
