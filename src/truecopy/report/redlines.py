"""Which redlines are made, and how they are kept.

A redline costs time to compute and room in the file, so there is a budget: in redlines, in words
compared and in characters kept. It is counted, never timed, so that the same matter always gives the
same report. One redline for each group comes first, the largest group first, and of each group the
member that differs most; then the second member of each group, and so on: a reader who opens any
group finds what it is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from truecopy.model import Difference, Group, Member
from truecopy.progress import SILENT, Progress
from truecopy.report import shown
from truecopy.report.page import Change, Piece, Redline, Redlines, ReportSource

SAME = ("same-file", "same-text")
"""Kinds without a difference in words: there is nothing to redline."""

_FIGURE = re.compile(
    r"\d|[$€£¥₹]|\b(?:not|no|nor|never|none|without|except|unless|cannot)\b|n['’]t\b", re.IGNORECASE
)
_AROUND = re.compile(r"^[^\w$€£¥₹(]+|[^\w%$€£¥₹)]+$")
_LONGEST_CHANGE = 90
_MOST_CHANGES = 12


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be spent on redlines."""

    redlines: int = 200
    words: int = 1_200_000
    """Words of both texts, over all redlines."""
    characters: int = 8_000_000
    """Characters kept in the file, over all redlines."""
    one: int = 40_000
    """Characters kept of one redline."""


DEFAULT_BUDGET = Budget()


def make_redlines(
    matter: ReportSource,
    groups: Sequence[Group],
    budget: Budget = DEFAULT_BUDGET,
    progress: Progress = SILENT,
) -> Redlines:
    """The redlines that fit the budget; how many did not is counted."""
    wanted = list(_most_informative_first(groups))
    progress.start("report", min(len(wanted), budget.redlines), "redlines")
    made: dict[tuple[str, str], Redline] = {}
    words = characters = 0
    for group, member in wanted:
        cost = group.principal.words + member.document.words
        if len(made) >= budget.redlines or characters >= budget.characters:
            break
        if words + cost > budget.words:
            continue  # a shorter one further on may still fit
        redline = _redline(matter.text(group.principal), matter.text(member.document), budget.one)
        made[group.id, member.document.id] = redline
        words += cost
        characters += sum(len(piece.text) for piece in redline.pieces)
        progress.advance(1)
    progress.finish()
    return Redlines(made, len(wanted) - len(made))


def _most_informative_first(groups: Sequence[Group]) -> Iterator[tuple[Group, Member]]:
    """Round by round: of each group the member that differs most, then the next."""
    differing = [(group, [one for one in group.members if one.kind not in SAME][::-1]) for group in groups]
    for turn in range(max((len(members) for _, members in differing), default=0)):
        for group, members in differing:
            if turn < len(members):
                yield group, members[turn]


def _redline(principal: str, member: str, room: int) -> Redline:
    from truecopy.match.differences import differences
    from truecopy.match.redline import redline

    found = differences(principal, member)
    pieces, shortened = _within(
        (Piece(segment.kind, shown.text(segment.text)) for segment in redline(principal, member, found)), room
    )
    layout = sum(one.layout for one in found)
    return Redline(pieces, _important(found), len(found) - layout, layout, shortened)


def _within(pieces: Iterable[Piece], room: int) -> tuple[tuple[Piece, ...], bool]:
    """As many pieces as there is room for; a long piece is cut, and that is told."""
    kept: list[Piece] = []
    for piece in pieces:
        if len(piece.text) > room:
            kept.append(Piece(piece.kind, piece.text[:room]))
            return tuple(kept), True
        kept.append(piece)
        room -= len(piece.text)
    return tuple(kept), False


def _important(differences: Iterable[Difference]) -> tuple[Change, ...]:
    """Short replacements that touch a figure, an amount, a date or a negation, most frequent first."""
    seen: dict[tuple[str, str], int] = {}
    for one in differences:
        if one.layout or one.op == "move" or max(len(one.a_text), len(one.b_text)) > _LONGEST_CHANGE:
            continue
        if _FIGURE.search(one.a_text) or _FIGURE.search(one.b_text):
            key = (_bare(one.a_text), _bare(one.b_text))
            if key[0] != key[1]:
                seen[key] = seen.get(key, 0) + 1
    ranked = sorted(seen.items(), key=lambda item: -item[1])  # stable: ties in the text's order
    return tuple(Change(before, after, times) for (before, after), times in ranked[:_MOST_CHANGES])


def _bare(value: str) -> str:
    """On one line, without the punctuation around it, which is rarely the point."""
    return shown.name(_AROUND.sub("", " ".join(value.split())))
