"""Which redlines are made, and how they are kept.

A redline costs time to compute and room in the file, so there is a budget: in redlines, in words
compared and in characters kept. It is counted, never timed, so that the same matter always gives the
same report. Of each group the member that differs most comes first. Half of the words go to the largest
groups, the other half to the groups with the shortest texts, so that as many groups as possible have
a redline; what remains goes to the second member of each group, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from truecopy.model import Difference, Group, Member
from truecopy.progress import SILENT, Progress
from truecopy.report.changes import summarize
from truecopy.report.marked import folded, marked, skipped
from truecopy.report.page import Piece, Redline, Redlines, ReportSource
from truecopy.stopping import check

SAME = ("same-file", "same-text")
"""Kinds without a difference in words: there is nothing to redline."""

_CONTEXT = 12
"""Equal words that are kept on either side of a change."""
_MOST_CHANGES = 12
"""Changes that are listed above a redline; the rest is counted."""

Wanted = tuple[Group, Member]


@dataclass(frozen=True, slots=True)
class RedlineBudget:
    """How much may be spent on redlines."""

    redlines: int = 300
    words: int = 400_000
    """Words of both texts, over all redlines."""
    longest: int = 40_000
    """Words of both texts of one redline."""
    characters: int = 8_000_000
    """Characters kept in the file, over all redlines."""
    one: int = 40_000
    """Characters kept of one redline."""


QUICK = RedlineBudget()
"""For the report that every scan writes: about a second."""
THOROUGH = RedlineBudget(redlines=1_000, words=4_000_000, longest=400_000)
"""For a report that is asked for by itself: some seconds."""


def make_redlines(
    matter: ReportSource, groups: Sequence[Group], budget: RedlineBudget = QUICK, progress: Progress = SILENT
) -> Redlines:
    """The redlines that fit the budget, and the members whose redlines did not."""
    rounds = _rounds(groups)
    chosen = _choose(rounds, budget)
    progress.start("report", len(chosen), "redlines")
    made: dict[str, Redline] = {}
    characters = 0
    for group, member in chosen:
        check()
        redline = _redline(matter.text(group.principal), matter.text(member.document), budget.one)
        made[member.document.id] = redline
        progress.advance(1)
        characters += sum(len(piece.text) for piece in redline.pieces)
        if characters >= budget.characters:
            break
    progress.advance(len(chosen) - len(made))  # the room was used up
    progress.finish()
    left = tuple(one for turn in rounds for one in turn if one[1].document.id not in made)
    return Redlines(made, left)


def _rounds(groups: Sequence[Group]) -> list[list[Wanted]]:
    """The member of each group that differs most; then the next of each; and so on.

    A copy of a member has that member's redline.
    """
    differing = [
        (group, [one for one in group.members if one.kind not in SAME and not one.document.copy_of][::-1])
        for group in groups
    ]
    most = max((len(members) for _, members in differing), default=0)
    return [[(group, members[turn]) for group, members in differing if turn < len(members)] for turn in range(most)]


def _choose(rounds: list[list[Wanted]], budget: RedlineBudget) -> list[Wanted]:
    """What the budget is spent on, in order."""
    chosen: list[Wanted] = []
    words = 0

    def take(wanted: Iterable[Wanted], limit: int) -> list[Wanted]:
        """Choose what fits; returns what does not."""
        nonlocal words
        left = []
        for one in wanted:
            cost = _cost(one)
            if len(chosen) < budget.redlines and cost <= budget.longest and words + cost <= limit:
                chosen.append(one)
                words += cost
            else:
                left.append(one)
        return left

    for turn, wanted in enumerate(rounds):
        left = take(wanted, budget.words // 2 if turn == 0 else budget.words)
        take(sorted(left, key=_cost), budget.words)
    return chosen


def _cost(wanted: Wanted) -> int:
    group, member = wanted
    return group.principal.words + member.document.words


def _redline(principal: str, member: str, room: int) -> Redline:
    from truecopy.match.differences import differences

    found = differences(principal, member)
    pieces, shortened = _within(skipped(folded(marked(member, found), _CONTEXT)), room)
    layout = sum(one.layout for one in found)
    return Redline(pieces, summarize(found, _MOST_CHANGES), count_changes(found), layout, shortened)


def count_changes(differences: Sequence[Difference]) -> int:
    """Differences in words or figures; a move is one, though it is two differences."""
    arrived = sum(one.op == "move" and not one.a_text for one in differences)
    return sum(not one.layout for one in differences) - arrived


def _within(pieces: Iterable[Piece], room: int) -> tuple[tuple[Piece, ...], bool]:
    """As many pieces as there is room for; a long piece is cut, and the result says so."""
    kept: list[Piece] = []
    for piece in pieces:
        if len(piece.text) > room:
            kept.append(replace(piece, text=piece.text[:room]))
            return tuple(kept), True
        kept.append(piece)
        room -= len(piece.text)
    return tuple(kept), False
