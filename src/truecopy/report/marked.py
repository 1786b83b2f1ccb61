"""Differences -> the stretches of a redline, in the order in which they are read.

equal     in both texts
insert    in the second text only
delete    in the first text only
gone      was here in the first text, and is elsewhere in the second; `place` numbers the move
come      is here in the second text, and was elsewhere in the first; the same number
layout    only case, white space or punctuation differs; as the second text has it
skip      equal words that are not shown; `words` says how many

A `Fold` is a long stretch without changes, as it is left out of a report and closed on a redline page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from truecopy.model import Difference
from truecopy.report import shown
from truecopy.report.changes import matters
from truecopy.report.page import Piece

CHANGES = ("insert", "delete", "gone", "come")
_WORD = re.compile(r"\w+")
_RUN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Fold:
    """Stretches without a change between the words that are kept around changes."""

    pieces: tuple[Piece, ...]
    words: int


def marked(b: str, differences: Sequence[Difference]) -> list[Piece]:
    """The whole redline, from the second text and the differences that lead to it."""
    return [piece for piece in _marked(b, differences, moves(differences)) if piece.text]


def moves(differences: Iterable[Difference]) -> dict[int, int]:
    """The position of each difference that is half of a move -> the number of the move; both halves have the same."""
    waiting: dict[tuple[str, ...], list[int]] = {}
    halves = [(at, one) for at, one in enumerate(differences) if one.op == "move"]
    for at, one in halves:
        if one.a_text:
            waiting.setdefault(_words(one.a_text), []).append(at)
    numbers: dict[int, int] = {}
    for at, one in halves:
        left = waiting.get(_words(one.b_text)) if not one.a_text else None
        if left:
            numbers[at] = numbers[left.pop(0)] = len(numbers) // 2 + 1
    return numbers


def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold()))


def _marked(b: str, differences: Sequence[Difference], numbers: dict[int, int]) -> Iterator[Piece]:
    place = 0
    for at, one in enumerate(differences):
        yield Piece("equal", shown.text(b[place : one.b[0]]))
        place = one.b[1]
        if one.layout:
            yield Piece("layout", shown.text(one.b_text or one.a_text))
        elif one.op == "move":
            yield Piece("gone" if one.a_text else "come", shown.text(one.a_text or one.b_text), numbers.get(at, 0))
        else:
            heavy = matters(one)
            yield Piece("delete", shown.text(one.a_text), matters=heavy)
            yield Piece("insert", shown.text(one.b_text), matters=heavy and not one.a_text)
    yield Piece("equal", shown.text(b[place:]))


def folded(pieces: Iterable[Piece], context: int) -> list[Piece | Fold]:
    """Pieces with every long stretch between changes folded, `context` words of it kept on either side.

    Where nothing but layout differs, the differences of layout are the changes.
    """
    pieces = list(pieces)
    changes = CHANGES if any(piece.op in CHANGES for piece in pieces) else ("layout",)
    result: list[Piece | Fold] = []
    stretch: list[Piece] = []
    for piece in [*pieces, None]:
        if piece is not None and piece.op not in changes:
            stretch.append(piece)
            continue
        result += _fold(stretch, context, first=not result, last=piece is None)
        stretch = []
        if piece is not None:
            result.append(piece)
    return result


def _fold(stretch: list[Piece], context: int, first: bool, last: bool) -> list[Piece | Fold]:
    """A stretch between two changes, or before the first or after the last one, where the far end needs no context."""
    before, after = (0 if first else context), (0 if last else context)
    lengths = [len(_RUN.findall(piece.text)) for piece in stretch]
    if sum(lengths) <= before + after + context // 2:
        return list(stretch)
    head, rest = _cut(stretch, before)
    middle, tail = _cut(rest, sum(lengths) - before - after)
    words = sum(len(_RUN.findall(piece.text)) for piece in middle)
    return [*head, Fold(tuple(middle), words), *tail]


def _cut(stretch: list[Piece], count: int) -> tuple[list[Piece], list[Piece]]:
    """The pieces that hold the first `count` words, and the rest; a piece is cut where needed."""
    head: list[Piece] = []
    for place, piece in enumerate(stretch):
        found = list(_RUN.finditer(piece.text))
        if len(found) > count:
            edge = found[count].start()
            if count:
                head.append(Piece(piece.op, piece.text[:edge]))
            rest = [Piece(piece.op, piece.text[edge if count else 0 :]), *stretch[place + 1 :]]
            return head, rest
        head.append(piece)
        count -= len(found)
    return head, []


def skipped(pieces: Iterable[Piece | Fold]) -> Iterator[Piece]:
    """Pieces with a skip in the place of each fold."""
    for one in pieces:
        if isinstance(one, Fold):
            yield Piece("skip", f"{shown.plural(one.words, 'word')} unchanged", words=one.words)
        else:
            yield one
