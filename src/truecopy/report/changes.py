"""The changes that a lawyer asks for first: figures, dates, and words that turn the sense.

They are listed above a redline, equal ones once with their number, and marked in its margin. What the list has no room
for is counted, so that nobody takes the list for all of them. `report/turning.py` has the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from truecopy.model import Difference
from truecopy.report import shown
from truecopy.report.page import ImportantChange, ImportantChanges
from truecopy.report.turning import MARKS, has_figure, turning

_AROUND = re.compile(rf"^(?!['’]t\b)[^\w({MARKS}]+|[^\w){MARKS}]+$")
_WORD = re.compile(r"\w+")
_LONGEST = 90
"""Characters of a change that is listed; longer ones are counted."""


def matters(one: Difference) -> bool:
    """Whether a difference touches a figure, or changes a word that turns the sense.

    >>> matters(Difference("replace", (0, 3), (0, 4), "may", "must", False))
    True
    """
    if one.layout or one.op == "move":
        return False
    if has_figure(one.a_text) or has_figure(one.b_text):
        return True
    if not _WORD.search(one.a_text) and not _WORD.search(one.b_text):  # but not layout: a figure mark
        return True
    return turning(one.a_text) != turning(one.b_text)


def summarize(differences: Iterable[Difference], most: int) -> ImportantChanges:
    """The changes that matter, most frequent first; `most` of them listed, the rest counted."""
    seen: dict[tuple[str, str], int] = {}
    long = 0
    for one in differences:
        if not matters(one):
            continue
        if max(len(one.a_text), len(one.b_text)) > _LONGEST:
            long += 1
        else:
            key = _told(one.a_text, one.b_text)
            seen[key] = seen.get(key, 0) + 1
    ranked = sorted(seen.items(), key=lambda item: -item[1])  # stable: ties in the text's order
    listed = tuple(ImportantChange(before, after, times) for (before, after), times in ranked[:most])
    return ImportantChanges(listed, sum(times for _, times in ranked[most:]), long)


def _told(before: str, after: str) -> tuple[str, str]:
    """Both sides on one line, without the punctuation around them unless that is the point."""
    lines = (" ".join(before.split()), " ".join(after.split()))
    bare = (_AROUND.sub("", lines[0]), _AROUND.sub("", lines[1]))
    if bare[0] == bare[1] or not any(bare):
        bare = lines
    return shown.name(bare[0]), shown.name(bare[1])
